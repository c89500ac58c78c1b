//! What the words of a row are expected to be, from what both sides know of the entity: the part that both directions
//! share.
//!
//! A word is foretold by the rule that would have foretold its last known changes best: that it stays, that it goes
//! another step of the same size, or that it moves on at the same speed. How far that rule was off tells how large a
//! difference is likely. All of it is integer arithmetic, the same on every platform.

use super::baselines::{BASELINES, Rows, STEPS, Times};
use crate::schema::{Word, WordKind, is_there};

/// So many words of a component are foretold; those behind are expected to stay.
const FORETOLD: usize = 64;

/// What is expected of the words of a row.
pub(super) struct Forecasts {
    words: [Forecast; FORETOLD],
    /// Whether all rules were right lately, so that another difference is a surprise.
    pub(super) quiet: bool,
    /// Whether everything is expected to stay.
    pub(super) rests: bool,
}

/// What is expected of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Forecast {
    /// How far from the confirmed value.
    step: i32,
    /// How many bits the difference is likely to have; 0 if it was none lately.
    pub(super) bits: u32,
}

impl Default for Forecasts {
    fn default() -> Self {
        Self { words: [Forecast::default(); FORETOLD], quiet: true, rests: true }
    }
}

impl Forecasts {
    /// What the known rows of a component foretell, in the memory of an earlier one.
    pub(super) fn set(&mut self, words: &[Word], rows: &Rows<'_>) {
        (self.quiet, self.rests) = (true, true);
        if rows.rest() {
            return;
        }
        let known = Known::of(rows);
        let rows = rows.filled();
        // Both sides have whole rows.
        let len = rows.iter().fold(words.len().min(FORETOLD), |len, row| len.min(row.len()));
        let [a, b, c, d, e, f] = rows.map(|row| &row[..len]);
        for (at, (place, word)) in self.words[..len].iter_mut().zip(words).enumerate() {
            let values = [a[at], b[at], c[at], d[at], e[at], f[at]];
            let differs = values[1..].iter().fold(0, |differs, value| differs | (value ^ values[0]));
            *place = if differs == 0 || word.is_plain() {
                Forecast::default()
            } else {
                Forecast::of(word, &values, &known)
            };
            self.quiet &= place.bits == 0;
            self.rests &= place.step == 0;
        }
    }

    /// What is expected of a word whose confirmed value is `before`: the value, and how many bits the difference to it is
    /// likely to have.
    #[inline]
    pub(super) fn at(&self, at: usize, word: &Word, before: u32) -> (u32, u32) {
        if self.rests && self.quiet {
            return (before, 0);
        }
        let Some(Forecast { step, bits }) = self.words.get(at) else { return (before, 0) };
        let value = i64::from(before) + i64::from(*step);
        let value = match word.kind {
            WordKind::Wrapping => value as u32 & word.max,
            _ => value.clamp(0, i64::from(word.max)) as u32,
        };
        (value, *bits)
    }
}

impl Forecasts {
    /// Whether a row is as foretold.
    pub(super) fn hold(&self, words: &[Word], before: &[u32], new: &[u32]) -> bool {
        if self.rests && self.quiet {
            return same(words, before, new);
        }
        let rows = words.iter().zip(before.iter().zip(new)).enumerate();
        rows.fold(true, |hold, (at, (word, (&before, &new_word)))| {
            hold && (!is_there(words, new, at) || self.at(at, word, before).0 == new_word)
        })
    }
}

/// Whether two rows have the same words, but for those that have nothing to tell here.
pub(super) fn same(words: &[Word], before: &[u32], new: &[u32]) -> bool {
    let mut rows = words.iter().zip(before.iter().zip(new));
    rows.all(|(word, (before, new))| word.max == 0 || before == new)
}

/// The rules.
#[derive(Clone, Copy)]
enum Rule {
    Stays,
    Steps,
    Moves,
}

/// So many changes tell how good a rule is.
const CHANGES: usize = 3;

/// What is known of all words of a row.
struct Known<'r> {
    times: &'r Times,
    /// How many changes there are.
    len: usize,
    /// Whether those changes by which rules are judged took the same time.
    regular: bool,
}

impl<'r> Known<'r> {
    fn of(rows: &'r Rows<'_>) -> Self {
        let (times, len) = (rows.times(), rows.steps());
        let regular = times.ticks[..len.min(CHANGES)].windows(2).all(|pair| pair[0] == pair[1]);
        Self { times, len, regular }
    }
}

impl Forecast {
    /// From the known values, the newest first; the oldest stands for those that are missing.
    #[inline]
    fn of(word: &Word, values: &[u32; BASELINES], known: &Known<'_>) -> Self {
        let Known { times: Times { ticks, horizon }, len, regular } = *known;
        let horizon = *horizon;
        // The changes between them, the latest first.
        let change = |at: usize| i64::from(word.signed_difference(values[at + 1], values[at]));
        let changes: [i64; CHANGES] = core::array::from_fn(change);
        let last = changes[0];
        if len <= 1 {
            return if len == 0 { Self::default() } else { Self::of_one(last, ticks[0], horizon) };
        }
        // How far off each rule was for the changes of which those before are known: one or two.
        let [mut stays, mut steps, mut moves] = [0u64; 3];
        let judged = (len - 1).min(CHANGES - 1);
        for i in 0..judged {
            let moved = scaled(changes[i + 1], ticks[i], ticks[i + 1]);
            stays += changes[i].unsigned_abs();
            steps += (changes[i] - changes[i + 1]).unsigned_abs();
            moves += (changes[i] - moved).unsigned_abs();
        }
        let (rule, error) = if stays <= steps && stays <= moves {
            (Rule::Stays, stays)
        } else if moves < steps || moves == steps && regular {
            (Rule::Moves, moves)
        } else {
            (Rule::Steps, steps)
        };
        let error = error >> (judged - 1);
        let (step, error) = match rule {
            Rule::Stays => (0, grown(error, horizon, ticks[0])),
            Rule::Steps => (last, error),
            Rule::Moves if error <= 1 => {
                // Nothing but rounding: the speed over all of them is the most exact.
                let (way, time) = ((0..len.min(STEPS)).map(change).sum(), ticks[..len].iter().sum());
                (scaled(way, horizon, time), grown(error, horizon, time))
            }
            Rule::Moves => (scaled(last, horizon, ticks[0]), grown(error, horizon, ticks[0])),
        };
        Self::new(step, error)
    }

    /// From one change alone.
    fn of_one(change: i64, ticks: u32, horizon: u32) -> Self {
        let step = if ticks == 1 { scaled(change, horizon, 1) } else { change };
        Self::new(step, change.unsigned_abs())
    }

    fn new(step: i64, error: u64) -> Self {
        let step = step.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
        Self { step, bits: (u64::BITS - error.leading_zeros()).min(31) }
    }
}

/// How far off a rule is likely to be after `horizon` ticks that was off by `error` after `ticks`.
fn grown(error: u64, horizon: u32, ticks: u32) -> u64 {
    if horizon <= ticks || error == 0 { error } else { error * u64::from(horizon) / u64::from(ticks) }
}

/// A change in `ticks` ticks, as it would be in `horizon`.
fn scaled(change: i64, horizon: u32, ticks: u32) -> i64 {
    if horizon == ticks {
        return change;
    }
    let product = change * i64::from(horizon);
    if ticks == 1 {
        return product;
    }
    let half = i64::from(ticks) / 2;
    let rounded = if product < 0 { product - half } else { product + half };
    match i32::try_from(rounded) {
        // The same, and several times as fast.
        Ok(rounded) => i64::from(rounded / ticks.cast_signed()),
        Err(_) => rounded / i64::from(ticks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Baselines, StateView};

    /// A state of one component.
    struct OneRow<'r>(&'r [u32]);

    impl StateView for OneRow<'_> {
        fn header(&self) -> &[u32] {
            &[0, 1]
        }

        fn row(&self, _component: u16) -> &[u32] {
            self.0
        }
    }

    /// What is foretold of one word by its values at ages, the newest first: the value, and the bits of a likely difference.
    fn foretold(word: Word, known: &[(u32, u32)]) -> (u32, u32) {
        let words: Vec<_> = known.iter().map(|(age, value)| (*age, [*value])).collect();
        let mut baselines = Baselines::default();
        words.iter().for_each(|(age, row)| baselines.push(*age, OneRow(row)));
        let rows = baselines.rows(0);
        let mut forecasts = Forecasts::default();
        forecasts.set(&[word], &rows);
        forecasts.at(0, &word, known[0].1)
    }

    const NUMBER: Word = Word::number(1000);

    #[test]
    fn what_rests_stays() {
        assert_eq!(foretold(NUMBER, &[(3, 500)]), (500, 0));
        assert_eq!(foretold(NUMBER, &[(3, 500), (4, 500), (9, 500)]), (500, 0));
    }

    #[test]
    fn what_moves_goes_on_at_its_speed_for_the_ticks_since() {
        assert_eq!(foretold(NUMBER, &[(4, 500), (5, 490), (6, 480), (7, 470)]), (540, 0));
        // A step of three or four is the rounding of 3.2.
        let steps = [(8, 516), (9, 513), (10, 509), (11, 506), (12, 503), (13, 500)];
        assert_eq!(foretold(NUMBER, &steps).0, 542, "516 + 16 * 8 / 5");
        assert_eq!(foretold(NUMBER, &[(4, 998), (5, 990), (6, 982)]).0, 1000, "and stays in range");
    }

    #[test]
    fn what_takes_equal_steps_at_any_time_takes_another() {
        assert_eq!(foretold(NUMBER, &[(2, 500), (9, 510), (10, 520), (21, 530)]), (490, 0));
    }

    #[test]
    fn what_jumps_about_is_expected_to_be_as_far_off_again() {
        let (value, bits) = foretold(NUMBER, &[(1, 500), (2, 700), (3, 400), (4, 650)]);
        assert_eq!((value, bits), (500, 8), "staying was off by 200 and 300");
    }

    #[test]
    fn an_angle_goes_on_across_its_wrap() {
        let angle = Word::wrapping(8);
        assert_eq!(foretold(angle, &[(1, 4), (2, 250), (3, 240)]), (14, 0));
    }
}
