//! Typed component tables, quantized snapshots and a loss-safe delta protocol for networked shooters.
#![forbid(unsafe_code)]

pub mod codec;
mod component;
mod entity;
pub mod link;
pub mod prelude;
pub mod protocol;
mod schedule;
pub mod schema;
pub mod snapshot;
pub mod testing;
pub mod transport;
mod value;
pub mod wire;
pub mod world;

pub use component::{Command, Component, Quantize};
pub use entity::Entity;
pub use schedule::{Schedule, System};
pub use value::{Interpolate, InterpolateAngle, Value};

pub use ecs_derive::{command, component};

#[doc(hidden)]
pub mod __private {
    pub use ecs_derive::game_state;
}

/// Makes the networked state of a crate.
#[macro_export]
macro_rules! game_state {
    ($($tokens:tt)*) => {
        $crate::__private::game_state! { [$crate] $($tokens)* }
    };
}
