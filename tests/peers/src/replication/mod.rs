//! What it costs to keep clients up to date with 1,000 entities, ours and by libraries that replicate.
//!
//! - [`workload`] is what all play: the worlds of the crate `crowd`, to which the clients have joined; nothing is lost.
//! - Ours is the crate `crowd`'s own measurement, of the same worlds.
//! - [`replicon`] and [`naia`] are the peers, each in memory, without sockets.
//!
//! Bytes are payload with the library's own headers, for one client and tick. The server's time is that of the wall, as
//! in `crowd`, the mean of all ticks of the quickest run: from quantizing by hand to finished packets, the handling of
//! acks included, and without the game's own systems.

mod naia;
mod replicon;
mod report;
mod workload;

pub(crate) use report::ReplicationReport;

use ecs_runtime::codec::Coder;
use naia::Naia;
use replicon::{Floats, Quantized, Replicon};
use report::{Cell, PeerRow};
use workload::{ENTITIES, Measured, Workload, measure};

use crate::cli::ReplicationArgs;
use crate::progress::Progress;

/// A peer's name, and how it plays a workload.
type Play = (&'static str, fn(Workload) -> Measured);

const PEERS: [Play; 4] = [
    ("ours", ours),
    ("bevy_replicon 0.44, quantized by hand to 8 bytes", |of| {
        measure("bevy_replicon", of.percent, |bodies| {
            Replicon::<Quantized>::join(bodies, of.ack_delay, of.clients)
        })
    }),
    ("bevy_replicon 0.44, f32", |of| {
        measure("bevy_replicon", of.percent, |bodies| {
            Replicon::<Floats>::join(bodies, of.ack_delay, of.clients)
        })
    }),
    ("naia 0.25, quantized by hand to 8 bytes", |of| {
        measure("naia", of.percent, |bodies| Naia::join(bodies, of.ack_delay, of.clients))
    }),
];

const WORKLOADS: [Workload; 5] = [
    Workload { percent: 10, ack_delay: 0, clients: 1 },
    Workload { percent: 10, ack_delay: 7, clients: 1 },
    Workload { percent: 100, ack_delay: 0, clients: 1 },
    Workload { percent: 0, ack_delay: 0, clients: 1 },
    Workload { percent: 10, ack_delay: 0, clients: 16 },
];

/// Runs the subcommand.
pub(crate) fn run(args: &ReplicationArgs) -> ReplicationReport {
    let mut cells = [[None::<Measured>; WORKLOADS.len()]; PEERS.len()];
    let all = args.runs as usize * PEERS.len() * WORKLOADS.len();
    let progress = Progress::of("workloads", all as u64);
    for _ in 0..args.runs {
        for (workload, at) in WORKLOADS.into_iter().zip(0..) {
            for ((_, play), cells) in PEERS.iter().zip(&mut cells) {
                let measured = play(workload);
                let best = &mut cells[at];
                if best.is_none_or(|best| measured.server_us_per_tick < best.server_us_per_tick) {
                    *best = Some(measured);
                }
                progress.advance();
            }
        }
    }
    let [ours, ..] = cells;
    let rows = PEERS.iter().zip(cells).map(|((peer, _), cells)| {
        let cells = WORKLOADS.iter().zip(cells).zip(ours);
        let cells =
            cells.filter_map(|((workload, measured), ours)| Some(Cell::new(*workload, measured?, ours?)));
        PeerRow { peer, cells: cells.collect() }
    });
    ReplicationReport { runs: args.runs, entities: ENTITIES, peers: rows.collect() }
}

/// The measurement of the crate `crowd`.
fn ours(workload: Workload) -> Measured {
    let Workload { percent, ack_delay, clients } = workload;
    let of = crowd::Workload {
        entities: ENTITIES,
        percent,
        ack_delay,
        clients,
        packets_per_tick: 1000,
        coder: Coder::Plain,
        threads: 1,
    };
    let measured = crowd::replication(of).expect("settings in range");
    assert!(measured.converged, "every client holds what the server does");
    Measured { bytes_per_tick: measured.bytes_per_tick, server_us_per_tick: measured.server_us_per_tick }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_plays_and_ends_as_it_should() {
        for (peer, play) in PEERS {
            let measured = play(Workload { percent: 10, ack_delay: 7, clients: 2 });
            assert!(measured.bytes_per_tick > 300.0, "{peer}: {measured:?}");
        }
    }
}
