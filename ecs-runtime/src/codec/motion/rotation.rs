//! A rotation that turns on as it turned.

use super::fixed::{Quaternion, after, log, of_turn, pack, turn, unpack};
use super::{Before, Direction, Known, STEPS, changes, order};
use crate::schema::Word;

/// Of the newest turn and those before it, in 4096ths.
const TURN_WEIGHTS: [i64; 3] = [3072, 819, 205];

/// Codes the words.
pub(super) fn code<D: Direction>(
    to: &mut D,
    words: &[Word],
    known: &Known,
    values: &mut [u32],
    before: &Before,
) -> Result<(), D::Error> {
    let ([_, word, ..], [largest_value, others @ ..]) = (words, values) else { return Ok(()) };
    let max = word.max;
    let newest = unpack(&known.words[0], max);
    let (turns, foretold) = foretell(known, &newest, max);
    let scale = expected(known, &turns, before, max);

    let size = foretold.map(i32::abs);
    let first = largest_of(&size, None);
    let second = largest_of(&size, Some(first));
    let mut rest = (0..4).filter(|at| *at != first && *at != second);
    let rest = [rest.next().unwrap_or(0), rest.next().unwrap_or(0)];
    let is = |at: usize, value: &u32| *value as usize == at;
    let largest = if to.flag(is(first, largest_value))? {
        first
    } else if to.flag(is(second, largest_value))? {
        second
    } else {
        rest[usize::from(to.flag(is(rest[1], largest_value))?)]
    };
    *largest_value = largest as u32;

    // The number that is left out counts as positive.
    let sign = if foretold[largest] < 0 { -1 } else { 1 };
    let kept = (0..4).filter(|at| *at != largest).map(|at| foretold[at]);
    let (mut first_error, mut last_error) = (None, None);
    for (value, number) in others.iter_mut().zip(kept) {
        let foretold = pack(sign * number, max);
        let across = log(((1 << 14) - ((number * number) >> 14)).max(0)) - 224;
        let mut sizes = 77 * across;
        sizes += last_error.map_or(0, |error| 90 * log(error));
        sizes += first_error.filter(|_| first_error != last_error).map_or(0, |error| 64 * log(error));
        *value = to.number(word, order(scale + (sizes >> 4)), foretold, *value)?;
        let error = word.signed_difference(foretold, *value);
        first_error = first_error.or(Some(error));
        last_error = Some(error);
    }
    Ok(())
}

/// The turns between the known orientations, for one tick each, and the orientation that they lead to.
fn foretell(known: &Known, newest: &Quaternion, max: u32) -> ([[i32; STEPS]; 3], Quaternion) {
    let (mut turns, mut sum) = ([[0; STEPS]; 3], [2048i64; 3]);
    let mut newer = *newest;
    for (at, pair) in known.words.windows(2).enumerate() {
        if pair[0] == pair[1] {
            continue;
        }
        let older = unpack(&pair[1], max);
        let weight = TURN_WEIGHTS.get(at).copied().unwrap_or(0);
        for (axis, step) in turn(&older, &newer).into_iter().enumerate() {
            let (rate, regressor) = known.rates(at, step);
            turns[axis][at] = rate;
            sum[axis] += weight * i64::from(regressor);
        }
        newer = older;
    }
    let turn = sum.map(|sum| (sum >> 12).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32);
    (turns, after(&of_turn(turn), newest))
}

/// The expected size of the differences, as for [`order`].
fn expected(known: &Known, turns: &[[i32; STEPS]; 3], before: &Before, max: u32) -> i32 {
    let changes = turns.map(|turns| changes(&turns));
    let sum = |of: [i32; 3]| of.iter().fold(0i32, |sum, x| sum.saturating_add(x.saturating_abs()));
    let rough = [0, 1].map(|at| log(sum(changes.map(|changes| changes[at]))));
    let sizes = match before.vector {
        // What hit it on its way has turned it, too.
        Some((errors, scales)) => {
            let scales = scales.iter().map(|scale| scale >> 4).sum::<i32>();
            26 * rough[0] + 8 * rough[1] + 13 * scales + 102 * log(sum(errors))
        }
        None => 51 * rough[0] + 8 * rough[1],
    };
    -512 + ((sizes + 90 * known.log_horizon) >> 4) + ((log(max as i32) - log(511)) << 4)
}

/// The largest of four numbers but for one; the first of equal ones.
fn largest_of(numbers: &[i32; 4], but: Option<usize>) -> usize {
    let others = numbers.iter().enumerate().filter(|(at, _)| Some(*at) != but);
    others.rev().max_by_key(|(_, number)| **number).map_or(0, |(at, _)| at)
}
