//! Floats: in steps, as angles, and bit by bit.

use core::marker::PhantomData;

use super::Wire;
use crate::Value;
use crate::schema::Form;

/// A float type: `f32` or `f64`.
pub trait Real: Value {
    /// As an `f64`, exactly.
    fn to_f64(self) -> f64;

    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;

    /// Its bits as words, the lowest first; the second is 0 for an `f32`.
    fn to_words(self) -> [u32; 2];

    /// The value with these bits.
    fn from_words(words: [u32; 2]) -> Self;

    /// Whether it is not a number.
    fn is_nan(self) -> bool {
        self.to_f64().is_nan()
    }
}

impl Real for f32 {
    #[inline]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    #[inline]
    fn from_f64(value: f64) -> Self {
        value as Self
    }

    #[inline]
    fn to_words(self) -> [u32; 2] {
        [self.to_bits(), 0]
    }

    #[inline]
    fn from_words(words: [u32; 2]) -> Self {
        Self::from_bits(words[0])
    }
}

impl Real for f64 {
    #[inline]
    fn to_f64(self) -> f64 {
        self
    }

    #[inline]
    fn from_f64(value: f64) -> Self {
        value
    }

    #[inline]
    fn to_words(self) -> [u32; 2] {
        [self.to_bits() as u32, (self.to_bits() >> 32) as u32]
    }

    #[inline]
    fn from_words(words: [u32; 2]) -> Self {
        Self::from_bits(u64::from(words[1]) << 32 | u64::from(words[0]))
    }
}

fn lerp<T: Real>(from: T, to: T, t: f32) -> T {
    if from.same(&to) {
        // The difference of two infinities is no number.
        return from;
    }
    let (from, to) = (from.to_f64(), to.to_f64());
    T::from_f64(from + (to - from) * f64::from(t))
}

/// A float in `min..=max` rounded to the nearest multiple of `step` above `min`: one word.
///
/// The error is at most half a step, plus the rounding of the type itself; nearer than a step to a `max` that is no
/// multiple, at most a step. What is read back is never outside the range. NaN is kept as `min` and, like values
/// outside the range, reported as saturated.
#[derive(Clone, Copy, Debug)]
pub struct Step<T> {
    min: f64,
    max: f64,
    step: f64,
    steps_per_unit: f64,
    last: u32,
    /// The largest value that is not reported as saturated.
    top: f64,
    of: PhantomData<T>,
}

impl<T> Step<T> {
    /// Values from `min` to `max` in multiples of `step`.
    ///
    /// # Panics
    /// When the numbers are not finite, `step` is not above zero, `max` is not above `min`, or the steps do not
    /// fit 32 bits; in a constant, a compile error.
    #[must_use]
    pub const fn new(min: f64, max: f64, step: f64) -> Self {
        assert!(min.is_finite() && max.is_finite() && step.is_finite(), "min, max and step must be finite");
        assert!(step > 0.0, "step must be above zero");
        assert!(max > min, "max must be above min");
        let steps = (max - min) / step;
        assert!(steps < 4_294_967_295.0, "more than 2^32 - 1 steps between min and max: take a larger step");
        // As many whole steps as there are up to `max`, give or take the rounding of the division.
        let last = (steps * (1.0 + 1e-12) + 1e-9) as u32;
        // What rounds to the last step is inside, and so is `max` itself, give or take the rounding of an `f32`.
        let (rounds_down, just_above) = (min + (last as f64 + 0.5) * step, max + max.abs() * 1e-6);
        let top = if rounds_down > just_above { rounds_down } else { just_above };
        Self { min, max, step, steps_per_unit: 1.0 / step, last, top, of: PhantomData }
    }

    /// Whether `value` is in the range.
    #[must_use]
    pub const fn contains(&self, value: f64) -> bool {
        // Half a step of grace below as well, as much as a value in the range may be off when it comes back.
        value >= self.min - 0.5 * self.step && value <= self.top
    }

    /// What the schema says of it.
    #[must_use]
    pub const fn form(&self) -> Form {
        Form::Step { min: self.min, step: self.step, last: self.last }
    }
}

impl<T: Real> Wire for Step<T> {
    type Value = T;

    #[inline]
    fn words(&self) -> usize {
        1
    }

    #[inline]
    fn quantize(&self, value: T, row: &mut [u32]) -> bool {
        let value = value.to_f64();
        let steps = (value - self.min) * self.steps_per_unit + 0.5;
        // `as` truncates, which rounds down here, and takes NaN and negatives to 0.
        let word = (steps as i64).clamp(0, i64::from(self.last)) as u32;
        row[0] = word;
        let inside = steps >= 0.0 && value <= self.top;
        !inside
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> T {
        T::from_f64((self.min + f64::from(row[0]) * self.step).min(self.max))
    }

    #[inline]
    fn interpolate(&self, from: T, to: T, t: f32) -> T {
        lerp(from, to, t)
    }
}

/// An angle in radians, kept as one of `2^bits` directions: one word that wraps.
///
/// Any finite angle is in range. Reads back in `-PI..PI`, at most half a direction (`PI / 2^bits`) off. An angle
/// that is not finite is kept as zero and reported as saturated.
#[derive(Clone, Copy, Debug)]
pub struct Angle<T> {
    bits: u32,
    of: PhantomData<T>,
}

impl<T> Angle<T> {
    /// `2^bits` directions, for `bits` in `1..=24`.
    ///
    /// # Panics
    /// When `bits` is outside that; in a constant, a compile error.
    #[must_use]
    pub const fn new(bits: u32) -> Self {
        assert!(bits >= 1 && bits <= 24, "an angle has 1 to 24 bits");
        Self { bits, of: PhantomData }
    }

    /// What the schema says of it.
    #[must_use]
    pub const fn form(&self) -> Form {
        Form::Angle { bits: self.bits }
    }

    const fn directions(&self) -> u32 {
        1 << self.bits
    }
}

impl<T: Real> Wire for Angle<T> {
    type Value = T;

    #[inline]
    fn words(&self) -> usize {
        1
    }

    #[inline]
    fn quantize(&self, value: T, row: &mut [u32]) -> bool {
        let value = value.to_f64();
        let turns = value * (f64::from(self.directions()) / core::f64::consts::TAU) + 0.5;
        // Truncated towards zero, then corrected to the floor.
        let whole = turns as i64;
        let floor = whole.wrapping_sub(i64::from(whole as f64 > turns));
        row[0] = floor as u32 & (self.directions() - 1);
        if !value.is_finite() {
            row[0] = 0;
        }
        !value.is_finite()
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> T {
        let half = self.directions() / 2;
        // The upper half of the directions reads as negative angles.
        let direction = f64::from((row[0].wrapping_add(half) & (self.directions() - 1)) as i32 - half as i32);
        T::from_f64(direction * (core::f64::consts::TAU / f64::from(self.directions())))
    }

    /// The short way round.
    #[inline]
    fn interpolate(&self, from: T, to: T, t: f32) -> T {
        use core::f64::consts::{PI, TAU};
        let (from, to) = (from.to_f64(), to.to_f64());
        let mut step = (to - from) % TAU;
        if step > PI {
            step -= TAU;
        } else if step < -PI {
            step += TAU;
        }
        T::from_f64(from + step * f64::from(t))
    }
}

/// A float bit by bit: one word, or two (low, high) for an `f64`. Every NaN is kept as the same NaN and reported as
/// saturated.
#[derive(Clone, Copy, Debug)]
pub struct Float<T>(PhantomData<T>);

impl<T: Real> Float<T> {
    /// All values of the type.
    pub const FULL: Self = Self(PhantomData);

    /// What the schema says of it.
    #[must_use]
    pub const fn form(&self) -> Form {
        Form::Float { bits: 8 * size_of::<T>() as u32 }
    }
}

impl<T: Real> Wire for Float<T> {
    type Value = T;

    #[inline]
    fn words(&self) -> usize {
        size_of::<T>() / 4
    }

    #[inline]
    fn quantize(&self, value: T, row: &mut [u32]) -> bool {
        // The quiet NaN without a payload is the one that every NaN is sent as.
        let words = if value.is_nan() { T::from_f64(CANONICAL_NAN) } else { value }.to_words();
        row[0] = words[0];
        if self.words() == 2 {
            row[1] = words[1];
        }
        value.is_nan()
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> T {
        T::from_words([row[0], if self.words() == 2 { row[1] } else { 0 }])
    }

    #[inline]
    fn interpolate(&self, from: T, to: T, t: f32) -> T {
        lerp(from, to, t)
    }
}

const CANONICAL_NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);
