//! Values that one would not expect, over the wire: without words, with names that differ by case, singletons that move.
#![allow(missing_docs)]

use std::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::link::LinkConfig;
use ecs_runtime::prelude::*;
use ecs_runtime::protocol::{ClientConfig, ServerConfig};
use ecs_runtime::testing::Pair;

#[value]
pub struct Empty;

#[value]
pub enum Case {
    AB { x: u8 },
    Ab { x: u16 },
}

#[component]
pub struct Odd {
    pub none: [Empty; 3],
    pub list: List<Empty, 3>,
    pub maybe: Option<Empty>,
    pub case: Case,
    pub braces: List<u8, { 1 + 1 }>,
    pub text: Text<{ 2 + 2 }>,
    #[max(7)]
    #[default(Some(7))]
    pub rank: Option<u8>,
}

#[component(singleton)]
pub struct Rules {
    pub round: u32,
}

#[event]
pub struct Noise;

ecs_runtime::game_state! {
    max_entities = 64;
    events = [Noise];
    Odd, Rules as rules
}

fn pair(link: LinkConfig) -> Pair<GameState> {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), link, 5);
    pair
}

#[test]
fn values_without_words_travel_like_others() {
    let mut pair = pair(LinkConfig::default());
    let mut odd = Odd { case: Case::Ab { x: 700 }, maybe: Some(Empty), ..Odd::default() };
    odd.list.push(Empty).expect("room");
    odd.text = Text::cut("four");
    let entity = pair.world.spawn((odd,)).expect("room");
    pair.ticks_to_converge(10).expect("converges");
    assert_eq!(pair.clients[0].world.odds.get(entity), Some(&odd));
    pair.world.odds.get_mut(entity).expect("there").case = Case::AB { x: 3 };
    pair.ticks(3);
    assert_eq!(pair.clients[0].world.odds.get(entity).map(|odd| odd.case), Some(Case::AB { x: 3 }));
}

#[test]
fn a_singleton_that_moves_is_single_on_a_client_whatever_is_lost() {
    let link = LinkConfig { delay: Duration::from_millis(30), loss: 0.3, ..LinkConfig::default() };
    let mut pair = pair(link);
    let holders: Vec<_> = (0..20).map(|_| pair.world.create_entity().expect("room")).collect();
    pair.ticks(20);
    let mut newest = 0;
    for round in 0..400 {
        let holder = holders[(round as usize * 7) % holders.len()];
        pair.world.entity_mut(holder).expect("alive").add_rules(round);
        pair.tick();
        let client = &pair.clients[0].world;
        assert!(client.rules.len() <= 1, "{} have it in round {round}", client.rules.len());
        let seen = client.rules().map_or(newest, |rules| rules.round);
        assert!(seen >= newest, "never back to an older one");
        newest = seen;
    }
    pair.ticks_to_converge(100).expect("converges");
    assert_eq!(pair.clients[0].world.rules(), pair.world.rules());
}
