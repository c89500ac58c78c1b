//! naia: components of properties, of which those that changed are sent.
//!
//! Quantized by hand: naia sends integers in as many bits as their type says, so a transform takes 8 bytes and hit points
//! 10 bits. It is used without an engine, by way of its own loop, with a transport in memory ([`wire`]), a clock that
//! stands still within a tick, no cap that would ever hold a packet back, and without a buffer against jitter. The size of
//! its packets is its own, well below 1,200 bytes. Its acknowledgements travel in its packets, so a late ack is a late
//! packet.

mod wire;
mod world;

use core::time::Duration;

use naia_client::{Client, ClientConfig, JitterBufferType};
use naia_server::{ConnectEvent, RoomKey, Server, ServerConfig};
use naia_shared::{
    BandwidthConfig, ConnectionConfig, Instant, Property, Protocol, Replicate, TestClock, UnsignedInteger,
};

use super::workload::{Body, Peer};
use wire::Wire;
use world::World;

/// The milliseconds of a tick; naia's clock has no finer.
const TICK_MS: u64 = 16;

/// Where an entity is, and where it looks.
#[derive(Replicate)]
struct Transform {
    x: Property<u16>,
    y: Property<u16>,
    z: Property<u16>,
    yaw: Property<u16>,
}

/// Hit points, at most 1,000.
#[derive(Replicate)]
struct Health {
    hp: Property<UnsignedInteger<10>>,
}

/// A server and its clients.
pub(crate) struct Naia {
    wire: Wire,
    server: Server<u32>,
    room: RoomKey,
    world: World,
    entities: Vec<u32>,
    clients: Vec<(Client<u32>, World)>,
}

impl Naia {
    /// A server with these bodies, to which all clients have joined.
    ///
    /// # Panics
    /// When they do not join, or do not hold the bodies, within a minute of ticks.
    pub(crate) fn join(bodies: &[Body], ack_delay: usize, clients: usize) -> Self {
        TestClock::init(0);
        let wire = Wire::new(ack_delay);
        let connection = ConnectionConfig {
            bandwidth: BandwidthConfig { target_bytes_per_sec: u32::MAX },
            ..ConnectionConfig::default()
        };
        let config =
            ServerConfig { require_auth: false, connection: connection.clone(), ..ServerConfig::default() };
        let mut server = Server::new(config, protocol());
        server.listen(wire.server());
        let room = server.create_room().key();
        let mut world = World::default();
        let spawn = |body: &Body| {
            let [x, y, z, yaw] = body.quantized();
            let mut entity = server.spawn_entity(&mut world);
            entity.insert_component(Transform::new_complete(x, y, z, yaw));
            entity.insert_component(Health::new_complete(hp(body)));
            entity.enter_room(&room);
            entity.id()
        };
        let entities = bodies.iter().map(spawn).collect();
        let clients = (0..clients).map(|_| {
            let config = ClientConfig {
                connection: connection.clone(),
                jitter_buffer: JitterBufferType::Bypass,
                ..ClientConfig::default()
            };
            let mut client = Client::new(config, protocol());
            client.connect(wire.client());
            (client, World::default())
        });
        let clients = clients.collect();
        let mut naia = Self { wire, server, room, world, entities, clients };
        let joined = (0..60_000 / TICK_MS).any(|_| {
            naia.serve();
            naia.follow();
            naia.holds(bodies)
        });
        assert!(joined, "naia: a client has not joined");
        naia
    }
}

fn protocol() -> Protocol {
    let mut protocol = Protocol::builder();
    protocol
        .tick_interval(Duration::from_millis(TICK_MS))
        .add_component::<Transform>()
        .add_component::<Health>();
    protocol.build()
}

fn hp(body: &Body) -> UnsignedInteger<10> {
    UnsignedInteger::new(body.hp)
}

impl Peer for Naia {
    const QUANTIZES: bool = true;

    fn write(&mut self, changed: &[(usize, Body)]) {
        for (at, body) in changed {
            let entity = self.entities[*at];
            if let Some(transform) = self.world.get_mut::<Transform>(entity) {
                let Transform { x, y, z, yaw } = transform;
                for (property, value) in [x, y, z, yaw].into_iter().zip(body.quantized()) {
                    // To write a property is to send it.
                    if **property != value {
                        **property = value;
                    }
                }
            }
            if let Some(health) = self.world.get_mut::<Health>(entity)
                && *health.hp != hp(body)
            {
                *health.hp = hp(body);
            }
        }
    }

    fn serve(&mut self) {
        TestClock::advance(TICK_MS);
        self.wire.next_tick();
        let (now, server) = (Instant::now(), &mut self.server);
        server.receive_all_packets();
        server.process_all_packets(&mut self.world, &now);
        for user in server.take_world_events().read::<ConnectEvent>() {
            server.room_mut(&self.room).add_user(&user);
        }
        server.take_tick_events(&now);
        server.send_all_packets(&self.world);
    }

    fn follow(&mut self) -> usize {
        let now = Instant::now();
        for (client, world) in &mut self.clients {
            client.receive_all_packets();
            // Packets are read with the ticks, and applied after it.
            client.take_tick_events(&now);
            client.process_all_packets(&mut *world, &now);
            client.take_world_events();
            client.send_all_packets(&*world);
        }
        self.wire.take_bytes()
    }

    fn holds(&self, bodies: &[Body]) -> bool {
        // A client numbers entities by itself, so all of them are compared, in the order of their values.
        let mut wanted: Vec<_> = bodies.iter().map(|body| (body.quantized(), body.hp)).collect();
        wanted.sort_unstable();
        self.clients.iter().all(|(_, world)| {
            let held = world.entities().filter_map(|entity| {
                let (transform, health) = (world.get::<Transform>(entity)?, world.get::<Health>(entity)?);
                let Transform { x, y, z, yaw } = transform;
                Some(([**x, **y, **z, **yaw], health.hp.get() as u16))
            });
            let mut held: Vec<_> = held.collect();
            held.sort_unstable();
            held == wanted
        })
    }
}
