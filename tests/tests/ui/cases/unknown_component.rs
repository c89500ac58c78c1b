use ecs_runtime::component;

#[component]
pub struct Health {
    pub hp: u8,
}

ecs_runtime::game_state! {
    max_entities = 64;
    Health,
    combat::Armour,
}

mod combat {
    #[ecs_runtime::component]
    pub struct Armor {
        pub plates: u8,
    }
}

fn main() {}
