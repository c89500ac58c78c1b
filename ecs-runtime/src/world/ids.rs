//! The allocator of ids, and which components each entity has.

use super::block::{BLOCK, lanes};
use super::created::Created;
use super::filter::{OfKinds, Where};
use super::relations::Doomed;
use super::{ComponentId, block};
use crate::{Entity, Tick};

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
    pub(super) masks: Vec<u64>,
    /// The disabled components of each slot, likewise, as far as there were any.
    pub(super) disabled: Vec<u64>,
    pub(super) mask_words: usize,
    blocks: Vec<IdBlock>,
    /// By block: the slots that came to life or died since this was last cleared. Reaches further than the blocks
    /// where a copy of a smaller state took some away.
    touched: Vec<u64>,
    kinds: Vec<KindBlocks>,
    /// No block below this one is nobody's.
    first_unowned: usize,
    /// Who was last shown what is touched, here and in the tables; 0 if nobody was.
    observer: u64,
    /// The last tick that was ended.
    tick: Tick,
    pub(super) created: Created,
    pub(super) doomed: Doomed,
}

/// Sixty-four neighbouring slots.
#[derive(Clone, Copy, Debug, Default)]
struct IdBlock {
    /// The slots that are alive.
    alive: u64,
    /// The slots that may be used next. A slot that has spent all generations is neither alive nor free.
    free: u64,
    owner: Option<Kind>,
}

/// The blocks of one kind.
#[derive(Debug)]
struct KindBlocks {
    /// All of its blocks, a bit each.
    owned: Vec<u64>,
    /// Those that have a free slot.
    open: Vec<u64>,
    /// The lowest of those, or `usize::MAX`.
    first: usize,
}

impl Clone for KindBlocks {
    fn clone(&self) -> Self {
        Self { owned: self.owned.clone(), open: self.open.clone(), first: self.first }
    }

    // Derived, this would allocate; copies of states must not.
    fn clone_from(&mut self, other: &Self) {
        self.owned.clone_from(&other.owned);
        self.open.clone_from(&other.open);
        self.first = other.first;
    }
}

impl Entities {
    /// No entities, of at most `components` component types.
    #[must_use]
    pub fn new(components: usize) -> Self {
        Self {
            generations: Vec::new(),
            masks: Vec::new(),
            disabled: Vec::new(),
            mask_words: components.div_ceil(64).max(1),
            blocks: Vec::new(),
            touched: Vec::new(),
            kinds: Vec::new(),
            first_unowned: 0,
            observer: 0,
            tick: Tick(0),
            created: Created::default(),
            doomed: Doomed::default(),
        }
    }

    /// Takes note of who is about to clear what is touched; `false` if it was somebody else the last time, or nobody.
    pub(crate) fn observe(&mut self, observer: u64) -> bool {
        core::mem::replace(&mut self.observer, observer) == observer
    }

    /// The last tick that the state ended, by its own count; the one that runs is the next.
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.tick
    }

    pub(crate) fn end_tick(&mut self) -> Tick {
        self.tick = self.tick + 1;
        let alive = |at: usize| self.blocks.get(at).map_or(0, |block: &IdBlock| block.alive);
        self.created.end_tick(self.tick, &self.generations, alive);
        self.tick
    }

    /// The generations of a block's slots.
    #[inline]
    pub(super) fn generations_in(&self, block: usize) -> Option<&[u32; BLOCK]> {
        self.generations.as_chunks().0.get(block)
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

    /// How many entities are alive; counts a block of 64 at a time.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.alive.count_ones() as usize).sum()
    }

    /// Whether none is alive.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.iter().all(|block| block.alive == 0)
    }

    /// Every living entity, in the order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = Entity> + '_ {
        self.blocks.iter().enumerate().flat_map(move |(at, block)| {
            lanes(block.alive).filter_map(move |lane| self.at((at * BLOCK + lane) as u32))
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
        self.blocks.get(block).map_or(0, |block| block.alive)
    }

    /// How many blocks of slots there are.
    #[inline]
    pub(crate) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// How many blocks may have slots that came to life or died.
    #[inline]
    pub(crate) fn touched_blocks(&self) -> usize {
        self.touched.len()
    }

    /// The block's slots that came to life or died since the last call; clears them.
    pub(crate) fn take_touched(&mut self, block: usize) -> u64 {
        self.touched.get_mut(block).map_or(0, core::mem::take)
    }

    /// The entities of some kinds, for the filter of a query.
    #[inline]
    #[must_use]
    pub fn of_kinds<const N: usize>(&self, kinds: [Kind; N]) -> Where<OfKinds<'_, N>> {
        Where(OfKinds { ids: self, kinds })
    }

    /// The kind of an entity; the first for one that was never there.
    #[must_use]
    pub fn kind_of(&self, entity: Entity) -> Kind {
        self.blocks.get(block::split(entity.index()).0).and_then(|block| block.owner).unwrap_or_default()
    }

    /// The blocks of a chunk that belong to a kind.
    #[inline]
    pub(super) fn blocks_of(&self, kind: Kind, chunk: usize) -> u64 {
        let kind = self.kinds.get(usize::from(kind.0));
        kind.and_then(|kind| kind.owned.get(chunk)).copied().unwrap_or(0)
    }

    /// How much memory it holds, in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        let lists = |kind: &KindBlocks| (kind.owned.capacity() + kind.open.capacity()) * size_of::<u64>();
        let kinds = self.kinds.iter().map(lists);
        self.generations.capacity() * size_of::<u32>()
            + (self.masks.capacity() + self.disabled.capacity() + self.touched.capacity()) * size_of::<u64>()
            + self.blocks.capacity() * size_of::<IdBlock>()
            + kinds.sum::<usize>()
            + self.created.memory()
    }

    /// Makes room for the slots below `slots`.
    pub(crate) fn reserve(&mut self, max_entities: u32, slots: u32) {
        while self.blocks.len() * BLOCK < slots as usize {
            self.push_block(max_entities);
        }
        self.first_unowned = self.first_unowned.min(self.blocks.len());
    }

    /// Whether a living entity has a component.
    #[must_use]
    pub fn has_component(&self, entity: Entity, component: ComponentId) -> bool {
        let word = self.mask(entity.index()).get(component.index() / 64).copied().unwrap_or(0);
        self.contains(entity) && word >> (component.index() % 64) & 1 == 1
    }

    /// Notes that a living entity has a component, which is not disabled. `mask_words` is the state's, known when this is compiled.
    #[inline]
    pub(crate) fn set_component(&mut self, mask_words: usize, entity: Entity, component: ComponentId) {
        let at = entity.index() as usize * mask_words + component.index() / 64;
        self.masks[at] |= 1 << (component.index() % 64);
    }

    /// Notes that a new entity has components, of those with a number below 64.
    #[inline]
    pub(crate) fn set_first_components(&mut self, mask_words: usize, entity: Entity, components: u64) {
        self.masks[entity.index() as usize * mask_words] = components;
    }

    /// Notes that a living entity has a component no more, which was not disabled.
    #[inline]
    pub(crate) fn clear_component(&mut self, mask_words: usize, entity: Entity, component: ComponentId) {
        let at = entity.index() as usize * mask_words + component.index() / 64;
        self.masks[at] &= !(1 << (component.index() % 64));
    }

    /// Takes one word of a slot's mask, with what is disabled, which is empty afterwards.
    #[inline]
    pub(crate) fn take_mask_word(&mut self, entity: Entity, word: usize) -> u64 {
        let at = entity.index() as usize * self.mask_words + word;
        let disabled = self.disabled.get_mut(at).map_or(0, core::mem::take);
        core::mem::take(&mut self.masks[at]) | disabled
    }

    #[inline]
    pub(crate) fn create(&mut self, max_entities: u32, kind: Kind) -> Result<Entity, CreateError> {
        let at = match self.kinds.get(usize::from(kind.0)) {
            Some(blocks) if blocks.first != usize::MAX => blocks.first,
            _ => self.claim_block(max_entities, kind)?,
        };
        let block = &mut self.blocks[at];
        let lane = block.free.trailing_zeros() as usize % BLOCK;
        block.take(lane);
        self.touched[at] |= 1 << lane;
        if self.blocks[at].free == 0 {
            self.close(at);
        }
        let index = at * BLOCK + lane;
        let generation = &mut self.generations[index];
        *generation += 1;
        Ok(Entity::living(index as u32, *generation))
    }

    /// Makes the slot of a handle alive with just its generation: for a state that follows another one.
    ///
    /// Nothing happens, and `false` is returned, when the slot is alive or beyond `max_entities`.
    pub(crate) fn create_at(&mut self, max_entities: u32, entity: Entity) -> bool {
        let (at, lane) = block::split(entity.index());
        if entity.index() >= max_entities || self.alive_in(at) >> lane & 1 == 1 {
            return false;
        }
        while self.blocks.len() <= at {
            self.push_block(max_entities);
        }
        if self.blocks[at].owner.is_none() {
            self.give_block(at, Kind::default());
        }
        self.generations[entity.index() as usize] = entity.generation();
        self.blocks[at].take(lane);
        self.touched[at] |= 1 << lane;
        if self.blocks[at].free == 0 {
            self.close(at);
        }
        true
    }

    /// Frees the slot of a living entity whose mask is empty already.
    #[inline]
    pub(crate) fn destroy(&mut self, entity: Entity) {
        let (at, lane) = block::split(entity.index());
        let generation = &mut self.generations[entity.index() as usize];
        *generation = generation.wrapping_add(1);
        let spent = *generation == 0;
        let block = &mut self.blocks[at];
        block.alive &= !(1 << lane);
        self.touched[at] |= 1 << lane;
        if spent {
            // All generations of this slot were used: using it again would revive old handles.
            return;
        }
        let was_full = block.free == 0;
        block.free |= 1 << lane;
        if was_full {
            self.open(at);
        }
    }

    /// Frees every slot.
    pub(crate) fn reset(&mut self) {
        let slots = self.touched.iter_mut().zip(self.generations.chunks_exact_mut(BLOCK));
        for (block, (touched, generations)) in self.blocks.iter_mut().zip(slots) {
            let mut reusable = block.alive;
            if reusable != 0 && generations.contains(&u32::MAX) {
                for lane in lanes(block.alive).filter(|&lane| generations[lane] == u32::MAX) {
                    reusable &= !(1 << lane);
                }
            }
            for generation in generations {
                *generation = generation.wrapping_add(*generation & 1);
            }
            *touched |= block.alive;
            block.free |= reusable;
            block.alive = 0;
            block.owner = None;
        }
        self.masks.fill(0);
        self.disabled.fill(0);
        self.first_unowned = 0;
        for kind in &mut self.kinds {
            kind.owned.fill(0);
            kind.open.fill(0);
            kind.first = usize::MAX;
        }
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.generations.clone_from(&other.generations);
        self.masks.clone_from(&other.masks);
        self.disabled.clone_from(&other.disabled);
        self.mask_words = other.mask_words;
        self.touched.resize(self.touched.len().max(other.blocks.len()), 0);
        for blocks in [&self.blocks, &other.blocks] {
            for (touched, block) in self.touched.iter_mut().zip(blocks) {
                *touched |= block.alive;
            }
        }
        self.blocks.clone_from(&other.blocks);
        self.kinds.clone_from(&other.kinds);
        self.first_unowned = other.first_unowned;
    }

    /// Notes that a block has no free slot left; once in 64 creations, so apart from them.
    #[inline(never)]
    fn close(&mut self, at: usize) {
        let Some(kind) = self.blocks[at].owner else { return };
        let kind = &mut self.kinds[usize::from(kind.0)];
        kind.open[at / 64] &= !(1 << (at % 64));
        if kind.first == at {
            kind.first = first_bit(&kind.open, at / 64);
        }
    }

    /// Notes that a block has a free slot.
    #[inline(never)]
    fn open(&mut self, at: usize) {
        let Some(kind) = self.blocks[at].owner else { return };
        let kind = &mut self.kinds[usize::from(kind.0)];
        kind.open[at / 64] |= 1 << (at % 64);
        kind.first = kind.first.min(at);
    }

    /// A block for `kind`: the lowest one that is nobody's, a new one, or the lowest of another kind that is empty.
    #[cold]
    fn claim_block(&mut self, max_entities: u32, kind: Kind) -> Result<usize, CreateError> {
        let unused = |block: &IdBlock| block.alive == 0 && block.free != 0;
        let candidates = self.blocks.iter().enumerate().skip(self.first_unowned);
        let unowned = candidates.filter(|(_, block)| block.owner.is_none()).find(|(_, block)| unused(block));
        let unowned = unowned.map(|(at, _)| at);
        // Above it, there may be more; below it, only blocks whose slots are all spent.
        self.first_unowned = unowned.unwrap_or(self.blocks.len());
        let at = if let Some(at) = unowned {
            at
        } else if self.blocks.len() * BLOCK < max_entities as usize {
            self.push_block(max_entities);
            self.blocks.len() - 1
        } else {
            let full = CreateError::Full { kind, max_entities, alive: self.len() as u32 };
            self.blocks.iter().position(unused).ok_or(full)?
        };
        self.give_block(at, kind);
        Ok(at)
    }

    fn push_block(&mut self, max_entities: u32) {
        let first = self.blocks.len() * BLOCK;
        let slots = (max_entities as usize - first).min(BLOCK);
        self.generations.resize(first + BLOCK, 0);
        self.masks.resize((first + BLOCK) * self.mask_words, 0);
        self.blocks.push(IdBlock { free: u64::MAX >> (BLOCK - slots), ..IdBlock::default() });
        self.touched.resize(self.touched.len().max(self.blocks.len()), 0);
    }

    fn give_block(&mut self, at: usize, kind: Kind) {
        if let Some(before) = self.blocks[at].owner {
            self.close(at);
            self.kinds[usize::from(before.0)].owned[at / 64] &= !(1 << (at % 64));
        }
        self.blocks[at].owner = Some(kind);
        let kinds = self.kinds.len().max(usize::from(kind.0) + 1);
        self.kinds.resize_with(kinds, || KindBlocks {
            owned: Vec::new(),
            open: Vec::new(),
            first: usize::MAX,
        });
        for kind in &mut self.kinds {
            kind.owned.resize(self.blocks.len().div_ceil(64), 0);
            kind.open.resize(self.blocks.len().div_ceil(64), 0);
        }
        self.kinds[usize::from(kind.0)].owned[at / 64] |= 1 << (at % 64);
        self.open(at);
    }
}

impl IdBlock {
    #[inline]
    fn take(&mut self, lane: usize) {
        let bit = 1 << lane;
        self.alive |= bit;
        self.free &= !bit;
    }
}

/// The number of the first bit that is set, from word `start` on, or `usize::MAX`.
fn first_bit(words: &[u64], start: usize) -> usize {
    let rest = words.iter().enumerate().skip(start);
    let first = rest
        .filter(|(_, word)| **word != 0)
        .map(|(at, word)| at * 64 + word.trailing_zeros() as usize)
        .next();
    first.unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
