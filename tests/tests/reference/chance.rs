//! Random choices, the same for the same seed.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

pub(crate) struct Chance(Pcg32);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg32::seed_from_u64(seed))
    }

    /// Any number.
    pub(crate) fn any(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// A number in `0..end`.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.any() % end
    }

    /// A number in `lo..=hi`.
    pub(crate) fn within(&mut self, lo: i64, hi: i64) -> i64 {
        lo + (self.0.next_u64() % (hi - lo + 1).unsigned_abs()) as i64
    }

    /// Whether one of `count` equal chances came true.
    pub(crate) fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }

    /// A number of at most so many bits, short ones as likely as long ones.
    pub(crate) fn of_bits(&mut self, bits: u32) -> i64 {
        let bits = self.below(bits + 1);
        self.within(0, (1 << bits) - 1)
    }
}
