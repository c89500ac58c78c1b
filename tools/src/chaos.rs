//! `tools chaos`: random worlds over the worst networks, one for each seed.

use core::fmt;

use ::chaos::{Failure, HEALED_WITHIN, Outcome, Scenario};
use serde::Serialize;

use crate::cli::ChaosArgs;
use crate::progress::Progress;

/// What many seeds came to.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ChaosReport {
    pub(crate) first_seed: u64,
    pub(crate) seeds: u64,
    /// All of them, or the command fails with the seed.
    pub(crate) converged: u64,
    /// After the network healed and the world stood still: the limit, the longest that it took, and half of the seeds.
    pub(crate) healed_within_ticks: u64,
    pub(crate) healed_after_ticks_max: u64,
    pub(crate) healed_after_ticks_median: u64,
    pub(crate) max_packet_bytes: usize,
    /// The seed with the fewest: states sent in a tick, packets lost.
    pub(crate) entities_per_tick_min: f64,
    pub(crate) lost_min: u64,
    /// Over all seeds: packets lost, states that waited, and in how many seeds any did.
    pub(crate) lost: u64,
    pub(crate) deferred: u64,
    pub(crate) seeds_with_deferred: u64,
    pub(crate) staged: u64,
    pub(crate) complete_views_agreed: u64,
    pub(crate) reliable_events: u64,
    pub(crate) unreliable_events: u64,
    pub(crate) commands: u64,
}

/// Runs the subcommand.
pub(crate) fn run(args: &ChaosArgs) -> Result<ChaosReport, Failure> {
    let progress = Progress::of("seeds", args.seeds);
    let end = args.first.saturating_add(args.seeds);
    let outcomes = (args.first..end).map(|seed| {
        progress.advance();
        Scenario::of(seed).run()
    });
    let outcomes = outcomes.collect::<Result<Vec<_>, _>>()?;
    Ok(ChaosReport::new(args, &outcomes))
}

impl ChaosReport {
    fn new(args: &ChaosArgs, outcomes: &[Outcome]) -> Self {
        let sum = |of: fn(&Outcome) -> u64| outcomes.iter().map(of).sum();
        let mut healed: Vec<_> = outcomes.iter().map(|outcome| outcome.healed_after).collect();
        healed.sort_unstable();
        let least = outcomes.iter().map(|outcome| outcome.entities_per_tick).fold(f64::INFINITY, f64::min);
        Self {
            first_seed: args.first,
            seeds: args.seeds,
            converged: outcomes.len() as u64,
            healed_within_ticks: HEALED_WITHIN,
            healed_after_ticks_max: healed.last().copied().unwrap_or(0),
            healed_after_ticks_median: healed.get(healed.len() / 2).copied().unwrap_or(0),
            max_packet_bytes: outcomes.iter().map(|outcome| outcome.max_packet_bytes).max().unwrap_or(0),
            entities_per_tick_min: least,
            lost_min: outcomes.iter().map(|outcome| outcome.lost).min().unwrap_or(0),
            lost: sum(|outcome| outcome.lost),
            deferred: sum(|outcome| outcome.deferred),
            seeds_with_deferred: sum(|outcome| u64::from(outcome.deferred > 0)),
            staged: sum(|outcome| outcome.staged),
            complete_views_agreed: sum(|outcome| outcome.agreed),
            reliable_events: sum(|outcome| outcome.reliable),
            unreliable_events: sum(|outcome| outcome.unreliable),
            commands: sum(|outcome| outcome.commands),
        }
    }
}

impl fmt::Display for ChaosReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {} seeds from {} on converged", self.converged, self.seeds, self.first_seed)?;
        writeln!(
            f,
            "whole {} ticks after the network healed at the latest, half of them within {}; the limit is {}",
            self.healed_after_ticks_max, self.healed_after_ticks_median, self.healed_within_ticks
        )?;
        writeln!(
            f,
            "largest packet {} bytes; {} packets lost, at least {} for a seed; at least {:.1} states sent in a tick",
            self.max_packet_bytes, self.lost, self.lost_min, self.entities_per_tick_min
        )?;
        writeln!(
            f,
            "{} states waited, in {} seeds; {} travelled in parts; {} complete views had the server's hash",
            self.deferred, self.seeds_with_deferred, self.staged, self.complete_views_agreed
        )?;
        write!(
            f,
            "{} reliable events, all once and in order; {} others, none twice; {} commands",
            self.reliable_events, self.unreliable_events, self.commands
        )
    }
}
