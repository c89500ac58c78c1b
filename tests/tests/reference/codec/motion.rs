//! Words that move together: what is known of how they moved, and the net that foretells how they go on.

use ecs_runtime::codec::Weights;
use ecs_runtime::schema::{Motion, Word};

use super::Refused;
use super::forecast::at_speed;
use super::line::Line;
use super::model::{Group, Model};
use super::number::{How, bits_of, code_number, word_bits};
use super::vector::Vector;
use super::{rotation, vector};

/// The numbers of a vector, or of a turn.
pub(super) const LANES: usize = 3;

/// So many steps lead from the oldest known state to the newest.
pub(super) const STEPS: usize = 5;

/// How many inputs a net has, and the largest.
const INPUTS: usize = 40;
const MAX_INPUT: i128 = 512;

/// Codes the words of a group that changed; `vector` is the last one before it in its component.
pub(super) fn code(
    line: &mut impl Line,
    model: &Model,
    group: &Group,
    words: &[Word],
    past: &[(u32, &[u32])],
    told: Option<&[u32]>,
    vector: &mut Vector,
) -> Result<Vec<u32>, Refused> {
    let past = Past::new(past);
    match group.motion {
        Motion::Linear => vector::code(line, model, &group.weights, words, &past, told, vector),
        Motion::Rotation => rotation::code(line, model, &group.weights, words, &past, told, vector),
    }
}

/// The known words of a group, the newest first; the oldest stand for those that are missing.
pub(super) struct Past {
    pub(super) words: Vec<Vec<u32>>,
    /// The ticks of each step; 1 where there is none.
    ticks: Vec<i128>,
    /// The ticks from the newest to now.
    pub(super) horizon: i128,
}

impl Past {
    fn new(past: &[(u32, &[u32])]) -> Self {
        let clamped = |ticks: u32| i128::from(ticks).clamp(1, 64);
        let mut words: Vec<_> = past.iter().map(|(_, words)| words.to_vec()).collect();
        let mut ticks: Vec<_> = past.windows(2).map(|pair| clamped(pair[1].0 - pair[0].0)).collect();
        while words.len() < STEPS + 1 {
            words.push(words[words.len() - 1].clone());
        }
        ticks.resize(STEPS, 1);
        Self { words, ticks, horizon: clamped(past[0].0) }
    }

    /// The logarithm of the ticks from the newest to now.
    pub(super) fn log_horizon(&self) -> i128 {
        log(16 * self.horizon - 1) - 64
    }

    /// A step as it would be in one tick, to the nearest whole number.
    pub(super) fn per_tick(&self, step: usize, way: i128) -> i128 {
        at_speed(way, self.ticks[step], 1)
    }

    /// A step as it would be from the newest to now, toward zero.
    pub(super) fn until_now(&self, step: usize, way: i128) -> i128 {
        way * self.horizon / self.ticks[step]
    }
}

/// The logarithm to base 2 of one more than the absolute value, in 16ths; linear between powers of two.
pub(super) fn log(x: i128) -> i128 {
    let y = x.unsigned_abs().min(0xff_fffe) as i128 + 1;
    let whole = bits_of(y as u64) - 1;
    let power = 1 << whole;
    16 * i128::from(whole) + 16 * (y - power) / power
}

/// The greatest whole number that is at most `x / 2^bits`.
pub(super) fn shifted(x: i128, bits: u32) -> i128 {
    x.div_euclid(1 << bits)
}

/// What a net is told of: numbers, of which it gets the logarithms with their signs, and logarithms.
pub(super) struct Inputs {
    inputs: [i128; INPUTS],
}

/// The first input that is a motion's own.
pub(super) const OWN: usize = 18;

impl Inputs {
    /// What all motions tell, by their steps for one tick.
    pub(super) fn new(steps: &[[i128; STEPS]; LANES]) -> Self {
        let mut inputs = Self { inputs: [0; INPUTS] };
        let sum = |of: &dyn Fn(usize) -> i128| (0..LANES).map(|lane| of(lane).abs()).sum::<i128>();
        let change = |lane: usize, at: usize| steps[lane][at] - steps[lane][at + 1];
        for at in 0..4 {
            inputs.number(at, sum(&|lane| change(lane, at)));
        }
        for at in 0..3 {
            inputs.number(4 + at, sum(&|lane| change(lane, at) - change(lane, at + 1)));
        }
        inputs.number(7, sum(&|lane| steps[lane][0]));
        inputs.number(8, sum(&|lane| steps[lane][STEPS - 1]));
        for (lane, steps) in steps.iter().enumerate() {
            inputs.number(9 + 3 * lane, steps[0]);
            inputs.number(10 + 3 * lane, steps[0].abs());
            inputs.number(11 + 3 * lane, change(lane, 0).abs());
        }
        inputs
    }

    /// Sets an input to the logarithm of a number, with the number's sign.
    pub(super) fn number(&mut self, at: usize, number: i128) {
        self.inputs[at] = log(number) * number.signum();
    }

    /// Sets an input to a logarithm.
    pub(super) fn logarithm(&mut self, at: usize, logarithm: i128) {
        self.inputs[at] = logarithm.clamp(-MAX_INPUT, MAX_INPUT);
    }

    /// An input.
    pub(super) fn at(&self, at: usize) -> i128 {
        self.inputs[at]
    }
}

/// What a net says of each lane: the coefficients of what it may go by, in 4096ths, and the logarithm of the expected size
/// of the difference, in 256ths.
pub(super) struct Outlook {
    lanes: Vec<(Vec<i128>, i128)>,
}

impl Outlook {
    pub(super) fn new(weights: &Weights, inputs: &Inputs) -> Self {
        let sum = |weights: &[i16], of: &[i128]| -> i128 {
            weights.iter().zip(of).map(|(weight, x)| i128::from(*weight) * x).sum()
        };
        let mut units = Vec::new();
        for (weights, bias) in weights.hidden.iter().zip(&weights.hidden_bias) {
            let total = i128::from(*bias) + sum(weights, &inputs.inputs);
            units.push(shifted(total, 8).clamp(0, 2048));
        }
        let mut outputs = Vec::new();
        for (weights, bias) in weights.outputs.iter().zip(&weights.output_bias) {
            outputs.push(shifted(i128::from(*bias) + sum(weights, &units), 8));
        }
        let mut lanes = Vec::new();
        for (lane, direct) in weights.direct.iter().enumerate() {
            let of_lane = &outputs[lane * outputs.len() / LANES..(lane + 1) * outputs.len() / LANES];
            let (coefficients, size) = of_lane.split_at(of_lane.len() - 1);
            let size = shifted(size[0], 4) + shifted(sum(direct, &inputs.inputs), 8);
            lanes.push((coefficients.to_vec(), size));
        }
        Self { lanes }
    }

    /// How far a lane goes.
    pub(super) fn way(&self, lane: usize, goes_by: &[i128]) -> i128 {
        let sum: i128 = self.lanes[lane].0.iter().zip(goes_by).map(|(weight, x)| weight * x).sum();
        shifted(sum + 2048, 12)
    }

    /// The logarithm of the expected size of a lane's difference, by the net alone.
    pub(super) fn size(&self, lane: usize) -> i128 {
        self.lanes[lane].1
    }

    /// The same, with what the logarithms of sizes beside it add.
    pub(super) fn size_beside(&self, weights: &Weights, lane: usize, beside: [i128; 3]) -> i128 {
        let sum = weights.beside[lane].iter().zip(beside).map(|(weight, size)| i128::from(*weight) * size);
        self.size(lane) + shifted(sum.sum(), 8)
    }
}

/// Codes a number whose difference has an expected size, of which the logarithm is in 256ths.
pub(super) fn code_sized(
    line: &mut impl Line,
    model: &Model,
    word: &Word,
    size: i128,
    foretold: u32,
    told: Option<u32>,
) -> Result<u32, Refused> {
    // A third of an octave each, from 2^-1.5 on.
    let class = shifted(3 * (size + 384), 8).clamp(0, 31) as usize;
    let how = How { order: model.orders[class].min(word_bits(word)), class: Some(class), least: 0 };
    code_number(line, word, how, foretold, told)
}
