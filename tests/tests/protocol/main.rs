//! The protocol's promises, on a simulated network.
#![allow(missing_docs)]

mod cases;
mod codec;
mod coders;
mod converge;
mod delivery;
mod events;
mod hostile;
mod identity;
mod sessions;
mod sight;
mod threads;
mod world;

use world::{
    Annex, Archive, Bang, Diary, Guard, Health, Inventory, Link, Note, Number, Position, Purse, Say, Steer,
    Tag, Unit,
};

ecs_runtime::game_state! {
    max_entities = 2048;
    commands = [Steer, world::Order];
    events = [Bang, Say];
    Position, Health, Tag, Link, Number, Inventory, Note, Guard, Unit, Purse, Diary, Archive, Annex,
}
