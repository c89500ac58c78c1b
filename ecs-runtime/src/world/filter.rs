//! Filters of queries: which entities of what is walked are visited.
//!
//! A filter is a set of slots, asked for 64 at a time. It tells as well in which blocks some slot may be in it and in
//! which all are, so that filters combine by `&`, `|` and `!` and whole chunks are still skipped by a word.

use core::ops::{BitAnd, BitOr, Not};

use super::fetch::Fetch;
use super::join::{JoinIter, Part, Query};
use super::{Entities, Kind, Table};
use crate::{Component, Entity};

/// What is asked of entities: [`Table::present`], [`Table::disabled`], [`Entities::of_kinds`], and what `&`, `|` and `!` make of these.
///
/// ```rust,standalone_crate
/// # use ecs_runtime::prelude::*;
/// # use ecs_runtime::world::Kind;
/// # #[component] pub struct Position { pub x: i32 }
/// # #[component] pub struct IsDead;
/// # #[component] pub struct Stun;
/// # #[component] pub struct Shield { pub left: u8 }
/// # ecs_runtime::game_state! { max_entities = 256; Position, IsDead, Stun, Shield }
/// const UNIT: Kind = Kind(1);
/// # fn main() -> Result<(), ecs_runtime::world::CreateError> {
/// # let mut gs = GameState::default();
/// # let unit = ecs_runtime::world::spawn(&mut gs, UNIT, (Position { x: 1 }, Stun))?;
/// # ecs_runtime::world::spawn(&mut gs, UNIT, (Position { x: 2 }, Stun, IsDead))?;
/// # gs.spawn((Position { x: 3 }, Stun))?;
///
/// let weak = gs.stuns.present() | !gs.shields.present();
/// for (entity, position) in (&gs.positions,).filter(!gs.is_deads.present() & weak & gs.ids.of_kinds([UNIT])) {
///     assert_eq!((entity, position.x), (unit, 1));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Where<F>(pub(super) F);

/// A query of which a filter leaves entities out; see [`Query::filter`].
#[derive(Clone, Copy, Debug)]
pub struct Filtered<Q, F> {
    pub(super) query: Q,
    pub(super) filter: F,
}

/// A set of slots, 64 at a time. The halves of a query that is split have one each.
#[doc(hidden)]
pub trait Filter: Clone + Send {
    /// The blocks of a chunk in which some slot may be in the set.
    fn some(&self, chunk: usize) -> u64;

    /// The blocks of a chunk in which every slot is in the set, as far as that is known at once.
    fn every(&self, chunk: usize) -> u64;

    /// The slots of a block that are in the set.
    fn slots(&self, block: usize) -> u64;
}

impl<F: Filter> Where<F> {
    /// Whether an entity that is alive is in the set.
    #[inline]
    fn has(&self, entity: Entity) -> bool {
        let (block, lane) = super::block::split(entity.index());
        self.0.slots(block) >> lane & 1 == 1
    }
}

/// The entities that have a component.
#[doc(hidden)]
#[derive(Debug)]
pub struct Present<'t, C>(pub(super) &'t Table<C>);

// Derived, both would ask the component for the same.
impl<C> Clone for Present<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Present<'_, C> {}

impl<C: Component> Filter for Present<'_, C> {
    #[inline]
    fn some(&self, chunk: usize) -> u64 {
        self.0.nonempty(chunk)
    }

    #[inline]
    fn every(&self, chunk: usize) -> u64 {
        self.0.full(chunk)
    }

    #[inline]
    fn slots(&self, block: usize) -> u64 {
        Table::present_in(self.0, block)
    }
}

/// The entities whose component is disabled.
#[doc(hidden)]
#[derive(Debug)]
pub struct Disabled<'t, C>(pub(super) &'t Table<C>);

impl<C> Clone for Disabled<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Disabled<'_, C> {}

impl<C: Component> Filter for Disabled<'_, C> {
    #[inline]
    fn some(&self, chunk: usize) -> u64 {
        self.0.aside(chunk)
    }

    #[inline]
    fn every(&self, _chunk: usize) -> u64 {
        0
    }

    #[inline]
    fn slots(&self, block: usize) -> u64 {
        self.0.aside_in(block)
    }
}

/// The entities of some kinds.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct OfKinds<'w, const N: usize> {
    pub(super) ids: &'w Entities,
    pub(super) kinds: [Kind; N],
}

impl<const N: usize> Filter for OfKinds<'_, N> {
    #[inline]
    fn some(&self, chunk: usize) -> u64 {
        self.kinds.iter().fold(0, |blocks, kind| blocks | self.ids.blocks_of(*kind, chunk))
    }

    #[inline]
    fn every(&self, chunk: usize) -> u64 {
        self.some(chunk)
    }

    #[inline]
    fn slots(&self, block: usize) -> u64 {
        let is_of = self.some(block / 64) >> (block % 64) & 1 == 1;
        if is_of { u64::MAX } else { 0 }
    }
}

/// What is in both sets.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Both<F, G>(F, G);

/// What is in either set.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Either<F, G>(F, G);

/// What is not in a set.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Neither<F>(F);

impl<F: Filter, G: Filter> Filter for Both<F, G> {
    #[inline]
    fn some(&self, chunk: usize) -> u64 {
        self.0.some(chunk) & self.1.some(chunk)
    }

    #[inline]
    fn every(&self, chunk: usize) -> u64 {
        self.0.every(chunk) & self.1.every(chunk)
    }

    #[inline]
    fn slots(&self, block: usize) -> u64 {
        match self.0.slots(block) {
            0 => 0,
            slots => slots & self.1.slots(block),
        }
    }
}

impl<F: Filter, G: Filter> Filter for Either<F, G> {
    #[inline]
    fn some(&self, chunk: usize) -> u64 {
        self.0.some(chunk) | self.1.some(chunk)
    }

    #[inline]
    fn every(&self, chunk: usize) -> u64 {
        self.0.every(chunk) | self.1.every(chunk)
    }

    #[inline]
    fn slots(&self, block: usize) -> u64 {
        self.0.slots(block) | self.1.slots(block)
    }
}

impl<F: Filter> Filter for Neither<F> {
    #[inline]
    fn some(&self, chunk: usize) -> u64 {
        !self.0.every(chunk)
    }

    #[inline]
    fn every(&self, chunk: usize) -> u64 {
        !self.0.some(chunk)
    }

    #[inline]
    fn slots(&self, block: usize) -> u64 {
        !self.0.slots(block)
    }
}

impl<F, G> BitAnd<Where<G>> for Where<F> {
    type Output = Where<Both<F, G>>;

    #[inline]
    fn bitand(self, other: Where<G>) -> Self::Output {
        Where(Both(self.0, other.0))
    }
}

impl<F, G> BitOr<Where<G>> for Where<F> {
    type Output = Where<Either<F, G>>;

    #[inline]
    fn bitor(self, other: Where<G>) -> Self::Output {
        Where(Either(self.0, other.0))
    }
}

impl<F> Not for Where<F> {
    type Output = Where<Neither<F>>;

    #[inline]
    fn not(self) -> Self::Output {
        Where(Neither(self.0))
    }
}

impl<Q: Part, F: Filter> Query for Filtered<Q, Where<F>> {}

impl<Q: Part, F: Filter> Part for Filtered<Q, Where<F>> {
    type Item = Q::Item;
    type Flat = Q::Flat;
    type Fetch = FetchFiltered<Q::Fetch, F>;

    #[inline]
    fn fetch(self) -> Self::Fetch {
        FetchFiltered { fetch: self.query.fetch(), filter: self.filter.0 }
    }

    #[inline]
    fn flat(entity: Entity, item: Self::Item) -> Self::Flat {
        Q::flat(entity, item)
    }

    #[inline]
    fn matches(&self, entity: Entity) -> bool {
        self.query.matches(entity) && self.filter.has(entity)
    }

    #[inline]
    fn parts_of(self, entity: Entity) -> Option<Self::Item> {
        self.query.parts_of(entity)
    }
}

impl<Q: Part, F: Filter> IntoIterator for Filtered<Q, Where<F>> {
    type Item = Q::Flat;
    type IntoIter = JoinIter<Self>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The blocks of a filtered query.
#[doc(hidden)]
#[derive(Debug)]
pub struct FetchFiltered<Q, F> {
    fetch: Q,
    filter: F,
}

impl<Q: Fetch, F: Filter> Fetch for FetchFiltered<Q, F> {
    type Item = Q::Item;
    type Generations = Q::Generations;
    type Slices = Q::Slices;
    type Lanes = Q::Lanes;

    fn split(self, block: usize) -> (Self, Self) {
        let (below, from) = self.fetch.split(block);
        (Self { fetch: below, filter: self.filter.clone() }, Self { fetch: from, filter: self.filter })
    }

    #[inline]
    fn chunks(&self) -> usize {
        self.fetch.chunks()
    }

    #[inline]
    fn nonempty(&self, chunk: usize) -> u64 {
        self.fetch.nonempty(chunk) & self.filter.some(chunk)
    }

    #[inline]
    fn present(&self, block: usize) -> u64 {
        self.fetch.present(block) & self.filter.slots(block)
    }

    #[inline]
    fn enter(&mut self, block: usize, mask: u64) -> Option<(Self::Generations, Self::Slices)> {
        self.fetch.enter(block, mask)
    }

    #[inline]
    fn lanes(slices: Self::Slices) -> Self::Lanes {
        Q::lanes(slices)
    }

    #[inline]
    fn lane(lanes: &mut Self::Lanes, lane: usize) -> Option<Self::Item> {
        Q::lane(lanes, lane)
    }
}
