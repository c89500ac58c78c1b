//! Packets that are made on several threads.

use core::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::link::LinkConfig;
use ecs_runtime::protocol::{ClientConfig, SentPacket, ServerConfig};
use ecs_runtime::snapshot::{Snapshot, StateHash};
use ecs_runtime::testing::Pair;

use crate::GameState;
use crate::world::Hand;

/// What a server of so many threads sent its clients in each tick, and what they held at the end.
fn played(threads: usize, clients: u64) -> (Vec<Vec<SentPacket>>, Vec<StateHash>) {
    let config = ServerConfig { threads, budget: 512, ..ServerConfig::default() };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
    pair.priority = |entity| 1.0 + (entity.index() % 3) as f32;
    let mut hand = Hand::new(31, 200);
    hand.fill(&mut pair.world, 120);
    let link = LinkConfig {
        delay: Duration::from_millis(20),
        jitter: Duration::from_millis(5),
        loss: 0.1,
        ..LinkConfig::default()
    };
    for client in 0..clients {
        pair.join(ClientConfig::default(), link, client);
    }
    let mut sent = Vec::new();
    for _ in 0..40 {
        hand.play(&mut pair.world, 40);
        pair.tick();
        sent.push(pair.sent.clone());
    }
    pair.ticks(60);
    let ours = pair.server.history().latest().map(Snapshot::hash);
    let held: Vec<_> = pair.clients.iter().map(|client| client.client.hash()).collect();
    assert!(held.iter().all(|held| Some(*held) == ours), "all of them converged");
    (sent, held)
}

#[test]
fn every_client_is_sent_the_same_whatever_the_number_of_threads() {
    let alone = played(1, 5);
    assert!(alone.0.iter().flatten().count() > 5 * 30, "they were sent something");
    for threads in [3, 64] {
        assert!(played(threads, 5) == alone, "{threads} threads");
    }
}

#[test]
fn a_server_without_clients_needs_no_threads() {
    assert!(played(4, 0).0.iter().all(Vec::is_empty));
}

#[test]
fn a_priority_that_panics_does_so_on_the_callers_thread() {
    let config = ServerConfig { threads: 4, budget: 512, ..ServerConfig::default() };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
    Hand::new(5, 200).fill(&mut pair.world, 120);
    for client in 0..4 {
        pair.join(ClientConfig::default(), LinkConfig::default(), client);
    }
    pair.ticks(4);
    pair.tick = pair.tick + 1;
    Hand::new(6, 200).play(&mut pair.world, 300);
    pair.server.capture(&mut pair.world, pair.tick);
    let last = pair.clients.last().and_then(|client| client.id).expect("it joined");
    let mut send = |panics: bool| {
        let priority = |client, _| if panics && client == last { panic!("no such entity") } else { 1.0 };
        let mut sent = Vec::new();
        pair.server.send_all(Duration::from_secs(9), priority, |client, _, _| sent.push(client));
        sent.len()
    };
    let panic = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| send(true)));
    let panic = panic.expect_err("it panics");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"no such entity"));
    assert!(send(false) >= 4, "the server goes on");
}
