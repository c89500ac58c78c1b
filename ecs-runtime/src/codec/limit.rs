//! What a packet may ask of whoever reads it, beside its length.

use super::layout::Layout;

/// The most entities that a packet may have, so that reading the worst one takes well under a millisecond.
pub const MAX_ENTITIES: usize = 1024;

/// The most that the states of a packet's entities may cost together, for the same reason: a state has to be kept
/// whole, even where a single bit says that nothing differs. Each word costs one, and each component one more.
pub const MAX_COST: usize = 1 << 14;

/// What is left of both while a packet is written or read.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    entities: usize,
    cost: usize,
}

impl Default for Limit {
    fn default() -> Self {
        Self { entities: MAX_ENTITIES, cost: MAX_COST }
    }
}

impl Limit {
    /// What the state of an entity with this header costs; nothing if it is gone, and has none.
    #[must_use]
    pub fn cost_of(layout: &Layout, header: &[u32]) -> usize {
        let rows = layout.rows_of(header);
        header.len() + rows.map(|component| 1 + layout.words(component).len()).sum::<usize>()
    }

    /// Takes an entity of a cost; `false` if there is no room for it, and then nothing is taken.
    #[inline]
    pub fn take(&mut self, cost: usize) -> bool {
        let (entities, cost) = (self.entities.checked_sub(1), self.cost.checked_sub(cost));
        let (Some(entities), Some(cost)) = (entities, cost) else { return false };
        *self = Self { entities, cost };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_takes_nothing() {
        let mut limit = Limit::default();
        assert!(limit.take(MAX_COST - 5) && !limit.take(6) && limit.take(5) && limit.take(0));
        assert!((3..MAX_ENTITIES).all(|_| limit.take(0)) && !limit.take(0));
    }
}
