//! The weights of a net, and those that serve anything that moves.

use serde::{Deserialize, Serialize};

use super::net::{BESIDE, HIDDEN, INPUTS, LANES, MAX_BIAS, MAX_WEIGHT, regressors};
use crate::schema::Motion;

/// The weights of a net that foretells how a field moves. `Qn` is a number times 2^n.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// By hidden unit, of which there are none or up to 24: the weight of each input, in Q12.
    pub hidden: Vec<Vec<i16>>,
    /// By hidden unit: Q16.
    pub hidden_bias: Vec<i32>,
    /// By output, those of a lane together, its expected size last: the weight of each hidden unit, in Q12.
    pub outputs: Vec<Vec<i16>>,
    /// By output: Q20.
    pub output_bias: Vec<i32>,
    /// By lane: what each input adds to the expected size, in Q12.
    pub direct: Vec<Vec<i16>>,
    /// By lane: what the sizes of earlier lanes' differences add to it, in Q12.
    pub beside: Vec<Vec<i16>>,
}

impl Weights {
    /// Weights of no hidden units that are all zero.
    fn none(motion: Motion) -> Self {
        let outputs = LANES * (regressors(motion) + 1);
        Self {
            hidden: Vec::new(),
            hidden_bias: Vec::new(),
            outputs: vec![Vec::new(); outputs],
            output_bias: vec![0; outputs],
            direct: vec![vec![0; INPUTS]; LANES],
            beside: vec![vec![0; BESIDE]; LANES],
        }
    }

    /// The same for each lane: coefficients, the expected size without any inputs, what inputs add to it (of a lane's
    /// own, by lane), and what sizes beside it add.
    fn of_lanes(
        motion: Motion,
        coefficients: &[f32],
        size: f32,
        direct: impl Fn(usize) -> Vec<(usize, f32)>,
        beside: [f32; BESIDE],
    ) -> Self {
        let (mut weights, count) = (Self::none(motion), regressors(motion));
        for lane in 0..LANES {
            let outputs = &mut weights.output_bias[lane * (count + 1)..][..=count];
            outputs.iter_mut().zip(coefficients).for_each(|(bias, x)| *bias = q(*x, 20));
            outputs[count] = q(size, 20);
            for (input, weight) in direct(lane) {
                weights.direct[lane][input] = q(weight, 12) as i16;
            }
            weights.beside[lane] = beside.iter().map(|x| q(*x, 12) as i16).collect();
        }
        weights
    }

    /// What serves any vector: it goes on about as it went, and is as far off as it was rough.
    #[must_use]
    pub fn linear() -> Self {
        let direct = |lane: usize| {
            vec![
                (10 + 3 * lane, 0.15),
                (11 + 3 * lane, 0.15),
                (19 + 7 * lane, 0.3),
                (1, 0.1),
                (7, 0.1),
                (39, 1.0),
            ]
        };
        Self::of_lanes(Motion::Linear, &[0.9, 0.1], -1.0, direct, [0.3, 0.2, 0.0])
    }

    /// What serves any rotation whose numbers go to `max`: behind a vector, it is as far off as that was.
    #[must_use]
    pub fn rotation(max: u32, behind_vector: bool) -> Self {
        let direct = |_| {
            if behind_vector {
                vec![(0, 0.1), (1, 0.03), (19, 0.05), (24, 0.05), (29, 0.05), (33, 0.4), (37, 0.35)]
            } else {
                vec![(0, 0.2), (1, 0.03), (37, 0.35)]
            }
        };
        let unit = libm::log2f(max.max(1) as f32 / 511.0);
        Self::of_lanes(Motion::Rotation, &[0.75, 0.2, 0.05], unit - 2.0, direct, [0.35, 0.25, 0.3])
    }

    /// Brings all weights within their bounds.
    pub fn clamp(&mut self) {
        let rows = [&mut self.hidden, &mut self.outputs, &mut self.direct, &mut self.beside];
        for weight in rows.into_iter().flatten().flatten() {
            *weight = (*weight).clamp(-MAX_WEIGHT, MAX_WEIGHT);
        }
        for bias in self.hidden_bias.iter_mut().chain(&mut self.output_bias) {
            *bias = (*bias).clamp(-MAX_BIAS, MAX_BIAS);
        }
    }

    /// How many hidden units a net has at most.
    pub const HIDDEN: usize = HIDDEN;
}

fn q(x: f32, bits: u32) -> i32 {
    libm::roundf(x * (1u32 << bits) as f32) as i32
}
