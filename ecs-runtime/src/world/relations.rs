//! Relations: fields that refer to entities, found from the other side, and taken care of when an entity is destroyed.
//!
//! A relation is an index whose keys are entities. Who refers to an entity is a look-up; that nobody refers to one that is
//! gone is seen to by [`destroy`](super::destroy). Entities may refer to each other in circles.

use std::collections::BTreeSet;

use super::index::{Index, Key};
use super::{CloneError, ComponentId, GameWorld, HasTable, Table, Visit, VisitMut, hooks};
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
    /// Who is to be destroyed.
    entities: Vec<Entity>,
    /// Which components of whom are to be removed.
    components: Vec<(Entity, ComponentId)>,
    /// Who refers to the one at hand, by the relation at hand.
    referrers: Vec<Entity>,
}

/// Destroys an entity, and sees to whoever refers to it, as their relations say.
#[cold]
pub(super) fn destroy<W: GameWorld>(world: &mut W, entity: Entity) {
    let mut doomed = core::mem::take(&mut world.ids_mut().doomed);
    doomed.entities.push(entity);
    while let Some(entity) = doomed.entities.pop() {
        if !world.ids().contains(entity) {
            continue;
        }
        if W::ASKS.relations {
            world.visit_mut(&mut Part { target: entity, doomed: &mut doomed });
            for (referrer, component) in doomed.components.drain(..) {
                hooks::remove(world, referrer, component);
            }
        }
        hooks::clear(world, entity);
        // What is called when components go may have destroyed it, or added others.
        if world.ids().contains(entity) {
            super::destroy_alone(world, entity);
        }
    }
    world.ids_mut().doomed = doomed;
}

/// Parts everybody from an entity that is to be destroyed.
struct Part<'d> {
    target: Entity,
    doomed: &'d mut Doomed,
}

impl<W: GameWorld> VisitMut<W> for Part<'_> {
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
        for relation in C::RELATIONS {
            let index = Index::<C, Entity>::number(relation.index);
            referrers.clear();
            referrers.extend(table.find_all(index, self.target).map(|(referrer, _)| referrer));
            match relation.when_gone {
                WhenGone::Destroy => entities.extend_from_slice(referrers),
                WhenGone::Remove => {
                    let component = <W as HasTable<C>>::ID;
                    components.extend(referrers.iter().map(|referrer| (*referrer, component)));
                }
                WhenGone::Unlink => {
                    for referrer in referrers.iter() {
                        if let Some(component) = table.get_mut(*referrer) {
                            (relation.unlink)(component, self.target);
                        }
                    }
                }
            }
        }
    }
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
    let mut of = Belonging { of: entity, found: vec![entity], known: BTreeSet::from([entity]) };
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
}

impl<W: GameWorld> Visit<W> for Belonging {
    #[inline]
    fn table<C: Component>(&mut self, table: &Table<C>)
    where
        W: HasTable<C>,
    {
        for relation in C::RELATIONS.iter().filter(|relation| relation.when_gone == WhenGone::Destroy) {
            let index = Index::<C, Entity>::number(relation.index);
            for (referrer, _) in table.find_all(index, self.of) {
                if self.known.insert(referrer) {
                    self.found.push(referrer);
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
