//! The report of `peers world`.

use core::fmt;

use serde::Serialize;

use super::rows::{Case, Goal};

/// What every side came to.
#[derive(Debug, Serialize)]
pub(crate) struct WorldReport {
    /// How often each side ran.
    pub(crate) runs: u32,
    pub(crate) rows: Vec<Row>,
}

/// One operation.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) operation: &'static str,
    /// How many entities the world has.
    pub(crate) entities: usize,
    /// Nanoseconds for each entity, match, reference or hit.
    pub(crate) ns: Times,
    /// Ours over slots.
    pub(crate) ratio: Option<f64>,
    /// The largest ratio that is good enough.
    pub(crate) goal: Option<f64>,
    /// Whether the ratio, as it is printed, is not above the goal, and no peer that must not be quicker is.
    pub(crate) ok: Option<bool>,
}

/// The time of each side; `None` where it cannot do the operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Times {
    pub(crate) floor: Option<f64>,
    pub(crate) slots: Option<f64>,
    pub(crate) ours: Option<f64>,
    pub(crate) gecs: Option<f64>,
    pub(crate) hecs: Option<f64>,
    pub(crate) bevy_ecs: Option<f64>,
    pub(crate) shipyard: Option<f64>,
}

impl Times {
    /// How many sides there are.
    pub(crate) const SIDES: usize = 7;

    /// From those of all sides, in the order of the fields.
    pub(crate) fn new(mut ns: impl Iterator<Item = Option<f64>>) -> Self {
        let [floor, slots, ours, gecs, hecs, bevy_ecs, shipyard] =
            core::array::from_fn(|_| ns.next().flatten());
        Self { floor, slots, ours, gecs, hecs, bevy_ecs, shipyard }
    }

    fn all(&self) -> [Option<f64>; Self::SIDES] {
        let Self { floor, slots, ours, gecs, hecs, bevy_ecs, shipyard } = *self;
        [floor, slots, ours, gecs, hecs, bevy_ecs, shipyard]
    }

    fn peers(&self) -> impl Iterator<Item = f64> {
        [self.gecs, self.hecs, self.bevy_ecs, self.shipyard].into_iter().flatten()
    }
}

impl Row {
    pub(crate) fn new(case: &Case, ns: Times) -> Self {
        let ratio = ns.ours.zip(ns.slots).map(|(ours, slots)| ours / slots);
        let (goal, beats_peers) = match case.goal {
            Goal::Slots(goal) => (Some(goal), true),
            Goal::SlotsAndPeers(goal) => {
                (Some(goal), ns.ours.is_none_or(|ours| ns.peers().all(|peer| ours < peer)))
            }
            Goal::None => (None, true),
        };
        let within = |(ratio, goal): (f64, f64)| (ratio * 100.0).round() <= (goal * 100.0).round();
        let ok = ratio.zip(goal).map(|both| within(both) && beats_peers);
        Self { operation: case.name, entities: case.entities, ns, ratio, goal, ok }
    }
}

impl fmt::Display for WorldReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, rows } = self;
        writeln!(f, "nanoseconds per entity, the quickest of {runs} runs; ratio: ours to slots")?;
        writeln!(
            f,
            "\n{:<40} {:>8} {:>6} {:>6} {:>6} {:>6} {:>5} {:>4}  {:>6} {:>6} {:>8} {:>8}",
            "operation",
            "entities",
            "floor",
            "slots",
            "ours",
            "ratio",
            "goal",
            "",
            "gecs",
            "hecs",
            "bevy_ecs",
            "shipyard"
        )?;
        for Row { operation, entities, ns, ratio, goal, ok } in rows {
            let [floor, slots, ours, gecs, hecs, bevy_ecs, shipyard] = ns.all().map(or_na);
            let ratio = or_na(*ratio);
            let goal = goal.map_or_else(|| "-".into(), |goal| format!("{goal:.1}"));
            let ok = match ok {
                Some(true) => "ok",
                Some(false) => "MISS",
                None => "",
            };
            writeln!(
                f,
                "{operation:<40} {entities:>8} {floor:>6} {slots:>6} {ours:>6} {ratio:>6} {goal:>5} {ok:>4}  {gecs:>6} {hecs:>6} {bevy_ecs:>8} {shipyard:>8}"
            )?;
        }
        Ok(())
    }
}

fn or_na(value: Option<f64>) -> String {
    value.map_or_else(|| "n/a".into(), |value| format!("{value:.2}"))
}

#[cfg(test)]
mod tests {
    use super::super::side::Operation;
    use super::*;

    const CASE: Case = Case {
        name: "get",
        operation: Operation::Get,
        entities: 10_000,
        counted: 10_000,
        passes: 1,
        goal: Goal::SlotsAndPeers(1.2),
    };

    fn row(goal: Goal, ours: f64, hecs: f64) -> Row {
        let times = [Some(0.9), Some(1.0), Some(ours), None, Some(hecs), Some(3.0), Some(4.0)];
        Row::new(&Case { goal, ..CASE }, Times::new(times.into_iter()))
    }

    #[test]
    fn a_ratio_is_judged_as_it_is_printed_and_so_are_peers_where_the_goal_says_so() {
        let ok = |goal, ours, hecs| row(goal, ours, hecs).ok;
        assert_eq!(ok(Goal::Slots(1.2), 1.204, 1.0), Some(true));
        assert_eq!(ok(Goal::Slots(1.2), 1.206, 1.0), Some(false));
        assert_eq!(ok(Goal::SlotsAndPeers(1.2), 1.2, 1.3), Some(true));
        assert_eq!(ok(Goal::SlotsAndPeers(1.2), 1.2, 1.1), Some(false));
        assert_eq!(ok(Goal::None, 9.0, 1.0), None);
    }

    #[test]
    fn a_row_tells_all_sides_and_what_is_not_there() {
        let rows = vec![row(CASE.goal, 1.1, 1.3), row(CASE.goal, 1.5, 1.3), row(Goal::None, 2.0, 1.0)];
        let report = WorldReport { runs: 3, rows };
        let expected = "\
nanoseconds per entity, the quickest of 3 runs; ratio: ours to slots

operation                                entities  floor  slots   ours  ratio  goal         gecs   hecs bevy_ecs shipyard
get                                         10000   0.90   1.00   1.10   1.10   1.2   ok     n/a   1.30     3.00     4.00
get                                         10000   0.90   1.00   1.50   1.50   1.2 MISS     n/a   1.30     3.00     4.00
get                                         10000   0.90   1.00   2.00   2.00     -          n/a   1.00     3.00     4.00
";
        assert_eq!(report.to_string(), expected);
        let object = serde_json::to_value(report).expect("plain data");
        assert_eq!(
            (object["rows"][1]["ok"].as_bool(), object["rows"][0]["ns"]["gecs"].as_f64()),
            (Some(false), None)
        );
    }
}
