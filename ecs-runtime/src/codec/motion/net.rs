//! A small net that tells from how words moved which of their steps they go on with, and how far off that will be.
//!
//! It has one hidden layer, or none. For each of up to three lanes it gives the coefficients of a linear predictor over
//! the steps between the known states, so that what is foretold grows with the motion itself, and the logarithm of the
//! expected size of the difference. All of it is whole numbers, the same on every platform; `Qn` is a number times 2^n.

use wide::{i16x8, i32x4};

use super::weights::Weights;
use crate::schema::{Motion, Word};

/// How many inputs a net has: logarithms in 16ths, each within ±[`MAX_INPUT`].
pub(crate) const INPUTS: usize = 40;

/// The most hidden units.
pub(crate) const HIDDEN: usize = 24;

/// The numbers of a vector, or of a turn.
pub(crate) const LANES: usize = 3;

/// What a coefficient multiplies: at most so many for each lane.
pub(crate) const REGRESSORS: usize = 8;

/// How many outputs there are at most: for each lane its coefficients and the expected size; and one that is not used.
const OUTPUTS: usize = LANES * (REGRESSORS + 1) + 1;

/// Weights are within ±4, in Q12, and biases below 2^29, so that no sum overflows.
pub(crate) const MAX_WEIGHT: i16 = 1 << 14;
/// See [`MAX_WEIGHT`].
pub(crate) const MAX_BIAS: i32 = 1 << 29;
/// See [`INPUTS`].
pub(super) const MAX_INPUT: i32 = 512;

/// How many sizes of earlier lanes, or of other things, add to the expected size of a lane.
pub(crate) const BESIDE: usize = 3;

/// How many regressors a lane of a motion has.
pub(crate) const fn regressors(motion: Motion) -> usize {
    match motion {
        Motion::Linear => 6,
        Motion::Rotation => 8,
    }
}

/// The weights of a net, laid out for speed: by pairs of the numbers that they multiply, those of four results side by
/// side.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    regressors: usize,
    hidden: Option<Box<Hidden>>,
    /// What inputs add to the expected sizes, in Q12.
    direct: [[i16x8; 1]; INPUTS / 2],
    /// In Q20.
    bias: [i32x4; OUTPUTS / 4],
    /// By lane: what earlier lanes add to the expected size, in Q12.
    beside: [[i16; BESIDE]; LANES],
}

/// The hidden layer: weights in Q12.
#[derive(Clone, Debug)]
struct Hidden {
    first: [[i16x8; HIDDEN / 4]; INPUTS / 2],
    /// In Q16.
    bias: [i32x4; HIDDEN / 4],
    second: [[i16x8; OUTPUTS / 4]; HIDDEN / 2],
}

/// What a net says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlook {
    regressors: usize,
    outputs: [i32; OUTPUTS],
}

/// What is not as it should be of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// There are too many or too few of them.
    #[error("it has another number of {0} than its motion needs")]
    Len(&'static str),
    /// One is too large.
    #[error("one of its {0} is too large")]
    Size(&'static str),
}

impl Net {
    /// Checks weights and lays them out.
    pub(crate) fn new(motion: Motion, weights: &Weights) -> Result<Self, WeightsError> {
        let outputs = LANES * (regressors(motion) + 1);
        check(&weights.hidden, 0..=HIDDEN, INPUTS, "hidden")?;
        check_biases(&weights.hidden_bias, weights.hidden.len(), "hidden_bias")?;
        check(&weights.outputs, outputs..=outputs, weights.hidden.len(), "outputs")?;
        check_biases(&weights.output_bias, outputs, "output_bias")?;
        check(&weights.direct, LANES..=LANES, INPUTS, "direct")?;
        check(&weights.beside, LANES..=LANES, BESIDE, "beside")?;
        Ok(Self::laid_out(motion, weights))
    }

    /// What serves without training; `words` are those of the field, and it may come behind a vector of its component.
    pub(super) fn untrained(motion: Motion, words: &[Word], behind_vector: bool) -> Self {
        let weights = match motion {
            Motion::Linear => Weights::linear(),
            Motion::Rotation => Weights::rotation(words.last().map_or(511, |word| word.max), behind_vector),
        };
        Self::laid_out(motion, &weights)
    }

    /// The net of weights that were checked.
    fn laid_out(motion: Motion, weights: &Weights) -> Self {
        let hidden = (!weights.hidden.is_empty()).then(|| {
            let hidden = Hidden {
                first: side_by_side(&weights.hidden),
                bias: in_fours(&weights.hidden_bias),
                second: side_by_side(&weights.outputs),
            };
            Box::new(hidden)
        });
        let mut net = Self {
            regressors: regressors(motion),
            hidden,
            direct: side_by_side(&weights.direct),
            bias: in_fours(&weights.output_bias),
            beside: [[0; BESIDE]; LANES],
        };
        for (to, from) in net.beside.iter_mut().zip(&weights.beside) {
            copy(from, to);
        }
        net
    }

    /// What it says of inputs.
    #[inline]
    pub(super) fn run(&self, inputs: &[i16; INPUTS]) -> Outlook {
        let mut direct = [i32x4::ZERO];
        multiply(&mut direct, &self.direct, inputs);
        let mut sums = self.bias;
        if let Some(hidden) = &self.hidden {
            let mut units = hidden.bias;
            multiply(&mut units, &hidden.first, inputs);
            // Q8, from 0 to 8.
            let mut of_units = [0; HIDDEN];
            for (to, sum) in of_units.as_chunks_mut::<4>().0.iter_mut().zip(units) {
                let unit: i32x4 = sum >> 8;
                *to = unit.to_array().map(|unit| unit.clamp(0, 2048) as i16);
            }
            multiply(&mut sums, &hidden.second, &of_units);
        }
        let mut outputs = [0; OUTPUTS];
        for (to, sum) in outputs.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
            let sum: i32x4 = sum >> 8;
            *to = sum.to_array();
        }
        for (lane, direct) in direct[0].to_array().iter().take(LANES).enumerate() {
            let scale = &mut outputs[lane * (self.regressors + 1) + self.regressors];
            *scale = (*scale >> 4) + (direct >> 8);
        }
        Outlook { regressors: self.regressors, outputs }
    }

    /// What sizes beside a lane, logarithms in 16ths, add to its expected size, in Q8.
    pub(super) fn beside(&self, lane: usize, sizes: [i32; BESIDE]) -> i32 {
        let sum: i32 =
            self.beside[lane].iter().zip(sizes).map(|(weight, size)| i32::from(*weight) * size).sum();
        sum >> 8
    }
}

impl Outlook {
    /// How far a lane goes, by its regressors.
    #[inline]
    pub(super) fn way(&self, lane: usize, regressors: &[i32; REGRESSORS]) -> i64 {
        let coefficients = &self.outputs[lane * (self.regressors + 1)..][..self.regressors];
        let sum: i64 =
            coefficients.iter().zip(regressors).map(|(weight, x)| i64::from(*weight) * i64::from(*x)).sum();
        (2048 + sum) >> 12
    }

    /// The logarithm of the expected size of a lane's difference, in Q8.
    #[inline]
    pub(super) fn scale(&self, lane: usize) -> i32 {
        self.outputs[lane * (self.regressors + 1) + self.regressors]
    }
}

/// Adds numbers to sums, each by its weights.
#[inline(always)]
fn multiply<const N: usize, const PAIRS: usize>(
    sums: &mut [i32x4; N],
    weights: &[[i16x8; N]; PAIRS],
    numbers: &[i16],
) {
    for (weights, &[a, b]) in weights.iter().zip(numbers.as_chunks::<2>().0) {
        let pairs = i16x8::new([a, b, a, b, a, b, a, b]);
        for (sum, weights) in sums.iter_mut().zip(weights) {
            *sum += weights.dot(pairs);
        }
    }
}

/// Rows of weights side by side, two of each in turn.
fn side_by_side<const N: usize, const PAIRS: usize>(rows: &[Vec<i16>]) -> [[i16x8; N]; PAIRS] {
    let weight = |row: usize, at: usize| rows.get(row).and_then(|row| row.get(at)).copied().unwrap_or(0);
    core::array::from_fn(|pair| {
        core::array::from_fn(|four| {
            i16x8::new(core::array::from_fn(|at| weight(4 * four + at / 2, 2 * pair + at % 2)))
        })
    })
}

/// Numbers, four together.
fn in_fours<const N: usize>(numbers: &[i32]) -> [i32x4; N] {
    let number = |at: usize| numbers.get(at).copied().unwrap_or(0);
    core::array::from_fn(|four| i32x4::new(core::array::from_fn(|at| number(4 * four + at))))
}

fn copy<T: Copy>(from: &[T], to: &mut [T]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}

fn check(
    rows: &[Vec<i16>],
    count: core::ops::RangeInclusive<usize>,
    len: usize,
    what: &'static str,
) -> Result<(), WeightsError> {
    if !count.contains(&rows.len()) || rows.iter().any(|row| row.len() != len) {
        return Err(WeightsError::Len(what));
    }
    let fits = |weight: &i16| (-MAX_WEIGHT..=MAX_WEIGHT).contains(weight);
    if rows.iter().flatten().all(fits) { Ok(()) } else { Err(WeightsError::Size(what)) }
}

fn check_biases(biases: &[i32], len: usize, what: &'static str) -> Result<(), WeightsError> {
    if biases.len() != len {
        return Err(WeightsError::Len(what));
    }
    let fits = |bias: &i32| (-MAX_BIAS..=MAX_BIAS).contains(bias);
    if biases.iter().all(fits) { Ok(()) } else { Err(WeightsError::Size(what)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_weights_and_inputs_overflow_nothing() {
        for sign in [-1, 1] {
            let (weight, bias) = (sign * MAX_WEIGHT, i32::from(sign) * MAX_BIAS);
            let weights = Weights {
                hidden: vec![vec![MAX_WEIGHT; INPUTS]; HIDDEN],
                hidden_bias: vec![MAX_BIAS; HIDDEN],
                outputs: vec![vec![weight; HIDDEN]; LANES * (REGRESSORS + 1)],
                output_bias: vec![bias; LANES * (REGRESSORS + 1)],
                direct: vec![vec![weight; INPUTS]; LANES],
                beside: vec![vec![weight; BESIDE]; LANES],
            };
            let net = Net::new(Motion::Rotation, &weights).expect("within bounds");
            let outlook = net.run(&[MAX_INPUT as i16; INPUTS]);
            let scale = outlook.scale(2) + net.beside(2, [MAX_INPUT; BESIDE]);
            assert_eq!((scale > 0, outlook.way(2, &[1 << 30; REGRESSORS]) > 0), (sign > 0, sign > 0));
        }
    }

    #[test]
    fn weights_of_another_shape_or_size_are_refused() {
        let good = Weights::linear();
        assert_eq!(Net::new(Motion::Linear, &good).err(), None);
        assert_eq!(Net::new(Motion::Rotation, &good).err(), Some(WeightsError::Len("outputs")));
        let mut bad = good.clone();
        bad.direct[1][3] = MAX_WEIGHT + 1;
        assert_eq!(Net::new(Motion::Linear, &bad).err(), Some(WeightsError::Size("direct")));
        let mut bad = good.clone();
        bad.hidden_bias.push(0);
        assert_eq!(Net::new(Motion::Linear, &bad).err(), Some(WeightsError::Len("hidden_bias")));
        let mut bad = good;
        bad.output_bias[0] = -MAX_BIAS - 1;
        assert_eq!(Net::new(Motion::Linear, &bad).err(), Some(WeightsError::Size("output_bias")));
    }
}
