//! What was learned of a field, in floating point.

use ecs_runtime::codec::{MotionLessons, Truth};
use ecs_runtime::schema::Motion;

/// The inputs of a net.
pub(super) const INPUTS: usize = 40;
/// The numbers of a vector, or of a turn.
pub(super) const LANES: usize = 3;

/// What the coefficients of a lane multiply, at most.
pub(super) const REGRESSORS: usize = 8;

/// Samples of one field.
pub(super) struct Samples {
    /// How many numbers the coefficients of a lane multiply.
    pub(super) regressors: usize,
    inputs: Vec<[f32; INPUTS]>,
    lanes: Vec<f32>,
    truths: Vec<[f32; LANES]>,
    /// Of a rotation: how the numbers that are coded change with the turn, and how much they can.
    turns: Vec<([[f32; LANES]; LANES], [f32; LANES])>,
}

impl Samples {
    /// The samples of lessons.
    pub(super) fn new(lessons: &MotionLessons) -> Self {
        let regressors = match lessons.motion {
            Motion::Linear => 6,
            Motion::Rotation => 8,
        };
        let mut samples = Self {
            regressors,
            inputs: lessons.inputs.iter().map(|inputs| inputs.map(|input| f32::from(input) / 16.0)).collect(),
            lanes: Vec::with_capacity(lessons.truths.len() * LANES * regressors),
            truths: Vec::with_capacity(lessons.truths.len()),
            turns: Vec::new(),
        };
        for (lanes, truth) in lessons.regressors.iter().zip(&lessons.truths) {
            // A turn is counted in units of the numbers that are coded of it.
            let unit = match truth {
                Truth::Vector(_) => 1.0,
                Truth::Turn { max, .. } => 16_384.0 * core::f32::consts::SQRT_2 / *max as f32,
            };
            samples.lanes.extend(lanes.iter().flat_map(|lane| &lane[..regressors]).map(|x| *x as f32 / unit));
            match *truth {
                Truth::Vector(way) => samples.truths.push(way.map(|x| x as f32)),
                Truth::Turn { turn, now, largest, .. } => {
                    samples.truths.push(turn.map(|x| x as f32 / unit));
                    samples.turns.push(of_turn(now.map(|x| x as f32 / 16_384.0), largest as usize));
                }
            }
        }
        samples
    }

    pub(super) fn len(&self) -> usize {
        self.truths.len()
    }

    pub(super) fn sample(&self, at: usize) -> Sample {
        let mut regressors = [[0.0; REGRESSORS]; LANES];
        for (lane, regressors) in regressors.iter_mut().enumerate() {
            let from = &self.lanes[(at * LANES + lane) * self.regressors..][..self.regressors];
            regressors[..self.regressors].copy_from_slice(from);
        }
        let turn = self.turns.get(at).copied();
        Sample { inputs: self.inputs[at], regressors, truth: self.truths[at], turn }
    }

    /// Mean and deviation of each input.
    pub(super) fn moments(&self) -> ([f32; INPUTS], [f32; INPUTS]) {
        let count = self.len().max(1) as f64;
        let sum = |input: usize, of: &dyn Fn(f64) -> f64| -> f64 {
            self.inputs.iter().map(|inputs| of(f64::from(inputs[input]))).sum()
        };
        let mean: [f64; INPUTS] = core::array::from_fn(|input| sum(input, &|x| x) / count);
        let deviation = core::array::from_fn(|input| {
            let square = sum(input, &|x| (x - mean[input]).powi(2)) / count;
            square.max(1e-4).sqrt() as f32
        });
        (mean.map(|mean| mean as f32), deviation)
    }
}

/// One sample, as the net learns from it.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub(super) inputs: [f32; INPUTS],
    /// What the coefficients of each lane multiply.
    pub(super) regressors: [[f32; REGRESSORS]; LANES],
    /// How far each lane went.
    pub(super) truth: [f32; LANES],
    /// Of a rotation: how the numbers that are coded change with the turn, and how much they can.
    turn: Option<([[f32; LANES]; LANES], [f32; LANES])>,
}

/// The inputs that all motions have.
const COMMON: usize = 18;

impl Sample {
    /// The same in a mirror that turns a lane of the vector round: of a turn it turns the other two.
    pub(super) fn mirror(&mut self, lane: usize) {
        let own = COMMON + if self.turn.is_some() { 5 } else { 7 } * lane;
        let flip = |x: &mut f32| *x = -*x;
        match &mut self.turn {
            None => {
                flip(&mut self.inputs[9 + 3 * lane]);
                flip(&mut self.inputs[own]);
                // From the middle, and from the low end: newest, and next.
                for at in [own + 3, own + 4] {
                    self.inputs[at + 2] = other_end(self.inputs[at], self.inputs[at + 2]);
                    flip(&mut self.inputs[at]);
                }
                self.regressors[lane].iter_mut().take(5).for_each(flip);
                flip(&mut self.truth[lane]);
            }
            Some((rows, _)) => {
                self.inputs[own + 4] = other_end(self.inputs[own + 2], self.inputs[own + 4]);
                flip(&mut self.inputs[own + 2]);
                flip(&mut self.inputs[own + 3]);
                for other in 0..LANES {
                    flip(&mut self.regressors[other][5 + lane]);
                    if other != lane {
                        flip(&mut self.inputs[9 + 3 * other]);
                        self.regressors[other].iter_mut().take(5).for_each(flip);
                        flip(&mut self.truth[other]);
                        rows.iter_mut().for_each(|row| flip(&mut row[other]));
                    }
                }
            }
        }
    }

    /// How far off the numbers that are coded are, where the lanes are `off`.
    pub(super) fn errors(&self, off: [f32; LANES]) -> [f32; LANES] {
        match &self.turn {
            None => off,
            Some((rows, _)) => rows.map(|row| row.iter().zip(off).map(|(a, b)| a * b).sum()),
        }
    }

    /// What the loss says of each lane, by what it says of the numbers that are coded.
    pub(super) fn slopes(&self, of_errors: [f32; LANES]) -> [f32; LANES] {
        match &self.turn {
            None => of_errors,
            Some((rows, _)) => core::array::from_fn(|lane| {
                rows.iter().zip(of_errors).map(|(row, slope)| row[lane] * slope).sum()
            }),
        }
    }

    /// How much a number changes with a turn, as a logarithm; 0 for vectors.
    pub(super) fn across(&self, lane: usize) -> f32 {
        self.turn.map_or(0.0, |(_, across)| across[lane])
    }
}

/// The logarithm of a distance from the one end of a range, by that from its middle and that from the other end.
fn other_end(from_middle: f32, from_end: f32) -> f32 {
    let size = |x: f32| (x.abs().exp2() - 1.0).copysign(x);
    let other = size(from_end) - 2.0 * size(from_middle);
    (other.abs() + 1.0).log2().copysign(other)
}

/// How the three numbers of an orientation that are coded change with a turn, and how much each can.
fn of_turn(now: [f32; 4], largest: usize) -> ([[f32; LANES]; LANES], [f32; LANES]) {
    // The number that is left out counts as positive.
    let sign = if now[largest] < 0.0 { -1.0 } else { 1.0 };
    let [x, y, z, w] = now.map(|number| number * sign);
    let rows = [[w, z, -y], [-z, w, x], [y, -x, w], [-x, -y, -z]];
    let mut kept = (0..4).filter(|at| *at != largest);
    let kept: [usize; LANES] = core::array::from_fn(|_| kept.next().unwrap_or(0));
    let across = kept.map(|at| (1.0 - now[at] * now[at]).max(0.01).log2());
    (kept.map(|at| rows[at]), across)
}
