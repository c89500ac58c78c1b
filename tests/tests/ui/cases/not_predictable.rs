use ecs_runtime::prelude::*;

#[value]
pub struct Orientation {
    #[max(3)]
    pub largest: u8,
    #[max(511)]
    pub a: u16,
    #[max(511)]
    pub b: u16,
    #[max(255)]
    pub c: u16,
}

#[component]
pub struct Body {
    #[predict(linear)]
    pub id: u64,
    #[predict(linear)]
    pub corners: [[i8; 2]; 2],
    #[predict(rotation)]
    pub orientation: Orientation,
}

ecs_runtime::game_state! {
    max_entities = 64;
    Body
}

fn main() {}
