//! What changed in the last ticks: of components marked `#[component(tracked)]`, and exactly.
//!
//! A table keeps what each slot was at the end of the last tick. When a tick ends, the slots that were touched in it are
//! compared with that, so that what was written without being changed is no change.

use std::collections::VecDeque;

use super::block::{BLOCK, BlockOf, Observer, lanes};
use super::filter::{Filter, Where};
use super::seen::{Differences, SeenOf};
use super::{Entities, GameWorld, HasTable, Table, VisitMut};
use crate::{Component, Entity, Tick, Tracked};

/// Tables tell of so many ended ticks.
pub const TRACKED_TICKS: u64 = 32;

/// What happened in a tick is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what changed since tick {since} is forgotten: the last tick is {last}, and {TRACKED_TICKS} are remembered", since = since.0, last = last.0)]
pub struct TooLongAgo {
    /// The tick that was asked for.
    pub since: Tick,
    /// The last one that was ended.
    pub last: Tick,
}

impl TooLongAgo {
    /// An error if what happened since a tick is forgotten.
    pub(super) fn expect_known(since: Tick, last: Tick) -> Result<(), Self> {
        if last.0.saturating_sub(since.0) > TRACKED_TICKS { Err(Self { since, last }) } else { Ok(()) }
    }
}

/// When a system last ran, to ask what has changed since: a part of its context.
///
/// A tick is the finest that is told apart: what was changed in the tick of the last run, but before that, is told again. A
/// system that did not run for more than [`TRACKED_TICKS`] ticks, or for the first time after so many, is told
/// [`TooLongAgo`], and takes everything for changed.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastRun(Tick);

impl LastRun {
    /// The tick since which is to be asked, 0 for the first time; takes note that it runs now.
    pub fn since(&mut self, ids: &Entities) -> Tick {
        core::mem::replace(&mut self.0, ids.tick())
    }
}

/// What is known of the last ticks of a table.
#[derive(Clone, Debug)]
pub(super) struct Track<C> {
    /// By block: what it was when the last tick ended, and what happened before.
    blocks: Vec<Option<Box<TrackOf<C>>>>,
    /// What was removed in those ticks, the oldest first.
    removed: VecDeque<(Tick, Entity, C)>,
    last: Tick,
}

impl<C> Default for Track<C> {
    fn default() -> Self {
        Self { blocks: Vec::new(), removed: VecDeque::new(), last: Tick(0) }
    }
}

/// One block when the last tick ended, and what happened in it in the ticks before.
#[derive(Clone, Debug)]
struct TrackOf<C> {
    seen: SeenOf<C>,
    /// By tick, those of the same remainder in one place.
    ticks: [(Tick, Differences); TRACKED_TICKS as usize],
    /// The last tick in which anything happened.
    newest: Tick,
}

impl<C: Component> TrackOf<C> {
    fn boxed() -> Box<Self> {
        Box::new(Self {
            seen: *SeenOf::boxed(),
            ticks: [(Tick(0), Differences::default()); TRACKED_TICKS as usize],
            newest: Tick(0),
        })
    }

    /// Takes over what happened in a tick.
    fn end_tick(&mut self, tick: Tick, happened: Differences, block: Option<&BlockOf<C>>) {
        self.seen.follow(happened, block);
        // What is told of the last entity of a slot is not told of the next.
        if happened.replaced != 0 {
            for (_, earlier) in &mut self.ticks {
                earlier.changed &= !happened.replaced;
                earlier.removed &= !happened.replaced;
            }
        }
        self.newest = tick;
        if let Some(place) = self.ticks.get_mut((tick.0 % TRACKED_TICKS) as usize) {
            *place = (tick, Differences { removed: happened.removed & !happened.replaced, ..happened });
        }
    }

    /// What happened in the ticks after one, up to the last that ended.
    fn since(&self, since: Tick) -> Differences {
        let mut all = Differences::default();
        if self.newest > since {
            for (_, one) in self.ticks.iter().filter(|(tick, _)| *tick > since) {
                all.added |= one.added;
                all.removed |= one.removed;
                all.changed |= one.changed;
            }
        }
        all
    }
}

impl<C: Component> Table<C> {
    /// Takes over what happened in a tick.
    fn end_tick(&mut self, tick: Tick) {
        let (blocks, track) = self.blocks_and_track();
        track.last = tick;
        while track.removed.front().is_some_and(|(then, ..)| then.0 + TRACKED_TICKS <= tick.0) {
            track.removed.pop_front();
        }
        track.blocks.resize_with(track.blocks.len().max(blocks.len()), || None);
        for (at, known) in track.blocks.iter_mut().enumerate() {
            let mut block = blocks.get_mut(at).and_then(Option::as_deref_mut);
            let touched = block.as_mut().map_or(0, |block| block.take_touched(Observer::Track));
            let block = block.as_deref();
            if known.is_none() && touched & block.map_or(0, |block| block.present) == 0 {
                continue;
            }
            let known = known.get_or_insert_with(TrackOf::boxed);
            let happened = known.seen.compare(block, touched);
            if happened.is_empty() {
                continue;
            }
            for lane in lanes(happened.removed) {
                let entity = Entity::living((at * BLOCK + lane) as u32, known.seen.generations[lane]);
                track.removed.push_back((tick, entity, known.seen.values[lane].clone()));
            }
            known.end_tick(tick, happened, block);
        }
    }

    /// What happened to the slots of a block since a tick ended, in the running one included.
    fn happened(&self, block: usize, since: Tick) -> Differences {
        let now = self.blocks().get(block).and_then(Option::as_deref);
        let touched = now.map_or(0, |now| now.touched_since(Observer::Track));
        let Some(known) = self.track.blocks.get(block).and_then(Option::as_deref) else {
            // Nothing of it was there when the last tick ended.
            let added = touched & now.map_or(0, |now| now.present);
            return Differences { added, ..Differences::default() };
        };
        let (before, running) = (known.since(since), known.seen.compare(now, touched));
        Differences {
            added: before.added | running.added,
            removed: (before.removed | running.removed) & !running.replaced,
            changed: before.changed & !running.replaced | running.changed,
            replaced: running.replaced,
        }
    }

    fn remembers(&self, since: Tick) -> Result<(), TooLongAgo> {
        TooLongAgo::expect_known(since, self.track.last)
    }

    /// The memory of what is known of the last ticks, in bytes.
    pub(super) fn track_memory(&self) -> usize {
        let Track { blocks, removed, .. } = &self.track;
        blocks.iter().flatten().count() * size_of::<TrackOf<C>>()
            + blocks.capacity() * size_of::<Option<Box<TrackOf<C>>>>()
            + removed.capacity() * size_of::<(Tick, Entity, C)>()
    }
}

impl<C: Component> Table<C> {
    /// The entities to which the component was added in a tick after `since`, the running one included, for the filter of a
    /// query. What is enabled again counts as added.
    ///
    /// Ticks are counted by [`Entities::tick`], and end with the `end_tick` of the state. Should a copy bring back an entity
    /// after another had the component in its slot, what happened to it before is forgotten.
    ///
    /// # Errors
    /// When that is more than [`TRACKED_TICKS`] ticks ago.
    pub fn added(&self, since: Tick) -> Result<Where<Since<'_, C>>, TooLongAgo>
    where
        C: Tracked,
    {
        self.remembers(since)?;
        Ok(Where(Since { table: self, since, what: What::Added }))
    }

    /// The entities whose component was another at the end of a tick after `since` than at the end of the tick before, or
    /// is now another than when the last tick ended. What was written without being changed is no change; nor is what was
    /// added.
    ///
    /// # Errors
    /// As [`Table::added`].
    pub fn changed(&self, since: Tick) -> Result<Where<Since<'_, C>>, TooLongAgo>
    where
        C: Tracked,
    {
        self.remembers(since)?;
        Ok(Where(Since { table: self, since, what: What::Changed }))
    }

    /// The living entities that lost the component in a tick after `since`, the running one included. What is disabled
    /// counts as removed. `ids` are those of the state.
    ///
    /// # Errors
    /// As [`Table::added`].
    pub fn removed<'t>(
        &'t self,
        ids: &'t Entities,
        since: Tick,
    ) -> Result<Where<RemovedSince<'t, C>>, TooLongAgo>
    where
        C: Tracked,
    {
        self.remembers(since)?;
        Ok(Where(RemovedSince { table: self, ids, since }))
    }

    /// What was removed in the ticks after `since` that have ended, the oldest first: the entity, alive or not, and the value
    /// that it had at the end of the tick before.
    ///
    /// # Errors
    /// As [`Table::added`].
    pub fn removed_values(&self, since: Tick) -> Result<impl Iterator<Item = (Entity, &C)>, TooLongAgo>
    where
        C: Tracked,
    {
        self.remembers(since)?;
        let after = self.track.removed.partition_point(|(tick, ..)| *tick <= since);
        Ok(self.track.removed.range(after..).map(|(_, entity, value)| (*entity, value)))
    }
}

/// What is asked of the last ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Added,
    Changed,
}

/// The entities of whose component something is to be told since a tick.
#[doc(hidden)]
#[derive(Debug)]
pub struct Since<'t, C> {
    table: &'t Table<C>,
    since: Tick,
    what: What,
}

impl<C> Clone for Since<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Since<'_, C> {}

impl<C: Component> Filter for Since<'_, C> {
    #[inline]
    fn some(&self, chunk: usize) -> u64 {
        self.table.nonempty(chunk)
    }

    #[inline]
    fn every(&self, _chunk: usize) -> u64 {
        0
    }

    fn slots(&self, block: usize) -> u64 {
        let happened = self.table.happened(block, self.since);
        let slots = if self.what == What::Added { happened.added } else { happened.changed };
        slots & self.table.present_in(block)
    }
}

/// The entities that lost a component since a tick.
#[doc(hidden)]
#[derive(Debug)]
pub struct RemovedSince<'t, C> {
    table: &'t Table<C>,
    ids: &'t Entities,
    since: Tick,
}

impl<C> Clone for RemovedSince<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for RemovedSince<'_, C> {}

impl<C: Component> Filter for RemovedSince<'_, C> {
    fn some(&self, chunk: usize) -> u64 {
        let known = self.table.track.blocks.iter().skip(chunk * 64).take(64).enumerate();
        known.fold(0, |blocks, (at, known)| blocks | u64::from(known.is_some()) << at)
    }

    fn every(&self, _chunk: usize) -> u64 {
        0
    }

    fn slots(&self, block: usize) -> u64 {
        let Some(known) = self.table.track.blocks.get(block).and_then(Option::as_deref) else { return 0 };
        let removed = self.table.happened(block, self.since).removed;
        let is_alive = |lane: &usize| {
            let entity = self.ids.at((block * BLOCK + lane) as u32);
            entity.is_some_and(|entity| entity.generation() == known.seen.generations[*lane])
        };
        lanes(removed).filter(is_alive).fold(0, |slots, lane| slots | 1 << lane)
    }
}

/// Ends a tick of every table whose component is tracked.
pub(super) struct EndTick {
    pub(super) tick: Tick,
}

impl<W: GameWorld> VisitMut<W> for EndTick {
    fn table<C: Component>(&mut self, table: &mut Table<C>)
    where
        W: HasTable<C>,
    {
        if C::TRACKED {
            table.end_tick(self.tick);
        }
    }
}
