//! How far off values are when they come back from the wire, against the bound that their documentation gives.

use core::f64::consts::PI;

use ecs_runtime::Random;
use ecs_runtime::wire::{Angle, Rotation, Step, UnitVector, Wire};
use serde::Serialize;

/// One line of the table.
#[derive(Clone, Debug, Serialize)]
pub struct PrecisionRow {
    /// The rule of the wire.
    pub rule: &'static str,
    /// What is measured.
    pub error: &'static str,
    /// The largest of all that were tried.
    pub worst: f64,
    /// What the documentation promises.
    pub bound: f64,
}

/// Tries `count` random values of each rule, and those at its ends.
#[must_use]
pub fn precision(count: usize) -> Vec<PrecisionRow> {
    let mut random = Random::new(1);
    let mut rows = vec![
        steps(count, &mut random),
        angles::<12>("#[angle(bits = 12)]", count, &mut random),
        angles::<20>("#[angle(bits = 20)]", count, &mut random),
    ];
    for (rule, bits) in [("#[rotation(bits = 10)]", 10), ("#[rotation(bits = 16)]", 16)] {
        rows.push(rotations(rule, bits, count, &mut random));
    }
    for (rule, bits) in [("#[unit_vector(bits = 11)]", 11), ("#[unit_vector(bits = 16)]", 16)] {
        rows.push(unit_vectors(rule, bits, count, &mut random));
    }
    rows
}

fn back<W: Wire>(wire: W, value: W::Value) -> W::Value {
    let mut row = [0; 4];
    wire.quantize(value, &mut row);
    wire.dequantize(&row)
}

fn steps(count: usize, random: &mut Random) -> PrecisionRow {
    let wire = Step::<f32>::new(-512.0, 512.0, 0.005);
    let ends = [-512.0, 512.0, -0.0, 0.0025, -0.002_499];
    let values = (0..count).map(|_| random.between(-512.0, 512.0)).chain(ends);
    let worst = values.map(|value| f64::from((back(wire, value) - value).abs())).fold(0.0, f64::max);
    // An `f32` near 512 is itself a multiple of 2^-15.
    let bound = 0.0025 + 1.0 / 32_768.0;
    PrecisionRow {
        rule: "#[quantize(min = -512.0, max = 512.0, step = 0.005)]",
        error: "distance",
        worst,
        bound,
    }
}

fn angles<const BITS: u32>(rule: &'static str, count: usize, random: &mut Random) -> PrecisionRow {
    let wire = Angle::<f32>::new(BITS);
    let wrap = core::f32::consts::PI;
    let ends = [wrap, -wrap, wrap.next_up(), wrap.next_down(), 0.0, 100.0 * wrap];
    let values = (0..count).map(|_| random.between(-wrap, wrap)).chain(ends);
    let off = |value: f32| {
        let off = (f64::from(back(wire, value)) - f64::from(value)).rem_euclid(2.0 * PI);
        off.min(2.0 * PI - off)
    };
    let worst = values.map(off).fold(0.0, f64::max);
    // Half a direction, and the rounding of an `f32` near PI.
    let bound = PI / f64::from(1_u32 << BITS) + 2.0_f64.powi(-22);
    PrecisionRow { rule, error: "radians", worst, bound }
}

fn rotations(rule: &'static str, bits: u32, count: usize, random: &mut Random) -> PrecisionRow {
    let wire = Rotation::<[f32; 4]>::new(bits);
    let odd = [[0.0, 0.0, 0.0, 1.0], [0.0; 4], [0.5; 4], [3.0, 0.0, -4.0, 0.0], [1e-20, 0.0, 0.0, 1e-20]];
    let values = (0..count).map(|_| core::array::from_fn(|_| random.between(-1.0, 1.0))).chain(odd);
    let off = |value: [f32; 4]| {
        // What has no length is no rotation.
        let unit = unit(value).unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let back = back(wire, value).map(f64::from);
        let sign = if unit.iter().zip(back).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        unit.iter().zip(back).map(|(a, b)| (a * sign - b).abs()).fold(0.0, f64::max)
    };
    let worst = values.map(off).fold(0.0, f64::max);
    let bound = 1.5 / f64::from((1_u32 << (bits - 1)) - 1) + 1e-6;
    PrecisionRow { rule, error: "of a number", worst, bound }
}

fn unit_vectors(rule: &'static str, bits: u32, count: usize, random: &mut Random) -> PrecisionRow {
    let wire = UnitVector::<[f32; 3]>::new(bits);
    let odd = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0; 3], [0.0, -7.0, 0.0], [1.0, 1.0, -1.0]];
    let values = (0..count).map(|_| core::array::from_fn(|_| random.between(-1.0, 1.0))).chain(odd);
    let off = |value: [f32; 3]| {
        let unit = unit(value).unwrap_or([1.0, 0.0, 0.0]);
        let back = back(wire, value).map(f64::from);
        let chord = unit.iter().zip(back).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        2.0 * (chord / 2.0).min(1.0).asin()
    };
    let worst = values.map(off).fold(0.0, f64::max);
    let bound = 2.5 / f64::from((1_u32 << (bits - 1)) - 1) + 1e-6;
    PrecisionRow { rule, error: "radians", worst, bound }
}

fn unit<const N: usize>(numbers: [f32; N]) -> Option<[f64; N]> {
    let numbers = numbers.map(f64::from);
    let length = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    (length > 0.0).then(|| numbers.map(|number| number / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_back_within_its_bound() {
        for row in precision(20_000) {
            assert!(row.worst > 0.0 && row.worst <= row.bound, "{row:?}");
        }
    }
}
