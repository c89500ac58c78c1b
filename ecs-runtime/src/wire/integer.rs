//! Integers and flags.

use super::Wire;
use crate::schema::Form;

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

            /// Rounded to the nearest integer.
            #[inline]
            fn interpolate(&self, from: $type, to: $type, t: f32) -> $type {
                if from == to {
                    // Beyond 53 bits, an `f64` is not exact.
                    return from;
                }
                let (from, to) = (from as f64, to as f64);
                // The cast saturates, so an endpoint at the type's end cannot wrap.
                (from + (to - from) * f64::from(t)).round() as $type
            }
        }
    )*};
}

ranges!(u8 as u8, u16 as u16, u32 as u32, u64 as u64, i8 as u8, i16 as u16, i32 as u32, i64 as u64);
