use ecs_runtime::prelude::*;

pub type HitPoints = i32;

#[component]
pub struct Health {
    pub hp: HitPoints,
}

ecs_runtime::game_state! {
    max_entities = 64;
    Health,
}

fn main() {}
