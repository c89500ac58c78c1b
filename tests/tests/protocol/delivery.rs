//! What is sent, when, and how much of it.

use std::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::codec::Coder;
use ecs_runtime::link::LinkConfig;
use ecs_runtime::prelude::*;
use ecs_runtime::protocol::{ClientConfig, Hello, ServerConfig, SnapshotClient, SnapshotServer};
use ecs_runtime::testing::Pair;

use crate::GameState;
use crate::world::{Hand, Steer};

fn pair(link: LinkConfig, config: ServerConfig) -> Pair<GameState> {
    let mut pair = Pair::new(config, Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), link, 9);
    pair
}

fn slow() -> LinkConfig {
    LinkConfig { delay: Duration::from_millis(60), ..LinkConfig::default() }
}

#[test]
fn what_was_sent_is_not_sent_again_while_it_is_in_flight() {
    let mut pair = pair(slow(), ServerConfig::default());
    let entity = pair.world.create_entity().expect("room");
    pair.world.entity_mut(entity).expect("alive").add_health(500, 0);
    pair.ticks_to_converge(60).expect("converges");
    pair.ticks(20);

    pair.world.healths.get_mut(entity).expect("there").hp = 499;
    pair.tick();
    assert_eq!(pair.sent[0].entities, 1);
    for _ in 0..30 {
        pair.tick();
        assert_eq!(pair.sent[0].entities, 0, "nothing is new, and nothing was lost");
    }
}

#[test]
fn a_newer_state_goes_out_at_once_and_so_does_a_return() {
    let mut pair = pair(slow(), ServerConfig::default());
    let entity = pair.world.create_entity().expect("room");
    pair.world.entity_mut(entity).expect("alive").add_health(500, 0);
    pair.ticks_to_converge(60).expect("converges");
    pair.ticks(20);

    // 500 is confirmed. 400 is in flight when it becomes 300, and then 500 again.
    for hp in [400, 300, 500] {
        pair.world.healths.get_mut(entity).expect("there").hp = hp;
        pair.tick();
        assert_eq!(pair.sent[0].entities, 1, "{hp} goes out in its own tick");
    }
    pair.ticks_to_converge(20).expect("converges");
    assert_eq!(pair.clients[0].world.healths.get(entity).map(|health| health.hp), Some(500));
}

#[test]
fn only_a_lost_state_is_sent_again() {
    let mut pair = pair(
        LinkConfig { delay: Duration::from_millis(20), ..LinkConfig::default() },
        ServerConfig::default(),
    );
    let entity = pair.world.create_entity().expect("room");
    pair.world.entity_mut(entity).expect("alive").add_health(500, 0);
    pair.ticks_to_converge(60).expect("converges");
    pair.ticks(20);

    pair.clients[0].down.set_config(LinkConfig { loss: 1.0, ..LinkConfig::default() });
    pair.world.healths.get_mut(entity).expect("there").hp = 1;
    pair.tick();
    pair.clients[0].down.set_config(LinkConfig { delay: Duration::from_millis(20), ..LinkConfig::default() });
    let mut sent_again = 0;
    for _ in 0..60 {
        pair.tick();
        sent_again += pair.sent[0].entities;
    }
    assert_eq!(sent_again, 1);
    assert_eq!(pair.clients[0].world.healths.get(entity).map(|health| health.hp), Some(1));
}

#[test]
fn a_state_lost_while_no_acks_come_is_sent_again_after_a_while() {
    let link = LinkConfig { delay: Duration::from_millis(20), ..LinkConfig::default() };
    let mut pair = pair(link, ServerConfig::default());
    let entity = pair.world.create_entity().expect("room");
    pair.world.entity_mut(entity).expect("alive").add_health(500, 0);
    pair.ticks_to_converge(60).expect("converges");
    pair.ticks(20);

    let dead = LinkConfig { loss: 1.0, ..LinkConfig::default() };
    pair.clients[0].up.set_config(dead);
    pair.clients[0].down.set_config(dead);
    pair.world.healths.get_mut(entity).expect("there").hp = 1;
    pair.tick();
    pair.clients[0].down.set_config(link);
    pair.ticks(30);
    assert_eq!(pair.clients[0].world.healths.get(entity).map(|health| health.hp), Some(1));
}

#[test]
fn packets_stay_within_the_budget_and_nothing_starves() {
    for count in [40, 41, 42, 43, 44, 45, 46, 47, 48, 200, 2000] {
        let config = ServerConfig { budget: 512, ..ServerConfig::default() };
        let mut pair = pair(slow(), config);
        let mut hand = Hand::new(count as u64, count);
        hand.fill(&mut pair.world, count);
        let mut deferred = 0;
        for _ in 0..40 {
            for (_, position) in &mut pair.world.positions {
                position.at[1] = (position.at[1] + 0.3) % 500.0;
                position.yaw += 0.1;
            }
            pair.tick();
            deferred += pair.sent.first().map_or(0, |sent| sent.deferred);
        }
        assert!(pair.max_packet_bytes <= 512, "{count} entities: {} bytes", pair.max_packet_bytes);
        assert!(count < 200 || deferred > 0, "{count} entities fit one packet each tick?");
        if count == 200 {
            // Each entity's knowledge is at most as old as it takes to go round all of them a few times.
            let newest = pair.clients[0].client.newest_tick().expect("connected").0;
            let oldest =
                pair.world.entities().map(|entity| pair.clients[0].client.entity_tick(entity.index()));
            let oldest = oldest.map(|tick| tick.expect("known").0).min().expect("entities");
            assert!(newest - oldest < 24, "an entity waited for {} ticks", newest - oldest);
        }
    }
}

#[test]
fn what_is_not_sent_reaches_no_bit_of_any_packet() {
    let with_secret = |secret: u32| {
        all_bytes(3, Coder::Plain, |world, hand, tick| {
            for (_, health) in &mut world.healths {
                health.armor = secret.wrapping_mul(tick);
            }
            let entity = hand.any(world);
            if secret != 0
                && let Ok(mut entity) = world.entity_mut(entity)
            {
                entity.add_note([secret as u8; 8]);
            }
        })
    };
    assert!(with_secret(0) == with_secret(0xdead_beef));
}

#[test]
fn what_is_not_sent_stays_as_it_was_on_the_client() {
    let mut pair = pair(LinkConfig::default(), ServerConfig::default());
    let entity = pair.world.create_entity().expect("room");
    pair.world.entity_mut(entity).expect("alive").add_health(500, 77);
    pair.world.entity_mut(entity).expect("alive").add_note([1; 8]);
    pair.ticks_to_converge(10).expect("converges");
    assert!(pair.clients[0].world.notes.is_empty());
    pair.clients[0].world.healths.get_mut(entity).expect("there").armor = 5;
    pair.world.healths.get_mut(entity).expect("there").hp = 400;
    pair.ticks(3);
    let health = pair.clients[0].world.healths.get(entity).expect("there");
    assert_eq!((health.hp, health.armor), (400, 5));
}

/// Every byte that a server sends to a client that acks nothing and to one that acks what it gets.
fn all_bytes(seed: u64, coder: Coder, change: impl Fn(&mut GameState, &mut Hand, u32)) -> Vec<u8> {
    let mut server = SnapshotServer::new::<GameState>(ServerConfig::default()).expect("settings");
    let mut client = SnapshotClient::new::<GameState>(ClientConfig::default(), 1);
    let (mut bytes, mut datagram) = (Vec::new(), Vec::new());
    client.send(&mut datagram);
    let hello = Hello::read(&datagram).expect("a greeting").expect("of this version");
    let silent = server.connect(Hello { nonce: 2, ..hello }, Duration::ZERO).1.expect("taken");
    let (welcome, id) = server.connect_by(hello, Duration::ZERO, coder);
    let id = id.expect("taken");
    datagram.clear();
    welcome.write(&mut datagram);
    client.receive(&datagram).expect("welcome");

    let mut world = GameState::default();
    let mut hand = Hand::new(seed, 60);
    hand.fill(&mut world, 40);
    for tick in 1..80 {
        hand.play(&mut world, 4);
        change(&mut world, &mut hand, tick);
        server.capture(&mut world, Tick(tick.into()));
        let now = Duration::from_millis(16 * u64::from(tick));
        server.send(silent, now, &mut bytes).expect("connected");
        datagram.clear();
        server.send(id, now, &mut datagram).expect("connected");
        bytes.extend_from_slice(&datagram);
        client.receive(&datagram).expect("an honest packet");
        datagram.clear();
        client.send(&mut datagram);
        server.receive(id, now, &datagram).expect("an honest ack");
    }
    bytes
}

#[test]
fn equal_worlds_make_equal_bytes_in_every_build_and_on_every_platform() {
    for (coder, len, golden) in
        [(Coder::Plain, 13_107, "e828b02e6664c201"), (Coder::Arithmetic, 13_136, "06424481b68a81c7")]
    {
        let bytes = all_bytes(12, coder, |_, _, _| {});
        // FNV-1a. A change of the wire changes it, and is to be told of in the changelog.
        let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold);
        assert_eq!((bytes.len(), format!("{hash:016x}")), (len, golden.to_owned()), "{coder:?}");
    }
}

#[test]
fn commands_arrive_once_and_in_order_whatever_the_link_does() {
    let link = LinkConfig {
        delay: Duration::from_millis(30),
        jitter: Duration::from_millis(20),
        loss: 0.15,
        duplicate: 0.2,
        reorder: 0.1,
        corrupt: 0.02,
        ..LinkConfig::default()
    };
    let mut pair = pair(link, ServerConfig::default());
    pair.ticks(30);
    let mut taken = Vec::new();
    for number in 0..600u32 {
        let turn = (number % 3) as i8 - 1;
        pair.clients[0].client.command::<GameState, _>(&Steer { number, turn });
        pair.tick();
        let id = pair.clients[0].id.expect("taken");
        while let Some(steer) = pair.server.next_command::<GameState, Steer>(id) {
            assert_eq!(steer.turn, (steer.number % 3) as i8 - 1);
            taken.push(steer.number);
        }
    }
    assert!(taken.windows(2).all(|pair| pair[0] < pair[1]), "once each, in order");
    assert!(taken.len() > 580, "four repetitions carry all but a few: {}", taken.len());
}

#[test]
fn a_flood_of_commands_is_bounded() {
    let mut pair = pair(LinkConfig::default(), ServerConfig::default());
    pair.ticks(5);
    for number in 0..500 {
        pair.clients[0].client.command::<GameState, _>(&Steer { number, turn: 0 });
        pair.tick();
    }
    let id = pair.clients[0].id.expect("taken");
    assert_eq!(pair.server.waiting_commands(id), 64);
    // The last one is on its way; of the others, each is counted once however often it was repeated.
    assert_eq!(pair.server.stats(id).expect("connected").commands_dropped, 500 - 64 - 1);
    while pair.server.next_command::<GameState, Steer>(id).is_some() {}
    pair.tick();
    let late = pair.server.next_command::<GameState, Steer>(id).map(|steer| steer.number);
    assert_eq!(late, Some(499), "what was dropped does not come back");
}

#[test]
fn references_to_entities_that_are_not_there_yet_resolve_later() {
    let link = LinkConfig { delay: Duration::from_millis(20), ..LinkConfig::default() };
    let mut pair = pair(link, ServerConfig::default());
    let holder = pair.world.create_entity().expect("room");
    pair.world.entity_mut(holder).expect("alive").add_link(Entity::NONE, None);
    pair.ticks_to_converge(30).expect("converges");

    // The packet that creates the target is lost; the next one refers to it.
    pair.clients[0].down.set_config(LinkConfig { loss: 1.0, ..link });
    let target = pair.world.create_entity().expect("room");
    pair.world.entity_mut(target).expect("alive").add_health(5, 0);
    pair.tick();
    pair.clients[0].down.set_config(link);
    pair.world.links.get_mut(holder).expect("there").target = target;
    let mut unresolved = 0;
    for _ in 0..60 {
        pair.tick();
        let client = &pair.clients[0].world;
        let seen = client.links.get(holder).expect("there").target;
        unresolved += u32::from(seen == target && client.healths.get(seen).is_none());
    }
    assert!(unresolved > 0, "the reference came before its target");
    let client = &pair.clients[0].world;
    let seen = client.links.get(holder).and_then(|link| client.healths.get(link.target));
    assert_eq!(seen.map(|health| health.hp), Some(5));
}

#[test]
fn a_change_through_a_block_reaches_clients_even_beside_the_mask() {
    let mut pair = pair(LinkConfig::default(), ServerConfig::default());
    let mut hand = Hand::new(8, 10);
    hand.fill(&mut pair.world, 8);
    let first = pair.world.entities().next().expect("there");
    pair.world.entity_mut(first).expect("alive").del_health();
    pair.ticks(10);
    (&mut pair.world.positions, &pair.world.healths).for_each_block(|block, (positions, _)| {
        assert_eq!(block.mask() & 1, 0, "the first has no health");
        positions[0].at[0] = 77.0;
    });
    pair.ticks(5);
    assert_eq!(pair.clients[0].world.positions.get(first).map(|position| position.at[0]), Some(77.0));
}
