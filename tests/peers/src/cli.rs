//! The arguments of the command line.

use clap::{Args, Parser, Subcommand};

/// Measures the runtime and its peers in one process.
#[derive(Debug, Parser)]
#[command(name = "peers", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print one JSON object instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Quantize, encode and decode a world of 2,000 entities, against a coder written by hand and four serializers.
    Snapshot(SnapshotArgs),
    /// Iterate, create, look up, join and copy, against slots written by hand and four other worlds.
    World(WorldArgs),
    /// Keep clients up to date with 1,000 entities, against libraries that replicate.
    Replication(ReplicationArgs),
}

#[derive(Debug, Args)]
pub(crate) struct SnapshotArgs {
    /// How often each row runs; the quickest run counts.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) runs: u32,
}

#[derive(Debug, Args)]
pub(crate) struct WorldArgs {
    /// How often each side of each row runs; the quickest run counts.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) runs: u32,
    /// Only the rows whose name has this part.
    #[arg(long)]
    pub(crate) only: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplicationArgs {
    /// How often each workload runs; the quickest run counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: u32,
}
