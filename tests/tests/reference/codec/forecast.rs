//! What is foretold of a word from its known values: the value, and how many bits a difference is likely to have.
//!
//! Three rules are tried on the changes that are known: that the word stays, that it goes another step of the same size,
//! and that it moves on at the same speed. The one that was best foretells the next value.

use ecs_runtime::schema::Word;

use super::number::{bits_of, is_plain, moved, signed_difference};

/// So many words of a component are foretold; those behind are expected to stay.
const FORETOLD: usize = 64;

/// The newest value is taken for at most so old.
const LONGEST: i128 = 64;

/// What is expected of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Forecast {
    pub(super) value: u32,
    pub(super) bits: u32,
    /// Whether it is expected to change.
    pub(super) rests: bool,
}

/// What is expected of word number `at` of a component, from its known rows, the newest first.
pub(super) fn foretell(word: &Word, at: usize, past: &[(u32, &[u32])]) -> Forecast {
    let newest = past[0].1[at];
    if at >= FORETOLD || is_plain(word) {
        return Forecast { value: newest, bits: 0, rests: true };
    }
    let (step, error) = step(word, at, past);
    let step = step.clamp(i128::from(i32::MIN), i128::from(i32::MAX));
    Forecast { value: moved(word, newest, step), bits: bits_of(error as u64).min(31), rests: step == 0 }
}

/// How far the word is expected to go, and how far off that is likely to be.
fn step(word: &Word, at: usize, past: &[(u32, &[u32])]) -> (i128, i128) {
    let mut changes = Vec::new();
    let mut ticks = Vec::new();
    for pair in past.windows(2) {
        let [(new_age, new), (old_age, old)] = pair else { unreachable!("two at a time") };
        changes.push(i128::from(signed_difference(word, old[at], new[at])));
        ticks.push(i128::from(old_age - new_age).clamp(1, LONGEST));
    }
    let horizon = i128::from(past[0].0).clamp(1, LONGEST);
    if changes.iter().all(|change| *change == 0) {
        return (0, 0);
    }
    let last = changes[0];
    if changes.len() == 1 {
        return (if ticks[0] == 1 { last * horizon } else { last }, last.abs());
    }
    // Each rule is tried on the newest change, and on the one before if that has one before it, too.
    let tried = if changes.len() == 2 { 1 } else { 2 };
    let (mut stays, mut steps, mut moves) = (0, 0, 0);
    for i in 0..tried {
        stays += changes[i].abs();
        steps += (changes[i] - changes[i + 1]).abs();
        moves += (changes[i] - at_speed(changes[i + 1], ticks[i + 1], ticks[i])).abs();
    }
    let mean = |error: i128| error / tried as i128;
    // A step and a speed are the same if all these changes took the same time; then it is a speed.
    let is_regular = (1..=tried).all(|i| ticks[i] == ticks[0]);
    if stays <= steps && stays <= moves {
        (0, grown(mean(stays), ticks[0], horizon))
    } else if moves < steps || moves == steps && is_regular {
        // Where that is off by nothing but rounding, the speed over all changes is the most exact.
        let count = if mean(moves) <= 1 { changes.len() } else { 1 };
        let (way, time) = (changes[..count].iter().sum(), ticks[..count].iter().sum());
        (at_speed(way, time, horizon), grown(mean(moves), time, horizon))
    } else {
        (last, mean(steps))
    }
}

/// How far something goes in `horizon` ticks that went so far in `ticks`: to the nearest whole number, a half away from
/// zero.
pub(super) fn at_speed(way: i128, ticks: i128, horizon: i128) -> i128 {
    let magnitude = (2 * way.abs() * horizon + ticks) / (2 * ticks);
    if way < 0 { -magnitude } else { magnitude }
}

/// An error after `ticks`, as it is likely to be after `horizon`: larger if that is longer.
fn grown(error: i128, ticks: i128, horizon: i128) -> i128 {
    if horizon > ticks { error * horizon / ticks } else { error }
}
