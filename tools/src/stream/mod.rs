//! `tools stream`: plays a recording of 901 cubes through the protocol, and measures what it costs.
//!
//! The rules are those of the recording: packet `n` carries frame `n`, and is made when the ack of packet `n - 6`
//! is the newest; the first six frames are known beforehand and not measured.

mod packer;
mod recording;
mod report;
mod scene;

use core::ops::Range;
use std::error::Error;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cubes::{CUBES, GameState};
use ecs_runtime::codec::{Coder, Lessons, Priors};
use ecs_runtime::schema::Schema;
use ecs_runtime::world::GameWorld;

use crate::cli::StreamArgs;
use crate::priors;
use crate::progress::Progress;
use crate::report::{BitRows, CodedBy};
use packer::Packer;
use recording::{Recording, RecordingError};
use report::{StreamReport, Totals};
use scene::{ACK_DELAY, Coding, Scene, SceneError};

use crate::train::{self, Effort};

/// Why a recording was not measured.
#[derive(Debug, thiserror::Error)]
#[error("{}", path.display())]
pub(crate) struct FileError {
    path: PathBuf,
    source: StreamError,
}

impl FileError {
    fn of(path: &Path) -> impl FnOnce(StreamError) -> Self {
        |source| Self { path: path.to_owned(), source }
    }
}

/// What was measured is no measurement.
#[derive(Debug, thiserror::Error)]
#[error(
    "not every frame came back as it was: {deferred} states did not fit into a packet of its frame, so that these \
     figures are not those of the recording"
)]
pub(crate) struct Lossy {
    deferred: u64,
}

/// What is wrong with a recording.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StreamError {
    #[error(transparent)]
    Recording(#[from] RecordingError),
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Nothing is left to measure.
    #[error("there are only {0} frames: the first {ACK_DELAY} are known beforehand, so none is measured")]
    TooFewFrames(u64),
    #[error(
        "there are only {frames} frames; the first to learn from would be {first}, after those known beforehand"
    )]
    NothingToLearn { frames: u64, first: u64 },
}

/// The schema of the scene.
pub(crate) const SCHEMA: &Schema = GameState::SCHEMA;

/// Runs the subcommand.
pub(crate) fn run(args: &StreamArgs) -> Result<StreamReport, Box<dyn Error>> {
    if args.cross_fit {
        return cross_fit(args);
    }
    let priors = priors::load(args.priors.as_deref(), SCHEMA)?;
    let limit = args.frames.unwrap_or(u64::MAX);
    let coding = Coding { ack_delay: ACK_DELAY, account: false, coder: args.coder.into(), priors };
    let played = measured(&args.file, limit, coding, &(0..u64::MAX))?;
    Ok(played.report(CodedBy::new(args.coder, args.priors.as_deref())))
}

/// Trains on one half of a recording and codes the other, and the other way round.
fn cross_fit(args: &StreamArgs) -> Result<StreamReport, Box<dyn Error>> {
    let effort = Effort::from(&args.effort);
    let halves = [0..HALF, HALF..u64::MAX];
    let mut all: Option<Played> = None;
    for (trained, coded) in [(&halves[1], &halves[0]), (&halves[0], &halves[1])] {
        let (priors, _) = train::of_recording(&args.file, trained, &[ACK_DELAY], effort)?;
        let coding = Coding {
            ack_delay: ACK_DELAY,
            account: false,
            coder: args.coder.into(),
            priors: Arc::new(priors),
        };
        let half = measured(&args.file, u64::MAX, coding, coded)?;
        match &mut all {
            None => all = Some(half),
            Some(all) => all.join(&half),
        }
    }
    let coded = CodedBy::with(args.coder, "the other half of the frames");
    let all = all.ok_or(StreamError::TooFewFrames(0)).map_err(FileError::of(&args.file))?;
    Ok(all.report(coded))
}

/// The frame at which a recording is halved to train on one half and code the other.
const HALF: u64 = 1421;

/// Plays up to `limit` frames, and measures some of them.
fn measured(file: &Path, limit: u64, coding: Coding, counted: &Range<u64>) -> Result<Played, FileError> {
    let play = |coding: &Coding| {
        let recording = Recording::open(file).map_err(StreamError::from);
        recording.and_then(|recording| play(recording, limit, coding, counted)).map_err(FileError::of(file))
    };
    // Keeping account takes time of its own, so times are of a run without it.
    let totals = play(&coding)?.totals;
    let coding = Coding { account: true, ..coding };
    Ok(Played { totals, ..play(&coding)? })
}

/// Plays a recording, and learns from some of its frames.
pub(crate) fn learn(
    file: &Path,
    frames: &Range<u64>,
    ack_delay: usize,
    priors: &Arc<Priors>,
    lessons: Lessons,
) -> Result<Lessons, FileError> {
    let recording = Recording::open(file).map_err(StreamError::from);
    let learned = recording.and_then(|recording| learn_of(recording, frames, ack_delay, priors, lessons));
    learned.map_err(FileError::of(file))
}

fn learn_of<R: BufRead>(
    mut recording: Recording<R>,
    frames: &Range<u64>,
    ack_delay: usize,
    priors: &Arc<Priors>,
    lessons: Lessons,
) -> Result<Lessons, StreamError> {
    let progress = Progress::counting("frames");
    let mut frame = Vec::with_capacity(CUBES);
    recording.next_frame(&mut frame)?;
    let coding = Coding { ack_delay, account: false, coder: Coder::Plain, priors: Arc::clone(priors) };
    let mut scene = Scene::join(&frame, &coding)?;
    let (mut waiting, mut number) = (Some(lessons), 1);
    // What is told of the first frames is told from what no match would know.
    let first = frames.start.max(ack_delay as u64);
    while number < frames.end && recording.next_frame(&mut frame)? {
        if number >= first
            && let Some(lessons) = waiting.take()
        {
            scene.learn(Some(lessons));
        }
        scene.step(&frame)?;
        number += 1;
        progress.advance();
    }
    scene.learn(None).ok_or(StreamError::NothingToLearn { frames: number, first })
}

/// What playing a recording came to.
struct Played {
    /// How many frames it has, those known beforehand included.
    frames: u64,
    totals: Totals,
    /// Where the bits of the measured packets went, if that was accounted for.
    bits: BitRows,
}

impl Played {
    fn report(self, coded: CodedBy) -> StreamReport {
        StreamReport::new(coded, self.frames, &self.totals, self.bits)
    }

    /// Adds what other packets of the same frames came to.
    fn join(&mut self, other: &Self) {
        self.totals.join(&other.totals);
        self.bits.add(&other.bits);
    }
}

/// Plays up to `limit` frames, and counts some of them.
fn play<R: BufRead>(
    mut recording: Recording<R>,
    limit: u64,
    coding: &Coding,
    counted: &Range<u64>,
) -> Result<Played, StreamError> {
    let progress = Progress::counting("frames");
    let mut frame = Vec::with_capacity(CUBES);
    recording.next_frame(&mut frame)?;
    let mut scene = Scene::join(&frame, coding)?;
    let mut frames = 1;
    let mut before = rows(&scene);
    let mut after = before.clone();
    let mut totals = Totals::default();
    let mut packer = Packer::new(coding.ack_delay);
    packer.pack(&frame);
    while frames < limit && recording.next_frame(&mut frame)? {
        let step = scene.step(&frame)?;
        let packed = packer.pack(&frame);
        if frames < counted.start.max(coding.ack_delay as u64) {
            before = rows(&scene);
        } else if frames < counted.end {
            totals.add(&step, packed);
            after = rows(&scene);
        }
        frames += 1;
        progress.advance();
    }
    if totals.packets == 0 {
        return Err(StreamError::TooFewFrames(frames));
    }
    Ok(Played { frames, totals, bits: after.since(&before) })
}

fn rows(scene: &Scene) -> BitRows {
    BitRows::new(GameState::SCHEMA, &scene.account())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::CoderArg;

    /// A recording in which a few cubes move, each frame others.
    fn recording(frames: i32) -> Vec<u8> {
        let cube = |frame: i32, cube: i32| {
            let moved = if cube % 97 < 3 { frame * (cube % 7) } else { 0 };
            [
                cube % 4,
                cube % 512,
                moved % 512,
                0,
                16 * cube - 7_000 + moved,
                -moved,
                100,
                i32::from(moved > 50),
            ]
        };
        let values =
            (0..frames).flat_map(|frame| (0..CUBES as i32).flat_map(move |number| cube(frame, number)));
        values.flat_map(i32::to_le_bytes).collect()
    }

    fn played(bytes: &[u8], limit: u64) -> Result<StreamReport, StreamError> {
        let coding =
            Coding { ack_delay: ACK_DELAY, account: true, coder: Coder::Plain, priors: Arc::default() };
        let coded = CodedBy::new(CoderArg::Plain, None);
        Ok(play(Recording::new(bytes)?, limit, &coding, &(0..u64::MAX))?.report(coded))
    }

    #[test]
    fn every_frame_arrives_exactly_and_every_bit_is_accounted_for() {
        let report = played(&recording(30), u64::MAX).expect("a recording");
        assert_eq!((report.frames, report.packets), (30, 24));
        assert!(report.lossless);
        assert_eq!(report.deferred, 0);
        let bytes = (report.bytes_per_packet + report.header_bytes_per_packet) * report.packets as f64;
        assert_eq!(report.bits_by_component.sum(), 8 * bytes.round() as u64);
        assert!(report.bytes_per_packet > 0.0 && report.max_packet_bytes <= 1200);
    }

    #[test]
    fn a_limit_plays_only_the_first_frames() {
        let report = played(&recording(30), 10).expect("a recording");
        assert_eq!((report.frames, report.packets), (10, 4));
    }

    #[test]
    fn a_recording_of_known_frames_alone_is_refused() {
        let error = played(&recording(6), u64::MAX).expect_err("nothing to measure");
        assert!(matches!(error, StreamError::TooFewFrames(6)), "{error}");
    }
}
