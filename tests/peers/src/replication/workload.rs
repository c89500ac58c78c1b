//! The workload, and how a peer plays it: the entities of the crate `crowd`, which change at random.

use std::time::{Duration, Instant};

use crowd::{Crowd, GameState};
use serde::Serialize;

/// How many entities there are.
pub(crate) const ENTITIES: u32 = 1000;

/// How many ticks pass before it is measured, and how many are: as in `crowd`.
const WARM_UP: u64 = 40;
const MEASURED: u64 = 300;

/// Ticks without a change, after which all clients hold what the server does.
const QUIET: usize = 60;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Workload {
    /// The chance of each entity to change in a tick, in percent.
    pub(crate) percent: u64,
    /// The ack of tick `t` is used from the packets of tick `t + 1 + ack_delay` on.
    pub(crate) ack_delay: usize,
    pub(crate) clients: usize,
}

/// What it came to.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Measured {
    /// Payload for one client.
    pub(crate) bytes_per_tick: f64,
    /// The server's work for all clients.
    pub(crate) server_us_per_tick: f64,
}

/// An entity as the server's game has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Body {
    /// In metres.
    pub(crate) position: [f32; 3],
    /// In radians.
    pub(crate) yaw: f32,
    pub(crate) hp: u16,
}

impl Body {
    /// The transform in 8 bytes: positions in 32nds of a metre from -1,024 on, and one of 2^16 directions.
    pub(crate) fn quantized(&self) -> [u16; 4] {
        // `as` saturates at both ends.
        let [x, y, z] = self.position.map(|at| ((at + 1024.0) * 32.0 + 0.5) as u16);
        let turns = f64::from(self.yaw) * (65_536.0 / core::f64::consts::TAU);
        [x, y, z, (turns + 0.5).floor() as i64 as u16]
    }
}

/// A server and its clients, joined and without loss, of a library that replicates.
pub(crate) trait Peer {
    /// Whether what [`Peer::write`] does counts as the server's work, because it quantizes by hand what a game keeps as
    /// floats; otherwise it is the game's own writing.
    const QUANTIZES: bool;

    /// Puts new values into the library's world.
    fn write(&mut self, changed: &[(usize, Body)]);

    /// The server's work of a tick: acks that are due, then packets for all clients.
    fn serve(&mut self);

    /// The clients' work of the same tick; gives the payload bytes for the first of them.
    fn follow(&mut self) -> usize;

    /// Whether every client holds these values.
    fn holds(&self, bodies: &[Body]) -> bool;
}

/// Plays a workload.
///
/// # Panics
/// When a client does not hold the server's values in the end: who does not do the same is not compared.
pub(crate) fn measure<P: Peer>(name: &str, percent: u64, join: impl FnOnce(&[Body]) -> P) -> Measured {
    let mut source = Source::new();
    let mut peer = join(&source.bodies);
    let (mut work, mut bytes) = (Duration::ZERO, 0);
    for tick in 1..=WARM_UP + MEASURED {
        if tick == WARM_UP + 1 {
            (work, bytes) = (Duration::ZERO, 0);
        }
        source.step(percent);
        if !P::QUANTIZES {
            peer.write(&source.changed);
        }
        let start = Instant::now();
        if P::QUANTIZES {
            peer.write(&source.changed);
        }
        peer.serve();
        work += start.elapsed();
        bytes += peer.follow();
    }
    for _ in 0..QUIET {
        peer.serve();
        peer.follow();
    }
    assert!(peer.holds(&source.bodies), "{name}: a client does not hold what the server does");
    Measured {
        bytes_per_tick: bytes as f64 / MEASURED as f64,
        server_us_per_tick: work.as_secs_f64() * 1e6 / MEASURED as f64,
    }
}

/// The entities, and those that changed in the tick at hand.
struct Source {
    world: GameState,
    crowd: Crowd,
    bodies: Vec<Body>,
    changed: Vec<(usize, Body)>,
}

impl Source {
    fn new() -> Self {
        let mut world = GameState::default();
        let crowd = Crowd::new(&mut world, ENTITIES);
        let bodies = vec![Body::default(); crowd.entities().len()];
        let mut source = Self { world, crowd, bodies, changed: Vec::new() };
        source.look();
        source
    }

    fn step(&mut self, percent: u64) {
        self.crowd.step(&mut self.world, percent);
        self.look();
    }

    fn look(&mut self) {
        self.changed.clear();
        for (at, (&entity, before)) in self.crowd.entities().iter().zip(&mut self.bodies).enumerate() {
            let transform = self.world.transforms.get(entity).expect("nothing is destroyed");
            let health = self.world.healths.get(entity).expect("nothing is destroyed");
            let body = Body { position: transform.position, yaw: transform.yaw, hp: health.hp };
            if body != *before {
                self.changed.push((at, body));
                *before = body;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantized_values_are_the_nearest() {
        let body = |x, yaw| Body { position: [x, -1024.0, 2000.0], yaw, hp: 1 }.quantized();
        assert_eq!(body(1.02, 0.0), [32_801, 0, 65_535, 0]);
        assert_eq!(body(0.0, core::f32::consts::PI)[3], 1 << 15);
        assert_eq!(body(0.0, -0.0001)[3], u16::MAX);
    }

    #[test]
    fn about_a_tenth_changes() {
        let mut source = Source::new();
        assert_eq!(source.changed.len(), 1000);
        source.step(10);
        assert!((60..140).contains(&source.changed.len()));
        source.step(0);
        assert!(source.changed.is_empty());
    }
}
