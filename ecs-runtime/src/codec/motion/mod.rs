//! Fields that move: their numbers together are foretold by how they moved, and so is how far off that will be.
//!
//! One function codes both directions: it is given the values and gives them back, and who reads has any values there.
//! All of it is whole numbers, the same on every platform. Distances are taken by their logarithms, so that nothing
//! depends on units.

mod fixed;
mod inputs;
pub(super) mod net;
mod rotation;
mod vector;
pub(super) mod weights;

use super::baselines::{BASELINES, Rows, STEPS, Times};
use super::priors::{BUCKETS, Priors};
use crate::schema::{Motion, StructSchema, Word};
use fixed::log;
use net::{INPUTS, LANES, Net, REGRESSORS};

/// The words of a component that move together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    motion: Motion,
    /// Where its words begin, and how many it has.
    at: usize,
    len: usize,
    net: Net,
}

/// The groups of a component, in the order of its words, as they are foretold by priors.
pub(super) fn groups(component: &StructSchema, priors: &Priors) -> Vec<Group> {
    let (mut at, mut behind_vector) = (0, false);
    let fields = component.sent_fields().filter_map(|field| {
        let (start, len) = (at, field.words());
        at += len;
        let motion = field.motion?;
        let words = component.words.get(start..at).unwrap_or(&[]);
        let net = priors.net(component.name, field.name, motion);
        let net = net.unwrap_or_else(|| Net::untrained(motion, words, behind_vector));
        behind_vector |= motion == Motion::Linear;
        Some(Group { motion, at: start, len, net })
    });
    fields.collect()
}

impl Group {
    /// What it costs of a packet's [`Limit`](super::Limit) beside its words.
    pub(super) fn cost(&self) -> usize {
        match self.motion {
            Motion::Linear => 6,
            Motion::Rotation => 14,
        }
    }

    /// Where its words begin.
    pub(super) fn start(&self) -> usize {
        self.at
    }

    /// Its words of a row.
    pub(super) fn of<'r, T>(&self, row: &'r [T]) -> &'r [T] {
        row.get(self.at..self.at + self.len).unwrap_or(&[])
    }

    /// The same, to be changed.
    pub(super) fn of_mut<'r, T>(&self, row: &'r mut [T]) -> &'r mut [T] {
        row.get_mut(self.at..self.at + self.len).unwrap_or(&mut [])
    }
}

/// One direction of coding.
pub(super) trait Direction {
    type Error;

    /// A decision, in a context.
    fn decide(&mut self, context: u32, value: bool) -> Result<bool, Self::Error>;

    /// A number by its difference from what was foretold, of an expected size.
    fn number(&mut self, word: &Word, bucket: usize, foretold: u32, value: u32) -> Result<u32, Self::Error>;

    /// Takes note of what a net was told and what came of it, to train one.
    #[inline]
    fn observe<'s>(&mut self, sample: impl FnOnce() -> Sample<'s>) {
        let _ = sample;
    }
}

/// What a net is told, and what it should say.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'s> {
    /// Logarithms, in 16ths.
    pub inputs: &'s [i16; INPUTS],
    /// What the coefficients of each lane multiply.
    pub regressors: &'s [[i32; REGRESSORS]; LANES],
    /// What came of it.
    pub truth: Truth,
}

/// What came of a motion.
#[derive(Clone, Copy, Debug)]
pub enum Truth {
    /// How far each number went.
    Vector([i32; LANES]),
    /// How it turned.
    Turn {
        /// Half the angle times the axis, in 16384ths.
        turn: [i32; LANES],
        /// The orientation that it led to, in 16384ths.
        now: [i32; 4],
        /// Which number of that is left out.
        largest: u32,
        /// The largest value of a number's word.
        max: u32,
    },
}

/// What the last vector of a component says of what comes after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector {
    /// Whether it changed.
    changed: bool,
    /// How far off each number was, and the logarithm of the expected size of that, in 256ths.
    errors: [i32; LANES],
    scales: [i32; LANES],
    /// How far each number went, where it is, and how far that is from the middle.
    steps: [i32; LANES],
    values: [i32; LANES],
    from_middle: [i32; LANES],
    /// How rough and how fast its motion was, as a net is told.
    rough: i16,
    speed: i16,
}

impl Default for Vector {
    fn default() -> Self {
        Self {
            changed: false,
            errors: [0; LANES],
            scales: [-384; LANES],
            steps: [0; LANES],
            values: [0; LANES],
            from_middle: [0; LANES],
            rough: 0,
            speed: 0,
        }
    }
}

/// Codes the words of a group that changed; `rows` are those of its component. `words` and `values` are its own.
pub(super) fn code<D: Direction>(
    to: &mut D,
    group: &Group,
    words: &[Word],
    rows: &Rows<'_>,
    values: &mut [u32],
    before: &mut Vector,
) -> Result<(), D::Error> {
    let known = Known::new(group, rows);
    match group.motion {
        Motion::Linear => *before = vector::code(to, words, &group.net, &known, values)?,
        Motion::Rotation => rotation::code(to, words, &group.net, &known, values, before)?,
    }
    Ok(())
}

/// Takes note of a group that did not change.
pub(super) fn skip(group: &Group, words: &[Word], values: &[u32], before: &mut Vector) {
    if group.motion == Motion::Linear {
        *before = Vector::at_rest(words, values);
    }
}

/// The words of a group in the known states, the newest first; the oldest stands for those that are missing.
struct Known {
    words: [[u32; 4]; BASELINES],
    times: Times,
    /// The logarithm of the ticks from the newest to now, in 16ths.
    log_horizon: i32,
}

impl Known {
    fn new(group: &Group, rows: &Rows<'_>) -> Self {
        let words = rows.filled().map(|row| {
            let from = row.get(group.at..).unwrap_or(&[]);
            // What follows the words of a short group is not looked at.
            core::array::from_fn(|at| from.get(at).copied().unwrap_or(0))
        });
        let times = *rows.times();
        Self { words, times, log_horizon: log(16 * times.horizon.cast_signed() - 1) - 64 }
    }

    /// A step, as it would be in a tick, and as it would be from the newest state to now.
    #[inline]
    fn rates(&self, at: usize, step: i32) -> (i32, i32) {
        let (ticks, horizon) = (self.times.ticks[at].cast_signed(), self.times.horizon.cast_signed());
        if ticks == 1 {
            return (step, step.wrapping_mul(horizon));
        }
        let half = ticks / 2 * step.signum();
        ((step + half) / ticks, (i64::from(step) * i64::from(horizon) / i64::from(ticks)) as i32)
    }
}

/// The differences between one step and the next.
fn changes(steps: &[i32; STEPS]) -> [i32; STEPS - 1] {
    core::array::from_fn(|at| steps[at] - steps[at + 1])
}

/// The class of a difference whose size is expected to be 2^`scale`, in 256ths: a third of an octave.
fn bucket(scale: i32) -> usize {
    ((scale.saturating_add(384).saturating_mul(3)) >> 8).clamp(0, BUCKETS as i32 - 1) as usize
}
