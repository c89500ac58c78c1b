//! Random numbers that are the same for the same seed, on every platform.

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;

/// A source of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random(Pcg32);

impl Random {
    /// The numbers that belong to a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Pcg32::seed_from_u64(seed))
    }

    /// From 0 to, but not quite, 1.
    pub fn unit(&mut self) -> f32 {
        // 24 bits are what an `f32` holds without rounding up to 1.
        (self.0.next_u32() >> 8) as f32 / (1 << 24) as f32
    }

    /// From `low` to `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// One of a slice, or `None` if there is none.
    pub fn choose<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let at = (u64::from(self.0.next_u32()) * of.len() as u64) >> u32::BITS;
        of.get(at as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers_everywhere() {
        let mut random = Random::new(1);
        let numbers: Vec<u32> = (0..4).map(|_| (random.unit() * 1000.0) as u32).collect();
        assert_eq!(numbers, [201, 491, 792, 69]);
    }

    #[test]
    fn numbers_stay_between_their_bounds() {
        let mut random = Random::new(2);
        assert!((0..10_000).map(|_| random.between(-2.0, 3.0)).all(|number| (-2.0..=3.0).contains(&number)));
        let of = [1, 2, 3];
        let mut counts = [0; 3];
        for _ in 0..3000 {
            counts[random.choose(&of).expect("one of three") - 1] += 1;
        }
        assert!(counts.iter().all(|&count| count > 900), "{counts:?}");
        assert_eq!(random.choose::<u8>(&[]), None);
    }
}
