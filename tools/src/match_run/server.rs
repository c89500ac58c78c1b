//! The server of a match, and what it measures about itself.

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use ecs_runtime::Tick;
use ecs_runtime::codec::Priors;
use ecs_runtime::protocol::{ClientId, ServerConfig};
use ecs_runtime::transport::{ClientEvent, UdpServer};
use ecs_runtime::world::GameWorld;
use game_state::{GameState, Match, PlayerInput};

use super::convergence::Convergence;
use super::{MatchError, TICK, UDP_IP_BYTES};
use crate::cli::MatchArgs;
use crate::report::BitRows;

/// The most inputs of a client that are taken in one tick: a second one works off what piled up while packets were
/// late.
const INPUTS_PER_TICK: usize = 2;

/// Runs a match and sends it to its clients.
pub(crate) struct MatchServer {
    pub(crate) udp: UdpServer,
    pub(crate) game: Match,
    pub(crate) tick: Tick,
    /// The same, for the bots' thread to compare with.
    pub(crate) now: Arc<AtomicU64>,
    /// In the order in which they joined.
    pub(crate) clients: Vec<Client>,
    pub(crate) max_packet_bytes: usize,
    pub(crate) entities_max: usize,
    /// By tick: how long the server worked.
    pub(crate) work: Vec<Duration>,
    /// Whether ticks have to be over in time, so that clients are sent fewer snapshots when they are not.
    pub(crate) in_real_time: bool,
    /// What the protocol counted until the last tick.
    pub(crate) totals: Totals,
}

/// Sums over all clients.
#[derive(Default)]
pub(crate) struct Totals {
    /// Where the bits went.
    pub(crate) bits: BitRows,
    /// Payloads, without the headers of UDP and IP.
    pub(crate) bytes_sent: u64,
    /// Packets presumed lost.
    pub(crate) lost: u64,
    /// Datagrams of clients that were refused.
    pub(crate) refused: u64,
}

/// What is known of one client.
pub(crate) struct Client {
    pub(crate) id: ClientId,
    /// The first tick that it could be sent.
    pub(crate) joined: Tick,
    pub(crate) convergence: Convergence,
    /// Everything sent to it, with the headers of UDP and IP.
    pub(crate) bytes_down: u64,
}

impl MatchServer {
    /// A server on a port of this machine alone; port 0 is any that is free.
    pub(crate) fn bind(args: &MatchArgs, priors: &Arc<Priors>) -> Result<Self, MatchError> {
        let max_clients = usize::from(args.players);
        let (coder, priors) = (args.coder.into(), Arc::clone(priors));
        let config = ServerConfig { max_clients, account: true, coder, priors, ..ServerConfig::default() };
        Ok(Self {
            udp: UdpServer::bind::<GameState>(&format!("127.0.0.1:{}", args.port), config)?,
            game: Match::new(args.seed),
            tick: Tick(0),
            now: Arc::new(AtomicU64::new(0)),
            clients: Vec::new(),
            max_packet_bytes: 0,
            entities_max: 0,
            work: Vec::new(),
            in_real_time: false,
            totals: Totals::default(),
        })
    }

    /// One tick of the match.
    pub(crate) fn step(&mut self, now: Duration) -> io::Result<()> {
        let start = Instant::now();
        self.tick = self.tick + 1;
        self.now.store(self.tick.0, Ordering::Relaxed);
        self.receive(now)?;
        self.take_inputs();
        self.game.step();
        self.assign_owners();
        self.udp.server_mut().capture(&mut self.game.world, self.tick);
        self.send(now);
        let work = start.elapsed();
        if self.in_real_time {
            self.udp.server_mut().report_load(work, TICK);
        }
        self.work.push(work);
        self.entities_max = self.entities_max.max(self.game.world.entity_count());
        Ok(())
    }

    /// Adds up what the protocol counted: what follows is not part of the match.
    pub(crate) fn finish(&mut self) {
        let server = self.udp.server();
        self.totals = Totals::default();
        for stats in self.clients.iter().filter_map(|client| server.stats(client.id)) {
            self.totals.bits.add(&BitRows::new(GameState::SCHEMA, &stats.account));
            self.totals.bytes_sent += stats.bytes;
            self.totals.lost += stats.lost;
            self.totals.refused += stats.refused;
        }
    }

    /// Sends the last tick again, and hears what the clients have to say about it.
    pub(crate) fn linger(&mut self, now: Duration) -> io::Result<()> {
        self.receive(now)?;
        self.udp.send(now, |_, _| {});
        Ok(())
    }

    /// Whether every client has told the hash of the last tick.
    pub(crate) fn is_settled(&self) -> bool {
        self.clients.iter().all(|client| client.convergence.newest() >= Some(self.tick))
    }

    /// How often a value was out of its range, and sent saturated.
    pub(crate) fn saturated(&self) -> u64 {
        self.udp.server().history().saturated().map(|field| field.count).sum()
    }

    fn receive(&mut self, now: Duration) -> io::Result<()> {
        let Self { udp, game, clients, tick, .. } = self;
        udp.receive(now, |event| match event {
            ClientEvent::Joined(id) => {
                game.join(id.number());
                clients.push(Client {
                    id,
                    joined: *tick,
                    convergence: Convergence::default(),
                    bytes_down: 0,
                });
            }
            ClientEvent::Left(id) => game.leave(id.number()),
        })?;
        for client in clients {
            let verdicts = udp.server_mut().verdicts(client.id);
            verdicts.for_each(|verdict| client.convergence.take(verdict));
        }
        Ok(())
    }

    fn take_inputs(&mut self) {
        for client in &self.clients {
            for _ in 0..INPUTS_PER_TICK {
                let Some(input) = self.udp.server_mut().next_command::<GameState, PlayerInput>(client.id)
                else {
                    break;
                };
                self.game.input(client.id.number(), input);
            }
        }
    }

    /// Each client owns its player and its body.
    fn assign_owners(&mut self) {
        let Self { udp, game, clients, .. } = self;
        for (number, entity) in game.owners() {
            let owner = clients.iter().rev().find(|client| client.id.number() == number);
            udp.server_mut().set_owner(entity, owner.map(|client| client.id));
        }
    }

    fn send(&mut self, now: Duration) {
        let Self { udp, clients, max_packet_bytes, .. } = self;
        udp.send(now, |id, sent| {
            *max_packet_bytes = sent.bytes.max(*max_packet_bytes);
            if let Some(client) = clients.iter_mut().find(|client| client.id == id) {
                client.bytes_down += (sent.bytes + UDP_IP_BYTES) as u64;
            }
        });
    }
}
