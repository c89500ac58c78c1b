//! Under loss, delay, reorder, duplication and corruption, every client comes to hold the server's state.

use std::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::link::LinkConfig;
use ecs_runtime::protocol::{ClientConfig, PacketError, ServerConfig};
use ecs_runtime::snapshot::Snapshot;
use ecs_runtime::testing::Pair;

use crate::GameState;
use crate::world::{Hand, assert_follows};

/// After the network heals, a client holds the whole state within this many ticks.
const HEALED_WITHIN: usize = 120;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn a_client_on_a_perfect_link_holds_every_tick_whole() {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
    let mut hand = Hand::new(1, 60);
    hand.fill(&mut pair.world, 20);
    pair.join(ClientConfig::default(), LinkConfig::default(), 1);
    pair.ticks(5);
    for _ in 0..300 {
        hand.play(&mut pair.world, 4);
        pair.tick();
        assert!(pair.converged());
        assert_eq!(pair.clients[0].client.complete_tick(), Some(pair.tick));
    }
    let Pair { world, clients, .. } = &mut pair;
    assert_follows(world, &mut clients[0].world);
    assert_eq!(clients[0].errors, []);
}

#[test]
fn clients_converge_after_any_network_heals() {
    for seed in 0..40 {
        let mut hand = Hand::new(seed, 150);
        let config = ServerConfig { budget: 512, history: 64, ..ServerConfig::default() };
        let mut pair = Pair::<GameState>::new(config, Tick(seed << 8)).expect("settings");
        hand.fill(&mut pair.world, 100);
        for client in 0..3 {
            let link = LinkConfig {
                delay: ms(u64::from(hand.below(120))),
                jitter: ms(u64::from(hand.below(40))),
                loss: f64::from(hand.unit()) * 0.3,
                duplicate: f64::from(hand.unit()) * 0.1,
                reorder: f64::from(hand.unit()) * 0.1,
                corrupt: f64::from(hand.unit()) * 0.1,
                ..LinkConfig::default()
            };
            pair.join(ClientConfig::default(), link, seed * 3 + client);
        }
        for tick in 0..400 {
            hand.play(&mut pair.world, 10);
            // Two seconds in which nothing arrives, then a second in which nothing comes back.
            for client in &mut pair.clients {
                if tick == 150 {
                    client.down.set_config(LinkConfig { loss: 1.0, ..LinkConfig::default() });
                    client.up.set_config(LinkConfig { loss: 1.0, ..LinkConfig::default() });
                } else if tick == 270 {
                    client.down.set_config(LinkConfig { loss: 0.1, delay: ms(30), ..LinkConfig::default() });
                } else if tick == 330 {
                    client.up.set_config(LinkConfig { loss: 0.1, delay: ms(30), ..LinkConfig::default() });
                }
            }
            pair.tick();
        }
        for client in &mut pair.clients {
            client.down.set_config(LinkConfig { delay: ms(30), ..LinkConfig::default() });
            client.up.set_config(LinkConfig { delay: ms(30), ..LinkConfig::default() });
            assert!(client.down.lost() > 0, "seed {seed}: the link was too good");
        }
        // What is sent now arrives within 30 ms; a standing world must be whole then.
        let healed = (0..HEALED_WITHIN).find(|_| {
            pair.tick();
            let hash = pair.server.history().latest().map(Snapshot::hash);
            pair.clients.iter().all(|client| {
                Some(client.client.hash()) == hash
                    && client.client.complete_tick() == client.client.newest_tick()
            })
        });
        assert!(healed.is_some(), "seed {seed}: not whole {HEALED_WITHIN} ticks after the network healed");
        assert!(pair.max_packet_bytes <= 512, "seed {seed}: a packet of {} bytes", pair.max_packet_bytes);
        let Pair { world, clients, server, .. } = &mut pair;
        for client in clients {
            assert_follows(world, &mut client.world);
            let stats = server.stats(client.id.expect("taken")).expect("connected");
            assert_eq!(stats.disagreed, 0, "seed {seed}: a complete view was not the server's state");
            assert!(stats.agreed > 0 && stats.lost > 0 && stats.deferred > 0, "seed {seed}: {stats:?}");
        }
    }
}

#[test]
fn packets_that_were_overtaken_are_taken_all_the_same() {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
    let mut hand = Hand::new(6, 100);
    hand.fill(&mut pair.world, 60);
    let link = LinkConfig { delay: ms(50), jitter: ms(30), ..LinkConfig::default() };
    pair.join(ClientConfig::default(), link, 6);
    for _ in 0..600 {
        hand.play(&mut pair.world, 8);
        pair.tick();
    }
    let mut errors = pair.clients[0].errors.clone();
    // The first packets may overtake the answer that they belong to.
    errors.retain(|error| *error != PacketError::NotConnected);
    assert_eq!(errors, [], "a packet that comes late finds the view that it builds on");
    let stats = pair.server.stats(pair.clients[0].id.expect("taken")).expect("connected");
    assert!(stats.lost * 50 < stats.packets, "few are taken for lost: {} of {}", stats.lost, stats.packets);
    assert!(stats.agreed > 200 && stats.disagreed == 0, "{stats:?}");
}

#[test]
fn a_dead_upstream_while_the_downstream_is_fine_is_survived() {
    // Within what an ack can list, beyond it, and beyond what the server remembers of what it sent; the last from
    // before anything was confirmed.
    for (silent, from) in [(200, 100), (400, 100), (700, 100), (700, 3)] {
        let config = ServerConfig { timeout: Duration::from_secs(60), ..ServerConfig::default() };
        let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
        let mut hand = Hand::new(silent + from, 80);
        hand.fill(&mut pair.world, 50);
        let link = LinkConfig { delay: ms(30), jitter: ms(10), ..LinkConfig::default() };
        pair.join(ClientConfig::default(), link, silent);
        for tick in 0..silent + 150 {
            hand.play(&mut pair.world, 6);
            if tick == from {
                pair.clients[0].up.set_config(LinkConfig { loss: 1.0, ..link });
            }
            pair.tick();
        }
        pair.clients[0].up.set_config(link);
        for _ in 0..60 {
            hand.play(&mut pair.world, 6);
            pair.tick();
        }
        pair.ticks(60);
        let hash = pair.server.history().latest().map(Snapshot::hash);
        assert_eq!(Some(pair.clients[0].client.hash()), hash, "silent for {silent} ticks");
        let client = &pair.clients[0].client;
        assert_eq!(client.complete_tick(), client.newest_tick(), "silent for {silent} ticks");
        let Pair { world, clients, server, .. } = &mut pair;
        let stats = server.stats(clients[0].id.expect("taken")).expect("connected");
        assert_eq!(stats.disagreed, 0, "silent for {silent} ticks");
        assert_follows(world, &mut clients[0].world);
    }
}

#[test]
fn lossy_fields_do_not_drift() {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
    let entity = pair.world.create_entity().expect("room");
    pair.world.entity_mut(entity).expect("alive").add_position([0.0; 3], 0.0);
    let link = LinkConfig { delay: ms(50), loss: 0.2, ..LinkConfig::default() };
    pair.join(ClientConfig::default(), link, 5);
    for _ in 0..2_000 {
        let position = pair.world.positions.get_mut(entity).expect("there");
        // Far less than a step, so that a client which adds up differences would lose them.
        position.at[0] += 0.0007;
        position.yaw += 0.0001;
        pair.tick();
    }
    pair.ticks_to_converge(60).expect("converges");
    let (server, client) = (&pair.world.positions, &pair.clients[0].world.positions);
    let (server, client) = (server.get(entity).expect("there"), client.get(entity).expect("there"));
    assert!((server.at[0] - client.at[0]).abs() <= 0.0026 && (server.yaw - client.yaw).abs() < 0.001);
}

#[test]
fn counters_work_across_their_wraps() {
    for near in [1u64 << 15, 1 << 16, 1 << 31, 1 << 32] {
        let config = ServerConfig { first_packet: near - 100, ..ServerConfig::default() };
        let mut pair = Pair::<GameState>::new(config, Tick(near - 100)).expect("settings");
        let mut hand = Hand::new(near, 20);
        hand.fill(&mut pair.world, 10);
        let client = ClientConfig { first_number: near - 100, ..ClientConfig::default() };
        let link = LinkConfig { delay: ms(40), loss: 0.1, ..LinkConfig::default() };
        pair.join(client, link, near);
        for _ in 0..400 {
            // Half of the entities never change.
            let moving = pair.world.entities().nth(5).expect("there");
            pair.world.positions.get_mut(moving).expect("there").yaw += 0.01;
            pair.tick();
        }
        pair.ticks_to_converge(60).expect("converges");
        let stats = pair.server.stats(pair.clients[0].id.expect("taken")).expect("connected");
        assert!(stats.agreed > 200 && stats.disagreed == 0, "near {near}: {stats:?}");
    }
}

#[test]
fn a_history_shorter_than_the_round_trip_still_converges() {
    let config = ServerConfig { history: 8, ..ServerConfig::default() };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
    let mut hand = Hand::new(4, 60);
    hand.fill(&mut pair.world, 40);
    // A round trip of twenty ticks.
    pair.join(ClientConfig::default(), LinkConfig { delay: ms(165), ..LinkConfig::default() }, 4);
    for _ in 0..200 {
        hand.play(&mut pair.world, 5);
        pair.tick();
    }
    for _ in 0..60 {
        pair.tick();
    }
    let hash = pair.server.history().latest().map(Snapshot::hash);
    assert_eq!(Some(pair.clients[0].client.hash()), hash);
    let Pair { world, clients, .. } = &mut pair;
    assert_follows(world, &mut clients[0].world);
}
