//! The protocol's promises, on a simulated network.
#![allow(missing_docs)]

mod codec;
mod converge;
mod delivery;
mod hostile;
mod identity;
mod sessions;
mod world;

use world::{Guard, Health, Inventory, Link, Note, Number, Position, Steer, Tag, Unit};

ecs_runtime::game_state! {
    max_entities = 2048;
    commands = [Steer];
    Position, Health, Tag, Link, Number, Inventory, Note, Guard, Unit,
}
