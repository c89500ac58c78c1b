//! What differs between two states, by id.

use super::block::BLOCK;
use super::{ComponentId, GameWorld, HasTable, Table, Visit};
use crate::{Component, Entity};

/// One difference between two states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The entity is new; its components follow as [`Change::Added`].
    EntityAdded(Entity),
    /// The entity is gone, with all its components.
    EntityRemoved(Entity),
    /// The entity has a component that it had not.
    Added(Entity, ComponentId),
    /// The entity lost a component.
    Removed(Entity, ComponentId),
    /// The component has another value; floats are compared by their bits.
    Changed(Entity, ComponentId),
}

/// The differences between two states, in the order of indices and components. Allocates nothing.
#[derive(Debug)]
pub struct Diff<'w, W> {
    old: &'w W,
    new: &'w W,
    block: usize,
    /// The slots of the block, alive in either state, that are still to be compared.
    slots: u64,
    entity: EntityDiff,
}

/// The entity at hand: what is still to be told of it.
#[derive(Debug, Default)]
struct EntityDiff {
    added: Option<Entity>,
    /// The entity in the new state, while its components are being compared.
    new: Option<Entity>,
    /// The same, if it was there in the old state.
    old: Option<Entity>,
    word: usize,
    /// The components of this word that are still to be compared.
    components: u64,
}

impl<'w, W: GameWorld> Diff<'w, W> {
    /// What leads from `old` to `new`.
    #[must_use]
    pub fn new(old: &'w W, new: &'w W) -> Self {
        let slots = old.ids().alive_in(0) | new.ids().alive_in(0);
        Self { old, new, block: 0, slots, entity: EntityDiff::default() }
    }

    fn masks(&self, word: usize) -> (u64, u64) {
        let of = |world: &W, entity: Option<Entity>| {
            entity.and_then(|entity| world.ids().mask(entity.index()).get(word).copied()).unwrap_or(0)
        };
        (of(self.old, self.entity.old), of(self.new, self.entity.new))
    }

    /// The next difference of the entity at hand.
    fn next_component(&mut self) -> Option<Change> {
        let entity = self.entity.new?;
        loop {
            while self.entity.components == 0 {
                self.entity.word += 1;
                if self.entity.word >= self.new.ids().mask_words() {
                    return None;
                }
                let (old, new) = self.masks(self.entity.word);
                self.entity.components = old | new;
            }
            let bit = self.entity.components.trailing_zeros() as usize;
            self.entity.components &= self.entity.components - 1;
            let (old, new) = self.masks(self.entity.word);
            let component = ComponentId((self.entity.word * 64 + bit) as u16);
            match (old >> bit & 1, new >> bit & 1) {
                (0, _) => return Some(Change::Added(entity, component)),
                (_, 0) => return Some(Change::Removed(entity, component)),
                _ => {
                    let mut compare = Compare { old: self.old, entity, same: true };
                    self.new.visit_one(component, &mut compare);
                    if !compare.same {
                        return Some(Change::Changed(entity, component));
                    }
                }
            }
        }
    }

    /// Goes to the next slot that is alive in either state; tells of a removal.
    fn next_entity(&mut self) -> Option<Option<Change>> {
        while self.slots == 0 {
            self.block += 1;
            if self.block >= self.old.ids().blocks().max(self.new.ids().blocks()) {
                return None;
            }
            self.slots = self.old.ids().alive_in(self.block) | self.new.ids().alive_in(self.block);
        }
        let index = (self.block * BLOCK) as u32 + self.slots.trailing_zeros();
        self.slots &= self.slots - 1;
        let (old, new) = (self.old.ids().at(index), self.new.ids().at(index));
        let kept = old.filter(|_| old == new);
        self.entity =
            EntityDiff { added: new.filter(|_| kept.is_none()), new, old: kept, word: 0, components: 0 };
        let (before, after) = self.masks(0);
        self.entity.components = before | after;
        Some(old.filter(|_| kept.is_none()).map(Change::EntityRemoved))
    }
}

impl<W: GameWorld> Iterator for Diff<'_, W> {
    type Item = Change;

    fn next(&mut self) -> Option<Change> {
        loop {
            if let Some(added) = self.entity.added.take() {
                return Some(Change::EntityAdded(added));
            }
            if let Some(change) = self.next_component() {
                return Some(change);
            }
            if let Some(removed) = self.next_entity()? {
                return Some(removed);
            }
        }
    }
}

/// Compares one component of an entity that both states have.
struct Compare<'w, W> {
    old: &'w W,
    entity: Entity,
    same: bool,
}

impl<W: GameWorld> Visit<W> for Compare<'_, W> {
    fn table<C: Component>(&mut self, table: &Table<C>)
    where
        W: HasTable<C>,
    {
        let old = HasTable::<C>::table(self.old).get(self.entity);
        self.same = match (old, table.get(self.entity)) {
            (Some(old), Some(new)) => old.same(new),
            _ => false,
        };
    }
}
