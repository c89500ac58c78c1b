//! Modules called like crates, and components that are not public.

#![allow(dead_code)]

mod core {}
mod ecs_runtime {}
mod wire {}

/// Without an import of the macro.
#[::renamed_runtime::component]
pub struct Unqualified {
    /// By its full path.
    pub entity: ::renamed_runtime::Entity,
}

/// Neither it nor its accessors leave the crate.
#[::renamed_runtime::component]
#[dont_send]
pub(crate) struct Hidden {
    value: [[bool; 2]; 3],
}
