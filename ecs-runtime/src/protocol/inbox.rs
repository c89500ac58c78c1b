//! The events that a client was sent.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use std::collections::VecDeque;

use super::PacketError;
use crate::Tick;
use crate::codec::{BitReader, decode_struct, golomb};
use crate::event::{EventQueue, Recipient};
use crate::schema::Schema;
use crate::tick::widen;
use crate::world::GameWorld;

/// How far ahead of the oldest that was not confirmed a server sends reliable events.
pub(super) const EVENT_WINDOW: u64 = 256;

/// The most events of either kind that a packet carries.
pub(super) const MAX_EVENTS: usize = 255;

/// The most words that the events of a packet have together, one more for each.
pub(super) const MAX_EVENT_COST: usize = 4096;

/// The most events that wait on a client; beyond it those that are not reliable are dropped and counted.
const MAX_WAITING: usize = 1024;

/// How many bits tell the type of an event.
pub(super) fn kind_bits(schema: &Schema) -> u32 {
    (schema.events.len().max(1) as u32 - 1).checked_ilog2().map_or(0, |highest| highest + 1)
}

/// An event that was read.
#[derive(Clone, Debug, Default)]
struct Event {
    /// Its number if it is reliable.
    number: Option<u64>,
    kind: u16,
    tick: Tick,
    row: Vec<u32>,
}

/// Events that were read, and wait to be taken.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    /// In the order in which they are taken.
    waiting: VecDeque<Event>,
    /// The number of the reliable event that comes next.
    next: u64,
    /// Reliable events that came too early, from the one after the next on.
    early: VecDeque<Option<Event>>,
    /// Those of the packet that is being read.
    read: Vec<Event>,
    /// How many of `read` are of the packet.
    count: usize,
    spare: Vec<Vec<u32>>,
    dropped: u64,
}

impl Inbox {
    /// Forgets all; the first reliable event has a number.
    pub(super) fn begin(&mut self, first: u64) {
        let all = self.waiting.drain(..).chain(self.early.drain(..).flatten());
        self.spare.extend(all.map(|event| event.row));
        self.next = first;
        self.dropped = 0;
        self.count = 0;
    }

    /// Events that were dropped because too many waited.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The packet that is read next has no events until it says so.
    pub(super) fn start(&mut self) {
        self.count = 0;
    }

    /// Reads the events of a packet of `tick`; none is kept before [`Inbox::take`].
    pub(super) fn read(
        &mut self,
        reader: &mut BitReader<'_>,
        schema: &Schema,
        tick: Tick,
    ) -> Result<(), PacketError> {
        let mut cost = MAX_EVENT_COST;
        if reader.flag()? {
            let at_bit = reader.position();
            let first = widen(reader.read(16)? as u16, self.next);
            let count = reader.read(8)?;
            for number in first..first.saturating_add(u64::from(count)) {
                // What came before is told again when its ack was lost; what is too far ahead has no place.
                if number >= self.next.saturating_add(EVENT_WINDOW) || self.waiting.len() >= MAX_WAITING {
                    return Err(PacketError::EventWindow { number, at_bit });
                }
                self.read_event(reader, schema, tick, Some(number), &mut cost)?;
            }
        }
        if reader.flag()? {
            for _ in 0..reader.read(8)? {
                self.read_event(reader, schema, tick, None, &mut cost)?;
            }
        }
        Ok(())
    }

    fn read_event(
        &mut self,
        reader: &mut BitReader<'_>,
        schema: &Schema,
        tick: Tick,
        number: Option<u64>,
        cost: &mut usize,
    ) -> Result<(), PacketError> {
        let age = golomb(reader, 0, 3)?;
        let at_bit = reader.position();
        let kind = reader.read(kind_bits(schema))? as u16;
        let event = schema.events.get(usize::from(kind)).ok_or(PacketError::UnknownEvent(kind))?;
        let left = cost.checked_sub(event.words.len().saturating_add(1));
        *cost = left.ok_or(PacketError::ManyEvents(at_bit))?;
        if self.read.len() <= self.count {
            self.read.push(Event::default());
        }
        let Some(place) = self.read.get_mut(self.count) else { return Ok(()) };
        if place.row.capacity() == 0 {
            place.row = self.spare.pop().unwrap_or_default();
        }
        place.row.clear();
        place.row.resize(event.words.len(), 0);
        (place.number, place.kind, place.tick) = (number, kind, tick - u64::from(age));
        decode_struct(reader, event.words, true, &mut place.row)?;
        self.count += 1;
        Ok(())
    }

    /// Takes the events of the packet that was just read.
    pub(super) fn take(&mut self) {
        for at in 0..core::mem::take(&mut self.count) {
            let Some(event) = self.read.get_mut(at).map(core::mem::take) else { return };
            match event.number {
                None if self.waiting.len() < MAX_WAITING => self.waiting.push_back(event),
                None => {
                    self.dropped += 1;
                    self.spare.push(event.row);
                }
                Some(number) => self.take_reliable(number, event),
            }
        }
    }

    /// Each number once, and in their order.
    fn take_reliable(&mut self, number: u64, event: Event) {
        let Some(ahead) = number.checked_sub(self.next).map(|ahead| ahead as usize) else {
            self.spare.push(event.row);
            return;
        };
        if ahead > 0 {
            if self.early.len() < ahead {
                self.early.resize(ahead, None);
            }
            if let Some(place) = self.early.get_mut(ahead - 1) {
                self.spare.extend(place.replace(event).map(|twice| twice.row));
            }
            return;
        }
        let mut event = Some(event);
        while let Some(next) = event {
            self.waiting.push_back(next);
            self.next += 1;
            event = self.early.pop_front().flatten();
        }
    }

    /// Moves events to a queue, as many as it has room for.
    pub(super) fn move_to<W: GameWorld>(&mut self, to: &mut EventQueue<W>) {
        while let Some(event) = self.waiting.front() {
            if !to.push_row(event.kind, Recipient::All, event.tick, &event.row) {
                return;
            }
            self.spare.extend(self.waiting.pop_front().map(|event| event.row));
        }
    }
}
