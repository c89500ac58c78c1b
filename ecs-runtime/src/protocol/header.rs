//! The first bytes of each datagram.
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects
    )
)]

use super::PacketError;
use crate::codec::BitReader;
use crate::tick::MAX_COUNTER;

/// What a datagram is: the three lowest bits of its first byte. The five above are the session's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PacketKind {
    Hello = 1,
    Welcome = 2,
    Refused = 3,
    Snapshot = 4,
    Ack = 5,
    Goodbye = 6,
    /// A snapshot with events, or with parts of an entity, behind the states.
    SnapshotWithExtras = 7,
}

impl PacketKind {
    pub(super) const fn byte(self, session: u32) -> u8 {
        self as u8 | ((session % SESSIONS) as u8) << 3
    }

    /// The kind of a datagram, and the lowest bits of its session.
    pub(super) fn of(datagram: &[u8]) -> Option<(Self, u8)> {
        let byte = *datagram.first()?;
        let all = [
            Self::Hello,
            Self::Welcome,
            Self::Refused,
            Self::Snapshot,
            Self::Ack,
            Self::Goodbye,
            Self::SnapshotWithExtras,
        ];
        let kind = all.into_iter().find(|&kind| kind as u8 == byte & 7)?;
        Some((kind, byte >> 3))
    }

    /// A reader behind the first byte, if the datagram is of this kind and session.
    pub(super) fn open(self, datagram: &[u8], session: u32) -> Result<BitReader<'_>, PacketError> {
        let (reader, theirs) = self.open_any(datagram)?;
        let ours = (session % SESSIONS) as u8;
        if theirs == ours { Ok(reader) } else { Err(PacketError::Session { theirs, ours }) }
    }

    /// A reader behind the first byte, if the datagram is of this kind, and the session that it names.
    pub(super) fn open_any(self, datagram: &[u8]) -> Result<(BitReader<'_>, u8), PacketError> {
        match Self::of(datagram) {
            Some((kind, session)) if kind == self => {
                Ok((BitReader::new(datagram.get(1..).unwrap_or(&[])), session))
            }
            _ => Err(PacketError::Kind(datagram.first().copied().unwrap_or(0))),
        }
    }
}

/// How many numbers of sessions the first byte tells apart.
pub(super) const SESSIONS: u32 = 32;

/// The header of a snapshot packet: eight bytes, or twenty-four for a packet that builds on nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SnapshotHeader {
    /// The packet's number, its lowest 16 bits.
    pub(super) packet: u16,
    /// The tick of the states in it, its lowest 16 bits.
    pub(super) tick: u16,
    /// The ack that it builds on, its lowest 16 bits; 0 is the empty world.
    pub(super) ack: u16,
    /// How many packets before it, together with the view of the ack and itself, make the whole state of the tick.
    pub(super) range: u8,
    /// What a packet that builds on nothing tells in full: its reader may have heard nothing for so long that low bits
    /// are not enough.
    pub(super) start: Option<Start>,
    /// Whether events or parts of an entity follow the states.
    pub(super) extras: bool,
}

/// The counters of a packet that builds on nothing, in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) session: u32,
    pub(super) packet: u64,
    pub(super) tick: u64,
}

/// The range that says that packets alone do not make the whole state: something waits.
pub(super) const INCOMPLETE: u8 = u8::MAX;

impl SnapshotHeader {
    /// The header of a packet that builds on an ack, or on nothing.
    pub(super) fn new(session: u32, packet: u64, tick: u64, ack: u64, range: u8, extras: bool) -> Self {
        let start = (ack == 0).then_some(Start { session, packet, tick });
        Self { packet: packet as u16, tick: tick as u16, ack: ack as u16, range, start, extras }
    }

    /// How many bytes the header of a packet that builds on an ack takes.
    pub(super) const fn bytes(ack: u64) -> usize {
        if ack == 0 { 8 + 16 } else { 8 }
    }

    pub(super) fn write(&self, session: u32, out: &mut Vec<u8>) {
        let kind = if self.extras { PacketKind::SnapshotWithExtras } else { PacketKind::Snapshot };
        out.push(kind.byte(session));
        for field in [self.packet, self.tick, self.ack] {
            out.extend_from_slice(&field.to_le_bytes());
        }
        out.push(self.range);
        if let Some(Start { session, packet, tick }) = self.start {
            out.extend_from_slice(&session.to_le_bytes());
            // The lowest 16 bits of both were told.
            for counter in [packet, tick] {
                out.extend(counter.to_le_bytes().into_iter().skip(2));
            }
        }
    }

    /// Reads what follows the first byte.
    pub(super) fn read(reader: &mut BitReader<'_>, extras: bool) -> Result<Self, PacketError> {
        let (packet, tick) = (read_u16(reader)?, read_u16(reader)?);
        let (ack, range) = (read_u16(reader)?, read_u8(reader)?);
        let start = if ack == 0 {
            let session = reader.read(32)?;
            let [packet, tick] = [read_high(reader, packet)?, read_high(reader, tick)?];
            Some(Start { session, packet, tick })
        } else {
            None
        };
        Ok(Self { packet, tick, ack, range, start, extras })
    }
}

/// A counter of which the lowest 16 bits were read.
fn read_high(reader: &mut BitReader<'_>, low: u16) -> Result<u64, PacketError> {
    let at_bit = reader.position();
    let middle = reader.read(32)?;
    let high = reader.read(16)?;
    expect_counter(u64::from(high) << 48 | u64::from(middle) << 16 | u64::from(low), at_bit)
}

/// A counter in full.
pub(super) fn read_counter(reader: &mut BitReader<'_>) -> Result<u64, PacketError> {
    let at_bit = reader.position();
    expect_counter(read_u64(reader)?, at_bit)
}

fn expect_counter(counter: u64, at_bit: usize) -> Result<u64, PacketError> {
    if counter < MAX_COUNTER { Ok(counter) } else { Err(PacketError::Counter(at_bit)) }
}

pub(super) fn read_u32(reader: &mut BitReader<'_>) -> Result<u32, PacketError> {
    Ok(reader.read(32)?)
}

pub(super) fn read_u8(reader: &mut BitReader<'_>) -> Result<u8, PacketError> {
    Ok(reader.read(8)? as u8)
}

pub(super) fn read_u16(reader: &mut BitReader<'_>) -> Result<u16, PacketError> {
    Ok(reader.read(16)? as u16)
}

pub(super) fn read_u64(reader: &mut BitReader<'_>) -> Result<u64, PacketError> {
    let low = reader.read(32)?;
    Ok(u64::from(reader.read(32)?) << 32 | u64::from(low))
}

/// Nothing but the zeros that fill the last byte may follow. `len`: of the reader, in bytes.
pub(super) fn expect_end(reader: &mut BitReader<'_>, len: usize) -> Result<(), PacketError> {
    let at_bit = reader.position();
    let left = len.saturating_mul(8).saturating_sub(at_bit);
    if left >= 8 || reader.read(left as u32)? != 0 {
        return Err(PacketError::Trailing(at_bit));
    }
    Ok(())
}
