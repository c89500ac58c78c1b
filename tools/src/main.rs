//! The command line: run a match, measure the codec and the tables, read expansions and the schema.
#![forbid(unsafe_code)]

mod bench;
mod chaos;
mod cli;
mod expand;
mod match_run;
mod priors;
mod progress;
mod report;
mod schema;
mod stream;
mod train;

use std::error::Error;
use std::process::ExitCode;

use cli::{BenchCommand, Cli, Command, SchemaCommand};

fn main() -> ExitCode {
    match run(&Cli::of_process()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", with_causes(&*error));
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<(), Box<dyn Error>> {
    match &cli.command {
        Command::Match(args) => report::print(&match_run::run(args)?, cli.json)?,
        Command::Stream(args) => {
            let report = stream::run(args)?;
            report::print(&report, cli.json)?;
            report.expect_lossless()?;
        }
        Command::Train(args) => report::print(&train::run(args)?, cli.json)?,
        Command::Bench(BenchCommand::Tables(args)) => report::print(&bench::tables::run(args), cli.json)?,
        Command::Bench(BenchCommand::Packets(args)) => report::print(&bench::packets::run(args), cli.json)?,
        Command::Bench(BenchCommand::Precision(args)) => {
            report::print(&bench::precision::run(args), cli.json)?;
        }
        Command::Bench(BenchCommand::Replication(args)) => {
            report::print(&bench::crowd::replication(args)?, cli.json)?;
        }
        Command::Bench(BenchCommand::Join(args)) => report::print(&bench::crowd::join(args)?, cli.json)?,
        Command::Bench(BenchCommand::Overload(args)) => {
            report::print(&bench::crowd::overload(args)?, cli.json)?;
        }
        Command::Bench(BenchCommand::Memory(args)) => report::print(&bench::crowd::memory(args)?, cli.json)?,
        Command::Bench(BenchCommand::Events(args)) => report::print(&bench::crowd::events(args)?, cli.json)?,
        Command::Bench(BenchCommand::Long(args)) => report::print(&bench::crowd::long(args)?, cli.json)?,
        Command::Bench(BenchCommand::Compile(args)) => report::print(&bench::compile::run(args)?, cli.json)?,
        Command::Bench(BenchCommand::Profiles(args)) => {
            report::print(&bench::profiles::run(args)?, cli.json)?;
        }
        Command::Chaos(args) => report::print(&chaos::run(args)?, cli.json)?,
        Command::Expand(args) => report::print(&expand::run(args)?, cli.json)?,
        Command::Schema(args) => match &args.command {
            None => report::print(&schema::run(), cli.json)?,
            Some(SchemaCommand::Diff(args)) => report::print(&schema::diff(args)?, cli.json)?,
        },
    }
    Ok(())
}

/// What an error says, and what its causes say, unless it has said that itself.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}
