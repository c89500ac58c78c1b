//! Words by entity, in blocks of 64 entities that snapshots share.

use std::sync::Arc;

use super::Snapshot;
use crate::codec::StateView;
use crate::world::{BLOCK, lanes};

/// The words of one component, by entity.
#[derive(Debug)]
pub(super) struct Rows {
    width: usize,
    blocks: Vec<Option<Arc<RowBlock>>>,
}

/// The rows of 64 neighbouring entities.
#[derive(Debug)]
pub(super) struct RowBlock {
    pub(super) present: u64,
    pub(super) words: Vec<u32>,
}

/// Blocks that no snapshot holds any more, by table.
#[derive(Debug)]
pub(super) struct Pool(Vec<Vec<Arc<RowBlock>>>);

/// The state of one entity in a snapshot, or what may be seen of it.
#[derive(Clone, Copy, Debug)]
pub struct EntityView<'s> {
    pub(super) header: &'s [u32],
    pub(super) snapshot: &'s Snapshot,
    /// Whether it is what everybody may see.
    pub(super) public: bool,
    pub(super) index: u32,
}

impl EntityView<'_> {
    /// The entity's generation.
    #[inline]
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.header.first().copied().unwrap_or(0)
    }
}

impl StateView for EntityView<'_> {
    #[inline]
    fn header(&self) -> &[u32] {
        self.header
    }

    #[inline]
    fn row(&self, component: u16) -> &[u32] {
        let table = self.snapshot.table(component, self.public);
        table.and_then(|table| table.row(self.index)).unwrap_or(&[])
    }
}

impl Rows {
    pub(super) fn new(width: usize) -> Self {
        Self { width, blocks: Vec::new() }
    }

    /// The words of an entity, if it is there.
    #[inline]
    pub(super) fn row(&self, index: u32) -> Option<&[u32]> {
        let (block, lane) = (index as usize / BLOCK, index as usize % BLOCK);
        let block = self.blocks.get(block)?.as_deref()?;
        if block.present >> lane & 1 == 0 {
            return None;
        }
        block.words.get(lane * self.width..(lane + 1) * self.width)
    }

    /// Whether both share the block of an entity, so that it cannot differ.
    #[inline]
    pub(super) fn same_block(&self, other: &Self, index: u32) -> bool {
        let block =
            |rows: &Self| rows.blocks.get(index as usize / BLOCK).and_then(Option::as_ref).map(Arc::as_ptr);
        block(self) == block(other)
    }

    pub(super) fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        self.blocks.iter().enumerate().flat_map(|(at, block)| {
            let present = block.as_ref().map_or(0, |block| block.present);
            lanes(present).map(move |lane| (at * BLOCK + lane) as u32)
        })
    }

    pub(super) fn end(&self) -> u32 {
        let last =
            self.blocks.iter().rposition(|block| block.as_ref().is_some_and(|block| block.present != 0));
        last.map_or(0, |last| {
            let present = self.blocks[last].as_ref().map_or(0, |block| block.present);
            (last * BLOCK) as u32 + (u64::BITS - present.leading_zeros())
        })
    }

    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn block(&self, at: usize) -> Option<&RowBlock> {
        self.blocks.get(at)?.as_deref()
    }

    /// Shares all blocks of the snapshot before, and gives back what was held.
    pub(super) fn share_all(&mut self, before: &Self, table: usize, pool: &mut Pool) {
        if self.blocks.len() < before.blocks.len() {
            self.blocks.resize_with(before.blocks.len(), || None);
        }
        for (at, block) in self.blocks.iter_mut().enumerate() {
            pool.give_back(table, core::mem::replace(block, before.blocks.get(at).and_then(Clone::clone)));
        }
    }

    /// The block at `at`, to be changed by this snapshot alone: a copy if it is shared.
    pub(super) fn own(&mut self, at: usize, table: usize, pool: &mut Pool) -> Option<&mut RowBlock> {
        if self.blocks.len() <= at {
            self.blocks.resize_with(at + 1, || None);
        }
        let words = self.width * BLOCK;
        let slot = &mut self.blocks[at];
        if slot.as_mut().is_none_or(|block| Arc::get_mut(block).is_none()) {
            let mut own = pool.take(table);
            if let Some(block) = Arc::get_mut(&mut own) {
                match slot {
                    Some(shared) => {
                        block.present = shared.present;
                        block.words.clone_from(&shared.words);
                    }
                    None => {
                        block.present = 0;
                        block.words.resize(words, 0);
                    }
                }
            }
            *slot = Some(own);
        }
        slot.as_mut().and_then(Arc::get_mut)
    }
}

impl RowBlock {
    /// The words of a slot, whether or not it is present.
    #[inline]
    pub(super) fn words_at(&self, lane: usize) -> &[u32] {
        let width = self.words.len() / BLOCK;
        &self.words[lane * width..][..width]
    }

    #[inline]
    pub(super) fn words_at_mut(&mut self, lane: usize) -> &mut [u32] {
        let width = self.words.len() / BLOCK;
        &mut self.words[lane * width..][..width]
    }
}

impl Pool {
    pub(super) fn new(tables: usize) -> Self {
        Self((0..tables).map(|_| Vec::new()).collect())
    }

    fn give_back(&mut self, table: usize, block: Option<Arc<RowBlock>>) {
        if let Some(mut block) = block
            && Arc::get_mut(&mut block).is_some()
        {
            self.0[table].push(block);
        }
    }

    fn take(&mut self, table: usize) -> Arc<RowBlock> {
        self.0[table].pop().unwrap_or_else(|| Arc::new(RowBlock { present: 0, words: Vec::new() }))
    }
}

impl Snapshot {
    /// All tables: the headers and the components in order, then what everybody may see of them.
    pub(super) fn all_rows(&self) -> impl Iterator<Item = Option<&Rows>> {
        let whole = core::iter::once(&self.headers).chain(&self.tables).map(Some);
        let public = core::iter::once(self.public.headers.as_ref());
        whole.chain(public).chain(self.public.tables.iter().map(Option::as_ref))
    }

    /// The same, to be changed.
    pub(super) fn all_rows_mut(&mut self) -> impl Iterator<Item = Option<&mut Rows>> {
        let whole = core::iter::once(&mut self.headers).chain(&mut self.tables).map(Some);
        let public = core::iter::once(self.public.headers.as_mut());
        whole.chain(public).chain(self.public.tables.iter_mut().map(Option::as_mut))
    }
}
