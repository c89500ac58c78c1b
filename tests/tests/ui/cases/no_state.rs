use ecs_runtime::prelude::*;

#[component]
pub struct Health {
    #[max(1000)]
    pub hp: i32,
    pub by: Entity,
}

#[component]
pub struct Tag;

fn main() {}
