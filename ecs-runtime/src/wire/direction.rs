//! Rotations and directions in space.
//!
//! Both are kept so that the axes are exact, and so that what is read back quantizes to the same words again.

use core::marker::PhantomData;

use super::Wire;
use crate::Lanes;
use crate::schema::Form;

/// A rotation as a unit quaternion `x, y, z, w`: four words, which of its numbers is the largest, and the other three.
///
/// The error of each number is at most `1.5 / (2^(bits - 1) - 1)`; no rotation is exactly that. What has no length, or
/// is not finite, is kept as no rotation and reported as saturated. `T` is `[f32; 4]` or a quaternion type.
#[derive(Clone, Copy, Debug)]
pub struct Rotation<T> {
    bits: u32,
    of: PhantomData<T>,
}

impl<T: Lanes<Scalar = f32>> Rotation<T> {
    /// Rotations of which three numbers have `bits` each, 4 to 24.
    ///
    /// # Panics
    /// When `bits` is outside that, or the type has not four numbers; in a constant, a compile error.
    #[must_use]
    pub const fn new(bits: u32) -> Self {
        assert!(T::COUNT == 4, "`#[rotation]` is for `[f32; 4]` and quaternions");
        assert!(bits >= 4 && bits <= 24, "a rotation has 4 to 24 bits");
        Self { bits, of: PhantomData }
    }

    /// What the schema says of it.
    #[must_use]
    pub const fn form(&self) -> Form {
        Form::Rotation { bits: self.bits }
    }

    /// The words of a unit quaternion.
    fn words_of(&self, numbers: [f64; 4]) -> [u32; 4] {
        let mut largest = 0;
        for lane in 1..4 {
            if numbers[lane].abs() > numbers[largest].abs() {
                largest = lane;
            }
        }
        let sign = if numbers[largest] < 0.0 { -1.0 } else { 1.0 };
        let mut words = [largest as u32, 0, 0, 0];
        let others = (0..4).filter(|&lane| lane != largest);
        for (word, lane) in words[1..].iter_mut().zip(others) {
            *word = to_signed(numbers[lane] * sign * core::f64::consts::SQRT_2, self.bits);
        }
        words
    }

    fn numbers_of(&self, words: &[u32]) -> [f64; 4] {
        let largest = (words[0] & 3) as usize;
        let mut numbers = [0.0; 4];
        let mut left = 1.0;
        let others = (0..4).filter(|&lane| lane != largest);
        for (&word, lane) in words[1..4].iter().zip(others) {
            numbers[lane] = from_signed(word, self.bits) / core::f64::consts::SQRT_2;
            left -= numbers[lane] * numbers[lane];
        }
        // Three numbers that leave nothing for the largest are none that was sent.
        numbers[largest] = left.max(0.0).sqrt();
        numbers
    }
}

impl<T: Lanes<Scalar = f32>> Wire for Rotation<T> {
    type Value = T;

    #[inline]
    fn words(&self) -> usize {
        4
    }

    fn quantize(&self, value: T, row: &mut [u32]) -> bool {
        let unit = normalized([0, 1, 2, 3].map(|lane| f64::from(value.lane(lane))));
        let numbers = unit.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        // Of two numbers about as large, rounding may make the other one the largest.
        let read = |words: &[u32]| unit_of_f32(self.numbers_of(words)).unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let words = settled(self.words_of(numbers), |words| self.words_of(read(words)));
        row[..4].copy_from_slice(&words);
        unit.is_none()
    }

    fn dequantize(&self, row: &[u32]) -> T {
        let numbers = self.numbers_of(row);
        T::from_lanes(|lane| numbers[lane] as f32)
    }

    /// The short way, along the chord, at unit length.
    fn interpolate(&self, from: T, to: T, t: f32) -> T {
        let dot: f32 = (0..4).map(|lane| from.lane(lane) * to.lane(lane)).sum();
        along_chord(from, to, t, if dot < 0.0 { -1.0 } else { 1.0 })
    }
}

/// A direction in space as a unit vector: two words, its place on an octahedron that is unfolded to a square.
///
/// The error is at most `2.5 / (2^(bits - 1) - 1)` radians; the axes are exact. What has no length, or is not
/// finite, is kept as `x` and reported as saturated. `T` is `[f32; 3]` or a vector type.
///
/// Meyer et al., "On Floating-Point Normal Vectors" (2010).
#[derive(Clone, Copy, Debug)]
pub struct UnitVector<T> {
    bits: u32,
    of: PhantomData<T>,
}

impl<T: Lanes<Scalar = f32>> UnitVector<T> {
    /// Directions by two coordinates of `bits` each, 4 to 24.
    ///
    /// # Panics
    /// When `bits` is outside that, or the type has not three numbers; in a constant, a compile error.
    #[must_use]
    pub const fn new(bits: u32) -> Self {
        assert!(T::COUNT == 3, "`#[unit_vector]` is for `[f32; 3]` and vectors of three numbers");
        assert!(bits >= 4 && bits <= 24, "a unit vector has 4 to 24 bits");
        Self { bits, of: PhantomData }
    }

    /// What the schema says of it.
    #[must_use]
    pub const fn form(&self) -> Form {
        Form::UnitVector { bits: self.bits }
    }

    fn words_of(&self, [x, y, z]: [f64; 3]) -> [u32; 2] {
        let scale = 1.0 / (x.abs() + y.abs() + z.abs());
        let (u, v) = (x * scale, y * scale);
        let (u, v) = if z < 0.0 { fold(u, v) } else { (u, v) };
        [to_signed(u, self.bits), to_signed(v, self.bits)]
    }

    fn numbers_of(&self, words: &[u32]) -> [f64; 3] {
        let (u, v) = (from_signed(words[0], self.bits), from_signed(words[1], self.bits));
        let z = 1.0 - u.abs() - v.abs();
        let (x, y) = if z < 0.0 { fold(u, v) } else { (u, v) };
        normalized([x, y, z]).unwrap_or([1.0, 0.0, 0.0])
    }
}

/// The lower half of the octahedron, folded up around the square of the upper half, and back.
fn fold(u: f64, v: f64) -> (f64, f64) {
    let sign = |number: f64| if number < 0.0 { -1.0 } else { 1.0 };
    ((1.0 - v.abs()) * sign(u), (1.0 - u.abs()) * sign(v))
}

impl<T: Lanes<Scalar = f32>> Wire for UnitVector<T> {
    type Value = T;

    #[inline]
    fn words(&self) -> usize {
        2
    }

    fn quantize(&self, value: T, row: &mut [u32]) -> bool {
        let unit = normalized([0, 1, 2].map(|lane| f64::from(value.lane(lane))));
        // The corners of the square are one point, and its edges meet.
        let words = self.words_of(unit.unwrap_or([1.0, 0.0, 0.0]));
        let read = |words: &[u32]| unit_of_f32(self.numbers_of(words)).unwrap_or([1.0, 0.0, 0.0]);
        row[..2].copy_from_slice(&settled(words, |words| self.words_of(read(words))));
        unit.is_none()
    }

    fn dequantize(&self, row: &[u32]) -> T {
        let numbers = self.numbers_of(row);
        T::from_lanes(|lane| numbers[lane] as f32)
    }

    /// Along the chord, at unit length.
    fn interpolate(&self, from: T, to: T, t: f32) -> T {
        along_chord(from, to, t, 1.0)
    }
}

/// Between two unit vectors, of which the second is taken times `sign`; `from` where they are opposite.
fn along_chord<T: Lanes<Scalar = f32>>(from: T, to: T, t: f32, sign: f32) -> T {
    let between = |lane: usize| from.lane(lane) + (to.lane(lane) * sign - from.lane(lane)) * t;
    let length = (0..T::COUNT).map(|lane| between(lane) * between(lane)).sum::<f32>().sqrt();
    if length > f32::EPSILON { T::from_lanes(|lane| between(lane) / length) } else { from }
}

/// Words that stand for themselves: what is read back from them is written as them again.
///
/// Reading and writing again, over and over, ends at one row or goes round a few; of those, the smallest stands for all.
fn settled<const N: usize>(words: [u32; N], again: impl Fn(&[u32]) -> [u32; N]) -> [u32; N] {
    let mut settled = words;
    for _ in 0..8 {
        let next = again(&settled);
        if next == settled {
            return settled;
        }
        settled = next;
    }
    let (mut smallest, mut round) = (settled, settled);
    for _ in 0..8 {
        round = again(&round);
        smallest = smallest.min(round);
    }
    smallest
}

/// What is made of numbers once they were handed out as `f32` and came back.
fn unit_of_f32<const N: usize>(numbers: [f64; N]) -> Option<[f64; N]> {
    normalized(numbers.map(|number| f64::from(number as f32)))
}

fn normalized<const N: usize>(numbers: [f64; N]) -> Option<[f64; N]> {
    let length = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    (length.is_finite() && length > 0.0).then(|| numbers.map(|number| number / length))
}

/// A number in -1..=1 as a word of `bits`, of which the middle is zero.
fn to_signed(number: f64, bits: u32) -> u32 {
    let half = f64::from((1u32 << (bits - 1)) - 1);
    // Truncation of what is above zero rounds down, so this rounds to the nearest.
    ((number.clamp(-1.0, 1.0) * half + half + 0.5) as u32).min((1 << bits) - 2)
}

fn from_signed(word: u32, bits: u32) -> f64 {
    let half = (1u32 << (bits - 1)) - 1;
    (f64::from(word) - f64::from(half)) / f64::from(half)
}
