//! Entities whose components fit a packet each, but not together.
#![allow(missing_docs)]

use std::time::Duration;

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

fn pair(link: LinkConfig, history: usize) -> Pair<GameState> {
    let config = ServerConfig { budget: 512, packets_per_tick: 1, history, ..ServerConfig::default() };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), link, 1);
    pair
}

fn words(of: u32) -> [u32; 64] {
    std::array::from_fn(|i| u32::MAX - i as u32 - of)
}

/// An entity of three components, which fit a packet each, but not together.
fn large(gs: &mut GameState, of: u32) -> Entity {
    gs.spawn((Left { words: words(of) }, Middle { words: words(of) }, Right { words: words(of) }))
        .expect("room")
}

fn set(gs: &mut GameState, entity: Entity, of: u32) {
    gs.lefts.get_mut(entity).expect("there").words = words(of);
    gs.middles.get_mut(entity).expect("there").words = words(of);
    gs.rights.get_mut(entity).expect("there").words = words(of);
}

/// All words of what a client has of an entity are of one state.
fn of(gs: &GameState, entity: Entity) -> Option<u32> {
    let of = u32::MAX - gs.lefts.get(entity)?.words[0];
    let whole = [gs.lefts.get(entity)?.words, gs.middles.get(entity)?.words, gs.rights.get(entity)?.words];
    assert_eq!(whole, [words(of); 3], "never torn");
    Some(of)
}

#[test]
fn an_entity_larger_than_a_packet_comes_in_parts_and_is_shown_when_whole() {
    let mut pair = pair(LinkConfig::default(), 128);
    let large = large(&mut pair.world, 0);
    let small = pair.world.spawn((Left { words: words(7) },)).expect("room");
    let mut shown_at = None;
    for tick in 0..10 {
        pair.tick();
        let world = &pair.clients[0].world;
        shown_at = shown_at.or(of(world, large).map(|_| tick));
        let complete = pair.clients[0].client.is_complete();
        assert!(!complete || world.entities().count() == 2, "a world without the large one is not whole");
    }
    assert!(shown_at.is_some_and(|tick| (2..8).contains(&tick)), "{shown_at:?}");
    assert!(pair.converged() && pair.clients[0].world.lefts.contains(small));
    let stats = pair.server.stats(pair.clients[0].id.expect("taken")).expect("connected");
    assert_eq!((stats.staged, stats.oversized, pair.max_packet_bytes <= 512), (1, 0, true));
}

#[test]
fn a_large_entity_that_changes_all_the_time_is_shown_again_and_again_and_never_torn() {
    for history in [128, 8] {
        let link = LinkConfig { delay: Duration::from_millis(60), loss: 0.2, ..LinkConfig::default() };
        let mut pair = pair(link, history);
        let large = large(&mut pair.world, 0);
        let (mut shown, mut last) = (0, None);
        for tick in 1..400 {
            set(&mut pair.world, large, tick);
            pair.tick();
            let now = of(&pair.clients[0].world, large);
            assert!(now >= last, "time goes forward");
            shown += u32::from(now != last);
            last = now;
        }
        assert!(shown > 10, "{shown} states shown with a history of {history}");
        pair.clients[0].down.set_config(LinkConfig::default());
        pair.ticks_to_converge(120).expect("converges");
        assert_eq!(of(&pair.clients[0].world, large), Some(399));
    }
}

#[test]
fn a_large_entity_that_goes_or_becomes_small_while_it_is_under_way_leaves_nothing_behind() {
    let mut pair = pair(LinkConfig { delay: Duration::from_millis(40), ..LinkConfig::default() }, 128);
    for round in 0..20 {
        let large = large(&mut pair.world, round);
        pair.ticks(1 + round as usize % 7);
        if round % 2 == 0 {
            pair.world.destroy_entity(large).expect("alive");
        } else {
            pair.world.entity_mut(large).expect("alive").del_right();
            pair.world.entity_mut(large).expect("alive").del_middle();
        }
    }
    pair.ticks_to_converge(240).expect("converges");
    assert_eq!(pair.clients[0].world.entities().count(), 10);
}
