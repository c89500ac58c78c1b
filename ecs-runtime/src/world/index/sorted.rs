//! Pairs of a key and an entity, sorted.
//!
//! They lie in leaves of bounded length, so that putting one in moves no more than a leaf. What is freed is used again.

use super::key::Key;
use crate::Entity;

/// A key, and an entity that it finds.
pub(super) type Pair = (Key, Entity);

/// The most pairs of a leaf.
const LEAF: usize = 128;

/// A leaf that is made whole holds so many, to leave room for more.
const FILLED: usize = 96;

/// Sorted pairs, each at most once.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorted {
    /// None of them is empty.
    leaves: Vec<Vec<Pair>>,
    /// The first pair of each, side by side to be searched.
    firsts: Vec<Pair>,
    spare: Vec<Vec<Pair>>,
}

/// A place between two pairs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    leaf: usize,
    at: usize,
}

impl Sorted {
    /// How many pairs there are.
    pub(super) fn len(&self) -> usize {
        self.leaves.iter().map(Vec::len).sum()
    }

    /// The memory of it, in bytes.
    pub(super) fn memory(&self) -> usize {
        let leaves = self.leaves.iter().chain(&self.spare).map(Vec::capacity).sum::<usize>();
        leaves * size_of::<Pair>() + (self.leaves.capacity() + self.spare.capacity()) * size_of::<Vec<Pair>>()
    }

    /// The place before the first pair whose key is not below this one.
    #[inline]
    pub(super) fn seek(&self, key: Key) -> Cursor {
        let leaf = below(&self.firsts, key).saturating_sub(1);
        let at = self.leaves.get(leaf).map_or(0, |leaf| below(leaf, key));
        Cursor { leaf, at }
    }

    /// The pair behind a place, which moves on behind it.
    #[inline]
    pub(super) fn next(&self, cursor: &mut Cursor) -> Option<Pair> {
        loop {
            let leaf = self.leaves.get(cursor.leaf)?;
            if let Some(pair) = leaf.get(cursor.at) {
                cursor.at += 1;
                return Some(*pair);
            }
            *cursor = Cursor { leaf: cursor.leaf + 1, at: 0 };
        }
    }

    pub(super) fn insert(&mut self, pair: Pair) {
        if self.leaves.is_empty() {
            let leaf = self.take_spare();
            self.leaves.push(leaf);
            self.firsts.push(pair);
        }
        let mut at = self.leaf_of(pair);
        if self.leaves[at].len() == LEAF {
            let mut upper = self.take_spare();
            upper.extend_from_slice(&self.leaves[at][LEAF / 2..]);
            self.leaves[at].truncate(LEAF / 2);
            self.firsts.insert(at + 1, upper[0]);
            self.leaves.insert(at + 1, upper);
            at += usize::from(self.firsts[at + 1] <= pair);
        }
        let leaf = &mut self.leaves[at];
        if let Err(place) = leaf.binary_search(&pair) {
            leaf.insert(place, pair);
            self.firsts[at] = leaf[0];
        }
    }

    pub(super) fn remove(&mut self, pair: Pair) {
        let at = self.leaf_of(pair);
        let Some(leaf) = self.leaves.get_mut(at) else { return };
        let Ok(place) = leaf.binary_search(&pair) else { return };
        leaf.remove(place);
        // What is nearly empty goes to its neighbour below, or away.
        let thin = leaf.len();
        if thin == 0 || thin < LEAF / 8 && at > 0 && self.leaves[at - 1].len() + thin <= FILLED {
            let mut leaf = self.leaves.remove(at);
            self.firsts.remove(at);
            if thin > 0 {
                self.leaves[at - 1].extend_from_slice(&leaf);
            }
            leaf.clear();
            self.spare.push(leaf);
        } else {
            self.firsts[at] = self.leaves[at][0];
        }
    }

    /// Holds exactly these, which become sorted.
    pub(super) fn fill(&mut self, pairs: &mut Vec<Pair>) {
        pairs.sort_unstable();
        pairs.dedup();
        self.firsts.clear();
        for mut leaf in self.leaves.drain(..) {
            leaf.clear();
            self.spare.push(leaf);
        }
        for part in pairs.chunks(FILLED) {
            let mut leaf = self.take_spare();
            leaf.extend_from_slice(part);
            self.firsts.push(leaf[0]);
            self.leaves.push(leaf);
        }
    }

    /// The last leaf that begins with this pair or below it, or the first.
    #[inline]
    fn leaf_of(&self, pair: Pair) -> usize {
        self.firsts.partition_point(|first| *first <= pair).saturating_sub(1)
    }

    fn take_spare(&mut self) -> Vec<Pair> {
        self.spare.pop().unwrap_or_else(|| Vec::with_capacity(LEAF))
    }
}

/// How many sorted pairs have a key below this one.
#[inline]
fn below(pairs: &[Pair], key: Key) -> usize {
    let (mut from, mut len) = (0, pairs.len());
    while len > 1 {
        let half = len / 2;
        // The search of the standard library is compiled to jumps here, every other of which goes wrong.
        from = core::hint::select_unpredictable(pairs[from + half].0 < key, from + half, from);
        len -= half;
    }
    from + usize::from(pairs.get(from).is_some_and(|pair| pair.0 < key))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn pair(key: u16, index: u8) -> Pair {
        (Key::of(key), Entity::new(u32::from(index), 1).expect("an odd generation"))
    }

    fn from(sorted: &Sorted, start: Key) -> Vec<Pair> {
        let mut cursor = sorted.seek(start);
        core::iter::from_fn(|| sorted.next(&mut cursor)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn it_holds_what_a_set_holds(
            changes in proptest::collection::vec((0u8..8, any::<u16>(), 0u8..4), 0..2000),
            start in any::<u16>(),
        ) {
            let (mut sorted, mut set) = (Sorted::default(), BTreeSet::new());
            for (what, key, index) in changes {
                // More of few keys, so that many are removed again.
                let pair = pair(key >> 6, index);
                match what {
                    0..5 => { sorted.insert(pair); set.insert(pair); }
                    5..7 => {
                        let first = set.range(pair..).next().copied().unwrap_or(pair);
                        sorted.remove(first);
                        set.remove(&first);
                    }
                    _ if key < 400 => sorted.fill(&mut set.iter().copied().rev().collect()),
                    _ => {}
                }
            }
            let start = pair(start >> 6, 0);
            prop_assert_eq!(from(&sorted, start.0), set.range(start..).copied().collect::<Vec<_>>());
            prop_assert_eq!(sorted.len(), set.len());
            let firsts: Vec<_> = sorted.leaves.iter().map(|leaf| leaf[0]).collect();
            prop_assert_eq!(&firsts, &sorted.firsts);
            prop_assert!(sorted.leaves.iter().all(|leaf| !leaf.is_empty() && leaf.len() <= LEAF));
            for pair in set {
                sorted.remove(pair);
            }
            prop_assert_eq!(sorted.len(), 0);
        }
    }
}
