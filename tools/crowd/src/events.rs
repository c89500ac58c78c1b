//! What reliable events cost.

use ecs_runtime::Tick;
use ecs_runtime::event::{EventQueue, Recipient};
use ecs_runtime::link::LinkConfig;
use ecs_runtime::protocol::{ClientConfig, ServerConfig};
use ecs_runtime::testing::Pair;
use serde::Serialize;

use crate::{GameState, Whisper};

/// What it came to.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct EventCost {
    /// How many were sent.
    pub sent: u64,
    /// How many came, each once and in order.
    pub came: u64,
    /// How many came out of order or twice.
    pub wrong: u64,
    /// Payload of all packets, for each event that came.
    pub bytes_per_event: f64,
    /// Ticks that it took.
    pub ticks: u64,
    /// Packets presumed lost.
    pub lost: u64,
}

/// Sends so many reliable events over a link that loses a share of datagrams both ways; `None` if the settings are refused.
#[must_use]
pub fn events(count: u64, loss: f64) -> Option<EventCost> {
    let config =
        ServerConfig { rate: None, packets_per_tick: 1, event_queue: 1024, ..ServerConfig::default() };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).ok()?;
    let link = LinkConfig { delay: core::time::Duration::from_millis(20), loss, ..LinkConfig::default() };
    pair.join(ClientConfig::default(), link, 1);
    pair.ticks(30);
    let id = pair.clients[0].id?;
    let (mut queue, mut inbox) = (EventQueue::<GameState>::new(256), EventQueue::<GameState>::new(1024));
    let mut cost = EventCost { sent: count, ..EventCost::default() };
    let (mut sent, start) = (0, pair.tick);
    while cost.came < count && pair.tick.0 - start.0 < 60 * 60 * 24 {
        while sent < count && pair.server.waiting_events(id) + queue.len() < 512 && queue.len() < 256 {
            sent += 1;
            queue.put(Recipient::All, pair.tick, &Whisper { number: sent as u32 }).ok()?;
        }
        pair.server.deliver(&mut queue);
        pair.tick();
        pair.clients[0].client.receive_events(&mut inbox);
        while let Some(whisper) = inbox.take::<Whisper>() {
            cost.came += 1;
            cost.wrong += u64::from(u64::from(whisper.event.number) != cost.came);
        }
    }
    let stats = pair.server.stats(id)?;
    cost.bytes_per_event = stats.bytes as f64 / cost.came.max(1) as f64;
    (cost.ticks, cost.lost) = (pair.tick.0 - start.0, stats.lost);
    Some(cost)
}
