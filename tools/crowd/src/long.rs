//! A match that does not end: every counter goes on, and nothing else changes.

use core::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::link::LinkConfig;
use ecs_runtime::protocol::{ClientConfig, PeerStats, ServerConfig};
use ecs_runtime::testing::Pair;
use serde::Serialize;

use crate::{Crowd, GameState};

/// What it came to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LongRun {
    /// Ticks that were run.
    pub ticks: u64,
    /// Complete views whose hash was the server's, and those whose was not.
    pub agreed: u64,
    /// See `agreed`.
    pub disagreed: u64,
    /// Whether the client held everything at the end.
    pub converged: bool,
    /// The bytes that the client took on the server after a minute, and at the end.
    pub memory: [usize; 2],
}

/// Runs so many ticks of 60 a second with ten entities, half of which change in each, over a link that loses a little. `progress` is
/// told of each million ticks. `None` if the settings are refused.
#[must_use]
pub fn long_run(ticks: u64, mut progress: impl FnMut(u64)) -> Option<LongRun> {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).ok()?;
    let mut crowd = Crowd::new(&mut pair.world, 10);
    let link = LinkConfig { delay: Duration::from_millis(20), loss: 0.01, ..LinkConfig::default() };
    pair.join(ClientConfig { report_changes: false, ..ClientConfig::default() }, link, 1);
    let mut run = LongRun { ticks, ..LongRun::default() };
    for tick in 0..ticks {
        crowd.step(&mut pair.world, 50);
        pair.tick();
        if tick == ticks.min(3600) - 1 {
            run.memory[0] = pair.server.memory(pair.clients[0].id?);
        }
        // They would pile up for days.
        pair.clients[0].errors.clear();
        if tick % 1_000_000 == 0 {
            progress(tick);
        }
        if let Some(id) = pair.clients[0].id {
            pair.server.verdicts(id).for_each(drop);
        }
    }
    let id = pair.clients[0].id?;
    run.converged = pair.ticks_to_converge(120).is_some();
    let PeerStats { agreed, disagreed, .. } = pair.server.stats(id)?;
    (run.agreed, run.disagreed) = (*agreed, *disagreed);
    run.memory[1] = pair.server.memory(id);
    Some(run)
}

/// Lets client and server sleep for a time in the middle of a match, both at once, and gives the ticks until the client
/// holds everything again; `None` if it does not within two seconds.
#[must_use]
pub fn suspend(asleep: Duration) -> Option<usize> {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).ok()?;
    let mut crowd = Crowd::new(&mut pair.world, 10);
    let link = LinkConfig { delay: Duration::from_millis(20), ..LinkConfig::default() };
    pair.join(ClientConfig::default(), link, 1);
    for _ in 0..600 {
        crowd.step(&mut pair.world, 50);
        pair.tick();
    }
    // The clock goes on, and so does the number of the tick.
    pair.now += asleep;
    pair.tick = pair.tick + (asleep.as_secs_f64() * 60.0) as u64;
    for _ in 0..10 {
        crowd.step(&mut pair.world, 50);
        pair.tick();
    }
    pair.ticks_to_converge(120)
}
