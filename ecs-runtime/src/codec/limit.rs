//! What a packet may ask of whoever reads it, beside its length.

/// The most entities that a packet may have, so that reading the worst one takes well under a millisecond.
pub const MAX_ENTITIES: usize = 4096;

/// The most words that the states of a packet's entities may have together, for the same reason: a state costs all
/// its words to keep, even where a single bit says that nothing differs.
pub const MAX_WORDS: usize = 1 << 16;

/// What is left of both while a packet is written or read.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    entities: usize,
    words: usize,
}

impl Default for Limit {
    fn default() -> Self {
        Self { entities: MAX_ENTITIES, words: MAX_WORDS }
    }
}

impl Limit {
    /// Takes an entity of so many words; `false` if there is no room for it, and then nothing is taken.
    #[inline]
    pub fn take(&mut self, words: usize) -> bool {
        let (entities, words) = (self.entities.checked_sub(1), self.words.checked_sub(words));
        let (Some(entities), Some(words)) = (entities, words) else { return false };
        *self = Self { entities, words };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_takes_nothing() {
        let mut limit = Limit::default();
        assert!(limit.take(MAX_WORDS - 5) && !limit.take(6) && limit.take(5) && limit.take(0));
        assert!((3..MAX_ENTITIES).all(|_| limit.take(0)) && !limit.take(0));
    }
}
