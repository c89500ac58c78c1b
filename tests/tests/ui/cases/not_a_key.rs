//! What cannot be the key of an index, and functions that cannot be called.

use ecs_runtime::prelude::*;
use ecs_runtime::Text;

#[value]
pub struct Corner {
    pub x: i32,
    pub y: i32,
}

#[component(index(team, corner), key(at, since), on_add = greet, on_remove = part)]
pub struct Player {
    #[index]
    pub name: Text<16>,
    #[unique]
    pub corner: Corner,
    pub team: u8,
    pub at: [f64; 2],
    pub since: u64,
}

fn greet(_: &mut GameState, _: u32) {}

ecs_runtime::game_state! {
    max_entities = 64;
    Player
}

fn main() {}
