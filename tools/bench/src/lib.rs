//! What the benchmarks measure: a generated state, and beside it the plainest usable hand-written world.
//!
//! Each row does the same to both, in turn, in one process, and checks that the results are equal; the figure is the
//! minimum of many runs. What counts is the ratio: absolute times move from machine to machine.
//!
//! The generated state does more for its time than the hand-written one: it tracks what was touched, keeps masks of
//! components and summaries of blocks, and knows kinds of ids. That is what the ratio shows the price of.
#![forbid(unsafe_code)]

mod indices;
mod moving;
mod packets;
mod precision;
mod profile;
mod rows;
pub mod slots;
mod timing;
mod worlds;

use ecs_runtime::prelude::*;

pub use indices::indices;
pub use moving::{Counter, Joint, Place};
pub use packets::{PacketRow, packets};
pub use precision::{PrecisionRow, precision};
pub use profile::{Counted, Figures, PARTS, Profile, Request, Spread, Task, profile};
pub use rows::tables;
pub use timing::Row;

/// Where a body is.
#[component]
pub struct Position {
    /// Metres.
    #[quantize(min = -512.0, max = 512.0, step = 0.005)]
    pub at: [f32; 3],
}

/// How a body moves.
#[component]
pub struct Velocity {
    /// Metres a second.
    #[quantize(min = -64.0, max = 64.0, step = 0.01)]
    pub by: [f32; 3],
}

/// Hit points.
#[component]
pub struct Health {
    /// Points left.
    #[max(1000)]
    pub hp: i32,
}

/// What somebody is called by.
#[component]
pub struct Ticket {
    /// No two have the same.
    #[unique]
    pub number: u32,
}

ecs_runtime::game_state! {
    max_entities = 1_048_576;
    Position, Velocity, Health, Joint, Place, Counter, Ticket,
}
