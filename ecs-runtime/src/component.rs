//! The traits that `#[component]`, `#[command]` and `#[event]` implement.

use core::fmt::Debug;

use crate::data::Fields;
use crate::schema::StructSchema;
use crate::wire::{Row, RowReader, RowWriter};

/// A struct with a quantized form: its sent fields as words of 32 bits.
///
/// Implemented by `#[component]`, `#[command]` and `#[event]`.
pub trait Quantize: Fields + Clone + Default + Debug + Send + Sync + 'static {
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
    note = "write `#[component]` above the struct; a command or an event belongs into `commands = [..];` or `events = [..];`"
)]
pub trait Component: Quantize {
    /// Whether at most one entity of a state has it: `#[component(singleton)]`.
    const SINGLETON: bool = false;

    /// Whether its tables keep track of what changes: `#[component(tracked)]`.
    const TRACKED: bool = false;

    /// Exact equality: floats by their bits, so that a NaN is equal to itself.
    fn same(&self, other: &Self) -> bool;

    /// Sets the fields marked `#[interpolate]` to values between those of `from` (`t = 0`) and `to` (`t = 1`).
    fn interpolate(&mut self, from: &Self, to: &Self, t: f32);

    /// Sets the fields marked `#[snap]` to what is read back after they were sent.
    fn snap(&mut self) {}
}

/// A component whose tables keep track of what changes: see [`Table::changed`](crate::world::Table::changed).
///
/// Implemented by `#[component(tracked)]`.
#[diagnostic::on_unimplemented(
    message = "no track is kept of how `{Self}` changes",
    label = "not tracked",
    note = "write `#[component(tracked)]` above the struct"
)]
pub trait Tracked: Component {}

/// A struct of a player's inputs, sent from a client to the server.
///
/// Implemented by `#[command]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a command",
    label = "not a command",
    note = "write `#[command]` above the struct"
)]
pub trait Command: Quantize {}

/// A struct of something that happens once, sent from the server to clients.
///
/// Implemented by `#[event]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "not an event",
    note = "write `#[event]` above the struct"
)]
pub trait Event: Quantize {
    /// Whether it arrives exactly once and in order, instead of at most once: `#[event(reliable)]`.
    const RELIABLE: bool;
}
