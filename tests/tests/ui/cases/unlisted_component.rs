use ecs_runtime::component;

#[component]
pub struct Health {
    pub hp: u8,
}

#[component]
pub struct Armor {
    pub plates: u8,
}

ecs_runtime::game_state! {
    max_entities = 64;
    Health,
}

fn main() {
    let mut gs = GameState::default();
    let player = gs.create_entity().unwrap();
    gs.entity_mut(player).unwrap().add_health(5);
}
