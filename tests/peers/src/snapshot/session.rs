//! The same world through the whole protocol: one server, one client, and everything that packets carry besides.

use core::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::protocol::{
    Answer, ClientConfig, ClientId, Hello, ServerConfig, SnapshotClient, SnapshotServer,
};
use serde::Serialize;

use super::ours::{Soldiers, Touch};
use super::world::{ENTITIES, Simulation, TICKS};
use crate::GameState;
use crate::allocations::allocations;
use crate::timing::Least;

/// How many ticks pass before any is counted: ten seconds of a match, and more than the history keeps. What grows with the
/// most that ever came together, such as the states that a client keeps of an entity, may still find a new peak.
const WARM_UP: u64 = 600;

/// What a warm tick costs, the whole protocol included.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct WarmTick {
    /// Capture, ack and packets, in nanoseconds per entity.
    pub(crate) server_ns: f64,
    /// Reading the packets, updating the world, and the ack, in nanoseconds per entity.
    pub(crate) client_ns: f64,
    /// Of all packets, with the protocol's headers and checksums.
    pub(crate) bytes_per_entity: f64,
    /// Packets of at most 1,200 bytes in a tick.
    pub(crate) packets: f64,
    /// Allocations of the server in all measured ticks together.
    pub(crate) server_allocations: u64,
    /// Allocations of the client in all measured ticks together.
    pub(crate) client_allocations: u64,
    /// How many ticks were measured.
    pub(crate) ticks: u64,
}

/// Plays and measures `passes` of [`TICKS`] ticks each.
///
/// # Panics
/// When the client does not hold the server's world after any tick.
pub(crate) fn warm_tick(passes: u32) -> WarmTick {
    let mut session = Session::new();
    for _ in 0..WARM_UP {
        session.tick();
    }
    session.totals = Totals::default();
    for _ in 0..passes.max(1) {
        for _ in 0..TICKS {
            session.tick();
        }
        session.totals.server.end_pass();
        session.totals.client.end_pass();
    }
    let totals = session.totals;
    let per_tick = |count: u64| count as f64 / totals.ticks as f64;
    WarmTick {
        server_ns: totals.server.ns_per(ENTITIES * TICKS),
        client_ns: totals.client.ns_per(ENTITIES * TICKS),
        bytes_per_entity: per_tick(totals.bytes) / ENTITIES as f64,
        packets: per_tick(totals.packets),
        server_allocations: totals.server_allocations,
        client_allocations: totals.client_allocations,
        ticks: totals.ticks,
    }
}

#[derive(Default)]
struct Totals {
    server: Least,
    client: Least,
    ticks: u64,
    bytes: u64,
    packets: u64,
    server_allocations: u64,
    client_allocations: u64,
}

/// Both sides, and what is under way between them.
struct Session {
    simulation: Simulation,
    soldiers: Soldiers,
    server: SnapshotServer,
    id: ClientId,
    client: SnapshotClient,
    world: GameState,
    /// Those of a tick; the memory is used again.
    datagrams: Vec<Vec<u8>>,
    ack: Vec<u8>,
    tick: u64,
    totals: Totals,
}

impl Session {
    fn new() -> Self {
        let simulation = Simulation::new();
        let config =
            ServerConfig { rate: None, packets_per_tick: 100, max_clients: 1, ..ServerConfig::default() };
        let mut server = SnapshotServer::new::<GameState>(config).expect("settings in range");
        let mut client = SnapshotClient::new::<GameState>(
            ClientConfig { report_changes: false, ..ClientConfig::default() },
            1,
        );
        let mut datagram = Vec::new();
        client.send(&mut datagram);
        let hello = Hello::read(&datagram).expect("no packet of a client").expect("a greeting");
        let (answer, id) = server.connect(hello, Duration::ZERO);
        datagram.clear();
        Answer::write(&answer, &mut datagram);
        client.receive(&datagram).expect("an honest answer");
        datagram.clear();
        client.send(&mut datagram);
        Self {
            soldiers: Soldiers::new(&simulation.units, Touch::Changed),
            simulation,
            server,
            id: id.expect("there is room"),
            client,
            world: GameState::default(),
            datagrams: Vec::new(),
            ack: datagram,
            tick: 0,
            totals: Totals::default(),
        }
    }

    /// One tick, nothing of which is lost.
    fn tick(&mut self) {
        self.tick += 1;
        self.simulation.step();
        self.soldiers.show(&self.simulation.units);
        let mut totals = core::mem::take(&mut self.totals);
        let (count, packets) = allocations(|| totals.server.time(|| self.serve()));
        totals.server_allocations += count;
        let (count, ()) = allocations(|| totals.client.time(|| self.follow(packets)));
        totals.client_allocations += count;
        totals.ticks += 1;
        totals.packets += packets as u64;
        totals.bytes += self.datagrams[..packets].iter().map(|datagram| datagram.len() as u64).sum::<u64>();
        self.totals = totals;
        assert_eq!(self.server.visible_hash(self.id), Some(self.client.hash()), "the client follows");
    }

    /// The server's part of a tick; gives the number of its packets.
    fn serve(&mut self) -> usize {
        let now = Duration::from_nanos(self.tick * 1_000_000_000 / 60);
        self.server.receive(self.id, now, &self.ack).expect("an honest ack");
        self.server.capture(&mut self.soldiers.world, Tick(self.tick));
        for packet in 0.. {
            if self.datagrams.len() == packet {
                self.datagrams.push(Vec::new());
            }
            let datagram = &mut self.datagrams[packet];
            datagram.clear();
            let sent = self.server.send(self.id, now, datagram).expect("connected");
            if sent.deferred == 0 {
                return packet + 1;
            }
        }
        0
    }

    /// The client's part of a tick.
    fn follow(&mut self, packets: usize) {
        for datagram in &self.datagrams[..packets] {
            self.client.receive(datagram).expect("an honest packet");
        }
        self.client.update(&mut self.world);
        self.ack.clear();
        self.client.send(&mut self.ack);
    }
}
