//! How the parts of a query are walked in step, block after block.

use core::slice;

use super::Entities;
use super::block::BLOCK;
use super::join::{Part, Query};
use super::table::{BlockSlot, Table, note_touched};
use crate::{Component, Entity};

/// Walks the blocks of a query's parts in step, upwards. May go on elsewhere, on another thread.
#[doc(hidden)]
pub trait Fetch: Send + Sized {
    type Item;
    /// The generations of a block's slots.
    type Generations: AsRef<[u32; BLOCK]>;
    /// All slots of a block, by part.
    type Slices;
    /// The same, to be taken one by one, upwards.
    type Lanes;

    /// One that will enter the blocks below `block`, of which none was entered yet from there on, and one for the rest.
    /// What is known of all blocks both still tell of all.
    fn split(self, block: usize) -> (Self, Self);

    fn chunks(&self) -> usize;
    fn nonempty(&self, chunk: usize) -> u64;
    /// The matching slots of a block that is not below one that was entered.
    fn present(&self, block: usize) -> u64;
    /// The slots of a block above all that were entered, of which those in `mask` will be visited.
    fn enter(&mut self, block: usize, mask: u64) -> Option<(Self::Generations, Self::Slices)>;
    fn lanes(slices: Self::Slices) -> Self::Lanes;
    fn lane(lanes: &mut Self::Lanes, lane: usize) -> Option<Self::Item>;
}

/// The generations of a block, borrowed from its table.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Generations<'w>(&'w [u32; BLOCK]);

impl AsRef<[u32; BLOCK]> for Generations<'_> {
    #[inline]
    fn as_ref(&self) -> &[u32; BLOCK] {
        self.0
    }
}

/// The entities themselves, whatever they have: `(&gs.ids,)` finds all of them.
impl<'w> Part for &'w Entities {
    type Item = ();
    type Flat = (Entity, ());
    type Fetch = &'w Entities;

    #[inline]
    fn fetch(self) -> Self::Fetch {
        self
    }

    #[inline]
    fn flat(entity: Entity, item: Self::Item) -> Self::Flat {
        (entity, item)
    }

    #[inline]
    fn matches(&self, entity: Entity) -> bool {
        self.contains(entity)
    }

    #[inline]
    fn parts_of(self, entity: Entity) -> Option<Self::Item> {
        self.contains(entity).then_some(())
    }
}

impl<'w> Fetch for &'w Entities {
    type Item = ();
    type Generations = Generations<'w>;
    type Slices = ();
    type Lanes = ();

    #[inline]
    fn split(self, _block: usize) -> (Self, Self) {
        (self, self)
    }

    #[inline]
    fn chunks(&self) -> usize {
        self.blocks().div_ceil(64)
    }

    #[inline]
    fn nonempty(&self, chunk: usize) -> u64 {
        (0..64).fold(0, |blocks, at| blocks | u64::from(self.alive_in(chunk * 64 + at) != 0) << at)
    }

    #[inline]
    fn present(&self, block: usize) -> u64 {
        self.alive_in(block)
    }

    #[inline]
    fn enter(&mut self, block: usize, _mask: u64) -> Option<(Self::Generations, Self::Slices)> {
        Some((Generations(self.generations_in(block)?), ()))
    }

    #[inline]
    fn lanes(_slices: Self::Slices) -> Self::Lanes {}

    #[inline]
    fn lane(_lanes: &mut Self::Lanes, _lane: usize) -> Option<Self::Item> {
        Some(())
    }
}

impl<'w, C: Component> Part for &'w Table<C> {
    type Item = &'w C;
    type Flat = (Entity, &'w C);
    type Fetch = &'w Table<C>;

    #[inline]
    fn fetch(self) -> Self::Fetch {
        self
    }

    #[inline]
    fn flat(entity: Entity, item: Self::Item) -> Self::Flat {
        (entity, item)
    }

    #[inline]
    fn matches(&self, entity: Entity) -> bool {
        self.contains(entity)
    }

    #[inline]
    fn parts_of(self, entity: Entity) -> Option<Self::Item> {
        Table::get(self, entity)
    }
}

impl<'w, C: Component> Fetch for &'w Table<C> {
    type Item = &'w C;
    type Generations = Generations<'w>;
    type Slices = &'w [C; BLOCK];
    type Lanes = &'w [C; BLOCK];

    #[inline]
    fn split(self, _block: usize) -> (Self, Self) {
        (self, self)
    }

    #[inline]
    fn chunks(&self) -> usize {
        Table::chunks(self)
    }

    #[inline]
    fn nonempty(&self, chunk: usize) -> u64 {
        Table::nonempty(self, chunk)
    }

    #[inline]
    fn present(&self, block: usize) -> u64 {
        Table::present_in(self, block)
    }

    #[inline]
    fn enter(&mut self, block: usize, _mask: u64) -> Option<(Self::Generations, Self::Slices)> {
        let block = self.blocks().get(block)?.as_deref()?;
        Some((Generations(&block.generations), &block.values))
    }

    #[inline]
    fn lanes(slices: Self::Slices) -> Self::Lanes {
        slices
    }

    #[inline]
    fn lane(lanes: &mut Self::Lanes, lane: usize) -> Option<Self::Item> {
        lanes.get(lane)
    }
}

impl<'w, C: Component> Part for &'w mut Table<C> {
    type Item = &'w mut C;
    type Flat = (Entity, &'w mut C);
    type Fetch = FetchMut<'w, C>;

    #[inline]
    fn fetch(self) -> Self::Fetch {
        let (nonempty, unfolded, blocks) = self.split_mut();
        FetchMut { nonempty, unfolded, at: 0, blocks: blocks.iter_mut() }
    }

    #[inline]
    fn flat(entity: Entity, item: Self::Item) -> Self::Flat {
        (entity, item)
    }

    #[inline]
    fn matches(&self, entity: Entity) -> bool {
        self.contains(entity)
    }

    #[inline]
    fn parts_of(self, entity: Entity) -> Option<Self::Item> {
        self.get_mut(entity)
    }
}

/// The blocks of a table that are still to be entered.
#[doc(hidden)]
#[derive(Debug)]
pub struct FetchMut<'w, C> {
    nonempty: &'w [u64],
    /// What the indices are told of what is touched.
    unfolded: &'w mut [u64],
    /// The number of the first block in `blocks`.
    at: usize,
    blocks: slice::IterMut<'w, BlockSlot<C>>,
}

/// The slots of a block that are still to be visited.
#[doc(hidden)]
#[derive(Debug)]
pub struct LanesMut<'w, C> {
    at: usize,
    values: slice::IterMut<'w, C>,
}

impl<'w, C: Component> Fetch for FetchMut<'w, C> {
    type Item = &'w mut C;
    type Generations = Generations<'w>;
    type Slices = &'w mut [C; BLOCK];
    type Lanes = LanesMut<'w, C>;

    fn split(self, block: usize) -> (Self, Self) {
        let Self { nonempty, unfolded, at, blocks } = self;
        // A word of it may belong to both, so both would have to tell it: all blocks are looked at instead.
        unfolded.fill(u64::MAX);
        let blocks = blocks.into_slice();
        let (below, from) = blocks.split_at_mut(block.saturating_sub(at).min(blocks.len()));
        (
            Self { nonempty, unfolded: &mut [], at, blocks: below.iter_mut() },
            Self { nonempty, unfolded: &mut [], at: at.max(block), blocks: from.iter_mut() },
        )
    }

    #[inline]
    fn chunks(&self) -> usize {
        self.nonempty.len()
    }

    #[inline]
    fn nonempty(&self, chunk: usize) -> u64 {
        self.nonempty.get(chunk).copied().unwrap_or(0)
    }

    #[inline]
    fn present(&self, block: usize) -> u64 {
        let block = block.checked_sub(self.at).and_then(|at| self.blocks.as_slice().get(at)?.as_deref());
        block.map_or(0, |block| block.present)
    }

    #[inline]
    fn enter(&mut self, block: usize, mask: u64) -> Option<(Self::Generations, Self::Slices)> {
        let slots = self.blocks.nth(block.checked_sub(self.at)?)?.as_deref_mut()?;
        self.at = block + 1;
        slots.touched |= mask;
        if mask != 0 {
            note_touched::<C>(self.unfolded, block);
        }
        Some((Generations(&slots.generations), &mut slots.values))
    }

    #[inline]
    fn lanes(slices: Self::Slices) -> Self::Lanes {
        LanesMut { at: 0, values: slices.iter_mut() }
    }

    #[inline]
    fn lane(lanes: &mut Self::Lanes, lane: usize) -> Option<Self::Item> {
        let skipped = lane - lanes.at;
        lanes.at = lane + 1;
        lanes.values.nth(skipped)
    }
}

macro_rules! tuples {
    ($first:ident $first_at:tt $(, $part:ident $at:tt)*) => {
        impl<$first: Part $(, $part: Part)*> Query for ($first, $($part,)*) {}

        impl<$first: Part $(, $part: Part)*> Part for ($first, $($part,)*) {
            type Item = ($first::Item, $($part::Item,)*);
            type Flat = (Entity, $first::Item, $($part::Item,)*);
            type Fetch = ($first::Fetch, $($part::Fetch,)*);

            #[inline]
            fn fetch(self) -> Self::Fetch {
                (self.$first_at.fetch(), $(self.$at.fetch(),)*)
            }

            #[inline]
            fn flat(entity: Entity, item: Self::Item) -> Self::Flat {
                (entity, item.$first_at, $(item.$at,)*)
            }

            #[inline]
            fn matches(&self, entity: Entity) -> bool {
                self.$first_at.matches(entity) $(&& self.$at.matches(entity))*
            }

            #[inline]
            fn parts_of(self, entity: Entity) -> Option<Self::Item> {
                Some((self.$first_at.parts_of(entity)?, $(self.$at.parts_of(entity)?,)*))
            }
        }

        impl<$first: Fetch $(, $part: Fetch)*> Fetch for ($first, $($part,)*) {
            type Item = ($first::Item, $($part::Item,)*);
            type Generations = $first::Generations;
            type Slices = ($first::Slices, $($part::Slices,)*);
            type Lanes = ($first::Lanes, $($part::Lanes,)*);

            #[inline]
            fn split(self, block: usize) -> (Self, Self) {
                let parts = (self.$first_at.split(block), $(self.$at.split(block),)*);
                ((parts.$first_at.0, $(parts.$at.0,)*), (parts.$first_at.1, $(parts.$at.1,)*))
            }

            #[inline]
            fn chunks(&self) -> usize {
                self.$first_at.chunks() $(.min(self.$at.chunks()))*
            }

            #[inline]
            fn nonempty(&self, chunk: usize) -> u64 {
                self.$first_at.nonempty(chunk) $(& self.$at.nonempty(chunk))*
            }

            #[inline]
            fn present(&self, block: usize) -> u64 {
                self.$first_at.present(block) $(& self.$at.present(block))*
            }

            #[inline]
            fn enter(&mut self, block: usize, mask: u64) -> Option<(Self::Generations, Self::Slices)> {
                let (generations, slices) = self.$first_at.enter(block, mask)?;
                Some((generations, (slices, $(self.$at.enter(block, mask)?.1,)*)))
            }

            #[inline]
            fn lanes(slices: Self::Slices) -> Self::Lanes {
                ($first::lanes(slices.$first_at), $($part::lanes(slices.$at),)*)
            }

            #[inline]
            fn lane(lanes: &mut Self::Lanes, lane: usize) -> Option<Self::Item> {
                Some(($first::lane(&mut lanes.$first_at, lane)?, $($part::lane(&mut lanes.$at, lane)?,)*))
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
