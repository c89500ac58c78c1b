//! A server and its clients in memory, on a virtual clock, over links as bad as you like: a test of a game's
//! networking in ten lines.

use core::time::Duration;

use crate::link::{Link, LinkConfig};
use crate::protocol::{
    Answer, ClientConfig, ClientId, Hello, PacketError, SentPacket, ServerConfig, ServerError,
    SnapshotClient, SnapshotServer,
};
use crate::world::GameWorld;
use crate::{Entity, Tick};

/// A server with its world, and clients that follow it.
#[derive(Debug)]
pub struct Pair<W> {
    /// The server.
    pub server: SnapshotServer,
    /// The server's world: change it between ticks.
    pub world: W,
    /// The clients, in the order in which they joined.
    pub clients: Vec<PairClient<W>>,
    /// The tick of the latest capture.
    pub tick: Tick,
    /// The virtual time.
    pub now: Duration,
    /// The time between two ticks: a sixtieth of a second at first.
    pub step: Duration,
    /// How urgent an entity is to every client: 1 for all at first.
    pub priority: fn(Entity) -> f32,
    /// What was sent in the latest tick: by client, in order.
    pub sent: Vec<SentPacket>,
    /// The largest packet that the server sent.
    pub max_packet_bytes: usize,
    datagram: Vec<u8>,
}

/// One client of a [`Pair`].
#[derive(Debug)]
pub struct PairClient<W> {
    /// The protocol's client.
    pub client: SnapshotClient,
    /// The client's world.
    pub world: W,
    /// Its handle on the server, once it was taken.
    pub id: Option<ClientId>,
    /// From the server to this client.
    pub down: Link,
    /// From this client to the server.
    pub up: Link,
    /// The errors of datagrams that this client refused.
    pub errors: Vec<PacketError>,
}

impl<W: GameWorld> Pair<W> {
    /// A server without clients; its first capture is of the tick after `tick`.
    pub fn new(config: ServerConfig, tick: Tick) -> Result<Self, ServerError> {
        Ok(Self {
            server: SnapshotServer::new::<W>(config)?,
            world: W::default(),
            clients: Vec::new(),
            tick,
            now: Duration::from_secs(1),
            step: Duration::from_nanos(1_000_000_000 / 60),
            priority: |_| 1.0,
            sent: Vec::new(),
            max_packet_bytes: 0,
            datagram: Vec::new(),
        })
    }

    /// Adds a client that connects over a link which is `config` in both directions; gives its place in `clients`.
    pub fn join(&mut self, config: ClientConfig, link: LinkConfig, seed: u64) -> usize {
        self.clients.push(PairClient {
            client: SnapshotClient::new::<W>(config, seed),
            world: W::default(),
            id: None,
            down: Link::new(link, seed.wrapping_mul(2)),
            up: Link::new(link, seed.wrapping_mul(2).wrapping_add(1)),
            errors: Vec::new(),
        });
        self.clients.len() - 1
    }

    /// One tick: what arrived at the server, a capture, packets to all, what arrived at the clients, and their acks.
    pub fn tick(&mut self) {
        self.now += self.step;
        self.tick = self.tick + 1;
        self.serve();
        self.server.capture(&mut self.world, self.tick);
        self.sent.clear();
        let Self { server, clients, priority, sent, max_packet_bytes, now, .. } = self;
        server.send_all(
            *now,
            |_, entity| priority(entity),
            |id, packet, datagram| {
                let Some(client) = clients.iter_mut().find(|client| client.id == Some(id)) else { return };
                *max_packet_bytes = datagram.len().max(*max_packet_bytes);
                sent.push(packet);
                client.down.send(*now, datagram);
            },
        );
        for client in &mut self.clients {
            client.follow(self.now, &mut self.datagram);
        }
    }

    /// `count` ticks in which the world stands still.
    pub fn ticks(&mut self, count: usize) {
        for _ in 0..count {
            self.tick();
        }
    }

    /// Whether every client holds all that it may see of the latest tick.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.clients.iter().all(|client| {
            let visible = client.id.and_then(|id| self.server.visible_hash(id));
            client.client.is_complete() && Some(client.client.hash()) == visible
        })
    }

    /// Ticks until [`Pair::converged`], at most `limit`; `None` if it takes longer.
    pub fn ticks_to_converge(&mut self, limit: usize) -> Option<usize> {
        (0..=limit).find(|&ticks| {
            if ticks > 0 {
                self.tick();
            }
            self.converged()
        })
    }

    /// Reads what has arrived at the server.
    fn serve(&mut self) {
        for client in &mut self.clients {
            loop {
                self.datagram.clear();
                if !client.up.receive(self.now, &mut self.datagram) {
                    break;
                }
                if Hello::is_hello(&self.datagram) {
                    let answer = match Hello::read(&self.datagram) {
                        Ok(Ok(hello)) => {
                            let (answer, id) = self.server.connect(hello, self.now);
                            client.id = id.or(client.id);
                            answer
                        }
                        Ok(Err(refused)) => refused,
                        Err(_) => continue,
                    };
                    self.datagram.clear();
                    Answer::write(&answer, &mut self.datagram);
                    client.down.send(self.now, &self.datagram);
                } else if let Some(id) = client.id {
                    // The server counts what it refuses.
                    let _ = self.server.receive(id, self.now, &self.datagram);
                }
            }
        }
    }
}

impl<W: GameWorld> PairClient<W> {
    fn follow(&mut self, now: Duration, datagram: &mut Vec<u8>) {
        loop {
            datagram.clear();
            if !self.down.receive(now, datagram) {
                break;
            }
            if let Err(error) = self.client.receive(datagram) {
                self.errors.push(error);
            }
        }
        self.client.update(&mut self.world);
        datagram.clear();
        self.client.send(datagram);
        if !datagram.is_empty() {
            self.up.send(now, datagram);
        }
    }
}
