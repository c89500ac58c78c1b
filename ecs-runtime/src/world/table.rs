//! The table of one component.

use super::block::{BLOCK, BlockOf, split};
use super::filter::{Filtered, Neither, Present, Where};
use super::index::Indices;
use super::join::{JoinIter, Part};
use super::track::Track;
use crate::{Component, Entity};

/// Every value of one component, each at the slot of its entity.
///
/// A value's place depends on the entity's index alone, so adding and removing moves nothing, and iteration is in
/// the order of indices. Values change here; what exists changes only through the state that the table belongs to.
#[derive(Clone, Debug)]
pub struct Table<C> {
    /// Blocks of 64 slots, made when first needed and kept.
    pub(super) blocks: Vec<BlockSlot<C>>,
    /// A bit for each block that is not empty.
    nonempty: Vec<u64>,
    /// A bit for each block that is full.
    full: Vec<u64>,
    /// A bit for each block with a disabled component, as far as there were any.
    aside: Vec<u64>,
    /// How many blocks were made and are empty.
    pub(super) idle: usize,
    /// What changed in the last ticks, of a component that is tracked.
    pub(super) track: Track<C>,
    indices: Indices<C>,
}

/// The place of a block, until it is made.
pub(crate) type BlockSlot<C> = Option<Box<BlockOf<C>>>;

impl<C: Component> Default for Table<C> {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            nonempty: Vec::new(),
            full: Vec::new(),
            aside: Vec::new(),
            idle: 0,
            track: Track::default(),
            indices: Indices::default(),
        }
    }
}

impl<C: Component> Table<C> {
    /// How many entities have the component; counts a block of 64 at a time.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.iter().flatten().map(|block| block.present.count_ones() as usize).sum()
    }

    /// Whether no entity has the component.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nonempty.iter().all(|&blocks| blocks == 0)
    }

    /// Whether the entity is alive and has the component.
    #[inline]
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.get(entity).is_some()
    }

    /// The component of an entity; `None` for a stale handle as well.
    #[inline]
    #[must_use]
    pub fn get(&self, entity: Entity) -> Option<&C> {
        let (block, lane) = split(entity.index());
        let block = self.blocks.get(block)?.as_deref()?;
        block.holds(lane, entity.generation()).then(|| &block.values[lane])
    }

    /// The component of an entity, to be changed; counts as touched.
    #[inline]
    pub fn get_mut(&mut self, entity: Entity) -> Option<&mut C> {
        let (at, lane) = split(entity.index());
        let block = self.blocks.get_mut(at)?.as_deref_mut()?;
        if !block.holds(lane, entity.generation()) {
            return None;
        }
        block.touched |= 1 << lane;
        note_touched::<C>(&mut self.indices.unfolded, at);
        Some(&mut block.values[lane])
    }

    /// Every entity that has the component, with it, in the order of indices.
    #[inline]
    pub fn iter(&self) -> JoinIter<&Self> {
        JoinIter::new(self.fetch())
    }

    /// The same, to be changed; what is visited counts as touched.
    #[inline]
    pub fn iter_mut(&mut self) -> JoinIter<&mut Self> {
        JoinIter::new(self.fetch())
    }

    /// The entities that have the component, for the filter of a query.
    #[inline]
    #[must_use]
    pub fn present(&self) -> Where<Present<'_, C>> {
        Where(Present(self))
    }

    /// Every entity that a filter lets through, with its component.
    #[inline]
    pub fn filter<F>(&self, filter: Where<F>) -> Filtered<&Self, Where<F>> {
        Filtered { query: self, filter }
    }

    /// Every entity that has both components, this one to be read.
    #[inline]
    pub fn with<'a, D: Component>(
        &'a self,
        other: &'a Table<D>,
    ) -> Filtered<&'a Self, Where<Present<'a, D>>> {
        self.filter(other.present())
    }

    /// Every entity that has this component and not the other.
    #[inline]
    pub fn without<'a, D: Component>(
        &'a self,
        other: &'a Table<D>,
    ) -> Filtered<&'a Self, Where<Neither<Present<'a, D>>>> {
        self.filter(!other.present())
    }

    /// The entity whose component this is, by where it lies; `None` if it is not in this table, or has no fields.
    ///
    /// Looks at each block of 64 once.
    #[must_use]
    pub fn entity_of(&self, component: &C) -> Option<Entity> {
        let place = core::ptr::from_ref(component).addr();
        self.blocks.iter().enumerate().find_map(|(at, block)| {
            let block = block.as_deref()?;
            let offset = place.checked_sub(block.values.as_ptr().addr())?;
            let lane = offset.checked_div(size_of::<C>()).filter(|lane| *lane < BLOCK)?;
            let present = block.present >> lane & 1 == 1;
            present.then(|| Entity::living((at * BLOCK + lane) as u32, block.generations[lane]))
        })
    }

    /// Makes room for the entities of indices below `indices`, so that adding to them allocates nothing.
    pub fn reserve(&mut self, indices: u32) {
        let blocks = (indices as usize).div_ceil(BLOCK);
        self.grow(blocks);
        for at in 0..blocks {
            if self.blocks[at].is_none() {
                self.blocks[at] = Some(BlockOf::boxed());
                self.idle += 1;
            }
        }
    }

    /// How much memory it holds, in bytes, and how many blocks of 64 slots that is.
    #[must_use]
    pub fn memory(&self) -> (usize, usize) {
        let blocks = self.blocks.iter().flatten().count();
        let lists = self.blocks.capacity() * size_of::<BlockSlot<C>>()
            + (self.nonempty.capacity() + self.full.capacity() + self.aside.capacity()) * size_of::<u64>();
        (blocks * size_of::<BlockOf<C>>() + lists + self.track_memory() + self.indices.memory(), blocks)
    }

    /// Puts a value at the slot of a living entity, whose component is not disabled; gives back what was there.
    #[inline]
    pub(crate) fn insert(&mut self, entity: Entity, value: C) -> Option<C> {
        let (at, lane) = split(entity.index());
        if !matches!(self.blocks.get(at), Some(Some(_))) {
            self.make_block(at);
        }
        // The block itself is borrowed, not its box: that would be looked up again after each write.
        let block = self.blocks.get_mut(at)?.as_deref_mut()?;
        let (bit, before) = (1 << lane, block.present);
        debug_assert!(block.aside & bit == 0, "what is disabled is enabled first");
        block.touched |= bit;
        note_touched::<C>(&mut self.indices.unfolded, at);
        if before & bit != 0 {
            return Some(core::mem::replace(&mut block.values[lane], value));
        }
        block.present |= bit;
        block.generations[lane] = entity.generation();
        block.values[lane] = value;
        if before == 0 {
            self.nonempty[at / 64] |= 1 << (at % 64);
            self.idle -= usize::from(block.aside == 0);
        }
        if before | bit == u64::MAX {
            self.full[at / 64] |= 1 << (at % 64);
        }
        None
    }

    /// Takes the value out of the slot of an entity, if it is not disabled, and gives it back.
    #[inline]
    pub(crate) fn remove(&mut self, entity: Entity) -> Option<C> {
        let ((at, lane), generation) = (split(entity.index()), entity.generation());
        let block = self.blocks.get_mut(at)?.as_deref_mut()?;
        if !block.holds(lane, generation) {
            return None;
        }
        let value = block.values[lane].clone();
        self.take_out(at, lane);
        Some(value)
    }

    /// Empties the slot of an entity that has the component, disabled or not.
    #[inline]
    pub(crate) fn discard(&mut self, entity: Entity) {
        let (at, lane) = split(entity.index());
        if self.present_in(at) >> lane & 1 == 1 {
            self.take_out(at, lane);
        } else {
            self.take_out_disabled(at, lane);
        }
    }

    #[inline]
    fn take_out(&mut self, at: usize, lane: usize) {
        let Some(block) = self.blocks.get_mut(at).and_then(Option::as_deref_mut) else { return };
        let (bit, before) = (1 << lane, block.present);
        block.present &= !bit;
        block.touched |= bit;
        note_touched::<C>(&mut self.indices.unfolded, at);
        if before == u64::MAX {
            self.full[at / 64] &= !(1 << (at % 64));
        }
        if before == bit {
            self.nonempty[at / 64] &= !(1 << (at % 64));
            self.idle += usize::from(block.is_empty());
        }
    }

    /// Brings the summaries of a block up to date.
    pub(super) fn summarize(&mut self, at: usize) {
        let Some(block) = self.blocks.get(at).and_then(Option::as_deref) else { return };
        let of_block = [block.present != 0, block.present == u64::MAX, block.aside != 0];
        self.aside.resize(self.aside.len().max(at / 64 + 1), 0);
        let words = [&mut self.nonempty, &mut self.full, &mut self.aside];
        for (words, is_so) in words.into_iter().zip(of_block) {
            words[at / 64] = words[at / 64] & !(1 << (at % 64)) | u64::from(is_so) << (at % 64);
        }
    }

    /// Empties every slot and keeps the blocks.
    pub(crate) fn clear(&mut self) {
        for block in self.blocks.iter_mut().flatten() {
            self.idle += usize::from(!block.is_empty());
            block.clear();
        }
        self.nonempty.fill(0);
        self.full.fill(0);
        self.aside.fill(0);
        self.note_all_touched();
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        let blocks = self.blocks.len().max(other.blocks.len());
        self.grow(blocks);
        for at in 0..blocks {
            match other.blocks.get(at).and_then(Option::as_deref) {
                Some(from) if !from.is_empty() => {
                    if self.blocks[at].is_none() {
                        self.make_block(at);
                    }
                    if let Some(block) = &mut self.blocks[at] {
                        self.idle -= usize::from(block.is_empty());
                        block.copy_from(from);
                    }
                }
                _ => {
                    if let Some(block) = &mut self.blocks[at] {
                        self.idle += usize::from(!block.is_empty());
                        block.clear();
                    }
                }
            }
        }
        self.nonempty[..other.nonempty.len()].copy_from_slice(&other.nonempty);
        self.nonempty[other.nonempty.len()..].fill(0);
        self.full[..other.full.len()].copy_from_slice(&other.full);
        self.full[other.full.len()..].fill(0);
        self.aside.clone_from(&other.aside);
        self.note_all_touched();
    }

    /// Takes note for the indices that any slot may be touched.
    pub(super) fn note_all_touched(&mut self) {
        self.indices.unfolded.fill(u64::MAX);
    }

    /// Takes note for the indices that slots of a block are touched.
    #[inline]
    pub(crate) fn note_touched(&mut self, at: usize) {
        note_touched::<C>(&mut self.indices.unfolded, at);
    }

    /// Makes the block at `at`: an empty one is moved there before a new one is allocated.
    #[cold]
    pub(super) fn make_block(&mut self, at: usize) {
        self.grow(at + 1);
        let empty = |block: &&mut BlockSlot<C>| block.as_ref().is_some_and(|block| block.is_empty());
        let spare =
            if self.idle > 0 { self.blocks.iter_mut().find(empty).and_then(Option::take) } else { None };
        self.idle += usize::from(spare.is_none());
        self.blocks[at] = Some(spare.unwrap_or_else(BlockOf::boxed));
    }

    fn grow(&mut self, blocks: usize) {
        if blocks > self.blocks.len() {
            self.blocks.resize_with(blocks, || None);
            self.nonempty.resize(blocks.div_ceil(64), 0);
            self.full.resize(blocks.div_ceil(64), 0);
            if !C::INDICES.is_empty() {
                self.indices.grow(blocks);
            }
        }
    }

    pub(crate) fn blocks(&self) -> &[BlockSlot<C>] {
        &self.blocks
    }

    /// The blocks, and what is known of how they changed.
    pub(super) fn blocks_and_track(&mut self) -> (&mut [BlockSlot<C>], &mut Track<C>) {
        (&mut self.blocks, &mut self.track)
    }

    /// The blocks and the indices.
    pub(super) fn blocks_and_indices(&mut self) -> (&mut [BlockSlot<C>], &mut Indices<C>) {
        (&mut self.blocks, &mut self.indices)
    }

    pub(super) fn indices(&self) -> &Indices<C> {
        &self.indices
    }

    pub(crate) fn blocks_mut(&mut self) -> &mut [BlockSlot<C>] {
        &mut self.blocks
    }

    /// The summary words, those that tell the indices what is touched, and the blocks, to be walked together.
    #[inline]
    pub(super) fn split_mut(&mut self) -> (&[u64], &mut [u64], &mut [BlockSlot<C>]) {
        (&self.nonempty, &mut self.indices.unfolded, &mut self.blocks)
    }

    /// The summary of 64 blocks: which are not empty.
    #[inline]
    pub(crate) fn nonempty(&self, chunk: usize) -> u64 {
        self.nonempty.get(chunk).copied().unwrap_or(0)
    }

    /// The summary of 64 blocks: which are full.
    #[inline]
    pub(crate) fn full(&self, chunk: usize) -> u64 {
        self.full.get(chunk).copied().unwrap_or(0)
    }

    /// The summary of 64 blocks: which have a disabled component.
    #[inline]
    pub(crate) fn aside(&self, chunk: usize) -> u64 {
        self.aside.get(chunk).copied().unwrap_or(0)
    }

    /// The same, of all chunks that have any.
    pub(super) fn aside_chunks(&self) -> &[u64] {
        &self.aside
    }

    /// The slots of a block whose component is disabled.
    #[inline]
    pub(crate) fn aside_in(&self, block: usize) -> u64 {
        self.blocks.get(block).and_then(Option::as_deref).map_or(0, |block| block.aside)
    }

    /// How many summary words there are, one for 64 blocks.
    #[inline]
    pub(crate) fn chunks(&self) -> usize {
        self.nonempty.len()
    }

    /// The slots of a block that have the component.
    #[inline]
    pub(crate) fn present_in(&self, block: usize) -> u64 {
        self.blocks.get(block).and_then(Option::as_deref).map_or(0, |block| block.present)
    }
}

/// Sets the bit of a block, of a component with indices.
#[inline]
pub(super) fn note_touched<C: Component>(unfolded: &mut [u64], at: usize) {
    if !C::INDICES.is_empty()
        && let Some(blocks) = unfolded.get_mut(at / 64)
    {
        *blocks |= 1 << (at % 64);
    }
}

impl<'w, C: Component> IntoIterator for &'w Table<C> {
    type Item = (Entity, &'w C);
    type IntoIter = JoinIter<Self>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        JoinIter::new(self.fetch())
    }
}

impl<'w, C: Component> IntoIterator for &'w mut Table<C> {
    type Item = (Entity, &'w mut C);
    type IntoIter = JoinIter<Self>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        JoinIter::new(self.fetch())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Fields, ReadFields, WriteFields};
    use crate::schema::StructSchema;
    use crate::wire::{RowReader, RowWriter};
    use crate::{Component, Quantize};

    #[derive(Clone, Debug, Default)]
    struct Tag;

    impl Quantize for Tag {
        type Row = [u32; 0];

        const SCHEMA: &'static StructSchema =
            &StructSchema { name: "Tag", fields: &[], words: &[], sent: true, marks: &[] };

        fn quantize(&self, _: &mut RowWriter<'_>) {}

        fn dequantize(&mut self, _: &mut RowReader<'_>) {}
    }

    impl Fields for Tag {
        fn read_fields<V: ReadFields>(&self, _: &mut V) -> Result<(), V::Error> {
            Ok(())
        }

        fn write_fields<V: WriteFields>(&mut self, _: &mut V) -> Result<(), V::Error> {
            Ok(())
        }
    }

    impl Component for Tag {
        fn same(&self, _: &Self) -> bool {
            true
        }

        fn interpolate(&mut self, _: &Self, _: &Self, _: f32) {}
    }

    #[test]
    fn an_empty_block_is_used_again_elsewhere_even_where_nobody_captures_the_world() {
        let mut table = Table::default();
        for index in (0..64 * 100).step_by(64) {
            let entity = Entity::new(index, 1).expect("an odd generation");
            table.insert(entity, Tag);
            assert!(table.contains(entity));
            table.discard(entity);
        }
        assert_eq!(table.blocks().iter().flatten().count(), 1);
        assert!(table.is_empty());
    }
}
