//! The benchmarks of the protocol on worlds of many moving entities.

use core::fmt;
use core::time::Duration;

use ::crowd::{EventCost, Join, LongRun, Overload, Replication, Workload};
use serde::Serialize;

use crate::cli::{CapacityArgs, CoderArg, EventsArgs, JoinArgs, LongArgs, OverloadArgs, ReplicationArgs};
use crate::progress::Progress;

/// A benchmark could not be set up, or did not end in time.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct CrowdError(&'static str);

/// Figures by name.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Figures<T>(T);

impl<T: Serialize> fmt::Display for Figures<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = serde_json::to_value(&self.0).map_err(|_| fmt::Error)?;
        let width = value.as_object().map_or(0, |map| map.keys().map(String::len).max().unwrap_or(0));
        value
            .as_object()
            .into_iter()
            .flatten()
            .try_for_each(|(name, value)| writeln!(f, "{name:<width$}  {value}"))
    }
}

/// `tools bench replication`.
#[derive(Debug, Serialize)]
pub(crate) struct ReplicationReport {
    entities: u32,
    changing_percent: u64,
    ack_delay: usize,
    clients: usize,
    threads: usize,
    coder: CoderArg,
    #[serde(flatten)]
    of_all: Replication,
    /// The same with one datagram a tick.
    one_datagram_update_interval_ticks: f64,
    one_datagram_bytes_per_tick: f64,
}

pub(crate) fn replication(args: &ReplicationArgs) -> Result<Figures<ReplicationReport>, CrowdError> {
    let workload = Workload {
        entities: args.entities,
        percent: args.changing,
        ack_delay: args.ack_delay,
        clients: args.clients,
        packets_per_tick: 1000,
        coder: args.coder.into(),
        threads: args.threads,
    };
    let failed = CrowdError("the server or a client could not be set up");
    let of_all = crowd::replication(workload).ok_or(failed)?;
    let one = Workload { packets_per_tick: 1, ..workload };
    let one = crowd::replication(one).ok_or(CrowdError("the server or a client could not be set up"))?;
    Ok(Figures(ReplicationReport {
        entities: args.entities,
        changing_percent: args.changing,
        ack_delay: args.ack_delay,
        clients: args.clients,
        threads: args.threads,
        coder: args.coder,
        of_all,
        one_datagram_update_interval_ticks: one.update_interval_ticks,
        one_datagram_bytes_per_tick: one.bytes_per_tick,
    }))
}

/// `tools bench join`.
pub(crate) fn join(args: &JoinArgs) -> Result<Figures<Join>, CrowdError> {
    let joined = crowd::join(args.entities, args.changing, args.rate, args.loss);
    joined.map(Figures).ok_or(CrowdError("nobody held everything within ten minutes"))
}

/// `tools bench overload`.
pub(crate) fn overload(args: &OverloadArgs) -> Result<Figures<Overload>, CrowdError> {
    crowd::overload(args.entities, args.budget)
        .map(Figures)
        .ok_or(CrowdError("the server could not be set up"))
}

/// `tools bench memory`.
#[derive(Debug, Serialize)]
pub(crate) struct MemoryReport {
    entities: u32,
    bytes_per_client: usize,
}

pub(crate) fn memory(args: &CapacityArgs) -> Result<Figures<MemoryReport>, CrowdError> {
    let bytes = crowd::memory(args.entities).ok_or(CrowdError("the server could not be set up"))?;
    Ok(Figures(MemoryReport { entities: args.entities, bytes_per_client: bytes }))
}

/// `tools bench events`.
pub(crate) fn events(args: &EventsArgs) -> Result<Figures<EventCost>, CrowdError> {
    crowd::events(args.count, args.loss).map(Figures).ok_or(CrowdError("the server could not be set up"))
}

/// `tools bench long`.
#[derive(Debug, Serialize)]
pub(crate) struct LongReport {
    days: f64,
    #[serde(flatten)]
    run: LongRun,
    /// After an hour's sleep of both sides, ticks until everything was held again.
    hour_asleep_whole_after_ticks: Option<usize>,
}

pub(crate) fn long(args: &LongArgs) -> Result<Figures<LongReport>, CrowdError> {
    let ticks = (args.days * 24.0 * 3600.0 * 60.0) as u64;
    let progress = Progress::of("million ticks", ticks.div_ceil(1_000_000));
    let run =
        crowd::long_run(ticks, |_| progress.advance()).ok_or(CrowdError("the server could not be set up"))?;
    let hour_asleep_whole_after_ticks = crowd::suspend(Duration::from_secs(3600));
    Ok(Figures(LongReport { days: args.days, run, hour_asleep_whole_after_ticks }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_benchmark_ends_as_it_should() {
        let args = |ack_delay| ReplicationArgs {
            entities: 200,
            changing: 10,
            ack_delay,
            clients: 2,
            coder: CoderArg::Plain,
            threads: 1 + ack_delay % 2,
        };
        let [near, far] = [0, 7].map(|ack_delay| replication(&args(ack_delay)).expect("it runs").0.of_all);
        assert!(near.converged && far.converged);
        assert!(
            far.bytes_per_tick < near.bytes_per_tick * 1.5,
            "{} {}",
            near.bytes_per_tick,
            far.bytes_per_tick
        );
        let join =
            join(&JoinArgs { entities: 300, changing: 5, rate: 20_000, loss: 0.05 }).expect("it joins").0;
        assert!(join.seconds < 5.0 && join.max_packet_bytes <= 1200);
        let overload = overload(&OverloadArgs { entities: 900, budget: 512 }).expect("it runs").0;
        assert!(
            overload.fair_ticks > 1.5 && (overload.longest_ticks as f64) < overload.fair_ticks * 3.0,
            "{overload:?}"
        );
        let events = events(&EventsArgs { count: 5000, loss: 0.2 }).expect("it runs").0;
        assert_eq!((events.came, events.wrong), (5000, 0));
        let long = long(&LongArgs { days: 0.001 }).expect("it runs");
        assert!(
            long.0.run.converged
                && long.0.run.disagreed == 0
                && long.0.hour_asleep_whole_after_ticks.is_some()
        );
        assert!(long.to_string().contains("days"));
        assert!(memory(&CapacityArgs { entities: 100 }).expect("it runs").0.bytes_per_client > 4000);
    }
}
