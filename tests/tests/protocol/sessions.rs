//! How connections begin and end.

use std::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::link::LinkConfig;
use ecs_runtime::prelude::*;
use ecs_runtime::protocol::{
    Answer, ClientConfig, DisconnectReason, Hello, PacketError, Received, Refusal, ServerConfig, ServerError,
    SnapshotClient, SnapshotServer,
};
use ecs_runtime::snapshot::Snapshot;
use ecs_runtime::testing::Pair;

use crate::GameState;
use crate::world::{Hand, Steer};

#[test]
fn another_schema_is_refused_with_a_reason() {
    let mut server = SnapshotServer::new::<GameState>(ServerConfig::default()).expect("settings");
    let ours = Hello::new(GameState::SCHEMA, 4, 1);
    let hello = Hello { schema_hash: ours.schema_hash ^ 1, ..ours };
    let (answer, client) = server.connect(hello, Duration::ZERO);
    assert_eq!(client, None);
    let Answer::Refused { nonce: 4, refusal: refusal @ Refusal::Schema { server, .. }, .. } = answer else {
        panic!("refused: {answer:?}");
    };
    assert_eq!(server, GameState::SCHEMA.hash());

    let mut client = SnapshotClient::new::<GameState>(ClientConfig::default(), 4);
    let mut datagram = Vec::new();
    answer.write(&mut datagram);
    assert_eq!(client.receive(&datagram), Ok(Received::Refused(refusal)));
    assert_eq!(client.refusal(), Some(refusal));
    datagram.clear();
    client.send(&mut datagram);
    assert!(datagram.is_empty(), "a refused client is quiet");
}

#[test]
fn a_kicked_client_hears_why() {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), LinkConfig::default(), 1);
    pair.ticks(5);
    let reasons = [
        DisconnectReason::Kicked(Text::cut("you were away for too long")),
        DisconnectReason::Banned(Text::cut("äöü")),
        DisconnectReason::NarrowPath,
        DisconnectReason::Unknown,
    ];
    for (nonce, reason) in (10..).zip(reasons) {
        let (id, mut datagram) = (pair.clients[0].id.expect("taken"), Vec::new());
        pair.server.disconnect(id, &reason, &mut datagram);
        let client = &mut pair.clients[0].client;
        assert_eq!(client.receive(&datagram), Ok(Received::Goodbye(reason)));
        assert_eq!(client.disconnect_reason(), Some(reason));
        client.reconnect(nonce);
        pair.ticks(5);
        assert!(pair.converged() && pair.clients[0].client.disconnect_reason().is_none());
    }
    let words = DisconnectReason::Kicked(Text::cut("bad language")).to_string();
    assert_eq!(words, "kicked: bad language");
}

#[test]
fn a_full_server_says_so_and_the_same_attempt_is_answered_the_same() {
    let config = ServerConfig { max_clients: 1, ..ServerConfig::default() };
    let mut server = SnapshotServer::new::<GameState>(config).expect("settings");
    let hello = |nonce| Hello::new(GameState::SCHEMA, nonce, 1);
    let (first, client) = server.connect(hello(1), Duration::ZERO);
    assert_eq!(server.connect(hello(1), Duration::ZERO), (first, client));
    assert_eq!(
        server.connect(hello(2), Duration::ZERO).0,
        Answer::Refused { nonce: 2, refusal: Refusal::Full, difference: None }
    );
    let client = client.expect("taken");
    server.disconnect(client, &DisconnectReason::Left, &mut Vec::new());
    assert!(server.stats(client).is_none());
    let next = server.connect(hello(2), Duration::ZERO).1.expect("room again");
    assert_eq!(next.number(), client.number());
    assert_ne!(next, client);
}

#[test]
fn settings_out_of_range_are_typed_errors() {
    let server = |config| SnapshotServer::new::<GameState>(config).map(|_| ());
    assert_eq!(
        server(ServerConfig { budget: 511, ..ServerConfig::default() }),
        Err(ServerError::Budget(511))
    );
    assert_eq!(
        server(ServerConfig { max_clients: 0, ..ServerConfig::default() }),
        Err(ServerError::MaxClients(0))
    );
}

#[test]
fn a_client_that_comes_back_starts_from_nothing_and_leaves_nothing_behind() {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), LinkConfig::default(), 1);
    let mut hand = Hand::new(1, 100);
    hand.fill(&mut pair.world, 50);
    pair.ticks_to_converge(60).expect("converges");

    let id = pair.clients[0].id.take().expect("taken");
    pair.server.disconnect(id, &DisconnectReason::Left, &mut Vec::new());
    for entity in pair.world.entities().step_by(2).collect::<Vec<_>>() {
        pair.world.destroy_entity(entity).expect("alive");
    }
    pair.clients[0].client.reconnect(77);
    pair.ticks_to_converge(60).expect("converges");
    let ids: Vec<_> = pair.world.entities().collect();
    assert_eq!(pair.clients[0].world.entities().collect::<Vec<_>>(), ids);
}

#[test]
fn a_silent_client_times_out_and_others_do_not_notice() {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), LinkConfig::default(), 1);
    pair.join(ClientConfig::default(), LinkConfig::default(), 2);
    pair.ticks(5);
    pair.clients[0].up.set_config(LinkConfig { loss: 1.0, ..LinkConfig::default() });
    pair.ticks(599);
    assert_eq!(pair.server.timed_out(pair.now), None);
    pair.ticks(5);
    assert_eq!(pair.server.timed_out(pair.now), pair.clients[0].id);
    assert_eq!(pair.clients[1].client.complete_tick(), Some(pair.tick));
}

#[test]
fn packets_and_acks_of_an_earlier_session_are_refused() {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), LinkConfig::default(), 1);
    let mut hand = Hand::new(1, 100);
    hand.fill(&mut pair.world, 20);
    pair.ticks(30);
    let id = pair.clients[0].id.take().expect("taken");
    let (mut down, mut up) = (Vec::new(), Vec::new());
    hand.play(&mut pair.world, 10);
    pair.server.capture(&mut pair.world, pair.tick + 1);
    pair.tick = pair.tick + 1;
    pair.server.send(id, pair.now, &mut down).expect("connected");
    pair.clients[0].client.send(&mut up);

    pair.server.disconnect(id, &DisconnectReason::Left, &mut Vec::new());
    pair.clients[0].client.reconnect(5);
    pair.ticks(10);
    assert!(pair.converged());
    let client = &mut pair.clients[0].client;
    assert!(matches!(client.receive(&down), Err(PacketError::Session { .. })));
    let id = pair.clients[0].id.expect("taken again");
    assert!(matches!(pair.server.receive(id, pair.now, &up), Err(PacketError::Session { .. })));
    assert!(pair.converged());
}

#[test]
fn a_client_that_was_cut_off_for_any_time_comes_back_with_the_right_tick() {
    for gap in [300, 33_000, 65_600] {
        let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
        pair.join(ClientConfig::default(), LinkConfig::default(), 1);
        let mut hand = Hand::new(1, 20);
        hand.fill(&mut pair.world, 10);
        pair.ticks_to_converge(30).expect("converges");
        let dead = LinkConfig { loss: 1.0, ..LinkConfig::default() };
        let client = &mut pair.clients[0];
        client.up.set_config(dead);
        client.down.set_config(dead);
        pair.ticks(gap);
        hand.play(&mut pair.world, 10);
        let client = &mut pair.clients[0];
        client.up.set_config(LinkConfig::default());
        client.down.set_config(LinkConfig::default());
        pair.tick();
        pair.ticks_to_converge(10).unwrap_or_else(|| panic!("not after {gap} ticks"));
        assert_eq!(pair.clients[0].client.newest_tick(), Some(pair.tick), "after {gap} ticks");
        pair.clients[0].client.command::<GameState, _>(&Steer { number: 7, turn: 0 });
        pair.ticks(2);
        let id = pair.clients[0].id.expect("taken");
        let command = pair.server.next_command::<GameState, Steer>(id);
        assert_eq!(command.map(|steer| steer.number), Some(7), "after {gap} ticks");
    }
}

#[test]
fn one_direction_dead_for_any_time_heals_as_well() {
    for up_is_dead in [false, true] {
        for gap in [300, 33_000] {
            let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
            pair.join(ClientConfig::default(), LinkConfig::default(), 1);
            let mut hand = Hand::new(1, 20);
            hand.fill(&mut pair.world, 10);
            pair.ticks_to_converge(30).expect("converges");
            let set = |pair: &mut Pair<GameState>, link| {
                let client = &mut pair.clients[0];
                if up_is_dead { client.up.set_config(link) } else { client.down.set_config(link) }
            };
            set(&mut pair, LinkConfig { loss: 1.0, ..LinkConfig::default() });
            pair.ticks(gap);
            hand.play(&mut pair.world, 10);
            pair.ticks(5);
            if up_is_dead {
                let behind = pair.tick.0 - pair.clients[0].client.newest_tick().expect("heard").0;
                assert!(behind < 300, "what comes down is shown: {behind} ticks behind");
            }
            set(&mut pair, LinkConfig::default());
            pair.ticks_to_converge(300).unwrap_or_else(|| panic!("up {up_is_dead}, {gap} ticks"));
            // Near the end of what an ack can list, packets go slowly until one comes.
            pair.ticks(10);
            assert_eq!(pair.clients[0].client.newest_tick(), Some(pair.tick));
        }
    }
}

#[test]
fn two_servers_of_one_world_both_send_all_of_it() {
    let mut world = GameState::default();
    let mut hand = Hand::new(4, 60);
    hand.fill(&mut world, 40);
    let new = || SnapshotServer::new::<GameState>(ServerConfig::default()).expect("settings");
    let (mut one, mut other) = (new(), new());
    for tick in 1..40 {
        hand.play(&mut world, 8);
        one.capture(&mut world, Tick(tick));
        other.capture(&mut world, Tick(tick));
        let mut fresh = new();
        fresh.capture(&mut world.clone(), Tick(tick));
        let hash = |server: &SnapshotServer| server.history().latest().map(Snapshot::hash);
        assert_eq!((hash(&one), hash(&other)), (hash(&fresh), hash(&fresh)), "tick {tick}");
    }
}

#[test]
fn a_server_goes_on_with_another_world() {
    let mut server = SnapshotServer::new::<GameState>(ServerConfig::default()).expect("settings");
    for tick in 1..20 {
        let mut world = GameState::default();
        let mut hand = Hand::new(tick, 200);
        hand.fill(&mut world, 10 * (tick as usize % 7));
        server.capture(&mut world, Tick(tick));
        let mut fresh = SnapshotServer::new::<GameState>(ServerConfig::default()).expect("settings");
        fresh.capture(&mut world.clone(), Tick(tick));
        let hash = |server: &SnapshotServer| server.history().latest().map(Snapshot::hash);
        assert_eq!(hash(&server), hash(&fresh), "world {tick}");
    }
}

#[test]
fn the_first_packet_may_have_any_number() {
    for first_packet in [0, 1, 255, (1 << 62) - 1000] {
        let config = ServerConfig { first_packet, ..ServerConfig::default() };
        let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
        let link = LinkConfig { delay: Duration::from_millis(40), ..LinkConfig::default() };
        pair.join(ClientConfig::default(), link, 3);
        let mut hand = Hand::new(first_packet, 100);
        hand.fill(&mut pair.world, 40);
        for _ in 0..60 {
            hand.play(&mut pair.world, 3);
            pair.tick();
        }
        pair.ticks_to_converge(120).expect("nothing is lost");
        assert!(pair.clients[0].errors.is_empty(), "{first_packet}: {:?}", pair.clients[0].errors);
    }
}

/// Clients of either coder over a link, and a world that changes; `jump` is given the number of each step.
fn played(link: LinkConfig, steps: u64, mut jump: impl FnMut(u64) -> u64) -> Pair<GameState> {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(1_000_000)).expect("settings");
    pair.join(ClientConfig::default(), link, 3);
    let mut hand = Hand::new(17, 100);
    hand.fill(&mut pair.world, 40);
    for step in 0..steps {
        hand.play(&mut pair.world, 4);
        pair.tick = pair.tick + jump(step);
        pair.tick();
    }
    pair
}

/// A client of a pair holds what the server does, of a tick that is about the same, and no view of it was ever wrong.
fn assert_whole(mut pair: Pair<GameState>, what: &str) {
    let ticks = pair.ticks_to_converge(120);
    let complete = pair.clients[0].client.complete_tick().expect("it had a complete view");
    assert!(ticks.is_some() && complete + 40 > pair.tick, "{what} ticks: {complete:?} of {:?}", pair.tick);
    let id = pair.clients[0].id.expect("it joined");
    assert_eq!(pair.server.stats(id).expect("it is there").disagreed, 0, "{what} ticks");
}

#[test]
fn a_tick_may_jump_as_far_as_it_likes() {
    let link = LinkConfig { delay: Duration::from_millis(30), ..LinkConfig::default() };
    for far in [16_000, 30_000, 33_000, 36_000, 60_000, 65_535, 65_536, 70_000, 131_072, 1 << 31, 1 << 40] {
        let pair = played(link, 90, |step| if step == 60 { far } else { 0 });
        assert!(pair.clients[0].errors.is_empty(), "{far} ticks: {:?}", pair.clients[0].errors);
        assert_whole(pair, &far.to_string());
    }
}

#[test]
fn ticks_may_be_far_apart_while_packets_are_lost() {
    for apart in [100, 450, 900, 20_000] {
        let link = LinkConfig { delay: Duration::from_millis(30), loss: 0.3, ..LinkConfig::default() };
        assert_whole(played(link, 200, |step| if step > 60 { apart } else { 0 }), &apart.to_string());
    }
}
