//! Nothing that is large, frequent or given up keeps anything else from a client.
#![allow(missing_docs)]

use std::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::event::{EventQueue, Recipient};
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

#[component]
pub struct Bulk {
    pub words: [u32; 44],
}

#[component]
pub struct Small {
    pub value: u32,
}

#[component]
pub struct Secret {
    #[owner_only]
    pub value: u32,
}

#[event(reliable)]
pub struct Long {
    pub words: [u32; 40],
}

#[event(reliable)]
pub struct Short {
    pub value: u32,
}

ecs_runtime::game_state! {
    max_entities = 2048;
    events = [Long, Short];
    Left, Middle, Right, Bulk, Small, Secret,
}

fn words<const N: usize>(of: u32) -> [u32; N] {
    std::array::from_fn(|i| {
        (i as u32 + 1).wrapping_mul(0x9e37_79b9).wrapping_add(of.wrapping_mul(31)) | 1 << 31
    })
}

fn pair(config: &ServerConfig, delay: u64) -> Pair<GameState> {
    let config = ServerConfig { budget: 512, rate: None, ..config.clone() };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
    let link = LinkConfig { delay: Duration::from_millis(delay), ..LinkConfig::default() };
    pair.join(ClientConfig::default(), link, 1);
    pair
}

fn one_a_tick() -> ServerConfig {
    ServerConfig { packets_per_tick: 1, ..ServerConfig::default() }
}

/// Three components that fit a packet each, but not together.
fn staged(gs: &mut GameState) -> Entity {
    let (left, middle, right) =
        (Left { words: words(1) }, Middle { words: words(1) }, Right { words: words(1) });
    gs.spawn((left, middle, right)).expect("room")
}

/// Nearly a packet.
fn big(gs: &mut GameState) -> Entity {
    gs.spawn((Left { words: words(0) }, Bulk { words: words(0) })).expect("room")
}

fn change_big(gs: &mut GameState, entity: Entity, to: u32) {
    gs.lefts.get_mut(entity).expect("there").words = words(to);
    gs.bulks.get_mut(entity).expect("there").words = words(to);
}

fn shorts(pair: &mut Pair<GameState>, inbox: &mut EventQueue<GameState>) -> usize {
    pair.clients[0].client.receive_events(inbox);
    core::iter::from_fn(|| inbox.take::<Short>()).count()
}

#[test]
fn a_staged_state_that_was_given_up_is_no_baseline_even_if_the_client_completes_it() {
    for step in [0, 1] {
        let mut pair = pair(&ServerConfig::default(), 50);
        let entity = pair.world.spawn((Small { value: 1000 },)).expect("room");
        pair.ticks(60);
        let id = pair.clients[0].id.expect("taken");
        let mut grows = pair.world.entity_mut(entity).expect("alive");
        grows.add(Left { words: words(1) });
        grows.add(Middle { words: words(1) });
        grows.add(Right { words: words(1) });
        pair.ticks(2);
        let mut shrinks = pair.world.entity_mut(entity).expect("alive");
        shrinks.del_left();
        shrinks.del_middle();
        shrinks.del_right();
        pair.server.view_mut(id).expect("connected");
        pair.tick();
        pair.server.show_everything(id);
        for i in 0..30u32 {
            pair.world.smalls.get_mut(entity).expect("there").value =
                1000 + if step == 0 { i % 2 } else { i };
            pair.tick();
        }
        pair.ticks_to_converge(30).expect("converges");
        let client = &pair.clients[0];
        assert!(!client.world.lefts.contains(entity) && client.errors.is_empty(), "{:?}", client.errors);
        assert_eq!(pair.server.stats(id).expect("connected").disagreed, 0);
    }
}

#[test]
fn nothing_of_a_staged_entity_depends_on_what_is_for_its_owner() {
    let sent = |changes: bool| {
        let mut pair = pair(&ServerConfig { history: 8, ..ServerConfig::default() }, 150);
        pair.ticks(60);
        let entity = staged(&mut pair.world);
        pair.world.entity_mut(entity).expect("alive").add(Secret { value: 0 });
        let mut sent = Vec::new();
        for tick in 0..80u32 {
            if changes {
                pair.world.secrets.get_mut(entity).expect("there").value = tick;
            }
            pair.tick();
            sent.extend(pair.sent.iter().map(|sent| (sent.bytes, sent.entities)));
        }
        sent
    };
    assert_eq!(sent(false), sent(true));
}

#[test]
fn a_long_event_arrives_although_states_fill_every_packet() {
    let mut pair = pair(&one_a_tick(), 0);
    let all: Vec<_> = (0..300).map(|value| pair.world.spawn((Small { value },)).expect("room")).collect();
    pair.ticks(10);
    let (mut queue, mut inbox) = (EventQueue::<GameState>::new(16), EventQueue::<GameState>::new(64));
    queue.put(Recipient::All, pair.tick, &Long { words: words(1) }).expect("room");
    queue.put(Recipient::All, pair.tick, &Short { value: 1 }).expect("room");
    pair.server.deliver(&mut queue);
    let mut came = 0;
    for tick in 0..60u32 {
        for &entity in &all {
            pair.world.smalls.get_mut(entity).expect("there").value = tick.wrapping_mul(0x9e37_79b9);
        }
        pair.tick();
        came += shorts(&mut pair, &mut inbox);
    }
    assert_eq!((came, inbox.take::<Long>().is_some()), (1, true));
}

#[test]
fn a_large_entity_that_changes_all_the_time_lets_events_and_staged_ones_through() {
    let mut pair = pair(&one_a_tick(), 0);
    let entity = big(&mut pair.world);
    pair.ticks(30);
    let staged = staged(&mut pair.world);
    let (mut queue, mut inbox) = (EventQueue::<GameState>::new(64), EventQueue::<GameState>::new(64));
    (0..40).for_each(|value| queue.put(Recipient::All, pair.tick, &Short { value: !value }).expect("room"));
    pair.server.deliver(&mut queue);
    let (mut came, mut shown) = (0, 0);
    for tick in 0..120 {
        change_big(&mut pair.world, entity, tick);
        pair.tick();
        came += shorts(&mut pair, &mut inbox);
        shown += u32::from(pair.clients[0].world.bulks.get(entity) == pair.world.bulks.get(entity));
    }
    assert_eq!((came, pair.clients[0].world.rights.contains(staged)), (40, true));
    assert!(shown > 50, "and it is shown itself: {shown} of 120 states");
}

#[test]
fn an_entity_that_does_not_fit_behind_removals_and_events_holds_up_nothing() {
    let mut pair = pair(&one_a_tick(), 0);
    let smalls: Vec<_> = (0..20).map(|value| pair.world.spawn((Small { value },)).expect("room")).collect();
    let mut shots: Vec<_> =
        (0..150).map(|value| pair.world.spawn((Small { value },)).expect("room")).collect();
    pair.ticks(100);
    let entity = big(&mut pair.world);
    let (mut queue, mut inbox) = (EventQueue::<GameState>::new(64), EventQueue::<GameState>::new(64));
    let mut shown_after = None;
    for tick in 0..140u32 {
        for &small in &smalls {
            pair.world.smalls.get_mut(small).expect("there").value = tick.wrapping_mul(0x9e37_79b9);
        }
        pair.world.destroy_entity(shots.pop().expect("enough")).expect("alive");
        (0..12)
            .for_each(|value| queue.put(Recipient::All, pair.tick, &Short { value: !value }).expect("room"));
        pair.server.deliver(&mut queue);
        pair.tick();
        shorts(&mut pair, &mut inbox);
        if pair.clients[0].world.bulks.contains(entity) {
            shown_after.get_or_insert(tick);
        }
        let client = &pair.clients[0].client;
        let ages =
            smalls.iter().map(|small| pair.tick.0 - client.entity_tick(small.index()).expect("known").0);
        assert!(ages.max().expect("some") < 12, "a small one waits in tick {tick}");
    }
    assert!(shown_after.is_some_and(|tick| tick < 40), "{shown_after:?}");
}

#[test]
fn many_packets_under_way_at_once_still_find_an_ack() {
    for (packets_per_tick, delay) in [(16, 150), (4, 550)] {
        let mut pair = pair(&ServerConfig { packets_per_tick, ..ServerConfig::default() }, delay);
        let all: Vec<_> =
            (0..1200).map(|value| pair.world.spawn((Small { value },)).expect("room")).collect();
        for tick in 0..150u32 {
            for &entity in &all {
                pair.world.smalls.get_mut(entity).expect("there").value = tick.wrapping_mul(0x9e37_79b9);
            }
            pair.tick();
        }
        let id = pair.clients[0].id.expect("taken");
        assert!(pair.server.round_trip(id).is_some(), "{packets_per_tick} packets a tick, {delay} ms");
        assert_eq!(pair.server.stats(id).expect("connected").refused, 0);
        pair.ticks_to_converge(200).expect("converges");
    }
}
