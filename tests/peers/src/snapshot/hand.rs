//! What a person would write by hand for this one world: a quantizer, a packer of differences, and its mirror image.
//!
//! It knows the fields and their bits, has no components, no entities that come and go, no priorities, no limits of
//! packets and no checks of values: that is what makes it the measure.

use super::world::{MAX_AMMO, MAX_FLAGS, MAX_HP, MAX_WEAPON, Unit};

/// How many fields are sent of an entity.
pub(crate) const FIELDS: usize = 12;

/// The quantized fields of an entity.
pub(crate) type Row = [u32; FIELDS];

/// The bits of each field.
pub(crate) const BITS: [u32; FIELDS] = [17, 17, 13, 12, 11, 11, 11, 11, 10, 6, 9, 12];

/// The ends of the ranges of x and y, of z, of pitch, and of velocities.
pub(crate) const EDGE: f32 = 512.0;
pub(crate) const HEIGHT: f32 = 64.0;
pub(crate) const PITCH: f32 = core::f32::consts::FRAC_PI_2;
pub(crate) const SPEED: f32 = 8.0;

/// Steps from a minimum on, for each unit of the value.
const fn scale(range: f32, bits: u32) -> f32 {
    ((1 << bits) - 1) as f32 / range
}

/// Quantizes all entities.
pub(crate) fn quantize(units: &[Unit], rows: &mut [Row]) {
    #[inline(always)]
    fn steps(value: f32, min: f32, range: f32, bits: u32) -> u32 {
        // `as` takes what is below to 0.
        (((value - min) * scale(range, bits) + 0.5) as u32).min((1 << bits) - 1)
    }
    for (unit, row) in units.iter().zip(rows) {
        let [x, y, z] = unit.position;
        let turns = unit.yaw * ((1 << BITS[3]) as f32 / core::f32::consts::TAU);
        let speed = |speed| steps(speed, -SPEED, 2.0 * SPEED, BITS[5]);
        *row = [
            steps(x, -EDGE, 2.0 * EDGE, BITS[0]),
            steps(y, -EDGE, 2.0 * EDGE, BITS[1]),
            steps(z, 0.0, HEIGHT, BITS[2]),
            // A whole turn more keeps it above zero, and is masked away.
            (turns + (1 << BITS[3]) as f32 + 0.5) as u32 & ((1 << BITS[3]) - 1),
            steps(unit.pitch, -PITCH, 2.0 * PITCH, BITS[4]),
            speed(unit.velocity[0]),
            speed(unit.velocity[1]),
            speed(unit.velocity[2]),
            u32::from(unit.hp.min(MAX_HP)),
            u32::from(unit.weapon.min(MAX_WEAPON)),
            u32::from(unit.ammo.min(MAX_AMMO)),
            u32::from(unit.flags.min(MAX_FLAGS)),
        ];
    }
}

/// A signed difference of a field has half of the field's bits; what does not fit is told as the value itself.
const fn short(bits: u32) -> u32 {
    bits / 2
}

/// Writes what differs between two ticks: for each entity whether any field does, then a bit for each field, then for
/// each that does whether a short difference follows or the value.
pub(crate) fn encode(before: &[Row], now: &[Row], out: &mut Packer) {
    for (before, now) in before.iter().zip(now) {
        let changed = (0..FIELDS).fold(0, |mask, at| mask | u64::from(before[at] != now[at]) << at);
        if changed == 0 {
            out.write(0, 1);
            continue;
        }
        out.write(1 | changed << 1, 1 + FIELDS as u32);
        let mut left = changed;
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            left &= left - 1;
            let (value, short) = (now[at], short(BITS[at]));
            // Shifted so that the lowest difference is 0: one comparison tells whether it fits.
            let shifted = value.wrapping_sub(before[at]).wrapping_add(1 << (short - 1));
            if shifted >> short == 0 {
                out.write(1 | u64::from(shifted) << 1, 1 + short);
            } else {
                out.write(u64::from(value) << 1, 1 + BITS[at]);
            }
        }
    }
}

/// Reads over the rows of the tick before; `None` when the bits end too early.
pub(crate) fn decode(bytes: &[u8], rows: &mut [Row]) -> Option<()> {
    let mut bits = Unpacker { bytes, at: 0 };
    for row in rows {
        if bits.read(1) == 0 {
            continue;
        }
        let mut left = bits.read(FIELDS as u32);
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            left &= left - 1;
            let short = short(BITS[at]);
            row[at] = if bits.read(1) == 1 {
                let difference = (bits.read(short) as u32).wrapping_sub(1 << (short - 1));
                row[at].wrapping_add(difference) & ((1 << BITS[at]) - 1)
            } else {
                bits.read(BITS[at]) as u32
            };
        }
    }
    (bits.at <= bytes.len() * 8).then_some(())
}

/// Writes bits into bytes by way of a word of 64, the lowest first.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    bytes: Vec<u8>,
    pending: u64,
    /// How many bits of `pending` are in use, fewer than 64.
    used: u32,
}

impl Packer {
    /// Forgets everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.pending = 0;
        self.used = 0;
    }

    /// Writes the lowest `count` bits of `value`; 1 to 32, the other bits are zero.
    #[inline(always)]
    fn write(&mut self, value: u64, count: u32) {
        self.pending |= value << self.used;
        self.used += count;
        if self.used >= u64::BITS {
            self.bytes.extend_from_slice(&self.pending.to_le_bytes());
            self.used -= u64::BITS;
            self.pending = value >> (count - self.used);
        }
    }

    /// Pads to whole bytes with zeros and gives them all.
    pub(crate) fn finish(&mut self) -> &[u8] {
        let bytes = self.used.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.pending.to_le_bytes()[..bytes]);
        self.pending = 0;
        self.used = 0;
        &self.bytes
    }
}

/// Reads bits; zeros behind the end.
struct Unpacker<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Unpacker<'_> {
    /// The next `count` bits, at most 32.
    #[inline(always)]
    fn read(&mut self, count: u32) -> u64 {
        let rest = self.bytes.get(self.at / 8..).unwrap_or(&[]);
        let window = match rest.first_chunk::<8>() {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => {
                let mut bytes = [0; 8];
                bytes[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(bytes)
            }
        };
        let value = window >> (self.at % 8) & ((1 << count) - 1);
        self.at += count as usize;
        value
    }
}

#[cfg(test)]
mod tests {
    use ecs_runtime::Random;

    use super::*;
    use crate::snapshot::world::Simulation;

    /// Rows of any values; those of every other entity differ in some fields by little or by much.
    fn random_rows(random: &mut Random, count: usize) -> [Vec<Row>; 2] {
        let mut word = |bits: u32| (random.unit() * (1u64 << bits) as f32) as u32;
        let before: Vec<Row> = (0..count).map(|_| BITS.map(&mut word)).collect();
        let mut now = before.clone();
        for row in now.iter_mut().step_by(2) {
            for (value, bits) in row.iter_mut().zip(BITS) {
                *value = match word(2) {
                    0 => word(bits),
                    1 => value.wrapping_add(word(3)).wrapping_sub(4) & ((1 << bits) - 1),
                    _ => *value,
                };
            }
        }
        [before, now]
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let (mut random, mut packer) = (Random::new(7), Packer::default());
        for count in [0, 1, 2, 3, 64, 500] {
            let [before, now] = random_rows(&mut random, count);
            packer.clear();
            encode(&before, &now, &mut packer);
            let mut rows = before.clone();
            assert_eq!(decode(packer.finish(), &mut rows), Some(()));
            assert_eq!(rows, now);
        }
    }

    #[test]
    fn the_largest_values_and_every_difference_of_one_field_come_back() {
        let mut packer = Packer::default();
        let full = BITS.map(|bits| (1 << bits) - 1);
        for (before, now) in [([0; FIELDS], full), (full, [0; FIELDS])] {
            packer.clear();
            encode(&[before], &[now], &mut packer);
            let mut rows = [before];
            assert_eq!(decode(packer.finish(), &mut rows), Some(()));
            assert_eq!(rows, [now]);
        }
        for from in 0..64 {
            let row = |value| [0, 0, 0, 0, 0, 0, 0, 0, 0, value, 0, 0];
            let [before, now]: [Vec<Row>; 2] =
                [(0..64).map(|_| row(from)).collect(), (0..64).map(row).collect()];
            packer.clear();
            encode(&before, &now, &mut packer);
            let mut rows = before;
            assert_eq!(decode(packer.finish(), &mut rows), Some(()));
            assert_eq!(rows, now);
        }
    }

    #[test]
    fn bits_that_end_too_early_are_refused() {
        let [before, now] = random_rows(&mut Random::new(8), 100);
        let mut packer = Packer::default();
        encode(&before, &now, &mut packer);
        let bytes = packer.finish();
        assert_eq!(decode(&bytes[..bytes.len() / 2], &mut before.clone()), None);
    }

    #[test]
    fn quantized_values_are_within_half_a_step() {
        let mut rows = vec![[0; FIELDS]; crate::snapshot::world::ENTITIES];
        let units = Simulation::new().units;
        quantize(&units, &mut rows);
        for (unit, row) in units.iter().zip(&rows) {
            let x = row[0] as f32 / scale(2.0 * EDGE, BITS[0]) - EDGE;
            assert!((x - unit.position[0]).abs() < 0.0041, "{x} {unit:?}");
            let turn =
                row[3] as f32 * core::f32::consts::TAU / 4096.0 - unit.yaw.rem_euclid(core::f32::consts::TAU);
            assert!(turn.abs().min(core::f32::consts::TAU - turn.abs()) < 0.0008, "{turn} {unit:?}");
            assert_eq!(row[8..], [unit.hp, unit.weapon, unit.ammo, unit.flags].map(u32::from));
        }
    }
}
