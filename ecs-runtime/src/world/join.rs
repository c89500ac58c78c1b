//! Queries: one table, or several together, walked in the order of indices.
//!
//! A query is a value built from borrowed tables, `(&mut gs.transforms, &gs.movements)`, so the borrow checker
//! proves that no value is borrowed twice. Whole chunks and blocks without a match are skipped by their bits.

use super::Table;
use super::block::{BLOCK, lanes};
use super::fetch::Fetch;
use super::filter::{Filtered, Neither, Present, Where};
use crate::{Component, Entity};

/// What a query is built from: `&Table`, `&mut Table`, or a query.
///
/// Apart from [`Query`], so that a lone table keeps its own `get` and `iter`: through a `&mut Table`, those of the
/// query would be found first, and would borrow mutably what is only read.
pub trait Part: Sized {
    /// What a visit gives of it.
    type Item;
    /// What an iterator gives: the entity and the parts, flat.
    type Flat;
    #[doc(hidden)]
    type Fetch: Fetch<Item = Self::Item>;

    #[doc(hidden)]
    fn fetch(self) -> Self::Fetch;

    #[doc(hidden)]
    fn flat(entity: Entity, item: Self::Item) -> Self::Flat;

    #[doc(hidden)]
    fn matches(&self, entity: Entity) -> bool;

    #[doc(hidden)]
    fn parts_of(self, entity: Entity) -> Option<Self::Item>;
}

/// Several tables walked together: a tuple of one to six parts, or such a tuple filtered.
///
/// Only entities that all parts have are visited. Tuples may be nested, so there is no limit to the parts of a query.
pub trait Query: Part {
    /// Every match, in the order of indices. The most convenient form.
    #[inline]
    fn iter(self) -> JoinIter<Self> {
        JoinIter::new(self.fetch())
    }

    /// Calls `visit` for every match, in the order of indices. Quicker than [`Query::iter`] on full tables.
    #[inline]
    fn for_each(self, mut visit: impl FnMut(Entity, Self::Item)) {
        let mut fetch = self.fetch();
        while_blocks(
            &mut fetch,
            |mask| mask,
            |block, slices| visit_lanes::<Self::Fetch>(block, slices, &mut visit),
        );
    }

    /// Calls `visit` for every block of 64 slots with a match, with all 64 slots of each part as arrays: the form for
    /// loops that the compiler turns into vector instructions.
    ///
    /// [`Block::mask`] says which slots match. The others belong to entities that lack a part, or to nobody; leave
    /// them alone. All slots of a visited block count as touched.
    #[inline]
    fn for_each_block(self, mut visit: impl FnMut(Block<'_>, <Self::Fetch as Fetch>::Slices)) {
        let mut fetch = self.fetch();
        while_blocks(&mut fetch, |_| u64::MAX, &mut visit);
    }

    /// Only entities that a filter lets through: see [`Where`].
    #[inline]
    fn filter<F>(self, filter: Where<F>) -> Filtered<Self, Where<F>> {
        Filtered { query: self, filter }
    }

    /// Only entities that have a component of `table`, too, without borrowing it.
    #[inline]
    fn with<C: Component>(self, table: &Table<C>) -> Filtered<Self, Where<Present<'_, C>>> {
        self.filter(table.present())
    }

    /// Only entities that have no component of `table`.
    #[inline]
    fn without<C: Component>(self, table: &Table<C>) -> Filtered<Self, Where<Neither<Present<'_, C>>>> {
        self.filter(!table.present())
    }

    /// All parts of one entity, or `None` if one of them does not have it.
    #[inline]
    fn get(self, entity: Entity) -> Option<Self::Item> {
        if self.matches(entity) { self.parts_of(entity) } else { None }
    }

    /// Every match whose `reference` is an entity of `table`, joined with that entity's component.
    ///
    /// Costs one look-up for each match; dangling references are skipped.
    #[inline]
    fn by_reference<C: Component>(
        self,
        reference: impl Fn(&Self::Item) -> Entity,
        table: &Table<C>,
        mut visit: impl FnMut(Entity, Self::Item, Entity, &C),
    ) {
        self.for_each(|entity, item| {
            let target = reference(&item);
            if let Some(value) = table.get(target) {
                visit(entity, item, target, value);
            }
        });
    }

    /// Like [`Query::by_reference`], with the referred component to be changed.
    #[inline]
    fn by_reference_mut<C: Component>(
        self,
        reference: impl Fn(&Self::Item) -> Entity,
        table: &mut Table<C>,
        mut visit: impl FnMut(Entity, Self::Item, Entity, &mut C),
    ) {
        self.for_each(|entity, item| {
            let target = reference(&item);
            if let Some(value) = table.get_mut(target) {
                visit(entity, item, target, value);
            }
        });
    }
}

/// One block of 64 slots, as [`Query::for_each_block`] shows it.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    pub(super) first: u32,
    pub(super) mask: u64,
    pub(super) generations: &'a [u32; BLOCK],
}

impl Block<'_> {
    /// The slots that match, a bit each.
    #[inline]
    #[must_use]
    pub fn mask(&self) -> u64 {
        self.mask
    }

    /// The slots that match, upwards.
    #[inline]
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        lanes(self.mask)
    }

    /// The entity of a slot that matches.
    #[inline]
    #[must_use]
    pub fn entity(&self, lane: usize) -> Option<Entity> {
        let matches = lane < BLOCK && self.mask >> lane & 1 == 1;
        matches.then(|| Entity::living(self.first + lane as u32, self.generations[lane]))
    }
}

/// A block that was entered: its generations, and its slots to be taken one by one.
type Entered<F> = (<F as Fetch>::Generations, <F as Fetch>::Lanes);

/// The matches of a query, in the order of indices.
pub struct JoinIter<Q: Part> {
    fetch: Q::Fetch,
    chunk: usize,
    /// The blocks of this chunk that are still to be visited.
    blocks: u64,
    first: u32,
    /// The slots of this block that are still to be visited.
    mask: u64,
    parts: Option<Entered<Q::Fetch>>,
}

impl<Q: Part> JoinIter<Q> {
    #[inline]
    pub(super) fn new(fetch: Q::Fetch) -> Self {
        let blocks = fetch.nonempty(0);
        Self { fetch, chunk: 0, blocks, first: 0, mask: 0, parts: None }
    }

    /// Enters the next block with a match.
    #[inline]
    fn next_block(&mut self) -> Option<()> {
        loop {
            while self.blocks == 0 {
                self.chunk += 1;
                if self.chunk >= self.fetch.chunks() {
                    return None;
                }
                self.blocks = self.fetch.nonempty(self.chunk);
            }
            let block = self.chunk * 64 + self.blocks.trailing_zeros() as usize;
            self.blocks &= self.blocks - 1;
            self.mask = self.fetch.present(block);
            if self.mask != 0 {
                self.first = (block * BLOCK) as u32;
                let (generations, slices) = self.fetch.enter(block, self.mask)?;
                self.parts = Some((generations, Q::Fetch::lanes(slices)));
                return Some(());
            }
        }
    }
}

impl<Q: Part> Iterator for JoinIter<Q> {
    type Item = Q::Flat;

    #[inline]
    fn next(&mut self) -> Option<Q::Flat> {
        if self.mask == 0 {
            self.next_block()?;
        }
        let lane = self.mask.trailing_zeros() as usize;
        self.mask &= self.mask - 1;
        let (generations, parts) = self.parts.as_mut()?;
        let entity = Entity::living(self.first + lane as u32, generations.as_ref()[lane]);
        Some(Q::flat(entity, Q::Fetch::lane(parts, lane)?))
    }
}

/// Shows every block with a match, and its slots, to `visit`. `touched` says which slots may change, given those that
/// match.
#[inline]
pub(super) fn while_blocks<F: Fetch>(
    fetch: &mut F,
    touched: impl Fn(u64) -> u64,
    mut visit: impl FnMut(Block<'_>, F::Slices),
) {
    for chunk in 0..fetch.chunks() {
        let blocks = fetch.nonempty(chunk);
        while_blocks_of(fetch, chunk, blocks, &touched, &mut visit);
    }
}

/// The same for some blocks of one chunk.
#[inline]
pub(super) fn while_blocks_of<F: Fetch>(
    fetch: &mut F,
    chunk: usize,
    blocks: u64,
    touched: impl Fn(u64) -> u64,
    mut visit: impl FnMut(Block<'_>, F::Slices),
) {
    for at in lanes(blocks) {
        let block = chunk * 64 + at;
        let mask = fetch.present(block);
        if mask != 0
            && let Some((generations, slices)) = fetch.enter(block, touched(mask))
        {
            let first = (block * BLOCK) as u32;
            visit(Block { first, mask, generations: generations.as_ref() }, slices);
        }
    }
}

/// Calls `visit` for every match of a block, upwards.
#[inline]
pub(super) fn visit_lanes<F: Fetch>(
    block: Block<'_>,
    slices: F::Slices,
    mut visit: impl FnMut(Entity, F::Item),
) {
    let Block { first, mask, generations } = block;
    let mut parts = F::lanes(slices);
    let mut visit_lane = |lane: usize| {
        if let Some(item) = F::lane(&mut parts, lane) {
            visit(Entity::living(first + lane as u32, generations[lane]), item);
        }
    };
    if mask == u64::MAX {
        (0..BLOCK).for_each(&mut visit_lane);
    } else {
        lanes(mask).for_each(&mut visit_lane);
    }
}
