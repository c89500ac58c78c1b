//! How the parts of a staged entity look on the wire, and how a client puts them together.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use super::PacketError;
use crate::Tick;
use crate::codec::{BitReader, BitWriter};

/// How long a part is, but for the last: several fit the smallest packet.
pub(super) const PART_BYTES: usize = 128;

/// The most parts that a packet carries.
pub(super) const RUN_MAX: usize = 63;

/// The most that a staged state may take: more than any of a cost of [`MAX_COST`](crate::codec::MAX_COST) can.
pub(super) const MAX_STAGED_BYTES: usize = 1 << 17;

/// What is told before some parts of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartsHeader {
    /// Which state it is, of those that a session staged; wraps.
    pub(super) stage: u16,
    pub(super) index: u32,
    /// How many ticks before the packet's the state is of.
    pub(super) age: u32,
    /// How long the whole is, in bytes.
    pub(super) len: usize,
    /// The first part that the packet carries.
    pub(super) first: usize,
    /// How many it carries.
    pub(super) count: usize,
}

impl PartsHeader {
    /// The bits that it takes.
    pub(super) const BITS: usize = 16 + 20 + 32 + 18 + 11 + 6;

    pub(super) fn write(&self, to: &mut BitWriter) {
        to.write(u32::from(self.stage), 16);
        to.write(self.index, 20);
        to.write(self.age, 32);
        to.write(self.len as u32, 18);
        to.write(self.first as u32, 11);
        to.write(self.count as u32, 6);
    }

    /// Reads it, if it makes sense.
    pub(super) fn read(reader: &mut BitReader<'_>) -> Result<Self, PacketError> {
        let at_bit = reader.position();
        let header = Self {
            stage: reader.read(16)? as u16,
            index: reader.read(20)?,
            age: reader.read(32)?,
            len: reader.read(18)? as usize,
            first: reader.read(11)? as usize,
            count: reader.read(6)? as usize,
        };
        let parts = header.len.div_ceil(PART_BYTES);
        let inside = header.count > 0 && header.first.saturating_add(header.count) <= parts;
        if inside && header.len <= MAX_STAGED_BYTES { Ok(header) } else { Err(PacketError::Parts(at_bit)) }
    }

    /// Where the bytes of the run begin, and how many they are.
    pub(super) fn bytes(&self) -> (usize, usize) {
        let start = self.first.saturating_mul(PART_BYTES);
        let end = start.saturating_add(self.count.saturating_mul(PART_BYTES)).min(self.len);
        (start, end.saturating_sub(start))
    }
}

/// A state that is being put together.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    /// Of which state the parts are; none yet if `None`.
    of: Option<Staged>,
    bytes: Vec<u8>,
    have: Vec<bool>,
    missing: usize,
}

/// Which state parts are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Staged {
    stage: u16,
    pub(super) index: u32,
    pub(super) tick: Tick,
    len: usize,
}

/// Some parts that were read and not taken yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) of: Staged,
    first: usize,
    count: usize,
}

impl Assembly {
    pub(super) fn clear(&mut self) {
        self.of = None;
    }

    /// Reads the bytes of a run of a packet of `tick` into place; whether the whole will be there once the run is taken.
    /// The parts of a later state make place for themselves; of those of an earlier one nothing is kept.
    pub(super) fn read(
        &mut self,
        header: PartsHeader,
        tick: Tick,
        reader: &mut BitReader<'_>,
    ) -> (Run, bool) {
        let PartsHeader { stage, index, len, first, count, .. } = header;
        let of = Staged { stage, index, tick: tick - u64::from(header.age), len };
        let run = Run { of, first, count };
        if self.of.is_some_and(|other| other != of && stage.wrapping_sub(other.stage).cast_signed() <= 0) {
            return (run, false);
        }
        if self.of != Some(of) {
            // What was there is an unfinished state that the server has given up.
            self.bytes.clear();
            self.bytes.resize(len, 0);
            self.have.clear();
            self.have.resize(len.div_ceil(PART_BYTES), false);
            self.missing = self.have.len();
            self.of = Some(of);
        }
        let (start, len) = header.bytes();
        for place in self.bytes.iter_mut().skip(start).take(len) {
            // All of them are there: it was looked before.
            *place = reader.read(8).unwrap_or(0) as u8;
        }
        let new = self.have.iter().skip(first).take(count).filter(|have| !**have).count();
        (run, new > 0 && new == self.missing)
    }

    /// The whole, once all parts are there.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The packet of a run was taken.
    pub(super) fn take(&mut self, run: Run) {
        if self.of != Some(run.of) {
            return;
        }
        for have in self.have.iter_mut().skip(run.first).take(run.count).filter(|have| !**have) {
            *have = true;
            self.missing = self.missing.saturating_sub(1);
        }
    }
}
