use ecs_runtime::component;

/// What is wrong with the struct is all there is to read: its uses are right.
#[component]
pub struct Health {
    #[max(5)]
    pub hp: f32,
    pub name: String,
}

ecs_runtime::game_state! {
    max_entities = 64;
    Health,
}

fn main() {
    let mut gs = GameState::default();
    let player = gs.create_entity().unwrap();
    gs.entity_mut(player).unwrap().add_health(5.0, String::new());
    assert_eq!(gs.entity(player).unwrap().health(), Some(&Health::default()));
    for (_, health) in &mut gs.healths {
        health.hp += 1.0;
    }
}
