//! Fields that move: their numbers together are foretold by how they moved, and so is how far off that will be.
//!
//! One function codes both directions: it is given the values and gives them back, and who reads has any values there.
//! All of it is whole numbers, the same on every platform. Distances are taken by their logarithms, so that nothing
//! depends on units.

mod fixed;
mod rotation;
mod vector;

use super::baselines::{BASELINES, Rows};
use crate::schema::{Motion, StructSchema, Word};
use fixed::log;

/// The words of a component that move together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    motion: Motion,
    /// Where its words begin, and how many it has.
    at: usize,
    len: usize,
}

/// The groups of a component, in the order of its words.
pub(super) fn groups(component: &StructSchema) -> Vec<Group> {
    let mut at = 0;
    let fields = component.sent_fields().filter_map(|field| {
        let (start, len) = (at, field.words());
        at += len;
        field.motion.map(|motion| Group { motion, at: start, len })
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

    /// A decision.
    fn flag(&mut self, value: bool) -> Result<bool, Self::Error>;

    /// A number by its difference from what was foretold, small ones short, by a code of an order.
    fn number(&mut self, word: &Word, order: u32, foretold: u32, value: u32) -> Result<u32, Self::Error>;
}

/// What the groups of a component before one say of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    /// Of the last that moved on a line: how far off each number was, and what was expected of that.
    vector: Option<([i32; 3], [i32; 3])>,
}

/// Codes the words of a group that changed; `rows` are those of its component. `words` and `values` are its own.
pub(super) fn code<D: Direction>(
    to: &mut D,
    group: &Group,
    words: &[Word],
    rows: &Rows<'_>,
    values: &mut [u32],
    before: &mut Before,
) -> Result<(), D::Error> {
    let known = Known::new(group, rows);
    match group.motion {
        Motion::Linear => before.vector = Some(vector::code(to, words, &known, values)?),
        Motion::Rotation => rotation::code(to, words, &known, values, before)?,
    }
    Ok(())
}

/// The words of a group in the known states, the newest first; the oldest stands for those that are missing.
struct Known {
    words: [[u32; 4]; BASELINES],
    /// The ticks from each to the one after it; 1 where there is none.
    ticks: [i32; STEPS],
    /// The ticks from the newest to now, and the logarithm of that in 16ths.
    horizon: i32,
    log_horizon: i32,
}

/// The steps between known states.
const STEPS: usize = BASELINES - 1;

/// What is older says as little.
const MAX_HORIZON: u32 = 64;

impl Known {
    fn new(group: &Group, rows: &Rows<'_>) -> Self {
        let (mut words, mut ticks) = ([[0; 4]; BASELINES], [1; STEPS]);
        let (mut horizon, mut age_before, mut last) = (1, 0, [0; 4]);
        let mut known = rows.iter();
        for (at, place) in words.iter_mut().enumerate() {
            if let Some((age, row)) = known.next() {
                for (to, from) in last.iter_mut().zip(group.of(row)) {
                    *to = *from;
                }
                match at.checked_sub(1).and_then(|before| ticks.get_mut(before)) {
                    Some(ticks) => *ticks = age.saturating_sub(age_before).clamp(1, MAX_HORIZON) as i32,
                    None => horizon = age.clamp(1, MAX_HORIZON) as i32,
                }
                age_before = age;
            }
            *place = last;
        }
        Self { words, ticks, horizon, log_horizon: log(16 * horizon - 1) - 64 }
    }

    /// A step, as it would be in a tick, and as it would be from the newest state to now.
    fn rates(&self, at: usize, step: i32) -> (i32, i32) {
        let ticks = self.ticks[at];
        let half = ticks / 2 * step.signum();
        ((step + half) / ticks, (i64::from(step) * i64::from(self.horizon) / i64::from(ticks)) as i32)
    }
}

/// The differences between one step and the next.
fn changes(steps: &[i32; STEPS]) -> [i32; STEPS - 1] {
    core::array::from_fn(|at| steps[at] - steps[at + 1])
}

/// The order of the exp-Golomb code for a difference whose size is expected to be 2^`scale`, in 256ths: the cheapest by
/// a distribution with P(|e| > x) = (1 + x / 2b)^-2.5, for each third of an octave of b.
fn order(scale: i32) -> u32 {
    const ORDERS: [u8; 32] =
        [0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9];
    u32::from(ORDERS[((((scale + 384) * 3) >> 8).clamp(0, 31)) as usize])
}
