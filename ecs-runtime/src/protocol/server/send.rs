//! The packets of a tick, for one client or for all.

use core::time::Duration;
use core::{iter, mem};
use std::panic::resume_unwind;
use std::thread;

use super::{ClientId, Slot, SnapshotServer};
use crate::Entity;
use crate::codec::Lessons;
use crate::protocol::SentPacket;
use crate::protocol::pace::Pace;
use crate::protocol::send::{Priority, SendOptions, Sender};
use crate::snapshot::History;

/// Makes packets for some of the clients, and keeps them until they are sent.
#[derive(Debug, Default)]
pub(super) struct Worker {
    sender: Sender,
    datagrams: Vec<u8>,
    made: Vec<Made>,
}

/// A packet that was made: whom it is for, and where it ends.
#[derive(Debug)]
struct Made {
    client: ClientId,
    packet: SentPacket,
    end: usize,
}

/// What the packets of a tick have in common.
#[derive(Clone, Copy, Debug)]
struct Round<'s> {
    history: &'s History,
    pace: &'s Pace,
    captures: u64,
    now: Duration,
    repeat: bool,
    account: bool,
}

/// The most threads.
const MAX_THREADS: usize = 256;

impl SnapshotServer {
    /// Makes the next packet for a client, to whom all entities are of equal priority, and appends it to `out`: see
    /// [`SnapshotServer::send_by`].
    pub fn send(&mut self, client: ClientId, now: Duration, out: &mut Vec<u8>) -> Option<SentPacket> {
        self.send_by(client, now, |_| 1.0, out)
    }

    /// Makes the next packet for a client and appends it to `out`; `None` before the first capture since it connected,
    /// between its snapshots, while its bandwidth is used up, and for a client that is gone. While the packet says that something was deferred,
    /// another may be asked for in the same tick.
    ///
    /// `priority` is asked when not all fits: how urgent an entity is to the client, 1 for what is neither urgent nor not.
    /// Priorities of the packets that left an entity out add up, and the largest sums go first, so that an entity of
    /// priority 2 goes twice as often as one of 1. They are kept between 1/256 and 256; what is not above zero counts as the
    /// smallest, and is counted in [`PeerStats::bad_priorities`](crate::protocol::PeerStats::bad_priorities).
    pub fn send_by(
        &mut self,
        client: ClientId,
        now: Duration,
        mut priority: impl FnMut(Entity) -> f32,
        out: &mut Vec<u8>,
    ) -> Option<SentPacket> {
        let (round, slots, workers, lessons) = self.round(now);
        let slot = slots.get_mut(usize::from(client.slot)).filter(|slot| slot.turn == client.turn)?;
        let sender = &mut workers.first_mut()?.sender;
        round.send(sender, client.slot, slot, lessons, &mut priority, out)
    }

    /// Makes the packets of a tick for every client, in as many as are allowed and needed, and then hands each to `sent`, a
    /// client's one after the other. `priority` is as in [`SnapshotServer::send_by`].
    ///
    /// They are made on [`ServerConfig::threads`](crate::protocol::ServerConfig::threads), begun and ended here; but on this one
    /// alone while the server learns.
    pub fn send_all(
        &mut self,
        now: Duration,
        priority: impl Fn(ClientId, Entity) -> f32 + Sync,
        mut sent: impl FnMut(ClientId, SentPacket, &[u8]),
    ) {
        let packets_per_tick = self.packets_per_tick();
        let threads = if self.lessons.is_some() { 1 } else { self.config.threads.clamp(1, MAX_THREADS) };
        self.workers.resize_with(self.workers.len().max(threads), Worker::default);
        let (round, slots, workers, lessons) = self.round(now);
        workers.iter_mut().for_each(Worker::clear);
        let connected = slots.iter().filter(|slot| slot.hello.is_some()).count();
        let mut jobs = shares(slots, connected.div_ceil(threads).max(1)).zip(workers.iter_mut());
        let own = jobs.next();
        thread::scope(|scope| {
            let mut others = Vec::new();
            for ((slots, first), worker) in jobs {
                let priority = &priority;
                let work = move || worker.work(round, (slots, first), packets_per_tick, None, priority);
                // Where the system has no more threads, its clients wait for the next tick.
                others.extend(thread::Builder::new().spawn_scoped(scope, work));
            }
            if let Some(((slots, first), worker)) = own {
                worker.work(round, (slots, first), packets_per_tick, lessons, &priority);
            }
            // A priority that panics does so on the caller's thread, too.
            if let Some(panic) = others.into_iter().find_map(|other| other.join().err()) {
                resume_unwind(panic);
            }
        });
        for worker in workers {
            let mut start = 0;
            for Made { client, packet, end } in &worker.made {
                sent(*client, *packet, worker.datagrams.get(start..*end).unwrap_or(&[]));
                start = *end;
            }
        }
    }

    /// How many packets a client may be sent in a tick.
    #[must_use]
    pub fn packets_per_tick(&self) -> usize {
        self.config.packets_per_tick.max(1)
    }

    fn round(&mut self, now: Duration) -> (Round<'_>, &mut [Slot], &mut [Worker], Option<&mut Lessons>) {
        let Self { history, pace, captures, config, slots, workers, lessons, .. } = self;
        let (repeat, account) = (config.repeat, config.account);
        let round = Round { history, pace, captures: *captures, now, repeat, account };
        (round, slots, workers, lessons.as_mut())
    }
}

/// Cuts slots into shares of so many connected clients each, with the number of the first slot of each.
fn shares(slots: &mut [Slot], each: usize) -> impl Iterator<Item = (&mut [Slot], u16)> {
    let (mut rest, mut first) = (slots, 0);
    iter::from_fn(move || {
        let mut left = each;
        let last = rest.iter().position(|slot| {
            left -= usize::from(slot.hello.is_some());
            left == 0
        });
        let end = last.map_or(rest.len(), |last| last + 1);
        let (share, behind) = mem::take(&mut rest).split_at_mut(end);
        let from = first;
        (rest, first) = (behind, first + share.len() as u16);
        (!share.is_empty()).then_some((share, from))
    })
}

impl Round<'_> {
    /// Makes the next packet for a client, if there is one.
    fn send(
        &self,
        sender: &mut Sender,
        number: u16,
        slot: &mut Slot,
        lessons: Option<&mut Lessons>,
        priority: Priority<'_>,
        out: &mut Vec<u8>,
    ) -> Option<SentPacket> {
        if slot.hello.is_none() || !self.pace.is_due(self.captures, number) {
            return None;
        }
        let options = SendOptions { repeat: self.repeat, account: self.account, lessons };
        sender.send(&mut slot.peer, self.history, self.now, options, priority, out)
    }
}

impl Worker {
    fn clear(&mut self) {
        self.datagrams.clear();
        self.made.clear();
    }

    /// Makes the packets of a tick for the clients of some slots, of which the first has a number.
    fn work(
        &mut self,
        round: Round<'_>,
        (slots, first): (&mut [Slot], u16),
        packets_per_tick: usize,
        mut lessons: Option<&mut Lessons>,
        priority: &impl Fn(ClientId, Entity) -> f32,
    ) {
        let Self { sender, datagrams, made } = self;
        for (number, slot) in (first..).zip(slots) {
            let client = ClientId { slot: number, turn: slot.turn };
            for _ in 0..packets_per_tick {
                let mut by_client = |entity| priority(client, entity);
                let lessons = lessons.as_deref_mut();
                let packet = round.send(sender, number, slot, lessons, &mut by_client, datagrams);
                let Some(packet) = packet else { break };
                made.push(Made { client, packet, end: datagrams.len() });
                if packet.deferred == 0 && packet.events_deferred == 0 {
                    break;
                }
            }
        }
    }
}
