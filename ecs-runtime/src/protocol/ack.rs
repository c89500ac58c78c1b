//! What a client tells the server with each of its packets, before its commands.
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

use super::header::{PacketKind, read_u8, read_u16, read_u32, read_u64};
use super::{ACK_WINDOW, PacketError};
use crate::Tick;
use crate::codec::BitReader;
use crate::snapshot::StateHash;

/// An ack, its counters still narrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ack {
    /// Its number, the lowest 32 bits: acks may get lost for many minutes.
    pub(super) number: u32,
    /// The newest packet received.
    pub(super) newest: u16,
    /// Bit `i`: packet `newest - i` was received, and the newest ack that the server has named is without it.
    pub(super) listed: [u64; (ACK_WINDOW / 64) as usize],
    /// The hash of the newest complete view, where it has not been told before: the tick's lowest 16 bits.
    pub(super) complete: Option<(u16, StateHash)>,
}

impl Ack {
    pub(super) fn lists(&self, back: u64) -> bool {
        let word = self.listed.get((back / 64) as usize).copied().unwrap_or(0);
        word >> (back % 64) & 1 == 1
    }

    pub(super) fn list(&mut self, back: u64) {
        if let Some(word) = self.listed.get_mut((back / 64) as usize) {
            *word |= 1 << (back % 64);
        }
    }

    pub(super) fn write(&self, session: u32, out: &mut Vec<u8>) {
        out.push(PacketKind::Ack.byte(session));
        out.extend_from_slice(&self.number.to_le_bytes());
        out.extend_from_slice(&self.newest.to_le_bytes());
        let bytes = self.listed.iter().flat_map(|word| word.to_le_bytes());
        let count =
            (1..).zip(bytes.clone()).filter(|(_, byte)| *byte != 0).last().map_or(0, |(count, _)| count);
        // At most 32 bytes: the highest bit of the count is free to say that a hash follows.
        out.push(count as u8 | u8::from(self.complete.is_some()) << 7);
        out.extend(bytes.take(count));
        if let Some((tick, hash)) = self.complete {
            out.extend_from_slice(&tick.to_le_bytes());
            out.extend_from_slice(&hash.0.to_le_bytes());
        }
    }

    pub(super) fn read(reader: &mut BitReader<'_>) -> Result<Self, PacketError> {
        let mut ack = Self { number: read_u32(reader)?, newest: read_u16(reader)?, ..Self::default() };
        let at_bit = reader.position();
        let count = read_u8(reader)?;
        if u64::from(count & 0x7f) > ACK_WINDOW / 8 {
            return Err(PacketError::LongAck(at_bit));
        }
        let mut bytes = [0; ACK_WINDOW as usize / 8];
        for byte in bytes.iter_mut().take(usize::from(count & 0x7f)) {
            *byte = read_u8(reader)?;
        }
        for (word, bytes) in ack.listed.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        if count & 0x80 != 0 {
            ack.complete = Some((read_u16(reader)?, StateHash(read_u64(reader)?)));
        }
        Ok(ack)
    }
}

/// The newest complete view of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CompleteView {
    pub(super) tick: Tick,
    pub(super) hash: StateHash,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut ack = Ack { number: 65_535, newest: 3, ..Ack::default() };
        for back in [0, 1, 63, 64, 130, 255] {
            ack.list(back);
            for complete in [None, Some((9, StateHash(0x0123_4567_89ab_cdef)))] {
                ack.complete = complete;
                let mut bytes = Vec::new();
                ack.write(5, &mut bytes);
                let mut reader = PacketKind::Ack.open(&bytes, 5).expect("an ack");
                assert_eq!(Ack::read(&mut reader), Ok(ack));
                assert!(ack.lists(back) && !ack.lists(2));
            }
        }
    }

    #[test]
    fn a_longer_list_than_the_window_is_refused() {
        let mut reader = BitReader::new(&[0, 0, 0, 0, 0, 0, 33, 0]);
        assert_eq!(Ack::read(&mut reader), Err(PacketError::LongAck(48)));
    }
}
