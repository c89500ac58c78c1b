//! Whatever comes from the network: a typed error, counted, and nothing changed.

use std::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::codec::Coder;
use ecs_runtime::event::{EventQueue, Recipient};
use ecs_runtime::link::LinkConfig;
use ecs_runtime::protocol::{ClientConfig, Hello, Received, ServerConfig, SnapshotClient, SnapshotServer};
use ecs_runtime::testing::Pair;
use rand_core::Rng as _;

use crate::GameState;
use crate::world::{Bang, Hand, Say, Steer};

/// What a forger does who knows the protocol: any content, with a checksum that fits.
fn seal(content: &mut Vec<u8>) {
    let mut crc = crc32fast::Hasher::new_with_initial(0x6563_7301);
    crc.update(content);
    content.extend_from_slice(&crc.finalize().to_le_bytes());
}

/// A server and a client in the middle of a session, and the latest packets of both.
fn session(coder: Coder) -> (Pair<GameState>, Vec<u8>, Vec<u8>) {
    let config = ServerConfig { budget: 512, coder, ..ServerConfig::default() };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), LinkConfig::default(), 3);
    let mut hand = Hand::new(3, 100);
    hand.fill(&mut pair.world, 40);
    for _ in 0..50 {
        hand.play(&mut pair.world, 5);
        pair.clients[0].client.command::<GameState, _>(&Steer { number: 1, turn: 1 });
        pair.tick();
    }
    let id = pair.clients[0].id.expect("taken");
    // One packet is lost, with the first parts of a state that is larger than one.
    let entity = pair.world.create_entity().expect("room");
    let mut pages = || std::array::from_fn(|_| hand.random.next_u32());
    let (archive, annex) = (pages(), pages());
    let mut entity = pair.world.entity_mut(entity).expect("alive");
    entity.add_archive(archive);
    entity.add_annex(annex);
    pair.server.capture(&mut pair.world, pair.tick + 1);
    pair.server.send(id, pair.now, &mut Vec::new()).expect("connected");
    // The next has everything that a packet can have.
    let mut events = EventQueue::<GameState>::new(6);
    for number in 0..3 {
        events.put(Recipient::All, pair.tick, &Say { number }).expect("room");
        events.put(Recipient::All, pair.tick, &Bang { number }).expect("room");
    }
    pair.server.deliver(&mut events);
    hand.play(&mut pair.world, 20);
    let tick = pair.tick + 2;
    pair.server.capture(&mut pair.world, tick);
    let (mut down, mut up) = (Vec::new(), Vec::new());
    let sent = pair.server.send(id, pair.now, &mut down).expect("connected");
    let staged = pair.server.stats(id).expect("connected").staged;
    assert!(sent.events == 6 && sent.entities > 3 && sent.deferred == 1 && staged == 1, "{sent:?}");
    pair.clients[0].client.send(&mut up);
    (pair, down, up)
}

#[test]
fn damaged_packets_are_refused_and_change_nothing() {
    damaged_packets(Coder::Plain);
    damaged_packets(Coder::Arithmetic);
}

fn damaged_packets(coder: Coder) {
    let (mut pair, down, up) = session(coder);
    let id = pair.clients[0].id.expect("taken");
    let client = &mut pair.clients[0].client;
    let (hash, tick, refused) = (client.hash(), client.newest_tick(), client.refused());
    let mut tries = 0;
    for bit in 0..down.len() * 8 {
        let mut damaged = down.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        client.receive(&damaged).expect_err("a flipped bit");
        tries += 1;
    }
    for len in 0..down.len() {
        client.receive(&down[..len]).expect_err("cut");
        tries += 1;
    }
    assert_eq!((client.hash(), client.newest_tick(), client.refused()), (hash, tick, refused + tries));
    let before = pair.server.stats(id).expect("connected").refused;
    for len in 0..up.len() {
        pair.server.receive(id, pair.now, &up[..len]).expect_err("cut");
    }
    assert_eq!(pair.server.stats(id).expect("connected").refused, before + up.len() as u64);
    assert_eq!(pair.clients[0].client.receive(&down), Ok(Received::Snapshot(pair.tick + 2)));
}

/// Sometimes noise behind an honest first byte, mostly an honest packet with a few bytes changed or cut.
fn forge(hand: &mut Hand, honest: &[u8]) -> Vec<u8> {
    let mut forged = honest[..honest.len() - 4].to_vec();
    if hand.below(4) == 0 {
        forged.resize(1 + hand.below(300) as usize, 0);
        for byte in &mut forged[1..] {
            *byte = hand.below(256) as u8;
        }
    } else {
        for _ in 0..=hand.below(3) {
            let at = hand.below(forged.len() as u32) as usize;
            forged[at] = hand.below(256) as u8;
        }
        forged.truncate(forged.len() - hand.below(3) as usize);
    }
    forged
}

#[test]
fn forged_packets_are_refused_or_taken_whole() {
    assert!(forged_packets(Coder::Plain, 5_000) > 2_000);
}

#[test]
fn forged_packets_of_an_arithmetic_coder_are_refused_or_taken_whole() {
    assert!(forged_packets(Coder::Arithmetic, 2_000) > 500);
}

/// How many of so many are refused.
fn forged_packets(coder: Coder, rounds: u32) -> u32 {
    let (mut pair, down, up) = session(coder);
    let mut hand = Hand::new(99, 0);
    let mut refused = 0;
    let (mut shown, mut events) = (GameState::default(), EventQueue::<GameState>::new(600));
    for round in 0..rounds {
        let for_client = round % 5 != 0;
        let mut forged = forge(&mut hand, if for_client { &down } else { &up });
        seal(&mut forged);
        let id = pair.clients[0].id.expect("taken");
        let client = &mut pair.clients[0].client;
        let taken = if for_client {
            let before = (client.hash(), client.newest_tick(), client.complete_tick(), client.entity_count());
            let taken = client.receive(&forged).is_ok();
            let after = (client.hash(), client.newest_tick(), client.complete_tick(), client.entity_count());
            assert!(taken || before == after, "round {round}");
            client.receive_events(&mut events);
            assert!(taken || events.is_empty(), "round {round}");
            events.clear();
            client.update(&mut shown);
            taken
        } else {
            let taken = pair.server.receive(id, pair.now, &forged).is_ok();
            let mut out = Vec::new();
            pair.server.send(id, pair.now, &mut out).expect("connected");
            assert!(out.len() <= 512);
            taken
        };
        refused += u32::from(!taken);
        if taken {
            // This session is another one now.
            pair = session(coder).0;
        }
    }
    refused
}

#[test]
fn greetings_and_answers_that_are_noise_are_refused() {
    let mut hand = Hand::new(5, 0);
    let mut client = SnapshotClient::new::<GameState>(ClientConfig::default(), 1);
    let mut server = SnapshotServer::new::<GameState>(ServerConfig::default()).expect("settings");
    for _ in 0..5_000 {
        let mut noise: Vec<u8> = (0..hand.below(80)).map(|_| 0).collect();
        for byte in &mut noise {
            *byte = hand.below(256) as u8;
        }
        if let Some(first) = noise.first_mut() {
            *first = (*first & !7) | (1 + hand.below(6) as u8);
        }
        seal(&mut noise);
        if let Ok(Ok(hello)) = Hello::read(&noise) {
            assert_eq!(server.connect(hello, Duration::ZERO).1, None);
        }
        client.receive(&noise).expect_err("noise");
    }
    assert_eq!(client.welcome(), None);
}

#[test]
fn an_ack_of_packets_that_were_never_sent_is_refused() {
    let (mut pair, _, up) = session(Coder::Plain);
    let id = pair.clients[0].id.expect("taken");
    let mut forged = up[..up.len() - 4].to_vec();
    // The newest packet, 16 bits from byte 5 on.
    forged[5..7].copy_from_slice(&u16::to_le_bytes(9_999));
    seal(&mut forged);
    assert!(pair.server.receive(id, pair.now, &forged).is_err());
    pair.ticks_to_converge(30).expect("the session goes on");
}

#[test]
fn a_server_with_counters_beyond_all_reason_is_refused() {
    for counter in [u64::MAX, u64::MAX - 300, 1 << 62, (1 << 62) - 1] {
        let mut client = SnapshotClient::new::<GameState>(ClientConfig::default(), 1);
        // A welcome: nonce, client, session, first packet, tick, age of baselines, coder.
        let mut welcome = vec![2];
        welcome.extend_from_slice(&1u64.to_le_bytes());
        welcome.extend_from_slice(&[0; 6]);
        welcome.extend_from_slice(&counter.to_le_bytes());
        welcome.extend_from_slice(&counter.to_le_bytes());
        welcome.extend_from_slice(&[64, 0]);
        seal(&mut welcome);
        let taken = client.receive(&welcome);
        assert_eq!(taken.is_ok(), counter < 1 << 62, "{taken:?}");
        for ack in [0u16, 1] {
            for high in [0u8, 0x3f, 0xff] {
                let mut snapshot = vec![4, 0xff, 0xff, 0xff, 0xff];
                snapshot.extend_from_slice(&ack.to_le_bytes());
                snapshot.push(0);
                if ack == 0 {
                    snapshot.extend_from_slice(&[high; 16]);
                }
                // No entities: an order, and the ends of both lists.
                snapshot.push(0);
                seal(&mut snapshot);
                let _ = client.receive(&snapshot);
                client.send(&mut Vec::new());
                client.update(&mut GameState::default());
            }
        }
    }
}
