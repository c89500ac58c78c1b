use ecs_runtime::component;

const MAX_HP: i32 = 100;
const MIN_GEAR: i8 = 1;

#[component]
pub struct Health {
    #[max(MAX_HP)]
    #[default(MAX_HP + 1)]
    pub hp: i32,
}

#[component]
pub struct Gearbox {
    #[range(MIN_GEAR..=5)]
    pub gear: i8,
}

ecs_runtime::game_state! {
    max_entities = 64;
    Health,
    Gearbox,
}

fn main() {}
