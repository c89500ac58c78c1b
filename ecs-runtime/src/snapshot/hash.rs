//! The hash of a quantized state, which both sides of a connection can keep up to date entity by entity.

use core::fmt;

use crate::codec::{Layout, StateView};

/// The hash of a set of entities' states: the sum of their hashes, so that the order does not matter.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct StateHash(pub u64);

impl StateHash {
    /// The hash with one more entity.
    #[must_use]
    pub const fn with(self, entity: Self) -> Self {
        Self(self.0.wrapping_add(entity.0))
    }

    /// The hash without an entity that it has.
    #[must_use]
    pub const fn without(self, entity: Self) -> Self {
        Self(self.0.wrapping_sub(entity.0))
    }
}

impl fmt::Debug for StateHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The hash of one entity's state: multiply and fold, word by word, then the finalizer of `SplitMix64`.
pub(crate) fn entity_hash<S: StateView>(layout: &Layout, index: u32, state: &S) -> StateHash {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = u64::from(index).wrapping_add(1).wrapping_mul(FACTOR);
    let mut mix = |words: &[u32]| {
        for &word in words {
            hash = (hash ^ u64::from(word)).wrapping_mul(FACTOR);
            hash ^= hash >> 32;
        }
    };
    mix(state.header());
    state.rows(layout).for_each(|(_, row)| mix(row));
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    StateHash(hash ^ (hash >> 31))
}
