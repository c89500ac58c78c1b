//! The guide, to be read in this order: [`components`], [`worlds`], [`database`], [`systems`], [`networking`], [`wire`].
//!
//! Every example compiles and runs with the tests. In them `game_state!` stands at the top of the file: it belongs at
//! a crate root, and each example is a crate of its own.

#[doc = include_str!("components.md")]
pub mod components {}

#[doc = include_str!("worlds.md")]
pub mod worlds {}

#[doc = include_str!("database.md")]
pub mod database {}

#[doc = include_str!("systems.md")]
pub mod systems {}

#[doc = include_str!("networking.md")]
pub mod networking {}

#[doc = include_str!("wire.md")]
pub mod wire {}
