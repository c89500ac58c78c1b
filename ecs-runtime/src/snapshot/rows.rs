//! The words of every slot at the ticks at which they changed, those of one slot beside each other.

use crate::Tick;
use crate::world::{BLOCK, lanes};

/// The words of one component, by slot and tick.
#[derive(Debug)]
pub(super) struct Rows {
    width: usize,
    tracks: Vec<Track>,
    /// By block: the slots that have words now.
    present: Vec<u64>,
}

/// The words of one slot, from the newest tick at which they changed back to what they were at the oldest that is kept:
/// a ring of entries, each a stamp and the words.
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
        Self { width, tracks: Vec::new(), present: Vec::new() }
    }

    /// The words of a slot at a tick that is kept, if it had any.
    #[inline]
    pub(super) fn at(&self, index: u32, tick: Tick) -> Option<&[u32]> {
        self.tracks.get(index as usize)?.at(self.width, tick)
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
        let Some(track) = self.tracks.get(index as usize) else { return 0 };
        let (mut from, mut found) = (track.newest(self.width), 0);
        for (place, tick) in rows.iter_mut().zip(ticks) {
            let Some((entry, words)) = track.find(self.width, from, tick) else { break };
            (*place, from) = (words, entry);
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
    pub(super) fn set(&mut self, index: usize, row: Option<&[u32]>, tick: Tick, kept: Tick) -> bool {
        if self.tracks.len() <= index {
            if row.is_none() {
                return false;
            }
            self.tracks.resize_with(index + 1, Track::default);
            self.present.resize(self.tracks.len().div_ceil(BLOCK), 0);
        }
        let track = &mut self.tracks[index];
        if track.now(self.width) == row {
            return false;
        }
        let bit = 1 << (index % BLOCK);
        let present = &mut self.present[index / BLOCK];
        *present = if row.is_some() { *present | bit } else { *present & !bit };
        track.push(self.width, row, tick, kept);
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

    /// The words of the newest entry, if it has any.
    #[inline]
    fn now(&self, width: usize) -> Option<&[u32]> {
        let entry = self.entries.get(self.newest as usize * (STAMP + width)..)?;
        let (stamp, words) = entry.get(..STAMP + width)?.split_at(STAMP);
        (stamp[1] & PRESENT != 0).then_some(words)
    }

    #[inline]
    fn at(&self, width: usize, tick: Tick) -> Option<&[u32]> {
        self.find(width, self.newest(width), tick).map(|(_, words)| words)
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
    fn push(&mut self, width: usize, row: Option<&[u32]>, tick: Tick, kept: Tick) {
        let (stride, mut room) = (STAMP + width, self.room(width));
        if self.len as usize == room {
            let oldest = |len: usize| (self.newest as usize + room - (len - 1)) % room;
            let mut len = room;
            while len >= 2 && self.since(oldest(len - 1), width) <= kept {
                len -= 1;
            }
            if len == room {
                if room > 0 {
                    self.entries.rotate_left(oldest(len) * stride);
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
            prop_assert!(rows.tracks.get(70).is_none_or(|track| track.room(2) <= 2 * (kept as usize + 2)));
        }
    }
}
