//! From a world to a snapshot: quantize what was touched, keep what really changed.

use super::hash::entity_hash;
use super::{Captured, History, Sight, StateHash, Table};
use crate::Component;
use crate::Tick;
use crate::codec::Layout;
use crate::wire::{Row, RowWriter};
use crate::world::{self, BLOCK, GameWorld, HasTable, Observer, Visit, VisitMut, lanes};

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
        if self.captured.len() >= self.capacity {
            self.captured.pop_front();
        }
        self.changed.fill(0);
        let mut capture = Capture {
            layout: &self.layout,
            everything,
            tick,
            kept: self.captured.front().map_or(tick, |oldest| oldest.tick),
            headers: &mut self.headers,
            tables: &mut self.tables,
            saturated: &mut self.saturated,
            changed: &mut self.changed,
        };
        world.visit(&mut Moved { before: capture.tables, moved: capture.changed });
        capture.headers(world);
        world.visit_mut(&mut capture);
        let captured = self.note_changes(tick);
        self.captured.push_back(captured);
        true
    }

    /// Dates the entities that changed, and brings the hashes up to date.
    fn note_changes(&mut self, tick: Tick) -> Captured {
        let (slots, has_owner_only) = (self.changed.len() * BLOCK, self.layout.has_owner_only());
        if self.changed_at.len() < slots {
            self.changed_at.resize(slots, Tick::default());
            self.changed_before.resize(slots, Tick::default());
            self.entity_hashes.resize(slots, StateHash::default());
            if has_owner_only {
                self.public_hashes.resize(slots, StateHash::default());
            }
        }
        let before = self.captured.back();
        let mut hash = before.map_or(StateHash::default(), |before| before.hash);
        let mut public = before.map_or(StateHash::default(), |before| before.public_hash);
        for (block, &changed) in self.changed.iter().enumerate() {
            for index in lanes(changed).map(|lane| block * BLOCK + lane) {
                self.changed_before[index] = core::mem::replace(&mut self.changed_at[index], tick);
                let now = |sight| {
                    let now = self.seen(index as u32, sight, tick);
                    now.map_or(StateHash::default(), |now| entity_hash(&self.layout, index as u32, &now))
                };
                let (whole, seen) = (now(Sight::Owner), has_owner_only.then(|| now(Sight::Public)));
                hash = hash.without(core::mem::replace(&mut self.entity_hashes[index], whole)).with(whole);
                if let Some(seen) = seen {
                    let was = core::mem::replace(&mut self.public_hashes[index], seen);
                    public = public.without(was).with(seen);
                }
            }
        }
        Captured { tick, hash, public_hash: if has_owner_only { public } else { hash } }
    }
}

/// Notes what is not as at the tick before.
struct Capture<'h> {
    layout: &'h Layout,
    /// Whether what is not touched may differ from the tick before, so that all slots count.
    everything: bool,
    tick: Tick,
    /// The oldest tick that is kept.
    kept: Tick,
    headers: &'h mut Table,
    tables: &'h mut [Table],
    saturated: &'h mut [Vec<u64>],
    changed: &'h mut Vec<u64>,
}

impl Capture<'_> {
    fn headers<W: GameWorld>(&mut self, world: &mut W) {
        let mut header = [0; MAX_HEADER];
        let header = &mut header[..self.layout.header_len()];
        // Until here, `changed` has the slots whose components came or went.
        let blocks = world.ids().touched_blocks().max(self.changed.len()).max(self.headers.all.blocks());
        for at in 0..blocks {
            let moved = self.changed.get_mut(at).map_or(0, core::mem::take);
            let everything = if self.everything { u64::MAX } else { 0 };
            let touched = world.ids_mut().take_touched(at) | moved | everything;
            let mut changed = 0;
            for lane in lanes(touched) {
                let index = at * BLOCK + lane;
                let entity = world.ids().at(index as u32);
                if let Some(entity) = entity {
                    header[0] = entity.generation();
                    let masks = header[1..].iter_mut().zip(self.layout.sent_masks()).enumerate();
                    for (word, (mask, sent)) in masks {
                        *mask = half_mask(world.ids().mask(index as u32), word) & sent;
                    }
                }
                let changes = self.headers.all.set(index, entity.map(|_| &*header), self.tick, self.kept);
                changed |= u64::from(changes) << lane;
                if let Some(public) = &mut self.headers.public {
                    let masks = header[1..].iter_mut().zip(self.layout.public_masks());
                    masks.for_each(|(mask, public)| *mask &= public);
                    public.set(index, entity.map(|_| &*header), self.tick, self.kept);
                }
            }
            debug_assert_eq!(self.headers.all.present(at), world.ids().alive_in(at));
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

/// Collects the slots whose components came or went since the tick before, by block.
struct Moved<'c> {
    before: &'c [Table],
    moved: &'c mut Vec<u64>,
}

impl<W: GameWorld> Visit<W> for Moved<'_> {
    fn table<C: Component>(&mut self, table: &world::Table<C>)
    where
        W: HasTable<C>,
    {
        if !C::SCHEMA.sent {
            return;
        }
        let rows = &self.before[<W as HasTable<C>>::ID.index()].all;
        let blocks = table.blocks().len().max(rows.blocks());
        if self.moved.len() < blocks {
            self.moved.resize(blocks, 0);
        }
        for (at, moved) in self.moved.iter_mut().enumerate() {
            *moved |= table.present_in(at) ^ rows.present(at);
        }
    }
}

/// The most words that the header of an entity may have: its generation, and 65,535 components.
const MAX_HEADER: usize = 1 + 65_536 / 32;

/// Half a word of a mask of components.
fn half_mask(mask: &[u64], half: usize) -> u32 {
    (mask.get(half / 2).copied().unwrap_or(0) >> (half % 2 * 32)) as u32
}

impl<W: GameWorld> VisitMut<W> for Capture<'_> {
    fn table<C: Component>(&mut self, table: &mut world::Table<C>)
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
        let (tick, kept) = (self.tick, self.kept);
        let Table { all, public } = &mut self.tables[usize::from(component)];
        for at in 0..table.blocks().len().max(all.blocks()) {
            let was_present = all.present(at);
            let mut block = table.blocks_mut().get_mut(at).and_then(Option::as_deref_mut);
            let (present, touched) = block.as_mut().map_or((0, 0), |block| {
                let touched = block.take_touched(Observer::Capture);
                (block.present, if self.everything { u64::MAX } else { touched })
            });
            let (mut changed, mut snapped) = (0, 0);
            for lane in lanes(touched & present | present ^ was_present) {
                let (index, mut row) = (at * BLOCK + lane, C::Row::ZERO);
                let block = block.as_mut().filter(|_| present >> lane & 1 == 1);
                let is_present = block.is_some();
                if let Some(block) = block {
                    let saturated = &mut self.saturated[usize::from(component)];
                    block.values[lane].quantize(&mut RowWriter::new(row.words_mut(), saturated));
                    snapped |= u64::from(snap(&mut block.values[lane])) << lane;
                }
                let changes = all.set(index, is_present.then(|| row.words()), tick, kept);
                changed |= u64::from(changes) << lane;
                if let Some(public) = public {
                    // Others see what a new component would hold.
                    let words = row.words_mut().iter_mut().zip(default.words()).zip(owner_words);
                    words.filter(|(_, hidden)| **hidden).for_each(|((word, default), _)| *word = *default);
                    public.set(index, is_present.then(|| row.words()), tick, kept);
                }
            }
            if changed != 0 {
                note(self.changed, at, changed);
            }
            if snapped != 0 {
                if let Some(block) = block {
                    block.touch_for_others(Observer::Capture, snapped);
                }
                table.note_touched(at);
            }
        }
    }
}

/// Makes the value what is read back after it was sent; whether somebody else must know that it is another now.
fn snap<C: Component>(value: &mut C) -> bool {
    if !C::TRACKED && C::INDICES.is_empty() {
        value.snap();
        return false;
    }
    let before = value.clone();
    value.snap();
    !before.same(value)
}
