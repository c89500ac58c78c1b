//! Sixty-four neighbouring slots of one table.

use crate::Component;

/// How many slots a block has: the bits of a word.
pub(crate) const BLOCK: usize = 64;

/// The slots of one block. A slot's value is meaningful while its bit in `present` or `aside` is set.
#[derive(Clone, Debug)]
pub(crate) struct BlockOf<C> {
    /// The slots that have the component.
    pub(crate) present: u64,
    /// The slots whose component is disabled: it is kept, and as good as not there. None of them is present.
    pub(crate) aside: u64,
    /// The slots that were added to, removed from, or borrowed mutably since this was last cleared.
    pub(crate) touched: u64,
    /// The generations of the entities that the values belong to.
    pub(crate) generations: [u32; BLOCK],
    pub(crate) values: [C; BLOCK],
}

impl<C: Component> BlockOf<C> {
    pub(crate) fn boxed() -> Box<Self> {
        Box::new(Self {
            present: 0,
            aside: 0,
            touched: 0,
            generations: [0; BLOCK],
            values: core::array::from_fn(|_| C::default()),
        })
    }

    #[inline]
    pub(crate) fn holds(&self, lane: usize, generation: u32) -> bool {
        // One branch for both: they almost always agree.
        (self.present >> lane & 1 == 1) & (self.generations[lane] == generation)
    }

    /// Whether the disabled component of an entity is here.
    #[inline]
    pub(crate) fn holds_aside(&self, lane: usize, generation: u32) -> bool {
        (self.aside >> lane & 1 == 1) & (self.generations[lane] == generation)
    }

    /// Whether no slot has a value.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.present | self.aside == 0
    }

    /// Empties every slot.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.touched |= self.present;
        (self.present, self.aside) = (0, 0);
    }

    /// Makes the same slots present with the same values.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.touched |= self.present | other.present;
        (self.present, self.aside) = (other.present, other.aside);
        let held = other.present | other.aside;
        // A block that is well filled is copied in one piece; lane by lane costs a branch each.
        if held.count_ones() >= 16 {
            self.generations = other.generations;
            self.values.clone_from_slice(&other.values);
        } else {
            for lane in lanes(held) {
                self.generations[lane] = other.generations[lane];
                self.values[lane].clone_from(&other.values[lane]);
            }
        }
    }
}

/// The block and the lane of an index.
#[inline]
pub(crate) const fn split(index: u32) -> (usize, usize) {
    (index as usize / BLOCK, index as usize % BLOCK)
}

/// The numbers of the bits that are set, upwards.
#[inline]
pub(crate) fn lanes(mut mask: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}
