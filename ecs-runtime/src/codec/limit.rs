//! What a packet may ask of whoever reads it, beside its length.

use super::layout::Layout;

/// The most entities that a packet may have, so that reading the worst one takes well under a millisecond.
pub const MAX_ENTITIES: usize = 1024;

/// The most that the states of a packet's entities may cost together, for the same reason: a state has to be kept
/// whole, even where a single bit says that nothing differs. See [`Limit::cost_of`].
pub const MAX_COST: usize = 1 << 14;

/// What a state costs beside its components: to find what is known of it, and to keep it.
const STATE: usize = 3;

/// The most decisions that a packet may have whose decisions are modelled, for the same reason.
pub const MAX_DECISIONS: u32 = 20_000;

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
    ///
    /// A cost of one is about 50 ns of a slow machine: two for each number and one for each other word, 6 or 14 more where
    /// words move together on a line or as a rotation, one for each component, and 3 for the state.
    #[must_use]
    pub fn cost_of(layout: &Layout, header: &[u32]) -> usize {
        if header.is_empty() {
            return 0;
        }
        STATE + layout.rows_of(header).map(|component| layout.cost(component)).sum::<usize>()
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
