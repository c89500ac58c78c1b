//! The allocator of ids, and which components each entity has.

use super::block::{BLOCK, lanes};
use super::{ComponentId, block};
use crate::Entity;

/// A kind of entities. Blocks of 64 indices belong to a kind, so that entities of one kind lie together.
///
/// The first kind, 0, is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(pub u8);

/// Why an entity could not be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// Every index that the kind could have is in use.
    #[error(
        "no room for an entity of {kind:?}: the state holds at most {max_entities} entities, {alive} live"
    )]
    Full {
        /// The kind that was asked for.
        kind: Kind,
        /// The declared maximum of the state.
        max_entities: u32,
        /// How many entities are alive.
        alive: u32,
    },
}

/// The entity of a handle is gone, or never was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entity {0:?} is not alive")]
pub struct NoSuchEntity(pub Entity);

/// The ids of a state: which slots are alive, their generations, and a mask of components for each.
///
/// The lowest free index of a kind's blocks is taken first, so that what is created next depends on the contents
/// alone and not on the history.
#[derive(Clone, Debug)]
pub struct Entities {
    /// The generation of each slot; odd while it is alive.
    generations: Vec<u32>,
    /// The components of each slot, `mask_words` words each.
    masks: Vec<u64>,
    mask_words: usize,
    /// By block: the slots that are alive.
    alive: Vec<u64>,
    /// By block: the slots that may be used next. A slot that has spent all generations is neither.
    free: Vec<u64>,
    /// By block: the slots whose life or components changed since this was last cleared.
    touched: Vec<u64>,
    /// By block: whose it is.
    owner: Vec<Option<Kind>>,
    /// By kind: a bit for each block of its own that has a free slot.
    open: Vec<Vec<u64>>,
    count: u32,
}

impl Entities {
    /// No entities, of at most `components` component types.
    #[must_use]
    pub fn new(components: usize) -> Self {
        Self {
            generations: Vec::new(),
            masks: Vec::new(),
            mask_words: components.div_ceil(64).max(1),
            alive: Vec::new(),
            free: Vec::new(),
            touched: Vec::new(),
            owner: Vec::new(),
            open: Vec::new(),
            count: 0,
        }
    }

    /// Whether the entity of this handle is alive.
    #[inline]
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        // Handles have odd generations, so equality implies that the slot is alive.
        self.generations.get(entity.index() as usize) == Some(&entity.generation())
    }

    /// The handle again, if its entity is alive.
    #[inline]
    pub fn check(&self, entity: Entity) -> Result<Entity, NoSuchEntity> {
        if self.contains(entity) { Ok(entity) } else { Err(NoSuchEntity(entity)) }
    }

    /// How many entities are alive.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether none is alive.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Every living entity, in the order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = Entity> + '_ {
        self.alive.iter().enumerate().flat_map(move |(block, &alive)| {
            lanes(alive).filter_map(move |lane| self.at((block * BLOCK + lane) as u32))
        })
    }

    /// The living entity at an index.
    #[inline]
    #[must_use]
    pub fn at(&self, index: u32) -> Option<Entity> {
        Entity::new(index, *self.generations.get(index as usize)?)
    }

    /// The components of the entity at an index, a bit each: [`Self::mask_words`] words, none beyond the slots.
    #[inline]
    #[must_use]
    pub fn mask(&self, index: u32) -> &[u64] {
        let at = index as usize * self.mask_words;
        self.masks.get(at..at + self.mask_words).unwrap_or(&[])
    }

    /// How many words a mask has.
    #[must_use]
    pub fn mask_words(&self) -> usize {
        self.mask_words
    }

    /// The block's living slots, a bit each.
    #[inline]
    pub(crate) fn alive_in(&self, block: usize) -> u64 {
        self.alive.get(block).copied().unwrap_or(0)
    }

    /// How many blocks of slots there are.
    #[inline]
    pub(crate) fn blocks(&self) -> usize {
        self.alive.len()
    }

    /// The block's slots that changed since the last call; clears them.
    pub(crate) fn take_touched(&mut self, block: usize) -> u64 {
        self.touched.get_mut(block).map_or(0, core::mem::take)
    }

    /// How many blocks may have slots that changed.
    pub(crate) fn touched_blocks(&self) -> usize {
        self.touched.len()
    }

    #[inline]
    fn touch(&mut self, entity: Entity) {
        let (block, lane) = block::split(entity.index());
        self.touched[block] |= 1 << lane;
    }

    /// Whether a living entity has a component.
    #[must_use]
    pub fn has_component(&self, entity: Entity, component: ComponentId) -> bool {
        let word = self.mask(entity.index()).get(component.index() / 64).copied().unwrap_or(0);
        self.contains(entity) && word >> (component.index() % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn set_component(&mut self, entity: Entity, component: ComponentId) {
        let at = entity.index() as usize * self.mask_words + component.index() / 64;
        self.masks[at] |= 1 << (component.index() % 64);
        self.touch(entity);
    }

    #[inline]
    pub(crate) fn clear_component(&mut self, entity: Entity, component: ComponentId) {
        let at = entity.index() as usize * self.mask_words + component.index() / 64;
        self.masks[at] &= !(1 << (component.index() % 64));
        self.touch(entity);
    }

    /// Takes one word of a slot's mask, which is empty afterwards.
    #[inline]
    pub(crate) fn take_mask_word(&mut self, entity: Entity, word: usize) -> u64 {
        core::mem::take(&mut self.masks[entity.index() as usize * self.mask_words + word])
    }

    #[inline]
    pub(crate) fn create(&mut self, max_entities: u32, kind: Kind) -> Result<Entity, CreateError> {
        let open = self.open.get(usize::from(kind.0)).and_then(|blocks| first_bit(blocks));
        let block = match open {
            Some(block) => block,
            None => self.claim_block(max_entities, kind)?,
        };
        let lane = self.free[block].trailing_zeros() as usize;
        let index = block * BLOCK + lane;
        self.generations[index] += 1;
        self.take_slot(block, lane);
        Ok(Entity::new(index as u32, self.generations[index]).unwrap_or(Entity::NONE))
    }

    /// Makes the slot of a handle alive with just its generation: for a state that follows another one.
    ///
    /// Nothing happens, and `false` is returned, when the slot is alive or beyond `max_entities`.
    pub(crate) fn create_at(&mut self, max_entities: u32, entity: Entity) -> bool {
        let (block, lane) = block::split(entity.index());
        if entity.index() >= max_entities || self.alive_in(block) >> lane & 1 == 1 {
            return false;
        }
        while self.alive.len() <= block {
            self.push_block(max_entities);
        }
        if self.owner[block].is_none() {
            self.give_block(block, Kind::default());
        }
        self.free[block] |= 1 << lane;
        self.generations[entity.index() as usize] = entity.generation();
        self.take_slot(block, lane);
        true
    }

    /// Frees the slot of a living entity whose mask is empty already.
    #[inline]
    pub(crate) fn destroy(&mut self, entity: Entity) {
        let (block, lane) = block::split(entity.index());
        let generation = &mut self.generations[entity.index() as usize];
        *generation = generation.wrapping_add(1);
        let spent = *generation == 0;
        self.alive[block] &= !(1 << lane);
        self.touched[block] |= 1 << lane;
        self.count -= 1;
        if spent {
            // All generations of this slot were used: using it again would revive old handles.
            return;
        }
        self.free[block] |= 1 << lane;
        if let Some(kind) = self.owner[block] {
            self.open[usize::from(kind.0)][block / 64] |= 1 << (block % 64);
        }
    }

    /// Frees every slot.
    pub(crate) fn reset(&mut self) {
        for (block, generations) in self.generations.chunks_exact_mut(BLOCK).enumerate() {
            let mut reusable = self.alive[block];
            if reusable != 0 && generations.contains(&u32::MAX) {
                for lane in lanes(self.alive[block]).filter(|&lane| generations[lane] == u32::MAX) {
                    reusable &= !(1 << lane);
                }
            }
            for generation in generations {
                *generation = generation.wrapping_add(*generation & 1);
            }
            self.free[block] |= reusable;
            self.touched[block] |= self.alive[block];
        }
        self.alive.fill(0);
        self.masks.fill(0);
        self.owner.fill(None);
        for blocks in &mut self.open {
            blocks.fill(0);
        }
        self.count = 0;
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.touched.resize(self.touched.len().max(other.alive.len()), 0);
        for alive in [&self.alive, &other.alive] {
            for (touched, alive) in self.touched.iter_mut().zip(alive) {
                *touched |= alive;
            }
        }
        self.generations.clone_from(&other.generations);
        self.masks.clone_from(&other.masks);
        self.mask_words = other.mask_words;
        self.alive.clone_from(&other.alive);
        self.free.clone_from(&other.free);
        self.owner.clone_from(&other.owner);
        self.open.clone_from(&other.open);
        self.count = other.count;
    }

    #[inline]
    fn take_slot(&mut self, block: usize, lane: usize) {
        self.alive[block] |= 1 << lane;
        self.touched[block] |= 1 << lane;
        self.free[block] &= !(1 << lane);
        self.count += 1;
        if self.free[block] == 0
            && let Some(kind) = self.owner[block]
        {
            self.open[usize::from(kind.0)][block / 64] &= !(1 << (block % 64));
        }
    }

    /// A block for `kind`: a new one, or one of another kind that is empty.
    #[cold]
    fn claim_block(&mut self, max_entities: u32, kind: Kind) -> Result<usize, CreateError> {
        let unused = |block: &usize| self.alive[*block] == 0 && self.free[*block] != 0;
        let unowned = (0..self.alive.len()).find(|block| self.owner[*block].is_none() && unused(block));
        let block = if let Some(block) = unowned {
            block
        } else if self.alive.len() * BLOCK < max_entities as usize {
            self.push_block(max_entities);
            self.alive.len() - 1
        } else {
            let full = CreateError::Full { kind, max_entities, alive: self.count };
            (0..self.alive.len()).find(unused).ok_or(full)?
        };
        self.give_block(block, kind);
        Ok(block)
    }

    fn push_block(&mut self, max_entities: u32) {
        let first = self.alive.len() * BLOCK;
        let slots = (max_entities as usize - first).min(BLOCK);
        self.generations.resize(first + BLOCK, 0);
        self.masks.resize((first + BLOCK) * self.mask_words, 0);
        self.alive.push(0);
        self.free.push(u64::MAX >> (BLOCK - slots));
        self.touched.resize(self.touched.len().max(self.alive.len()), 0);
        self.owner.push(None);
    }

    fn give_block(&mut self, block: usize, kind: Kind) {
        if let Some(before) = self.owner[block].replace(kind) {
            self.open[usize::from(before.0)][block / 64] &= !(1 << (block % 64));
        }
        let kinds = self.open.len().max(usize::from(kind.0) + 1);
        self.open.resize(kinds, Vec::new());
        for blocks in &mut self.open {
            blocks.resize(self.alive.len().div_ceil(64), 0);
        }
        self.open[usize::from(kind.0)][block / 64] |= 1 << (block % 64);
    }
}

/// The number of the first bit that is set.
#[inline]
fn first_bit(words: &[u64]) -> Option<usize> {
    let word = words.iter().position(|&word| word != 0)?;
    Some(word * 64 + words[word].trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_handle_is_never_taken_for_a_new_entity() {
        let mut ids = Entities::new(1);
        let old = ids.create(64, Kind(0)).expect("room");
        ids.destroy(old);
        let new = ids.create(64, Kind(0)).expect("room");
        assert_eq!(old.index(), new.index());
        assert!(!ids.contains(old) && ids.contains(new));
        ids.reset();
        assert!(!ids.contains(new) && !ids.contains(old));
    }

    #[test]
    fn more_than_the_maximum_is_a_typed_error() {
        let mut ids = Entities::new(1);
        for _ in 0..70 {
            ids.create(70, Kind(0)).expect("room");
        }
        let error = ids.create(70, Kind(0)).expect_err("full");
        assert_eq!(error, CreateError::Full { kind: Kind(0), max_entities: 70, alive: 70 });
        assert_eq!(ids.iter().count(), 70);
    }

    #[test]
    fn kinds_have_blocks_of_their_own_and_fill_their_own_holes_first() {
        let mut ids = Entities::new(1);
        let a = ids.create(256, Kind(0)).expect("room");
        let b = ids.create(256, Kind(3)).expect("room");
        let c = ids.create(256, Kind(0)).expect("room");
        assert_eq!((a.index(), b.index(), c.index()), (0, 64, 1));
        ids.destroy(a);
        assert_eq!(ids.create(256, Kind(3)).map(Entity::index), Ok(65));
        assert_eq!(ids.create(256, Kind(0)).map(Entity::index), Ok(0));
    }

    #[test]
    fn a_kind_takes_over_a_block_that_is_empty() {
        let mut ids = Entities::new(1);
        let a = ids.create(64, Kind(0)).expect("room");
        assert!(ids.create(64, Kind(1)).is_err());
        ids.destroy(a);
        let b = ids.create(64, Kind(1)).expect("the block is empty");
        assert_eq!(b.index(), 0);
        assert!(ids.create(64, Kind(0)).is_err());
    }

    #[test]
    fn a_slot_that_spent_its_generations_is_retired() {
        let mut ids = Entities::new(1);
        let last = Entity::new(0, u32::MAX).expect("odd");
        assert!(ids.create_at(64, last));
        ids.destroy(last);
        assert_eq!(ids.create(64, Kind(0)).map(Entity::index), Ok(1));
        let last = Entity::new(2, u32::MAX).expect("odd");
        assert!(ids.create_at(64, last));
        ids.reset();
        let taken: Vec<_> = (0..62).map(|_| ids.create(64, Kind(0)).expect("room").index()).collect();
        assert!(!taken.contains(&0) && !taken.contains(&2));
        assert!(ids.create(64, Kind(0)).is_err());
    }

    #[test]
    fn following_another_state_takes_its_handles() {
        let mut ids = Entities::new(1);
        let entity = Entity::new(130, 9).expect("odd");
        assert!(ids.create_at(256, entity) && ids.contains(entity));
        assert!(!ids.create_at(256, Entity::new(130, 11).expect("odd")), "the slot is alive");
        assert!(!ids.create_at(256, Entity::new(256, 1).expect("odd")), "beyond the maximum");
        assert_eq!(ids.iter().collect::<Vec<_>>(), [entity]);
    }
}
