use ecs_runtime::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Team {
    Red,
    Blue,
}

/// A type that the generator knows nothing of is one message, however often the expansion names it.
#[component]
pub struct Player {
    pub team: Team,
    pub score: u32,
}

ecs_runtime::game_state! {
    max_entities = 64;
    Player,
}

fn main() {
    let mut gs = GameState::default();
    let player = gs.create_entity().unwrap();
    gs.entity_mut(player).unwrap().add_player(Team::Red, 0);
}
