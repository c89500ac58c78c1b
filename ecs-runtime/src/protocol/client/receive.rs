//! How a client reads packets.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use std::sync::Arc;

use super::{NamedAck, Phase, ReadEntity, Received, SnapshotClient, Taken, Told};
use crate::Tick;
use crate::codec::{
    BASELINES, BitReader, Coder, Decode, Decoded, EntityDecoder, PACE_STATES, RangeReader, decode_whole, pace,
};
use crate::protocol::ack::CompleteView;
use crate::protocol::changes::Vanished;
use crate::protocol::handshake::read_goodbye;
use crate::protocol::header::{INCOMPLETE, PacketKind, SESSIONS, SnapshotHeader, expect_end, read_u16};
use crate::protocol::parts::{PartsHeader, Run};
use crate::protocol::ring::Ring;
use crate::protocol::seal::unseal;
use crate::protocol::{ACK_WINDOW, Answer, PacketError, Refusal};
use crate::tick::widen;

/// How many packets late a packet may come and still find the view that it builds on.
const REORDER_WINDOW: u64 = 32;

impl SnapshotClient {
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
            NamedAck { packet, number: 0, upto: self.serial, newest: None }
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

        let max_age = u32::from(welcome.baseline_age);
        let mut reader = match welcome.coder {
            Coder::Plain => self.read_entities(reader, tick, named, max_age)?,
            Coder::Arithmetic => {
                let bytes = ranged_bytes(&mut reader, content, extras)?;
                // The layout is not changed by what is read.
                let layout = Arc::clone(&self.layout);
                let entities = self.read_entities(RangeReader::new(bytes, &layout), tick, named, max_age)?;
                if !entities.is_at_end() {
                    return Err(PacketError::Trailing(reader.position()));
                }
                reader
            }
        };
        let run = self.read_extras(&mut reader, extras, tick, content.len().saturating_sub(1))?;

        self.unanswered = 0;
        if starts {
            // What packets brought is kept to be seen, but no ack speaks of it any more.
            self.phase = Phase::Connected { welcome, session: theirs };
            self.named.clear();
            self.named.push_back(named);
            // Its low bits may be those of another tick by now.
            self.complete.iter_mut().for_each(|(_, told)| *told = true);
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
    fn read_entities<R: Decode>(
        &mut self,
        reader: R,
        tick: Tick,
        named: NamedAck,
        max_age: u32,
    ) -> Result<R, PacketError> {
        self.read.clear();
        self.words.clear();
        let usual = usual(&self.taken, &self.told, tick, named, max_age);
        let newest =
            |index, most| self.views.baselines(&self.layout, (index, most), named.upto, (tick, max_age));
        let pace_of = |index| pace(&self.layout, &newest(index, PACE_STATES));
        let mut entities = EntityDecoder::new(reader, &self.layout, usual, pace_of)?;
        entities = entities.reusing(core::mem::take(&mut self.memory));
        let mut read = || {
            while let Some(index) = entities.next_index()? {
                let start = self.words.len();
                let decoded = entities.entity(&newest(index, BASELINES), &mut self.words)?;
                let there = matches!(decoded, Decoded::State | Decoded::Fresh);
                let end = if there { self.words.len() } else { start };
                let why = if decoded == Decoded::Hidden { Vanished::OutOfView } else { Vanished::Destroyed };
                let fresh = decoded == Decoded::Fresh;
                self.read.push(ReadEntity { index, tick, fresh, in_parts: false, start, end, why });
            }
            Ok(())
        };
        let read: Result<(), PacketError> = read();
        let (reader, memory) = entities.into_parts();
        self.memory = memory;
        read.map(|()| reader)
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
                let at_bit = reader.position();
                let header = PartsHeader::read(reader)?;
                if header.index >= self.layout.schema().max_entities {
                    return Err(PacketError::Parts(at_bit));
                }
                let mut bytes = reader.clone();
                reader.skip(header.bytes().1.saturating_mul(8))?;
                expect_end(reader, len)?;
                // From here on the packet is as it should be.
                let (parts, whole) = self.assembly.read(header, tick, &mut bytes);
                if whole {
                    let start = self.words.len();
                    decode_whole(&mut BitReader::new(self.assembly.bytes()), &self.layout, &mut self.words)?;
                    let (index, tick, end) = (parts.of.index, parts.of.tick, self.words.len());
                    let why = Vanished::Destroyed;
                    self.read.push(ReadEntity { index, tick, fresh: true, in_parts: true, start, end, why });
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
                if let Refusal::Priors { client, .. } = &mut refusal {
                    *client = self.hello.priors;
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
        let (upto, newest) = *sent.ok_or(PacketError::UnknownAck(number))?;
        Ok(NamedAck { packet, number, upto, newest })
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
        self.note_told(taken);
        let floor = self.named.front().map_or(0, |oldest| oldest.upto);
        for &ReadEntity { index, tick, fresh, start, end, why, .. } in &self.read {
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
            self.views.insert(&self.layout, index, (tick, taken.serial, fresh), words, floor);
        }
        self.check_complete();
    }

    /// Takes note of what the packet that was just read told of.
    fn note_told(&mut self, taken: Taken) {
        let place = told_place(&self.told, taken.packet);
        let Some((packet, told)) = self.told.get_mut(place) else { return };
        *packet = taken.packet;
        told.clear();
        let there = self.read.iter().filter(|read| read.end > read.start && !read.in_parts);
        told.extend(there.map(|read| read.index));
        told.sort_unstable();
        told.dedup();
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

    pub(super) fn newest_named(&self) -> NamedAck {
        self.named.back().copied().unwrap_or_default()
    }
}

/// The bytes of the entities where they are not plain bits: all that is left, or as many as are told if something follows.
/// The reader goes on behind them.
fn ranged_bytes<'p>(
    reader: &mut BitReader<'_>,
    content: &'p [u8],
    extras: bool,
) -> Result<&'p [u8], PacketError> {
    let told = if extras { Some(usize::from(read_u16(reader)?)) } else { None };
    // A header ends with a byte. The first byte of the content is not the reader's.
    let at = reader.position() / 8 + 1;
    let rest = content.get(at..).unwrap_or(&[]);
    let len = told.unwrap_or(rest.len());
    reader.skip(len.saturating_mul(8))?;
    Ok(rest.get(..len).unwrap_or(&[]))
}

/// The entities that the newest packet of a view told of: they mostly differ again. None if it is so old that what it told
/// is no baseline.
fn usual<'a>(taken: &Ring<Taken>, told: &'a [Told], tick: Tick, named: NamedAck, max_age: u32) -> &'a [u32] {
    let newest = named.newest.filter(|_| named.number > 0).and_then(|newest| taken.get(newest));
    let recent = newest.filter(|newest| tick.0.saturating_sub(newest.tick.0) <= u64::from(max_age));
    let place = recent.and_then(|recent| told.get(told_place(told, recent.packet)));
    place.filter(|(packet, _)| Some(*packet) == named.newest).map_or(&[], |(_, told)| told)
}

fn told_place(told: &[Told], packet: u64) -> usize {
    (packet % told.len().max(1) as u64) as usize
}
