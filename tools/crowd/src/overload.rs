//! More than fits: how long entities wait, and what memory it takes.

use ecs_runtime::Tick;
use ecs_runtime::link::LinkConfig;
use ecs_runtime::protocol::{ClientConfig, ServerConfig};
use ecs_runtime::testing::Pair;
use serde::Serialize;

use crate::{Crowd, GameState};

/// What it came to.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Overload {
    /// States of entities sent in a tick, in the mean.
    pub states_per_tick: f64,
    /// The ticks that an entity would wait if all went round in turn.
    pub fair_ticks: f64,
    /// The longest that one waited.
    pub longest_ticks: u64,
    /// The largest packet, in bytes.
    pub max_packet_bytes: usize,
}

/// `entities` that all move in each tick, and one packet of `budget` bytes a tick; `None` if the settings are refused.
#[must_use]
pub fn overload(entities: u32, budget: usize) -> Option<Overload> {
    let config = ServerConfig { budget, rate: None, packets_per_tick: 1, ..ServerConfig::default() };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).ok()?;
    let mut crowd = Crowd::new(&mut pair.world, entities);
    pair.join(ClientConfig::default(), LinkConfig::default(), 1);
    let mut step = |pair: &mut Pair<GameState>| {
        crowd.step(&mut pair.world, 100);
        pair.tick();
    };
    (0..600).for_each(|_| step(&mut pair));
    let id = pair.clients[0].id?;
    let before = pair.server.stats(id)?.entities;
    let mut longest_ticks = 0;
    for _ in 0..600 {
        step(&mut pair);
        let client = &pair.clients[0];
        let waits = client.world.entities().filter_map(|entity| client.client.entity_tick(entity.index()));
        let oldest = waits.min()?;
        longest_ticks = longest_ticks.max(pair.tick.0 - oldest.0);
    }
    let states_per_tick = (pair.server.stats(id)?.entities - before) as f64 / 600.0;
    Some(Overload {
        states_per_tick,
        fair_ticks: f64::from(entities) / states_per_tick,
        longest_ticks,
        max_packet_bytes: pair.max_packet_bytes,
    })
}

/// The bytes that a client takes on a server, of a world of `entities` of which a tenth moves, after a while with a bad
/// link; `None` if the settings are refused.
#[must_use]
pub fn memory(entities: u32) -> Option<usize> {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).ok()?;
    let mut crowd = Crowd::new(&mut pair.world, entities);
    let link =
        LinkConfig { delay: core::time::Duration::from_millis(80), loss: 0.1, ..LinkConfig::default() };
    pair.join(ClientConfig::default(), link, 1);
    for _ in 0..1200 {
        crowd.step(&mut pair.world, 10);
        pair.tick();
    }
    Some(pair.server.memory(pair.clients[0].id?))
}
