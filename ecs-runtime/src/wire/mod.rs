//! How a field's value becomes words of 32 bits, and a value again.
//!
//! Each type here is one rule of quantization, built in a constant from the attributes of a field. Rules use
//! only `+ - * /` and truncation in `f64`, so that the words are equal on every platform.

mod row;

pub use row::{Row, RowReader, RowWriter};

use crate::schema::{Form, Word};
use crate::{Entity, Value};

/// A rule that turns values of one type into words and back.
///
/// Whatever words a peer sends, [`Wire::dequantize`] gives a value; words that no value quantizes to are refused
/// before they get here.
pub trait Wire: Copy {
    /// The type of the field.
    type Value: Value;

    /// How many words a value takes.
    fn words(&self) -> usize;

    /// Writes `value` to the first [`Wire::words`] of `row`; `true` if it was out of range (or NaN) and saturated.
    fn quantize(&self, value: Self::Value, row: &mut [u32]) -> bool;

    /// The value that the first [`Wire::words`] of `row` stand for.
    fn dequantize(&self, row: &[u32]) -> Self::Value;
}

/// A `bool`: one word, 0 or 1.
#[derive(Clone, Copy, Debug)]
pub struct Flag;

impl Flag {
    /// What the schema says of it.
    #[must_use]
    pub const fn form(self) -> Form {
        Form::Flag
    }
}

impl Wire for Flag {
    type Value = bool;

    #[inline]
    fn words(&self) -> usize {
        1
    }

    #[inline]
    fn quantize(&self, value: bool, row: &mut [u32]) -> bool {
        row[0] = u32::from(value);
        false
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> bool {
        row[0] != 0
    }
}

/// An integer in `lo..=hi`, kept as its distance from `lo`: one word, or two (low, high) where the distance
/// needs more than 32 bits. Outside the range it saturates.
#[derive(Clone, Copy, Debug)]
pub struct Range<T> {
    lo: T,
    hi: T,
}

macro_rules! ranges {
    ($($type:ty as $unsigned:ty),*) => {$(
        impl Range<$type> {
            /// Every value of the type.
            pub const FULL: Self = Self { lo: <$type>::MIN, hi: <$type>::MAX };

            /// The values `lo..=hi`.
            ///
            /// # Panics
            /// When `lo` is above `hi`; in a constant, a compile error.
            #[must_use]
            pub const fn new(lo: $type, hi: $type) -> Self {
                assert!(lo <= hi, "the range is empty: its start is above its end");
                Self { lo, hi }
            }

            /// Whether `value` is in the range.
            #[must_use]
            pub const fn contains(self, value: $type) -> bool {
                self.lo <= value && value <= self.hi
            }

            /// What the schema says of it.
            #[must_use]
            pub const fn form(self) -> Form {
                Form::Range { lo: self.lo as i128, hi: self.hi as i128 }
            }

            const fn span(self) -> u64 {
                self.hi.wrapping_sub(self.lo) as $unsigned as u64
            }
        }

        impl Wire for Range<$type> {
            type Value = $type;

            #[inline]
            fn words(&self) -> usize {
                if self.span() > u32::MAX as u64 { 2 } else { 1 }
            }

            #[inline]
            fn quantize(&self, value: $type, row: &mut [u32]) -> bool {
                let inside = value.clamp(self.lo, self.hi);
                let distance = inside.wrapping_sub(self.lo) as $unsigned as u64;
                row[0] = distance as u32;
                if self.words() == 2 {
                    row[1] = (distance >> 32) as u32;
                }
                inside != value
            }

            #[inline]
            fn dequantize(&self, row: &[u32]) -> $type {
                let high = if self.words() == 2 { u64::from(row[1]) << 32 } else { 0 };
                let distance = (high | u64::from(row[0])).min(self.span());
                self.lo.wrapping_add(distance as $unsigned as $type)
            }
        }
    )*};
}

ranges!(u8 as u8, u16 as u16, u32 as u32, u64 as u64, i8 as u8, i16 as u16, i32 as u32, i64 as u64);

/// An `f32` in `min..=max` rounded to the nearest multiple of `step` above `min`: one word.
///
/// The error is at most half a step, plus the rounding of `f32` itself; nearer than a step to a `max` that is no
/// multiple, at most a step. What is read back is never outside the range. NaN is kept as `min` and, like values
/// outside the range, reported as saturated.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    min: f64,
    max: f64,
    step: f64,
    steps_per_unit: f64,
    last: u32,
    /// The largest value that is not reported as saturated.
    top: f64,
}

impl Step {
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
        Self { min, max, step, steps_per_unit: 1.0 / step, last, top }
    }

    /// Whether `value` is in the range.
    #[must_use]
    pub const fn contains(self, value: f32) -> bool {
        // Half a step of grace below as well, as much as a value in the range may be off when it comes back.
        let value = value as f64;
        value >= self.min - 0.5 * self.step && value <= self.top
    }

    /// What the schema says of it.
    #[must_use]
    pub const fn form(self) -> Form {
        Form::Step { min: self.min, step: self.step, last: self.last }
    }
}

impl Wire for Step {
    type Value = f32;

    #[inline]
    fn words(&self) -> usize {
        1
    }

    #[inline]
    fn quantize(&self, value: f32, row: &mut [u32]) -> bool {
        let value = f64::from(value);
        let steps = (value - self.min) * self.steps_per_unit + 0.5;
        // `as` truncates, which rounds down here, and takes NaN and negatives to 0.
        let word = (steps as i64).clamp(0, i64::from(self.last)) as u32;
        row[0] = word;
        let inside = steps >= 0.0 && value <= self.top;
        !inside
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> f32 {
        (self.min + f64::from(row[0]) * self.step).min(self.max) as f32
    }
}

/// An angle in radians, kept as one of `2^bits` directions: one word that wraps.
///
/// Any finite angle is in range. Reads back in `-PI..PI`, at most half a direction (`PI / 2^bits`) off. An angle
/// that is not finite is kept as zero and reported as saturated.
#[derive(Clone, Copy, Debug)]
pub struct Angle {
    bits: u32,
}

impl Angle {
    /// `2^bits` directions, for `bits` in `1..=24`.
    ///
    /// # Panics
    /// When `bits` is outside that; in a constant, a compile error.
    #[must_use]
    pub const fn new(bits: u32) -> Self {
        assert!(bits >= 1 && bits <= 24, "an angle has 1 to 24 bits");
        Self { bits }
    }

    /// Whether `value` can be kept: any finite angle.
    #[must_use]
    pub const fn contains(self, value: f32) -> bool {
        value.is_finite()
    }

    /// What the schema says of it.
    #[must_use]
    pub const fn form(self) -> Form {
        Form::Angle { bits: self.bits }
    }

    const fn directions(self) -> u32 {
        1 << self.bits
    }
}

impl Wire for Angle {
    type Value = f32;

    #[inline]
    fn words(&self) -> usize {
        1
    }

    #[inline]
    fn quantize(&self, value: f32, row: &mut [u32]) -> bool {
        let turns = f64::from(value) * (f64::from(self.directions()) / core::f64::consts::TAU) + 0.5;
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
    fn dequantize(&self, row: &[u32]) -> f32 {
        let half = self.directions() / 2;
        // The upper half of the directions reads as negative angles.
        let direction = f64::from((row[0].wrapping_add(half) & (self.directions() - 1)) as i32 - half as i32);
        (direction * (core::f64::consts::TAU / f64::from(self.directions()))) as f32
    }
}

/// An `f32` bit by bit: one word. Every NaN is kept as the same NaN and reported as saturated.
#[derive(Clone, Copy, Debug)]
pub struct Float;

impl Float {
    /// What the schema says of it.
    #[must_use]
    pub const fn form(self) -> Form {
        Form::Float
    }
}

impl Wire for Float {
    type Value = f32;

    #[inline]
    fn words(&self) -> usize {
        1
    }

    #[inline]
    fn quantize(&self, value: f32, row: &mut [u32]) -> bool {
        row[0] = if value.is_nan() { CANONICAL_NAN } else { value.to_bits() };
        value.is_nan()
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> f32 {
        f32::from_bits(row[0])
    }
}

/// The bits of the quiet NaN without a payload, the one that every NaN is sent as.
const CANONICAL_NAN: u32 = 0x7fc0_0000;

/// A reference to an entity of the state: two words, the index plus one (0: none), and half the generation.
///
/// A handle with an index that the state cannot have is kept as none and reported as saturated.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    max_entities: u32,
}

impl Reference {
    /// References into a state of at most `max_entities`.
    #[must_use]
    pub const fn new(max_entities: u32) -> Self {
        Self { max_entities }
    }

    /// What the schema says of it.
    #[must_use]
    pub const fn form(self) -> Form {
        Form::Reference { max_entities: self.max_entities }
    }
}

impl Wire for Reference {
    type Value = Entity;

    #[inline]
    fn words(&self) -> usize {
        2
    }

    #[inline]
    fn quantize(&self, value: Entity, row: &mut [u32]) -> bool {
        if value.index() < self.max_entities {
            row[0] = value.index() + 1;
            row[1] = value.generation() / 2;
            return false;
        }
        row[..2].fill(0);
        !value.is_none()
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> Entity {
        let Some(index) = row[0].checked_sub(1) else { return Entity::NONE };
        Entity::new(index, row[1] << 1 | 1).unwrap_or(Entity::NONE)
    }
}

/// A [`Reference`] that may be absent, `None`, which is sent like [`Entity::NONE`].
#[derive(Clone, Copy, Debug)]
pub struct OptionalReference(pub Reference);

impl OptionalReference {
    /// What the schema says of it.
    #[must_use]
    pub const fn form(self) -> Form {
        self.0.form()
    }
}

impl Wire for OptionalReference {
    type Value = Option<Entity>;

    #[inline]
    fn words(&self) -> usize {
        2
    }

    #[inline]
    fn quantize(&self, value: Option<Entity>, row: &mut [u32]) -> bool {
        self.0.quantize(value.unwrap_or(Entity::NONE), row)
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> Option<Entity> {
        Some(self.0.dequantize(row)).filter(|entity| !entity.is_none())
    }
}

/// An array, element after element by the same rule.
#[derive(Clone, Copy, Debug)]
pub struct Each<W, const N: usize>(pub W);

impl<W: Wire, const N: usize> Wire for Each<W, N> {
    type Value = [W::Value; N];

    #[inline]
    fn words(&self) -> usize {
        N * self.0.words()
    }

    #[inline]
    fn quantize(&self, value: [W::Value; N], row: &mut [u32]) -> bool {
        let mut saturated = false;
        for (element, words) in value.into_iter().zip(row.chunks_exact_mut(self.0.words())) {
            saturated |= self.0.quantize(element, words);
        }
        saturated
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> [W::Value; N] {
        let words = self.0.words();
        core::array::from_fn(|i| self.0.dequantize(&row[i * words..][..words]))
    }
}

impl Form {
    /// How many words one value of this form takes.
    #[must_use]
    pub const fn words(self) -> usize {
        match self {
            Self::Unsent => 0,
            Self::Range { lo, hi } if hi - lo > u32::MAX as i128 => 2,
            Self::Reference { .. } => 2,
            _ => 1,
        }
    }

    /// Its word number `at`, which is below [`Form::words`].
    #[must_use]
    pub const fn word(self, at: usize) -> Word {
        match self {
            Self::Unsent | Self::Flag => Word::number(1),
            Self::Range { lo, hi } => {
                let span = (hi - lo) as u128;
                if at == 1 {
                    Word::number((span >> 32) as u32)
                } else if span > u32::MAX as u128 {
                    Word::number(u32::MAX)
                } else {
                    Word::number(span as u32)
                }
            }
            Self::Step { last, .. } => Word::number(last),
            Self::Angle { bits } => Word::wrapping(bits),
            Self::Float => Word::pattern(),
            Self::Reference { max_entities } if at == 0 => Word::number(max_entities),
            Self::Reference { .. } => Word::number(u32::MAX >> 1),
        }
    }
}

#[cfg(test)]
mod tests;
