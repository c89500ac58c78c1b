//! `tools stream`: plays a recording of 901 cubes through the protocol, and measures what it costs.
//!
//! The rules are those of the recording: packet `n` carries frame `n`, and is made when the ack of packet `n - 6`
//! is the newest; the first six frames are known beforehand and not measured.

mod recording;
mod report;
mod scene;

use std::io::BufRead;

use cubes::{CUBES, GameState};
use ecs_runtime::world::GameWorld;

use crate::cli::StreamArgs;
use crate::progress::Progress;
use crate::report::BitRows;
use recording::{Recording, RecordingError};
use report::{StreamReport, Totals};
use scene::{ACK_DELAY, Scene, SceneError};

/// Why a recording was not measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StreamError {
    #[error(transparent)]
    Recording(#[from] RecordingError),
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Nothing is left to measure.
    #[error("there are only {0} frames: the first {ACK_DELAY} are known beforehand, so none is measured")]
    TooFewFrames(u64),
}

/// Runs the subcommand.
pub(crate) fn run(args: &StreamArgs) -> Result<StreamReport, StreamError> {
    let limit = args.frames.unwrap_or(u64::MAX);
    // Keeping account takes time of its own, so times are of a run without it.
    let totals = play(Recording::open(&args.file)?, limit, false)?.totals;
    let Played { frames, bits, .. } = play(Recording::open(&args.file)?, limit, true)?;
    Ok(StreamReport::new(frames, &totals, bits))
}

/// What playing a recording came to.
struct Played {
    /// How many frames it has, those known beforehand included.
    frames: u64,
    totals: Totals,
    /// Where the bits of the measured packets went, if that was accounted for.
    bits: BitRows,
}

/// Plays up to `limit` frames.
fn play<R: BufRead>(mut recording: Recording<R>, limit: u64, account: bool) -> Result<Played, StreamError> {
    let progress = Progress::counting("frames");
    let mut frame = Vec::with_capacity(CUBES);
    recording.next_frame(&mut frame)?;
    let mut scene = Scene::join(&frame, account)?;
    let mut frames = 1;
    let mut before = rows(&scene);
    let mut totals = Totals::default();
    while frames < limit && recording.next_frame(&mut frame)? {
        let step = scene.step(&frame)?;
        if frames < ACK_DELAY as u64 {
            before = rows(&scene);
        } else {
            totals.add(&step);
        }
        frames += 1;
        progress.advance();
    }
    if totals.packets == 0 {
        return Err(StreamError::TooFewFrames(frames));
    }
    Ok(Played { frames, totals, bits: rows(&scene).since(&before) })
}

fn rows(scene: &Scene) -> BitRows {
    BitRows::new(GameState::SCHEMA, &scene.account())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let Played { frames, totals, bits } = play(Recording::new(bytes)?, limit, true)?;
        Ok(StreamReport::new(frames, &totals, bits))
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
