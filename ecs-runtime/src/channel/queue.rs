//! What a channel holds, and who has come how far. It knows no lock.

use core::fmt;
use std::collections::VecDeque;

use super::ChannelFull;

/// What waits, and who has come how far.
pub(super) struct Queue<E> {
    events: VecDeque<E>,
    /// The number of the first of `events`: all events that were kept are numbered in the order in which they came.
    first: u64,
    readers: Vec<Option<Progress>>,
    capacity: usize,
    refused: u64,
}

pub(super) struct Progress {
    pub(super) name: &'static str,
    /// The number of the event to be read next, `first` at the least.
    next: u64,
}

impl<E> Queue<E> {
    pub(super) fn new(capacity: usize) -> Self {
        let events = VecDeque::with_capacity(capacity);
        Self { events, first: 0, readers: Vec::new(), capacity, refused: 0 }
    }

    /// Keeps an event, or gives it back: as an error if there is no room, and otherwise if nobody reads.
    pub(super) fn push(&mut self, event: E) -> Result<Option<E>, ChannelFull<E>> {
        let Some(slowest) = self.slowest().map(|reader| reader.name) else { return Ok(Some(event)) };
        if self.events.len() >= self.capacity {
            self.refused = self.refused.saturating_add(1);
            return Err(ChannelFull { event, capacity: self.capacity, slowest });
        }
        self.events.push_back(event);
        Ok(None)
    }

    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    pub(super) fn add_reader(&mut self, name: &'static str) -> usize {
        let reader = Some(Progress { name, next: self.end() });
        if let Some(free) = self.readers.iter().position(Option::is_none) {
            self.readers[free] = reader;
            return free;
        }
        self.readers.push(reader);
        self.readers.len() - 1
    }

    pub(super) fn remove_reader(&mut self, place: usize) {
        if let Some(reader) = self.readers.get_mut(place) {
            *reader = None;
        }
    }

    pub(super) fn reader(&self, place: usize) -> Option<&Progress> {
        self.readers.get(place)?.as_ref()
    }

    /// The number of the event that will come next.
    fn end(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    pub(super) fn waiting(&self, reader: &Progress) -> usize {
        (self.end() - reader.next) as usize
    }

    pub(super) fn slowest(&self) -> Option<&Progress> {
        self.readers.iter().flatten().min_by_key(|reader| reader.next)
    }

    /// The event that a reader is to read next, which is read thereby.
    pub(super) fn take(&mut self, place: usize) -> Option<E>
    where
        E: Clone,
    {
        let next = self.reader(place)?.next;
        let wanted_by = self.readers.iter().flatten().filter(|reader| reader.next <= next).count();
        let event = if next == self.first && wanted_by == 1 {
            let event = self.events.pop_front()?;
            self.first += 1;
            event
        } else {
            self.events.get((next - self.first) as usize)?.clone()
        };
        self.readers[place].as_mut()?.next += 1;
        Some(event)
    }

    pub(super) fn pass_over_all(&mut self, place: usize) {
        let end = self.end();
        if let Some(reader) = self.readers.get_mut(place).and_then(Option::as_mut) {
            reader.next = end;
        }
    }

    /// Takes the oldest event out if all have read it.
    pub(super) fn pop_read(&mut self) -> Option<E> {
        if self.readers.iter().flatten().any(|reader| reader.next == self.first) {
            return None;
        }
        let event = self.events.pop_front()?;
        self.first += 1;
        Some(event)
    }

    pub(super) fn fmt_as(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let readers = self.readers.iter().flatten().map(|reader| (reader.name, self.waiting(reader)));
        f.debug_struct(name)
            .field("len", &self.events.len())
            .field("capacity", &self.capacity)
            .field("refused", &self.refused)
            .field("readers", &readers.collect::<Vec<_>>())
            .finish()
    }
}
