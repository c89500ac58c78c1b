//! The plainest packer of differences, to measure ours against: a bit for each cube, and of each that changed the
//! difference of every number by an exp-Golomb code.

use core::time::Duration;
use std::collections::VecDeque;

use crowd::Stopwatch;
use cubes::Cube;
use ecs_runtime::codec::{BitReader, BitWriter, OutOfBits};

/// The order of the code.
const ORDER: u32 = 4;

/// Packs each frame as the difference to an earlier one.
#[derive(Debug)]
pub(super) struct Packer {
    /// The frames that are not confirmed yet, the oldest last.
    frames: VecDeque<Vec<Cube>>,
    back: usize,
    bits: BitWriter,
    unpacked: Vec<Cube>,
}

impl Packer {
    /// A packer of differences to the frame so many before.
    pub(super) fn new(back: usize) -> Self {
        Self { frames: VecDeque::new(), back, bits: BitWriter::default(), unpacked: Vec::new() }
    }

    /// Packs a frame and unpacks it again: how long both took, and whether it came back as it was. `None` for the first
    /// frames.
    pub(super) fn pack(&mut self, frame: &[Cube]) -> Option<(Duration, bool)> {
        let full = self.frames.len() == self.back;
        let before = if full { self.frames.pop_back() } else { None };
        let packed = before.as_ref().map(|before| {
            let start = Stopwatch::start();
            self.bits.clear();
            for (before, now) in before.iter().zip(frame) {
                write(&mut self.bits, before, now);
            }
            let mut reader = BitReader::new(self.bits.finish());
            self.unpacked.clear();
            let whole = before.iter().all(|before| {
                let cube = read(&mut reader, before);
                cube.map(|cube| self.unpacked.push(cube)).is_ok()
            });
            (start.elapsed(), whole && self.unpacked == frame)
        });
        let mut memory = before.unwrap_or_default();
        memory.clear();
        memory.extend_from_slice(frame);
        self.frames.push_front(memory);
        packed
    }
}

/// The numbers of a cube.
fn numbers(cube: &Cube) -> [i32; 8] {
    let (place, lie) = (cube.place, cube.orientation);
    let [largest, a, b, c] = [u16::from(lie.largest), lie.a, lie.b, lie.c].map(i32::from);
    [place.x, place.y, place.z, largest, a, b, c, i32::from(cube.interacting)]
}

fn write(bits: &mut BitWriter, before: &Cube, now: &Cube) {
    bits.write(u32::from(before != now), 1);
    if before == now {
        return;
    }
    for (before, now) in numbers(before).into_iter().zip(numbers(now)) {
        let difference = now - before;
        let shifted = ((difference << 1) ^ (difference >> 31)).cast_unsigned() + (1 << ORDER);
        let len = shifted.ilog2();
        bits.write((1 << (len - ORDER)) - 1, len - ORDER + 1);
        bits.write(shifted - (1 << len), len);
    }
}

fn read(reader: &mut BitReader<'_>, before: &Cube) -> Result<Cube, OutOfBits> {
    if !reader.flag()? {
        return Ok(*before);
    }
    let mut numbers = numbers(before);
    for number in &mut numbers {
        let len = reader.unary(20)? + ORDER;
        let zigzag = ((1 << len) | reader.read(len)?) - (1 << ORDER);
        *number += (zigzag >> 1).cast_signed() ^ -((zigzag & 1).cast_signed());
    }
    let [x, y, z, largest, a, b, c, interacting] = numbers;
    let mut cube = *before;
    (cube.place.x, cube.place.y, cube.place.z) = (x, y, z);
    cube.orientation.largest = largest as u8;
    (cube.orientation.a, cube.orientation.b, cube.orientation.c) = (a as u16, b as u16, c as u16);
    cube.interacting = interacting == 1;
    Ok(cube)
}
