//! The report of `peers snapshot`.

use core::fmt;

use serde::Serialize;

use super::session::WarmTick;

/// What every side came to.
#[derive(Debug, Serialize)]
pub(crate) struct SnapshotReport {
    /// How often each side ran.
    pub(crate) runs: u32,
    pub(crate) entities: usize,
    pub(crate) changed_per_tick: f64,
    /// Ours against what is written by hand.
    pub(crate) coding: Vec<CodingRow>,
    /// Serializers, against our differences.
    pub(crate) whole: Vec<WholeRow>,
    pub(crate) warm_tick: WarmTick,
}

/// One operation, ours and by hand.
#[derive(Debug, Serialize)]
pub(crate) struct CodingRow {
    pub(crate) operation: &'static str,
    /// Nanoseconds per entity.
    pub(crate) ours_ns: f64,
    pub(crate) hand_ns: f64,
    /// The first over the second.
    pub(crate) ratio: f64,
    /// Bytes per entity.
    pub(crate) ours_bytes: Option<f64>,
    pub(crate) hand_bytes: Option<f64>,
    pub(crate) bytes_ratio: Option<f64>,
}

/// A serializer, which sends the whole state. The ratios are those of our differences to it.
#[derive(Debug, Serialize)]
pub(crate) struct WholeRow {
    pub(crate) peer: &'static str,
    /// Nanoseconds per entity.
    pub(crate) encode_ns: f64,
    pub(crate) decode_ns: f64,
    pub(crate) bytes_per_entity: f64,
    pub(crate) encode_ratio: f64,
    pub(crate) decode_ratio: f64,
    pub(crate) bytes_ratio: f64,
}

impl CodingRow {
    /// A row; `bytes` are ours and those by hand.
    pub(crate) fn new(operation: &'static str, ours_ns: f64, hand_ns: f64, bytes: Option<[f64; 2]>) -> Self {
        Self {
            operation,
            ours_ns,
            hand_ns,
            ratio: ours_ns / hand_ns,
            ours_bytes: bytes.map(|[ours, _]| ours),
            hand_bytes: bytes.map(|[_, hand]| hand),
            bytes_ratio: bytes.map(|[ours, hand]| ours / hand),
        }
    }
}

impl fmt::Display for SnapshotReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, entities, changed_per_tick, coding, whole, warm_tick } = self;
        writeln!(f, "{entities} entities, {changed_per_tick:.0} of them change in a tick")?;
        writeln!(f, "nanoseconds and bytes per entity, of all entities; the quickest of {runs} runs")?;
        writeln!(
            f,
            "\n{:<38} {:>7} {:>7} {:>6} {:>7} {:>7} {:>6}",
            "operation", "ours", "hand", "ratio", "bytes", "hand", "ratio"
        )?;
        for CodingRow { operation, ours_ns, hand_ns, ratio, ours_bytes, hand_bytes, bytes_ratio } in coding {
            write!(f, "{operation:<38} {ours_ns:>7.2} {hand_ns:>7.2} {ratio:>6.2}")?;
            match (ours_bytes, hand_bytes, bytes_ratio) {
                (Some(ours), Some(hand), Some(ratio)) => {
                    writeln!(f, " {ours:>7.2} {hand:>7.2} {ratio:>6.2}")?;
                }
                _ => writeln!(f)?,
            }
        }
        writeln!(
            f,
            "\n{:<38} {:>7} {:>7} {:>7} {:>7} {:>7} {:>6}",
            "whole state; ratios: ours to it", "encode", "ratio", "decode", "ratio", "bytes", "ratio"
        )?;
        for row in whole {
            let WholeRow { peer, encode_ns, decode_ns, bytes_per_entity, .. } = row;
            let [encode, decode, bytes] = [row.encode_ratio, row.decode_ratio, row.bytes_ratio];
            writeln!(
                f,
                "{peer:<38} {encode_ns:>7.2} {encode:>7.2} {decode_ns:>7.2} {decode:>7.2} {bytes_per_entity:>7.2} {bytes:>6.2}"
            )?;
        }
        let WarmTick {
            server_ns,
            client_ns,
            bytes_per_entity,
            packets,
            server_allocations,
            client_allocations,
            ticks,
        } = warm_tick;
        writeln!(
            f,
            "\nthrough the protocol, {packets:.1} packets a tick, {bytes_per_entity:.2} bytes per entity"
        )?;
        writeln!(f, "server {server_ns:>7.2} ns, {server_allocations} allocations in {ticks} warm ticks")?;
        writeln!(f, "client {client_ns:>7.2} ns, {client_allocations} allocations in {ticks} warm ticks")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_tells_ours_the_other_and_the_ratio() {
        let report = SnapshotReport {
            runs: 3,
            entities: 2000,
            changed_per_tick: 1050.4,
            coding: vec![
                CodingRow::new("quantize", 4.0, 8.0, None),
                CodingRow::new("encode", 9.0, 6.0, Some([3.0, 2.0])),
            ],
            whole: vec![WholeRow {
                peer: "some",
                encode_ns: 3.0,
                decode_ns: 4.0,
                bytes_per_entity: 40.0,
                encode_ratio: 3.0,
                decode_ratio: 2.25,
                bytes_ratio: 0.075,
            }],
            warm_tick: WarmTick {
                server_ns: 20.0,
                client_ns: 30.0,
                bytes_per_entity: 3.1,
                packets: 6.0,
                server_allocations: 0,
                client_allocations: 1,
                ticks: 48,
            },
        };
        let expected = "\
2000 entities, 1050 of them change in a tick
nanoseconds and bytes per entity, of all entities; the quickest of 3 runs

operation                                 ours    hand  ratio   bytes    hand  ratio
quantize                                  4.00    8.00   0.50
encode                                    9.00    6.00   1.50    3.00    2.00   1.50

whole state; ratios: ours to it         encode   ratio  decode   ratio   bytes  ratio
some                                      3.00    3.00    4.00    2.25   40.00   0.07

through the protocol, 6.0 packets a tick, 3.10 bytes per entity
server   20.00 ns, 0 allocations in 48 warm ticks
client   30.00 ns, 1 allocations in 48 warm ticks
";
        assert_eq!(report.to_string(), expected);
        let object = serde_json::to_value(report).expect("plain data");
        assert_eq!(object["coding"][1]["bytes_ratio"], 1.5);
    }
}
