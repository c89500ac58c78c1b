//! What a packet costs: to be filled when not everything fits, and to be read at its worst.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ecs_runtime::Tick;
use ecs_runtime::codec::{BASELINES, BitWriter, Coder, MAX_ENTITIES};
use ecs_runtime::link::LinkConfig;
use ecs_runtime::protocol::{ClientConfig, MAX_BUDGET, SentPacket, ServerConfig};
use ecs_runtime::testing::Pair;
use ecs_runtime::world::GameWorld;
use serde::Serialize;

use crate::GameState;
use crate::moving::moving;

/// One line of the table.
#[derive(Clone, Debug, Serialize)]
pub struct PacketRow {
    /// What was done.
    pub operation: &'static str,
    /// How many entities are in the packet.
    pub entities: usize,
    /// How long the packet is.
    pub bytes: usize,
    /// Microseconds, the quickest of all runs.
    pub us: f64,
    /// The most that it may take; 0 where nothing is promised.
    pub limit_us: f64,
}

/// The most that any datagram may cost its reader, in microseconds: a promise of the protocol.
const WORST_US: f64 = 1000.0;

/// Measures, each `runs` times.
#[must_use]
pub fn packets(runs: usize) -> Vec<PacketRow> {
    let mut rows = vec![
        fill("fill a packet, 200 changed, all fit", 200, 1, runs),
        fill("fill a packet, 2,000 changed, indices dense", 2000, 1, runs),
        fill("fill a packet, 2,000 changed, every 8th index", 2000, 8, runs),
        read("read the largest packet", Coder::Plain, runs),
        read("the same by the arithmetic coder", Coder::Arithmetic, runs),
        refuse("read the largest packet that says nothing", runs),
    ];
    rows.extend(moving(runs));
    rows.push(noise("refuse noise for the arithmetic coder", runs));
    rows
}

/// A server and a client that know of `count` entities, at every `stride`th index.
fn joined(budget: usize, coder: Coder, count: usize, stride: usize) -> Pair<GameState> {
    let config = ServerConfig { budget, coder, rate: None, packets_per_tick: 1, ..ServerConfig::default() };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings in range");
    pair.join(ClientConfig::default(), LinkConfig::default(), 1);
    for at in 0..count * stride {
        let entity = pair.world.create_entity().expect("room");
        let mut entity = pair.world.entity_mut(entity).expect("just created");
        entity.add_position([at as f32 * 0.01, 0.0, 1.0]);
        entity.add_velocity([1.0, 0.0, -1.0]);
        entity.add_health(100);
    }
    for entity in pair.world.entities().skip(1).collect::<Vec<_>>() {
        if !(entity.index() as usize).is_multiple_of(stride) {
            pair.world.destroy_entity(entity).expect("alive");
        }
    }
    pair.ticks_to_converge(1000).expect("nothing is lost");
    pair
}

/// Changes every entity, so that each has something to be sent.
fn change(world: &mut GameState) {
    for (_, position) in &mut world.positions {
        position.at[0] = (position.at[0] + 0.3) % 500.0;
    }
    for (_, health) in &mut world.healths {
        health.hp = (health.hp + 1) % 1000;
    }
}

/// Captures the world, and makes the client's packet; only that is timed.
fn send<W: GameWorld>(pair: &mut Pair<W>, packet: &mut Vec<u8>) -> (SentPacket, Duration) {
    pair.now += pair.step;
    pair.tick = pair.tick + 1;
    pair.server.capture(&mut pair.world, pair.tick);
    let id = pair.clients[0].id.expect("joined");
    let start = Instant::now();
    let sent = pair.server.send(id, pair.now, packet).expect("joined");
    (sent, start.elapsed())
}

fn fill(operation: &'static str, count: usize, stride: usize, runs: usize) -> PacketRow {
    let mut pair = joined(1200, Coder::Plain, count, stride);
    let mut packet = Vec::new();
    let mut best: Option<(Duration, SentPacket)> = None;
    for run in 0..runs.max(1) + 2 * BASELINES {
        change(&mut pair.world);
        packet.clear();
        let (sent, took) = send(&mut pair, &mut packet);
        if run >= 2 * BASELINES && best.is_none_or(|(least, _)| took < least) {
            best = Some((took, sent));
        }
        // The client takes it and acks, as in a match.
        let client = &mut pair.clients[0].client;
        client.receive(&packet).expect("an honest packet");
        ack(&mut pair, &mut packet);
    }
    let (took, sent) = best.expect("at least one run");
    PacketRow { operation, entities: sent.entities, bytes: sent.bytes, us: us(took), limit_us: 0.0 }
}

fn read(operation: &'static str, coder: Coder, runs: usize) -> PacketRow {
    let mut pair = joined(MAX_BUDGET, coder, 2 * MAX_ENTITIES, 1);
    read_worst(operation, &mut pair, runs, |world, _| change(world))
}

/// Has the client read a packet of the world after each `step`, which is given its number. Each is acked, so that the
/// last are told as differences to as many states as count.
pub(crate) fn read_worst<W: GameWorld>(
    operation: &'static str,
    pair: &mut Pair<W>,
    runs: usize,
    step: impl Fn(&mut W, usize),
) -> PacketRow {
    let mut best: Option<(Duration, SentPacket)> = None;
    let mut packet = Vec::new();
    for run in 0..runs.max(1) + 2 * BASELINES {
        step(&mut pair.world, run);
        packet.clear();
        let (sent, _) = send(pair, &mut packet);
        let took = received(pair, &packet);
        if run >= 2 * BASELINES && best.is_none_or(|(least, _)| took < least) {
            best = Some((took, sent));
        }
        ack(pair, &mut packet);
    }
    let (took, sent) = best.expect("at least one run");
    PacketRow { operation, entities: sent.entities, bytes: sent.bytes, us: us(took), limit_us: WORST_US }
}

/// Has the client ack what it has received.
fn ack<W: GameWorld>(pair: &mut Pair<W>, packet: &mut Vec<u8>) {
    packet.clear();
    pair.clients[0].client.send(packet);
    let id = pair.clients[0].id.expect("joined");
    pair.server.receive(id, pair.now, packet).expect("an honest ack");
}

/// As many entities as a packet may have, each as it was: what a forger who knows the protocol would send.
fn refuse(operation: &'static str, runs: usize) -> PacketRow {
    let mut pair = joined(MAX_BUDGET, Coder::Plain, 2 * MAX_ENTITIES, 1);
    let (mut packet, mut forged) = (Vec::new(), Vec::new());
    let (mut best, mut entities) = (Duration::MAX, 0);
    for _ in 0..runs.max(1) {
        change(&mut pair.world);
        packet.clear();
        entities = send(&mut pair, &mut packet).0.entities;
        let mut bits = BitWriter::default();
        // What the packet before it told of is usual, and does not differ.
        bits.write(0, 1);
        // Gaps of order 0, no entity of which only values differ, but others.
        bits.write(0b1_0000, 5);
        for _ in 0..entities {
            // A gap of one, and the last of the codes for what happened: nothing.
            bits.write(0b111_1001, 7);
        }
        bits.write(0, 1);
        forged.clear();
        forged.extend_from_slice(&packet[..8]);
        forged.extend_from_slice(bits.finish());
        let mut crc = crc32fast::Hasher::new_with_initial(0x6563_7301);
        crc.update(&forged);
        forged.extend_from_slice(&crc.finalize().to_le_bytes());
        best = best.min(received(&mut pair, &forged));
        ack(&mut pair, &mut packet);
    }
    PacketRow { operation, entities, bytes: forged.len(), us: us(best), limit_us: WORST_US }
}

/// Honest headers before noise that a coder of decisions takes for states as long as it may: the longest of many.
fn noise(operation: &'static str, runs: usize) -> PacketRow {
    let mut pair = joined(MAX_BUDGET, Coder::Arithmetic, 2 * MAX_ENTITIES, 1);
    let mut worst = PacketRow { operation, entities: 0, bytes: 0, us: 0.0, limit_us: WORST_US };
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..runs.max(1) {
        change(&mut pair.world);
        let mut packet = Vec::new();
        send(&mut pair, &mut packet);
        let mut forged = packet[..8].to_vec();
        while forged.len() < MAX_BUDGET - 4 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            forged.push(random as u8);
        }
        let mut crc = crc32fast::Hasher::new_with_initial(0x6563_7301);
        crc.update(&forged);
        forged.extend_from_slice(&crc.finalize().to_le_bytes());
        // The same again, as a fluke of the machine is not the packet's.
        let times = [(); 5].map(|()| {
            let start = Instant::now();
            black_box(pair.clients[0].client.receive(&forged)).expect_err("noise");
            start.elapsed()
        });
        let took = us(times.into_iter().min().unwrap_or_default());
        if took > worst.us {
            worst = PacketRow { bytes: forged.len(), us: took, ..worst };
        }
        pair.clients[0].client.receive(&packet).expect("an honest packet");
        ack(&mut pair, &mut packet);
    }
    worst
}

fn received<W: GameWorld>(pair: &mut Pair<W>, packet: &[u8]) -> Duration {
    let start = Instant::now();
    black_box(pair.clients[0].client.receive(packet)).expect("a packet that decodes");
    start.elapsed()
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_what_it_says() {
        let rows = packets(2);
        assert_eq!((rows[0].entities, rows[3].bytes > 500), (200, true));
        assert!(rows[1..3].iter().all(|row| row.entities > 300 && (1150..=1200).contains(&row.bytes)));
        assert!(rows[3..6].iter().all(|row| row.entities > 600 && row.us > 0.0), "{rows:?}");
        assert!(rows[6..12].iter().all(|row| row.entities > 150 && row.us > 0.0), "{rows:?}");
        assert!(rows.len() == 13 && rows[12].us > 0.0, "{rows:?}");
    }
}
