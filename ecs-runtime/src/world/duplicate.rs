//! Copies of components and of entities inside a state.

use super::{ComponentId, CreateError, GameWorld, HasTable, NoSuchEntity, Table, VisitMut};
use crate::{Component, Entity};

/// Why an entity could not be cloned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CloneError {
    /// It is not alive.
    #[error(transparent)]
    NoSuchEntity(#[from] NoSuchEntity),
    /// There is no room for another one.
    #[error(transparent)]
    Create(#[from] CreateError),
}

/// Gives `to` the component `C` of `from`; gives back what that replaces. `None` as well if `from` has none, and then
/// `to` keeps its own.
///
/// # Errors
/// When one of the two is not alive.
pub fn copy_component<W: HasTable<C>, C: Component>(
    world: &mut W,
    from: Entity,
    to: Entity,
) -> Result<Option<C>, NoSuchEntity> {
    world.ids().check(from)?;
    let value = world.table().get(from).cloned();
    let mut to = super::EntityMut::new(world, to)?;
    Ok(value.and_then(|value| to.add(value)))
}

/// Creates an entity of the same kind with copies of all components of another, except singletons. What is disabled there
/// is so here.
///
/// References stay as they are: a component that refers to the entity itself refers to the original. See
/// [`clone_deep`](super::clone_deep) for an entity with whatever belongs to it.
pub fn clone_entity<W: GameWorld>(world: &mut W, entity: Entity) -> Result<Entity, CloneError> {
    let clone = copy_entity(world, entity)?;
    tell_added(world, clone);
    Ok(clone)
}

/// The same, and nobody is told.
pub(super) fn copy_entity<W: GameWorld>(world: &mut W, entity: Entity) -> Result<Entity, CloneError> {
    world.ids().check(entity)?;
    let clone = super::create(world, world.ids().kind_of(entity))?;
    for word in 0..world.ids().mask_words() {
        let (ids, index) = (world.ids(), entity.index());
        let [enabled, disabled] =
            [ids.mask(index), ids.disabled_mask(index)].map(|mask| mask.get(word).copied().unwrap_or(0));
        for bit in super::lanes(enabled | disabled) {
            let component = ComponentId((word * 64 + bit) as u16);
            let mut copy = CopyTo { from: entity, to: clone, copied: false };
            world.visit_one_mut(component, &mut copy);
            if copy.copied {
                world.ids_mut().set_component(W::SCHEMA.mask_words(), clone, component);
                if disabled >> bit & 1 == 1 {
                    world.ids_mut().set_enabled(clone, component, false);
                }
            }
        }
    }
    Ok(clone)
}

/// Calls whatever wants to know of the components that a new entity has.
pub(super) fn tell_added<W: GameWorld>(world: &mut W, entity: Entity) {
    if !W::ASKS.hooks {
        return;
    }
    for word in 0..world.ids().mask_words() {
        let (ids, index) = (world.ids(), entity.index());
        let masks = [ids.mask(index), ids.disabled_mask(index)];
        let components = masks.iter().fold(0, |all, mask| all | mask.get(word).copied().unwrap_or(0));
        for bit in super::lanes(components) {
            super::hooks::added(world, entity, ComponentId((word * 64 + bit) as u16));
        }
    }
}

struct CopyTo {
    from: Entity,
    to: Entity,
    copied: bool,
}

impl<W: GameWorld> VisitMut<W> for CopyTo {
    fn table<C: Component>(&mut self, table: &mut Table<C>)
    where
        W: HasTable<C>,
    {
        if C::SINGLETON {
            return;
        }
        let disabled = table.get_disabled(self.from).cloned();
        let is_disabled = disabled.is_some();
        if let Some(value) = disabled.or_else(|| table.get(self.from).cloned()) {
            table.insert(self.to, value);
            if is_disabled {
                table.set_enabled(self.to, false);
            }
            self.copied = true;
        }
    }
}
