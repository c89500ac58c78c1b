//! One seed's scenario, from its first tick to the state in which all clients must be at the end.

use core::time::Duration;
use std::sync::Arc;

use ecs_runtime::Tick;
use ecs_runtime::codec::{Coder, Layout};
use ecs_runtime::event::{EventQueue, Recipient};
use ecs_runtime::link::LinkConfig;
use ecs_runtime::protocol::{ClientConfig, ClientId, ServerConfig, ServerError};
use ecs_runtime::snapshot::History;
use ecs_runtime::testing::Pair;
use ecs_runtime::world::GameWorld as _;
use ecs_runtime::{Text, snapshot};

use crate::hand::Chance;
use crate::priors;
use crate::{GameState, Message, Spark, Steer};

/// So many ticks after the network heals and the world stands still, every client holds all that it may see.
pub const HEALED_WITHIN: u64 = 180;

/// How long the network is bad, in ticks.
const BAD_TICKS: u64 = 420;

/// When nothing gets through in either direction for two seconds.
const BLACKOUT: u64 = 150;

/// When nothing gets through from the clients for two seconds.
const DEAD_UPSTREAM: u64 = 290;

/// What a seed stands for.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The seed.
    pub seed: u64,
    /// The server's settings.
    pub server: ServerConfig,
    /// The links of the clients, both directions.
    pub links: Vec<LinkConfig>,
    /// How many things happen in a tick.
    pub changes: u32,
    /// How many entities there are at first.
    pub entities: u32,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// How many ticks after the network healed all clients held everything.
    pub healed_after: u64,
    /// The largest packet, in bytes.
    pub max_packet_bytes: usize,
    /// States of entities that changed, for each tick, and that were sent.
    pub entities_per_tick: f64,
    /// States that waited, by packet.
    pub deferred: u64,
    /// Packets that the server took for lost.
    pub lost: u64,
    /// States that travelled in parts.
    pub staged: u64,
    /// Complete views whose hash was the server's.
    pub agreed: u64,
    /// Reliable events that arrived.
    pub reliable: u64,
    /// Events that arrive at most once and did.
    pub unreliable: u64,
    /// Commands that arrived.
    pub commands: u64,
}

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("seed {seed}, client {client}: {what}")]
pub struct Failure {
    /// The seed that shows it again.
    pub seed: u64,
    /// The client, in the order of the links.
    pub client: usize,
    /// Which promise, and how.
    pub what: String,
}

/// What the scenario keeps of one client.
#[derive(Debug, Default)]
struct Follower {
    events: Option<EventQueue<GameState>>,
    /// How many reliable events were sent to it.
    messages: u32,
    /// The number of the last that came.
    last_message: u32,
    /// The largest number of an unreliable event, and those that came.
    sparks: Vec<u32>,
    steered: u32,
    taken: u32,
    sees_all: bool,
}

impl Scenario {
    /// The scenario of a seed.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let mut chance = Chance::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let ms = |ms: u32| Duration::from_millis(u64::from(ms));
        let pick = |chance: &mut Chance, of: &[u32]| of[chance.below(of.len() as u32) as usize];
        let server = ServerConfig {
            budget: pick(&mut chance, &[512, 700, 1200]) as usize,
            history: pick(&mut chance, &[8, 32, 128]) as usize,
            rate: Some(pick(&mut chance, &[0, 16_384, 65_536])).filter(|rate| *rate > 0),
            packets_per_tick: pick(&mut chance, &[1, 2, 4]) as usize,
            ticks_per_snapshot: pick(&mut chance, &[1, 1, 3]),
            event_queue: 4096,
            // Of four seeds in a row, each has another way to code.
            coder: if seed.is_multiple_of(2) { Coder::Plain } else { Coder::Arithmetic },
            priors: if (seed / 2).is_multiple_of(2) {
                Arc::default()
            } else {
                priors::of_chance(&mut Chance::new(!seed))
            },
            ..ServerConfig::default()
        };
        let links = 0..1 + chance.below(3);
        let links = links.map(|_| LinkConfig {
            delay: ms(chance.below(120)),
            jitter: ms(chance.below(40)),
            loss: f64::from(chance.unit()) * 0.3,
            burst: if chance.one_in(3) { 0.01 } else { 0.0 },
            burst_length: ms(chance.below(300)),
            duplicate: f64::from(chance.unit()) * 0.1,
            reorder: f64::from(chance.unit()) * 0.1,
            corrupt: f64::from(chance.unit()) * 0.1,
            cap: None,
        });
        let links = links.collect();
        Self { seed, server, links, changes: 1 + chance.below(12), entities: 20 + chance.below(100) }
    }

    /// Plays it.
    ///
    /// # Errors
    /// The first promise that is broken.
    pub fn run(&self) -> Result<Outcome, Failure> {
        let fail = |client, what: String| Failure { seed: self.seed, client, what };
        let settings = |error: ServerError| fail(0, error.to_string());
        let mut pair =
            Pair::<GameState>::new(self.server.clone(), Tick(self.seed << 12)).map_err(settings)?;
        let mut chance = Chance::new(self.seed);
        (0..self.entities).for_each(|_| chance.create(&mut pair.world));
        let mut followers = Vec::new();
        for (client, link) in self.links.iter().enumerate() {
            let config = ClientConfig { priors: Arc::clone(&self.server.priors), ..ClientConfig::default() };
            pair.join(config, *link, self.seed.wrapping_mul(64).wrapping_add(client as u64));
            let events = Some(EventQueue::new(4096));
            followers.push(Follower { events, sees_all: chance.one_in(2), ..Follower::default() });
        }
        let mut events = EventQueue::<GameState>::new(256);
        let mut spark = 0;
        for tick in 0..BAD_TICKS {
            self.happen(&mut pair, &mut chance, &mut followers, &mut events, &mut spark);
            for client in &mut pair.clients {
                let (now, two_seconds) = (pair.now, pair.step * 120);
                if tick == BLACKOUT {
                    client.down.black_out(now + two_seconds);
                }
                if tick == BLACKOUT || tick == DEAD_UPSTREAM {
                    client.up.black_out(now + two_seconds);
                }
            }
            pair.tick();
            pair.server.deliver(&mut events);
            self.follow(&mut pair, &mut followers)?;
        }
        for client in &mut pair.clients {
            let healed = LinkConfig { delay: Duration::from_millis(30), ..LinkConfig::default() };
            client.down.set_config(healed);
            client.up.set_config(healed);
        }
        let healed_after = (1..=HEALED_WITHIN).find(|_| {
            pair.tick();
            let told = pair
                .clients
                .iter()
                .all(|client| client.id.is_some_and(|id| pair.server.waiting_events(id) == 0));
            pair.converged() && told
        });
        // The server hears that they do.
        pair.ticks(30);
        self.follow(&mut pair, &mut followers)?;
        let Some(healed_after) = healed_after else {
            let late = pair.clients.iter().position(|client| !client.client.is_complete()).unwrap_or(0);
            return Err(fail(late, format!("not whole {HEALED_WITHIN} ticks after the network healed")));
        };
        self.judge(&mut pair, &followers, healed_after)
    }

    /// One tick's worth of what happens.
    fn happen(
        &self,
        pair: &mut Pair<GameState>,
        chance: &mut Chance,
        followers: &mut [Follower],
        events: &mut EventQueue<GameState>,
        spark: &mut u32,
    ) {
        for _ in 0..self.changes {
            let entity = chance.any(&pair.world);
            match chance.below(40) {
                0 => {
                    let _ = pair.world.destroy_entity(entity);
                }
                1 => chance.create(&mut pair.world),
                // Destroyed and created in one tick: the same index, another entity.
                2 => {
                    let _ = pair.world.destroy_entity(entity);
                    chance.create(&mut pair.world);
                }
                _ => chance.change(&mut pair.world, entity),
            }
        }
        let ids: Vec<Option<ClientId>> = pair.clients.iter().map(|client| client.id).collect();
        for (client, follower) in followers.iter_mut().enumerate() {
            let Some(id) = ids[client] else { continue };
            if !follower.sees_all
                && let Some(view) = pair.server.view_mut(id)
            {
                if view.is_empty() {
                    view.extend(0..256);
                }
                let index = chance.below(256);
                if !view.remove(index) {
                    view.insert(index);
                }
            }
            if chance.one_in(6) {
                let owner = Some(id).filter(|_| !chance.one_in(3));
                pair.server.set_owner(chance.any(&pair.world), owner);
            }
            if chance.one_in(8) {
                follower.messages += 1;
                let message = Message { number: follower.messages, text: Text::cut("hello there") };
                // There is room: they are delivered in each tick.
                let _ = events.put(Recipient::Client(id), pair.tick, &message);
            }
            follower.steered += 1;
            pair.clients[client].client.command::<GameState, _>(&Steer { number: follower.steered });
        }
        let by = chance.any(&pair.world);
        if chance.one_in(2) {
            *spark += 1;
            let to = if chance.one_in(2) { Recipient::All } else { Recipient::SeersOf(by) };
            let _ = events.put(to, pair.tick, &Spark { number: *spark, by });
        }
    }

    /// What the clients got, and the server of theirs.
    fn follow(&self, pair: &mut Pair<GameState>, followers: &mut [Follower]) -> Result<(), Failure> {
        for (at, (client, follower)) in pair.clients.iter_mut().zip(followers).enumerate() {
            let fail = |what: String| Failure { seed: self.seed, client: at, what };
            let Some(events) = &mut follower.events else { continue };
            client.client.receive_events(events);
            while let Some(message) = events.take::<Message>() {
                let (expected, came) = (follower.last_message + 1, message.event.number);
                if came != expected {
                    return Err(fail(format!("message {came} came where {expected} was due")));
                }
                follower.last_message = came;
            }
            while let Some(spark) = events.take::<Spark>() {
                if follower.sparks.contains(&spark.event.number) {
                    return Err(fail(format!("spark {} came twice", spark.event.number)));
                }
                follower.sparks.push(spark.event.number);
            }
            let Some(id) = client.id else { continue };
            while let Some(Steer { number }) = pair.server.next_command::<GameState, _>(id) {
                if number <= follower.taken {
                    return Err(fail(format!("command {number} came after {}", follower.taken)));
                }
                follower.taken = number;
            }
            let disagreed = pair.server.stats(id).map_or(0, |stats| stats.disagreed);
            if disagreed > 0 {
                return Err(fail("a complete view was not the server's state".into()));
            }
        }
        Ok(())
    }

    /// Whether everything is as it was promised.
    fn judge(
        &self,
        pair: &mut Pair<GameState>,
        followers: &[Follower],
        healed_after: u64,
    ) -> Result<Outcome, Failure> {
        let mut outcome =
            Outcome { healed_after, max_packet_bytes: pair.max_packet_bytes, ..Outcome::default() };
        let ticks = (BAD_TICKS + healed_after) as f64;
        for (at, (client, follower)) in pair.clients.iter_mut().zip(followers).enumerate() {
            let fail = |what: String| Err(Failure { seed: self.seed, client: at, what });
            if pair.max_packet_bytes > self.server.budget {
                return fail(format!("a packet of {} bytes", pair.max_packet_bytes));
            }
            if follower.last_message != follower.messages {
                return fail(format!("{} of {} messages came", follower.last_message, follower.messages));
            }
            if world_hash(&mut client.world) != Some(client.client.hash()) {
                return fail("its world is not what it was told".into());
            }
            let Some(stats) = client.id.and_then(|id| pair.server.stats(id)) else {
                return fail("not taken".into());
            };
            if stats.agreed == 0 || stats.lost == 0 || stats.entities == 0 {
                return fail(format!("the network was too good, or nothing happened: {stats:?}"));
            }
            outcome.entities_per_tick += stats.entities as f64 / ticks;
            outcome.deferred += stats.deferred;
            outcome.lost += stats.lost;
            outcome.staged += stats.staged;
            outcome.agreed += stats.agreed;
            outcome.reliable += u64::from(follower.last_message);
            outcome.unreliable += follower.sparks.len() as u64;
            outcome.commands += u64::from(follower.taken);
        }
        Ok(outcome)
    }
}

/// The hash of a world, computed from nothing.
fn world_hash(world: &mut GameState) -> Option<snapshot::StateHash> {
    let mut history = History::new(Layout::new(GameState::SCHEMA), 2);
    history.capture(world, Tick(1));
    history.latest().map(snapshot::Snapshot::hash)
}
