//! The words of every slot: what they are now, slot by slot, and what they were before, for each slot by itself.

use crate::Tick;
use crate::world::{BLOCK, lanes};

/// The words of one component, by slot and tick.
#[derive(Debug)]
pub(super) struct Rows {
    width: usize,
    /// By slot: the words now.
    now: Vec<u32>,
    /// By block: the slots that have words now.
    present: Vec<u64>,
    /// By slot: the tick since when it is so, and what was before.
    since: Vec<Tick>,
    before: Vec<Track>,
}

/// What the words of one slot were before, back to the oldest tick that is kept: a ring of entries, each a stamp and the
/// words.
#[derive(Debug, Default)]
struct Track {
    entries: Vec<u32>,
    /// Which entry is the newest, and how many there are.
    newest: u32,
    len: u32,
}

/// The words of a stamp: the tick, of which the highest bit says whether the slot had words from then on.
const STAMP: usize = 2;

/// See [`STAMP`]. Ticks are far below.
const PRESENT: u32 = 1 << 31;

impl Rows {
    pub(super) fn new(width: usize) -> Self {
        let (now, present, since, before) = Default::default();
        Self { width, now, present, since, before }
    }

    /// The words of a slot at a tick that is kept, if it had any.
    #[inline]
    pub(super) fn at(&self, index: u32, tick: Tick) -> Option<&[u32]> {
        let slot = index as usize;
        if *self.since.get(slot)? <= tick {
            return self.now(slot);
        }
        let track = self.before.get(slot)?;
        track.find(self.width, track.newest(self.width), tick).map(|(_, words)| words)
    }

    /// The words of a slot now, if it has any.
    #[inline]
    fn now(&self, slot: usize) -> Option<&[u32]> {
        let is_present = self.present.get(slot / BLOCK)? >> (slot % BLOCK) & 1 == 1;
        if is_present { self.now.get(slot * self.width..(slot + 1) * self.width) } else { None }
    }

    /// Finds the words of a slot at ticks, each before the last, back to the first at which it had none; tells how many there
    /// are.
    #[inline]
    pub(super) fn column<'r>(
        &'r self,
        index: u32,
        ticks: impl Iterator<Item = Tick>,
        rows: &mut [&'r [u32]],
    ) -> usize {
        let slot = index as usize;
        let (Some(&since), Some(track)) = (self.since.get(slot), self.before.get(slot)) else { return 0 };
        let (mut from, mut found) = (track.newest(self.width), 0);
        for (place, tick) in rows.iter_mut().zip(ticks) {
            if since <= tick {
                let Some(words) = self.now(slot) else { break };
                *place = words;
            } else {
                let Some((entry, words)) = track.find(self.width, from, tick) else { break };
                (*place, from) = (words, entry);
            }
            found += 1;
        }
        found
    }

    /// By block: the slots that have words now.
    pub(super) fn present(&self, block: usize) -> u64 {
        self.present.get(block).copied().unwrap_or(0)
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.present.len()
    }

    /// The slots that have words now, upwards.
    pub(super) fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        let blocks = (0u32..).step_by(BLOCK).zip(&self.present);
        blocks.flat_map(|(first, &present)| lanes(present).map(move |lane| first + lane as u32))
    }

    /// One more than the last slot that has words now.
    pub(super) fn end(&self) -> u32 {
        let last = self.present.iter().rposition(|present| *present != 0);
        last.map_or(0, |last| (last * BLOCK) as u32 + (u64::BITS - self.present[last].leading_zeros()))
    }

    /// Makes the words of a slot what they are from a tick on; `true` if they were not. What was before `kept` may be
    /// forgotten.
    #[inline]
    pub(super) fn set(&mut self, slot: usize, row: Option<&[u32]>, tick: Tick, kept: Tick) -> bool {
        if self.now(slot) == row {
            return false;
        }
        if self.since.len() <= slot {
            // All slots of a block at once. Before the first tick they had none.
            let blocks = slot / BLOCK + 1;
            self.present.resize(blocks, 0);
            self.since.resize(blocks * BLOCK, Tick::default());
            self.before.resize_with(blocks * BLOCK, Track::default);
            self.now.resize(blocks * BLOCK * self.width, 0);
        }
        let (width, since) = (self.width, self.since[slot]);
        let (present, bit) = (&mut self.present[slot / BLOCK], 1 << (slot % BLOCK));
        let now = &mut self.now[slot * width..(slot + 1) * width];
        let (was, before) = ((*present & bit != 0).then_some(&*now), &mut self.before[slot]);
        // What was over before the oldest tick that is kept is of no use, and before everything else there was nothing.
        if tick > kept && (was.is_some() || before.len > 0) {
            before.push(was, width, since, kept);
        }
        self.since[slot] = tick;
        match row {
            Some(row) => {
                *present |= bit;
                now.copy_from_slice(row);
            }
            None => *present &= !bit,
        }
        true
    }
}

impl Track {
    /// Since when an entry holds.
    fn since(&self, entry: usize, width: usize) -> Tick {
        let at = entry * (STAMP + width);
        since(&self.entries[at..at + STAMP])
    }

    /// How many entries there is room for.
    fn room(&self, width: usize) -> usize {
        self.entries.len() / (STAMP + width)
    }

    /// Where the newest entry is, and how many there are from there back.
    #[inline]
    fn newest(&self, width: usize) -> (usize, u32) {
        (self.newest as usize * (STAMP + width), self.len)
    }

    /// The entry of a tick, from another back, and its words if it has any.
    #[inline]
    fn find(&self, width: usize, from: (usize, u32), tick: Tick) -> Option<((usize, u32), &[u32])> {
        let (stride, (mut at, mut left)) = (STAMP + width, from);
        while left > 0 {
            let (stamp, words) = self.entries.get(at..at + stride)?.split_at(STAMP);
            if since(stamp) <= tick {
                return (stamp[1] & PRESENT != 0).then_some(((at, left), words));
            }
            (at, left) = (at.checked_sub(stride).unwrap_or(self.entries.len() - stride), left - 1);
        }
        None
    }

    /// Adds an entry, and makes room for it first: by what is older than the oldest that is kept, or by more memory.
    fn push(&mut self, row: Option<&[u32]>, width: usize, tick: Tick, kept: Tick) {
        let (stride, mut room) = (STAMP + width, self.room(width));
        if self.len as usize == room {
            let oldest = |len: usize| (self.newest as usize + room - (len - 1)) % room;
            let mut len = room;
            while len >= 2 && self.since(oldest(len - 1), width) <= kept {
                len -= 1;
            }
            // Where this frees only a little, it would be tried again and again.
            if 4 * len >= 3 * room {
                if room > 0 {
                    self.entries.rotate_left(oldest(room) * stride);
                    self.newest = room as u32 - 1;
                }
                room += room / 2 + 1;
                self.entries.resize(room * stride, 0);
            }
            self.len = len as u32;
        }
        self.newest = if self.len == 0 { 0 } else { (self.newest + 1) % room as u32 };
        self.len += 1;
        let at = self.newest as usize * stride;
        let (stamp, words) = self.entries[at..at + stride].split_at_mut(STAMP);
        stamp.copy_from_slice(&[tick.0 as u32, (tick.0 >> 32) as u32]);
        if let Some(row) = row {
            stamp[1] |= PRESENT;
            words.copy_from_slice(row);
        }
    }
}

/// The tick of a stamp.
#[inline]
fn since(stamp: &[u32]) -> Tick {
    Tick(u64::from(stamp[1] & !PRESENT) << 32 | u64::from(stamp[0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn a_slot_is_at_each_tick_that_is_kept_as_it_was(
            changes in proptest::collection::vec((1u64..5, 0u32..6), 1..300), kept in 1u64..60, first: u32
        ) {
            let (mut rows, mut tick) = (Rows::new(2), u64::from(first) << 20);
            let mut expected = BTreeMap::new();
            for (ticks, value) in changes {
                tick += ticks;
                // Zero stands for none.
                let words = [value, value * 3];
                let row = (value > 0).then_some(&words[..]);
                let before = expected.last_key_value().map_or(0, |(_, value)| *value);
                let oldest = tick.saturating_sub(kept);
                prop_assert_eq!(rows.set(70, row, Tick(tick), Tick(oldest)), before != value);
                expected.insert(tick, value);
                for at in oldest..=tick {
                    let then = expected.range(..=at).next_back().map_or(0, |(_, value)| *value);
                    let words = [then, then * 3];
                    prop_assert_eq!(rows.at(70, Tick(at)), (then > 0).then_some(&words[..]), "{}", at);
                }
                prop_assert_eq!(rows.present(1) >> 6, u64::from(value > 0));
                prop_assert_eq!(rows.end(), if value > 0 { 71 } else { 0 });
            }
            prop_assert!(rows.before.get(70).is_none_or(|track| track.room(2) <= 2 * (kept as usize + 3)));
        }
    }
}
