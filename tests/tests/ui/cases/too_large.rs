use ecs_runtime::component;

#[component]
pub struct Inventory {
    pub slots: [u64; 100],
}

ecs_runtime::game_state! {
    max_entities = 64;
    Inventory,
}

fn main() {}
