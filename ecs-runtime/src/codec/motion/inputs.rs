//! What a net is told of how something moved.

use super::STEPS;
use super::fixed::log;
use super::net::{INPUTS, LANES, MAX_INPUT};

/// The inputs of a net, as they are filled: numbers of which the logarithms are taken.
pub(super) struct Inputs {
    numbers: [i32; INPUTS],
}

/// How many inputs every motion has: the rest is its own.
pub(super) const COMMON: usize = 18;

impl Inputs {
    /// What a vector and a turn have in common, by their steps, as they would be in a tick, the newest first: how rough the
    /// motion was at each state (0 to 3) and how that changed (4 to 6), the newest and the oldest speed (7, 8), and for
    /// each lane its newest speed with and without its sign, and its newest change (9 to 17).
    pub(super) fn new(steps: &[[i32; STEPS]; LANES], changes: &[[i32; STEPS - 1]; LANES]) -> Self {
        let mut numbers = [0; INPUTS];
        let sum = |of: &dyn Fn(usize) -> i32| (0..LANES).map(|lane| of(lane).abs()).sum();
        for at in 0..STEPS - 1 {
            numbers[at] = sum(&|lane| changes[lane][at]);
        }
        for at in 0..STEPS - 2 {
            numbers[4 + at] = sum(&|lane| changes[lane][at] - changes[lane][at + 1]);
        }
        numbers[7] = sum(&|lane| steps[lane][0]);
        numbers[8] = sum(&|lane| steps[lane][STEPS - 1]);
        for lane in 0..LANES {
            numbers[9 + 3 * lane] = steps[lane][0];
            numbers[10 + 3 * lane] = steps[lane][0].abs();
            numbers[11 + 3 * lane] = changes[lane][0].abs();
        }
        Self { numbers }
    }

    /// Sets numbers from `at` on.
    pub(super) fn set<const N: usize>(&mut self, at: usize, numbers: [i32; N]) {
        self.numbers[at..at + N].copy_from_slice(&numbers);
    }

    /// The inputs: of each number the logarithm in 16ths, with its sign; of those that are given, that itself.
    pub(super) fn finish<const N: usize>(&self, logarithms: [(usize, i32); N]) -> [i16; INPUTS] {
        let mut inputs = self.numbers.map(|number| {
            let sign = number >> 31;
            ((log(number) ^ sign) - sign) as i16
        });
        for (at, logarithm) in logarithms {
            inputs[at] = logarithm.clamp(-MAX_INPUT, MAX_INPUT) as i16;
        }
        inputs
    }
}
