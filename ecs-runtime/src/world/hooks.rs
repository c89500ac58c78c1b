//! What is called when components come and go: the functions that `#[component(on_add = .., on_remove = ..)]` names.
//!
//! They belong to the type, so that every state has the same and none has to be told. Whoever changes the structure of a
//! state calls them; a state that becomes what another one is, by a copy or by snapshots, does not: what they did was done
//! there.

use core::any::Any;

use super::block::lanes;
use super::{ComponentId, EntityMut, GameWorld, HasTable, Table, Visit, relations};
use crate::{Component, Entity};

/// What the components of a state ask for when entities and components come and go.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asks {
    /// Some are called when they come or go.
    pub hooks: bool,
    /// Some refer to entities that may go.
    pub relations: bool,
}

impl Asks {
    /// Nothing.
    pub const NOTHING: Self = Self { hooks: false, relations: false };

    /// And what one component asks for.
    #[must_use]
    pub const fn and<C: Component>(self) -> Self {
        Self {
            hooks: self.hooks | C::ON_ADD | C::ON_REMOVE,
            relations: self.relations | !C::RELATIONS.is_empty(),
        }
    }
}

/// The state as what it is, for a component whose functions are for that one.
#[doc(hidden)]
pub fn state_of<W: GameWorld, S: GameWorld>(world: &mut W) -> Option<&mut S> {
    (world as &mut dyn Any).downcast_mut()
}

/// Removes all components of a living entity, one after the other. What is called then may add others, which stay.
#[cold]
pub(super) fn clear<W: GameWorld>(world: &mut W, entity: Entity) {
    for word in 0..world.ids().mask_words() {
        let ids = world.ids();
        let masks = [ids.mask(entity.index()), ids.disabled_mask(entity.index())];
        let bits = masks.iter().fold(0, |bits, mask| bits | mask.get(word).copied().unwrap_or(0));
        for bit in lanes(bits) {
            remove(world, entity, ComponentId((word * 64 + bit) as u16));
        }
    }
}

/// Removes a component by its number, if the entity lives and has it.
pub(super) fn remove<W: GameWorld>(world: &mut W, entity: Entity, component: ComponentId) {
    (Of::component(world, component).remove)(world, entity);
}

/// Calls what wants to know that a component of an entity was added, by its number.
pub(super) fn added<W: GameWorld>(world: &mut W, entity: Entity, component: ComponentId) {
    (Of::component(world, component).added)(world, entity);
}

/// Parts a component of an entity, by its number, from another entity, as its relations say; nothing happens if it does not
/// refer to that any more.
pub(super) fn part<W: GameWorld>(world: &mut W, entity: Entity, component: ComponentId, target: Entity) {
    (Of::component(world, component).part)(world, entity, target);
}

/// What is done to one component, whatever it is.
struct Of<W> {
    remove: fn(&mut W, Entity),
    added: fn(&mut W, Entity),
    part: fn(&mut W, Entity, Entity),
}

impl<W: GameWorld> Of<W> {
    fn component(world: &W, component: ComponentId) -> Self {
        let mut of = Self { remove: |_, _| {}, added: |_, _| {}, part: |_, _, _| {} };
        world.visit_one(component, &mut of);
        of
    }
}

impl<W: GameWorld> Visit<W> for Of<W> {
    fn table<C: Component>(&mut self, _: &Table<C>)
    where
        W: HasTable<C>,
    {
        self.remove = |world, entity| {
            if let Ok(mut entity) = EntityMut::new(world, entity) {
                entity.remove::<C>();
            }
        };
        self.added = |world, entity| C::on_add(world, entity);
        self.part = relations::part::<W, C>;
    }
}
