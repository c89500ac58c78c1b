//! Relations: fields that refer to entities, found from the other side, and taken care of when an entity is destroyed.
//!
//! A relation is an index whose keys are entities. Who refers to an entity is a look-up; that nobody refers to one that is
//! gone is seen to by [`destroy`](super::destroy). Entities may refer to each other in circles.

use std::collections::BTreeSet;

use super::index::{Index, Key};
use super::{CloneError, ComponentId, EntityMut, GameWorld, HasTable, Table, Visit, VisitMut, hooks};
use crate::data::WriteFields;
use crate::value::Leaves;
use crate::{Component, Entity, List, Value};

/// What becomes of a component when the entity that it refers to is destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenGone {
    /// It refers to nobody, or to one fewer: `#[relation]`.
    Unlink,
    /// It is removed: `#[relation(remove)]`.
    Remove,
    /// Its entity is destroyed: `#[relation(destroy)]`.
    Destroy,
}

/// What a component says of one of its relations.
#[derive(Clone, Copy, Debug)]
pub struct RelationOf<C: 'static> {
    /// Which of its indices it is.
    pub index: usize,
    /// What becomes of it when the entity that it refers to is destroyed.
    pub when_gone: WhenGone,
    /// Takes the references to an entity out of a component.
    #[doc(hidden)]
    pub unlink: fn(&mut C, Entity),
}

/// A field that refers to entities.
#[doc(hidden)]
pub trait Links {
    /// Shows those that it refers to, as keys.
    fn targets(&self, found: &mut dyn FnMut(Key));

    /// Refers to an entity no more.
    fn unlink(&mut self, target: Entity);
}

impl Links for Entity {
    #[inline]
    fn targets(&self, found: &mut dyn FnMut(Key)) {
        if !self.is_none() {
            found(Key::of(*self));
        }
    }

    fn unlink(&mut self, target: Entity) {
        if *self == target {
            *self = Self::NONE;
        }
    }
}

impl Links for Option<Entity> {
    #[inline]
    fn targets(&self, found: &mut dyn FnMut(Key)) {
        if let Some(target) = self {
            target.targets(found);
        }
    }

    fn unlink(&mut self, target: Entity) {
        if *self == Some(target) {
            *self = None;
        }
    }
}

impl<const N: usize> Links for List<Entity, N> {
    fn targets(&self, found: &mut dyn FnMut(Key)) {
        self.iter().for_each(|target| target.targets(found));
    }

    fn unlink(&mut self, target: Entity) {
        self.retain(|other| *other != target);
    }
}

/// What destroying works with; the memory is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Doomed {
    /// Who is to be destroyed, and which component of it must still refer to whom then, if any.
    entities: Vec<(Entity, Option<(ComponentId, Entity)>)>,
    /// Which components of whom are to be parted from the one at hand.
    components: Vec<(Entity, ComponentId)>,
    /// Who refers to the one at hand, by the relation at hand.
    referrers: Vec<Entity>,
}

/// Destroys an entity, and sees to whoever refers to it, as their relations say.
#[cold]
pub(super) fn destroy<W: GameWorld>(world: &mut W, entity: Entity) {
    let mut doomed = core::mem::take(&mut world.ids_mut().doomed);
    doomed.entities.push((entity, None));
    while let Some((entity, because)) = doomed.entities.pop() {
        // What was called meanwhile may have made it belong to somebody else.
        let is_doomed = because.is_none_or(|(component, target)| refers(world, entity, component, target));
        if !world.ids().contains(entity) || !is_doomed {
            continue;
        }
        part_all(world, entity, &mut doomed);
        if W::ASKS.hooks {
            hooks::clear(world, entity);
            // What is called when components go may have made others refer to it.
            part_all(world, entity, &mut doomed);
        }
        if world.ids().contains(entity) {
            super::destroy_alone(world, entity);
        }
    }
    world.ids_mut().doomed = doomed;
}

/// Parts everybody from an entity, or notes that they are to be destroyed.
fn part_all<W: GameWorld>(world: &mut W, target: Entity, doomed: &mut Doomed) {
    if W::ASKS.relations {
        world.visit_mut(&mut FindReferrers { target, doomed });
        for (referrer, component) in doomed.components.drain(..) {
            hooks::part(world, referrer, component, target);
        }
    }
}

/// Parts a component of an entity from another, as its relations say.
pub(super) fn part<W: HasTable<C>, C: Component>(world: &mut W, entity: Entity, target: Entity) {
    let Some(mut component) = world.table().held(entity).cloned() else { return };
    let refers_by = |when: WhenGone| {
        let mut relations = C::RELATIONS.iter().filter(|relation| relation.when_gone == when);
        relations.any(|relation| refers_by(relation.index, &component, target))
    };
    let (is_removed, is_unlinked) = (refers_by(WhenGone::Remove), refers_by(WhenGone::Unlink));
    if is_removed {
        hooks::remove(world, entity, <W as HasTable<C>>::ID);
        return;
    }
    if !is_unlinked {
        return;
    }
    for relation in C::RELATIONS.iter().filter(|relation| relation.when_gone == WhenGone::Unlink) {
        (relation.unlink)(&mut component, target);
    }
    let is_enabled = world.table().contains(entity);
    if is_enabled && (C::ON_ADD || C::ON_REMOVE) {
        // Whoever wants to know of links is told that one goes and another comes.
        if let Ok(mut entity) = EntityMut::new(world, entity) {
            entity.add(component);
        }
    } else if let Some(held) = world.table_mut().held_mut(entity) {
        *held = component;
    }
}

/// Whether a component refers to an entity by an index.
fn refers_by<C: Component>(index: usize, component: &C, target: Entity) -> bool {
    let (mut refers, wanted) = (false, Key::of(target));
    if let Some(of) = C::INDICES.get(index) {
        (of.keys)(component, &mut |key| refers |= key == wanted);
    }
    refers
}

/// Whether a component of an entity, by its number, refers to another such that it goes with it.
fn refers<W: GameWorld>(world: &W, entity: Entity, component: ComponentId, target: Entity) -> bool {
    let mut refers = Refers { entity, target, is_so: false };
    world.visit_one(component, &mut refers);
    refers.is_so
}

struct Refers {
    entity: Entity,
    target: Entity,
    is_so: bool,
}

impl<W: GameWorld> Visit<W> for Refers {
    fn table<C: Component>(&mut self, table: &Table<C>)
    where
        W: HasTable<C>,
    {
        let Some(component) = table.held(self.entity) else { return };
        let mut relations = C::RELATIONS.iter().filter(|relation| relation.when_gone == WhenGone::Destroy);
        self.is_so = relations.any(|relation| refers_by(relation.index, component, self.target));
    }
}

/// Finds everybody who refers to an entity that is to be destroyed.
struct FindReferrers<'d> {
    target: Entity,
    doomed: &'d mut Doomed,
}

impl<W: GameWorld> VisitMut<W> for FindReferrers<'_> {
    #[inline]
    fn table<C: Component>(&mut self, table: &mut Table<C>)
    where
        W: HasTable<C>,
    {
        if C::RELATIONS.is_empty() {
            return;
        }
        // Many may be destroyed one after the other.
        table.fold_indices();
        let Doomed { entities, components, referrers } = &mut *self.doomed;
        let id = <W as HasTable<C>>::ID;
        for relation in C::RELATIONS {
            referrers.clear();
            find_referrers(table, relation.index, self.target, referrers);
            if relation.when_gone == WhenGone::Destroy {
                entities.extend(referrers.iter().map(|referrer| (*referrer, Some((id, self.target)))));
            } else {
                components.extend(referrers.iter().map(|referrer| (*referrer, id)));
            }
        }
    }
}

/// Adds those whose component refers to an entity by an index, also where it is disabled.
fn find_referrers<C: Component>(table: &Table<C>, index: usize, target: Entity, to: &mut Vec<Entity>) {
    let enabled = table.find_all(Index::<C, Entity>::number(index), target);
    to.extend(enabled.map(|(referrer, _)| referrer));
    let disabled = table.iter_disabled().filter(|(_, component)| refers_by(index, *component, target));
    to.extend(disabled.map(|(referrer, _)| referrer));
}

/// Copies an entity, and everybody who would be destroyed with it: whoever refers to it by `#[relation(destroy)]`, and so
/// on. Where they refer to each other, the copies do so, too; other references stay as they are. Gives the copy of the
/// entity.
///
/// # Errors
/// When the entity is not alive, or there is no room for all of them; nothing is copied then.
pub fn clone_deep<W: GameWorld>(world: &mut W, entity: Entity) -> Result<Entity, CloneError> {
    world.ids().check(entity)?;
    super::fold_indices(world);
    let mut of =
        Belonging { of: entity, found: vec![entity], known: BTreeSet::from([entity]), referrers: Vec::new() };
    let mut at = 0;
    while let Some(next) = of.found.get(at) {
        of.of = *next;
        world.visit(&mut of);
        at += 1;
    }
    let mut copies = Vec::with_capacity(of.found.len());
    for original in of.found {
        match super::duplicate::copy_entity(world, original) {
            Ok(copy) => copies.push((original, copy)),
            Err(error) => {
                copies.iter().for_each(|(_, copy)| super::destroy_alone(world, *copy));
                return Err(error);
            }
        }
    }
    let clone = copies.first().map_or(Entity::NONE, |(_, copy)| *copy);
    copies.sort_unstable();
    world.visit_mut(&mut Refer { copies: &copies });
    for (_, copy) in copies {
        super::duplicate::tell_added(world, copy);
    }
    Ok(clone)
}

/// Finds whoever would be destroyed with an entity.
struct Belonging {
    of: Entity,
    /// In the order in which they were found, each once.
    found: Vec<Entity>,
    known: BTreeSet<Entity>,
    referrers: Vec<Entity>,
}

impl<W: GameWorld> Visit<W> for Belonging {
    #[inline]
    fn table<C: Component>(&mut self, table: &Table<C>)
    where
        W: HasTable<C>,
    {
        for relation in C::RELATIONS.iter().filter(|relation| relation.when_gone == WhenGone::Destroy) {
            self.referrers.clear();
            find_referrers(table, relation.index, self.of, &mut self.referrers);
            for referrer in &self.referrers {
                if self.known.insert(*referrer) {
                    self.found.push(*referrer);
                }
            }
        }
    }
}

/// Makes copies refer to copies.
struct Refer<'c> {
    /// The originals, sorted, and their copies.
    copies: &'c [(Entity, Entity)],
}

impl<W: GameWorld> VisitMut<W> for Refer<'_> {
    fn table<C: Component>(&mut self, table: &mut Table<C>)
    where
        W: HasTable<C>,
    {
        for (_, copy) in self.copies {
            if let Some(component) = table.held_mut(*copy) {
                let Ok(()) = component.write_fields(&mut Refer { copies: self.copies });
            }
        }
    }
}

impl WriteFields for Refer<'_> {
    type Error = core::convert::Infallible;

    fn field<T: Value>(&mut self, _: &'static str, value: &mut T) -> Result<(), Self::Error> {
        value.leaves(self);
        Ok(())
    }
}

impl Leaves for Refer<'_> {
    fn entity(&mut self, entity: &mut Entity) {
        if let Ok(at) = self.copies.binary_search_by_key(entity, |(original, _)| *original) {
            *entity = self.copies[at].1;
        }
    }

    fn float(&mut self, _: f64) {}
}
