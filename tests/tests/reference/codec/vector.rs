//! One to three numbers that go on as they went.

use core::array;

use ecs_runtime::codec::Weights;
use ecs_runtime::schema::Word;

use super::Refused;
use super::line::Line;
use super::model::Model;
use super::motion::{Inputs, LANES, OWN, Outlook, Past, STEPS, code_sized, log};
use super::number::{moved, signed_difference};

/// What the last vector of a component says of what comes behind it.
#[derive(Clone, Debug)]
pub(super) struct Vector {
    pub(super) changed: bool,
    /// By lane: how far off it was, and the logarithm of how far off it was expected to be, in 256ths.
    pub(super) errors: [i128; LANES],
    pub(super) sizes: [i128; LANES],
    /// By lane: how far it went, where it is, and how far from its middle.
    pub(super) steps: [i128; LANES],
    pub(super) values: [i128; LANES],
    pub(super) from_middle: [i128; LANES],
    /// How rough and how fast it was before.
    pub(super) rough: i128,
    pub(super) speed: i128,
}

/// The logarithm of the least expected size.
const LEAST_SIZE: i128 = -384;

impl Vector {
    /// Where there is none.
    pub(super) fn none() -> Self {
        let zero = [0; LANES];
        Self {
            changed: false,
            errors: zero,
            sizes: [LEAST_SIZE; LANES],
            steps: zero,
            values: zero,
            from_middle: zero,
            rough: 0,
            speed: 0,
        }
    }

    /// One that did not change.
    pub(super) fn at_rest(words: &[Word], values: &[u32]) -> Self {
        let mut vector = Self::none();
        for (lane, word) in words.iter().enumerate() {
            vector.set(lane, word, values[lane]);
        }
        vector
    }

    fn set(&mut self, lane: usize, word: &Word, value: u32) {
        self.values[lane] = i128::from(value);
        self.from_middle[lane] = i128::from(value) - i128::from(word.max / 2);
    }
}

/// Codes the numbers.
pub(super) fn code(
    line: &mut impl Line,
    model: &Model,
    weights: &Weights,
    words: &[Word],
    past: &Past,
    told: Option<&[u32]>,
    vector: &mut Vector,
) -> Result<Vec<u32>, Refused> {
    let mut steps = [[0; STEPS]; LANES];
    // What the coefficients multiply: the steps, and a constant.
    let mut goes_by = [[0; STEPS + 1]; LANES];
    for (lane, word) in words.iter().enumerate() {
        for at in 0..STEPS {
            let way = signed_difference(word, past.words[at + 1][lane], past.words[at][lane]);
            steps[lane][at] = past.per_tick(at, way.into());
            goes_by[lane][at] = past.until_now(at, way.into());
        }
        goes_by[lane][STEPS] = 4;
    }
    let inputs = inputs(words, past, &steps);
    let outlook = Outlook::new(weights, &inputs);
    *vector = Vector { changed: true, rough: inputs.at(0), speed: inputs.at(7), ..Vector::none() };
    let mut values = Vec::new();
    for (lane, word) in words.iter().enumerate() {
        let newest = past.words[0][lane];
        let foretold = moved(word, newest, outlook.way(lane, &goes_by[lane]));
        let beside = match lane {
            0 => [0, 0, 0],
            1 => [log(vector.errors[0]), 0, 0],
            _ => [log(vector.errors[lane - 1]), log(vector.errors[0]), 0],
        };
        let size = outlook.size_beside(weights, lane, beside);
        let value = code_sized(line, model, word, size, foretold, told.map(|told| told[lane]))?;
        vector.errors[lane] = signed_difference(word, foretold, value).into();
        vector.sizes[lane] = size;
        vector.steps[lane] = signed_difference(word, newest, value).into();
        vector.set(lane, word, value);
        values.push(value);
    }
    Ok(values)
}

fn inputs(words: &[Word], past: &Past, steps: &[[i128; STEPS]; LANES]) -> Inputs {
    let mut inputs = Inputs::new(steps);
    for (lane, word) in words.iter().enumerate() {
        let changes: [i128; 4] = array::from_fn(|at| steps[lane][at] - steps[lane][at + 1]);
        let rough: i128 = changes.iter().map(|change| change.abs()).sum();
        let rougher: i128 = changes.windows(2).map(|pair| (pair[0] - pair[1]).abs()).sum();
        let newest = i128::from(past.words[0][lane]);
        let next = newest + past.horizon * steps[lane][0];
        let middle = i128::from(word.max / 2);
        let numbers = [changes[0], rough, rougher, newest - middle, next - middle, newest, next];
        for (at, number) in numbers.into_iter().enumerate() {
            inputs.number(OWN + 7 * lane + at, number);
        }
    }
    inputs.logarithm(OWN + 7 * LANES, past.log_horizon());
    inputs
}
