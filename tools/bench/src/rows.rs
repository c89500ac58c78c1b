//! The rows of the table benchmark.

use std::hint::black_box;

use ecs_runtime::prelude::*;

use crate::GameState;
use crate::slots::{Handle, Slots, step};
use crate::timing::{Row, compare};

const DT: f32 = 1.0 / 60.0;

/// Both worlds with `count` entities of three components, and their handles in a shuffled order.
struct Filled {
    ours: GameState,
    slots: Slots,
    our_handles: Vec<Entity>,
    slot_handles: Vec<Handle>,
}

impl Filled {
    fn new(count: usize) -> Self {
        let (mut ours, mut slots) = (GameState::default(), Slots::default());
        let our_handles: Vec<_> = (0..count).map(|i| create_ours(&mut ours, i)).collect();
        let slot_handles: Vec<_> = (0..count).map(|i| create_slots(&mut slots, i)).collect();
        let order = shuffled(count);
        Self {
            our_handles: order.iter().map(|&at| our_handles[at]).collect(),
            slot_handles: order.iter().map(|&at| slot_handles[at]).collect(),
            ours,
            slots,
        }
    }
}

/// The numbers below `count` in an order that no prefetcher foresees, the same each time.
fn shuffled(count: usize) -> Vec<usize> {
    let mut order: Vec<_> = (0..count).collect();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for at in (1..count).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        order.swap(at, (random % (at as u64 + 1)) as usize);
    }
    order
}

#[inline]
fn create_ours(world: &mut GameState, i: usize) -> Entity {
    let Ok(entity) = world.create_entity() else { return Entity::NONE };
    if let Ok(mut edit) = world.entity_mut(entity) {
        edit.add_position([i as f32, 0.0, 0.0]);
        edit.add_velocity([1.0, 0.5, 0.25]);
        edit.add_health(100);
    }
    entity
}

#[inline]
fn create_slots(world: &mut Slots, i: usize) -> Handle {
    let handle = world.create();
    if let Some(index) = world.alive(handle) {
        world.positions.insert(index, [i as f32, 0.0, 0.0]);
        world.velocities.insert(index, [1.0, 0.5, 0.25]);
        world.healths.insert(index, 100);
    }
    handle
}

/// Measures the tables against hand-written slots. `runs`: of each row, of which the minimum counts.
#[must_use]
pub fn tables(runs: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for count in [10_000, 100_000] {
        rows.extend(iterate(count, runs));
    }
    rows.push(create(10_000, runs));
    rows.push(add_remove(10_000, runs));
    for count in [10_000, 100_000] {
        rows.push(get(count, runs));
    }
    rows
}

/// Several passes a run, so that one is long enough for the clock.
const PASSES: usize = 10;

fn iterate(count: usize, runs: usize) -> [Row; 3] {
    let mut worlds = Filled::new(count);
    let entities = count * PASSES;
    let slots = |slots: &mut Slots| {
        for _ in 0..PASSES {
            black_box(&mut *slots).advance(DT);
        }
        0
    };
    let block = compare(
        "iterate 2 components, by block",
        entities,
        1.0,
        runs,
        || {
            for _ in 0..PASSES {
                let world = black_box(&mut worlds.ours);
                (&mut world.positions, &world.velocities).for_each_block(|block, (positions, velocities)| {
                    if block.mask() == u64::MAX {
                        for (position, velocity) in positions.iter_mut().zip(velocities) {
                            step(&mut position.at, &velocity.by, DT);
                        }
                    } else {
                        for lane in block.lanes() {
                            step(&mut positions[lane].at, &velocities[lane].by, DT);
                        }
                    }
                });
            }
            0
        },
        || slots(&mut worlds.slots),
    );
    let closure = compare(
        "iterate 2 components, by closure",
        entities,
        1.5,
        runs,
        || {
            for _ in 0..PASSES {
                let world = black_box(&mut worlds.ours);
                (&mut world.positions, &world.velocities)
                    .for_each(|_, (position, velocity)| step(&mut position.at, &velocity.by, DT));
            }
            0
        },
        || slots(&mut worlds.slots),
    );
    let each = compare(
        "iterate 2 components, by `for`",
        entities,
        1.5,
        runs,
        || {
            for _ in 0..PASSES {
                let world = black_box(&mut worlds.ours);
                for (_, position, velocity) in (&mut world.positions, &world.velocities).iter() {
                    step(&mut position.at, &velocity.by, DT);
                }
            }
            0
        },
        || slots(&mut worlds.slots),
    );
    [block, closure, each]
}

fn create(count: usize, runs: usize) -> Row {
    let (mut ours, mut slots) = (GameState::default(), Slots::default());
    let (mut our_handles, mut slot_handles) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut row = None;
    // Only creation is timed: each run starts from a world that was full and is empty again.
    let (mut our_best, mut slot_best) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..runs {
        ours.reset();
        for handle in slot_handles.drain(..).rev() {
            slots.destroy(handle);
        }
        our_handles.clear();
        let measured = compare(
            "create with 3 components",
            count,
            1.3,
            1,
            || {
                our_handles.extend((0..count).map(|i| create_ours(black_box(&mut ours), i)));
                our_handles.len() as u64
            },
            || {
                slot_handles.extend((0..count).map(|i| create_slots(black_box(&mut slots), i)));
                slot_handles.len() as u64
            },
        );
        our_best = our_best.min(measured.ours_ns);
        slot_best = slot_best.min(measured.slots_ns);
        row = Some(Row { ours_ns: our_best, slots_ns: slot_best, ratio: our_best / slot_best, ..measured });
    }
    row.unwrap_or_else(|| compare("create with 3 components", count, 1.3, 1, || 0, || 0))
}

fn add_remove(count: usize, runs: usize) -> Row {
    let mut worlds = Filled::new(count);
    for &handle in &worlds.our_handles {
        if let Ok(mut edit) = worlds.ours.entity_mut(handle) {
            edit.del_health();
        }
    }
    compare(
        "add then remove 1 component",
        count,
        1.5,
        runs,
        || {
            let mut sum = 0;
            for &handle in &worlds.our_handles {
                if let Ok(mut edit) = black_box(&mut worlds.ours).entity_mut(handle) {
                    edit.add_health(7);
                    sum += u64::from(edit.del_health().is_some());
                }
            }
            sum
        },
        || {
            let mut sum = 0;
            for &handle in &worlds.slot_handles {
                let slots = black_box(&mut worlds.slots);
                if let Some(index) = slots.alive(handle) {
                    slots.healths.insert(index, 7);
                    black_box(&mut *slots).healths.remove(index);
                    sum += 1;
                }
            }
            sum
        },
    )
}

fn get(count: usize, runs: usize) -> Row {
    let worlds = Filled::new(count);
    compare(
        "get by handle, random",
        count,
        1.2,
        runs,
        || {
            let positions = black_box(&worlds.ours.positions);
            let found = worlds.our_handles.iter().filter_map(|&handle| positions.get(handle));
            found.map(|position| u64::from(position.at[0].to_bits())).fold(0, u64::wrapping_add)
        },
        || {
            let slots = black_box(&worlds.slots);
            let found = worlds.slot_handles.iter().filter_map(|&handle| slots.position(handle));
            found.map(|position| u64::from(position[0].to_bits())).fold(0, u64::wrapping_add)
        },
    )
}
