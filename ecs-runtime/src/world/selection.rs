//! What a query has found, kept: to be changed all at once, and compared with what it finds the next time.

use super::block::{BLOCK, lanes, same_slots};
use super::join::{Part, while_blocks};
use super::{Entities, EntityMut, GameWorld, HasTable, Table, VisitMut, block};
use crate::{Component, Entity};

/// The entities that a query has found, and those that it found the time before. Its memory is used again: warm, it
/// allocates nothing.
///
/// ```rust,standalone_crate
/// # use ecs_runtime::prelude::*;
/// # use ecs_runtime::world::Selection;
/// # #[component] pub struct Health { pub hp: u8 }
/// # #[component] pub struct Stun;
/// # ecs_runtime::game_state! { max_entities = 64; Health, Stun }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut gs = GameState::default();
/// # let [weak, strong] = [1, 9].map(|hp| gs.spawn((Health { hp },)).unwrap());
/// let mut stunned = Selection::new();
/// stunned.select((&gs.healths,).filter(!gs.stuns.present()));
/// gs.add_all(&stunned, Stun);
/// assert_eq!(gs.stuns.len(), 2);
///
/// // Who begins to match, and who ceases to.
/// stunned.select(&gs.stuns);
/// gs.entity_mut(weak)?.del_stun();
/// stunned.select(&gs.stuns);
/// assert_eq!((stunned.entered().count(), stunned.left().collect::<Vec<_>>()), (0, vec![weak]));
/// gs.destroy_all(&stunned);
/// assert!(!gs.contains(strong) && gs.contains(weak));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Selection {
    blocks: Vec<SelectedIn>,
    before: Vec<SelectedIn>,
}

/// The entities of one block.
#[derive(Clone, Copy, Debug)]
struct SelectedIn {
    slots: u64,
    generations: [u32; BLOCK],
}

impl Selection {
    /// Nobody.
    #[must_use]
    pub const fn new() -> Self {
        Self { blocks: Vec::new(), before: Vec::new() }
    }

    /// Becomes what a query finds; what it was before is what [`Selection::entered`] and [`Selection::left`] compare with.
    pub fn select(&mut self, query: impl Part) {
        core::mem::swap(&mut self.blocks, &mut self.before);
        self.blocks.iter_mut().for_each(|block| block.slots = 0);
        let mut fetch = query.fetch();
        while_blocks(
            &mut fetch,
            |_| 0,
            |block, _| {
                let at = block.first as usize / BLOCK;
                if self.blocks.len() <= at {
                    self.blocks.resize(at + 1, SelectedIn { slots: 0, generations: [0; BLOCK] });
                }
                self.blocks[at] = SelectedIn { slots: block.mask, generations: *block.generations };
            },
        );
    }

    /// Forgets everybody.
    pub fn clear(&mut self) {
        self.blocks.iter_mut().chain(&mut self.before).for_each(|block| block.slots = 0);
    }

    /// Everybody, in the order of indices; who was destroyed since as well.
    pub fn iter(&self) -> impl Iterator<Item = Entity> + '_ {
        differing(&self.blocks, &[])
    }

    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.slots.count_ones() as usize).sum()
    }

    /// Whether nobody is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.iter().all(|block| block.slots == 0)
    }

    /// Whether an entity is in it.
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        let (at, lane) = block::split(entity.index());
        self.blocks.get(at).is_some_and(|block| block.holds(lane, entity.generation()))
    }

    /// Who is in it and was not before, in the order of indices.
    pub fn entered(&self) -> impl Iterator<Item = Entity> + '_ {
        differing(&self.blocks, &self.before)
    }

    /// Who was in it before and is no more, in the order of indices; alive or not.
    pub fn left(&self) -> impl Iterator<Item = Entity> + '_ {
        differing(&self.before, &self.blocks)
    }

    /// By block, the slots whose entities are alive.
    fn living(&self, ids: &Entities, at: usize) -> u64 {
        let Some(block) = self.blocks.get(at).filter(|block| block.slots != 0) else { return 0 };
        let Some(generations) = ids.generations_in(at) else { return 0 };
        same_slots(block.slots & ids.alive_in(at), &block.generations, generations)
    }
}

impl SelectedIn {
    #[inline]
    fn holds(&self, lane: usize, generation: u32) -> bool {
        self.slots >> lane & 1 == 1 && self.generations[lane] == generation
    }
}

/// Who is in the one and not in the other.
fn differing<'s>(one: &'s [SelectedIn], other: &'s [SelectedIn]) -> impl Iterator<Item = Entity> + 's {
    one.iter().enumerate().flat_map(move |(at, block)| {
        let other = other.get(at);
        lanes(block.slots).filter_map(move |lane| {
            let generation = block.generations[lane];
            let is_new = !other.is_some_and(|other| other.holds(lane, generation));
            is_new.then(|| Entity::living((at * BLOCK + lane) as u32, generation))
        })
    })
}

/// Destroys all entities of a selection that are alive; tells how many.
pub fn destroy_all<W: GameWorld>(world: &mut W, selection: &Selection) -> usize {
    if W::ASKS.hooks || W::ASKS.relations {
        // One may bring about the end of others.
        let count = selection.iter().filter(|entity| world.ids().contains(*entity)).count();
        selection.iter().for_each(|entity| _ = super::destroy(world, entity));
        return count;
    }
    world.visit_mut(&mut Discard { selection });
    let mut count = 0;
    for at in 0..selection.blocks.len() {
        let living = selection.living(world.ids(), at);
        count += living.count_ones() as usize;
        for lane in lanes(living) {
            let entity = Entity::living((at * BLOCK + lane) as u32, selection.blocks[at].generations[lane]);
            let ids = world.ids_mut();
            (0..ids.mask_words()).for_each(|word| _ = ids.take_mask_word(entity, word));
            ids.destroy(entity);
        }
    }
    count
}

/// Takes a component from all entities of a selection, disabled or not; tells how many had it.
pub fn remove_all<W: HasTable<C>, C: Component>(world: &mut W, selection: &Selection) -> usize {
    if C::ON_REMOVE {
        let mut remove = |entity| EntityMut::new(world, entity).ok()?.remove::<C>();
        return selection.iter().filter(|entity| remove(*entity).is_some()).count();
    }
    let mut count = 0;
    for (at, block) in selection.blocks.iter().enumerate() {
        let removed = world.table_mut().discard_slots(at, block.slots, &block.generations);
        count += removed.count_ones() as usize;
        for lane in lanes(removed) {
            let entity = Entity::living((at * BLOCK + lane) as u32, block.generations[lane]);
            let (ids, component) = (world.ids_mut(), <W as HasTable<C>>::ID);
            ids.clear_component(const { W::SCHEMA.mask_words() }, entity, component);
            ids.clear_disabled(entity, component);
        }
    }
    count
}

/// Gives all entities of a selection that are alive a component, in the place of what they have of it; tells how many. Of a
/// `#[component(singleton)]`, the last one has it.
pub fn add_all<W: HasTable<C>, C: Component>(world: &mut W, selection: &Selection, component: &C) -> usize {
    if C::SINGLETON || C::ON_ADD || C::ON_REMOVE {
        let mut add = |entity| {
            let entity = EntityMut::new(world, entity);
            entity.map(|mut entity| entity.add(component.clone())).is_ok()
        };
        return selection.iter().filter(|entity| add(*entity)).count();
    }
    let mut count = 0;
    for (at, block) in selection.blocks.iter().enumerate() {
        let living = selection.living(world.ids(), at);
        count += living.count_ones() as usize;
        for lane in lanes(living) {
            let entity = Entity::living((at * BLOCK + lane) as u32, block.generations[lane]);
            let ids = world.ids_mut();
            if ids.has_disabled() {
                ids.set_enabled(entity, <W as HasTable<C>>::ID, true);
            }
            ids.set_component(const { W::SCHEMA.mask_words() }, entity, <W as HasTable<C>>::ID);
        }
        world.table_mut().fill_slots(at, living, &block.generations, component);
    }
    count
}

impl<C: Component> Table<C> {
    /// Empties those of some slots of a block that belong to entities of these generations, disabled ones as well; tells
    /// which.
    fn discard_slots(&mut self, at: usize, slots: u64, generations: &[u32; BLOCK]) -> u64 {
        let Some(block) = self.blocks.get_mut(at).and_then(Option::as_deref_mut) else { return 0 };
        let held = slots & (block.present | block.aside);
        if held == 0 {
            return 0;
        }
        let gone = same_slots(held, &block.generations, generations);
        block.touched |= gone & block.present;
        block.present &= !gone;
        block.aside &= !gone;
        self.idle += usize::from(gone != 0 && block.is_empty());
        self.note_touched(at);
        self.summarize(at);
        gone
    }

    /// Puts a value into some slots of a block, for living entities of these generations.
    fn fill_slots(&mut self, at: usize, slots: u64, generations: &[u32; BLOCK], value: &C) {
        if slots == 0 {
            return;
        }
        if !matches!(self.blocks.get(at), Some(Some(_))) {
            self.make_block(at);
        }
        let Some(block) = self.blocks.get_mut(at).and_then(Option::as_deref_mut) else { return };
        self.idle -= usize::from(block.is_empty());
        block.touched |= slots;
        block.present |= slots;
        block.aside &= !slots;
        for lane in lanes(slots) {
            block.generations[lane] = generations[lane];
            block.values[lane].clone_from(value);
        }
        self.note_touched(at);
        self.summarize(at);
    }
}

/// Empties the slots of a selection in every table.
struct Discard<'s> {
    selection: &'s Selection,
}

impl<W: GameWorld> VisitMut<W> for Discard<'_> {
    fn table<C: Component>(&mut self, table: &mut Table<C>)
    where
        W: HasTable<C>,
    {
        for (at, block) in self.selection.blocks.iter().enumerate() {
            table.discard_slots(at, block.slots, &block.generations);
        }
    }
}
