use ecs_runtime::prelude::*;

#[component]
pub struct Id;

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
    Id, Health, Both
}

fn main() {}
