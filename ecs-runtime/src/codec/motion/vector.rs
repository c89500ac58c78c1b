//! One to three numbers that go on as they went.

use super::fixed::log;
use super::{Direction, Known, STEPS, changes, order};
use crate::schema::{Word, WordKind};

/// Of the newest step and the one before it, in 4096ths.
const STEP_WEIGHTS: [i64; 2] = [3686, 410];

/// Codes the numbers; gives how far off each was, and the expected size of that.
pub(super) fn code<D: Direction>(
    to: &mut D,
    words: &[Word],
    known: &Known,
    values: &mut [u32],
) -> Result<([i32; 3], [i32; 3]), D::Error> {
    let (mut steps, mut regressors) = ([[0; STEPS]; 3], [[0; STEPS]; 3]);
    for (lane, word) in words.iter().enumerate().take(3) {
        for at in 0..STEPS {
            let step = word.signed_difference(known.words[at + 1][lane], known.words[at][lane]);
            (steps[lane][at], regressors[lane][at]) = known.rates(at, step);
        }
    }
    let changes = steps.map(|steps| changes(&steps));
    let sum = |of: [i32; 3]| of.iter().fold(0i32, |sum, x| sum.saturating_add(x.saturating_abs()));
    let all = log(sum(changes.map(|changes| changes[1]))) + log(sum(steps.map(|steps| steps[0])));
    let (mut errors, mut scales) = ([0; 3], [0; 3]);
    for (lane, (word, value)) in words.iter().zip(values).enumerate().take(3) {
        let newest = known.words[0][lane];
        let step: i64 =
            STEP_WEIGHTS.iter().zip(regressors[lane]).map(|(weight, step)| weight * i64::from(step)).sum();
        let foretold = moved(word, newest, (2048 + step) >> 12);
        let rough = changes[lane].iter().fold(0i32, |sum, x| sum.saturating_add(x.saturating_abs()));
        let sizes = 38 * (log(steps[lane][0]) + log(changes[lane][0])) + 77 * log(rough) + 26 * all;
        let mut scale = -256 + (sizes >> 4) + (known.log_horizon << 4);
        if let Some(before) = lane.checked_sub(1) {
            scale += (77 * log(errors[before])) >> 4;
        }
        if lane > 1 {
            scale += (51 * log(errors[0])) >> 4;
        }
        *value = to.number(word, order(scale), foretold, *value)?;
        errors[lane] = word.signed_difference(foretold, *value);
        scales[lane] = scale;
    }
    Ok((errors, scales))
}

/// A value so far from another, within the word's range.
fn moved(word: &Word, from: u32, by: i64) -> u32 {
    let value = i64::from(from) + by;
    match word.kind {
        WordKind::Wrapping => value as u32 & word.max,
        _ => value.clamp(0, i64::from(word.max)) as u32,
    }
}
