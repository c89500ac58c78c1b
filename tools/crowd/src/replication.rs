//! What it costs to keep clients up to date with a thousand entities, without loss.

use core::time::Duration;
use std::collections::VecDeque;
use std::time::Instant;

use ecs_runtime::Tick;
use ecs_runtime::codec::Coder;
use ecs_runtime::protocol::{
    Answer, ClientConfig, ClientId, Hello, ServerConfig, SnapshotClient, SnapshotServer,
};
use serde::Serialize;

use crate::{Crowd, GameState, Stopwatch};

/// How many ticks pass before it is measured, and how many are.
const WARM_UP: u64 = 40;
const MEASURED: u64 = 300;

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// How many entities there are.
    pub entities: u32,
    /// The chance of each to change in a tick, in percent.
    pub percent: u64,
    /// The ack of tick `t` is used from the packets of tick `t + 1 + ack_delay` on.
    pub ack_delay: usize,
    /// How many clients there are.
    pub clients: usize,
    /// How many datagrams a client is sent in a tick at most.
    pub packets_per_tick: usize,
    /// How packets are coded.
    pub coder: Coder,
    /// On how many threads they are made.
    pub threads: usize,
}

/// What it came to, for one client.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Replication {
    /// Payload with the protocol's own headers, without those of UDP and IP.
    pub bytes_per_tick: f64,
    /// Datagrams.
    pub packets_per_tick: f64,
    /// States of entities.
    pub states_per_tick: f64,
    /// How many ticks pass between two states of an entity that the client hears of, in the mean.
    pub update_interval_ticks: f64,
    /// From quantizing to finished datagrams of all clients, the handling of their acks included, in microseconds of
    /// the thread's own time, or on several threads of the time that passes: the mean over the ticks.
    pub server_us_per_tick: f64,
    /// Whether every client ended with the server's state.
    pub converged: bool,
}

/// A client, and the acks that are under way.
struct Follower {
    id: ClientId,
    client: SnapshotClient,
    world: GameState,
    acks: VecDeque<Vec<u8>>,
    bytes: u64,
    packets: u64,
    states: u64,
}

/// Measures a workload; `None` if a server or a client cannot be set up, which a right build never shows.
#[must_use]
pub fn replication(workload: Workload) -> Option<Replication> {
    let config = ServerConfig {
        rate: None,
        packets_per_tick: workload.packets_per_tick,
        max_clients: workload.clients,
        coder: workload.coder,
        threads: workload.threads,
        ..ServerConfig::default()
    };
    let mut server = SnapshotServer::new::<GameState>(config).ok()?;
    let mut world = GameState::default();
    let mut crowd = Crowd::new(&mut world, workload.entities);
    let mut clients = (0..workload.clients as u64).map(|nonce| Follower::connect(&mut server, nonce));
    let mut clients = clients.by_ref().collect::<Option<Vec<_>>>()?;

    let (mut datagrams, mut work) = (Vec::new(), Duration::ZERO);
    for tick in 1..=WARM_UP + MEASURED {
        if tick == WARM_UP + 1 {
            clients.iter_mut().for_each(|client| (client.bytes, client.packets, client.states) = (0, 0, 0));
            work = Duration::ZERO;
        }
        crowd.step(&mut world, workload.percent);
        let now = Duration::from_nanos(tick * 1_000_000_000 / 60);
        let (start, passed) = (Stopwatch::start(), Instant::now());
        for follower in &mut clients {
            while follower.acks.len() > workload.ack_delay {
                let ack = follower.acks.pop_front()?;
                server.receive(follower.id, now, &ack).ok()?;
            }
        }
        server.capture(&mut world, Tick(tick));
        datagrams.clear();
        server.send_all(
            now,
            |_, _| 1.0,
            |id, sent, datagram| datagrams.push((id.number(), sent.entities, datagram.to_vec())),
        );
        work += if workload.threads > 1 { passed.elapsed() } else { start.elapsed() };
        for (number, states, datagram) in &datagrams {
            let follower = clients.get_mut(usize::from(*number))?;
            follower.bytes += datagram.len() as u64;
            follower.packets += 1;
            follower.states += *states as u64;
            follower.client.receive(datagram).ok()?;
        }
        clients.iter_mut().for_each(Follower::follow);
    }
    let first = clients.first()?;
    let per_tick = |count: u64| count as f64 / MEASURED as f64;
    let converged = clients.iter().all(|follower| {
        let whole = workload.packets_per_tick == 1 || follower.client.is_complete();
        whole
            && (workload.packets_per_tick == 1
                || server.visible_hash(follower.id) == Some(follower.client.hash()))
    });
    Some(Replication {
        bytes_per_tick: per_tick(first.bytes),
        packets_per_tick: per_tick(first.packets),
        states_per_tick: per_tick(first.states),
        update_interval_ticks: f64::from(workload.entities) / per_tick(first.states),
        server_us_per_tick: work.as_secs_f64() * 1e6 / MEASURED as f64,
        converged,
    })
}

impl Follower {
    fn connect(server: &mut SnapshotServer, nonce: u64) -> Option<Self> {
        let config = ClientConfig { report_changes: false, ..ClientConfig::default() };
        let mut client = SnapshotClient::new::<GameState>(config, nonce);
        let mut datagram = Vec::new();
        client.send(&mut datagram);
        let hello = Hello::read(&datagram).ok()?.ok()?;
        let (answer, id) = server.connect(hello, Duration::ZERO);
        datagram.clear();
        Answer::write(&answer, &mut datagram);
        client.receive(&datagram).ok()?;
        let world = GameState::default();
        Some(Self { id: id?, client, world, acks: VecDeque::new(), bytes: 0, packets: 0, states: 0 })
    }

    fn follow(&mut self) {
        self.client.update(&mut self.world);
        let mut ack = Vec::new();
        self.client.send(&mut ack);
        self.acks.push_back(ack);
    }
}
