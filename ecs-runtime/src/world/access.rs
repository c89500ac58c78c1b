//! One entity of a state, to be read or changed.

use core::fmt;

use super::block::lanes;
use super::{ComponentId, GameWorld, HasTable, NoSuchEntity, Table, Visit, VisitMut, hooks};
use crate::{Component, Entity};

/// A living entity of a state. `{:#?}` prints its components.
pub struct EntityRef<'w, W> {
    world: &'w W,
    entity: Entity,
}

impl<W> Clone for EntityRef<'_, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for EntityRef<'_, W> {}

impl<W: GameWorld> fmt::Debug for EntityRef<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug(self.world, self.entity, f)
    }
}

impl<W: GameWorld> fmt::Debug for EntityMut<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug(self.world, self.entity, f)
    }
}

fn debug<W: GameWorld>(world: &W, entity: Entity, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{entity:?} ")?;
    let mut printed = Printed { entity, set: f.debug_set() };
    components(world, entity).for_each(|component| world.visit_one(component, &mut printed));
    printed.set.finish()
}

/// Prints the components of one entity.
struct Printed<'a, 'f> {
    entity: Entity,
    set: fmt::DebugSet<'a, 'f>,
}

impl<W: GameWorld> Visit<W> for Printed<'_, '_> {
    fn table<C: Component>(&mut self, table: &Table<C>)
    where
        W: HasTable<C>,
    {
        if let Some(component) = table.get(self.entity) {
            self.set.entry(component);
        }
    }
}

impl<'w, W: GameWorld> EntityRef<'w, W> {
    /// The entity of a handle, if it is alive.
    #[inline]
    pub fn new(world: &'w W, entity: Entity) -> Result<Self, NoSuchEntity> {
        let entity = world.ids().check(entity)?;
        Ok(Self { world, entity })
    }

    /// Its handle.
    #[inline]
    #[must_use]
    pub fn id(self) -> Entity {
        self.entity
    }

    /// A component of it.
    #[inline]
    #[must_use]
    pub fn get<C: Component>(self) -> Option<&'w C>
    where
        W: HasTable<C>,
    {
        self.world.table().get(self.entity)
    }

    /// Whether it has a component.
    #[inline]
    #[must_use]
    pub fn has<C: Component>(self) -> bool
    where
        W: HasTable<C>,
    {
        self.world.table().contains(self.entity)
    }

    /// The components that it has, in the order of the list.
    pub fn components(self) -> impl Iterator<Item = ComponentId> + 'w {
        components(self.world, self.entity)
    }
}

/// A living entity of a state, to be changed. `{:#?}` prints its components.
pub struct EntityMut<'w, W> {
    world: &'w mut W,
    entity: Entity,
}

impl<'w, W: GameWorld> EntityMut<'w, W> {
    /// The entity of a handle, if it is alive.
    #[inline]
    pub fn new(world: &'w mut W, entity: Entity) -> Result<Self, NoSuchEntity> {
        let entity = world.ids().check(entity)?;
        Ok(Self { world, entity })
    }

    /// Its handle.
    #[inline]
    #[must_use]
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// A component of it.
    #[inline]
    #[must_use]
    pub fn get<C: Component>(&self) -> Option<&C>
    where
        W: HasTable<C>,
    {
        self.world.table().get(self.entity)
    }

    /// A component of it, to be changed; counts as touched.
    #[inline]
    #[must_use]
    pub fn get_mut<C: Component>(&mut self) -> Option<&mut C>
    where
        W: HasTable<C>,
    {
        self.world.table_mut().get_mut(self.entity)
    }

    /// Whether it has a component.
    #[inline]
    #[must_use]
    pub fn has<C: Component>(&self) -> bool
    where
        W: HasTable<C>,
    {
        self.world.table().contains(self.entity)
    }

    /// Adds a component; the value that it replaces is returned.
    ///
    /// Of a `#[component(singleton)]`, that is the state's: another entity that has it loses it. Nothing is added if a
    /// function of `#[component(on_add = function)]` or the like has destroyed the entity since.
    #[inline]
    pub fn add<C: Component>(&mut self, component: C) -> Option<C>
    where
        W: HasTable<C>,
    {
        if !C::SINGLETON && !C::ON_ADD && !C::ON_REMOVE {
            return self.put(component);
        }
        let mut lost = if C::SINGLETON { self.take_from_others::<C>() } else { None };
        if C::ON_REMOVE {
            lost = lost.or(self.remove::<C>());
        }
        // What was called meanwhile may have put it there again: that is replaced, and nobody told.
        let replaced = self.put(component);
        if C::ON_ADD && self.has::<C>() {
            C::on_add(self.world, self.entity);
        }
        lost.or(replaced)
    }

    /// Takes a singleton from whoever else has it.
    pub(super) fn take_from_others<C: Component>(&mut self) -> Option<C>
    where
        W: HasTable<C>,
    {
        let other = |world: &W| world.table().holder().filter(|&other| other != self.entity);
        let entity = other(self.world)?;
        let lost = EntityMut { world: self.world, entity }.remove::<C>();
        // What is called then may have given it to somebody else.
        if let Some(entity) = other(self.world) {
            self.world.ids_mut().clear_component(W::SCHEMA.mask_words(), entity, <W as HasTable<C>>::ID);
            self.world.ids_mut().clear_disabled(entity, <W as HasTable<C>>::ID);
            self.world.table_mut().discard(entity);
        }
        lost
    }

    /// Adds a component, and tells nobody.
    #[inline]
    pub(super) fn put<C: Component>(&mut self, component: C) -> Option<C>
    where
        W: HasTable<C>,
    {
        if W::ASKS.hooks && !self.world.ids().contains(self.entity) {
            return None;
        }
        if self.world.ids().has_disabled() {
            self.enable_first::<C>();
        }
        self.world.ids_mut().set_component(
            const { W::SCHEMA.mask_words() },
            self.entity,
            <W as HasTable<C>>::ID,
        );
        self.world.table_mut().insert(self.entity, component)
    }

    /// What is disabled is enabled before it is replaced.
    #[cold]
    #[inline(never)]
    fn enable_first<C: Component>(&mut self)
    where
        W: HasTable<C>,
    {
        self.set_enabled::<C>(true);
    }

    /// Disables a component: it is kept, and as good as not there for queries, look-ups, snapshots and diffs, until it is
    /// enabled, replaced or removed. `false` if the entity has none that is enabled.
    ///
    /// [`Table::disabled`] asks for it in a filter, [`Table::get_disabled`] looks at it.
    pub fn disable<C: Component>(&mut self) -> bool
    where
        W: HasTable<C>,
    {
        self.set_enabled::<C>(false)
    }

    /// Enables a disabled component again, with the value that it had. `false` if the entity has none.
    pub fn enable<C: Component>(&mut self) -> bool
    where
        W: HasTable<C>,
    {
        self.set_enabled::<C>(true)
    }

    pub(super) fn set_enabled<C: Component>(&mut self, enabled: bool) -> bool
    where
        W: HasTable<C>,
    {
        let done = self.world.table_mut().set_enabled(self.entity, enabled);
        if done {
            self.world.ids_mut().set_enabled(self.entity, <W as HasTable<C>>::ID, enabled);
        }
        done
    }

    /// Removes a component, disabled or not, and returns it.
    #[inline]
    pub fn remove<C: Component>(&mut self) -> Option<C>
    where
        W: HasTable<C>,
    {
        let Some(removed) = self.world.table_mut().remove(self.entity) else {
            return self.remove_disabled::<C>();
        };
        self.world.ids_mut().clear_component(
            const { W::SCHEMA.mask_words() },
            self.entity,
            <W as HasTable<C>>::ID,
        );
        if C::ON_REMOVE {
            C::on_remove(self.world, self.entity, removed.clone());
        }
        Some(removed)
    }

    #[cold]
    #[inline(never)]
    fn remove_disabled<C: Component>(&mut self) -> Option<C>
    where
        W: HasTable<C>,
    {
        let removed = self.world.table_mut().remove_disabled(self.entity)?;
        self.world.ids_mut().clear_disabled(self.entity, <W as HasTable<C>>::ID);
        if C::ON_REMOVE {
            C::on_remove(self.world, self.entity, removed.clone());
        }
        Some(removed)
    }

    /// Removes all components; the entity stays.
    pub fn clear(&mut self) {
        if W::ASKS.hooks {
            hooks::clear(self.world, self.entity);
        } else {
            clear_quietly(self.world, self.entity);
        }
    }

    /// The components that it has, in the order of the list.
    pub fn components(&self) -> impl Iterator<Item = ComponentId> + '_ {
        components(self.world, self.entity)
    }
}

fn components<W: GameWorld>(world: &W, entity: Entity) -> impl Iterator<Item = ComponentId> + '_ {
    let mask = world.ids().mask(entity.index()).iter().enumerate();
    mask.flat_map(|(word, &bits)| lanes(bits).map(move |bit| ComponentId((word * 64 + bit) as u16)))
}

/// Removes all components of a living entity; nobody is told.
pub(super) fn clear_quietly<W: GameWorld>(world: &mut W, entity: Entity) {
    for word in 0..world.ids().mask_words() {
        for bit in lanes(world.ids_mut().take_mask_word(entity, word)) {
            world.visit_one_mut(ComponentId((word * 64 + bit) as u16), &mut Discard { entity });
        }
    }
}

struct Discard {
    entity: Entity,
}

impl<W: GameWorld> VisitMut<W> for Discard {
    #[inline]
    fn table<C: Component>(&mut self, table: &mut Table<C>)
    where
        W: HasTable<C>,
    {
        table.discard(self.entity);
    }
}
