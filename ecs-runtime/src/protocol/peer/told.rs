//! What a client was told of an entity, and when, for as long as it foretells what comes.

use crate::Tick;
use crate::codec::BASELINE_SPAN;
use crate::snapshot::Sight;

/// The ticks at which packets that arrived told of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::protocol) struct Told {
    newest: Tick,
    /// The ticks before the newest: a bit each, the one just before it lowest.
    before: u32,
    /// Those of them at which the client saw only what everybody sees, and whether that holds for the newest.
    public: u32,
    newest_public: bool,
    any: bool,
    /// One more than how many of the bits count: an entity that was told from nothing, or was gone, ends them.
    end: u8,
}

impl Default for Told {
    fn default() -> Self {
        Self { newest: Tick(0), before: 0, public: 0, newest_public: false, any: false, end: u8::MAX }
    }
}

/// What a packet said of an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::protocol) enum Said {
    /// How it differs.
    #[default]
    Difference,
    /// All of it, from nothing.
    Fresh,
    /// That it is gone, or out of view.
    Gone,
}

impl Told {
    /// Whether nothing was told of an entity at a tick or later.
    pub(super) fn is_before(&self, tick: Tick) -> bool {
        !self.any || self.newest < tick
    }

    /// The newest of them.
    pub(in crate::protocol) fn newest(&self) -> Tick {
        self.newest
    }

    /// A packet that arrived told of the entity.
    pub(super) fn note(&mut self, tick: Tick, sight: Sight, said: Said) {
        let public = sight == Sight::Public;
        let mut back = 0;
        if let Some(newer) = tick.0.checked_sub(self.newest.0).filter(|newer| self.any && *newer > 0) {
            let newer = u32::try_from(newer).unwrap_or(u32::MAX);
            let shifted = |mask: u32, lowest: bool| {
                mask.checked_shl(newer).unwrap_or(0) | u32::from(lowest).checked_shl(newer - 1).unwrap_or(0)
            };
            self.before = shifted(self.before, true);
            self.public = shifted(self.public, self.newest_public);
            self.end = u8::try_from(newer.saturating_add(u32::from(self.end))).unwrap_or(u8::MAX);
        } else if self.any {
            let older = u32::try_from(self.newest.0 - tick.0).ok();
            let Some(older) = older.filter(|older| *older <= BASELINE_SPAN) else { return };
            back = older;
        }
        if let Some(bit) = back.checked_sub(1) {
            self.before |= 1 << bit;
            self.public = self.public & !(1 << bit) | u32::from(public) << bit;
        } else {
            (self.any, self.newest) = (true, tick);
            self.newest_public = public;
        }
        let end = match said {
            Said::Difference => u8::MAX,
            Said::Fresh => back as u8 + 1,
            Said::Gone => back as u8,
        };
        self.end = self.end.min(end);
        if u32::from(self.end) <= BASELINE_SPAN {
            self.before &= (1u64 << self.end >> 1).saturating_sub(1) as u32;
        }
    }

    /// The ticks before the newest at which something was told that may foretell what comes, the latest first, and what of
    /// the entity could be seen then.
    pub(in crate::protocol) fn before(&self) -> impl Iterator<Item = (Tick, Sight)> + use<> {
        let (newest, mut left, public) = (self.newest, self.before, self.public);
        core::iter::from_fn(move || {
            let bit = left.trailing_zeros();
            left &= left.checked_sub(1)?;
            let sight = if public >> bit & 1 == 1 { Sight::Public } else { Sight::Owner };
            Some((Tick(newest.0.saturating_sub(u64::from(bit) + 1)), sight))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said() -> impl Strategy<Value = Said> {
        prop_oneof![8 => Just(Said::Difference), 1 => Just(Said::Fresh), 1 => Just(Said::Gone)]
    }

    proptest! {
        #[test]
        fn it_knows_the_ticks_back_to_what_was_told_from_nothing(
            packets in proptest::collection::btree_map(0u64..120, (any::<bool>(), said(), 0u32..99), 1..40)
        ) {
            let sight = |public| if public { Sight::Public } else { Sight::Owner };
            let mut order: Vec<_> = packets.iter().collect();
            order.sort_by_key(|(_, (_, _, arrives))| *arrives);
            let mut told = Told::default();
            for (tick, (public, said, _)) in order {
                told.note(Tick(*tick), sight(*public), *said);
            }
            let mut expected = Vec::new();
            let newest = packets.keys().next_back().copied().unwrap_or_default();
            for (tick, (public, said, _)) in packets.iter().rev() {
                if newest - tick > u64::from(BASELINE_SPAN) || *said == Said::Gone {
                    break;
                }
                expected.push((Tick(*tick), sight(*public)));
                if *said == Said::Fresh {
                    break;
                }
            }
            prop_assert_eq!(told.newest(), Tick(newest));
            let known: Vec<_> = told.before().collect();
            prop_assert_eq!(&known[..], expected.get(1..).unwrap_or(&[]));
        }
    }
}
