//! An entity is never taken for another one.

use std::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::link::LinkConfig;
use ecs_runtime::protocol::{ClientConfig, ServerConfig};
use ecs_runtime::testing::Pair;

use crate::GameState;

#[test]
fn a_slot_used_again_inside_a_lost_window_is_another_entity() {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
    let link = LinkConfig { delay: Duration::from_millis(20), ..LinkConfig::default() };
    pair.join(ClientConfig::default(), link, 2);
    let old = pair.world.create_entity().expect("room");
    pair.world.entity_mut(old).expect("alive").add_health(900, 1);
    pair.world.entity_mut(old).expect("alive").add_tag();
    pair.ticks_to_converge(30).expect("converges");

    pair.clients[0].down.set_config(LinkConfig { loss: 1.0, ..link });
    pair.world.destroy_entity(old).expect("alive");
    pair.tick();
    let new = pair.world.create_entity().expect("room");
    pair.world.entity_mut(new).expect("alive").add_health(0, 0);
    pair.tick();
    pair.clients[0].down.set_config(link);
    pair.ticks_to_converge(60).expect("converges");

    let client = &pair.clients[0].world;
    assert_eq!(old.index(), new.index());
    assert!(!client.contains(old) && client.contains(new));
    assert_eq!(
        client.healths.get(new).map(|health| (health.hp, health.armor)),
        Some((0, 0)),
        "no old values"
    );
    assert!(!client.tags.contains(new));
}

#[test]
fn a_despawn_that_overtakes_its_spawn_leaves_no_ghost() {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), LinkConfig::default(), 2);
    pair.ticks(5);
    let spawned = pair.world.create_entity().expect("room");
    pair.world.entity_mut(spawned).expect("alive").add_health(1, 0);
    // The spawn takes a long way, the removal the short one.
    pair.clients[0]
        .down
        .set_config(LinkConfig { delay: Duration::from_millis(200), ..LinkConfig::default() });
    pair.tick();
    pair.clients[0].down.set_config(LinkConfig::default());
    pair.world.destroy_entity(spawned).expect("alive");
    pair.ticks(30);
    assert!(pair.converged());
    assert_eq!(pair.clients[0].world.entity_count(), 0);
}

#[test]
fn floats_of_every_kind_arrive_and_are_not_sent_again() {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), LinkConfig::default(), 2);
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE / 4.0, f32::MAX];
    let entities: Vec<_> = odd
        .iter()
        .map(|&value| {
            let entity = pair.world.create_entity().expect("room");
            pair.world.entity_mut(entity).expect("alive").add_number(u64::MAX, i64::MIN, value);
            entity
        })
        .collect();
    pair.ticks(5);
    for (entity, value) in entities.into_iter().zip(odd) {
        let number = pair.clients[0].world.numbers.get(entity).expect("arrived");
        assert_eq!((number.wide, number.signed), (u64::MAX, i64::MIN));
        assert!(number.exact.to_bits() == value.to_bits() || number.exact.is_nan() && value.is_nan());
    }
    // Touched, but not changed.
    for _ in 0..10 {
        assert_eq!(pair.world.numbers.iter_mut().count(), odd.len());
        pair.tick();
        assert_eq!(pair.sent[0].entities, 0);
    }
}
