//! The traits that `#[component]` and `#[command]` implement.

use core::fmt::Debug;

use crate::schema::StructSchema;
use crate::wire::{Row, RowReader, RowWriter};

/// A struct with a quantized form: its sent fields as words of 32 bits.
///
/// Implemented by `#[component]` and `#[command]`.
pub trait Quantize: Clone + Default + Debug + Send + Sync + 'static {
    /// The quantized form, an array of words.
    type Row: Row;

    /// Its name, fields and words.
    const SCHEMA: &'static StructSchema;

    /// Writes the sent fields, in order.
    fn quantize(&self, to: &mut RowWriter<'_>);

    /// Reads the sent fields, in order; the others keep their values.
    fn dequantize(&mut self, from: &mut RowReader<'_>);
}

/// A struct that an entity may have, at most one of each type.
///
/// Implemented by `#[component]`, which also gives the entity its accessors.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component",
    label = "not a component",
    note = "write `#[component]` above the struct"
)]
pub trait Component: Quantize {
    /// Exact equality: floats by their bits, so that a NaN is equal to itself.
    fn same(&self, other: &Self) -> bool;

    /// Sets the fields marked `#[interpolate]` to values between those of `from` (`t = 0`) and `to` (`t = 1`).
    fn interpolate(&mut self, from: &Self, to: &Self, t: f32);
}

/// A struct of a player's inputs, sent from a client to the server.
///
/// Implemented by `#[command]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a command",
    label = "not a command",
    note = "write `#[command]` above the struct"
)]
pub trait Command: Quantize {}
