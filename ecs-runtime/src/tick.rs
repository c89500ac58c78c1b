//! Counters that are wide inside and narrow on the wire.

use core::fmt;
use core::ops::{Add, Sub};

/// The number of a simulation step. 64 bits inside, 16 on the wire; it never wraps in practice.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tick(pub u64);

impl fmt::Debug for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tick {}", self.0)
    }
}

impl Add<u64> for Tick {
    type Output = Self;

    fn add(self, ticks: u64) -> Self {
        Self(self.0.wrapping_add(ticks))
    }
}

impl Sub<u64> for Tick {
    type Output = Self;

    fn sub(self, ticks: u64) -> Self {
        Self(self.0.saturating_sub(ticks))
    }
}

/// Counters stay below this, so that what is added to them cannot overflow.
pub(crate) const MAX_COUNTER: u64 = 1 << 62;

/// The value nearest to `expected` that ends in the 16 bits of `low`.
#[must_use]
pub(crate) const fn widen(low: u16, expected: u64) -> u64 {
    let ahead = low.wrapping_sub(expected as u16).cast_signed();
    match expected.checked_add_signed(ahead as i64) {
        Some(value) => value,
        // Below zero or beyond 64 bits there is no such value; the other way round is the nearest.
        None => expected.wrapping_add_signed(ahead as i64) & 0xffff,
    }
}

/// The value nearest to `expected` that ends in the 32 bits of `low`.
#[must_use]
pub(crate) const fn widen_32(low: u32, expected: u64) -> u64 {
    let ahead = low.wrapping_sub(expected as u32).cast_signed();
    match expected.checked_add_signed(ahead as i64) {
        Some(value) => value,
        None => expected.wrapping_add_signed(ahead as i64) & 0xffff_ffff,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_bits_are_widened_across_every_wrap() {
        for expected in [0u64, 100, 1 << 15, 1 << 16, (1 << 16) + 5, 1 << 31, 1 << 32, 1 << 40] {
            for ahead in [-30_000i64, -1, 0, 1, 30_000] {
                if let Some(value) = expected.checked_add_signed(ahead) {
                    assert_eq!(widen(value as u16, expected), value, "{expected} {ahead}");
                    assert_eq!(widen_32(value as u32, expected), value, "{expected} {ahead}");
                }
            }
        }
    }
}
