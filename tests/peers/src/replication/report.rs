//! The report of `peers replication`.

use core::fmt;

use serde::Serialize;

use super::workload::{Measured, Workload};

/// What every peer came to.
#[derive(Debug, Serialize)]
pub(crate) struct ReplicationReport {
    /// How often each workload ran.
    pub(crate) runs: u32,
    pub(crate) entities: u32,
    pub(crate) peers: Vec<PeerRow>,
}

/// A peer in all workloads. The first is ours.
#[derive(Debug, Serialize)]
pub(crate) struct PeerRow {
    pub(crate) peer: &'static str,
    pub(crate) cells: Vec<Cell>,
}

/// A peer in one workload.
#[derive(Debug, Serialize)]
pub(crate) struct Cell {
    pub(crate) changing_percent: u64,
    pub(crate) ack_delay: usize,
    pub(crate) clients: usize,
    #[serde(flatten)]
    pub(crate) measured: Measured,
    /// Ours over the peer's; none where the peer sends nothing.
    pub(crate) bytes_ratio: Option<f64>,
    pub(crate) server_ratio: f64,
}

impl Cell {
    pub(crate) fn new(workload: Workload, measured: Measured, ours: Measured) -> Self {
        let Workload { percent, ack_delay, clients } = workload;
        let bytes = measured.bytes_per_tick;
        Self {
            changing_percent: percent,
            ack_delay,
            clients,
            measured,
            bytes_ratio: (bytes > 0.0).then(|| ours.bytes_per_tick / bytes),
            server_ratio: ours.server_us_per_tick / measured.server_us_per_tick,
        }
    }
}

impl fmt::Display for ReplicationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, entities, peers } = self;
        writeln!(
            f,
            "{entities} entities; payload bytes for a client and tick, microseconds of the server for a tick"
        )?;
        writeln!(f, "ratios: ours to the peer; the quickest of {runs} runs")?;
        let workloads = peers.first().map_or(0, |peer| peer.cells.len());
        for at in 0..workloads {
            for (place, PeerRow { peer, cells }) in peers.iter().enumerate() {
                let Some(cell) = cells.get(at) else { continue };
                let Cell { changing_percent, ack_delay, clients, measured, bytes_ratio, server_ratio } = cell;
                if place == 0 {
                    let title =
                        format!("{changing_percent} % change, acks {ack_delay} late, {clients} clients");
                    writeln!(
                        f,
                        "\n{title:<50} {:>9} {:>6} {:>9} {:>6}",
                        "bytes", "ratio", "server us", "ratio"
                    )?;
                }
                let Measured { bytes_per_tick, server_us_per_tick } = measured;
                let bytes_ratio = bytes_ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.2}"));
                writeln!(
                    f,
                    "{peer:<50} {bytes_per_tick:>9.1} {bytes_ratio:>6} {server_us_per_tick:>9.1} {server_ratio:>6.2}"
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_workload_has_its_table_and_ours_is_the_measure() {
        let workload = Workload { percent: 10, ack_delay: 0, clients: 1 };
        let ours = Measured { bytes_per_tick: 500.0, server_us_per_tick: 50.0 };
        let row = |peer, bytes_per_tick, server_us_per_tick| PeerRow {
            peer,
            cells: vec![Cell::new(workload, Measured { bytes_per_tick, server_us_per_tick }, ours)],
        };
        let peers = vec![row("ours", 500.0, 50.0), row("some", 2000.0, 200.0), row("silent", 0.0, 10.0)];
        let report = ReplicationReport { runs: 3, entities: 1000, peers };
        let expected = "\
1000 entities; payload bytes for a client and tick, microseconds of the server for a tick
ratios: ours to the peer; the quickest of 3 runs

10 % change, acks 0 late, 1 clients                    bytes  ratio server us  ratio
ours                                                   500.0   1.00      50.0   1.00
some                                                  2000.0   0.25     200.0   0.25
silent                                                   0.0      -      10.0   5.00
";
        assert_eq!(report.to_string(), expected);
        let object = serde_json::to_value(report).expect("plain data");
        assert_eq!(object["peers"][1]["cells"][0]["server_ratio"], 0.25);
    }
}
