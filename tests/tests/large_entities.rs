//! Entities whose components fit a packet each, but not together.
#![allow(missing_docs)]

use ecs_runtime::Tick;
use ecs_runtime::link::LinkConfig;
use ecs_runtime::prelude::*;
use ecs_runtime::protocol::{ClientConfig, ServerConfig};
use ecs_runtime::testing::Pair;

#[component]
pub struct Left {
    pub words: [u32; 64],
}

#[component]
pub struct Middle {
    pub words: [u32; 64],
}

#[component]
pub struct Right {
    pub words: [u32; 64],
}

ecs_runtime::game_state! {
    max_entities = 64;
    Left, Middle, Right,
}

#[test]
fn an_entity_larger_than_a_packet_is_a_counted_finding_and_the_others_go_on() {
    let config = ServerConfig { budget: 512, ..ServerConfig::default() };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), LinkConfig::default(), 1);
    let large = pair.world.create_entity().expect("room");
    let small = pair.world.create_entity().expect("room");
    let words = std::array::from_fn(|i| u32::MAX - i as u32);
    let mut entity = pair.world.entity_mut(large).expect("alive");
    entity.add_left(words);
    entity.add_middle(words);
    entity.add_right(words);
    pair.world.entity_mut(small).expect("alive").add_left(words);
    pair.ticks(5);

    let finding = pair.sent[0].oversized.expect("it cannot be sent");
    assert_eq!(finding.index, large.index());
    assert!(finding.bits > 512 * 8);
    assert_eq!(pair.sent[0].deferred, 1);
    let id = pair.clients[0].id.expect("taken");
    assert!(pair.server.stats(id).expect("connected").oversized >= 3);
    assert_eq!(pair.clients[0].world.entities().collect::<Vec<_>>(), [small]);
    assert_eq!(pair.clients[0].client.complete_tick(), None, "a world without the large one is not whole");

    pair.world.entity_mut(large).expect("alive").del_right();
    pair.world.entity_mut(large).expect("alive").del_middle();
    pair.ticks_to_converge(5).expect("it fits now");
    assert_eq!(pair.clients[0].world.entities().count(), 2);
}
