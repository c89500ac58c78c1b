//! Filters of queries: which entities of what is walked are visited.

use super::Table;
use super::fetch::Fetch;
use super::join::{JoinIter, Part, Query};
use crate::{Component, Entity};

/// A query of which a filter leaves entities out; see [`Query::with`], [`Query::without`] and [`Query::any`].
#[derive(Clone, Copy, Debug)]
pub struct Filtered<Q, F> {
    pub(super) query: Q,
    pub(super) filter: F,
}

/// What a filter asks of an entity, a block of 64 at once.
#[doc(hidden)]
pub trait Filter {
    /// The blocks of a chunk in which an entity may match.
    fn blocks(&self, chunk: usize) -> u64;
    /// The slots of a block that match.
    fn slots(&self, block: usize) -> u64;
    fn matches(&self, entity: Entity) -> bool;
}

/// Entities that have a component.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Has<'t, C>(pub(super) &'t Table<C>);

/// Entities that do not have a component.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct HasNot<'t, C>(pub(super) &'t Table<C>);

/// Entities that have at least one component of several.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct HasAny<T>(pub(super) T);

impl<C: Component> Filter for Has<'_, C> {
    #[inline]
    fn blocks(&self, chunk: usize) -> u64 {
        self.0.nonempty(chunk)
    }

    #[inline]
    fn slots(&self, block: usize) -> u64 {
        self.0.present(block)
    }

    #[inline]
    fn matches(&self, entity: Entity) -> bool {
        self.0.contains(entity)
    }
}

impl<C: Component> Filter for HasNot<'_, C> {
    #[inline]
    fn blocks(&self, chunk: usize) -> u64 {
        !self.0.full(chunk)
    }

    #[inline]
    fn slots(&self, block: usize) -> u64 {
        !self.0.present(block)
    }

    #[inline]
    fn matches(&self, entity: Entity) -> bool {
        !self.0.contains(entity)
    }
}

/// Tables of which a filter asks for any: a tuple of one to six of them.
pub trait AnyOf {
    #[doc(hidden)]
    type Filter: Filter;

    #[doc(hidden)]
    fn filter(self) -> Self::Filter;
}

macro_rules! any_of {
    ($($table:ident $at:tt),*) => {
        impl<'t, $($table: Component),*> AnyOf for ($(&'t Table<$table>,)*) {
            type Filter = HasAny<Self>;

            #[inline]
            fn filter(self) -> HasAny<Self> {
                HasAny(self)
            }
        }

        impl<$($table: Component),*> Filter for HasAny<($(&Table<$table>,)*)> {
            #[inline]
            fn blocks(&self, chunk: usize) -> u64 {
                0 $(| self.0.$at.nonempty(chunk))*
            }

            #[inline]
            fn slots(&self, block: usize) -> u64 {
                0 $(| self.0.$at.present(block))*
            }

            #[inline]
            fn matches(&self, entity: Entity) -> bool {
                false $(|| self.0.$at.contains(entity))*
            }
        }
    };
}

any_of!(A 0);
any_of!(A 0, B 1);
any_of!(A 0, B 1, C 2);
any_of!(A 0, B 1, C 2, D 3);
any_of!(A 0, B 1, C 2, D 3, E 4);
any_of!(A 0, B 1, C 2, D 3, E 4, F 5);

impl<Q: Part, F: Filter> Query for Filtered<Q, F> {}

impl<Q: Part, F: Filter> Part for Filtered<Q, F> {
    type Item = Q::Item;
    type Flat = Q::Flat;
    type Fetch = FetchFiltered<Q::Fetch, F>;

    #[inline]
    fn fetch(self) -> Self::Fetch {
        FetchFiltered { fetch: self.query.fetch(), filter: self.filter }
    }

    #[inline]
    fn flat(entity: Entity, item: Self::Item) -> Self::Flat {
        Q::flat(entity, item)
    }

    #[inline]
    fn matches(&self, entity: Entity) -> bool {
        self.query.matches(entity) && self.filter.matches(entity)
    }

    #[inline]
    fn parts_of(self, entity: Entity) -> Option<Self::Item> {
        self.query.parts_of(entity)
    }
}

impl<Q: Part, F: Filter> IntoIterator for Filtered<Q, F> {
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

    #[inline]
    fn chunks(&self) -> usize {
        self.fetch.chunks()
    }

    #[inline]
    fn nonempty(&self, chunk: usize) -> u64 {
        self.fetch.nonempty(chunk) & self.filter.blocks(chunk)
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
