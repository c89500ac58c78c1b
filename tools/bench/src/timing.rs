//! Two ways of doing the same, timed in turn.

use std::time::Instant;

use serde::Serialize;

/// One line of a table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What was done.
    pub operation: &'static str,
    /// How many entities it was done to.
    pub entities: usize,
    /// Nanoseconds per entity: the generated state.
    pub ours_ns: f64,
    /// Nanoseconds per entity: the hand-written world.
    pub slots_ns: f64,
    /// The first over the second.
    pub ratio: f64,
    /// The ratio to reach.
    pub goal: f64,
}

/// Runs both in turn, `runs` times, and takes the minimum of each. Each gives a checksum of its work; they must agree.
pub(crate) fn compare(
    operation: &'static str,
    entities: usize,
    goal: f64,
    runs: usize,
    mut ours: impl FnMut() -> u64,
    mut slots: impl FnMut() -> u64,
) -> Row {
    let (mut ours_best, mut slots_best) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..runs {
        let (time, ours_sum) = timed(&mut ours);
        ours_best = ours_best.min(time);
        let (time, slots_sum) = timed(&mut slots);
        slots_best = slots_best.min(time);
        assert_eq!(ours_sum, slots_sum, "{operation}: the two worlds do not agree");
    }
    let per_entity = |best: f64| best / entities as f64;
    let (ours_ns, slots_ns) = (per_entity(ours_best), per_entity(slots_best));
    Row { operation, entities, ours_ns, slots_ns, ratio: ours_ns / slots_ns, goal }
}

fn timed(run: &mut impl FnMut() -> u64) -> (f64, u64) {
    let start = Instant::now();
    let sum = run();
    (start.elapsed().as_secs_f64() * 1e9, sum)
}
