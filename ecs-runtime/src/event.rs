//! Events that wait: on a server to be sent, on a client to be taken.
//!
//! They are kept as they travel, quantized, so that a bounded queue holds all types and allocates nothing once warm.

use core::marker::PhantomData;
use std::collections::VecDeque;

use crate::protocol::ClientId;
use crate::wire::{Row, RowReader, RowWriter};
use crate::world::{GameWorld, HasEvent};
use crate::{Entity, Event, Tick};

/// Whom an event is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recipient {
    /// One client. If it is gone by then, nobody.
    Client(ClientId),
    /// Every client that sees an entity.
    SeersOf(Entity),
    /// Every client.
    All,
}

/// Events of a state's list, in the order in which they were put in.
///
/// ```rust,standalone_crate
/// # use ecs_runtime::prelude::*;
/// # #[component] pub struct Health { pub hp: u8 }
/// #[event]
/// pub struct Explosion {
///     #[quantize(min = -512.0, max = 512.0, step = 0.5)]
///     pub at: [f32; 3],
/// }
/// # ecs_runtime::game_state! { max_entities = 64; events = [Explosion]; Health }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use ecs_runtime::event::{EventQueue, Recipient};
///
/// let mut events = EventQueue::<GameState>::new(64);
/// events.put(Recipient::All, ecs_runtime::Tick(7), &Explosion { at: [1.0, 2.0, 3.0] })?;
/// let explosion: Explosion = events.take().ok_or("there is one")?.event;
/// assert_eq!(explosion.at, [1.0, 2.0, 3.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct EventQueue<W> {
    waiting: VecDeque<Waiting>,
    spare: Vec<Vec<u32>>,
    capacity: usize,
    dropped: u64,
    of: PhantomData<fn(W)>,
}

#[derive(Debug)]
struct Waiting {
    kind: u16,
    to: Recipient,
    tick: Tick,
    row: Vec<u32>,
}

/// An event that was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken<E> {
    /// The event.
    pub event: E,
    /// Whom it was for.
    pub to: Recipient,
    /// The tick in which it happened.
    pub tick: Tick,
}

/// A queue has no room for another event, which was dropped and counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the queue holds {0} events, as many as it may")]
pub struct QueueFull(pub usize);

impl<W: GameWorld> EventQueue<W> {
    /// An empty queue of at most `capacity` events.
    #[must_use]
    pub const fn new(capacity: usize) -> Self {
        Self { waiting: VecDeque::new(), spare: Vec::new(), capacity, dropped: 0, of: PhantomData }
    }

    /// How many events wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many events were dropped, because there was no room.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Puts an event at the end. Values out of range are saturated, as on the wire.
    ///
    /// # Errors
    /// When there is no room.
    pub fn put<E: Event>(&mut self, to: Recipient, tick: Tick, event: &E) -> Result<(), QueueFull>
    where
        W: HasEvent<E>,
    {
        let mut row = E::Row::ZERO;
        event.quantize(&mut RowWriter::new(row.words_mut(), &mut []));
        self.push(W::ID, to, tick, |kept| kept.extend_from_slice(row.words()))
    }

    /// Takes the oldest event of a type; those of other types stay.
    pub fn take<E: Event>(&mut self) -> Option<Taken<E>>
    where
        W: HasEvent<E>,
    {
        let at = self.waiting.iter().position(|waiting| waiting.kind == W::ID)?;
        let Waiting { to, tick, row, .. } = self.waiting.remove(at)?;
        let mut event = E::default();
        event.dequantize(&mut RowReader::new(&row));
        self.spare.push(row);
        Some(Taken { event, to, tick })
    }

    /// Takes all events out.
    pub fn clear(&mut self) {
        self.spare.extend(self.waiting.drain(..).map(|waiting| waiting.row));
    }

    /// Takes the oldest event out: its type, whom it is for, its tick, and its words.
    pub(crate) fn pop_row(&mut self) -> Option<(u16, Recipient, Tick, &[u32])> {
        let Waiting { kind, to, tick, row } = self.waiting.pop_front()?;
        self.spare.push(row);
        Some((kind, to, tick, self.spare.last()?))
    }

    /// Puts an event at the end; `false` if there is no room, and nothing is counted then.
    pub(crate) fn push_row(&mut self, kind: u16, to: Recipient, tick: Tick, row: &[u32]) -> bool {
        self.waiting.len() < self.capacity
            && self.push(kind, to, tick, |kept| kept.extend_from_slice(row)).is_ok()
    }

    fn push(
        &mut self,
        kind: u16,
        to: Recipient,
        tick: Tick,
        write: impl FnOnce(&mut Vec<u32>),
    ) -> Result<(), QueueFull> {
        if self.waiting.len() >= self.capacity {
            self.dropped += 1;
            return Err(QueueFull(self.capacity));
        }
        let mut row = self.spare.pop().unwrap_or_default();
        row.clear();
        write(&mut row);
        self.waiting.push_back(Waiting { kind, to, tick, row });
        Ok(())
    }
}
