//! `tools train`: learns from recordings and matches what is likely, and writes priors.

mod net;
mod samples;

use core::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use ecs_runtime::codec::{Lessons, Priors, PriorsError, Weights};
use ecs_runtime::schema::{Motion, Schema};
use rand_core::SeedableRng;
use rand_pcg::Pcg64Mcg;
use serde::Serialize;

use crate::cli::{EffortArgs, MatchArgs, TrainArgs};
use crate::match_run::{self, MatchError};
use crate::progress::Progress;
use crate::stream::{self, FileError};
use net::Net;
use samples::Samples;

/// Why nothing was trained.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrainError {
    #[error(transparent)]
    Stream(#[from] FileError),
    #[error(transparent)]
    Match(#[from] MatchError),
    #[error(transparent)]
    Priors(#[from] PriorsError),
    #[error("nothing was sent, so there is nothing to learn from")]
    Nothing,
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// A field of which fewer states were seen is not trained.
const MIN_SAMPLES: usize = 2000;

/// How long is trained.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// How often it goes over all that was learned.
    pub(crate) epochs: usize,
    /// How many hidden units a net has.
    pub(crate) hidden: usize,
    /// Whether the world looks the same in a mirror, east for west and north for south.
    pub(crate) mirrored: bool,
}

impl From<&EffortArgs> for Effort {
    fn from(args: &EffortArgs) -> Self {
        Self { epochs: args.epochs as usize, hidden: Weights::HIDDEN, mirrored: args.mirrored }
    }
}

/// Runs the subcommand.
pub(crate) fn run(args: &TrainArgs) -> Result<TrainReport, TrainError> {
    let effort = Effort::from(&args.effort);
    expect_writable(&args.out).map_err(|source| TrainError::Write { path: args.out.clone(), source })?;
    let (priors, fields) = match &args.recording {
        Some(recording) => {
            let frames = args.frames.clone().unwrap_or(0..u64::MAX);
            of_recording(recording, &frames, &args.ack_delays, effort)?
        }
        None => {
            let TrainArgs { players, seconds, seed, .. } = *args;
            let args = MatchArgs { players, seconds, seed, ..MatchArgs::default() };
            train(effort, match_run::SCHEMA, |priors| Ok(match_run::learn(&args, priors)?))?
        }
    };
    let text = priors.write();
    std::fs::write(&args.out, &text)
        .map_err(|source| TrainError::Write { path: args.out.clone(), source })?;
    Ok(TrainReport {
        out: args.out.clone(),
        bytes: text.len(),
        identity: format!("{:016x}", priors.identity()),
        fields,
    })
}

/// Finds out whether a file can be written before the work is done that it is for.
fn expect_writable(path: &std::path::Path) -> std::io::Result<()> {
    let is_new = !path.exists();
    std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    if is_new { std::fs::remove_file(path) } else { Ok(()) }
}

/// Trains on frames of a recording of cubes, with acks that come so late.
pub(crate) fn of_recording(
    file: &std::path::Path,
    frames: &Range<u64>,
    ack_delays: &[usize],
    effort: Effort,
) -> Result<(Priors, Vec<FieldReport>), TrainError> {
    train(effort, stream::SCHEMA, |priors| {
        let mut lessons = Lessons::new(stream::SCHEMA);
        for delay in ack_delays {
            lessons = stream::learn(file, frames, *delay, priors, lessons)?;
        }
        Ok(lessons)
    })
}

/// Trains by what playing with priors teaches: first the vectors, then the rotations, which know how far off those are,
/// then the orders of codes, and last how likely their decisions are.
fn train(
    effort: Effort,
    schema: &'static Schema,
    mut play: impl FnMut(&Arc<Priors>) -> Result<Lessons, TrainError>,
) -> Result<(Priors, Vec<FieldReport>), TrainError> {
    let (mut priors, mut fields) = (Arc::new(Priors::default()), Vec::new());
    let moves = |motion| Lessons::new(schema).motions().any(|lessons| lessons.motion == motion);
    let motions = [Motion::Linear, Motion::Rotation].map(|motion| (motion, moves(motion)));
    for (motion, _) in motions.into_iter().filter(|(_, moves)| *moves) {
        let lessons = play(&priors)?;
        for lessons in lessons.motions().filter(|lessons| lessons.motion == motion) {
            let samples = Samples::new(lessons);
            let trained = samples.len() >= MIN_SAMPLES;
            let (component, field) = (lessons.component, lessons.field);
            fields.push(FieldReport { component, field, samples: samples.len(), trained });
            if !trained {
                // It is foretold better by what serves anything.
                continue;
            }
            let progress = Progress::of("epochs", effort.epochs as u64);
            let mut random = Pcg64Mcg::seed_from_u64(1);
            let net = Net::trained(&samples, effort, &mut random, &mut || progress.advance());
            let before = Priors::clone(&priors);
            priors = Arc::new(before.with_field(lessons.component, lessons.field, motion, net.weights())?);
        }
    }
    if motions.iter().any(|(_, moves)| *moves) {
        let orders = play(&priors)?.orders(priors.orders());
        priors = Arc::new(Priors::clone(&priors).with_orders(orders)?);
    }
    let lessons = play(&priors)?;
    if lessons.decisions().is_empty() {
        return Err(TrainError::Nothing);
    }
    Ok((Priors::clone(&priors).with_decisions(schema, lessons.decisions()), fields))
}

/// The report of `tools train`.
#[derive(Debug, Serialize)]
pub(crate) struct TrainReport {
    out: PathBuf,
    bytes: usize,
    identity: String,
    /// The fields that move by `#[predict]` or as rotations.
    fields: Vec<FieldReport>,
}

/// What came of a field that moves.
#[derive(Debug, Serialize)]
pub(crate) struct FieldReport {
    component: &'static str,
    field: &'static str,
    /// How many of its states were seen, mirrored ones included.
    samples: usize,
    /// Whether it was trained: not by fewer than 2,000 states.
    trained: bool,
}

impl core::fmt::Display for TrainReport {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        writeln!(f, "priors {} in {} ({} bytes)", self.identity, self.out.display(), self.bytes)?;
        for FieldReport { component, field, samples, trained } in &self.fields {
            let came = if *trained { "trained" } else { "not trained: fewer than 2,000 are too few" };
            writeln!(f, "  {component}.{field}: {samples} states, {came}")?;
        }
        if self.fields.is_empty() {
            writeln!(f, "  no field moves, so only the probabilities of decisions were learned")?;
        }
        Ok(())
    }
}
