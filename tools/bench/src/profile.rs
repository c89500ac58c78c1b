//! What a crate with many component types measures of itself: creation, destruction, iteration and memory.
//!
//! There are as many families of entities as systems. An entity has the first one, two or three of the components of its
//! family, and its system visits those of the family that have as many as the query. So all systems have work, and how
//! many entities they visit in all depends neither on the number of component types nor on that of systems. Where a
//! system has more than three component types to itself, the others are there and empty.

use std::hint::black_box;
use std::io::{self, Write as _};
use std::time::Instant;

use ecs_runtime::Schedule;
use ecs_runtime::prelude::*;
use ecs_runtime::world::destroy;
use serde::{Deserialize, Serialize};

/// How many components an entity, or a query, has at most.
pub const PARTS: usize = 3;

/// A state with many component types.
pub trait Profile: GameWorld {
    /// How many families of entities there are, one for each system.
    const FAMILIES: usize;

    /// Creates an entity with the first `parts` components of a family.
    ///
    /// # Errors
    /// When the state is full.
    fn spawn(&mut self, family: usize, parts: usize, value: i32) -> Result<Entity, CreateError>;

    /// The systems whose queries have `parts` components. They count what they visit.
    fn schedule(parts: usize) -> Schedule<Self, u64>;
}

/// In what order the entities are created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spread {
    /// Those of a family one after the other, as if each had a kind.
    Sorted,
    /// Neighbours have nothing in common: the worst for tables by stable slot.
    Mixed,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// To measure everything.
    Measure,
    /// To iterate so often over what matches so many components, and no more, for who counts instructions.
    Iterate {
        /// The components of the queries.
        parts: usize,
        /// How often all systems run.
        passes: u32,
    },
    /// To create entities with so many components and to destroy them, again and again.
    Create {
        /// The components of each.
        parts: usize,
        /// How often.
        passes: u32,
    },
}

/// What the program is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// How many there are.
    pub entities: u32,
    /// Their order.
    pub spread: Spread,
    /// What is done with them.
    pub task: Task,
}

/// What was measured, in nanoseconds per entity, by the number of components: the quickest of several runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Into a state that held as many.
    pub create_ns: [f64; PARTS],
    /// The same, and their destruction one by one.
    pub create_destroy_ns: [f64; PARTS],
    /// All systems one after the other; per entity that was visited.
    pub iterate_ns: [f64; PARTS],
    /// How many were visited.
    pub visited: [u64; PARTS],
    /// By `GameState::memory()`, of a state with entities of one to three components.
    pub bytes_per_entity: f64,
    /// Of the slots that have memory, the share in use.
    pub slots_used: f64,
}

/// What a task that is not measured here came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// How many entities one pass visits.
    pub visited: u64,
}

/// Does what the first argument of this process, a [`Request`] in JSON, asks for, and prints what came of it in JSON.
///
/// # Errors
/// When the argument is no request, or nobody reads what is printed.
pub fn profile<W: Profile>() -> io::Result<()> {
    let argument = std::env::args().nth(1).unwrap_or_default();
    let request: Request = serde_json::from_str(&argument)?;
    let mut out = io::stdout().lock();
    match request.task {
        Task::Measure => serde_json::to_writer(&mut out, &measure::<W>(request.entities, request.spread))?,
        task => serde_json::to_writer(&mut out, &repeat::<W>(request, task))?,
    }
    out.flush()
}

fn measure<W: Profile>(entities: u32, spread: Spread) -> Figures {
    let archetypes = archetypes::<W>(entities, spread);
    let mut figures = iterate::<W>(&archetypes);
    for parts in 1..=PARTS {
        // With as many components each, or the number would have a say in who is next to whom.
        let archetypes: Vec<_> =
            archetypes.iter().map(|one| Archetype { parts: parts as u8, ..*one }).collect();
        let [create, both] = create::<W>(&archetypes);
        (figures.create_ns[parts - 1], figures.create_destroy_ns[parts - 1]) = (create, both);
    }
    figures
}

/// The components of one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Archetype {
    family: u16,
    parts: u8,
}

/// Those of all entities, in the order of creation; the same each time.
fn archetypes<W: Profile>(entities: u32, spread: Spread) -> Vec<Archetype> {
    let families = W::FAMILIES.max(1) as u64;
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = |below: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 16) % below
    };
    let mut all: Vec<_> = (0..entities)
        .map(|_| Archetype { family: draw(families) as u16, parts: 1 + draw(PARTS as u64) as u8 })
        .collect();
    if spread == Spread::Sorted {
        // Stable, so that the numbers of components stay mixed.
        all.sort_by_key(|archetype| archetype.family);
    }
    all
}

/// How often something is done to so many entities for the quickest time to be found: more than once even where that
/// takes long, and where it does not, no more often than it takes.
fn runs(entities: usize) -> usize {
    (1_000_000 / entities.max(1)).clamp(3, 100)
}

/// The fields that iteration tells.
fn iterate<W: Profile>(archetypes: &[Archetype]) -> Figures {
    let entities = archetypes.len();
    let mut world = W::default();
    fill(&mut world, archetypes, &mut Vec::with_capacity(entities));
    let mut figures = Figures {
        create_ns: [0.0; PARTS],
        create_destroy_ns: [0.0; PARTS],
        iterate_ns: [f64::INFINITY; PARTS],
        visited: [0; PARTS],
        bytes_per_entity: 0.0,
        slots_used: 0.0,
    };
    let schedules: [_; PARTS] = core::array::from_fn(|at| W::schedule(at + 1));
    // So that one run of few entities is long enough for the clock.
    let passes = (20_000 / entities.max(1)).max(1);
    for _ in 0..runs(entities) {
        for (at, schedule) in schedules.iter().enumerate() {
            let mut visited = 0;
            let start = Instant::now();
            for _ in 0..passes {
                schedule.run(black_box(&mut world), &mut visited);
            }
            let ns = start.elapsed().as_secs_f64() * 1e9 / visited.max(1) as f64;
            figures.iterate_ns[at] = figures.iterate_ns[at].min(ns);
            figures.visited[at] = visited / passes as u64;
        }
    }
    let memory = ecs_runtime::world::memory(&world);
    let (used, blocks) =
        memory.tables.iter().fold((0, 0), |(used, blocks), table| (used + table.used, blocks + table.blocks));
    figures.bytes_per_entity = memory.bytes() as f64 / entities.max(1) as f64;
    figures.slots_used = used as f64 / (blocks * 64).max(1) as f64;
    figures
}

/// The time to create, and to create and destroy.
fn create<W: Profile>(archetypes: &[Archetype]) -> [f64; 2] {
    let entities = archetypes.len();
    let (mut world, mut handles) = (W::default(), Vec::with_capacity(entities));
    let mut best = [f64::INFINITY; 2];
    // The first run makes the blocks, and does not count.
    for run in 0..=runs(entities) {
        let start = Instant::now();
        fill(black_box(&mut world), archetypes, &mut handles);
        let created = start.elapsed();
        empty(black_box(&mut world), &mut handles);
        let both = start.elapsed();
        if run > 0 {
            for (best, time) in best.iter_mut().zip([created, both]) {
                *best = best.min(time.as_secs_f64() * 1e9 / entities.max(1) as f64);
            }
        }
    }
    best
}

fn fill<W: Profile>(world: &mut W, archetypes: &[Archetype], handles: &mut Vec<Entity>) {
    for (value, archetype) in archetypes.iter().enumerate() {
        let created = world.spawn(archetype.family.into(), archetype.parts.into(), value as i32);
        // Fewer than were asked for would be told as too quick.
        handles.push(created.expect("the state holds as many"));
    }
}

fn empty<W: Profile>(world: &mut W, handles: &mut Vec<Entity>) {
    for handle in handles.drain(..) {
        let _ = destroy(world, handle);
    }
}

/// Does a task as often as asked for, without a clock.
fn repeat<W: Profile>(Request { entities, spread, .. }: Request, task: Task) -> Counted {
    let mut archetypes = archetypes::<W>(entities, spread);
    let (mut world, mut handles) = (W::default(), Vec::with_capacity(archetypes.len()));
    match task {
        Task::Measure => Counted { visited: 0 },
        Task::Iterate { parts, passes } => {
            fill(&mut world, &archetypes, &mut handles);
            let schedule = W::schedule(parts);
            let mut visited = 0;
            for _ in 0..passes {
                schedule.run(black_box(&mut world), &mut visited);
            }
            Counted { visited: visited / u64::from(passes.max(1)) }
        }
        Task::Create { parts, passes } => {
            archetypes.iter_mut().for_each(|archetype| archetype.parts = parts as u8);
            // Once more, which makes the blocks.
            for _ in 0..=passes {
                fill(black_box(&mut world), &archetypes, &mut handles);
                empty(black_box(&mut world), &mut handles);
            }
            Counted { visited: entities.into() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GameState, Health, Position, Velocity};

    /// Three of the benchmark's own components, the queries of which are one system each.
    impl Profile for GameState {
        const FAMILIES: usize = 3;

        fn spawn(&mut self, family: usize, parts: usize, value: i32) -> Result<Entity, CreateError> {
            let entity = self.create_entity()?;
            let mut it = self.entity_mut(entity).expect("just made");
            for number in family..family + parts {
                match number % 3 {
                    0 => drop(it.add(Position::default())),
                    1 => drop(it.add(Velocity::default())),
                    _ => drop(it.add(Health { hp: value })),
                }
            }
            Ok(entity)
        }

        fn schedule(parts: usize) -> Schedule<Self, u64> {
            let schedule = Schedule::new();
            match parts {
                1 => schedule.then("one", |world, visited| (&world.healths,).for_each(|_, _| *visited += 1)),
                2 => schedule.then("two", |world, visited| {
                    (&world.healths, &world.positions).for_each(|_, _| *visited += 1);
                }),
                _ => schedule.then("three", |world, visited| {
                    (&world.healths, &world.positions, &world.velocities).for_each(|_, _| *visited += 1);
                }),
            }
        }
    }

    #[test]
    fn every_family_is_as_large_and_so_is_every_number_of_components() {
        let all = archetypes::<GameState>(60_000, Spread::Mixed);
        for family in 0..3 {
            let count = all.iter().filter(|archetype| archetype.family == family).count();
            assert!((19_500..20_500).contains(&count), "{family}: {count}");
        }
        for parts in 1..=3 {
            let count = all.iter().filter(|archetype| archetype.parts == parts).count();
            assert!((19_500..20_500).contains(&count), "{parts}: {count}");
        }
    }

    #[test]
    fn both_orders_have_the_same_entities() {
        let key = |archetype: &Archetype| (archetype.family, archetype.parts);
        let mut mixed = archetypes::<GameState>(1000, Spread::Mixed);
        let mut sorted = archetypes::<GameState>(1000, Spread::Sorted);
        assert!(sorted.is_sorted_by_key(|archetype| archetype.family) && mixed != sorted);
        mixed.sort_by_key(key);
        sorted.sort_by_key(key);
        assert_eq!(mixed, sorted);
    }

    #[test]
    fn everything_is_measured_of_a_state() {
        let figures = measure::<GameState>(600, Spread::Mixed);
        let times = [figures.create_ns, figures.create_destroy_ns, figures.iterate_ns];
        assert!(times.as_flattened().iter().all(|ns| ns.is_finite() && *ns > 0.0), "{figures:?}");
        let [one, two, three] = figures.visited;
        assert!(one >= two && two >= three && three > 0, "{figures:?}");
        assert!(figures.bytes_per_entity > 28.0, "more than the least that one needs: {figures:?}");
        assert!(figures.slots_used > 0.2 && figures.slots_used < 1.0, "{figures:?}");
    }

    #[test]
    fn a_task_visits_as_many_in_each_pass() {
        let request = Request { entities: 500, spread: Spread::Sorted, task: Task::Measure };
        let visited = |task| repeat::<GameState>(request, task).visited;
        let once = visited(Task::Iterate { parts: 2, passes: 1 });
        assert_eq!(once, visited(Task::Iterate { parts: 2, passes: 3 }));
        assert!(once > 0);
        assert_eq!(visited(Task::Create { parts: 3, passes: 2 }), 500);
    }

    #[test]
    fn a_request_comes_back_from_its_text() {
        let task = Task::Iterate { parts: 2, passes: 5 };
        let request = Request { entities: 7, spread: Spread::Sorted, task };
        let text = serde_json::to_string(&request).expect("plain data");
        assert_eq!(serde_json::from_str::<Request>(&text).expect("a request"), request);
    }
}
