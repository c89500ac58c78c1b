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
    /// The slots that were added to, removed from, or borrowed mutably since this was last taken by any observer.
    pub(crate) touched: u64,
    /// By observer, what others have taken and it has not.
    left: [u64; 3],
    /// The generations of the entities that the values belong to.
    pub(crate) generations: [u32; BLOCK],
    pub(crate) values: [C; BLOCK],
}

/// Who looks for changes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Observer {
    /// Captures the world to be sent.
    Capture,
    /// Keeps track of what changed in the last ticks.
    Track,
    /// Keeps the indices.
    Index,
}

impl<C: Component> BlockOf<C> {
    pub(crate) fn boxed() -> Box<Self> {
        Box::new(Self {
            present: 0,
            aside: 0,
            touched: 0,
            left: [0; 3],
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

    /// What was touched since an observer last took it.
    pub(crate) fn take_touched(&mut self, observer: Observer) -> u64 {
        let touched = core::mem::take(&mut self.touched);
        self.left.iter_mut().for_each(|left| *left |= touched);
        core::mem::take(&mut self.left[observer as usize])
    }

    /// The same, which stays.
    #[inline]
    pub(crate) fn touched_since(&self, observer: Observer) -> u64 {
        self.touched | self.left[observer as usize]
    }

    /// Notes that an observer itself changed slots.
    pub(crate) fn touch_for_others(&mut self, observer: Observer, slots: u64) {
        let own = self.left[observer as usize];
        self.left.iter_mut().for_each(|left| *left |= slots);
        self.left[observer as usize] = own;
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

/// Those of some slots in which both generations are the same.
pub(crate) fn same_slots(slots: u64, one: &[u32; BLOCK], other: &[u32; BLOCK]) -> u64 {
    if one == other {
        return slots;
    }
    lanes(slots).filter(|lane| one[*lane] == other[*lane]).fold(0, |same, lane| same | 1 << lane)
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
