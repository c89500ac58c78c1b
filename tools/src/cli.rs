//! The arguments of the command line.

use core::ops::Range;
use std::path::PathBuf;

use clap::builder::TypedValueParser as _;
use clap::{Arg, ArgGroup, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use ecs_runtime::codec::Coder;
use serde::Serialize;

use crate::bench::profiles::ProfilesArgs;
use crate::match_run::{NetworkArgs, share};

/// Tools for teams that build on the runtime.
#[derive(Debug, Parser)]
#[command(name = "tools", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print one JSON object instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

impl Cli {
    /// The arguments of this process; where they make no sense, it ends here, and says why.
    pub(crate) fn of_process() -> Self {
        // Without it nothing is trained.
        let needs = |arg: Arg| arg.requires("cross_fit");
        let command = Self::command()
            .mut_subcommand("stream", |stream| stream.mut_arg("epochs", needs).mut_arg("mirrored", needs));
        Self::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a match of bots over UDP on this machine, and measure what it costs.
    Match(MatchArgs),
    /// Play a recording of cubes through the protocol, and measure what it costs.
    Stream(StreamArgs),
    /// Learn from a recording or a match what is likely, and write priors that make packets smaller.
    Train(TrainArgs),
    /// Measure the runtime against what it has to hold up to.
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Play random worlds over the worst networks, and check every promise of the protocol.
    Chaos(ChaosArgs),
    /// Print what the macros write for a source file.
    Expand(ExpandArgs),
    /// Print the shooter's schema and its hash, which both sides of a connection compare.
    Schema(SchemaArgs),
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SchemaCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SchemaCommand {
    /// Tell what leads from one schema to another, and what that does to connections and to saved data.
    Diff(SchemaDiffArgs),
}

#[derive(Debug, Args)]
pub(crate) struct SchemaDiffArgs {
    /// The old schema, as `schema --json` printed it.
    pub(crate) old: PathBuf,
    /// The new one; the shooter's own schema if it is left out.
    pub(crate) new: Option<PathBuf>,
}

#[derive(Debug, Default, Args)]
pub(crate) struct MatchArgs {
    /// How many bots play.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) players: u16,
    /// How long they play, in real time.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) seconds: u64,
    /// What the match and the bots draw their random numbers from.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The server's UDP port; 0 is any that is free.
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// How packets are coded.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) coder: CoderArg,
    /// Code with the priors of this file, as `train --match` wrote them.
    #[arg(long)]
    pub(crate) priors: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

impl MatchArgs {
    /// How many ticks the match has.
    pub(crate) fn ticks(&self) -> u64 {
        self.seconds * u64::from(game_state::TICKS_PER_SECOND)
    }
}

#[derive(Debug, Args)]
pub(crate) struct ChaosArgs {
    /// How many seeds are played.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) seeds: u64,
    /// The first of them.
    #[arg(long, default_value_t = 0)]
    pub(crate) first: u64,
}

#[derive(Debug, Args)]
pub(crate) struct StreamArgs {
    /// The recording, as it is or compressed with zstd.
    pub(crate) file: PathBuf,
    /// Play only that many frames; the first six are known beforehand, and not measured.
    #[arg(long, value_parser = clap::value_parser!(u64).range(7..))]
    pub(crate) frames: Option<u64>,
    /// How packets are coded.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) coder: CoderArg,
    /// Code with the priors of this file, as `train` wrote them.
    #[arg(long, conflicts_with = "cross_fit")]
    pub(crate) priors: Option<PathBuf>,
    /// Train on one half of the frames and code the other, and the other way round; takes minutes.
    #[arg(long, conflicts_with = "frames")]
    pub(crate) cross_fit: bool,
    #[command(flatten)]
    pub(crate) effort: EffortArgs,
}

#[derive(Debug, Args)]
pub(crate) struct EffortArgs {
    /// How often training goes over all that was learned.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) epochs: u32,
    /// Train for a world that looks the same in a mirror, east for west and north for south.
    #[arg(long)]
    pub(crate) mirrored: bool,
}

/// A way to code packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CoderArg {
    /// Whole bits: the quickest.
    #[default]
    Plain,
    /// An arithmetic coder: the smallest.
    Arithmetic,
}

impl From<CoderArg> for Coder {
    fn from(coder: CoderArg) -> Self {
        match coder {
            CoderArg::Plain => Self::Plain,
            CoderArg::Arithmetic => Self::Arithmetic,
        }
    }
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("source").required(true).args(["recording", "plays_match"])))]
pub(crate) struct TrainArgs {
    /// A recording of cubes, as it is or compressed with zstd.
    pub(crate) recording: Option<PathBuf>,
    /// Play a match of bots instead, and learn from that. It is played in real time, so that two need not teach quite the
    /// same, whatever the seed.
    #[arg(id = "plays_match", long = "match")]
    pub(crate) plays_match: bool,
    /// How many bots play.
    #[arg(long, default_value_t = 10, conflicts_with = "recording", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) players: u16,
    /// How long they play, in real time; once, and where fields move by `#[predict]` or as rotations up to four times.
    #[arg(long, default_value_t = 60, conflicts_with = "recording", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) seconds: u64,
    /// What the match and the bots draw their random numbers from.
    #[arg(long, default_value_t = 1, conflicts_with = "recording")]
    pub(crate) seed: u64,
    /// Where the priors go.
    #[arg(long, default_value = "priors.json")]
    pub(crate) out: PathBuf,
    /// Learn from these frames alone, such as 0..1421.
    #[arg(long, conflicts_with = "plays_match", value_parser = frames)]
    pub(crate) frames: Option<Range<u64>>,
    /// How many frames late acks come while it is played: once for each.
    #[arg(long, conflicts_with = "plays_match", value_delimiter = ',', default_value = "1,2,4,6,8,12", value_parser = ack_delay())]
    pub(crate) ack_delays: Vec<usize>,
    #[command(flatten)]
    pub(crate) effort: EffortArgs,
}

/// The number of frames that an ack is late.
fn ack_delay() -> impl clap::builder::TypedValueParser<Value = usize> {
    clap::value_parser!(u64).range(1..=60).map(|delay| delay as usize)
}

/// A range of frames: the first, two dots, and the first that is not in it.
fn frames(text: &str) -> Result<Range<u64>, String> {
    let ends = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    ends.filter(|frames| !frames.is_empty()).ok_or_else(|| "expected such as 0..1421".into())
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Measure the tables against a hand-written world, in one process.
    Tables(TablesArgs),
    /// Measure what a packet costs to fill, and to read at its worst.
    Packets(PacketsArgs),
    /// Measure how far off values are when they come back from the wire.
    Precision(PrecisionArgs),
    /// Measure the bytes and the time that it takes to keep clients up to date with many entities.
    Replication(ReplicationArgs),
    /// Measure how a client joins a large world, under a cap and with loss.
    Join(JoinArgs),
    /// Measure how long entities wait when far more change than fit.
    Overload(OverloadArgs),
    /// Measure the memory that a client takes on the server.
    Memory(CapacityArgs),
    /// Measure what reliable events cost over a lossy link.
    Events(EventsArgs),
    /// Run a match of many days, and let it sleep for an hour.
    Long(LongArgs),
    /// Measure how long a crate with many components takes to compile.
    Compile(CompileArgs),
    /// Measure whether a crate with many component types is as quick as one with few.
    Profiles(ProfilesArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TablesArgs {
    /// How often each side of each row runs; the quickest run counts.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) runs: u32,
    /// Measure indices instead, against a map that is kept by hand.
    #[arg(long)]
    pub(crate) indices: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PacketsArgs {
    /// How often each row runs; the quickest run counts.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: u32,
}

#[derive(Debug, Args)]
pub(crate) struct PrecisionArgs {
    /// How many random values of each rule are tried.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    pub(crate) values: u32,
}

#[derive(Debug, Args)]
pub(crate) struct ReplicationArgs {
    /// How many entities there are.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=16_000))]
    pub(crate) entities: u32,
    /// The chance of each to change in a tick, such as `10%`.
    #[arg(long, default_value = "10%", value_parser = whole_percent)]
    pub(crate) changing: u64,
    /// How many ticks late acks are used.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=100).map(usize::from))]
    pub(crate) ack_delay: usize,
    /// How many clients there are.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256).map(usize::from))]
    pub(crate) clients: usize,
    /// How packets are coded.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) coder: CoderArg,
    /// On how many threads packets are made.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256).map(usize::from))]
    pub(crate) threads: usize,
}

#[derive(Debug, Args)]
pub(crate) struct JoinArgs {
    /// How many entities there are.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=16_000))]
    pub(crate) entities: u32,
    /// The chance of each to change in a tick.
    #[arg(long, default_value = "0%", value_parser = whole_percent)]
    pub(crate) changing: u64,
    /// The cap of each client, in bytes per second.
    #[arg(long, default_value_t = 65_536, value_parser = clap::value_parser!(u32).range(1000..))]
    pub(crate) rate: u32,
    /// The share of datagrams that are lost, both ways.
    #[arg(long, default_value = "5%", value_parser = share)]
    pub(crate) loss: f64,
}

#[derive(Debug, Args)]
pub(crate) struct OverloadArgs {
    /// How many entities there are, all of which change in each tick.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=16_000))]
    pub(crate) entities: u32,
    /// The bytes of the one packet of a tick.
    #[arg(long, default_value_t = 700, value_parser = clap::value_parser!(u16).range(512..=8192).map(usize::from))]
    pub(crate) budget: usize,
}

#[derive(Debug, Args)]
pub(crate) struct CapacityArgs {
    /// How many entities there are.
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=16_000))]
    pub(crate) entities: u32,
}

#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// How many events are sent.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) count: u64,
    /// The share of datagrams that are lost, both ways.
    #[arg(long, default_value = "20%", value_parser = share)]
    pub(crate) loss: f64,
}

#[derive(Debug, Args)]
pub(crate) struct LongArgs {
    /// How many days of 60 ticks a second are run.
    #[arg(long, default_value_t = 30.0, value_parser = days)]
    pub(crate) days: f64,
}

fn days(text: &str) -> Result<f64, String> {
    let days: f64 = text.parse().map_err(|_| "write a number of days, such as `30` or `0.5`")?;
    if (0.0001..=3650.0).contains(&days) { Ok(days) } else { Err("between 0.0001 and 3,650 days".into()) }
}

/// A percentage without a fraction, as a workload counts it.
fn whole_percent(text: &str) -> Result<u64, String> {
    let percent = share(text)? * 100.0;
    let whole = percent.round();
    if (percent - whole).abs() < 1e-9 {
        Ok(whole as u64)
    } else {
        Err("a whole percentage, such as `10%`".into())
    }
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct CompileArgs {
    /// How many components the crate has. Fewer than 4 are too few for its queries.
    #[arg(long, default_value_t = 512, value_parser = clap::value_parser!(u16).range(4..=8192))]
    pub(crate) components: u16,
    /// How many fields each component has. What is above 64 could be more than a packet holds.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) fields: u16,
    /// How often each step runs; the quickest run counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) runs: u32,
}

#[derive(Debug, Args)]
pub(crate) struct ExpandArgs {
    /// A source file with annotated structs, or with the list of `game_state!`.
    pub(crate) file: PathBuf,
    /// Write the expansion to this file.
    #[arg(long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Fail unless this file is the expansion.
    #[arg(long, value_name = "OUT", conflicts_with = "output")]
    pub(crate) check: Option<PathBuf>,
}
