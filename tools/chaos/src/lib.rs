//! Random worlds over the worst networks, by a seed: what the protocol has to survive.
//!
//! A [`Scenario`] follows from a seed alone: its links, its server's settings, and everything that happens in its world.
//! It ends well or with a [`Failure`] that names the seed.
#![forbid(unsafe_code)]

mod components;
mod hand;
mod priors;
mod scenario;

pub use components::*;
pub use scenario::{Failure, HEALED_WITHIN, Outcome, Scenario};

ecs_runtime::game_state! {
    max_entities = 512;
    commands = [Steer];
    events = [Spark, Message];
    Position, Health, Tag, Tie, Hand as hands, Orders, Upper, Lower, Note, Flag as flags,
}
