//! The server's side: one world, many clients.

use core::time::Duration;

use super::ack::Ack;
use super::command::{MAX_COMMANDS, QueuedCommand, read_commands};
use super::handshake::{Answer, Hello, Refusal, Welcome, write_goodbye};
use super::header::{PacketKind, SESSIONS, expect_end};
use super::peer::{Peer, PeerStats, Verdict};
use super::seal::unseal;
use super::send::{SendOptions, Sender};
use super::{MAX_BUDGET, MIN_BUDGET, PacketError, SentPacket, ServerConfig};
use crate::Command;
use crate::Tick;
use crate::codec::Layout;
use crate::snapshot::{History, Snapshot};
use crate::tick::MAX_COUNTER;
use crate::wire::RowReader;
use crate::world::{GameWorld, HasCommand};

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
}

/// Captures a world each tick, makes packets for each client, and reads theirs.
#[derive(Debug)]
pub struct SnapshotServer {
    history: History,
    config: ServerConfig,
    slots: Vec<Slot>,
    sender: Sender,
    rows: Vec<QueuedCommand>,
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
        let history = History::new(Layout::new(W::SCHEMA), config.history);
        Ok(Self { history, config, slots: Vec::new(), sender: Sender::default(), rows: Vec::new() })
    }

    /// The snapshots of the latest ticks.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Answers a [`Hello`]: takes the client if the schema is the same and there is room.
    ///
    /// The same attempt is answered the same again. The answer is to be sent back to where the greeting came from.
    pub fn connect(&mut self, hello: Hello, now: Duration) -> (Answer, Option<ClientId>) {
        let refused = |refusal| (Answer::Refused { nonce: hello.nonce, refusal }, None);
        let ours = self.history.layout().schema().hash();
        if hello.schema_hash != ours {
            return refused(Refusal::Schema { server: ours });
        }
        let again = self.slots.iter().position(|slot| slot.hello == Some(hello));
        let slot = match again.or_else(|| self.slots.iter().position(|slot| slot.hello.is_none())) {
            Some(slot) => slot,
            None if self.slots.len() < self.config.max_clients => {
                self.slots.push(Slot { peer: Peer::new(), turn: 0, hello: None });
                self.slots.len() - 1
            }
            None => return refused(Refusal::Full),
        };
        let place = &mut self.slots[slot];
        if again.is_none() {
            place.turn = place.turn.wrapping_add(1);
            place.hello = Some(hello);
            let first_packet = self.config.first_packet;
            place.peer.begin(self.history.layout(), first_packet, hello.first_number, now);
        }
        let id = ClientId { slot: slot as u16, turn: place.turn };
        let welcome = Welcome {
            nonce: hello.nonce,
            client: id.slot,
            session: place.peer.session,
            first_packet: self.config.first_packet,
            tick: self.history.latest().map(Snapshot::tick).unwrap_or_default(),
        };
        (Answer::Welcome(welcome), Some(id))
    }

    /// Ends a connection; appends the datagram that tells the client to `out`.
    pub fn disconnect(&mut self, client: ClientId, out: &mut Vec<u8>) {
        if let Some(slot) = self.slot_mut(client) {
            slot.hello = None;
            write_goodbye(slot.peer.session, out);
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

    /// Quantizes what changed in the world since the last capture; the state that is sent from now on.
    ///
    /// A tick that is not above the last one, or not below 2^62, is refused with `false`. A world is best captured by one
    /// server: see [`History::capture`].
    pub fn capture<W: GameWorld>(&mut self, world: &mut W, tick: Tick) -> bool {
        for slot in self.slots.iter_mut().filter(|slot| slot.hello.is_some()) {
            slot.peer.expire(&self.history);
        }
        self.history.capture(world, tick)
    }

    /// Makes the next packet for a client and appends it to `out`; `None` before the first capture, or for a client
    /// that is gone.
    pub fn send(&mut self, client: ClientId, now: Duration, out: &mut Vec<u8>) -> Option<SentPacket> {
        let ServerConfig { budget, repeat, account, .. } = self.config;
        let slot = self.slots.get_mut(usize::from(client.slot))?;
        if slot.turn != client.turn || slot.hello.is_none() {
            return None;
        }
        self.sender.send(&mut slot.peer, &self.history, now, SendOptions { budget, repeat, account }, out)
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
        PacketKind::Ack.open_any(content)?;
        peer.last_heard = now;
        let mut reader = PacketKind::Ack.open(content, peer.session)?;
        let ack = Ack::read(&mut reader)?;
        let schema = self.history.layout().schema();
        let commands = read_commands(&mut reader, schema, peer.next_command, &mut self.rows)?;
        expect_end(&mut reader, content.len() - 1)?;
        peer.take_ack(ack)?;
        peer.take_verdict(ack.complete, &self.history);
        for command in self.rows.iter().take(commands) {
            if command.number < peer.next_command {
                continue;
            }
            peer.next_command = command.number.saturating_add(1);
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
        let session = self.slot(client).map(|slot| slot.peer.session);
        unseal(datagram).is_ok_and(|content| {
            let goodbye = session.map(|session| (PacketKind::Goodbye, (session % SESSIONS) as u8));
            content.len() == 1 && PacketKind::of(content) == goodbye
        })
    }

    /// The answer to a datagram of somebody who is no client: it tells a client that was forgotten, or whose server was
    /// started anew, that it is not connected. Appends it to `out`; nothing for what is no packet of a client.
    pub fn answer_stranger(datagram: &[u8], out: &mut Vec<u8>) {
        if let Ok(content) = unseal(datagram)
            && let Some((PacketKind::Ack, session)) = PacketKind::of(content)
        {
            write_goodbye(u32::from(session), out);
        }
    }

    /// Takes a client's oldest command that waits, if it is of type `C`. Each command is given once, in order.
    pub fn next_command<W: HasCommand<C>, C: Command>(&mut self, client: ClientId) -> Option<C> {
        let commands = &mut self.slot_mut(client)?.peer.commands;
        let oldest = commands.oldest()?;
        if oldest.kind != W::ID {
            return None;
        }
        let mut command = C::default();
        command.dequantize(&mut RowReader::new(&oldest.row));
        commands.drop_oldest();
        Some(command)
    }

    /// How many commands of a client wait to be taken.
    #[must_use]
    pub fn waiting_commands(&self, client: ClientId) -> usize {
        self.slot(client).map_or(0, |slot| slot.peer.commands.len())
    }

    /// Takes how the complete views that a client reported compared with the server's states.
    pub fn verdicts(&mut self, client: ClientId) -> impl Iterator<Item = Verdict> + '_ {
        self.slot_mut(client).into_iter().flat_map(|slot| slot.peer.verdicts())
    }

    /// The counters of a client's connection.
    #[must_use]
    pub fn stats(&self, client: ClientId) -> Option<&PeerStats> {
        Some(&self.slot(client)?.peer.stats)
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
