use ecs_runtime::prelude::*;

#[component(name = "number")]
pub struct Id;

#[component]
pub struct Get;

#[component(singleton)]
pub struct Memory;

#[component]
pub struct Health {
    #[max(100u8)]
    pub hp: i32,
}

#[component]
#[value]
pub struct Both {
    pub hp: u8,
}

ecs_runtime::game_state! {
    max_entities = 64;
    Id, Get, Memory, Health, Both
}

fn main() {}
