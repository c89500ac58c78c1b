//! The three ways of showing a state's tables to generic code.

use super::{GameWorld, HasTable, Table};
use crate::Component;

/// Generic code over the tables of a state.
pub trait Visit<W: GameWorld> {
    /// Is shown one table.
    fn table<C: Component>(&mut self, table: &Table<C>)
    where
        W: HasTable<C>;
}

/// Generic code over the tables of a state, which may change them.
pub trait VisitMut<W: GameWorld> {
    /// Is shown one table.
    fn table<C: Component>(&mut self, table: &mut Table<C>)
    where
        W: HasTable<C>;
}

/// Generic code over the tables of two states of the same type.
pub trait VisitPair<W: GameWorld> {
    /// Is shown the same table of both.
    fn table<C: Component>(&mut self, table: &mut Table<C>, other: &Table<C>)
    where
        W: HasTable<C>;
}

pub(super) struct ClearTables;

impl<W: GameWorld> VisitMut<W> for ClearTables {
    fn table<C: Component>(&mut self, table: &mut Table<C>)
    where
        W: HasTable<C>,
    {
        table.clear();
    }
}
