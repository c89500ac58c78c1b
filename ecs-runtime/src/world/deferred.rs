//! Changes of structure that wait until nothing is being walked.

use core::any::Any;
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU64, Ordering};

use super::{ComponentId, CreateError, EntityMut, GameWorld, HasTable, Kind};
use crate::{Component, Entity};

/// Creates, destroys, adds and removes, in the order in which they were asked for, once [`Deferred::apply`] is called.
///
/// A query borrows its tables, so the structure of a state cannot change while one is walked. What is to change is noted
/// here meanwhile. Keep the value: its memory is used again, and warm it allocates nothing.
///
/// ```rust,standalone_crate
/// # use ecs_runtime::prelude::*;
/// # #[component] pub struct Health { pub hp: u8 }
/// # #[component] pub struct Dead;
/// # ecs_runtime::game_state! { max_entities = 64; Health, Dead }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut gs = GameState::default();
/// # let player = gs.spawn((Health { hp: 0 },))?;
/// let mut later = Deferred::new();
/// for (entity, health) in &gs.healths {
///     if health.hp == 0 {
///         later.remove::<Health>(entity);
///         later.add(entity, Dead);
///         let grave = later.create();
///         later.add(grave, Health { hp: 9 });
///     }
/// }
/// later.apply(&mut gs)?;
/// assert!(gs.entity(player)?.has_dead() && gs.healths.len() == 1);
/// # Ok(())
/// # }
/// ```
pub struct Deferred<W> {
    changes: Vec<Change>,
    /// By component: the values that are to be added, in order.
    values: Vec<Option<Box<dyn Values<W>>>>,
    /// The entities that [`Deferred::create`] promised, once they are there.
    created: Vec<Entity>,
    promised: u32,
    /// Tells these promises from all others, those of other values and those from before it was applied.
    round: u64,
    /// One for each piece of a query that is walked in parallel; empty between walks.
    #[cfg(feature = "parallel")]
    pieces: Vec<Self>,
}

/// The next round. Which one it is changes nothing but the output of `Debug`.
static ROUNDS: AtomicU64 = AtomicU64::new(1);

/// An entity that a [`Deferred`] is to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target(Who);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Entity(Entity),
    /// The one that was promised as number so many, in a round.
    Promised(u32, u64),
}

impl From<Entity> for Target {
    fn from(entity: Entity) -> Self {
        Self(Who::Entity(entity))
    }
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Create(Kind),
    Destroy(Target),
    Add(Target, ComponentId),
    Remove(Target, ComponentId),
    SetEnabled(Target, ComponentId, bool),
}

impl<W: GameWorld> Deferred<W> {
    /// Nothing to do yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            changes: Vec::new(),
            values: Vec::new(),
            created: Vec::new(),
            promised: 0,
            round: 0,
            #[cfg(feature = "parallel")]
            pieces: Vec::new(),
        }
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Creates an entity of the first kind. What is returned stands for it until then, in this value alone; afterwards it
    /// stands for nobody.
    pub fn create(&mut self) -> Target {
        self.create_of(Kind::default())
    }

    /// Creates an entity of a kind.
    pub fn create_of(&mut self, kind: Kind) -> Target {
        self.changes.push(Change::Create(kind));
        self.promise(1);
        Target(Who::Promised(self.promised - 1, self.round))
    }

    /// Counts promises. The first ones begin a round.
    fn promise(&mut self, count: u32) {
        if self.promised == 0 && count > 0 {
            self.round = ROUNDS.fetch_add(1, Ordering::Relaxed);
        }
        self.promised += count;
    }

    /// Destroys an entity. Nothing happens if it is gone by then.
    pub fn destroy(&mut self, entity: impl Into<Target>) {
        self.changes.push(Change::Destroy(entity.into()));
    }

    /// Adds a component. Nothing happens if the entity is gone by then.
    pub fn add<C: Component>(&mut self, entity: impl Into<Target>, component: C)
    where
        W: HasTable<C>,
    {
        let id = <W as HasTable<C>>::ID;
        self.changes.push(Change::Add(entity.into(), id));
        self.values_of::<C>().waiting.push(component);
    }

    /// Removes a component. Nothing happens if the entity is gone by then, or does not have it.
    pub fn remove<C: Component>(&mut self, entity: impl Into<Target>)
    where
        W: HasTable<C>,
    {
        let id = <W as HasTable<C>>::ID;
        self.values_of::<C>();
        self.changes.push(Change::Remove(entity.into(), id));
    }

    /// Disables a component: see [`EntityMut::disable`]. Nothing happens if the entity is gone by then, or does not have it.
    pub fn disable<C: Component>(&mut self, entity: impl Into<Target>)
    where
        W: HasTable<C>,
    {
        self.values_of::<C>();
        self.changes.push(Change::SetEnabled(entity.into(), <W as HasTable<C>>::ID, false));
    }

    /// Enables a disabled component. Nothing happens if the entity is gone by then, or has none.
    pub fn enable<C: Component>(&mut self, entity: impl Into<Target>)
    where
        W: HasTable<C>,
    {
        self.values_of::<C>();
        self.changes.push(Change::SetEnabled(entity.into(), <W as HasTable<C>>::ID, true));
    }

    /// Does everything, in order, and is empty then.
    ///
    /// # Errors
    /// When there is no room for an entity. What can be done without it was done all the same.
    pub fn apply(&mut self, world: &mut W) -> Result<(), CreateError> {
        // Should a function that is called panic, nothing of this is left to be done again.
        let mut notes = core::mem::take(self);
        let result = notes.apply_all(world);
        *self = notes;
        result
    }

    fn apply_all(&mut self, world: &mut W) -> Result<(), CreateError> {
        let mut result = Ok(());
        for change in self.changes.drain(..) {
            let entity = |target: Target| match target.0 {
                Who::Entity(entity) => entity,
                Who::Promised(number, round) if round == self.round => {
                    self.created.get(number as usize).copied().unwrap_or(Entity::NONE)
                }
                Who::Promised(..) => Entity::NONE,
            };
            match change {
                Change::Create(kind) => {
                    let created = super::create(world, kind);
                    self.created.push(*created.as_ref().unwrap_or(&Entity::NONE));
                    result = result.and(created.map(|_| ()));
                }
                Change::Destroy(target) => {
                    // Gone already is as good.
                    let _ = super::destroy(world, entity(target));
                }
                Change::Add(target, component) => {
                    let (entity, values) = (entity(target), self.values.get_mut(component.index()));
                    if let Some(values) = values.and_then(Option::as_mut) {
                        values.add_next(world, entity);
                    }
                }
                Change::Remove(target, component) => {
                    let (entity, values) = (entity(target), self.values.get_mut(component.index()));
                    if let Some(values) = values.and_then(Option::as_mut) {
                        values.remove(world, entity);
                    }
                }
                Change::SetEnabled(target, component, enabled) => {
                    let (entity, values) = (entity(target), self.values.get_mut(component.index()));
                    if let Some(values) = values.and_then(Option::as_mut) {
                        values.set_enabled(world, entity, enabled);
                    }
                }
            }
        }
        self.values.iter_mut().flatten().for_each(|values| values.clear());
        self.created.clear();
        self.promised = 0;
        // No promise is of round 0.
        self.round = 0;
        result
    }

    /// Appends what another has noted, which is empty then and keeps its memory. For work that is spread over threads by
    /// hand.
    ///
    /// What the other promised to create stands for nobody afterwards; what was noted for it stays noted for it.
    pub fn append(&mut self, other: &mut Self) {
        let before = self.promised;
        self.promise(other.promised);
        let (mine, theirs) = (self.round, other.round);
        let moved = |target: Target| match target.0 {
            Who::Promised(number, round) if round == theirs => Target(Who::Promised(before + number, mine)),
            // What this value has promised may have been noted there as well.
            Who::Promised(..) | Who::Entity(_) => target,
        };
        self.changes.extend(other.changes.drain(..).map(|change| match change {
            Change::Create(kind) => Change::Create(kind),
            Change::Destroy(target) => Change::Destroy(moved(target)),
            Change::Add(target, component) => Change::Add(moved(target), component),
            Change::Remove(target, component) => Change::Remove(moved(target), component),
            Change::SetEnabled(target, component, enabled) => {
                Change::SetEnabled(moved(target), component, enabled)
            }
        }));
        self.values.resize_with(self.values.len().max(other.values.len()), || None);
        for (mine, theirs) in self.values.iter_mut().zip(&mut other.values) {
            if let Some(theirs) = theirs {
                mine.get_or_insert_with(|| theirs.none()).append(&mut **theirs);
            }
        }
        (other.promised, other.round) = (0, 0);
    }

    /// Has changes noted in so many values, and appends these in their order. If `note` panics, nothing was noted.
    #[cfg(feature = "parallel")]
    pub(super) fn note_in_pieces(&mut self, count: usize, note: impl FnOnce(&mut [Self])) {
        // They are taken out, so that a panic drops what was noted until then.
        let mut pieces = core::mem::take(&mut self.pieces);
        pieces.resize_with(count.max(pieces.len()), Self::new);
        note(&mut pieces[..count]);
        pieces[..count].iter_mut().for_each(|piece| self.append(piece));
        self.pieces = pieces;
    }

    fn values_of<C: Component>(&mut self) -> &mut ValuesOf<W, C>
    where
        W: HasTable<C>,
    {
        let at = <W as HasTable<C>>::ID.index();
        if self.values.len() <= at {
            self.values.resize_with(at + 1, || None);
        }
        let values = self.values[at].get_or_insert_with(|| Box::new(ValuesOf::<W, C>::default()));
        values.of_component()
    }
}

impl<W: GameWorld> Default for Deferred<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W> fmt::Debug for Deferred<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.changes).finish()
    }
}

/// The values of one component that are to be added, whatever the component is.
trait Values<W>: Send + Sync {
    fn add_next(&mut self, world: &mut W, entity: Entity);
    fn remove(&mut self, world: &mut W, entity: Entity);
    fn set_enabled(&mut self, world: &mut W, entity: Entity, enabled: bool);
    fn clear(&mut self);
    /// None of the same component.
    fn none(&self) -> Box<dyn Values<W>>;
    /// Takes those of the same component out of another.
    fn append(&mut self, other: &mut dyn Values<W>);
    fn as_any(&mut self) -> &mut dyn Any;
}

impl<W: GameWorld> dyn Values<W> + '_ {
    /// Those at the place of a component, which holds its values and no others.
    fn of_component<C: Component>(&mut self) -> &mut ValuesOf<W, C> {
        self.as_any().downcast_mut().expect("values of the component at its place")
    }
}

struct ValuesOf<W, C> {
    waiting: Vec<C>,
    /// How many were added.
    done: usize,
    of: PhantomData<fn(W)>,
}

impl<W, C> Default for ValuesOf<W, C> {
    fn default() -> Self {
        Self { waiting: Vec::new(), done: 0, of: PhantomData }
    }
}

impl<W: HasTable<C>, C: Component> Values<W> for ValuesOf<W, C> {
    fn add_next(&mut self, world: &mut W, entity: Entity) {
        let value = self.waiting.get(self.done).cloned();
        self.done += 1;
        if let (Some(value), Ok(mut entity)) = (value, EntityMut::new(world, entity)) {
            entity.add(value);
        }
    }

    fn remove(&mut self, world: &mut W, entity: Entity) {
        if let Ok(mut entity) = EntityMut::new(world, entity) {
            entity.remove::<C>();
        }
    }

    fn set_enabled(&mut self, world: &mut W, entity: Entity, enabled: bool) {
        if let Ok(mut entity) = EntityMut::new(world, entity) {
            entity.set_enabled::<C>(enabled);
        }
    }

    fn clear(&mut self) {
        self.waiting.clear();
        self.done = 0;
    }

    fn none(&self) -> Box<dyn Values<W>> {
        Box::new(Self::default())
    }

    fn append(&mut self, other: &mut dyn Values<W>) {
        self.waiting.append(&mut other.of_component::<C>().waiting);
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
