//! How a field's value becomes words of 32 bits, and a value again.
//!
//! Each type here is one rule of quantization, built in a constant from the attributes of a field. Rules use
//! only `+ - * /` and truncation in `f64`, so that the words are equal on every platform.

mod direction;
mod float;
mod integer;
mod layer;
mod reference;
mod row;
mod text;

pub use direction::{Rotation, UnitVector};
pub use float::{Angle, Float, Real, Step};
pub use integer::{Flag, Range};
pub use layer::{Each, Listed, Maybe, Nested, Vector};
pub use reference::{OptionalReference, Reference};
pub use row::{Row, RowReader, RowWriter};
pub use text::Utf8;

use crate::Value;

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

    /// The value between `from` (`t = 0`) and `to` (`t = 1`), for a field marked `#[interpolate]`; `from` where there
    /// is nothing between two values.
    #[inline]
    fn interpolate(&self, from: Self::Value, to: Self::Value, t: f32) -> Self::Value {
        let _ = (to, t);
        from
    }
}

/// The value that is read back after `value` was sent: what a field marked `#[snap]` continues from.
#[inline]
pub fn snap<W: Wire, R: Row>(wire: W, mut row: R, value: W::Value) -> W::Value {
    wire.quantize(value, row.words_mut());
    wire.dequantize(row.words())
}

#[cfg(test)]
mod tests;
