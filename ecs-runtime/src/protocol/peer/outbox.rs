//! The events that wait for a client.

use std::collections::VecDeque;

use crate::Tick;
use crate::codec::{BitWriter, Encode, Symbol, encode_struct};
use crate::protocol::inbox::{EVENT_WINDOW, MAX_EVENT_COST, MAX_EVENTS, kind_bits};
use crate::schema::Schema;

/// An event, quantized.
#[derive(Debug)]
struct Event {
    kind: u16,
    tick: Tick,
    row: Vec<u32>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unsent,
    InFlight { packet: u64 },
    Acked,
}

/// Events in the order in which they happened: those that arrive exactly once, and those that are sent once.
#[derive(Debug, Default)]
pub(in crate::protocol) struct Outbox {
    reliable: VecDeque<Event>,
    /// The number of the oldest that is reliable.
    first: u64,
    unreliable: VecDeque<Event>,
    spare: Vec<Vec<u32>>,
}

/// The events that a packet carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::protocol) struct EventRun {
    /// The number of the first that is reliable.
    first: u64,
    /// How many are reliable.
    reliable: usize,
    unreliable: usize,
}

impl EventRun {
    pub(in crate::protocol) fn len(self) -> usize {
        self.reliable + self.unreliable
    }
}

impl Outbox {
    /// Forgets all, and begins with a number.
    pub(super) fn begin(&mut self, first: u64) {
        let all = self.reliable.drain(..).chain(self.unreliable.drain(..));
        self.spare.extend(all.map(|event| event.row));
        self.first = first;
    }

    /// How many wait for an ack.
    pub(in crate::protocol) fn waiting(&self) -> usize {
        self.reliable.len()
    }

    /// How many were not sent yet.
    pub(in crate::protocol) fn unsent(&self) -> usize {
        self.reliable.iter().filter(|event| event.state == State::Unsent).count() + self.unreliable.len()
    }

    /// Whether some were not sent yet.
    pub(in crate::protocol) fn has_unsent(&self) -> bool {
        !self.unreliable.is_empty() || self.reliable.iter().any(|event| event.state == State::Unsent)
    }

    /// Adds an event that arrives exactly once; `false` if `capacity` of them wait.
    pub(in crate::protocol) fn push_reliable(
        &mut self,
        kind: u16,
        tick: Tick,
        row: &[u32],
        capacity: usize,
    ) -> bool {
        if self.reliable.len() >= capacity {
            return false;
        }
        let event = self.event(kind, tick, row);
        self.reliable.push_back(event);
        true
    }

    /// Adds an event that is sent once; `false` if the oldest had to make room.
    pub(in crate::protocol) fn push_unreliable(
        &mut self,
        kind: u16,
        tick: Tick,
        row: &[u32],
        capacity: usize,
    ) -> bool {
        let full = self.unreliable.len() >= capacity.max(1);
        if full {
            self.spare.extend(self.unreliable.pop_front().map(|event| event.row));
        }
        let event = self.event(kind, tick, row);
        self.unreliable.push_back(event);
        !full
    }

    fn event(&mut self, kind: u16, tick: Tick, row: &[u32]) -> Event {
        let mut kept = self.spare.pop().unwrap_or_default();
        kept.clear();
        kept.extend_from_slice(row);
        Event { kind, tick, row: kept, state: State::Unsent }
    }

    /// Writes as many events as fit `room` bits: first those that are reliable, from the oldest that has to be sent.
    pub(in crate::protocol) fn write(
        &self,
        to: &mut BitWriter,
        schema: &Schema,
        tick: Tick,
        room: usize,
    ) -> EventRun {
        let at = self.reliable.iter().position(|event| event.state == State::Unsent);
        let window = (EVENT_WINDOW as usize).saturating_sub(at.unwrap_or(0));
        let unsent = self.reliable.iter().skip(at.unwrap_or(usize::MAX)).take(window);
        let unsent = unsent.take_while(|event| event.state == State::Unsent);
        let mut limit = Limit { bits: room.saturating_sub(2), cost: MAX_EVENT_COST };
        let reliable = limit.count(24, schema, tick, unsent.clone());
        let unreliable = limit.count(8, schema, tick, self.unreliable.iter());
        let run = EventRun { first: self.first + at.unwrap_or(0) as u64, reliable, unreliable };
        to.write(u32::from(reliable > 0), 1);
        if reliable > 0 {
            to.write(u32::from(run.first as u16), 16);
            to.write(reliable as u32, 8);
            unsent.take(reliable).for_each(|event| event.encode(to, schema, tick));
        }
        to.write(u32::from(unreliable > 0), 1);
        if unreliable > 0 {
            to.write(unreliable as u32, 8);
            self.unreliable.iter().take(unreliable).for_each(|event| event.encode(to, schema, tick));
        }
        run
    }

    /// Takes note of the packet that carries a run.
    pub(super) fn sent(&mut self, run: EventRun, packet: u64) {
        self.spare.extend(self.unreliable.drain(..run.unreliable).map(|event| event.row));
        self.run(run).for_each(|event| event.state = State::InFlight { packet });
    }

    /// A packet was lost: what it carried is to be sent again, unless it was since.
    pub(super) fn lost(&mut self, run: EventRun, packet: u64) {
        let of_packet = |event: &&mut Event| event.state == State::InFlight { packet };
        self.run(run).filter(of_packet).for_each(|event| event.state = State::Unsent);
    }

    /// A packet arrived.
    pub(super) fn acked(&mut self, run: EventRun) {
        self.run(run).for_each(|event| event.state = State::Acked);
        while let Some(event) = self.reliable.pop_front_if(|event| event.state == State::Acked) {
            self.spare.push(event.row);
            self.first += 1;
        }
    }

    /// Nothing is known of what is in flight any more.
    pub(super) fn forget_flight(&mut self) {
        for event in self.reliable.iter_mut().filter(|event| event.state != State::Acked) {
            event.state = State::Unsent;
        }
    }

    /// Those of a run that still wait.
    fn run(&mut self, run: EventRun) -> impl Iterator<Item = &mut Event> {
        let gone = self.first.saturating_sub(run.first) as usize;
        let skip = run.first.saturating_sub(self.first) as usize;
        self.reliable.iter_mut().skip(skip).take(run.reliable.saturating_sub(gone))
    }

    /// The bytes that it takes.
    pub(super) fn memory(&self) -> usize {
        let rows = self.reliable.iter().chain(&self.unreliable).map(|event| &event.row).chain(&self.spare);
        let rows = rows.map(|row| row.capacity() * size_of::<u32>() + size_of::<Vec<u32>>()).sum::<usize>();
        rows + (self.reliable.capacity() + self.unreliable.capacity()) * size_of::<Event>()
    }
}

impl Event {
    fn encode(&self, to: &mut impl Encode, schema: &Schema, tick: Tick) {
        let age = tick.0.saturating_sub(self.tick.0).min(u64::from(u16::MAX)) as u32;
        to.golomb(Symbol::Extra, 0, age, 3, u32::BITS, (0, 0));
        to.bits(Symbol::Extra, u32::from(self.kind), kind_bits(schema));
        let words = schema.events.get(usize::from(self.kind)).map_or(&[][..], |event| event.words);
        encode_struct(to, words, None, &self.row);
    }
}

/// What is left while events are counted.
struct Limit {
    bits: usize,
    cost: usize,
}

impl Limit {
    /// How many events fit, behind `overhead` bits.
    fn count<'e>(
        &mut self,
        overhead: usize,
        schema: &Schema,
        tick: Tick,
        events: impl Iterator<Item = &'e Event>,
    ) -> usize {
        let (mut bits, mut count) = (overhead, 0);
        for event in events.take(MAX_EVENTS) {
            let mut counter = Counter(0);
            event.encode(&mut counter, schema, tick);
            let cost = event.row.len() + 1;
            if bits + counter.0 > self.bits || cost > self.cost {
                break;
            }
            bits += counter.0;
            self.cost -= cost;
            count += 1;
        }
        if count > 0 {
            self.bits -= bits;
        }
        count
    }
}

/// Counts bits.
struct Counter(usize);

impl Encode for Counter {
    fn bits(&mut self, _: Symbol, _: u32, count: u32) {
        self.0 += count as usize;
    }
}
