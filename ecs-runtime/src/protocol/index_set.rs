//! Sets of entities, a bit each.

use crate::world::lanes;

/// A set of entities by their indices: a bitmap that takes an eighth of a byte for each index up to the largest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexSet {
    words: Vec<u64>,
}

impl IndexSet {
    /// An empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self { words: Vec::new() }
    }

    /// Adds an index; `false` if it was there.
    pub fn insert(&mut self, index: u32) -> bool {
        let (word, bit) = place(index);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let before = self.words[word];
        self.words[word] |= bit;
        before & bit == 0
    }

    /// Takes an index out; `false` if it was not there.
    pub fn remove(&mut self, index: u32) -> bool {
        let (word, bit) = place(index);
        let Some(word) = self.words.get_mut(word) else { return false };
        let before = *word;
        *word &= !bit;
        before & bit != 0
    }

    /// Whether an index is there.
    #[inline]
    #[must_use]
    pub fn contains(&self, index: u32) -> bool {
        let (word, bit) = place(index);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Takes all out, and keeps the memory.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// How many are there.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether none is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// All indices, upwards.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let words = (0u32..).step_by(64).zip(&self.words);
        words.flat_map(|(first, &word)| lanes(word).map(move |lane| first + lane as u32))
    }

    /// Takes out all indices from an end on.
    pub(super) fn truncate(&mut self, end: usize) {
        self.words.truncate(end.div_ceil(64));
        if let (Some(last), 1..) = (self.words.get_mut(end / 64), end % 64) {
            *last &= (1 << (end % 64)) - 1;
        }
    }

    /// Adds all indices below an end.
    pub(super) fn insert_below(&mut self, end: u32) {
        let words = end as usize / 64;
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
        self.words.iter_mut().take(words).for_each(|word| *word = u64::MAX);
        (end / 64 * 64..end).for_each(|index| {
            self.insert(index);
        });
    }

    /// Adds the indices of a bitmap.
    pub(super) fn insert_words(&mut self, words: &[u64]) {
        if self.words.len() < words.len() {
            self.words.resize(words.len(), 0);
        }
        self.words.iter_mut().zip(words).for_each(|(word, more)| *word |= more);
    }

    /// Adds the indices that are in one of two sets alone.
    pub(super) fn insert_differences(&mut self, one: &Self, other: &Self) {
        let words = one.words.len().max(other.words.len());
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
        let of = |set: &Self, at| set.words.get(at).copied().unwrap_or(0);
        for (at, word) in self.words.iter_mut().enumerate().take(words) {
            *word |= of(one, at) ^ of(other, at);
        }
    }

    /// Keeps the indices of which `keep` holds; it is asked upwards.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(u32) -> bool) {
        for (first, word) in (0u32..).step_by(64).zip(&mut self.words) {
            for lane in lanes(*word) {
                if !keep(first + lane as u32) {
                    *word &= !(1 << lane);
                }
            }
        }
    }

    /// The bytes that it takes.
    pub(super) fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    /// Becomes the same as another set, without allocating once warm.
    pub fn copy_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }
}

impl Extend<u32> for IndexSet {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, indices: I) {
        for index in indices {
            self.insert(index);
        }
    }
}

impl FromIterator<u32> for IndexSet {
    fn from_iter<I: IntoIterator<Item = u32>>(indices: I) -> Self {
        let mut set = Self::new();
        set.extend(indices);
        set
    }
}

#[inline]
fn place(index: u32) -> (usize, u64) {
    (index as usize / 64, 1 << (index % 64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_does_what_a_set_does(steps in proptest::collection::vec((any::<bool>(), 0u32..300), 0..200)) {
            let (mut set, mut model) = (IndexSet::new(), BTreeSet::new());
            for (add, index) in steps {
                let changed = if add { set.insert(index) } else { set.remove(index) };
                prop_assert_eq!(changed, if add { model.insert(index) } else { model.remove(&index) });
            }
            let odd: IndexSet = (0..90).filter(|index| index % 2 == 1).collect();
            let mut differences = IndexSet::new();
            differences.insert_differences(&set, &odd);
            prop_assert!((0..300).all(|index| differences.contains(index) == (set.contains(index) != odd.contains(index))));
            let mut union = odd.clone();
            union.insert_words(&set.words);
            prop_assert!((0..300).all(|index| union.contains(index) == (set.contains(index) || odd.contains(index))));
            union.retain(|index| index.is_multiple_of(3));
            let kept = |index: u32| index.is_multiple_of(3) && (set.contains(index) || odd.contains(index));
            prop_assert!((0..300).all(|index| union.contains(index) == kept(index)));
            union.truncate(200);
            prop_assert!((0..300).all(|index| union.contains(index) == (index < 200 && kept(index))));
            union.insert_below(70);
            prop_assert!((0..300).all(|index| union.contains(index) == (index < 70 || index < 200 && kept(index))));
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), model.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!((set.len(), set.is_empty()), (model.len(), model.is_empty()));
            prop_assert!((0..300).all(|index| set.contains(index) == model.contains(&index)));
        }
    }
}
