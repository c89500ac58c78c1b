//! `tools train`: learns from recordings how fields move, and writes priors.

mod net;
mod samples;

use core::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use ecs_runtime::codec::{Lessons, Priors, PriorsError, Weights};
use ecs_runtime::schema::Motion;
use rand_core::SeedableRng;
use rand_pcg::Pcg64Mcg;
use serde::Serialize;

use crate::cli::{EffortArgs, TrainArgs};
use crate::progress::Progress;
use crate::stream::{self, StreamError};
use net::Net;
use samples::Samples;

/// Why nothing was trained.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrainError {
    #[error(transparent)]
    Stream(#[from] StreamError),
    #[error(transparent)]
    Priors(#[from] PriorsError),
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

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
    let frames = args.frames.clone().unwrap_or(0..u64::MAX);
    let priors = of_recording(&args.recording, &frames, &args.ack_delays, effort)?;
    let text = priors.write();
    std::fs::write(&args.out, &text)
        .map_err(|source| TrainError::Write { path: args.out.clone(), source })?;
    Ok(TrainReport {
        out: args.out.clone(),
        bytes: text.len(),
        identity: format!("{:016x}", priors.identity()),
    })
}

/// Trains on frames of a recording of cubes, with acks that come so late.
pub(crate) fn of_recording(
    file: &std::path::Path,
    frames: &Range<u64>,
    ack_delays: &[usize],
    effort: Effort,
) -> Result<Priors, TrainError> {
    train(effort, |priors| {
        let mut lessons = Lessons::new(stream::SCHEMA);
        for delay in ack_delays {
            lessons = stream::learn(file, frames, *delay, priors, lessons)?;
        }
        Ok(lessons)
    })
}

/// Trains by what playing with priors teaches: first the vectors, then the rotations, which know how far off those are,
/// and last what is left.
fn train(
    effort: Effort,
    mut play: impl FnMut(&Arc<Priors>) -> Result<Lessons, TrainError>,
) -> Result<Priors, TrainError> {
    let mut priors = Arc::new(Priors::default());
    for motion in [Motion::Linear, Motion::Rotation] {
        let lessons = play(&priors)?;
        for lessons in lessons.motions().filter(|lessons| lessons.motion == motion) {
            let samples = Samples::new(lessons);
            let progress = Progress::of("epochs", effort.epochs as u64);
            let mut random = Pcg64Mcg::seed_from_u64(1);
            let net = Net::trained(&samples, effort, &mut random, &mut || progress.advance());
            let trained = Priors::clone(&priors);
            priors = Arc::new(trained.with_field(lessons.component, lessons.field, motion, net.weights())?);
        }
    }
    let lessons = play(&priors)?;
    let orders = lessons.orders(priors.orders());
    let priors = Arc::new(Priors::clone(&priors).with_orders(orders)?);
    // The orders say which decisions there are.
    let lessons = play(&priors)?;
    Ok(Priors::clone(&priors).with_decisions(stream::SCHEMA, lessons.decisions()))
}

/// The report of `tools train`.
#[derive(Debug, Serialize)]
pub(crate) struct TrainReport {
    out: PathBuf,
    bytes: usize,
    identity: String,
}

impl core::fmt::Display for TrainReport {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        writeln!(f, "priors {} in {} ({} bytes)", self.identity, self.out.display(), self.bytes)
    }
}
