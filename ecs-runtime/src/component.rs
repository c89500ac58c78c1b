//! The traits that `#[component]`, `#[command]` and `#[event]` implement.

use core::fmt::Debug;

use crate::Entity;
use crate::data::Fields;
use crate::schema::StructSchema;
use crate::wire::{Row, RowReader, RowWriter};
use crate::world::{GameWorld, IndexOf, RelationOf};

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

    /// By what its tables find entities: fields marked `#[index]` and the like.
    const INDICES: &'static [IndexOf<Self>] = &[];

    /// By what it refers to other entities: fields marked `#[relation]`.
    const RELATIONS: &'static [RelationOf<Self>] = &[];

    /// Whether a function is called when an entity gets it: `#[component(on_add = function)]`.
    const ON_ADD: bool = false;

    /// Whether a function is called when an entity loses it: `#[component(on_remove = function)]`.
    const ON_REMOVE: bool = false;

    /// Is called when an entity has got it.
    #[doc(hidden)]
    fn on_add<W: GameWorld>(world: &mut W, entity: Entity) {
        let _ = (world, entity);
    }

    /// Is called when an entity has lost it.
    #[doc(hidden)]
    fn on_remove<W: GameWorld>(world: &mut W, entity: Entity, removed: Self) {
        let _ = (world, entity, removed);
    }

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
