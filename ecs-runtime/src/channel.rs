//! Events by which systems of one process talk to each other. None of them travels: what clients are to be told is an
//! [`event`](macro@crate::event), and waits in an [`EventQueue`](crate::event::EventQueue).
//!
//! A channel keeps each event once, in a ring of fixed size, for as long as a reader has yet to come to it. What a reader
//! is given is a copy, so that no lock is held while it works and it may send to the channel that it reads; only the last
//! one is given the event itself.

mod queue;

use core::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use queue::Queue;

/// A queue of events with independent readers: each is given every event that was sent since it began to read, once, in
/// the order in which they were sent.
///
/// An event is freed once all have read it, at once if there is no reader. The channel and its readers live in the
/// context of the systems. Sending an event takes a lock once, and so does reading it; warm, nothing is allocated.
///
/// What several threads send stands in the order in which it arrived, which differs from run to run: a simulation that
/// must repeat itself sends from one thread, or does not depend on the order.
///
/// ```
/// use ecs_runtime::channel::Channel;
///
/// #[derive(Clone)]
/// struct Hit {
///     damage: u32,
/// }
///
/// let hits = Channel::new(64);
/// let (mut score, mut sound) = (hits.reader("score"), hits.reader("sound"));
/// hits.send(Hit { damage: 30 })?;
/// hits.send(Hit { damage: 12 })?;
///
/// let mut total = 0;
/// for hit in score.read() {
///     total += hit.damage;
/// }
/// assert_eq!(total, 42);
/// assert_eq!(hits.slowest(), Some(("sound", 2)));
/// assert_eq!(sound.read().count(), 2);
/// assert!(hits.is_empty());
/// # Ok::<_, ecs_runtime::channel::ChannelFull<Hit>>(())
/// ```
///
/// It is no plain value, and so a context that holds one cannot be cloned: a copy would have to share the events with the
/// original, or its readers would have none.
pub struct Channel<E> {
    shared: Arc<Shared<E>>,
}

/// Sends to a channel from wherever it is kept, on any thread. It outlives the [`Channel`] that it is of.
pub struct Sender<E> {
    shared: Arc<Shared<E>>,
}

/// One who reads a channel, at its own pace. Once dropped, it holds no event back.
pub struct Reader<E> {
    shared: Arc<Shared<E>>,
    /// Where the queue keeps how far it has come.
    place: usize,
}

/// The events that waited for a reader when [`Reader::read`] was called, each taken as it is given out.
#[derive(Debug)]
#[must_use = "events are read as they are iterated over"]
pub struct Read<'a, E> {
    reader: &'a mut Reader<E>,
    left: usize,
}

/// A channel has no room for another event, because a reader has not come to those that wait; it was counted.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the channel holds {capacity} events, as many as it may, and `{slowest}` has the most to read")]
pub struct ChannelFull<E> {
    /// The event that was to be sent.
    pub event: E,
    /// How many events the channel may hold.
    pub capacity: usize,
    /// The name of the reader for whom the most events wait.
    pub slowest: &'static str,
}

impl<E> Channel<E> {
    /// A channel without readers, which holds at most `capacity` events; the memory for them is allocated here.
    ///
    /// # Panics
    /// When so much memory cannot be addressed.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { shared: Arc::new(Shared(Mutex::new(Queue::new(capacity)))) }
    }

    /// A reader of all that is sent from now on. The name, such as that of the system, is for messages, and need not be
    /// unique.
    #[must_use = "a reader that is dropped reads nothing"]
    pub fn reader(&self, name: &'static str) -> Reader<E> {
        let place = self.shared.lock().add_reader(name);
        Reader { shared: Arc::clone(&self.shared), place }
    }

    /// A handle that sends to this channel.
    #[must_use]
    pub fn sender(&self) -> Sender<E> {
        Sender { shared: Arc::clone(&self.shared) }
    }

    /// Sends an event to all readers.
    ///
    /// # Errors
    /// When there is no room: then nothing was sent, and the error has the event.
    pub fn send(&self, event: E) -> Result<(), ChannelFull<E>> {
        self.shared.send(event)
    }

    /// How many events it holds: as many as wait for the slowest reader.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.lock().len()
    }

    /// Whether every reader has read everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many events it may hold.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.shared.lock().capacity()
    }

    /// How many events were given back, because there was no room.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.shared.lock().refused()
    }

    /// The name of the reader for whom the most events wait, and how many; of equals one, and the same each time.
    #[must_use]
    pub fn slowest(&self) -> Option<(&'static str, usize)> {
        let queue = self.shared.lock();
        queue.slowest().map(|reader| (reader.name, queue.waiting(reader)))
    }
}

impl<E> Sender<E> {
    /// Sends an event to all readers.
    ///
    /// # Errors
    /// When there is no room: then nothing was sent, and the error has the event.
    pub fn send(&self, event: E) -> Result<(), ChannelFull<E>> {
        self.shared.send(event)
    }
}

impl<E> Reader<E> {
    /// The events that wait now, the oldest first. What is sent meanwhile waits for the next time, and so does what is
    /// left when the loop is broken off. Each is copied under the channel's lock, so a `clone` of `E` must not use it.
    pub fn read(&mut self) -> Read<'_, E>
    where
        E: Clone,
    {
        // An event that panicked as it was freed has left others that nobody wants.
        self.shared.free();
        Read { left: self.len(), reader: self }
    }

    /// How many events wait for this reader.
    #[must_use]
    pub fn len(&self) -> usize {
        let queue = self.shared.lock();
        queue.reader(self.place).map_or(0, |reader| queue.waiting(reader))
    }

    /// Whether no event waits for this reader.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Passes over the events that wait. A system that is switched off for a while does so, or fills the channel.
    pub fn clear(&mut self) {
        self.shared.lock().pass_over_all(self.place);
        self.shared.free();
    }
}

impl<E> Drop for Reader<E> {
    fn drop(&mut self) {
        self.shared.lock().remove_reader(self.place);
        self.shared.free();
    }
}

impl<E: Clone> Iterator for Read<'_, E> {
    type Item = E;

    fn next(&mut self) -> Option<E> {
        self.left = self.left.checked_sub(1)?;
        self.reader.shared.lock().take(self.reader.place)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<E: Clone> ExactSizeIterator for Read<'_, E> {}

impl<E: Clone> core::iter::FusedIterator for Read<'_, E> {}

impl<E> Clone for Sender<E> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<E> fmt::Debug for Channel<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shared.lock().fmt_as("Channel", f)
    }
}

impl<E> fmt::Debug for Sender<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shared.lock().fmt_as("Sender", f)
    }
}

impl<E> fmt::Debug for Reader<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queue = self.shared.lock();
        let Some(reader) = queue.reader(self.place) else { return f.write_str("Reader") };
        f.debug_struct("Reader").field("name", &reader.name).field("len", &queue.waiting(reader)).finish()
    }
}

// Not derived, so that an error can be passed on whatever the event is.
impl<E> fmt::Debug for ChannelFull<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChannelFull")
            .field("capacity", &self.capacity)
            .field("slowest", &self.slowest)
            .finish_non_exhaustive()
    }
}

struct Shared<E>(Mutex<Queue<E>>);

impl<E> Shared<E> {
    /// A lock is poisoned by a `clone` that panics, before anything was changed: the queue is as good as before.
    fn lock(&self) -> MutexGuard<'_, Queue<E>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, event: E) -> Result<(), ChannelFull<E>> {
        let sent = self.lock().push(event);
        // An event that nobody reads is freed here, outside of the lock.
        sent.map(drop)
    }

    /// Frees what all have read: outside of the lock, since an event may use the channel as it is dropped.
    fn free(&self) {
        loop {
            let event = self.lock().pop_read();
            if event.is_none() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
