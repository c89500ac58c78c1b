//! What a packet may ask of its reader, beside its length: kept by the writer, enforced by the reader.
#![allow(missing_docs)]

use ecs_runtime::Tick;
use ecs_runtime::codec::{BitWriter, DecodeError, MAX_ENTITIES};
use ecs_runtime::link::LinkConfig;
use ecs_runtime::prelude::*;
use ecs_runtime::protocol::{ClientConfig, MAX_BUDGET, PacketError, ServerConfig};
use ecs_runtime::testing::Pair;

#[component]
pub struct Tag;

ecs_runtime::game_state! {
    max_entities = 10_000;
    Tag
}

/// A server with the largest budget and 10,000 small entities, and a client that is about to hear of them.
fn crowded() -> Pair<GameState> {
    let config = ServerConfig { budget: MAX_BUDGET, rate: None, ..ServerConfig::default() };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), LinkConfig::default(), 1);
    for _ in 0..GameState::MAX_ENTITIES {
        let entity = pair.world.create_entity().expect("room");
        pair.world.entity_mut(entity).expect("alive").add_tag();
    }
    pair
}

#[test]
fn small_entities_fill_a_packet_up_to_the_limit_and_all_arrive() {
    let mut pair = crowded();
    let mut most = 0;
    for _ in 0..40 {
        pair.tick();
        most = pair.sent.iter().map(|sent| sent.entities).max().unwrap_or(0).max(most);
    }
    assert_eq!(most, MAX_ENTITIES);
    assert!(pair.converged() && pair.clients[0].errors.is_empty());
    assert_eq!(pair.clients[0].world.tags.len(), 10_000);
}

#[test]
fn a_packet_of_more_entities_than_the_limit_is_refused() {
    let mut pair = crowded();
    pair.ticks_to_converge(60).expect("converges");
    let mut packet = Vec::new();
    pair.server.send(pair.clients[0].id.expect("taken"), pair.now, &mut packet).expect("connected");
    let header = &packet[..8];
    let client = &mut pair.clients[0].client;
    let hash = client.hash();
    let forged = |count: usize| {
        let mut bits = BitWriter::default();
        // What the packet before it told of is usual, and does not differ.
        bits.write(0, 1);
        // Gaps of order 0, no entity of which only values differ, but others.
        bits.write(0, 3);
        bits.write(0, 1);
        bits.write(1, 1);
        for _ in 0..count {
            // The next entity: a gap of one. It is as it was: four ones.
            bits.write(0b001, 3);
            bits.write(0b1111, 4);
        }
        bits.write(0, 1);
        let mut forged = header.to_vec();
        forged.extend_from_slice(bits.finish());
        let mut crc = crc32fast::Hasher::new_with_initial(0x6563_7301);
        crc.update(&forged);
        forged.extend_from_slice(&crc.finalize().to_le_bytes());
        forged
    };
    let error = client.receive(&forged(MAX_ENTITIES + 1)).expect_err("too much");
    assert!(matches!(error, PacketError::Decode(DecodeError::TooMuch(_))), "{error}");
    assert_eq!(client.hash(), hash);
    client.receive(&forged(MAX_ENTITIES)).expect("just enough");
}
