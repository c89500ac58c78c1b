//! `tools bench packets`: what a packet costs.

use core::fmt;

use bench_worlds::PacketRow;
use serde::Serialize;

use crate::cli::PacketsArgs;

/// Runs the subcommand.
pub(crate) fn run(args: &PacketsArgs) -> PacketsReport {
    PacketsReport { runs: args.runs, rows: bench_worlds::packets(args.runs as usize) }
}

/// The report of `tools bench packets`.
#[derive(Debug, Serialize)]
pub(crate) struct PacketsReport {
    /// How often each row ran.
    runs: u32,
    rows: Vec<PacketRow>,
}

impl fmt::Display for PacketsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "microseconds, the quickest of {} runs", self.runs)?;
        let width = self.rows.iter().map(|row| row.operation.len()).max().unwrap_or(0);
        for PacketRow { operation, entities, bytes, us, limit_us } in &self.rows {
            write!(f, "{operation:<width$} {entities:>5} entities {bytes:>5} bytes {us:>8.1} us")?;
            match limit_us {
                0.0 => writeln!(f)?,
                limit => writeln!(f, " of {limit:.0} {}", if us <= limit { "ok" } else { "miss" })?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_whether_it_keeps_its_limit() {
        let row = |us, limit_us| PacketRow { operation: "read", entities: 9, bytes: 80, us, limit_us };
        let report = PacketsReport { runs: 3, rows: vec![row(1.5, 0.0), row(1.5, 1.0), row(0.5, 1.0)] };
        let expected = "\
microseconds, the quickest of 3 runs
read     9 entities    80 bytes      1.5 us
read     9 entities    80 bytes      1.5 us of 1 miss
read     9 entities    80 bytes      0.5 us of 1 ok
";
        assert_eq!(report.to_string(), expected);
    }
}
