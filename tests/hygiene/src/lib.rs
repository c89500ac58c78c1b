//! A hostile home for generated code: if this compiles, expansions name nothing that a user's crate may lack or
//! call differently. `tests/hygiene.rs` of the integration tests uses it.

#![no_implicit_prelude]
#![deny(warnings, clippy::all, missing_docs)]
#![forbid(unsafe_code)]
// One of the names to be survived.
#![allow(non_snake_case)]

pub mod arguments;
pub mod fields;
pub mod modules;
pub mod types;

::renamed_runtime::game_state! {
    max_entities = limits::ENTITIES;
    commands = [fields::Command];
    types::Option, types::Result, types::Some, types::None, types::Ok, types::Vec, types::Default, types::Clone,
    types::Iterator, types::String, types::Component,
    types::Entities, types::Type as kinds, types::IsDead, types::AsTarget, types::FromPortal, types::IntoBattle,
    types::Not,
    fields::Names, fields::Constants, fields::Parameters,
    arguments::Many,
    modules::Unqualified,
    pub(crate) modules::Hidden,
}

mod limits {
    pub(crate) const ENTITIES: u32 = 1 << 10;
}
