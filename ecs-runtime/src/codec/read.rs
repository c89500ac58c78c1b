//! What decoding reads from: the mirror of [`Encode`](super::Encode).
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use super::bits::{BitReader, OutOfBits};
use super::contexts::{prefix, suffix};

/// Gives symbols.
pub trait Decode {
    /// Whether decisions are told one by one, each in its context.
    const MODELLED: bool = false;

    /// The next `count` bits, at most 32.
    fn bits(&mut self, count: u32) -> Result<u32, OutOfBits>;

    /// The next decision, in a context.
    fn decide(&mut self, context: u32) -> Result<bool, OutOfBits>;

    /// How many ones there are before the next zero, counting to `limit`, at most 32; there the run ends by itself.
    #[inline]
    fn unary(&mut self, code: u32, limit: u32) -> Result<u32, OutOfBits> {
        let mut ones = 0;
        while ones < limit && self.decide(prefix(code, ones))? {
            ones += 1;
        }
        Ok(ones)
    }

    /// What follows a prefix of `ones` in an exp-Golomb code: `count` bits, at most 32.
    #[inline]
    fn suffix(&mut self, code: u32, ones: u32, count: u32) -> Result<u32, OutOfBits> {
        if !Self::MODELLED || count == 0 {
            return self.bits(count);
        }
        let first = suffix(code, ones);
        let high = u32::from(self.decide(first)?);
        if count == 1 {
            return Ok(high);
        }
        let next = u32::from(self.decide(first + 1 + high)?);
        let left = count - 2;
        Ok((high << 1 | next) << left | self.bits(left)?)
    }

    /// About where it is, in bits.
    fn position(&self) -> usize;
}

impl Decode for BitReader<'_> {
    #[inline]
    fn bits(&mut self, count: u32) -> Result<u32, OutOfBits> {
        self.read(count)
    }

    #[inline]
    fn decide(&mut self, _context: u32) -> Result<bool, OutOfBits> {
        self.flag()
    }

    #[inline]
    fn unary(&mut self, _code: u32, limit: u32) -> Result<u32, OutOfBits> {
        Self::unary(self, limit)
    }

    #[inline]
    fn position(&self) -> usize {
        Self::position(self)
    }
}
