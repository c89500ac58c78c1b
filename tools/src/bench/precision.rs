//! `tools bench precision`: how far off values are when they come back from the wire.

use core::fmt;

use bench_worlds::PrecisionRow;
use serde::Serialize;

use crate::cli::PrecisionArgs;

/// Runs the subcommand.
pub(crate) fn run(args: &PrecisionArgs) -> PrecisionReport {
    PrecisionReport { values: args.values, rows: bench_worlds::precision(args.values as usize) }
}

/// The report of `tools bench precision`.
#[derive(Debug, Serialize)]
pub(crate) struct PrecisionReport {
    /// How many random values of each rule were tried.
    values: u32,
    rows: Vec<PrecisionRow>,
}

impl fmt::Display for PrecisionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the worst of {} random values and of those at the ends", self.values)?;
        let width = self.rows.iter().map(|row| row.rule.len()).max().unwrap_or(0);
        for PrecisionRow { rule, error, worst, bound } in &self.rows {
            let ok = if worst <= bound { "ok" } else { "miss" };
            writeln!(f, "{rule:<width$} {worst:>12.9} of at most {bound:.9} {error} {ok}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_whether_it_keeps_its_bound() {
        let row = |worst| PrecisionRow { rule: "#[a]", error: "radians", worst, bound: 0.5 };
        let report = PrecisionReport { values: 3, rows: vec![row(0.25), row(0.75)] };
        let expected = "\
the worst of 3 random values and of those at the ends
#[a]  0.250000000 of at most 0.500000000 radians ok
#[a]  0.750000000 of at most 0.500000000 radians miss
";
        assert_eq!(report.to_string(), expected);
    }
}
