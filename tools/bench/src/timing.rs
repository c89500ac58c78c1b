//! Two ways of doing the same, timed in turn.

use std::hint::black_box;
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
    /// Nanoseconds per entity: what was written by hand.
    pub by_hand_ns: f64,
    /// The first over the second.
    pub ratio: f64,
    /// The largest ratio that is good enough, if there is one.
    pub goal: Option<f64>,
    /// Whether the ratio, as it is printed with two digits after the point, is not above the goal.
    pub ok: Option<bool>,
}

/// What is measured, and how often.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) operation: &'static str,
    pub(crate) entities: usize,
    /// How often it is done in one run, so that a run is long enough for the clock.
    pub(crate) passes: usize,
    pub(crate) goal: Option<f64>,
    /// How many runs each side has, of which the quickest counts.
    pub(crate) runs: usize,
}

/// One way of doing it.
pub(crate) struct Side<P, R> {
    /// Makes the world ready for a run, outside of the time.
    pub(crate) prepare: P,
    /// Does it, and gives a sum over what it found; both sides must find the same.
    pub(crate) run: R,
}

impl<W, R: FnMut(&mut W) -> u64> Side<fn(&mut W), R> {
    /// A side whose runs leave the world ready for the next.
    pub(crate) fn new(run: R) -> Self {
        Self { prepare: |_| (), run }
    }
}

/// Runs both sides in turn and takes the minimum of each.
///
/// Who begins alternates, so that neither always finds its memory thrown out of the caches by the other. The first
/// runs touch whatever is touched first; as no minimum, they count for nothing.
///
/// # Panics
/// When the two find different sums: what does not do the same cannot be compared.
pub(crate) fn compare<W>(
    case: Case,
    worlds: &mut W,
    mut ours: Side<impl FnMut(&mut W), impl FnMut(&mut W) -> u64>,
    mut slots: Side<impl FnMut(&mut W), impl FnMut(&mut W) -> u64>,
) -> Row {
    let Case { operation, entities, passes, goal, runs } = case;
    let (mut ours_best, mut slots_best) = (f64::INFINITY, f64::INFINITY);
    for run in 0..runs.max(1) {
        let first = (run % 2 == 1).then(|| timed(&mut slots, passes, worlds));
        let (ours_time, ours_sum) = timed(&mut ours, passes, worlds);
        let (slots_time, slots_sum) = first.unwrap_or_else(|| timed(&mut slots, passes, worlds));
        ours_best = ours_best.min(ours_time);
        slots_best = slots_best.min(slots_time);
        assert_eq!(ours_sum, slots_sum, "{operation}: the two worlds do not agree");
    }
    Row::new(case, ours_best / (entities * passes) as f64, slots_best / (entities * passes) as f64, goal)
}

impl Row {
    fn new(Case { operation, entities, .. }: Case, ours_ns: f64, by_hand_ns: f64, goal: Option<f64>) -> Self {
        let ratio = ours_ns / by_hand_ns;
        let ok = goal.map(|goal| (ratio * 100.0).round() <= (goal * 100.0).round());
        Self { operation, entities, ours_ns, by_hand_ns, ratio, goal, ok }
    }
}

/// The nanoseconds of one run, and its sum. A function of its own, so that each side is compiled by itself.
#[inline(never)]
fn timed<W>(
    side: &mut Side<impl FnMut(&mut W), impl FnMut(&mut W) -> u64>,
    passes: usize,
    worlds: &mut W,
) -> (f64, u64) {
    (side.prepare)(worlds);
    let mut sum = 0_u64;
    let start = Instant::now();
    for _ in 0..passes {
        // Nothing is known of the world before a pass, and everything of it may be looked at after: no pass can be
        // merged with the next, and none of its stores be left out. Within a pass, the compiler is free.
        sum = sum.wrapping_add((side.run)(black_box(worlds)));
    }
    black_box(&mut *worlds);
    (start.elapsed().as_secs_f64() * 1e9, black_box(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: Case = Case { operation: "count", entities: 2, passes: 3, goal: Some(1.0), runs: 5 };

    #[test]
    fn each_side_runs_every_pass_and_is_prepared_once_a_run() {
        let mut worlds = [[0_u64; 2]; 2];
        let count = |at: usize| Side {
            prepare: move |worlds: &mut [[u64; 2]; 2]| worlds[at][0] += 1,
            run: move |worlds: &mut [[u64; 2]; 2]| {
                worlds[at][1] += 1;
                worlds[at][1]
            },
        };
        let row = compare(CASE, &mut worlds, count(0), count(1));
        assert_eq!(worlds, [[5, 15]; 2]);
        assert_eq!((row.operation, row.entities, row.goal), ("count", 2, Some(1.0)));
        assert!(row.ours_ns.is_finite() && row.by_hand_ns.is_finite());
    }

    #[test]
    #[should_panic(expected = "count: the two worlds do not agree")]
    fn worlds_that_do_not_agree_are_not_compared() {
        compare(CASE, &mut (), Side::new(|()| 1), Side::new(|()| 2));
    }

    #[test]
    fn a_ratio_is_judged_as_it_is_printed() {
        let ok = |ours_ns, goal| Row::new(CASE, ours_ns, 1.0, Some(goal)).ok == Some(true);
        assert!(ok(1.004, 1.0) && ok(1.3, 1.3) && !ok(1.006, 1.0) && !ok(1.31, 1.3));
    }
}
