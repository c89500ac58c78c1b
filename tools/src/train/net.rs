//! The net that foretells how a field moves, in floating point, and how it learns: Adam, over batches.
//!
//! The loss of a lane whose difference is `e` and whose expected size is 2^s is that of a distribution with long tails,
//! `s ln 2 + 3 ln(1 + (|e| + 0.3) / (2 * 2^s))`: about what its code takes.

use ecs_runtime::codec::Weights;
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

use super::Effort;
use super::samples::{INPUTS, LANES, Sample, Samples};

/// What earlier lanes, or other sizes, add to the expected size of a lane.
const BESIDE: usize = 3;
/// Samples to a step.
const BATCH: usize = 128;
const RATE: f32 = 0.004;
/// What weights lose by themselves, in parts of the rate: large ones have to be worth it.
const DECAY: f32 = 0.03;
/// Hidden units are kept up to this.
const MAX_UNIT: f32 = 8.0;

/// The weights, one after the other, so that one loop trains them all.
pub(super) struct Net {
    shape: Shape,
    weights: Vec<f32>,
    /// Inputs are brought to a mean of zero and a deviation of one.
    mean: [f32; INPUTS],
    deviation: [f32; INPUTS],
}

/// Where weights are.
#[derive(Clone, Copy)]
struct Shape {
    hidden: usize,
    regressors: usize,
}

impl Shape {
    fn outputs(self) -> usize {
        LANES * (self.regressors + 1)
    }

    /// A lane's coefficients; its expected size is behind them.
    fn of_lane(self, lane: usize) -> usize {
        lane * (self.regressors + 1)
    }

    fn unit_bias(self, unit: usize) -> usize {
        self.hidden * INPUTS + unit
    }

    /// The weights of an output, its bias behind them.
    fn output(self, output: usize) -> usize {
        self.unit_bias(self.hidden) + output * (self.hidden + 1)
    }

    fn direct(self, lane: usize) -> usize {
        self.output(self.outputs()) + lane * INPUTS
    }

    fn beside(self, lane: usize) -> usize {
        self.direct(LANES) + lane * BESIDE
    }
}

/// Memory for one sample on its way through the net.
struct Pass {
    inputs: [f32; INPUTS],
    units: Vec<f32>,
    outputs: Vec<f32>,
    /// What the loss would gain by them.
    output_slopes: Vec<f32>,
    unit_slopes: Vec<f32>,
}

impl Net {
    /// A net that has learned from samples; `progress` is told of each epoch.
    pub(super) fn trained(
        samples: &Samples,
        effort: Effort,
        random: &mut Pcg64Mcg,
        progress: &mut dyn FnMut(),
    ) -> Self {
        let Effort { epochs, hidden, .. } = effort;
        let mut net = Self::new(samples, hidden, random);
        let shape = net.shape;
        let count = net.weights.len();
        let (mut first, mut second) = (vec![0.0f32; count], vec![0.0f32; count]);
        let mut slopes = vec![0.0f32; count];
        let mut pass = Pass {
            inputs: [0.0; INPUTS],
            units: vec![0.0; hidden],
            outputs: vec![0.0; shape.outputs()],
            output_slopes: vec![0.0; shape.outputs()],
            unit_slopes: vec![0.0; hidden],
        };
        let mut order: Vec<usize> = (0..samples.len()).collect();
        let steps = (epochs * (samples.len() / BATCH)).max(1);
        let mut step = 0;
        for _ in 0..epochs {
            for at in (1..order.len()).rev() {
                order.swap(at, (random.next_u64() % (at as u64 + 1)) as usize);
            }
            for batch in order.chunks_exact(BATCH) {
                slopes.fill(0.0);
                for &at in batch {
                    let mut sample = samples.sample(at);
                    if effort.mirrored {
                        let mirrors = random.next_u32();
                        (0..2).filter(|lane| mirrors >> lane & 1 == 1).for_each(|lane| sample.mirror(lane));
                    }
                    net.learn(&sample, &mut pass, &mut slopes);
                }
                step += 1;
                let rate = RATE * (1.0 - 0.97 * step as f32 / steps as f32);
                let (c1, c2) = (1.0 - 0.9f32.powi(step.min(1000)), 1.0 - 0.995f32.powi(step.min(5000)));
                for (weight, ((first, second), slope)) in
                    net.weights.iter_mut().zip(first.iter_mut().zip(&mut second).zip(&slopes))
                {
                    let slope = slope / BATCH as f32;
                    *first = 0.9 * *first + 0.1 * slope;
                    *second = 0.995 * *second + 0.005 * slope * slope;
                    *weight -= rate * DECAY * *weight;
                    *weight -= rate * (*first / c1) / ((*second / c2).sqrt() + 1e-6);
                }
            }
            progress();
        }
        net
    }

    fn new(samples: &Samples, hidden: usize, random: &mut Pcg64Mcg) -> Self {
        let shape = Shape { hidden, regressors: samples.regressors };
        let mut weights = vec![0.0; shape.beside(LANES)];
        let mut uniform = |size: f32| ((random.next_u32() >> 8) as f32 / (1 << 23) as f32 - 1.0) * size;
        let (mean, deviation) = samples.moments();
        for unit in 0..hidden {
            for input in 0..INPUTS {
                let weight = uniform(1.0 / (INPUTS as f32).sqrt());
                // What never varied in training must say nothing later.
                weights[unit * INPUTS + input] = if deviation[input] > 0.0101 { weight } else { 0.0 };
            }
        }
        for output in 0..shape.outputs() {
            let at = shape.output(output);
            weights[at..at + hidden].fill_with(|| uniform(0.05));
        }
        for lane in 0..LANES {
            // It begins as it would be without training: the last step again, the one before it a little.
            for (at, start) in [(0, 0.6), (1, 0.3), (shape.regressors, 2.5)] {
                weights[shape.output(shape.of_lane(lane) + at) + hidden] = start;
            }
        }
        Self { shape, weights, mean, deviation }
    }

    /// One sample through the net, and what it says of the weights.
    fn learn(&self, sample: &Sample, pass: &mut Pass, slopes: &mut [f32]) {
        let (shape, weights) = (self.shape, &self.weights[..]);
        let Shape { hidden, regressors } = shape;
        for (to, (from, (mean, deviation))) in
            pass.inputs.iter_mut().zip(sample.inputs.iter().zip(self.mean.iter().zip(&self.deviation)))
        {
            *to = (from - mean) / deviation;
        }
        for (unit, value) in pass.units.iter_mut().enumerate() {
            let row = &weights[unit * INPUTS..][..INPUTS];
            *value = (weights[shape.unit_bias(unit)] + dot(row, &pass.inputs)).clamp(0.0, MAX_UNIT);
        }
        for (output, value) in pass.outputs.iter_mut().enumerate() {
            let row = &weights[shape.output(output)..][..=hidden];
            *value = row[hidden] + dot(&row[..hidden], &pass.units);
        }
        // How far off each lane is, and each number that is coded of it.
        let mut off = [0.0; LANES];
        for (lane, off) in off.iter_mut().enumerate() {
            let coefficients = &pass.outputs[shape.of_lane(lane)..][..regressors];
            *off = sample.truth[lane] - dot(coefficients, &sample.regressors[lane]);
        }
        let errors = sample.errors(off);
        pass.output_slopes.fill(0.0);
        let mut error_slopes = [0.0; LANES];
        for lane in 0..LANES {
            let direct = &weights[shape.direct(lane)..][..INPUTS];
            let sizes = match lane {
                0 => [0.0, 0.0, sample.across(lane)],
                1 => [size(errors[0]), 0.0, sample.across(lane)],
                _ => [size(errors[lane - 1]), size(errors[0]), sample.across(lane)],
            };
            let at = shape.of_lane(lane) + regressors;
            let scale = pass.outputs[at] + dot(direct, &pass.inputs);
            let scale = scale + dot(&weights[shape.beside(lane)..][..BESIDE], &sizes);
            let expected = scale.clamp(-2.0, 15.0).exp2();
            let (error, distance) = (errors[lane], errors[lane].abs() + 0.3);
            let part = distance / (2.0 * expected);
            let slope = (1.0 - 3.0 * part / (1.0 + part)) * core::f32::consts::LN_2;
            error_slopes[lane] = 3.0 / (2.0 * expected + distance) * (error / (error.abs() + 0.5));
            pass.output_slopes[at] = slope;
            add(&mut slopes[shape.beside(lane)..][..BESIDE], &sizes, slope);
            add(&mut slopes[shape.direct(lane)..][..INPUTS], &pass.inputs, slope);
        }
        let lane_slopes = sample.slopes(error_slopes);
        for (lane, slope) in lane_slopes.into_iter().enumerate() {
            let coefficients = &mut pass.output_slopes[shape.of_lane(lane)..][..regressors];
            add(coefficients, &sample.regressors[lane], -slope);
        }
        pass.unit_slopes.fill(0.0);
        for (output, slope) in pass.output_slopes.iter().enumerate() {
            let slope = slope.clamp(-20.0, 20.0);
            let at = shape.output(output);
            slopes[at + hidden] += slope;
            add(&mut slopes[at..at + hidden], &pass.units, slope);
            add(&mut pass.unit_slopes, &weights[at..at + hidden], slope);
        }
        for (unit, (value, slope)) in pass.units.iter().zip(&pass.unit_slopes).enumerate() {
            if 0.0 < *value && *value < MAX_UNIT {
                let slope = slope.clamp(-5.0, 5.0);
                slopes[shape.unit_bias(unit)] += slope;
                add(&mut slopes[unit * INPUTS..][..INPUTS], &pass.inputs, slope);
            }
        }
    }

    /// The weights as a codec takes them, for inputs as they come.
    pub(super) fn weights(&self) -> Weights {
        let Shape { hidden, regressors } = self.shape;
        let shape = self.shape;
        // A weight of an input as it comes, and what its mean adds to the bias.
        let row = |at: usize| -> (Vec<i16>, f32) {
            let (mut row, mut bias) = (Vec::with_capacity(INPUTS), 0.0);
            for input in 0..INPUTS {
                let weight = q12(self.weights[at + input] / self.deviation[input]);
                bias -= f32::from(weight) / 4096.0 * self.mean[input];
                row.push(weight);
            }
            (row, bias)
        };
        let mut weights = Weights::default();
        for unit in 0..hidden {
            let (row, bias) = row(unit * INPUTS);
            weights.hidden.push(row);
            weights.hidden_bias.push(q(self.weights[shape.unit_bias(unit)] + bias, 16));
        }
        let direct: Vec<_> = (0..LANES).map(|lane| row(shape.direct(lane))).collect();
        for output in 0..shape.outputs() {
            let row = &self.weights[shape.output(output)..][..=hidden];
            weights.outputs.push(row[..hidden].iter().map(|weight| q12(*weight)).collect());
            let lane = output / (regressors + 1);
            let is_size = output % (regressors + 1) == regressors;
            weights.output_bias.push(q(row[hidden] + if is_size { direct[lane].1 } else { 0.0 }, 20));
        }
        weights.direct = direct.into_iter().map(|(row, _)| row).collect();
        let beside = |lane| self.weights[shape.beside(lane)..][..BESIDE].iter().map(|weight| q12(*weight));
        weights.beside = (0..LANES).map(|lane| beside(lane).collect()).collect();
        weights.clamp();
        weights
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f32], what: &[f32], times: f32) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += what * times);
}

/// The logarithm of one more than a size, in whole sixteenths, as the codec takes it.
fn size(error: f32) -> f32 {
    let size = error.abs().round() + 1.0;
    let power = size.log2().floor();
    power + ((size / power.exp2() - 1.0) * 16.0).floor() / 16.0
}

fn q12(x: f32) -> i16 {
    // As large as a codec takes it, so that biases are folded from what is used.
    q(x, 12).clamp(-16_384, 16_384) as i16
}

fn q(x: f32, bits: u32) -> i32 {
    (f64::from(x) * f64::from(1u32 << bits)).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use ecs_runtime::codec::{MotionLessons, Truth};
    use ecs_runtime::schema::Motion;
    use rand_core::SeedableRng;

    #[test]
    fn a_net_learns_which_step_a_vector_takes_again() {
        let mut random = Pcg64Mcg::seed_from_u64(7);
        let mut lessons = MotionLessons {
            component: "Body",
            field: "place",
            motion: Motion::Linear,
            inputs: Vec::new(),
            regressors: Vec::new(),
            truths: Vec::new(),
        };
        for _ in 0..2000 {
            let mut step = || (random.next_u32() % 201) as i32 - 100;
            // It goes the step before the last one, twice.
            let steps = [step(), step(), step()];
            let lane = [steps[0], steps[1], steps[2], 0, 0, 4, 0, 0];
            lessons.inputs.push([16; INPUTS]);
            lessons.regressors.push([lane; LANES]);
            lessons.truths.push(Truth::Vector([2 * steps[1]; LANES]));
        }
        let effort = Effort { epochs: 100, hidden: 2, mirrored: false };
        let mut epochs = 0;
        let net = Net::trained(&Samples::new(&lessons), effort, &mut random, &mut || epochs += 1);
        let weights = net.weights();
        let coefficients: Vec<_> =
            weights.output_bias.iter().map(|bias| *bias as f32 / (1 << 20) as f32).collect();
        assert_eq!((epochs, weights.hidden.len(), coefficients.len()), (100, 2, 21));
        // What never varied says nothing, so the biases and the hidden units' constants are all there is.
        let outlook = |output: usize| {
            let units = weights.hidden_bias.iter().map(|bias| (*bias as f32 / 65_536.0).clamp(0.0, 8.0));
            let sum: f32 = weights.outputs[output]
                .iter()
                .zip(units)
                .map(|(weight, unit)| f32::from(*weight) / 4096.0 * unit)
                .sum();
            coefficients[output] + sum
        };
        assert!(outlook(0).abs() < 0.1 && (outlook(1) - 2.0).abs() < 0.1, "{} {}", outlook(0), outlook(1));
    }
}
