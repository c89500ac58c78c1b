use ecs_runtime::prelude::*;

/// What is not tracked cannot be asked what changed.
#[component]
pub struct Health {
    pub hp: u8,
}

ecs_runtime::game_state! {
    max_entities = 64;
    Health,
}

fn main() {
    let gs = GameState::default();
    let _ = gs.healths.changed(ecs_runtime::Tick(0));
}
