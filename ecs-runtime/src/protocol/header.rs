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

/// What a datagram is: the three lowest bits of its first byte. The five above are the session's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PacketKind {
    Hello = 1,
    Welcome = 2,
    Refused = 3,
    Snapshot = 4,
    Ack = 5,
    Goodbye = 6,
}

impl PacketKind {
    pub(super) const fn byte(self, session: u8) -> u8 {
        self as u8 | session << 3
    }

    /// The kind and the session of a datagram.
    pub(super) fn of(datagram: &[u8]) -> Option<(Self, u8)> {
        let byte = *datagram.first()?;
        let all = [Self::Hello, Self::Welcome, Self::Refused, Self::Snapshot, Self::Ack, Self::Goodbye];
        let kind = all.into_iter().find(|&kind| kind as u8 == byte & 7)?;
        Some((kind, byte >> 3))
    }

    /// A reader behind the first byte, if the datagram is of this kind and session.
    pub(super) fn open(self, datagram: &[u8], session: u8) -> Result<BitReader<'_>, PacketError> {
        let (reader, theirs) = self.open_any(datagram)?;
        if theirs == session { Ok(reader) } else { Err(PacketError::Session { theirs, ours: session }) }
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

/// How many numbers of sessions there are.
pub(super) const SESSIONS: u8 = 32;

/// The header of a snapshot packet: eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SnapshotHeader {
    /// The packet's number, its lowest 16 bits.
    pub(super) packet: u16,
    /// The tick of the states in it, its lowest 16 bits.
    pub(super) tick: u16,
    /// The ack that it builds on, its lowest 16 bits.
    pub(super) ack: u16,
    /// How many packets before it, together with the view of the ack and itself, make the whole state of the tick.
    pub(super) range: u8,
}

/// The range that says that packets alone do not make the whole state: something waits.
pub(super) const INCOMPLETE: u8 = u8::MAX;

/// How many bytes the header of a snapshot packet takes.
pub(super) const SNAPSHOT_HEADER: usize = 8;

impl SnapshotHeader {
    pub(super) fn write(&self, session: u8, out: &mut Vec<u8>) {
        out.push(PacketKind::Snapshot.byte(session));
        for field in [self.packet, self.tick, self.ack] {
            out.extend_from_slice(&field.to_le_bytes());
        }
        out.push(self.range);
    }

    pub(super) fn read(reader: &mut BitReader<'_>) -> Result<Self, PacketError> {
        Ok(Self {
            packet: read_u16(reader)?,
            tick: read_u16(reader)?,
            ack: read_u16(reader)?,
            range: read_u8(reader)?,
        })
    }
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
