//! `tools bench compile`: how long a crate with many components takes to compile.
//!
//! The crate is made up, in a folder of its own that is gone afterwards, and compiled as a team would: with the dev
//! profile, dependencies built before, incrementally. Its source is in `sources`, but for the components.

mod report;
mod sources;

use std::hint::black_box;
use std::time::Instant;

use proc_macro2::TokenStream;

use super::leaf::{Cost, Crate, LeafError, Scratch};
use crate::cli::CompileArgs;
use crate::progress::Progress;
use report::CompileReport;
use sources::Sources;

/// The crate.
const CRATE: Crate = Crate {
    name: "bench-compile",
    dependencies: &[("ecs-runtime", "ecs-runtime")],
    manifest: "",
    root: "src/lib.rs",
};

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CompileError {
    #[error(transparent)]
    Leaf(#[from] LeafError),
    #[error("the made-up source has mistakes")]
    Source(#[from] proc_macro2::LexError),
}

/// Runs the subcommand.
pub(crate) fn run(args: &CompileArgs) -> Result<CompileReport, CompileError> {
    let sources = Sources::new(args.components, args.fields);
    // For the dependencies two steps, then for each run the four that are measured.
    let progress = Progress::of("steps", 2 + 4 * u64::from(args.runs));
    let scratch = Scratch::new(CRATE)?;
    for command in ["check", "build"] {
        scratch.cargo(&[command])?;
        progress.advance();
    }
    let [mut check, mut recheck, mut build, mut rebuild] = [Cost::WORST; 4];
    for _ in 0..args.runs {
        scratch.forget(&[])?;
        for (command, all, edit) in [("check", &mut check, &mut recheck), ("build", &mut build, &mut rebuild)]
        {
            scratch.write_all(&sources.files)?;
            all.keep_better(scratch.cargo(&[command])?);
            progress.advance();
            scratch.write(&sources.edited())?;
            edit.keep_better(scratch.cargo(&[command])?);
            progress.advance();
        }
    }
    let expansion_s = expand(&sources, args.runs)?;
    Ok(CompileReport::new(args, &sources, [check, recheck, build, rebuild], expansion_s))
}

/// How long the library behind the macros takes for the same sources, in seconds: the quickest run.
///
/// Lexing is left out, which the compiler does anyway.
fn expand(sources: &Sources, runs: u32) -> Result<f64, CompileError> {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let components =
            sources.components.iter().map(|item| item.parse()).collect::<Result<Vec<TokenStream>, _>>()?;
        let list: TokenStream = format!("[::ecs_runtime] {}", sources.list).parse()?;
        let start = Instant::now();
        for item in components {
            black_box(ecs_codegen::component(&TokenStream::new(), item));
        }
        black_box(ecs_codegen::game_state(list));
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sources_are_expanded_in_this_process() {
        let seconds = expand(&Sources::new(20, 4), 2).expect("no mistakes");
        assert!(seconds.is_finite() && seconds > 0.0);
    }
}
