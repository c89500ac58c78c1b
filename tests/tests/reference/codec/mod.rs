//! The reference codec: what a packet says of entities, restated as plainly as it can be said.
//!
//! It is made to be read, not to be fast. With the codec that it is held against it shares the schema, the limits of a
//! packet and the weights that serve without training, and no rule. One function serves both directions: it is given what
//! is to be told, or `None` where it is read, and gives back what was told.

pub(crate) mod contexts;
pub(crate) mod entity;
mod forecast;
pub(crate) mod line;
pub(crate) mod list;
pub(crate) mod model;
mod motion;
pub(crate) mod number;
pub(crate) mod range;
mod rotation;
mod row;
mod state;
mod vector;

pub(crate) use state::{Entry, State};

/// Why nothing more is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// No honest side tells this.
    Wrong,
    /// It is more than a packet may tell.
    TooMuch,
}
