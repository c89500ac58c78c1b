//! One to three numbers that go on as they went.

use super::fixed::log;
use super::inputs::{COMMON, Inputs};
use super::net::{LANES, Net, REGRESSORS};
use super::{Direction, Known, STEPS, Sample, Truth, Vector, bucket, changes};
use crate::schema::{Word, WordKind};

/// How many inputs a lane has of its own.
const OF_LANE: usize = 7;

/// Codes the numbers; gives what they say of the rest of their component.
pub(super) fn code<D: Direction>(
    to: &mut D,
    words: &[Word],
    net: &Net,
    known: &Known,
    values: &mut [u32],
) -> Result<Vector, D::Error> {
    let (mut steps, mut regressors) = ([[0; STEPS]; LANES], [[0; REGRESSORS]; LANES]);
    for (lane, word) in words.iter().enumerate().take(LANES) {
        for at in 0..STEPS {
            let step = word.signed_difference(known.words[at + 1][lane], known.words[at][lane]);
            (steps[lane][at], regressors[lane][at]) = known.rates(at, step);
        }
        regressors[lane][STEPS] = 4;
    }
    let changes = steps.map(|steps| changes(&steps));
    let mut inputs = Inputs::new(&steps, &changes);
    for (lane, word) in words.iter().enumerate().take(LANES) {
        let [a, b, c, d] = changes[lane];
        let (middle, newest) = ((word.max / 2).cast_signed(), known.words[0][lane].cast_signed());
        let next = newest + known.times.horizon.cast_signed() * steps[lane][0];
        inputs.set(
            COMMON + OF_LANE * lane,
            [
                a,
                a.abs() + b.abs() + c.abs() + d.abs(),
                (a - b).abs() + (b - c).abs() + (c - d).abs(),
                // Where it is, from the middle of its range and from the low end.
                newest - middle,
                next - middle,
                newest,
                next,
            ],
        );
    }
    let inputs = inputs.finish([(COMMON + OF_LANE * LANES, known.log_horizon)]);
    to.observe(|| Sample {
        inputs: &inputs,
        regressors: &regressors,
        truth: Truth::Vector(core::array::from_fn(|lane| match (words.get(lane), values.get(lane)) {
            (Some(word), Some(value)) => word.signed_difference(known.words[0][lane], *value),
            _ => 0,
        })),
    });
    let outlook = net.run(&inputs);
    let mut vector = Vector { changed: true, rough: inputs[0], speed: inputs[7], ..Vector::default() };
    for (lane, (word, value)) in words.iter().zip(values).enumerate().take(LANES) {
        let newest = known.words[0][lane];
        let foretold = moved(word, newest, outlook.way(lane, &regressors[lane]));
        let sizes = match lane {
            0 => [0; 3],
            1 => [log(vector.errors[0]), 0, 0],
            _ => [log(vector.errors[lane - 1]), log(vector.errors[0]), 0],
        };
        let scale = outlook.scale(lane) + net.beside(lane, sizes);
        *value = to.number(word, bucket(scale), foretold, *value)?;
        vector.errors[lane] = word.signed_difference(foretold, *value);
        vector.scales[lane] = scale;
        vector.steps[lane] = word.signed_difference(newest, *value);
        vector.set(lane, word, *value);
    }
    Ok(vector)
}

impl Vector {
    /// One that did not change.
    pub(super) fn at_rest(words: &[Word], values: &[u32]) -> Self {
        let mut vector = Self { scales: [-384; LANES], ..Self::default() };
        for (lane, (word, value)) in words.iter().zip(values).enumerate().take(LANES) {
            vector.set(lane, word, *value);
        }
        vector
    }

    fn set(&mut self, lane: usize, word: &Word, value: u32) {
        self.values[lane] = value.cast_signed();
        self.from_middle[lane] = value.cast_signed() - (word.max / 2).cast_signed();
    }
}

/// A value so far from another, within the word's range.
fn moved(word: &Word, from: u32, by: i64) -> u32 {
    let value = i64::from(from) + by;
    match word.kind {
        WordKind::Wrapping => value as u32 & word.max,
        _ => value.clamp(0, i64::from(word.max)) as u32,
    }
}
