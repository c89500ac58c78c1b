//! Which entities were created in the last ticks.

use super::Entities;
use super::block::{BLOCK, same_slots};
use super::filter::{Filter, Where};
use super::track::{TRACKED_TICKS, TooLongAgo};
use crate::Tick;

/// What is known of the last ticks, by block.
#[derive(Clone, Debug, Default)]
pub(super) struct Created {
    blocks: Vec<CreatedIn>,
}

/// One block when the last tick ended, and what was created in it in the ticks before.
#[derive(Clone, Copy, Debug)]
struct CreatedIn {
    generations: [u32; BLOCK],
    /// By tick, those of the same remainder in one place.
    ticks: [(Tick, u64); TRACKED_TICKS as usize],
}

impl Default for CreatedIn {
    fn default() -> Self {
        Self { generations: [0; BLOCK], ticks: [(Tick(0), 0); TRACKED_TICKS as usize] }
    }
}

impl CreatedIn {
    /// The slots whose entity is another than when the last tick ended.
    #[inline]
    fn running(&self, alive: u64, generations: &[u32; BLOCK]) -> u64 {
        alive & !same_slots(alive, &self.generations, generations)
    }
}

impl Created {
    /// Takes over what happened in a tick; `alive` tells of the slots of a block.
    pub(super) fn end_tick(&mut self, tick: Tick, generations: &[u32], alive: impl Fn(usize) -> u64) {
        let generations = generations.as_chunks().0;
        self.blocks.resize(self.blocks.len().max(generations.len()), CreatedIn::default());
        for (at, block) in self.blocks.iter_mut().enumerate() {
            // A copy of a smaller state takes slots away.
            let generations = generations.get(at).unwrap_or(&[0; BLOCK]);
            let created = block.running(alive(at), generations);
            block.generations = *generations;
            block.ticks[(tick.0 % TRACKED_TICKS) as usize] = (tick, created);
        }
    }

    /// The living slots of a block that were created since a tick ended.
    fn since(&self, at: usize, since: Tick, alive: u64, generations: &[u32; BLOCK]) -> u64 {
        let Some(block) = self.blocks.get(at) else { return alive };
        let ended = block.ticks.iter().filter(|(tick, _)| *tick > since).fold(0, |all, (_, one)| all | one);
        (ended | block.running(alive, generations)) & alive
    }

    pub(super) fn memory(&self) -> usize {
        self.blocks.capacity() * size_of::<CreatedIn>()
    }
}

impl Entities {
    /// The entities that were created in a tick after `since`, the running one included, for the filter of a query. Ticks
    /// are counted by [`Entities::tick`], and end with the `end_tick` of the state.
    ///
    /// # Errors
    /// When that is more than [`TRACKED_TICKS`] ticks ago.
    pub fn created(&self, since: Tick) -> Result<Where<CreatedSince<'_>>, TooLongAgo> {
        TooLongAgo::expect_known(since, self.tick())?;
        Ok(Where(CreatedSince { ids: self, since }))
    }
}

/// The entities that were created since a tick.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct CreatedSince<'w> {
    ids: &'w Entities,
    since: Tick,
}

impl Filter for CreatedSince<'_> {
    #[inline]
    fn some(&self, _chunk: usize) -> u64 {
        u64::MAX
    }

    #[inline]
    fn every(&self, _chunk: usize) -> u64 {
        0
    }

    fn slots(&self, block: usize) -> u64 {
        let Some(generations) = self.ids.generations_in(block) else { return 0 };
        self.ids.created.since(block, self.since, self.ids.alive_in(block), generations)
    }
}
