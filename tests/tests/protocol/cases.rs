//! Behaviours that broke other snapshot libraries, reported by their users; none breaks this one.
//!
//! Others are tested where they belong: a despawn that overtakes its spawn, floats of every kind, and slots used again in
//! `identity`; toggles of visibility in `sight`; counters across their wraps in `converge`.

use std::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::event::{EventQueue, Recipient};
use ecs_runtime::link::LinkConfig;
use ecs_runtime::prelude::*;
use ecs_runtime::protocol::{ClientConfig, ServerConfig};
use ecs_runtime::testing::Pair;

use crate::GameState;
use crate::world::{Guard, Hand, Health, Link, Number, Position, Say, Steer};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn pair(config: ServerConfig, link: LinkConfig) -> Pair<GameState> {
    let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), link, 9);
    pair
}

/// O1: every counter starts 100 before a power of two or before its maximum.
#[test]
fn nothing_stops_when_a_counter_wraps() {
    for near in [1u64 << 15, 1 << 16, 1 << 31, 1 << 32, (1 << 62) - 1000] {
        let config = ServerConfig { first_packet: near - 100, ..ServerConfig::default() };
        let mut pair = Pair::<GameState>::new(config, Tick(near - 100)).expect("settings");
        let link = LinkConfig { delay: ms(30), loss: 0.1, ..LinkConfig::default() };
        pair.join(ClientConfig { first_number: near - 100, ..ClientConfig::default() }, link, near);
        let idle = pair.world.spawn((Guard { post: 7 },)).expect("room");
        let moving = pair.world.spawn((Health { hp: 0, armor: 0 },)).expect("room");
        let (mut queue, mut inbox) = (EventQueue::<GameState>::new(4), EventQueue::<GameState>::new(512));
        let (mut said, mut steered) = (0, 0);
        for tick in 0..400u32 {
            pair.world.healths.get_mut(moving).expect("there").hp = tick as i32;
            queue.put(Recipient::All, pair.tick, &Say { number: tick }).expect("room");
            pair.server.deliver(&mut queue);
            pair.clients[0].client.command::<GameState, _>(&Steer { number: tick, turn: 0 });
            pair.tick();
            pair.clients[0].client.receive_events(&mut inbox);
            while let Some(say) = inbox.take::<Say>() {
                // Those from before it had joined were not for it.
                assert!(said == 0 || say.event.number == said + 1, "near {near}");
                said = say.event.number;
            }
            let Some(id) = pair.clients[0].id else { continue };
            while let Some(Steer { number, .. }) = pair.server.next_command::<GameState, _>(id) {
                assert!(number >= steered, "near {near}");
                steered = number;
            }
        }
        pair.clients[0].down.set_config(LinkConfig::default());
        pair.ticks_to_converge(60).expect("converges");
        let world = &pair.clients[0].world;
        assert_eq!(world.guards.get(idle).map(|guard| guard.post), Some(7), "near {near}");
        assert_eq!(world.healths.get(moving).map(|health| health.hp), Some(399), "near {near}");
        assert!(said > 380 && steered > 380, "near {near}: {said} events, {steered} commands");
    }
}

/// O2: entity counts around a full packet, with events and without.
#[test]
fn no_datagram_is_larger_than_the_budget_when_many_join() {
    for count in (30..50).chain([100, 300]) {
        let config = ServerConfig { budget: 512, packets_per_tick: 2, ..ServerConfig::default() };
        let mut pair = pair(config, LinkConfig::default());
        let mut hand = Hand::new(count as u64, count);
        hand.fill(&mut pair.world, count);
        let mut queue = EventQueue::<GameState>::new(64);
        (0..count as u32 % 40)
            .for_each(|number| queue.put(Recipient::All, Tick(0), &Say { number }).expect("room"));
        pair.ticks(3);
        pair.server.deliver(&mut queue);
        for client in 0..4 {
            pair.join(ClientConfig::default(), LinkConfig::default(), 100 + client);
        }
        pair.ticks(3);
        pair.ticks_to_converge(60).expect("converges");
        assert!(pair.max_packet_bytes <= 512, "{count} entities: {} bytes", pair.max_packet_bytes);
    }
}

/// O3: two components change one after the other, under all losses of four packets.
#[test]
fn acks_are_never_credited_to_another_component() {
    for lost in 0..16u32 {
        for order in 0..2 {
            let mut pair =
                pair(ServerConfig::default(), LinkConfig { delay: ms(20), ..LinkConfig::default() });
            let entity = pair.world.spawn((Guard { post: 1 }, Health { hp: 1, armor: 0 })).expect("room");
            pair.ticks_to_converge(60).expect("converges");
            pair.ticks(10);
            for step in 0..4 {
                let dead = LinkConfig { loss: 1.0, ..LinkConfig::default() };
                let alive = LinkConfig { delay: ms(20), ..LinkConfig::default() };
                pair.clients[0].down.set_config(if lost >> step & 1 == 1 { dead } else { alive });
                if step % 2 == order {
                    pair.world.guards.get_mut(entity).expect("there").post = 3;
                } else {
                    pair.world.healths.get_mut(entity).expect("there").hp = 5 + step / 2;
                }
                pair.tick();
                pair.clients[0].down.set_config(alive);
            }
            pair.ticks_to_converge(60).unwrap_or_else(|| panic!("losses {lost:04b}, order {order}"));
            let world = &pair.clients[0].world;
            let seen =
                (world.guards.get(entity).map(|guard| guard.post), world.healths.get(entity).map(|h| h.hp));
            assert_eq!(seen, (Some(3), Some(6)), "losses {lost:04b}, order {order}");
        }
    }
}

/// O5: a crowd, a cap, and loss; the other client goes on.
#[test]
fn a_burst_on_joining_arrives_and_disturbs_nobody() {
    let config = ServerConfig { rate: Some(64_000), ..ServerConfig::default() };
    let mut pair = pair(config, LinkConfig { delay: ms(30), loss: 0.05, ..LinkConfig::default() });
    let mut hand = Hand::new(5, 2000);
    hand.fill(&mut pair.world, 2000);
    pair.ticks_to_converge(600).expect("the first holds everything");
    let before = pair.clients[0].client.complete_views();
    pair.ticks(120);
    let usual = pair.clients[0].client.complete_views() - before;
    pair.join(ClientConfig::default(), LinkConfig { delay: ms(30), loss: 0.05, ..LinkConfig::default() }, 2);
    let before = pair.clients[0].client.complete_views();
    let ticks = pair.ticks_to_converge(600).expect("so does the second");
    assert!(ticks > 15, "a cap that does not hold: {ticks} ticks");
    pair.ticks(120);
    let meanwhile = (pair.clients[0].client.complete_views() - before) * 120 / (120 + ticks as u64);
    assert!(meanwhile * 10 >= usual * 9, "{meanwhile} complete views in place of {usual}");
}

/// O6: the creation of what is referred to is lost.
#[test]
fn a_reference_reads_unresolved_until_its_target_is_there() {
    let mut pair = pair(ServerConfig::default(), LinkConfig { delay: ms(10), ..LinkConfig::default() });
    let holder = pair.world.spawn((Guard { post: 1 },)).expect("room");
    pair.ticks_to_converge(60).expect("converges");
    pair.ticks(10);
    // The target is out of view, the reference to it is not.
    let id = pair.clients[0].id.expect("taken");
    pair.server.view_mut(id).expect("connected").insert(holder.index());
    let target = pair.world.spawn((Guard { post: 2 },)).expect("room");
    pair.world.entity_mut(holder).expect("alive").add_link(target, Some(target));
    pair.tick();
    pair.ticks_to_converge(60).expect("converges");
    let unresolved: Vec<_> = pair.clients[0].client.unresolved().collect();
    let fields: Vec<_> = unresolved.iter().map(|of| (of.entity, of.field, of.target)).collect();
    assert_eq!(fields, [(holder, "target", target), (holder, "other", target)]);
    assert_eq!(pair.clients[0].world.links.get(holder), Some(&Link { target, other: Some(target) }));
    assert!(!pair.clients[0].world.contains(target));
    pair.server.show_everything(id);
    pair.tick();
    pair.ticks_to_converge(60).expect("converges");
    assert_eq!(pair.clients[0].client.unresolved().count(), 0);
    assert!(pair.clients[0].world.contains(target));
}

/// O9: as many in one packet as make a length of another width.
#[test]
fn counts_of_every_width_are_read_as_they_were_written() {
    for count in [1, 127, 128, 129, 255, 256, 257, 300] {
        let config = ServerConfig { budget: 8192, rate: None, ..ServerConfig::default() };
        let mut pair = pair(config, LinkConfig::default());
        for _ in 0..count {
            pair.world.spawn((Guard { post: 1 },)).expect("room");
        }
        pair.ticks_to_converge(60).expect("converges");
        let mut queue = EventQueue::<GameState>::new(512);
        (0..count).for_each(|number| queue.put(Recipient::All, pair.tick, &Say { number }).expect("room"));
        pair.server.deliver(&mut queue);
        for (_, guard) in &mut pair.world.guards {
            guard.post += 1;
        }
        pair.tick();
        assert_eq!(pair.sent[0].entities, count as usize);
        pair.ticks(20);
        let mut inbox = EventQueue::<GameState>::new(512);
        pair.clients[0].client.receive_events(&mut inbox);
        assert_eq!((inbox.len(), pair.clients[0].errors.len()), (count as usize, 0));
        assert!(pair.converged() && pair.clients[0].world.guards.iter().all(|(_, guard)| guard.post == 2));
    }
}

/// O12: an entity is destroyed and created again in its place, with defaults.
#[test]
fn a_recycled_entity_keeps_nothing_of_the_one_before() {
    let mut pair =
        pair(ServerConfig::default(), LinkConfig { delay: ms(20), loss: 0.2, ..LinkConfig::default() });
    for round in 0..40 {
        let entity = pair.world.spawn((Health { hp: 900, armor: 3 }, Guard { post: 9 })).expect("room");
        pair.ticks(round % 4);
        pair.world.destroy_entity(entity).expect("alive");
        let again = pair.world.spawn((Health::default(),)).expect("room");
        assert_eq!(again.index(), entity.index());
        pair.tick();
        pair.ticks_to_converge(120).expect("converges");
        let world = &pair.clients[0].world;
        assert_eq!((world.healths.get(again), world.guards.get(again)), (Some(&Health::default()), None));
        pair.world.destroy_entity(again).expect("alive");
        pair.tick();
    }
}

/// O14: inputs for somebody else's entity beside the player's own.
#[test]
fn a_command_for_an_entity_of_somebody_else_is_dropped_and_the_own_one_kept() {
    let mut pair = pair(ServerConfig::default(), LinkConfig::default());
    pair.join(ClientConfig::default(), LinkConfig::default(), 2);
    pair.ticks(5);
    let [mine, theirs] = [0, 1].map(|at: usize| {
        let entity = pair.world.spawn((Guard { post: 0 },)).expect("room");
        pair.server.set_owner(entity, pair.clients[at].id);
        entity
    });
    let id = pair.clients[0].id.expect("taken");
    for of in [theirs, mine, Entity::NONE, mine] {
        pair.clients[0].client.command::<GameState, _>(&crate::world::Order { of, post: 4 });
    }
    pair.ticks(4);
    let orders = core::iter::from_fn(|| pair.server.next_command::<GameState, crate::world::Order>(id));
    assert_eq!(orders.map(|order| order.of).collect::<Vec<_>>(), [mine, mine]);
    assert_eq!(pair.server.stats(id).expect("connected").commands_forged, 2);
}

/// What is most urgent to the game goes first and most often, and what is least urgent goes, too.
#[test]
fn priorities_share_the_packets_and_odd_ones_count_as_the_smallest() {
    let config = ServerConfig { budget: 512, rate: None, packets_per_tick: 1, ..ServerConfig::default() };
    let mut pair = pair(config, LinkConfig::default());
    let entities: Vec<_> = (0..400).map(|_| pair.world.spawn((Guard { post: 0 },)).expect("room")).collect();
    pair.priority = |entity| match entity.index() {
        0..30 => 8.0,
        290 => f32::NAN,
        291 => -1.0,
        292 => 0.0,
        293 => f32::INFINITY,
        _ => 1.0,
    };
    let mut updates = vec![0u32; 400];
    for tick in 0..800u16 {
        for (_, guard) in &mut pair.world.guards {
            guard.post = guard.post.wrapping_mul(31).wrapping_add(tick | 1);
        }
        pair.tick();
        for change in pair.clients[0].client.changes() {
            updates[change.entity.index() as usize] += 1;
        }
    }
    let mean =
        |range: core::ops::Range<usize>| updates[range.clone()].iter().sum::<u32>() / range.len() as u32;
    let (urgent, usual) = (mean(0..30), mean(30..290));
    assert!(urgent * 2 > usual * 3, "{urgent} updates of the urgent, {usual} of the others");
    let odd = &updates[290..293];
    assert!(
        odd.iter().all(|&count| count > 0 && count < usual),
        "{odd:?} starve or are too many, of {usual}"
    );
    assert!(updates[293] >= urgent, "an infinity is the largest");
    let stats = pair.server.stats(pair.clients[0].id.expect("taken")).expect("connected");
    assert!(stats.bad_priorities > 1000, "{}", stats.bad_priorities);
    assert!(entities.iter().all(|entity| pair.clients[0].world.guards.contains(*entity)));
}

/// A newcomer hears of what it owns before everything else, and of removals while nothing else fits.
#[test]
fn what_a_newcomer_owns_comes_first_and_removals_have_their_share() {
    let config = ServerConfig { budget: 512, packets_per_tick: 1, ..ServerConfig::default() };
    let mut pair = pair(config, LinkConfig::default());
    let entities: Vec<_> = (0..1500)
        .map(|at| {
            let position = Position { at: [at as f32 / 3.0, 1.0, 2.0], yaw: 1.0 };
            pair.world.spawn((Guard { post: 5 }, position)).expect("room")
        })
        .collect();
    let own = entities[1400];
    let mut first = None;
    for tick in 0..20 {
        if let Some(id) = pair.clients[0].id {
            pair.server.set_owner(own, Some(id));
        }
        pair.tick();
        if pair.clients[0].world.contains(own) {
            first = first.or(Some(tick));
        }
    }
    assert!(first.is_some_and(|tick| tick < 4), "its own after {first:?} ticks of twenty");
    assert!(pair.clients[0].world.entity_count() < 1400, "and the rest later");
    pair.ticks_to_converge(200).expect("converges");
    // Everything changes all the time, and some is destroyed.
    for (tick, entity) in (0..).zip(&entities[..60]) {
        for (_, guard) in &mut pair.world.guards {
            guard.post = guard.post.wrapping_add(1);
        }
        pair.world.destroy_entity(*entity).expect("alive");
        pair.ticks(2);
        assert!(!pair.clients[0].world.contains(*entity), "the removal of tick {tick} waits");
    }
}

/// The rate over time is what was asked for, whatever there is to send.
#[test]
fn a_cap_holds_and_everything_arrives_under_it() {
    let config = ServerConfig { rate: Some(20_000), ..ServerConfig::default() };
    let mut pair = pair(config, LinkConfig::default());
    let mut hand = Hand::new(3, 300);
    hand.fill(&mut pair.world, 300);
    pair.ticks(5);
    let id = pair.clients[0].id.expect("taken");
    let sent = |pair: &Pair<GameState>| {
        let stats = pair.server.stats(id).expect("connected");
        stats.bytes + 28 * stats.packets
    };
    let before = sent(&pair);
    for _ in 0..600 {
        hand.play(&mut pair.world, 60);
        pair.tick();
    }
    let rate = (sent(&pair) - before) / 10;
    assert!((18_000..=20_300).contains(&rate), "{rate} bytes a second");
    pair.server.set_rate(id, None);
    pair.ticks_to_converge(60).expect("converges");
}

/// A path that carries less in the middle of a match, and one that carries too little.
#[test]
fn a_budget_may_shrink_while_connected() {
    let mut pair = pair(ServerConfig::default(), LinkConfig { delay: ms(20), ..LinkConfig::default() });
    let mut hand = Hand::new(4, 400);
    hand.fill(&mut pair.world, 400);
    pair.ticks(4);
    let id = pair.clients[0].id.expect("taken");
    pair.server.set_budget(id, 600).expect("in range");
    for _ in 0..200 {
        hand.play(&mut pair.world, 40);
        pair.tick();
        assert!(pair.sent.iter().all(|sent| sent.bytes <= 600));
    }
    assert!(pair.server.set_budget(id, 511).is_err());
    pair.ticks_to_converge(60).expect("converges");
}

/// O11: numbers at the ends of their types, negative ones, and one step beyond a maximum; a number that never ends.
#[test]
fn numbers_at_the_ends_of_their_types_arrive_and_endless_ones_are_refused() {
    let mut pair =
        pair(ServerConfig::default(), LinkConfig { delay: ms(20), loss: 0.1, ..LinkConfig::default() });
    let number = Number { wide: 0, signed: 0, exact: 0.0 };
    let entity = pair.world.spawn((number, Health { hp: 0, armor: 0 })).expect("room");
    let mut costs = Vec::new();
    for (wide, signed, hp) in [
        (u64::MAX, i64::MIN, 1000),
        (0, -1, -1),
        (u64::MAX - 1, i64::MAX, 1001),
        (1 << 63, i64::MIN + 1, i32::MAX),
        (u64::MAX, -1, i32::MIN),
    ] {
        let number = pair.world.numbers.get_mut(entity).expect("there");
        (number.wide, number.signed) = (wide, signed);
        pair.world.healths.get_mut(entity).expect("there").hp = hp;
        pair.tick();
        costs.push(pair.sent.first().map_or(0, |sent| sent.bytes));
        pair.ticks_to_converge(60).expect("converges");
        let world = &pair.clients[0].world;
        let seen = world.numbers.get(entity).map(|number| (number.wide, number.signed));
        assert_eq!(
            (seen, world.healths.get(entity).map(|health| health.hp)),
            (Some((wide, signed)), Some(hp.clamp(0, 1000)))
        );
    }
    assert!(costs.iter().all(|&bytes| bytes < 64), "{costs:?}");
    let saturated: u64 = pair.server.history().saturated().map(|field| field.count).sum();
    assert_eq!(saturated, 4, "what is out of range is counted");

    use ecs_runtime::codec::{BitReader, EntityDecoder, Layout};
    use ecs_runtime::world::GameWorld as _;
    let layout = Layout::new(GameState::SCHEMA);
    let endless = [0xff; 40];
    let mut decoder = EntityDecoder::new(BitReader::new(&endless), &layout, &[], |_| 0).expect("an order");
    assert!(decoder.next_index().is_err(), "a prefix of more ones than any number has");
}
