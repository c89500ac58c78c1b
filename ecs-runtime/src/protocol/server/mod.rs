//! The server's side: one world, many clients.

mod clients;
mod send;

use core::time::Duration;

use crate::codec::{Coder, Layout, Lessons};
use crate::protocol::ack::Ack;
use crate::protocol::command::{Arrival, MAX_COMMANDS, QueuedCommand, read_commands};
use crate::protocol::digest::Mismatch;
use crate::protocol::handshake::{
    Answer, DisconnectReason, Hello, Refusal, Welcome, read_goodbye, write_goodbye,
};
use crate::protocol::header::{PacketKind, SESSIONS, expect_end};
use crate::protocol::pace::Pace;
use crate::protocol::peer::{Peer, Transient, find_transients};
use crate::protocol::seal::unseal;
use crate::protocol::{MAX_BUDGET, MIN_BUDGET, PacketError, ServerConfig};
use crate::snapshot::{History, Snapshot};
use crate::tick::MAX_COUNTER;
use crate::wire::RowReader;
use crate::world::{GameWorld, HasCommand};
use crate::{Command, Entity, Tick};
use send::Worker;

/// A connected client. The number is used again once the client is gone; an old handle then names nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientId {
    slot: u16,
    /// How many clients this slot has had.
    turn: u32,
}

impl ClientId {
    /// The client's number, below the server's maximum.
    #[must_use]
    pub fn number(self) -> u16 {
        self.slot
    }
}

/// What a server cannot do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// The budget of a packet is out of range.
    #[error("a packet's budget must be 512 to 8,192 bytes, not {0}")]
    Budget(usize),
    /// The number of the first packet is out of range.
    #[error("the first packet's number must be below 2^62, not {0}")]
    FirstPacket(u64),
    /// There can be no more clients than their numbers allow.
    #[error("the maximum of clients must be 1 to 65,535, not {0}")]
    MaxClients(usize),
}

/// A place for a client.
#[derive(Debug)]
struct Slot {
    peer: Peer,
    turn: u32,
    /// The attempt to connect that this is the answer to; `None` while the place is free.
    hello: Option<Hello>,
    /// Whether a reliable event had no room.
    overflowed: bool,
}

/// Captures a world each tick, makes packets for each client, and reads theirs.
#[derive(Debug)]
pub struct SnapshotServer {
    history: History,
    /// The identity of the priors.
    priors: u64,
    /// What is learned from what is sent, if that is wanted.
    lessons: Option<Lessons>,
    config: ServerConfig,
    slots: Vec<Slot>,
    /// Those who make packets, at least one; each on a thread of its own.
    workers: Vec<Worker>,
    rows: Vec<QueuedCommand>,
    /// By index: who owns an entity.
    owners: Vec<Option<(Entity, ClientId)>>,
    pace: Pace,
    captures: u64,
    /// What went with the capture at hand.
    transients: Vec<Transient>,
}

impl SnapshotServer {
    /// A server for the states of type `W`.
    pub fn new<W: GameWorld>(config: ServerConfig) -> Result<Self, ServerError> {
        if !(MIN_BUDGET..=MAX_BUDGET).contains(&config.budget) {
            return Err(ServerError::Budget(config.budget));
        }
        if !(1..=usize::from(u16::MAX)).contains(&config.max_clients) {
            return Err(ServerError::MaxClients(config.max_clients));
        }
        if config.first_packet >= MAX_COUNTER {
            return Err(ServerError::FirstPacket(config.first_packet));
        }
        Ok(Self {
            history: History::new(Layout::with_priors(W::SCHEMA, &config.priors), config.history),
            priors: config.priors.identity(),
            lessons: None,
            pace: Pace::new(config.ticks_per_snapshot, config.max_ticks_per_snapshot),
            config,
            slots: Vec::new(),
            workers: vec![Worker::default()],
            rows: Vec::new(),
            owners: Vec::new(),
            captures: 0,
            transients: Vec::new(),
        })
    }

    /// Learns from all states that are sent from now on, to train priors; costs a second pass over them. Without `lessons`
    /// nothing is learned any more. Gives what was learned so far.
    pub fn learn(&mut self, lessons: Option<Lessons>) -> Option<Lessons> {
        core::mem::replace(&mut self.lessons, lessons)
    }

    /// The snapshots of the latest ticks.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Answers a [`Hello`]: takes the client if schema and priors are the same and there is room.
    ///
    /// The same attempt is answered the same again. The answer is to be sent back to where the greeting came from.
    pub fn connect(&mut self, hello: Hello, now: Duration) -> (Answer, Option<ClientId>) {
        self.connect_by(hello, now, self.config.coder)
    }

    /// Answers a [`Hello`] like [`SnapshotServer::connect`], and codes packets to that client by a coder of its own.
    pub fn connect_by(&mut self, hello: Hello, now: Duration, coder: Coder) -> (Answer, Option<ClientId>) {
        let nonce = hello.nonce;
        let schema = self.history.layout().schema();
        let server = schema.hash();
        if hello.schema_hash != server {
            let difference = Mismatch::between(schema, &hello.digest);
            let (ours, field) = Default::default();
            let refusal = Refusal::Schema { server, theirs: difference.name, ours, field };
            return (Answer::Refused { nonce, refusal, difference: Some(Box::new(difference)) }, None);
        }
        if hello.priors != self.priors {
            let refusal = Refusal::Priors { server: self.priors, client: hello.priors };
            return (Answer::Refused { nonce, refusal, difference: None }, None);
        }
        let again = self.slots.iter().position(|slot| slot.hello == Some(hello));
        let slot = match again.or_else(|| self.slots.iter().position(|slot| slot.hello.is_none())) {
            Some(slot) => slot,
            None if self.slots.len() < self.config.max_clients => {
                self.slots.push(Slot { peer: Peer::new(), turn: 0, hello: None, overflowed: false });
                self.slots.len() - 1
            }
            None => return (Answer::Refused { nonce, refusal: Refusal::Full, difference: None }, None),
        };
        let place = &mut self.slots[slot];
        if again.is_none() {
            place.turn = place.turn.wrapping_add(1);
            place.hello = Some(hello);
            place.overflowed = false;
            place.peer.begin(self.history.layout(), &self.config, hello.first_number, now);
            place.peer.coder = coder;
        }
        let id = ClientId { slot: slot as u16, turn: place.turn };
        let welcome = Welcome {
            nonce: hello.nonce,
            client: id.slot,
            session: place.peer.session,
            first_packet: self.config.first_packet,
            tick: self.history.latest().map(Snapshot::tick).unwrap_or_default(),
            baseline_age: self.history.baseline_age(),
            coder: place.peer.coder,
        };
        (Answer::Welcome(welcome), Some(id))
    }

    /// Ends a connection; appends the datagram that tells the client why to `out`.
    pub fn disconnect(&mut self, client: ClientId, reason: &DisconnectReason, out: &mut Vec<u8>) {
        if let Some(slot) = self.slot_mut(client) {
            slot.hello = None;
            write_goodbye(slot.peer.session, reason, out);
        }
    }

    /// Every connected client, by number.
    pub fn clients(&self) -> impl Iterator<Item = ClientId> + '_ {
        let slots = (0..).zip(&self.slots).filter(|(_, slot)| slot.hello.is_some());
        slots.map(|(number, slot)| ClientId { slot: number, turn: slot.turn })
    }

    /// A client that was silent for longer than the timeout, if there is one.
    #[must_use]
    pub fn timed_out(&self, now: Duration) -> Option<ClientId> {
        let silent = |client: &ClientId| {
            let last = self.slot(*client).map(|slot| slot.peer.last_heard);
            last.is_some_and(|last| now.saturating_sub(last) > self.config.timeout)
        };
        self.clients().find(silent)
    }

    /// Quantizes what changed in the world since the last capture; the state that is sent from now on. What clients may see,
    /// and what they own, holds from here until the next capture.
    ///
    /// A tick that is not above the last one, or not below 2^62, is refused with `false`. A world is best captured by one
    /// server: see [`History::capture`].
    pub fn capture<W: GameWorld>(&mut self, world: &mut W, tick: Tick) -> bool {
        let Self { history, slots, owners, config, transients, .. } = self;
        if !history.capture(world, tick) {
            return false;
        }
        self.captures += 1;
        slots.iter_mut().for_each(|slot| slot.peer.view.begin_owning());
        for owner in owners.iter_mut() {
            let alive = owner.filter(|(entity, client)| {
                let slot = slots.get_mut(usize::from(client.slot));
                let slot = slot.filter(|slot| slot.turn == client.turn && slot.hello.is_some());
                let slot = slot.filter(|_| world.ids().contains(*entity));
                slot.is_some_and(|slot| slot.peer.view.owned.insert(entity.index()))
            });
            *owner = alive;
        }
        find_transients(history, transients);
        for slot in slots.iter_mut().filter(|slot| slot.hello.is_some()) {
            slot.peer.note_changes(history);
            slot.peer.view.latch(history, config.history, &mut slot.peer.unsent);
            slot.peer.note_transients(history, transients);
        }
        true
    }

    /// Tells how long the last tick took of the time that it has. When ticks take most of their time, clients are sent
    /// fewer snapshots, down to one in [`ServerConfig::max_ticks_per_snapshot`], and more again once there is time.
    pub fn report_load(&mut self, work: Duration, tick: Duration) {
        self.pace.report(work, tick);
    }

    /// How many ticks there are between two snapshots now.
    #[must_use]
    pub fn ticks_per_snapshot(&self) -> u32 {
        self.pace.interval()
    }

    /// Reads a datagram of a client. On an error, nothing was changed but the counter of errors, and when the client was last
    /// heard.
    pub fn receive(&mut self, client: ClientId, now: Duration, datagram: &[u8]) -> Result<(), PacketError> {
        let result = self.try_receive(client, now, datagram);
        if result.is_err()
            && let Some(slot) = self.slot_mut(client)
        {
            slot.peer.stats.refused += 1;
        }
        result
    }

    fn try_receive(&mut self, client: ClientId, now: Duration, datagram: &[u8]) -> Result<(), PacketError> {
        let slot = self.slots.get_mut(usize::from(client.slot));
        let slot = slot.filter(|slot| slot.turn == client.turn && slot.hello.is_some());
        let peer = &mut slot.ok_or(PacketError::NotConnected)?.peer;
        let content = unseal(datagram)?;
        // It is alive, even where it has not heard yet of a session that began.
        let (mut reader, low) = PacketKind::Ack.open_any(content)?;
        peer.last_heard = now;
        let ours = (peer.session % SESSIONS) as u8;
        let session = peer.session_of(low).ok_or(PacketError::Session { theirs: low, ours })?;
        let ack = Ack::read(&mut reader)?;
        let schema = self.history.layout().schema();
        let commands = read_commands(&mut reader, schema, peer.window.next(), &mut self.rows)?;
        expect_end(&mut reader, content.len() - 1)?;
        // What was sent in an earlier session of the connection is not built on any more, but its commands are as good.
        if session == peer.session {
            peer.take_ack(ack)?;
            peer.take_verdict(ack.complete, &self.history);
        }
        let layout = self.history.layout();
        for command in self.rows.iter().take(commands) {
            match peer.window.take(command.number) {
                Arrival::New => {}
                Arrival::Repeated => continue,
                Arrival::Late => {
                    peer.stats.commands_late += 1;
                    continue;
                }
            }
            let own = |entity: Entity| {
                let owner = self.owners.get(entity.index() as usize).copied().flatten();
                owner == Some((entity, client))
            };
            if !layout.owned(command.kind, &command.row).all(own) {
                peer.stats.commands_forged += 1;
                continue;
            }
            if peer.commands.len() == MAX_COMMANDS {
                peer.stats.commands_dropped += 1;
            } else {
                peer.commands.push(command.number, command.kind, &command.row);
            }
        }
        Ok(())
    }

    /// Whether a datagram says that the client has left.
    #[must_use]
    pub fn is_goodbye(&self, client: ClientId, datagram: &[u8]) -> bool {
        let Some(slot) = self.slot(client) else { return false };
        unseal(datagram).is_ok_and(|content| read_goodbye(content, slot.peer.session).is_some())
    }

    /// The answer to a datagram of somebody who is no client: it tells a client that was forgotten, or whose server was
    /// started anew, that it is not connected. Appends it to `out`; nothing for what is no packet of a client.
    pub fn answer_stranger(datagram: &[u8], out: &mut Vec<u8>) {
        if let Ok(content) = unseal(datagram)
            && let Some((PacketKind::Ack, session)) = PacketKind::of(content)
        {
            write_goodbye(u32::from(session), &DisconnectReason::Unknown, out);
        }
    }

    /// Takes a client's oldest command of type `C` that waits. Each command is given once, and those of a type in order.
    pub fn next_command<W: HasCommand<C>, C: Command>(&mut self, client: ClientId) -> Option<C> {
        let mut command = C::default();
        let commands = &mut self.slot_mut(client)?.peer.commands;
        commands.take_oldest(W::ID, |row| command.dequantize(&mut RowReader::new(row))).then_some(command)
    }

    /// How many commands of a client wait to be taken.
    #[must_use]
    pub fn waiting_commands(&self, client: ClientId) -> usize {
        self.slot(client).map_or(0, |slot| slot.peer.commands.len())
    }

    fn slot(&self, client: ClientId) -> Option<&Slot> {
        let slot = self.slots.get(usize::from(client.slot))?;
        (slot.turn == client.turn && slot.hello.is_some()).then_some(slot)
    }

    fn slot_mut(&mut self, client: ClientId) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(usize::from(client.slot))?;
        (slot.turn == client.turn && slot.hello.is_some()).then_some(slot)
    }
}
