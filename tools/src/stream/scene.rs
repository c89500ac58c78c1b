//! The cubes on both sides of the protocol, in memory: a server that is told each frame, and a client that follows.

use core::time::Duration;
use std::collections::VecDeque;
use std::sync::Arc;

use crowd::Stopwatch;
use cubes::{CUBES, Cube, GameState};
use ecs_runtime::Tick;
use ecs_runtime::codec::{Account, Coder, Lessons, Priors};
use ecs_runtime::protocol::{
    ClientConfig, ClientId, Hello, PacketError, SentPacket, ServerConfig, ServerError, SnapshotClient,
    SnapshotServer,
};
use ecs_runtime::world::{CreateError, NoSuchEntity};

/// How many frames late an ack comes where a recording is measured: packet `n` is made when that of packet `n - 6` is the
/// newest.
pub(crate) const ACK_DELAY: usize = 6;

/// How a scene is coded.
#[derive(Clone, Debug)]
pub(crate) struct Coding {
    /// How many frames late an ack comes.
    pub(crate) ack_delay: usize,
    /// Whether account is kept of the bits.
    pub(crate) account: bool,
    pub(crate) coder: Coder,
    pub(crate) priors: Arc<Priors>,
}

/// The time between two frames, on the virtual clock.
const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);

/// How many packets the first frame may take until all of it is confirmed.
const MAX_JOIN_PACKETS: usize = 1000;

/// Why a scene cannot be followed. None of these is the recording's fault.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SceneError {
    #[error("the server does not start")]
    Server(#[from] ServerError),
    #[error("the scene cannot be set up")]
    Create(#[from] CreateError),
    #[error("the scene cannot be set up")]
    Entity(#[from] NoSuchEntity),
    #[error("a packet was refused")]
    Packet(#[from] PacketError),
    #[error("the server took no client, or had nothing to send")]
    NoPacket,
    #[error("the first frame was not confirmed within {MAX_JOIN_PACKETS} packets")]
    Join,
}

/// A server, its one client, and the link between them.
pub(crate) struct Scene {
    server: SnapshotServer,
    client: SnapshotClient,
    id: ClientId,
    world: GameState,
    followed: GameState,
    tick: Tick,
    now: Duration,
    /// The client's packets that have not reached the server, oldest first.
    acks: VecDeque<Vec<u8>>,
    ack_delay: usize,
    datagram: Vec<u8>,
}

/// One frame's packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) sent: SentPacket,
    /// Quantizing the frame.
    pub(crate) capture: Duration,
    /// Making the packet, and keeping account of its bits if that is wanted.
    pub(crate) encode: Duration,
    /// Reading the packet.
    pub(crate) decode: Duration,
    /// Whether the client's world is the frame, every field of every cube.
    pub(crate) lossless: bool,
}

impl Scene {
    /// A scene at its first frame, which the client knows and has confirmed.
    pub(crate) fn join(first: &[Cube], coding: &Coding) -> Result<Self, SceneError> {
        // What differs from the confirmed frame is in every packet, whatever is in flight: the rule of the
        // measurement.
        let Coding { ack_delay, account, coder, ref priors } = *coding;
        let server = ServerConfig {
            repeat: true,
            account,
            coder,
            rate: None,
            priors: Arc::clone(priors),
            ..ServerConfig::default()
        };
        let client = ClientConfig { priors: Arc::clone(priors), ..ClientConfig::default() };
        let mut server = SnapshotServer::new::<GameState>(server)?;
        let mut client = SnapshotClient::new::<GameState>(client, 1);
        let id = connect(&mut server, &mut client)?;
        let mut world = GameState::default();
        for cube in first {
            let entity = world.create_entity()?;
            let Cube { place, orientation, interacting } = *cube;
            world.entity_mut(entity)?.add_cube(place, orientation, interacting);
        }
        let followed = GameState::default();
        let (tick, now, acks) = (Tick(0), Duration::ZERO, VecDeque::new());
        let datagram = Vec::new();
        let mut scene = Self { server, client, id, world, followed, tick, now, acks, ack_delay, datagram };
        for _ in 0..MAX_JOIN_PACKETS {
            // Without an entity in it, a packet says that everything was confirmed before.
            if scene.step(first)?.sent.entities == 0 && scene.shows(first) {
                return Ok(scene);
            }
        }
        Err(SceneError::Join)
    }

    /// The scene moves on to a frame: an ack arrives, a packet is made and read, and its ack sets out.
    pub(crate) fn step(&mut self, frame: &[Cube]) -> Result<Step, SceneError> {
        self.tick = self.tick + 1;
        self.now += FRAME;
        let ack = if self.acks.len() == self.ack_delay { self.acks.pop_front() } else { None };
        if let Some(ack) = &ack {
            self.server.receive(self.id, self.now, ack)?;
        }
        for ((_, cube), recorded) in self.world.cubes.iter_mut().zip(frame) {
            *cube = *recorded;
        }
        let (_, capture) = timed(|| self.server.capture(&mut self.world, self.tick));
        self.datagram.clear();
        let (sent, encode) = timed(|| self.server.send(self.id, self.now, &mut self.datagram));
        let sent = sent.ok_or(SceneError::NoPacket)?;
        let (received, decode) = timed(|| self.client.receive(&self.datagram));
        received?;
        self.client.update(&mut self.followed);
        let mut ack = ack.unwrap_or_default();
        ack.clear();
        self.client.send(&mut ack);
        self.acks.push_back(ack);
        Ok(Step { sent, capture, encode, decode, lossless: self.shows(frame) })
    }

    /// Learns from the packets from now on, or no more; gives what was learned.
    pub(crate) fn learn(&mut self, lessons: Option<Lessons>) -> Option<Lessons> {
        self.server.learn(lessons)
    }

    /// Where the bits of all packets went so far.
    pub(crate) fn account(&self) -> Account {
        self.server.stats(self.id).map(|stats| stats.account.clone()).unwrap_or_default()
    }

    /// Whether the client's world is exactly this frame.
    fn shows(&self, frame: &[Cube]) -> bool {
        self.followed.entity_count() == CUBES
            && self.followed.cubes.iter().eq(self.world.entities().zip(frame))
    }
}

fn connect(server: &mut SnapshotServer, client: &mut SnapshotClient) -> Result<ClientId, SceneError> {
    let mut datagram = Vec::new();
    client.send(&mut datagram);
    let hello = Hello::read(&datagram)?.map_err(|_| SceneError::NoPacket)?;
    let (answer, id) = server.connect(hello, Duration::ZERO);
    datagram.clear();
    answer.write(&mut datagram);
    client.receive(&datagram)?;
    id.ok_or(SceneError::NoPacket)
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Stopwatch::start();
    let done = work();
    (done, start.elapsed())
}
