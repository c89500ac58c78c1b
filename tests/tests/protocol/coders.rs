//! How packets are coded is a matter of each connection; priors are a matter of both sides.

use std::sync::Arc;
use std::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::codec::{Coder, Lessons, Priors};
use ecs_runtime::link::LinkConfig;
use ecs_runtime::prelude::*;
use ecs_runtime::protocol::{
    Answer, ClientConfig, Hello, Received, Refusal, ServerConfig, SnapshotClient, SnapshotServer,
};
use ecs_runtime::testing::Pair;

use crate::GameState;
use crate::world::Hand;

fn other_priors() -> Priors {
    Priors::default().with_orders([4; 32]).expect("orders in range")
}

#[test]
fn a_client_of_other_priors_is_refused_with_a_reason_of_its_own() {
    let config = ServerConfig { priors: Arc::new(other_priors()), ..ServerConfig::default() };
    let mut server = SnapshotServer::new::<GameState>(config).expect("settings");
    let mut client = SnapshotClient::new::<GameState>(ClientConfig::default(), 4);
    let mut datagram = Vec::new();
    client.send(&mut datagram);
    let hello = Hello::read(&datagram).expect("honest").expect("this version");
    let (answer, id) = server.connect(hello, Duration::ZERO);
    let refusal = Refusal::Priors { server: other_priors().identity(), client: 0 };
    assert_eq!((&answer, id), (&Answer::Refused { nonce: 4, refusal, difference: None }, None));
    datagram.clear();
    answer.write(&mut datagram);
    assert_eq!(client.receive(&datagram), Ok(Received::Refused(refusal)));
    assert!(refusal.to_string().starts_with("server and client have different priors"));
    assert_eq!(
        server.connect(Hello { priors: other_priors().identity(), ..hello }, Duration::ZERO).1.map(|_| ()),
        Some(())
    );
}

#[test]
fn clients_of_both_coders_hold_the_same_of_one_server() {
    let mut pair = Pair::<GameState>::new(ServerConfig { account: true, ..ServerConfig::default() }, Tick(0))
        .expect("settings");
    let link = LinkConfig { delay: Duration::from_millis(30), loss: 0.1, ..LinkConfig::default() };
    let mut hand = Hand::new(8, 200);
    hand.fill(&mut pair.world, 60);
    for coder in [Coder::Plain, Coder::Arithmetic] {
        // A client joins by itself, so the server answers it as it is told.
        let client = pair.join(ClientConfig::default(), link, 20 + u64::from(coder == Coder::Arithmetic));
        let mut datagram = Vec::new();
        pair.clients[client].client.send(&mut datagram);
        let hello = Hello::read(&datagram).expect("honest").expect("this version");
        let (answer, id) = pair.server.connect_by(hello, pair.now, coder);
        datagram.clear();
        answer.write(&mut datagram);
        pair.clients[client].id = id;
        let Ok(Received::Welcome(welcome)) = pair.clients[client].client.receive(&datagram) else {
            panic!("taken: {answer:?}");
        };
        assert_eq!(welcome.coder, coder);
    }
    for _ in 0..300 {
        hand.play(&mut pair.world, 6);
        pair.tick();
    }
    pair.ticks_to_converge(200).expect("converges");
    let bytes = |at: usize| pair.server.stats(pair.clients[at].id.expect("taken")).expect("connected").bytes;
    assert!(pair.clients.iter().all(|client| client.errors.is_empty()));
    assert!(bytes(0) > 10_000 && bytes(1) > 10_000 && bytes(0) != bytes(1));
    let account = |at: usize| {
        pair.server.stats(pair.clients[at].id.expect("taken")).expect("connected").account.total()
    };
    assert_eq!(account(0), 8 * bytes(0), "plain bits are counted to the last");
    let over = account(1) as f64 / (8 * bytes(1)) as f64;
    assert!((1.0..1.01).contains(&over), "prices are hardly more than what is sent: {over}");
}

#[test]
fn learning_changes_no_packet() {
    let sent = |coder, lessons: Option<Lessons>| {
        let config = ServerConfig { coder, ..ServerConfig::default() };
        let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
        let link = LinkConfig { delay: Duration::from_millis(40), loss: 0.05, ..LinkConfig::default() };
        pair.join(ClientConfig::default(), link, 1);
        pair.server.learn(lessons);
        let mut hand = Hand::new(6, 300);
        hand.fill(&mut pair.world, 80);
        let mut sent = Vec::new();
        for _ in 0..200 {
            hand.play(&mut pair.world, 8);
            pair.tick();
            sent.extend(pair.sent.iter().copied());
        }
        sent
    };
    for coder in [Coder::Plain, Coder::Arithmetic] {
        let taught = sent(coder, Some(Lessons::new(GameState::SCHEMA)));
        assert!(taught.len() > 150 && taught == sent(coder, None), "{coder:?}");
    }
}

#[test]
fn what_was_learned_of_a_world_makes_its_packets_smaller() {
    let played = |priors: Priors, lessons: Option<Lessons>| {
        let priors = Arc::new(priors);
        let config = ServerConfig {
            coder: Coder::Arithmetic,
            priors: Arc::clone(&priors),
            rate: None,
            ..ServerConfig::default()
        };
        let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
        pair.join(ClientConfig { priors, ..ClientConfig::default() }, LinkConfig::default(), 1);
        pair.server.learn(lessons);
        let mut hand = Hand::new(5, 300);
        hand.fill(&mut pair.world, 80);
        for _ in 0..200 {
            hand.play(&mut pair.world, 8);
            pair.tick();
        }
        pair.ticks_to_converge(20).expect("converges");
        let bytes = pair.server.stats(pair.clients[0].id.expect("taken")).expect("connected").bytes;
        (bytes, pair.server.learn(None))
    };
    let (untrained, lessons) = played(Priors::default(), Some(Lessons::new(GameState::SCHEMA)));
    let lessons = lessons.expect("some");
    let priors = Priors::default().with_decisions(GameState::SCHEMA, lessons.decisions());
    let read = Priors::read(&priors.write()).expect("what was written");
    assert_eq!(read, priors);
    let (trained, _) = played(read, None);
    assert!(trained * 100 < untrained * 97, "{trained} of {untrained}");
}
