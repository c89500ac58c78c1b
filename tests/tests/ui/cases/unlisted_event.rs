use ecs_runtime::prelude::*;

#[component]
pub struct Health {
    pub hp: u8,
}

#[event]
pub struct Hit {
    pub by: u8,
}

#[command]
pub struct Input {
    pub turn: u8,
}

ecs_runtime::game_state! {
    max_entities = 64;
    Health,
}

fn main() {}
