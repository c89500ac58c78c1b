//! `tools bench tables`: the tables against the plainest usable hand-written world.

use core::fmt;

use bench_worlds::Row;
use serde::Serialize;

use crate::cli::TablesArgs;

/// Runs the subcommand.
pub(crate) fn run(args: &TablesArgs) -> TablesReport {
    let TablesArgs { runs, indices } = *args;
    let rows =
        if indices { bench_worlds::indices(runs as usize) } else { bench_worlds::tables(runs as usize) };
    TablesReport { runs, rows }
}

/// The report of `tools bench tables`.
#[derive(Debug, Serialize)]
pub(crate) struct TablesReport {
    /// How often each side of each row ran.
    runs: u32,
    rows: Vec<Row>,
}

impl fmt::Display for TablesReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "nanoseconds per entity, the quickest of {} runs", self.runs)?;
        let [operation, entities, ours, by_hand, ratio, goal] =
            ["operation", "entities", "ours", "by hand", "ratio", "goal"];
        let names = self.rows.iter().map(|row| row.operation);
        let width = names.map(str::len).fold(operation.len(), usize::max);
        writeln!(f, "{operation:<width$} {entities:>9} {ours:>8} {by_hand:>8} {ratio:>6} {goal:>6}")?;
        for Row { operation, entities, ours_ns, by_hand_ns, ratio, goal, ok } in &self.rows {
            write!(f, "{operation:<width$} {entities:>9} {ours_ns:>8.3} {by_hand_ns:>8.3} {ratio:>6.2}")?;
            match (goal, ok) {
                (Some(goal), Some(true)) => writeln!(f, " {goal:>6.2} ok")?,
                (Some(goal), _) => writeln!(f, " {goal:>6.2} miss")?,
                (None, _) => writeln!(f)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> TablesReport {
        let row = |operation, ours_ns: f64, ok: Option<bool>| Row {
            operation,
            entities: 10_000,
            ours_ns,
            by_hand_ns: 2.0,
            ratio: ours_ns / 2.0,
            goal: ok.map(|_| 1.5),
            ok,
        };
        TablesReport {
            runs: 200,
            rows: vec![
                row("iterate", 2.5, Some(true)),
                row("create", 4.0, Some(false)),
                row("find", 1.0, None),
            ],
        }
    }

    #[test]
    fn a_row_tells_both_times_the_ratio_and_whether_it_is_good_enough() {
        let expected = "\
nanoseconds per entity, the quickest of 200 runs
operation  entities     ours  by hand  ratio   goal
iterate       10000    2.500    2.000   1.25   1.50 ok
create        10000    4.000    2.000   2.00   1.50 miss
find          10000    1.000    2.000   0.50
";
        assert_eq!(report().to_string(), expected);
    }

    #[test]
    fn the_object_has_the_rows() {
        let report = serde_json::to_value(report()).expect("plain data");
        let row = serde_json::json!({
            "operation": "create", "entities": 10_000, "ours_ns": 4.0, "by_hand_ns": 2.0, "ratio": 2.0, "goal": 1.5,
            "ok": false
        });
        assert_eq!((&report["runs"], &report["rows"][1]), (&200.into(), &row));
    }
}
