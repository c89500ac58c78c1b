//! How much memory a state holds, and how to hold it from the start.

use core::fmt;

use super::{ComponentId, GameWorld, HasTable, Table, Visit, VisitMut};
use crate::Component;

/// What a state holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryReport {
    /// Ids and masks, in bytes.
    pub ids: usize,
    /// The tables, in the order of the list.
    pub tables: Vec<TableMemory>,
}

/// What one table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableMemory {
    /// Whose table it is.
    pub component: ComponentId,
    /// The component's name.
    pub name: &'static str,
    /// Everything that it holds, in bytes.
    pub bytes: usize,
    /// How many blocks of 64 slots it holds.
    pub blocks: usize,
    /// How many slots are in use.
    pub used: usize,
}

impl MemoryReport {
    /// Everything, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.ids + self.tables.iter().map(|table| table.bytes).sum::<usize>()
    }
}

impl fmt::Display for MemoryReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.tables.iter().map(|table| table.name.len()).max().unwrap_or(0).max("total".len());
        writeln!(f, "{:<width$} {:>10} bytes", "ids", self.ids)?;
        for TableMemory { name, bytes, blocks, used, .. } in &self.tables {
            writeln!(f, "{name:<width$} {bytes:>10} bytes, {used} of {} slots used", blocks * 64)?;
        }
        writeln!(f, "{:<width$} {:>10} bytes", "total", self.bytes())
    }
}

/// What a state holds, table by table.
#[must_use]
pub fn memory<W: GameWorld>(world: &W) -> MemoryReport {
    let mut report = MemoryReport { ids: world.ids().memory(), tables: Vec::new() };
    world.visit(&mut report);
    report
}

impl<W: GameWorld> Visit<W> for MemoryReport {
    fn table<C: Component>(&mut self, table: &Table<C>)
    where
        W: HasTable<C>,
    {
        let (bytes, blocks) = table.memory();
        let (component, name) = (<W as HasTable<C>>::ID, C::SCHEMA.name);
        self.tables.push(TableMemory { component, name, bytes, blocks, used: table.len() });
    }
}

/// Makes room for `entities` entities with every component, so that none of them allocates.
pub fn reserve<W: GameWorld>(world: &mut W, entities: u32) {
    let entities = entities.min(W::MAX_ENTITIES);
    world.ids_mut().reserve(W::MAX_ENTITIES, entities);
    world.visit_mut(&mut Reserve(entities));
}

struct Reserve(u32);

impl<W: GameWorld> VisitMut<W> for Reserve {
    fn table<C: Component>(&mut self, table: &mut Table<C>)
    where
        W: HasTable<C>,
    {
        table.reserve(self.0);
    }
}
