//! From a world to a snapshot: quantize what was touched, keep what really changed.

use super::hash::entity_hash;
use super::rows::{Pool, Rows};
use super::{History, Sight, Snapshot, StateHash};
use crate::Component;
use crate::Tick;
use crate::codec::Layout;
use crate::wire::{Row, RowWriter};
use crate::world::{BLOCK, GameWorld, HasTable, Table, Visit, VisitMut, lanes};

impl History {
    /// Takes the snapshot of a world at `tick`, and forgets the oldest when there is no room.
    ///
    /// What was not touched since the last capture is taken from there. Another world than the last time, or one that
    /// another history has captured since, is read in full: right, but slow. A tick that is not above the last one, or
    /// not below 2^62, is refused with `false`.
    pub fn capture<W: GameWorld>(&mut self, world: &mut W, tick: Tick) -> bool {
        if !self.accepts(tick) {
            return false;
        }
        let everything = !world.ids_mut().observe(self.id);
        let full = self.ring.len() >= self.capacity;
        let oldest = if full { self.ring.pop_front() } else { None };
        let mut snapshot = oldest.unwrap_or_else(|| Snapshot::new(&self.layout));
        let before = self.ring.back();
        self.changed.fill(0);
        if let Some(before) = before {
            for (table, (rows, before)) in snapshot.all_rows_mut().zip(before.all_rows()).enumerate() {
                if let (Some(rows), Some(before)) = (rows, before) {
                    rows.share_all(before, table, &mut self.pool);
                }
            }
        }
        let mut capture = Capture {
            layout: &self.layout,
            everything,
            snapshot: &mut snapshot,
            pool: &mut self.pool,
            saturated: &mut self.saturated,
            changed: &mut self.changed,
        };
        world.visit(&mut Moved { before: capture.snapshot, moved: capture.changed });
        capture.headers(world);
        world.visit_mut(&mut capture);
        snapshot.tick = tick;
        self.note_changes(&mut snapshot, tick);
        self.ring.push_back(snapshot);
        true
    }

    /// Dates the entities that changed, and brings the hashes up to date.
    fn note_changes(&mut self, snapshot: &mut Snapshot, tick: Tick) {
        let (slots, has_owner_only) = (self.changed.len() * BLOCK, self.layout.has_owner_only());
        if self.changed_at.len() < slots {
            self.changed_at.resize(slots, Tick::default());
            self.changed_before.resize(slots, Tick::default());
            self.entity_hashes.resize(slots, StateHash::default());
            if has_owner_only {
                self.public_hashes.resize(slots, StateHash::default());
            }
        }
        let before = self.ring.back();
        let mut hash = before.map_or(StateHash::default(), Snapshot::hash);
        let mut public = before.map_or(StateHash::default(), Snapshot::public_hash);
        for (block, &changed) in self.changed.iter().enumerate() {
            for index in lanes(changed).map(|lane| block * BLOCK + lane) {
                self.changed_before[index] = core::mem::replace(&mut self.changed_at[index], tick);
                let now = |sight| {
                    let now = snapshot.seen(index as u32, sight);
                    now.map_or(StateHash::default(), |now| entity_hash(&self.layout, index as u32, &now))
                };
                let whole = now(Sight::Owner);
                hash = hash.without(core::mem::replace(&mut self.entity_hashes[index], whole)).with(whole);
                if has_owner_only {
                    let seen = now(Sight::Public);
                    let was = core::mem::replace(&mut self.public_hashes[index], seen);
                    public = public.without(was).with(seen);
                }
            }
        }
        snapshot.hash = hash;
        snapshot.public.hash = if has_owner_only { public } else { hash };
    }
}

/// Fills one snapshot that starts as a copy of the one before.
struct Capture<'h> {
    layout: &'h Layout,
    /// Whether what is not touched may differ from the snapshot before, so that all slots count.
    everything: bool,
    snapshot: &'h mut Snapshot,
    pool: &'h mut Pool,
    saturated: &'h mut [Vec<u64>],
    changed: &'h mut Vec<u64>,
}

impl Capture<'_> {
    fn headers<W: GameWorld>(&mut self, world: &mut W) {
        let mut header = [0; MAX_HEADER];
        let header = &mut header[..self.layout.header_len()];
        // Until here, `changed` has the slots whose components came or went.
        let blocks = world.ids().touched_blocks().max(self.changed.len()).max(self.snapshot.headers.blocks());
        for at in 0..blocks {
            let moved = self.changed.get_mut(at).map_or(0, core::mem::take);
            let everything = if self.everything { u64::MAX } else { 0 };
            let touched = world.ids_mut().take_touched(at) | moved | everything;
            let alive = world.ids().alive_in(at);
            let mut changed = 0;
            for lane in lanes(touched) {
                let index = (at * BLOCK + lane) as u32;
                let entity = world.ids().at(index);
                if let Some(entity) = entity {
                    header[0] = entity.generation();
                    let masks = header[1..].iter_mut().zip(self.layout.sent_masks()).enumerate();
                    for (word, (mask, sent)) in masks {
                        *mask = half_mask(world.ids().mask(index), word) & sent;
                    }
                }
                let changes =
                    update(&mut self.snapshot.headers, 0, at, lane, entity.map(|_| &*header), self.pool);
                changed |= u64::from(changes) << lane;
                if let Some(public) = self.snapshot.public.headers.as_mut() {
                    let masks = header[1..].iter_mut().zip(self.layout.public_masks());
                    masks.for_each(|(mask, public)| *mask &= public);
                    let table = 1 + self.layout.schema().components.len();
                    update(public, table, at, lane, entity.map(|_| &*header), self.pool);
                }
            }
            debug_assert_eq!(self.snapshot.headers.block(at).map_or(0, |block| block.present), alive);
            note(self.changed, at, changed);
        }
    }
}

/// Notes slots of a block that changed.
fn note(changes: &mut Vec<u64>, block: usize, changed: u64) {
    if changes.len() <= block {
        changes.resize(block + 1, 0);
    }
    changes[block] |= changed;
}

/// Collects the slots whose components came or went since the snapshot before, by block.
struct Moved<'c> {
    before: &'c Snapshot,
    moved: &'c mut Vec<u64>,
}

impl<W: GameWorld> Visit<W> for Moved<'_> {
    fn table<C: Component>(&mut self, table: &Table<C>)
    where
        W: HasTable<C>,
    {
        if !C::SCHEMA.sent {
            return;
        }
        let rows = &self.before.tables[<W as HasTable<C>>::ID.index()];
        let blocks = table.blocks().len().max(rows.blocks());
        if self.moved.len() < blocks {
            self.moved.resize(blocks, 0);
        }
        for (at, moved) in self.moved.iter_mut().enumerate() {
            *moved |= table.present(at) ^ rows.block(at).map_or(0, |block| block.present);
        }
    }
}

/// The most words that the header of an entity may have: its generation, and 65,535 components.
const MAX_HEADER: usize = 1 + 65_536 / 32;

/// Half a word of a mask of components.
fn half_mask(mask: &[u64], half: usize) -> u32 {
    (mask.get(half / 2).copied().unwrap_or(0) >> (half % 2 * 32)) as u32
}

/// Makes the row of a slot what it should be; `true` if it was not.
#[inline]
fn update(
    rows: &mut Rows,
    table: usize,
    at: usize,
    lane: usize,
    row: Option<&[u32]>,
    pool: &mut Pool,
) -> bool {
    let before = rows.block(at).filter(|block| block.present >> lane & 1 == 1);
    if before.map(|block| block.words_at(lane)) == row {
        return false;
    }
    if let Some(block) = rows.own(at, table, pool) {
        match row {
            Some(row) => {
                block.present |= 1 << lane;
                block.words_at_mut(lane).copy_from_slice(row);
            }
            None => block.present &= !(1 << lane),
        }
    }
    true
}

impl<W: GameWorld> VisitMut<W> for Capture<'_> {
    fn table<C: Component>(&mut self, table: &mut Table<C>)
    where
        W: HasTable<C>,
    {
        let component = <W as HasTable<C>>::ID.0;
        if !C::SCHEMA.sent {
            return;
        }
        let owner_words = self.layout.owner_words(component);
        let mut default = C::Row::ZERO;
        if !owner_words.is_empty() {
            C::default().quantize(&mut RowWriter::new(default.words_mut(), &mut []));
        }
        let rows = &mut self.snapshot.tables[usize::from(component)];
        let mut public = self.snapshot.public.tables[usize::from(component)].as_mut();
        for at in 0..table.blocks().len().max(rows.blocks()) {
            let was_present = rows.block(at).map_or(0, |block| block.present);
            let mut block = table.blocks_mut().get_mut(at).and_then(Option::as_deref_mut);
            let (present, touched) = block.as_mut().map_or((0, 0), |block| {
                let touched = core::mem::take(&mut block.touched);
                (block.present, if self.everything { u64::MAX } else { touched })
            });
            let mut changed = 0;
            for lane in lanes(touched & present | present ^ was_present) {
                let mut row = C::Row::ZERO;
                let block = block.as_mut().filter(|_| present >> lane & 1 == 1);
                let is_present = block.is_some();
                if let Some(block) = block {
                    let saturated = &mut self.saturated[usize::from(component)];
                    block.values[lane].quantize(&mut RowWriter::new(row.words_mut(), saturated));
                    block.values[lane].snap();
                }
                let seen = is_present.then(|| row.words());
                let changes = update(rows, usize::from(component) + 1, at, lane, seen, self.pool);
                changed |= u64::from(changes) << lane;
                if let Some(public) = &mut public {
                    // Others see what a new component would hold.
                    let words = row.words_mut().iter_mut().zip(default.words()).zip(owner_words);
                    words.filter(|(_, hidden)| **hidden).for_each(|((word, default), _)| *word = *default);
                    let table = 2 + self.layout.schema().components.len() + usize::from(component);
                    update(public, table, at, lane, is_present.then(|| row.words()), self.pool);
                }
            }
            if changed != 0 {
                note(self.changed, at, changed);
            }
        }
    }
}
