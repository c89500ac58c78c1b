//! What it costs a client to join a large world, and the others.

use ecs_runtime::Tick;
use ecs_runtime::link::LinkConfig;
use ecs_runtime::protocol::{ClientConfig, ServerConfig};
use ecs_runtime::testing::Pair;
use serde::Serialize;

use crate::{Crowd, GameState};

/// What it came to.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Join {
    /// Seconds until the newcomer held all of it.
    pub seconds: f64,
    /// Payload to it until then.
    pub bytes: u64,
    /// Datagrams to it until then.
    pub packets: u64,
    /// The largest.
    pub max_packet_bytes: usize,
    /// Ticks until it held the entity that it owns.
    pub own_after_ticks: u64,
    /// How many ticks of those the other client held whole, in percent.
    pub other_complete_percent: f64,
    /// The same in the 600 ticks before anybody joined.
    pub other_complete_percent_before: f64,
}

/// A client joins a world of `entities`, of which so many percent change in a tick, under a cap in bytes per second and a
/// share of loss; another is there. `None` if it does not hold everything within ten minutes.
#[must_use]
pub fn join(entities: u32, percent: u64, rate: u32, loss: f64) -> Option<Join> {
    let config = ServerConfig { rate: Some(rate), ..ServerConfig::default() };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).ok()?;
    let mut crowd = Crowd::new(&mut pair.world, entities);
    let link = LinkConfig { delay: core::time::Duration::from_millis(30), loss, ..LinkConfig::default() };
    pair.join(ClientConfig::default(), link, 1);
    (0..60 * 600).find(|_| {
        pair.tick();
        pair.converged()
    })?;
    let complete = |pair: &mut Pair<GameState>, crowd: &mut Crowd, ticks: u64| {
        let before = pair.clients[0].client.complete_views();
        for _ in 0..ticks {
            crowd.step(&mut pair.world, percent);
            pair.tick();
        }
        (pair.clients[0].client.complete_views() - before) as f64 * 100.0 / ticks as f64
    };
    let other_complete_percent_before = complete(&mut pair, &mut crowd, 600);

    let newcomer = pair.join(ClientConfig::default(), link, 2);
    let own = *crowd.entities().last()?;
    let (start, before) = (pair.tick, pair.clients[0].client.complete_views());
    let mut own_after_ticks = None;
    loop {
        if let Some(id) = pair.clients[newcomer].id {
            pair.server.set_owner(own, Some(id));
        }
        crowd.step(&mut pair.world, percent);
        pair.tick();
        let ticks = pair.tick.0 - start.0;
        let client = &pair.clients[newcomer];
        if client.world.transforms.contains(own) {
            own_after_ticks.get_or_insert(ticks);
        }
        if client.client.complete_tick().is_some() {
            let stats = pair.server.stats(client.id?)?;
            return Some(Join {
                seconds: ticks as f64 / 60.0,
                bytes: stats.bytes,
                packets: stats.packets,
                max_packet_bytes: stats.max_packet_bytes,
                own_after_ticks: own_after_ticks?,
                other_complete_percent: (pair.clients[0].client.complete_views() - before) as f64 * 100.0
                    / ticks as f64,
                other_complete_percent_before,
            });
        }
        if ticks > 60 * 600 {
            return None;
        }
    }
}
