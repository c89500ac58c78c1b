//! The rows of the table benchmark.

use ecs_runtime::prelude::*;

use crate::slots::step;
use crate::timing::{Case, Row, Side, compare};
use crate::worlds::{Worlds, create_ours, create_slots};

const DT: f32 = 1.0 / 60.0;

/// Measures the tables against hand-written slots. `runs`: of each side of each row, of which the quickest counts.
#[must_use]
pub fn tables(runs: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for count in [10_000, 100_000] {
        rows.extend(iterate(count, runs));
    }
    rows.push(create(10_000, runs));
    rows.push(create_after_reset(10_000, runs));
    rows.push(add_remove(10_000, runs));
    for count in [10_000, 100_000] {
        rows.push(get(count, runs));
    }
    rows
}

/// The slots have one loop, the best they can; ours has three forms.
fn iterate(count: usize, runs: usize) -> [Row; 3] {
    let mut worlds = Worlds::filled(count);
    let case = |operation, goal| Case { operation, entities: count, passes: 10, goal, runs };
    let slots = || {
        Side::new(|worlds: &mut Worlds| {
            worlds.slots.advance(DT);
            0
        })
    };
    let block = Side::new(|worlds: &mut Worlds| {
        let world = &mut worlds.ours;
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
        0
    });
    let closure = Side::new(|worlds: &mut Worlds| {
        let world = &mut worlds.ours;
        (&mut world.positions, &world.velocities)
            .for_each(|_, (position, velocity)| step(&mut position.at, &velocity.by, DT));
        0
    });
    let each = Side::new(|worlds: &mut Worlds| {
        let world = &mut worlds.ours;
        for (_, position, velocity) in (&mut world.positions, &world.velocities).iter() {
            step(&mut position.at, &velocity.by, DT);
        }
        0
    });
    let rows = [
        compare(case("iterate 2 components, by block", Some(1.0)), &mut worlds, block, slots()),
        compare(case("iterate 2 components, by closure", Some(1.5)), &mut worlds, closure, slots()),
        compare(case("iterate 2 components, by `for`", Some(1.5)), &mut worlds, each, slots()),
    ];
    worlds.assert_same();
    rows
}

/// Into worlds that were full, and whose entities were destroyed one by one.
fn create(count: usize, runs: usize) -> Row {
    let case =
        Case { operation: "create with 3 components", entities: count, passes: 1, goal: Some(1.3), runs };
    // Backwards, so that the slots, which use the last free slot first, walk upwards through memory, as ours does.
    create_into(
        case,
        |worlds| {
            for handle in worlds.our_handles.drain(..).rev() {
                let _ = worlds.ours.destroy_entity(handle);
            }
        },
        |worlds| {
            for handle in worlds.slot_handles.drain(..).rev() {
                worlds.slots.destroy(handle);
            }
        },
    )
}

/// Into worlds that were full, and were reset.
fn create_after_reset(count: usize, runs: usize) -> Row {
    let operation = "create with 3 components, after a reset";
    create_into(
        Case { operation, entities: count, passes: 1, goal: Some(1.3), runs },
        |worlds| {
            worlds.ours.reset();
            worlds.our_handles.clear();
        },
        |worlds| {
            worlds.slots.reset();
            worlds.slot_handles.clear();
        },
    )
}

fn create_into(case: Case, empty_ours: impl FnMut(&mut Worlds), empty_slots: impl FnMut(&mut Worlds)) -> Row {
    let count = case.entities;
    let mut worlds = Worlds::filled(count);
    let ours = Side {
        prepare: empty_ours,
        run: |Worlds { ours, our_handles, .. }: &mut Worlds| {
            our_handles.extend((0..count).map(|i| create_ours(ours, i)));
            our_handles.len() as u64
        },
    };
    let slots = Side {
        prepare: empty_slots,
        run: |Worlds { slots, slot_handles, .. }: &mut Worlds| {
            slot_handles.extend((0..count).map(|i| create_slots(slots, i)));
            slot_handles.len() as u64
        },
    };
    let row = compare(case, &mut worlds, ours, slots);
    worlds.assert_same();
    row
}

/// To all of them, then from all of them, in the order of creation: one after the other on the same entity, a
/// compiler could see that the second undoes the first.
fn add_remove(count: usize, runs: usize) -> Row {
    let operation = "add then remove 1 component";
    let case = Case { operation, entities: count, passes: 4, goal: Some(1.5), runs };
    let mut worlds = Worlds::filled(count);
    worlds.remove_healths();
    let ours = Side::new(|Worlds { ours, our_handles, .. }: &mut Worlds| {
        for &handle in &*our_handles {
            if let Ok(mut entity) = ours.entity_mut(handle) {
                entity.add_health(7);
            }
        }
        let removed = our_handles.iter().filter_map(|&handle| ours.entity_mut(handle).ok()?.del_health());
        removed.map(|health| health.hp as u64).sum()
    });
    let slots = Side::new(|Worlds { slots, slot_handles, .. }: &mut Worlds| {
        for &handle in &*slot_handles {
            if let Some(index) = slots.alive(handle) {
                slots.healths.insert(index, 7);
            }
        }
        let removed = slot_handles.iter().filter_map(|&handle| {
            let index = slots.alive(handle)?;
            slots.healths.remove(index)
        });
        removed.map(|hp| hp as u64).sum()
    });
    let row = compare(case, &mut worlds, ours, slots);
    worlds.assert_same();
    row
}

fn get(count: usize, runs: usize) -> Row {
    let case = Case { operation: "get by handle, random", entities: count, passes: 4, goal: Some(1.2), runs };
    let mut worlds = Worlds::filled(count);
    worlds.shuffle_handles();
    let ours = Side::new(|Worlds { ours, our_handles, .. }: &mut Worlds| {
        let found = our_handles.iter().filter_map(|&handle| ours.positions.get(handle));
        found.map(|position| u64::from(position.at[0].to_bits())).fold(0, u64::wrapping_add)
    });
    let slots = Side::new(|Worlds { slots, slot_handles, .. }: &mut Worlds| {
        let found = slot_handles.iter().filter_map(|&handle| slots.position(handle));
        found.map(|position| u64::from(position[0].to_bits())).fold(0, u64::wrapping_add)
    });
    compare(case, &mut worlds, ours, slots)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row checks that both worlds found and left the same.
    #[test]
    fn every_row_measures_two_worlds_that_agree() {
        let count = 150;
        let mut rows = Vec::from(iterate(count, 3));
        rows.extend([create(count, 3), create_after_reset(count, 3), add_remove(count, 3), get(count, 3)]);
        assert_eq!(rows.len(), 7);
        for row in rows {
            assert_eq!(row.entities, count);
            assert!(row.ours_ns > 0.0 && row.by_hand_ns > 0.0, "{row:?}");
        }
    }
}
