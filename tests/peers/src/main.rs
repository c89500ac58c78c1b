//! Measures the runtime and its peers in one process, and prints ratios.
//!
//! ```sh
//! cargo run --release --manifest-path tests/peers/Cargo.toml -- snapshot
//! cargo run --release --manifest-path tests/peers/Cargo.toml -- world
//! cargo run --release --manifest-path tests/peers/Cargo.toml -- replication
//! ```
//!
//! Each peer does the same work on the same values, in the fastest form that its documentation has for it, and is checked
//! to arrive at the same values before or after its time is taken. The modules of the peers say how each is configured, and
//! why:
//!
//! | peer | module | configured as |
//! |---|---|---|
//! | a coder written by hand | `snapshot::hand` | rows of fixed width, one pass, a packer of 64 bits |
//! | bitcode | `snapshot::whole` | its own derive, and a buffer that is used again |
//! | bincode 2 | `snapshot::whole` | its own derive, integers of fixed size, into a slice |
//! | postcard | `snapshot::whole` | serde, into a slice |
//! | rkyv | `snapshot::whole` | archived as laid out in memory, into an aligned buffer that is used again |
//! | plain vectors | `world::floor` | just what a row needs; no usable world |
//! | slots written by hand | `world::slots` | those of `tools bench tables` |
//! | gecs | `world::gecs` | `ecs_iter!` and `ecs_find!`, archetypes of dynamic capacity |
//! | hecs | `world::hecs` | prepared queries and views, `spawn_batch` |
//! | bevy_ecs | `world::bevy` | slices of tables, change detection bypassed, `spawn_batch`, queries with a kept state |
//! | shipyard | `world::shipyard` | views borrowed once a pass, no tracking, `bulk_add_entity` |
//! | bevy_replicon | `replication::replicon` | a tick with every update, one thread, no backend |
//! | naia | `replication::naia` | without an engine, in memory, no cap on bandwidth |
//!
//! It is a workspace of its own, so that neither the product nor its tests depend on game engines. It depends on
//! bevy_replicon 0.44, the newest whose Bevy builds with Rust 1.95, and on bincode 2, after which there is only a release
//! that does not compile, on purpose. Its bevy_ecs is older than the one in `world`, which is the newest.
mod allocations;
mod cli;
mod progress;
mod replication;
mod report;
mod snapshot;
mod timing;
mod world;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};

ecs_runtime::game_state! {
    max_entities = 4096;
    pub(crate) snapshot::Soldier,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<(), Box<dyn std::error::Error>> {
    match &cli.command {
        Command::Snapshot(args) => report::print(&snapshot::run(args), cli.json)?,
        Command::World(args) => report::print(&world::run(args), cli.json)?,
        Command::Replication(args) => report::print(&replication::run(args), cli.json)?,
    }
    Ok(())
}
