//! The integrity of a state: what types cannot rule out, looked for in every component of every entity.

use core::fmt;

use super::index::Key;
use super::{ComponentId, GameWorld, HasTable, Table, Visit};
use crate::data::ReadFields;
use crate::value::Leaves;
use crate::wire::{Row, RowWriter};
use crate::{Component, Entity, Value};

/// Something that is not as it should be in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The entity that it is about.
    pub entity: Entity,
    /// The component that it is about, by name.
    pub component: &'static str,
    /// What it is.
    pub fault: Fault,
}

/// What is not as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A field refers to an entity that is gone.
    Dangling {
        /// The field.
        field: &'static str,
        /// Whom it refers to.
        to: Entity,
    },
    /// A field is outside the range that it is sent in.
    OutOfRange {
        /// The field.
        field: &'static str,
    },
    /// A field is no number, or holds one that is none.
    NotANumber {
        /// The field.
        field: &'static str,
    },
    /// Another entity has the same unique key.
    Duplicate {
        /// The fields of the key, as `team, slot`.
        key: &'static str,
        /// The other entity: of all that have the key, the one before.
        other: Entity,
    },
    /// An index does not hold what the component does.
    BrokenIndex {
        /// The fields of the key.
        key: &'static str,
    },
    /// The table has a component of an entity that, for all the state knows, does not have it: the table is another's.
    ForeignTable,
    /// The table has no component of an entity that should have it: the table is another's.
    MissingComponent,
    /// Another entity has the singleton, too.
    SecondSingleton {
        /// The other entity.
        other: Entity,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entity, component, fault } = self;
        match fault {
            Fault::Dangling { field, to } => {
                write!(f, "{component}::{field} of {entity:?} refers to {to:?}, which is gone")
            }
            Fault::OutOfRange { field } => write!(f, "{component}::{field} of {entity:?} is out of range"),
            Fault::NotANumber { field } => write!(f, "{component}::{field} of {entity:?} is not a number"),
            Fault::Duplicate { key, other } => {
                write!(f, "{component} of {entity:?} has the same {key} as that of {other:?}")
            }
            Fault::BrokenIndex { key } => {
                write!(f, "{component} of {entity:?} is not what the index by {key} has")
            }
            Fault::ForeignTable => {
                write!(f, "there is a {component} of {entity:?}, which the state does not know of")
            }
            Fault::MissingComponent => write!(f, "the {component} of {entity:?} is missing"),
            Fault::SecondSingleton { other } => {
                write!(f, "{component} is on {entity:?} and on {other:?}, but should be there once")
            }
        }
    }
}

/// Looks at everything in a state, and tells what is not as it should be: by component in the order of the list, then by
/// entity. In a healthy match there is nothing.
#[must_use]
pub fn check_integrity<W: GameWorld>(world: &W) -> Vec<Finding> {
    let mut check = Check { world, findings: Vec::new() };
    world.visit(&mut check);
    check.findings
}

struct Check<'w, W> {
    world: &'w W,
    findings: Vec<Finding>,
}

impl<W: GameWorld> Visit<W> for Check<'_, W> {
    fn table<C: Component>(&mut self, table: &Table<C>)
    where
        W: HasTable<C>,
    {
        self.check_presence(table);
        for (entity, component) in table.iter().chain(table.iter_disabled()) {
            let before = self.findings.len();
            let (world, of) = (self.world, C::SCHEMA.name);
            let mut fields = CheckFields { world, entity, of, findings: &mut self.findings };
            let Ok(()) = component.read_fields(&mut fields);
            self.check_ranges(entity, component, before);
        }
        self.check_indices(table);
        if C::SINGLETON {
            let mut holders = table.iter().chain(table.iter_disabled()).map(|(entity, _)| entity);
            if let Some(first) = holders.next() {
                for entity in holders {
                    self.find::<C>(entity, Fault::SecondSingleton { other: first });
                }
            }
        }
    }
}

impl<W: GameWorld> Check<'_, W> {
    fn find<C: Component>(&mut self, entity: Entity, fault: Fault) {
        self.findings.push(Finding { entity, component: C::SCHEMA.name, fault });
    }

    /// Whether those have the component of whom the ids say so, and nobody else.
    fn check_presence<C: Component>(&mut self, table: &Table<C>)
    where
        W: HasTable<C>,
    {
        let (ids, id): (_, ComponentId) = (self.world.ids(), <W as HasTable<C>>::ID);
        for (entity, _) in table {
            if !ids.has_component(entity, id) {
                self.find::<C>(entity, Fault::ForeignTable);
            }
        }
        for entity in ids.iter().filter(|entity| ids.has_component(*entity, id) && !table.contains(*entity)) {
            self.find::<C>(entity, Fault::MissingComponent);
        }
    }

    /// `before`: what was found of the component already begins here.
    fn check_ranges<C: Component>(&mut self, entity: Entity, component: &C, before: usize) {
        let (mut row, mut saturated) = (C::Row::ZERO, [0; 64]);
        component.quantize(&mut RowWriter::new(row.words_mut(), &mut saturated));
        for (field, saturated) in C::SCHEMA.sent_fields().zip(saturated) {
            // What is no number is told as such.
            let no_number = Fault::NotANumber { field: field.name };
            let is_told = self.findings[before..].iter().any(|finding| finding.fault == no_number);
            if saturated > 0 && !is_told {
                self.find::<C>(entity, Fault::OutOfRange { field: field.name });
            }
        }
    }

    fn check_indices<C: Component>(&mut self, table: &Table<C>) {
        let mut pairs: Vec<(Key, Entity)> = Vec::new();
        for (number, of) in C::INDICES.iter().enumerate() {
            if let Some(entity) = table.broken_in_index(number) {
                self.find::<C>(entity, Fault::BrokenIndex { key: of.name });
            }
            if !of.is_unique {
                continue;
            }
            pairs.clear();
            for (entity, component) in table {
                (of.keys)(component, &mut |key| pairs.push((key, entity)));
            }
            pairs.sort_unstable();
            pairs.dedup();
            for pair in pairs.windows(2) {
                if let [(key, other), (same, entity)] = pair
                    && key == same
                {
                    self.find::<C>(*entity, Fault::Duplicate { key: of.name, other: *other });
                }
            }
        }
    }
}

/// Looks at the fields of one component.
struct CheckFields<'a, W> {
    world: &'a W,
    entity: Entity,
    of: &'static str,
    findings: &'a mut Vec<Finding>,
}

impl<W: GameWorld> ReadFields for CheckFields<'_, W> {
    type Error = core::convert::Infallible;

    fn field<T: Value>(&mut self, name: &'static str, value: &T) -> Result<(), Self::Error> {
        let mut leaves = CheckLeaves { world: self.world, dangling: None, is_number: true };
        let mut value = *value;
        value.leaves(&mut leaves);
        let dangling = leaves.dangling.map(|to| Fault::Dangling { field: name, to });
        let no_number = (!leaves.is_number).then_some(Fault::NotANumber { field: name });
        for fault in dangling.into_iter().chain(no_number) {
            self.findings.push(Finding { entity: self.entity, component: self.of, fault });
        }
        Ok(())
    }
}

/// Looks at what one field consists of.
struct CheckLeaves<'a, W> {
    world: &'a W,
    dangling: Option<Entity>,
    is_number: bool,
}

impl<W: GameWorld> Leaves for CheckLeaves<'_, W> {
    fn entity(&mut self, entity: &mut Entity) {
        if !entity.is_none() && !self.world.ids().contains(*entity) {
            self.dangling.get_or_insert(*entity);
        }
    }

    fn float(&mut self, float: f64) {
        self.is_number &= !float.is_nan();
    }
}

impl<C: Component> Table<C> {
    /// The lowest entity of which an index holds something else than the table, but for what was touched since it was folded.
    fn broken_in_index(&self, number: usize) -> Option<Entity> {
        let of = C::INDICES.get(number)?;
        let mut pairs = Vec::new();
        for (entity, component) in self.iter().filter(|(entity, _)| self.is_settled(*entity)) {
            (of.keys)(component, &mut |key| pairs.push((key, entity)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let believed: Vec<_> = self.settled_pairs(number).collect();
        let is_in = |pairs: &[(Key, Entity)], pair| pairs.binary_search(pair).is_ok();
        let missing = pairs.iter().filter(|pair| !is_in(&believed, pair));
        let excess = believed.iter().filter(|pair| !is_in(&pairs, pair));
        missing.chain(excess).map(|(_, entity)| *entity).min()
    }
}
