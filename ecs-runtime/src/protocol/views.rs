//! What a client knows of each entity: the states that packets brought, for the views of acks to choose from.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use core::cell::Cell;

use crate::Tick;
use crate::codec::{BASELINE_SPAN, BASELINES, Baselines, Layout, StateView, has};
use crate::snapshot::{StateHash, entity_hash};

/// Of all packets taken, how many came before; orders packets by arrival.
pub(super) type Serial = u64;

/// The states of all entities that packets brought.
#[derive(Debug, Default)]
pub(super) struct Views {
    entities: Vec<EntityStates>,
    /// The sum of the newest states' hashes.
    hash: StateHash,
    /// Entities whose newest state changed since it was last taken.
    dirty: Vec<u32>,
    /// Memory for the words of one entity while they are put together.
    spare: Vec<u32>,
    count: usize,
}

/// The states of one entity, by tick.
#[derive(Debug, Default)]
struct EntityStates {
    states: Vec<State>,
    /// Their words, beside each other; between them may be those of states that are gone.
    words: Vec<u32>,
    /// The hash of the newest.
    hash: StateHash,
    dirty: bool,
}

/// The state of one entity at one tick.
#[derive(Clone, Copy, Debug)]
struct State {
    tick: Tick,
    serial: Serial,
    /// Where its words are: the header and the rows of the components, in order. None if the entity was gone, or out of
    /// view.
    start: u32,
    len: u32,
    /// Whether it was told from nothing, so that nothing older is a baseline.
    fresh: bool,
}

/// The state of one entity, its words in one piece.
#[derive(Clone, Debug)]
pub(super) struct FlatView<'a> {
    layout: &'a Layout,
    words: &'a [u32],
    /// A component, and where its words are, or would be.
    cursor: Cell<(u16, usize)>,
}

impl<'a> FlatView<'a> {
    pub(super) fn new(layout: &'a Layout, words: &'a [u32]) -> Self {
        Self { layout, words, cursor: Cell::new((0, layout.header_len())) }
    }
}

impl<'a> FlatView<'a> {
    /// Where the words of a component are, or would be.
    fn place(&self, component: u16) -> usize {
        // Mostly they are asked for upwards.
        let (from, at) = self.cursor.get();
        let (from, at) = if from <= component { (from, at) } else { (0, self.layout.header_len()) };
        let at = at + self.layout.words_between(self.header(), from, component);
        self.cursor.set((component, at));
        at
    }

    /// The components with their words, for as long as those are there.
    pub(super) fn into_rows(self) -> impl Iterator<Item = (u16, &'a [u32])> {
        let (header, mut rest) = self.words.split_at_checked(self.layout.header_len()).unwrap_or_default();
        self.layout.rows_of(header).map(move |component| {
            let (row, behind) = rest.split_at_checked(self.layout.words(component).len()).unwrap_or_default();
            rest = behind;
            (component, row)
        })
    }
}

impl StateView for FlatView<'_> {
    fn header(&self) -> &[u32] {
        self.words.get(..self.layout.header_len()).unwrap_or(&[])
    }

    fn row(&self, component: u16) -> &[u32] {
        let at = self.place(component);
        self.words.get(at..).and_then(|rest| rest.get(..self.layout.words(component).len())).unwrap_or(&[])
    }

    fn column<'r>(states: &'r [Option<Self>], component: u16, rows: &mut [&'r [u32]; BASELINES]) -> usize {
        // Where they have the same components, the words are at the same place.
        let (mut len, mut known) = (0, None);
        for (place, state) in rows.iter_mut().zip(states.iter().flatten()) {
            let header = state.header();
            let at = match known {
                Some((at, same)) if same == header => at,
                _ if !has(header, component) => break,
                _ => state.place(component),
            };
            let end = at + state.layout.words(component).len();
            *place = state.words.get(at..end).unwrap_or(&[]);
            (len, known) = (len + 1, Some((at, header)));
        }
        len
    }

    /// In one pass over the words.
    fn rows<'r>(&'r self, layout: &'r Layout) -> impl Iterator<Item = (u16, &'r [u32])> {
        FlatView::new(layout, self.words).into_rows()
    }
}

impl State {
    /// Its words, among those of its entity.
    fn of<'w>(&self, words: &'w [u32]) -> &'w [u32] {
        let words = words.get(self.start as usize..);
        words.and_then(|words| words.get(..self.len as usize)).unwrap_or(&[])
    }
}

impl EntityStates {
    /// The words of one of its states.
    fn words_of(&self, state: &State) -> &[u32] {
        state.of(&self.words)
    }

    /// The newest state, if the entity is there by it.
    fn newest(&self) -> Option<&State> {
        self.states.last().filter(|state| state.len > 0)
    }

    /// Puts words behind those of the other states; tells where they are. When there is no room, and half of it is taken by
    /// states that are gone, the others are put together first, by way of `spare`.
    fn add_words(&mut self, words: &[u32], spare: &mut Vec<u32>) -> (u32, u32) {
        let kept: usize = self.states.iter().map(|state| state.len as usize).sum();
        if self.words.len() + words.len() > self.words.capacity() && 2 * kept <= self.words.len() {
            spare.clear();
            for state in &mut self.states {
                let words = state.of(&self.words);
                state.start = spare.len() as u32;
                spare.extend_from_slice(words);
            }
            self.words.clear();
            self.words.extend_from_slice(spare);
        }
        let start = self.words.len();
        self.words.extend_from_slice(words);
        (start as u32, words.len() as u32)
    }

    /// The oldest state that a view may still choose, if the oldest of them has the packets up to `floor`: every later view
    /// has what that one has, so it chooses nothing of an earlier tick.
    fn needed_from(&self, floor: Serial) -> usize {
        let (mut found, mut newest, mut needed) = (0, None, 0);
        for (at, state) in self.states.iter().enumerate().rev().filter(|(_, state)| state.serial <= floor) {
            let newest = *newest.get_or_insert(state.tick);
            if newest.0 - state.tick.0 > u64::from(BASELINE_SPAN) {
                return needed;
            }
            needed = at;
            found += usize::from(self.states.get(at + 1).is_none_or(|newer| newer.tick != state.tick));
            if found == BASELINES {
                return needed;
            }
        }
        needed
    }
}

impl EntityStates {
    /// Of the states of one tick that every view has, the last stands for all: a server may tell a tick again and again.
    fn merge_ticks(&mut self, floor: Serial) {
        let mut fresh = false;
        let mut at = 0;
        while let Some([state, next, ..]) = self.states.get(at..) {
            if state.tick == next.tick && next.serial <= floor && state.serial <= floor {
                fresh |= state.fresh;
                self.states.remove(at);
                continue;
            }
            if let Some(state) = self.states.get_mut(at) {
                state.fresh |= core::mem::take(&mut fresh);
            }
            at += 1;
        }
        if let Some(last) = self.states.last_mut() {
            last.fresh |= fresh;
        }
    }
}

impl Views {
    /// Forgets everything and keeps the memory.
    pub(super) fn clear(&mut self) {
        for (index, entity) in (0..).zip(&mut self.entities) {
            if entity.newest().is_some() && !entity.dirty {
                self.dirty.push(index);
                entity.dirty = true;
            }
            entity.states.clear();
            entity.words.clear();
            entity.hash = StateHash::default();
        }
        self.hash = StateHash::default();
        self.count = 0;
    }

    /// The hash of the newest states of all entities.
    pub(super) fn hash(&self) -> StateHash {
        self.hash
    }

    /// How many entities are there, by their newest states.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The words of an entity's newest state, and its tick; `None` if it is not there.
    pub(super) fn newest(&self, index: u32) -> Option<(Tick, &[u32])> {
        let entity = self.entities.get(index as usize)?;
        entity.newest().map(|state| (state.tick, entity.words_of(state)))
    }

    /// The tick of what is known of an entity, that it is gone included.
    pub(super) fn newest_tick(&self, index: u32) -> Option<Tick> {
        Some(self.entities.get(index as usize)?.states.last()?.tick)
    }

    /// The words of an entity's newest state before a tick; none if it was not there.
    pub(super) fn before(&self, index: u32, tick: Tick) -> Option<&[u32]> {
        let entity = self.entities.get(index as usize)?;
        let state = entity.states.iter().rev().find(|state| state.tick < tick)?;
        Some(entity.words_of(state))
    }

    /// The indices of all entities that are there, upwards.
    pub(super) fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        let there = (0u32..).zip(&self.entities).filter(|(_, entity)| entity.newest().is_some());
        there.map(|(index, _)| index)
    }

    /// The newest `most` states of an entity in a view, at most `max_age` ticks before the packet's but for the newest: those
    /// of different ticks among the packets up to `upto`.
    pub(super) fn baselines<'a>(
        &'a self,
        layout: &'a Layout,
        (index, most): (u32, usize),
        upto: Serial,
        (tick, max_age): (Tick, u32),
    ) -> Baselines<FlatView<'a>> {
        let mut baselines = Baselines::default();
        let Some(entity) = self.entities.get(index as usize) else { return baselines };
        let mut known = entity.states.iter().rev().filter(|state| state.serial <= upto).peekable();
        let mut newest = None;
        while let Some(state) = known.next().filter(|state| state.len > 0) {
            let newest = *newest.get_or_insert(state.tick);
            let age = u32::try_from(tick.0.saturating_sub(state.tick.0)).unwrap_or(u32::MAX);
            let old = newest.0 - state.tick.0 > u64::from(BASELINE_SPAN) || age > max_age;
            if newest != state.tick && old || baselines.len() >= most {
                break;
            }
            baselines.push(age, FlatView::new(layout, entity.words_of(state)));
            // Packets of one tick tell the same.
            let mut fresh = state.fresh;
            while let Some(same) = known.next_if(|other| other.tick == state.tick) {
                fresh |= same.fresh;
            }
            if fresh {
                break;
            }
        }
        baselines
    }

    /// Adds a state; `words` is empty if the entity was gone. Drops states that no view chooses any more: the oldest
    /// that may still be asked for has the packets up to `floor`.
    pub(super) fn insert(
        &mut self,
        layout: &Layout,
        index: u32,
        new: (Tick, Serial, bool),
        words: &[u32],
        floor: Serial,
    ) {
        let (tick, serial, fresh) = new;
        if self.entities.len() <= index as usize {
            self.entities.resize_with(index as usize + 1, EntityStates::default);
        }
        let Some(entity) = self.entities.get_mut(index as usize) else { return };
        let needed = entity.needed_from(floor);
        entity.states.drain(..needed);
        entity.merge_ticks(floor);
        let place = entity.states.partition_point(|state| state.tick <= tick);
        let newest = place == entity.states.len();
        let was_there = entity.newest().is_some();
        let (start, len) = entity.add_words(words, &mut self.spare);
        entity.states.insert(place, State { tick, serial, start, len, fresh });
        if !newest {
            return;
        }
        let gone = words.is_empty();
        let view = FlatView::new(layout, words);
        let hash = if gone { StateHash::default() } else { entity_hash(layout, index, &view) };
        self.hash = self.hash.without(entity.hash).with(hash);
        entity.hash = hash;
        self.count = self.count + usize::from(!gone) - usize::from(was_there);
        if !entity.dirty {
            entity.dirty = true;
            self.dirty.push(index);
        }
    }

    /// Takes one entity whose newest state changed since it was last taken.
    pub(super) fn take_dirty(&mut self) -> Option<u32> {
        let index = self.dirty.pop()?;
        if let Some(entity) = self.entities.get_mut(index as usize) {
            entity.dirty = false;
        }
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    const SCHEMA: Schema = Schema { max_entities: 64, components: &[], commands: &[], events: &[] };

    #[test]
    fn a_tick_that_is_told_again_and_again_takes_no_memory() {
        let layout = Layout::new(&SCHEMA);
        let mut views = Views::default();
        for serial in 1..500 {
            // Every view has all but the last few packets.
            let tick = Tick(7 + serial % 3);
            views.insert(&layout, 5, (tick, serial, serial == 9), &[1, 0], serial.saturating_sub(4));
            assert!(views.entities[5].states.len() <= BASELINES + 5, "{serial}");
        }
        let baselines = views.baselines(&layout, (5, BASELINES), 499, (Tick(12), 64));
        assert!(baselines.confirmed().is_some());
    }

    #[test]
    fn words_of_a_component_are_found_in_any_order() {
        use crate::schema::{StructSchema, Word};

        let component = |at: usize| -> &'static StructSchema {
            let words = vec![Word::number(at as u32 + 1); at % 4].leak();
            Box::leak(Box::new(StructSchema { words, ..StructSchema::of_value("Part", &[], &[]) }))
        };
        let components: Vec<_> = (0..70).map(component).collect();
        let schema = Box::leak(Box::new(Schema { components: components.leak(), ..SCHEMA }));
        let layout = Layout::new(schema);
        // Every third component is there, and its words are its number.
        let is_there = |component: &u16| component.is_multiple_of(3);
        let mut words = vec![1, 0, 0, 0];
        for component in (0..70).filter(is_there) {
            words[1 + usize::from(component) / 32] |= 1 << (component % 32);
            words.extend(vec![u32::from(component); usize::from(component) % 4]);
        }
        let view = FlatView::new(&layout, &words);
        let upwards: Vec<_> = (0..70).filter(is_there).collect();
        let any_order = [66, 3, 63, 33, 0, 69, 30, 31 * 3 % 70 / 3 * 3];
        for component in upwards.into_iter().chain(any_order) {
            let expected = vec![u32::from(component); usize::from(component) % 4];
            assert_eq!(view.row(component), expected, "{component}");
        }
    }
}
