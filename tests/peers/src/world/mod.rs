//! What tables cost: iterating, creating, looking up, joining and copying, ours and in worlds of other libraries.
//!
//! - [`values`] is what every world holds and what is done to it, [`side`] one world that does one operation, and [`rows`]
//!   the operations with their goals.
//! - [`floor`] are plain vectors, and no usable world; [`slots`] is the plainest world that is usable, written by hand.
//! - [`ours`] is the generated state, and [`tracked`] one whose components are all `#[component(tracked)]`.
//! - [`gecs`], [`hecs`], [`bevy`] and [`shipyard`] are the peers, each in the quickest form that its documentation has.
//!
//! Each side has a world of its own with the same contents, and finds and leaves the same, which is checked before its time
//! is taken, and again after. In each round all sides do their part one after the other, beginning with another one each
//! time; of all rounds the quickest counts, by the time of the thread.

mod bevy;
mod floor;
mod gecs;
mod hecs;
mod ours;
mod report;
mod rows;
mod shipyard;
mod side;
mod slots;
mod tracked;
mod values;

pub(crate) use report::WorldReport;

use report::{Row, Times};
use rows::Case;
use side::{Measured, Operation, Timed};

use crate::cli::WorldArgs;
use crate::progress::Progress;

/// How a world is made that does an operation with so many entities; nothing if it cannot do it.
type MakeSide = fn(Operation, usize) -> Option<Box<dyn Timed>>;

/// Every side, in the order of the columns.
const SIDES: [(&str, MakeSide); Times::SIDES] = [
    ("floor", floor::side),
    ("slots", slots::side),
    ("ours", ours::side),
    ("gecs", gecs::side),
    ("hecs", hecs::side),
    ("bevy_ecs", bevy::side),
    ("shipyard", shipyard::side),
];

/// Runs the subcommand.
pub(crate) fn run(args: &WorldArgs) -> WorldReport {
    let cases: Vec<Case> = rows::cases().filter(|case| case.matches(args.only.as_deref())).collect();
    let progress = Progress::of("rows", cases.len() as u64);
    let rows = cases.iter().map(|case| {
        let row = measure(case, args.runs as usize);
        progress.advance();
        row
    });
    WorldReport { runs: args.runs, rows: rows.collect() }
}

/// Measures one row.
///
/// # Panics
/// When two sides do not find or leave the same: then they did not do the same, and cannot be compared.
fn measure(case: &Case, runs: usize) -> Row {
    let make = |(name, make): &(&'static str, MakeSide)| {
        make(case.operation, case.entities).map(|side| Measured::new(name, side))
    };
    let mut sides: Vec<Option<Measured>> = SIDES.iter().map(make).collect();
    let checks = sides.iter_mut().flatten().map(|side| (side.name(), side.check()));
    assert_same(case.name, &checks.collect::<Vec<_>>());
    for run in 0..runs {
        let first = run % SIDES.len();
        let (before, after) = sides.split_at_mut(first);
        let turn = after.iter_mut().chain(before).flatten();
        assert_same(case.name, &turn.map(|side| (side.name(), side.run(case.passes))).collect::<Vec<_>>());
    }
    let digests = sides.iter_mut().flatten().map(|side| (side.name(), side.digest()));
    assert_same(case.name, &digests.collect::<Vec<_>>());
    let ns = |side: &Option<Measured>| side.as_ref().map(|side| side.ns_per(case.counted * case.passes));
    Row::new(case, Times::new(sides.iter().map(ns)))
}

fn assert_same<T: PartialEq + core::fmt::Debug>(operation: &str, results: &[(&str, T)]) {
    for pair in results.windows(2) {
        assert_eq!(pair[0].1, pair[1].1, "{operation}: {} and {} do not agree", pair[0].0, pair[1].0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row checks that all sides find and leave the same.
    #[test]
    fn every_row_measures_worlds_that_agree() {
        for case in rows::cases() {
            let case = Case { entities: 320, counted: 320, passes: case.passes.min(2), ..case };
            let row = measure(&case, 2);
            assert!(row.ns.slots.is_some() && row.ns.ours.is_some(), "{}", case.name);
        }
    }

    #[test]
    #[should_panic(expected = "count: one and other do not agree")]
    fn worlds_that_do_not_agree_are_not_compared() {
        assert_same("count", &[("one", 1), ("other", 2)]);
    }
}
