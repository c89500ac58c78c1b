//! `tools bench profiles`: whether a crate stays as quick with many component types as with few.
//!
//! For each profile, a number of component types and of systems, a crate is made up and compiled for release. The
//! programs run by turns, so that a slow minute of the machine slows down all of them, and print what they measured.
//! What an entity is made of, and what the systems visit, is in `bench_worlds::profile`; the source in `sources`.

mod args;
mod cachegrind;
mod report;
mod sources;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use bench_worlds::{Figures, Request, Spread, Task};
use serde::de::DeserializeOwned;

use super::leaf::{Cost, LeafError, Scratch};
use crate::progress::Progress;
pub(crate) use args::ProfilesArgs;
use cachegrind::Count;
use report::{Measured, ProfilesReport};

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProfilesError {
    #[error(transparent)]
    Leaf(#[from] LeafError),
    #[error("valgrind is not installed, which `--cachegrind` counts with")]
    NoValgrind,
    #[error("cannot keep {}", path.display())]
    Keep { path: PathBuf, source: io::Error },
    #[error("cannot start {}", program.display())]
    Start { program: PathBuf, source: io::Error },
    /// Killed where there is not enough memory.
    #[error("{} ends with {status}\n{stderr}", program.display())]
    Program { program: PathBuf, status: std::process::ExitStatus, stderr: String },
    #[error("what the program prints is no answer")]
    Answer(#[source] serde_json::Error),
    #[error("cannot read what valgrind counted in {}", path.display())]
    Counts { path: PathBuf, source: io::Error },
    #[error("valgrind counted nothing of `{0}`")]
    NoCount(&'static str),
}

/// Runs the subcommand.
pub(crate) fn run(args: &ProfilesArgs) -> Result<ProfilesReport, ProfilesError> {
    if !args.cachegrind.is_empty() {
        cachegrind::expect_installed()?;
    }
    let spreads: Vec<Spread> = args.spread.iter().map(|&spread| spread.into()).collect();
    let measured = args.entities.len() as u64 * u64::from(args.rounds);
    let counted = (args.cachegrind.len() * cachegrind::RUNS) as u64;
    let shapes = args.profiles.len() as u64;
    // The dependencies, and for each profile its crate and what its program is asked for.
    let steps = 1 + shapes * (1 + (measured + counted) * spreads.len() as u64);
    let progress = Progress::of("steps", steps);
    let scratch = Scratch::new(sources::CRATE)?;
    let (programs, builds) = build(args, &scratch, &progress)?;
    let mut report = ProfilesReport::new(args, builds);
    for &spread in &spreads {
        for &entities in &args.entities {
            let request = Request { entities, spread, task: Task::Measure };
            let figures = measure(&programs, request, args.rounds, &progress)?;
            report.measured.push(Measured { entities, spread, figures });
        }
        for &entities in &args.cachegrind {
            let counts = programs.iter().map(|program| {
                cachegrind::count(program, scratch.folder(), entities, spread, || progress.advance())
            });
            let figures = counts.collect::<Result<Vec<Vec<Count>>, _>>()?;
            report.counted.push(Measured { entities, spread, figures });
        }
    }
    Ok(report)
}

/// Compiles the crate of each profile: where the programs are, and what compiling cost.
fn build(
    args: &ProfilesArgs,
    scratch: &Scratch,
    progress: &Progress,
) -> Result<(Vec<PathBuf>, Vec<Cost>), ProfilesError> {
    let release = ["build", "--release"];
    scratch.write(&super::leaf::File::new("src/main.rs", "fn main() {}\n".to_owned()))?;
    scratch.cargo(&release)?;
    progress.advance();
    let folder = args.keep.as_deref().unwrap_or(scratch.folder());
    fs::create_dir_all(folder).map_err(|source| ProfilesError::Keep { path: folder.to_owned(), source })?;
    let (mut programs, mut builds) = (Vec::new(), Vec::new());
    for shape in &args.profiles {
        scratch.write_all(&sources::files(*shape, args.fields))?;
        scratch.forget(&["--release"])?;
        builds.push(scratch.cargo(&release)?);
        let name = format!("profile-{}-{}{}", shape.components, shape.systems, std::env::consts::EXE_SUFFIX);
        let path = folder.join(name);
        fs::copy(scratch.program(), &path)
            .map_err(|source| ProfilesError::Keep { path: path.clone(), source })?;
        programs.push(path);
        progress.advance();
    }
    Ok((programs, builds))
}

/// The quickest figures of each program, which run by turns; who begins changes from round to round.
fn measure(
    programs: &[PathBuf],
    request: Request,
    rounds: u32,
    progress: &Progress,
) -> Result<Vec<Figures>, ProfilesError> {
    let mut best: Vec<Option<Figures>> = vec![None; programs.len()];
    for round in 0..rounds as usize {
        for turn in 0..programs.len() {
            let at = (turn + round) % programs.len();
            let figures = ask(Command::new(&programs[at]), &programs[at], request)?;
            match &mut best[at] {
                Some(best) => report::keep_better(best, &figures),
                none => *none = Some(figures),
            }
            progress.advance();
        }
    }
    Ok(best.into_iter().flatten().collect())
}

/// Runs a program, by itself or by another, and reads its answer.
fn ask<T: DeserializeOwned>(
    mut command: Command,
    program: &Path,
    request: Request,
) -> Result<T, ProfilesError> {
    let program = program.to_owned();
    let request = serde_json::to_string(&request).map_err(ProfilesError::Answer)?;
    let output = match command.arg(request).output() {
        Ok(output) => output,
        Err(source) => return Err(ProfilesError::Start { program, source }),
    };
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        return Err(ProfilesError::Program { program, status: output.status, stderr });
    }
    serde_json::from_slice(&output.stdout).map_err(ProfilesError::Answer)
}
