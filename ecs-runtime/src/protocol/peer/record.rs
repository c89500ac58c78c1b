//! What a client has of one entity.

use core::num::NonZeroU64;

use super::Told;
use crate::Tick;
use crate::snapshot::Sight;

/// What somebody saw of an entity at a tick: the tick times four, and the sight, and one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::protocol) struct Seen(NonZeroU64);

impl Seen {
    /// Ticks are below 2^62.
    #[inline]
    pub(in crate::protocol) fn new(tick: Tick, sight: Sight) -> Self {
        Self(NonZeroU64::MIN.saturating_add(tick.0 << 2 | sight as u64))
    }

    #[inline]
    pub(in crate::protocol) fn tick(self) -> Tick {
        Tick((self.0.get() - 1) >> 2)
    }

    #[inline]
    pub(in crate::protocol) fn sight(self) -> Sight {
        Sight::of((self.0.get() - 1) as u32)
    }
}

/// The state of an entity that was last sent to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::protocol) enum Known {
    /// Nothing: the client does not have the entity.
    Nothing,
    /// Something that may have been lost, or of which nothing is kept: it must be sent.
    Stale,
    /// What it saw at a tick.
    At(Seen),
}

/// What a client has of one entity; in one line of the cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(in crate::protocol) struct EntityRecord {
    /// What it was last sent, unless that has to be sent again.
    sent: Option<Seen>,
    /// In which packet.
    pub(in crate::protocol) packet: u64,
    /// What it has confirmed, in the view of the ack that is named next: at the newest tick at which it is the same.
    pub(in crate::protocol) confirmed: Option<Seen>,
    /// The ticks of the packets that told of it. By the newest, states are newer than others.
    pub(in crate::protocol) told: Told,
    /// The sum of its priorities since something was to be sent, in 256ths.
    pub(in crate::protocol) urgency: u32,
    /// See [`Known::Stale`].
    stale: bool,
    /// It left the client's view while it was there. What becomes of it then is none of the client's business.
    pub(in crate::protocol) left: bool,
    /// It was found to be larger than a packet, and waits for another that is told in parts.
    pub(in crate::protocol) large: bool,
}

impl EntityRecord {
    /// What the client was last sent.
    #[inline]
    pub(in crate::protocol) fn sent(&self) -> Known {
        match self.sent {
            Some(seen) => Known::At(seen),
            None if self.stale => Known::Stale,
            None => Known::Nothing,
        }
    }

    #[inline]
    pub(in crate::protocol) fn set_sent(&mut self, sent: Known) {
        (self.sent, self.stale) = match sent {
            Known::At(seen) => (Some(seen), false),
            Known::Stale => (None, true),
            Known::Nothing => (None, false),
        };
    }
}

// Each client has as many as there are entities, and the documentation tells their size.
const _: () = assert!(size_of::<EntityRecord>() == 64);
