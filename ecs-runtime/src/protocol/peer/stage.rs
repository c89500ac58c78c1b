//! The staging of an entity whose state is larger than a packet: it travels in parts, all of one tick.

use crate::Tick;
use crate::codec::{BitWriter, Layout, StateView, encode_whole};
use crate::protocol::parts::{MAX_STAGED_BYTES, PART_BYTES, PartsHeader, RUN_MAX};
use crate::snapshot::EntityView;

use super::Seen;

/// A state that travels in parts.
#[derive(Debug)]
pub(in crate::protocol) struct Stage {
    /// Tells it from the one before.
    id: u16,
    pub(in crate::protocol) index: u32,
    pub(in crate::protocol) generation: u32,
    pub(in crate::protocol) seen: Seen,
    /// Its words: what differences build on once it is there, whatever has become of its snapshot.
    pub(super) words: Vec<u32>,
    bytes: Vec<u8>,
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Unsent,
    InFlight { packet: u64 },
    Acked,
}

/// The parts that a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::protocol) struct PartRun {
    stage: u16,
    first: usize,
    count: usize,
}

impl Stage {
    /// Begins with a state; `None` if it is too large for that, too.
    pub(super) fn new(
        id: u16,
        layout: &Layout,
        index: u32,
        seen: Seen,
        state: &EntityView<'_>,
    ) -> Option<Self> {
        let mut writer = BitWriter::default();
        encode_whole(&mut writer, layout, state);
        let bytes = writer.finish().to_vec();
        if bytes.len() > MAX_STAGED_BYTES {
            return None;
        }
        let mut words = state.header().to_vec();
        state.rows(layout).for_each(|(_, row)| words.extend_from_slice(row));
        let parts = vec![Part::Unsent; bytes.len().div_ceil(PART_BYTES)];
        Some(Self { id, index, generation: state.generation(), seen, words, bytes, parts })
    }

    /// The next parts to be sent, in a row, as many as fit `room` bits; `None` if none has to be sent, or none fits.
    pub(in crate::protocol) fn next_run(&self, room: usize) -> Option<PartRun> {
        let first = self.parts.iter().position(|part| *part == Part::Unsent)?;
        let room = room.checked_sub(PartsHeader::BITS)? / 8;
        let end = (first + (room / PART_BYTES).min(RUN_MAX)).min(self.parts.len());
        let unsent = self.parts.get(first..end)?.iter().take_while(|part| **part == Part::Unsent);
        let count = unsent.count();
        (count > 0).then_some(PartRun { stage: self.id, first, count })
    }

    /// Writes the parts of a run.
    pub(in crate::protocol) fn write(&self, to: &mut BitWriter, tick: Tick, run: PartRun) {
        let age = tick.0.saturating_sub(self.seen.tick().0).min(u64::from(u32::MAX)) as u32;
        let header = PartsHeader {
            stage: self.id,
            index: self.index,
            age,
            len: self.bytes.len(),
            first: run.first,
            count: run.count,
        };
        header.write(to);
        let start = run.first * PART_BYTES;
        let end = (start + run.count * PART_BYTES).min(self.bytes.len());
        for &byte in self.bytes.get(start..end).unwrap_or(&[]) {
            to.write(u32::from(byte), 8);
        }
    }

    /// Takes note of the packet that carries a run.
    pub(super) fn sent(&mut self, run: PartRun, packet: u64) {
        self.run(run).for_each(|part| *part = Part::InFlight { packet });
    }

    /// A packet was lost: what it carried is to be sent again, unless it was since.
    pub(super) fn lost(&mut self, run: PartRun, packet: u64) {
        let of_packet = |part: &&mut Part| **part == Part::InFlight { packet };
        self.run(run).filter(of_packet).for_each(|part| *part = Part::Unsent);
    }

    /// A packet arrived; `true` if the whole state is there now.
    pub(super) fn acked(&mut self, run: PartRun) -> bool {
        self.run(run).for_each(|part| *part = Part::Acked);
        self.parts.iter().all(|part| *part == Part::Acked)
    }

    fn run(&mut self, run: PartRun) -> impl Iterator<Item = &mut Part> {
        let ours = if run.stage == self.id { run.count } else { 0 };
        self.parts.iter_mut().skip(run.first).take(ours)
    }

    /// The bytes that it takes.
    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity()
            + self.words.capacity() * size_of::<u32>()
            + self.parts.capacity() * size_of::<Part>()
    }
}
