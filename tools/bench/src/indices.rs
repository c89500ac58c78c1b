//! What an index costs, against a map that is kept by hand wherever a key is written.

use std::collections::HashMap;

use ecs_runtime::Random;
use ecs_runtime::prelude::*;

use crate::timing::{Case, Row, Side, compare};
use crate::{GameState, Ticket};

/// Measures look-ups and ticks with so many of the keys touched. `runs`: of each side of each row, of which the quickest
/// counts.
#[must_use]
pub fn indices(runs: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for count in [10_000, 100_000] {
        rows.push(look_up(count, runs));
        rows.push(idle_tick(count, runs));
        rows.push(tick("touch 1 %, change them, fold", count, count / 100, runs));
        rows.push(tick("touch 100 %, change them, fold", count, count, runs));
        rows.push(touch_all(count, runs));
    }
    rows.push(look_up_unfolded("look up, 1 % touched and not folded", 10_000, 100, runs));
    rows.push(look_up_unfolded("look up, 100 % touched and not folded", 10_000, 10_000, runs));
    rows
}

/// The same tickets twice: in a state with an index, and in a vector with a map.
struct Worlds {
    ours: GameState,
    entities: Vec<Entity>,
    numbers: Vec<u32>,
    by_number: HashMap<u32, u32>,
    /// The keys of a run, in an order that no prefetcher foresees.
    keys: Vec<u32>,
    /// What is added to keys next, so that each run changes them to others.
    shift: u32,
}

impl Worlds {
    fn filled(count: usize) -> Self {
        let mut ours = GameState::default();
        let mut random = Random::new(7);
        let spawn = |number| ours.spawn((Ticket { number },)).unwrap_or(Entity::NONE);
        let numbers: Vec<u32> = (0..count as u32).collect();
        let entities = numbers.iter().copied().map(spawn).collect();
        ours.fold_indices();
        let by_number = numbers.iter().map(|number| (*number, *number)).collect();
        let keys = (0..count).map(|_| random.between(0.0, count as f32) as u32).collect();
        Self { ours, entities, numbers, by_number, keys, shift: count as u32 }
    }
}

fn case(operation: &'static str, entities: usize, runs: usize) -> Case {
    Case { operation, entities, passes: 1, goal: None, runs }
}

fn look_up(count: usize, runs: usize) -> Row {
    let case = case("look up by a unique key, nothing touched", count, runs);
    compare(case, &mut Worlds::filled(count), Side::new(find_all), Side::new(find_all_by_hand))
}

/// As many look-ups as there are tickets, per look-up.
fn find_all(worlds: &mut Worlds) -> u64 {
    let tickets = &worlds.ours.tickets;
    let find = |key: &u32| tickets.find(Ticket::BY_NUMBER, *key);
    worlds.keys.iter().filter_map(find).map(|(_, ticket)| u64::from(ticket.number)).sum()
}

fn find_all_by_hand(worlds: &mut Worlds) -> u64 {
    let find = |key: &u32| worlds.by_number.get(key).and_then(|at| worlds.numbers.get(*at as usize));
    worlds.keys.iter().filter_map(find).map(|number| u64::from(*number)).sum()
}

/// Against no more than a walk over the tickets that writes none.
fn idle_tick(count: usize, runs: usize) -> Row {
    let ours = Side::new(|worlds: &mut Worlds| {
        worlds.ours.fold_indices();
        worlds.ours.tickets.iter().map(|(_, ticket)| u64::from(ticket.number)).sum()
    });
    let by_hand =
        Side::new(|worlds: &mut Worlds| worlds.numbers.iter().map(|number| u64::from(*number)).sum());
    compare(case("touch nothing, read all, fold", count, runs), &mut Worlds::filled(count), ours, by_hand)
}

/// So many tickets, spread over all, get other numbers; per ticket that does.
fn tick(operation: &'static str, count: usize, changed: usize, runs: usize) -> Row {
    let every = count / changed;
    let ours = Side {
        prepare: |worlds: &mut Worlds| worlds.shift += 1,
        run: |Worlds { ours, entities, shift, .. }: &mut Worlds| {
            for entity in entities.iter().step_by(every) {
                if let Some(ticket) = ours.tickets.get_mut(*entity) {
                    ticket.number = entity.index() + *shift * 2 * every as u32;
                }
            }
            ours.fold_indices();
            0
        },
    };
    let by_hand = Side {
        prepare: |worlds: &mut Worlds| worlds.shift += 1,
        run: |Worlds { numbers, by_number, shift, .. }: &mut Worlds| {
            for (at, number) in numbers.iter_mut().enumerate().step_by(every) {
                by_number.remove(number);
                *number = at as u32 + *shift * 2 * every as u32;
                by_number.insert(*number, at as u32);
            }
            0
        },
    };
    compare(case(operation, changed, runs), &mut Worlds::filled(count), ours, by_hand)
}

/// Every ticket is borrowed mutably and stays as it is, which nobody knows before it is compared.
fn touch_all(count: usize, runs: usize) -> Row {
    let ours = Side::new(|worlds: &mut Worlds| {
        for (_, ticket) in &mut worlds.ours.tickets {
            ticket.number = std::hint::black_box(ticket.number);
        }
        worlds.ours.fold_indices();
        0
    });
    let by_hand = Side::new(|worlds: &mut Worlds| {
        worlds.numbers.iter_mut().for_each(|number| *number = std::hint::black_box(*number));
        0
    });
    compare(case("touch 100 %, change none, fold", count, runs), &mut Worlds::filled(count), ours, by_hand)
}

/// A hundred look-ups while so many are touched, per look-up.
fn look_up_unfolded(operation: &'static str, count: usize, touched: usize, runs: usize) -> Row {
    let mut worlds = Worlds::filled(count);
    worlds.keys.truncate(100);
    for entity in worlds.entities.iter().step_by(count / touched) {
        worlds.ours.tickets.get_mut(*entity);
    }
    compare(case(operation, 100, runs), &mut worlds, Side::new(find_all), Side::new(find_all_by_hand))
}
