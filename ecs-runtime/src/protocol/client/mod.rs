//! The client's side: reads packets, keeps what it knows, tells the server what arrived.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod knowledge;
mod receive;

use std::collections::VecDeque;
use std::sync::Arc;

pub use self::knowledge::Unresolved;
use crate::codec::{BitWriter, Layout};
use crate::protocol::ack::{Ack, CompleteView};
use crate::protocol::apply::apply;
use crate::protocol::changes::{Changes, Vanished};
use crate::protocol::command::{CommandQueue, MAX_COMMANDS};
use crate::protocol::handshake::{DisconnectReason, Hello, Refusal, Welcome, write_goodbye};
use crate::protocol::inbox::Inbox;
use crate::protocol::parts::Assembly;
use crate::protocol::ring::Ring;
use crate::protocol::seal::{SEAL, seal};
use crate::protocol::views::{Serial, Views};
use crate::protocol::{ACK_WINDOW, ClientConfig};
use crate::tick::MAX_COUNTER;
use crate::wire::{Row, RowWriter};
use crate::world::{GameWorld, HasCommand};
use crate::{Command, Tick};

/// What a datagram turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// The states of entities at a tick.
    Snapshot(Tick),
    /// A packet that had come before.
    Duplicate,
    /// The server has taken this client.
    Welcome(Welcome),
    /// The server has not taken this client.
    Refused(Refusal),
    /// The server has ended the session.
    Goodbye(DisconnectReason),
}

/// What [`SnapshotClient::update`] did to a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// How many entities were created, changed or destroyed.
    pub entities: usize,
}

/// How far the connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Connecting,
    Connected {
        welcome: Welcome,
        /// The session now: a fresh start begins another.
        session: u32,
    },
    Refused(Refusal),
    Closed(DisconnectReason),
}

/// A packet that was taken.
#[derive(Clone, Copy, Debug)]
struct Taken {
    packet: u64,
    serial: Serial,
    tick: Tick,
    range: u8,
}

/// The number of a packet, and the entities that it told of and that are there, upwards.
type Told = (u64, Vec<u32>);

/// An ack that a packet named. Number 0 is the empty world, from which a session starts.
#[derive(Clone, Copy, Debug, Default)]
struct NamedAck {
    packet: u64,
    number: u64,
    upto: Serial,
    /// The newest packet of its view, if there is one.
    newest: Option<u64>,
}

/// How many acks are remembered: more than the packets of an ack's window, since a packet may name any of them.
const SENT_ACKS: usize = 1024;

/// Follows the world of a server.
#[derive(Debug)]
pub struct SnapshotClient {
    layout: Arc<Layout>,
    config: ClientConfig,
    hello: Hello,
    phase: Phase,
    views: Views,
    /// By packet.
    taken: Ring<Taken>,
    told: Vec<Told>,
    newest: Option<Taken>,
    serial: Serial,
    /// By number of an ack that was sent: its view has the packets up to a serial.
    sent_acks: Ring<(Serial, Option<u64>)>,
    next_ack: u64,
    /// The acks that packets named lately, oldest first; the last is the newest.
    named: VecDeque<NamedAck>,
    /// The newest view that was complete, and whether the server was told its hash.
    complete: Option<(CompleteView, bool)>,
    complete_views: u64,
    /// How many packets were sent since one of the server's was taken.
    unanswered: u64,
    commands: CommandQueue,
    next_command: u64,
    refused: u64,
    inbox: Inbox,
    assembly: Assembly,
    changes: Changes,
    /// The entities that are told to have a singleton which another is told to have as well, of a newer tick.
    contested: VecDeque<u32>,
    read: Vec<ReadEntity>,
    words: Vec<u32>,
    /// Memory for reading.
    memory: Vec<u32>,
    writer: BitWriter,
}

/// An entity of a packet that is still being read.
#[derive(Clone, Copy, Debug)]
struct ReadEntity {
    index: u32,
    tick: Tick,
    /// Whether it was told from nothing, and in parts.
    fresh: bool,
    in_parts: bool,
    /// Its words in the scratch memory; none if it is not there.
    start: usize,
    end: usize,
    /// Why it is not there.
    why: Vanished,
}

impl SnapshotClient {
    /// A client for states of type `W`, which begins to connect. `nonce` should be hard to guess, and another one
    /// each time.
    #[must_use]
    pub fn new<W: GameWorld>(config: ClientConfig, nonce: u64) -> Self {
        let first_number = config.first_number.clamp(1, MAX_COUNTER - 1);
        let priors = config.priors.identity();
        let hello = Hello { priors, ..Hello::new(W::SCHEMA, nonce, first_number) };
        let mut client = Self {
            layout: Arc::new(Layout::with_priors(W::SCHEMA, &config.priors)),
            config,
            hello,
            phase: Phase::Connecting,
            views: Views::default(),
            taken: Ring::new(2 * ACK_WINDOW as usize),
            told: vec![Default::default(); 2 * ACK_WINDOW as usize],
            newest: None,
            serial: 0,
            sent_acks: Ring::new(SENT_ACKS),
            next_ack: 0,
            named: VecDeque::new(),
            complete: None,
            complete_views: 0,
            unanswered: 0,
            commands: CommandQueue::default(),
            next_command: 0,
            refused: 0,
            inbox: Inbox::default(),
            assembly: Assembly::default(),
            changes: Changes::default(),
            contested: VecDeque::new(),
            read: Vec::new(),
            words: Vec::new(),
            memory: Vec::new(),
            writer: BitWriter::default(),
        };
        client.reconnect(nonce);
        client
    }

    /// Begins to connect anew, in the same memory. The next [`SnapshotClient::update`] empties the world.
    pub fn reconnect(&mut self, nonce: u64) {
        self.hello.nonce = nonce;
        self.phase = Phase::Connecting;
        if self.config.report_changes {
            for index in self.views.indices() {
                if let Some((tick, words)) = self.views.newest(index) {
                    self.changes.note(&self.layout, (index, tick), [words, &[]], Vanished::Disconnected);
                }
            }
        }
        self.views.clear();
        self.assembly.clear();
        self.taken.clear();
        self.newest = None;
        self.serial = 0;
        self.sent_acks.clear();
        self.next_ack = self.hello.first_number;
        self.named.clear();
        self.named.push_back(NamedAck::default());
        self.complete = None;
        self.complete_views = 0;
        self.unanswered = 0;
        self.commands.clear();
        self.next_command = self.hello.first_number;
        self.refused = 0;
        self.contested.clear();
    }

    /// Queues a command for the next packet, which repeats the last few before it.
    pub fn command<W: HasCommand<C>, C: Command>(&mut self, command: &C) {
        let mut row = C::Row::ZERO;
        // Values out of range are saturated; a client keeps no account of its own.
        let mut saturated = [0; 64];
        command.quantize(&mut RowWriter::new(row.words_mut(), &mut saturated));
        self.commands.push(self.next_command, W::ID, row.words());
        self.next_command += 1;
        while self.commands.len() > self.config.repeated_commands.clamp(1, MAX_COMMANDS) {
            self.commands.drop_oldest();
        }
    }

    /// Makes the next packet for the server and appends it to `out`: a greeting until it is answered, then an ack
    /// and the last commands. Nothing once the connection is refused or closed.
    pub fn send(&mut self, out: &mut Vec<u8>) {
        self.unanswered = self.unanswered.saturating_add(1);
        let (welcome, session) = match self.phase {
            Phase::Connecting => return self.hello.write(out),
            Phase::Connected { welcome, session } => (welcome, session),
            Phase::Refused(_) | Phase::Closed(_) => return,
        };
        let named = self.newest_named();
        let newest = self.newest.map_or(welcome.first_packet, |newest| newest.packet);
        let mut ack = Ack { newest: newest as u16, ..Ack::default() };
        for back in 0..ACK_WINDOW {
            let taken = newest.checked_sub(back).and_then(|packet| self.taken.get(packet));
            if taken.is_some_and(|taken| taken.serial > named.upto) {
                ack.list(back);
            }
        }
        // Ack 0 is the empty world, so no ack may look like it.
        self.next_ack += 1 + u64::from(self.next_ack as u16 == u16::MAX);
        ack.number = self.next_ack as u32;
        let newest = self.newest.map(|newest| newest.packet);
        self.sent_acks.put(self.next_ack, (self.serial, newest));
        if self.config.report_hashes
            && let Some((complete, told)) = &mut self.complete
            && !*told
        {
            *told = true;
            ack.complete = Some((complete.tick.0 as u16, complete.hash));
        }
        let start = out.len();
        ack.write(session, out);
        let room = self.config.budget.saturating_sub(out.len() - start + SEAL);
        self.commands.write(self.layout.schema(), &mut self.writer, room, out);
        seal(out, start);
    }

    /// Ends the connection; appends the datagram that tells the server to `out`.
    pub fn disconnect(&mut self, out: &mut Vec<u8>) {
        if let Phase::Connected { session, .. } = self.phase {
            write_goodbye(session, &DisconnectReason::Left, out);
        }
        self.phase = Phase::Closed(DisconnectReason::Left);
    }

    /// Brings a world up to date with what is known: entities by the server's handles, each as it was at the newest
    /// tick that is known of it. Fields that are not sent keep their values.
    pub fn update<W: GameWorld>(&mut self, world: &mut W) -> Update {
        let mut update = Update::default();
        let Self { layout, views, contested, .. } = self;
        while let Some(index) = views.take_dirty() {
            apply(world, layout, index, views, contested);
            update.entities += 1;
        }
        // Whoever kept them from a singleton may have lost it by now.
        for _ in 0..contested.len() {
            if let Some(index) = contested.pop_front() {
                apply(world, layout, index, views, contested);
            }
        }
        update
    }
}
