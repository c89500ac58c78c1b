use ecs_runtime::prelude::*;

#[component]
pub struct Heap {
    pub words: [u32; 20_000_000],
    pub bytes: [[u8; 1 << 30]; 4],
}

ecs_runtime::game_state! {
    max_entities = 64;
    Heap
}

fn main() {}
