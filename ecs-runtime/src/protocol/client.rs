//! The client's side: reads packets, keeps what it knows, tells the server what arrived.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use std::collections::VecDeque;

use super::ack::{Ack, CompleteView};
use super::apply::apply;
use super::changes::{Change, Changes, Vanished};
use super::command::{CommandQueue, MAX_COMMANDS};
use super::handshake::{Answer, DisconnectReason, Hello, Refusal, Welcome, read_goodbye, write_goodbye};
use super::header::{INCOMPLETE, PacketKind, SESSIONS, SnapshotHeader, expect_end};
use super::inbox::Inbox;
use super::parts::{Assembly, PartsHeader, Run};
use super::ring::Ring;
use super::seal::{SEAL, seal, unseal};
use super::views::{FlatView, Serial, Views};
use super::{ACK_WINDOW, ClientConfig, PacketError};
use crate::codec::{BitReader, BitWriter, Decoded, EntityDecoder, Layout, decode_whole};
use crate::event::EventQueue;
use crate::snapshot::StateHash;
use crate::tick::{MAX_COUNTER, widen};
use crate::wire::{Row, RowWriter};
use crate::world::{ComponentId, GameWorld, HasCommand};
use crate::{Command, Entity, Tick};

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

/// An ack that a packet named. Number 0 is the empty world, from which a session starts.
#[derive(Clone, Copy, Debug, Default)]
struct NamedAck {
    packet: u64,
    number: u64,
    upto: Serial,
}

/// How many packets late a packet may come and still find the view that it builds on.
const REORDER_WINDOW: u64 = 32;

/// How many acks are remembered: more than the packets of an ack's window, since a packet may name any of them.
const SENT_ACKS: usize = 1024;

/// Follows the world of a server.
#[derive(Debug)]
pub struct SnapshotClient {
    layout: Layout,
    config: ClientConfig,
    hello: Hello,
    phase: Phase,
    views: Views,
    /// By packet.
    taken: Ring<Taken>,
    newest: Option<Taken>,
    serial: Serial,
    /// By number of an ack that was sent: its view has the packets up to a serial.
    sent_acks: Ring<Serial>,
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
    writer: BitWriter,
}

/// An entity of a packet that is still being read.
#[derive(Clone, Copy, Debug)]
struct ReadEntity {
    index: u32,
    tick: Tick,
    /// Its words in the scratch memory; none if it is not there.
    start: usize,
    end: usize,
    /// Why it is not there.
    why: Vanished,
}

/// A reference of an entity to another that the client does not have, or not yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// Who refers.
    pub entity: Entity,
    /// In which component.
    pub component: ComponentId,
    /// In which of its fields.
    pub field: &'static str,
    /// To whom.
    pub target: Entity,
}

impl SnapshotClient {
    /// A client for states of type `W`, which begins to connect. `nonce` should be hard to guess, and another one
    /// each time.
    #[must_use]
    pub fn new<W: GameWorld>(config: ClientConfig, nonce: u64) -> Self {
        let first_number = config.first_number.clamp(1, MAX_COUNTER - 1);
        let hello = Hello::new(W::SCHEMA, nonce, first_number);
        let mut client = Self {
            layout: Layout::new(W::SCHEMA),
            config,
            hello,
            phase: Phase::Connecting,
            views: Views::default(),
            taken: Ring::new(2 * ACK_WINDOW as usize),
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
    }

    /// The server's answer, once it has taken this client.
    #[must_use]
    pub fn welcome(&self) -> Option<Welcome> {
        if let Phase::Connected { welcome, .. } = self.phase { Some(welcome) } else { None }
    }

    /// Why the server has not taken this client.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        if let Phase::Refused(refusal) = self.phase { Some(refusal) } else { None }
    }

    /// Why the session ended, once it has.
    #[must_use]
    pub fn disconnect_reason(&self) -> Option<DisconnectReason> {
        if let Phase::Closed(reason) = self.phase { Some(reason) } else { None }
    }

    /// The newest tick that a packet was of.
    #[must_use]
    pub fn newest_tick(&self) -> Option<Tick> {
        self.newest.map(|newest| newest.tick)
    }

    /// The newest tick of which the whole state was held, at once.
    #[must_use]
    pub fn complete_tick(&self) -> Option<Tick> {
        self.complete.map(|(complete, _)| complete.tick)
    }

    /// How many ticks were held whole since the client connected.
    #[must_use]
    pub fn complete_views(&self) -> u64 {
        self.complete_views
    }

    /// The hash of what is known of all entities; that of the server's state when the view is complete.
    #[must_use]
    pub fn hash(&self) -> StateHash {
        self.views.hash()
    }

    /// How many entities are known.
    #[must_use]
    pub fn entity_count(&self) -> usize {
        self.views.count()
    }

    /// The newest tick at which what is known of the entity at an index is known to be the server's: that of the state that
    /// came last, or of the last complete view, which renews all. What is shown is older than the server by its tick less
    /// this.
    #[must_use]
    pub fn entity_tick(&self, index: u32) -> Option<Tick> {
        self.views.newest(index).map(|(tick, _)| self.complete_tick().unwrap_or_default().max(tick))
    }

    /// Whether the newest tick that was heard of is held whole.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete_tick().is_some() && self.complete_tick() == self.newest_tick()
    }

    /// The references of what is known to entities that are not. They resolve by themselves once those come.
    pub fn unresolved(&self) -> impl Iterator<Item = Unresolved> + '_ {
        let known = |entity: Entity| {
            let newest = self.views.newest(entity.index());
            newest.is_some_and(|(_, words)| words.first() == Some(&entity.generation()))
        };
        let entities = self.views.indices().filter_map(|index| {
            let (_, words) = self.views.newest(index)?;
            Some((Entity::new(index, *words.first()?)?, words))
        });
        entities.flat_map(move |(entity, words)| {
            let view = FlatView::new(&self.layout, words);
            view.into_rows().flat_map(move |(component, row)| {
                let references =
                    self.layout.references(component, row).filter(move |(_, target)| !known(*target));
                references.map(move |(field, target)| Unresolved {
                    entity,
                    component: ComponentId(component),
                    field,
                    target,
                })
            })
        })
    }

    /// Takes what happened to entities since it was last asked, in the order in which it was told: each once. A state that
    /// a later one overtook on the way is not told of.
    pub fn changes(&mut self) -> impl Iterator<Item = Change> + '_ {
        self.changes.drain()
    }

    /// How many changes were dropped, because too many waited to be taken.
    #[must_use]
    pub fn changes_dropped(&self) -> u64 {
        self.changes.dropped()
    }

    /// Moves the events that came to a queue, as far as it has room: those that are reliable once each and in order. They
    /// should be taken after each packet. When 1,024 wait here, others are dropped and [counted](Self::events_dropped), and
    /// packets with reliable ones are refused, so that none is lost.
    pub fn receive_events<W: GameWorld>(&mut self, to: &mut EventQueue<W>) {
        let client = self.welcome().map_or(0, |welcome| welcome.client);
        self.inbox.move_to(to, client);
    }

    /// How many events that arrive at most once were dropped, because too many waited to be taken.
    #[must_use]
    pub fn events_dropped(&self) -> u64 {
        self.inbox.dropped()
    }

    /// How many packets were sent since the server was last heard: a way to tell that it is gone, for a client that
    /// sends as often as it ticks. What to do about it is up to the game; [`SnapshotClient::reconnect`] begins anew.
    #[must_use]
    pub fn unanswered(&self) -> u64 {
        self.unanswered
    }

    /// How many datagrams were refused.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Reads a datagram of the server. On an error, nothing was changed but the counter of errors.
    pub fn receive(&mut self, datagram: &[u8]) -> Result<Received, PacketError> {
        let result = self.try_receive(datagram);
        self.refused += u64::from(result.is_err());
        result
    }

    fn try_receive(&mut self, datagram: &[u8]) -> Result<Received, PacketError> {
        let content = unseal(datagram)?;
        if let Some(answer) = Answer::read(content)? {
            return self.take_answer(answer);
        }
        let Phase::Connected { welcome, session } = self.phase else { return Err(PacketError::NotConnected) };
        let ours = (session % SESSIONS) as u8;
        if let Some(reason) = read_goodbye(content, session) {
            self.phase = Phase::Closed(reason);
            return Ok(Received::Goodbye(reason));
        }
        let extras = PacketKind::of(content).is_some_and(|(kind, _)| kind == PacketKind::SnapshotWithExtras);
        let kind = if extras { PacketKind::SnapshotWithExtras } else { PacketKind::Snapshot };
        let (mut reader, low) = kind.open_any(content)?;
        let header = SnapshotHeader::read(&mut reader, extras)?;
        let newest =
            self.newest.map_or((welcome.first_packet, welcome.tick), |newest| (newest.packet, newest.tick));
        let (theirs, packet, tick) = match header.start {
            Some(start) => (start.session, start.packet, start.tick),
            None => (session, widen(header.packet, newest.0), widen(header.tick, newest.1.0)),
        };
        // The server may start afresh, from the empty world; sessions only go forward.
        if theirs < session || low != (theirs % SESSIONS) as u8 {
            return Err(PacketError::Session { theirs: low, ours });
        }
        let (tick, starts) = (Tick(tick), theirs > session);
        let named = if starts {
            NamedAck { packet, number: 0, upto: self.serial }
        } else {
            if self.taken.get(packet).is_some() {
                return Ok(Received::Duplicate);
            }
            if packet.saturating_add(ACK_WINDOW) <= newest.0 {
                return Err(PacketError::TooOld(packet));
            }
            let named = self.named_by(packet, header.ack)?;
            self.expect_listable(packet, named)?;
            named
        };

        let mut reader = self.read_entities(reader, tick, named)?;
        let run = self.read_extras(&mut reader, extras, tick, content.len().saturating_sub(1))?;

        self.unanswered = 0;
        if starts {
            // What packets brought is kept to be seen, but no ack speaks of it any more.
            self.phase = Phase::Connected { welcome, session: theirs };
            self.named.clear();
            self.named.push_back(named);
        }
        let serial = self.serial.saturating_add(1);
        if let Some(run) = run {
            self.assembly.take(run);
        }
        self.inbox.take();
        self.take(Taken { packet, serial, tick, range: header.range }, named);
        Ok(Received::Snapshot(tick))
    }

    /// Reads the states of entities, which are kept apart until the whole packet was read.
    fn read_entities<'p>(
        &mut self,
        reader: BitReader<'p>,
        tick: Tick,
        named: NamedAck,
    ) -> Result<BitReader<'p>, PacketError> {
        self.read.clear();
        self.words.clear();
        let mut entities = EntityDecoder::new(reader, &self.layout)?;
        while let Some(index) = entities.next_index()? {
            let confirmed = self.views.confirmed(index, named.upto);
            let confirmed = confirmed.map(|words| FlatView::new(&self.layout, words));
            let start = self.words.len();
            let decoded = entities.entity(confirmed.as_ref(), &mut self.words)?;
            let end = if decoded == Decoded::State { self.words.len() } else { start };
            let why = if decoded == Decoded::Hidden { Vanished::OutOfView } else { Vanished::Destroyed };
            self.read.push(ReadEntity { index, tick, start, end, why });
        }
        Ok(entities.into_reader())
    }

    /// Reads what is behind the states, of a packet of `len` bytes without its first: events, and parts of an entity.
    fn read_extras(
        &mut self,
        reader: &mut BitReader<'_>,
        extras: bool,
        tick: Tick,
        len: usize,
    ) -> Result<Option<Run>, PacketError> {
        self.inbox.start();
        let mut run = None;
        if extras {
            if reader.flag()? {
                self.inbox.read(reader, self.layout.schema(), tick)?;
            }
            if reader.flag()? {
                let header = PartsHeader::read(reader)?;
                let mut bytes = reader.clone();
                reader.skip(header.bytes().1.saturating_mul(8))?;
                expect_end(reader, len)?;
                // From here on the packet is as it should be.
                let (parts, whole) = self.assembly.read(header, tick, &mut bytes);
                if whole {
                    let start = self.words.len();
                    decode_whole(&mut BitReader::new(self.assembly.bytes()), &self.layout, &mut self.words)?;
                    let (index, tick, end) = (parts.of.index, parts.of.tick, self.words.len());
                    self.read.push(ReadEntity { index, tick, start, end, why: Vanished::Destroyed });
                }
                run = Some(parts);
            }
        }
        expect_end(reader, len)?;
        Ok(run)
    }

    fn take_answer(&mut self, answer: Answer) -> Result<Received, PacketError> {
        let (nonce, received, phase) = match answer {
            Answer::Welcome(welcome) => {
                let phase = Phase::Connected { welcome, session: welcome.session };
                (welcome.nonce, Received::Welcome(welcome), phase)
            }
            Answer::Refused { nonce, mut refusal, difference } => {
                if let (Refusal::Schema { ours, field, .. }, Some(difference)) = (&mut refusal, difference) {
                    (*ours, *field) = difference.of_client(self.layout.schema());
                }
                (nonce, Received::Refused(refusal), Phase::Refused(refusal))
            }
        };
        if nonce != self.hello.nonce {
            return Err(PacketError::NotConnected);
        }
        if self.phase != Phase::Connecting {
            return Ok(Received::Duplicate);
        }
        if let Received::Welcome(welcome) = received {
            self.inbox.begin(welcome.first_packet);
        }
        self.phase = phase;
        self.unanswered = 0;
        Ok(received)
    }

    /// The ack that a packet of this session builds on.
    fn named_by(&self, packet: u64, low: u16) -> Result<NamedAck, PacketError> {
        let oldest = self.named.front().copied().unwrap_or_default();
        if low == 0 && oldest.number == 0 {
            return Ok(NamedAck { packet, ..oldest });
        }
        let number = widen(low, self.next_ack);
        let sent = self.sent_acks.get(number).filter(|_| low != 0 && number >= oldest.number);
        let upto = *sent.ok_or(PacketError::UnknownAck(number))?;
        Ok(NamedAck { packet, number, upto })
    }

    /// A packet is not taken if it would push another, which no named ack covers yet, out of what an ack can list.
    fn expect_listable(&self, packet: u64, named: NamedAck) -> Result<(), PacketError> {
        let newest = self.newest.map_or(packet, |newest| newest.packet.max(packet));
        let covered = self.newest_named().upto.max(named.upto);
        let pushed_out = |taken: &Taken| taken.serial > covered && taken.packet + ACK_WINDOW <= newest;
        if self.taken.iter().any(pushed_out) {
            return Err(PacketError::TooOld(packet));
        }
        Ok(())
    }

    /// Takes the packet that was just read.
    fn take(&mut self, taken: Taken, named: NamedAck) {
        self.serial = taken.serial;
        let newest = self.newest_named();
        if named.packet > newest.packet && named.number != newest.number {
            self.named.push_back(named);
        }
        if self.newest.is_none_or(|newest| newest.packet < taken.packet) {
            self.newest = Some(taken);
        }
        let newest = self.newest.map_or(0, |newest| newest.packet);
        while self.named.get(1).is_some_and(|second| second.packet + REORDER_WINDOW <= newest) {
            self.named.pop_front();
        }
        self.taken.put(taken.packet, taken);
        let floor = self.named.front().map_or(0, |oldest| oldest.upto);
        for &ReadEntity { index, tick, start, end, why } in &self.read {
            let words = self.words.get(start..end).unwrap_or(&[]);
            if self.config.report_changes {
                let newest = self.views.newest(index).map_or(&[][..], |(_, words)| words);
                if self.views.newest_tick(index).is_none_or(|newest| newest <= tick) {
                    self.changes.note(&self.layout, (index, tick), [newest, words], why);
                } else {
                    let before = self.views.before(index, tick).unwrap_or(&[]);
                    self.changes.note_late(&self.layout, (index, tick), [before, words, newest]);
                }
            }
            self.views.insert(&self.layout, index, (tick, taken.serial), words, floor);
        }
        self.check_complete();
    }

    /// Whether the newest packet, the view that it builds on and the packets before it make the whole state.
    fn check_complete(&mut self) {
        let Some(newest) = self.newest.filter(|newest| newest.range != INCOMPLETE) else { return };
        if self.complete.is_some_and(|(complete, _)| complete.tick >= newest.tick) {
            return;
        }
        let all = (1..=u64::from(newest.range)).all(|back| {
            newest.packet.checked_sub(back).is_some_and(|packet| self.taken.get(packet).is_some())
        });
        if all {
            self.complete = Some((CompleteView { tick: newest.tick, hash: self.views.hash() }, false));
            self.complete_views += 1;
        }
    }

    fn newest_named(&self) -> NamedAck {
        self.named.back().copied().unwrap_or_default()
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
        self.sent_acks.put(self.next_ack, self.serial);
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
