//! The arithmetic coder. A packet is one long number, a fraction in base 256: each decision narrows the range that the
//! number is in, by how likely it was.

use ecs_runtime::codec::MAX_DECISIONS;

use super::Refused;
use super::line::{Line, NOT_TOLD};

/// The range is kept as a whole number of 24 to 32 bits, at the fourth last digit.
const LEAST_RANGE: u64 = 1 << 24;
const FIRST_RANGE: u64 = (1 << 32) - 1;

/// Probabilities are in 32768ths.
const ONE: u64 = 1 << 15;

/// Bits that are all as likely are told by at most so many at once.
const PIECE: u32 = 16;

/// The part of a range in which a decision of a context is true.
fn part(range: u64, probabilities: &[u16], context: usize) -> u64 {
    range / ONE * u64::from(probabilities[context])
}

/// Writes decisions.
pub(crate) struct RangeWriter<'m> {
    probabilities: &'m [u16],
    /// The low end of the range: all of its digits.
    low: Vec<u8>,
    range: u64,
    /// All decisions so far, with their contexts.
    pub(crate) decided: Vec<(usize, bool)>,
}

impl<'m> RangeWriter<'m> {
    pub(crate) fn new(probabilities: &'m [u16]) -> Self {
        Self { probabilities, low: vec![0; 4], range: FIRST_RANGE, decided: Vec::new() }
    }

    /// The number in the range that has the most zeros at its end, without the digits that are zero.
    pub(crate) fn bytes(mut self) -> Vec<u8> {
        let low = self.low[self.low.len() - 4..].iter().fold(0, |low, digit| low * 256 + u64::from(*digit));
        for zeros in (0..32).rev() {
            let up = low.next_multiple_of(1 << zeros) - low;
            if up < self.range {
                self.raise(up);
                break;
            }
        }
        while self.low.last() == Some(&0) {
            self.low.pop();
        }
        self.low
    }

    /// Adds to the low end, as one does on paper.
    fn raise(&mut self, by: u64) {
        let mut carry = by;
        for digit in self.low.iter_mut().rev() {
            if carry == 0 {
                break;
            }
            let sum = u64::from(*digit) + carry;
            *digit = (sum % 256) as u8;
            carry = sum / 256;
        }
        assert_eq!(carry, 0, "the number is below one");
    }

    fn settle(&mut self) {
        while self.range < LEAST_RANGE {
            self.range *= 256;
            self.low.push(0);
        }
    }

    fn piece(&mut self, value: u32, count: u32) {
        self.range /= 1 << count;
        self.raise(u64::from(value) * self.range);
        self.settle();
    }
}

impl Line for RangeWriter<'_> {
    fn is_modelled(&self) -> bool {
        true
    }

    fn decide(&mut self, context: usize, told: Option<bool>) -> Result<bool, Refused> {
        let value = told.expect(NOT_TOLD);
        let part = part(self.range, self.probabilities, context);
        if value {
            self.range = part;
        } else {
            self.raise(part);
            self.range -= part;
        }
        self.settle();
        self.decided.push((context, value));
        Ok(value)
    }

    fn bits(&mut self, count: u32, told: Option<u32>) -> Result<u32, Refused> {
        let value = told.expect(NOT_TOLD);
        if count > PIECE {
            self.piece(value >> PIECE, count - PIECE);
        }
        self.piece(value % (1 << PIECE), count.min(PIECE));
        Ok(value)
    }
}

/// Reads decisions; the number goes on with zeros behind its last byte.
pub(crate) struct RangeReader<'m> {
    probabilities: &'m [u16],
    bytes: Vec<u8>,
    at: usize,
    /// How far the number is above the low end, modulo 2^32: a number that nobody wrote may be beyond the range.
    above: u64,
    range: u64,
    /// So many decisions and pieces of bits are left of those that a packet may have.
    left: u32,
}

impl<'m> RangeReader<'m> {
    pub(crate) fn new(bytes: &[u8], probabilities: &'m [u16]) -> Self {
        let bytes = bytes.to_vec();
        let mut reader =
            Self { probabilities, bytes, at: 0, above: 0, range: FIRST_RANGE, left: MAX_DECISIONS };
        for _ in 0..4 {
            reader.next_digit();
        }
        reader
    }

    /// How many bits were needed, in whole bytes.
    pub(crate) fn position(&self) -> usize {
        self.at * 8
    }

    fn next_digit(&mut self) {
        let digit = self.bytes.get(self.at).map_or(0, |byte| u64::from(*byte));
        self.above = (self.above * 256 + digit) % (1 << 32);
        self.at += 1;
    }

    fn settle(&mut self) {
        while self.range < LEAST_RANGE {
            self.range *= 256;
            self.next_digit();
        }
    }

    fn count(&mut self) -> Result<(), Refused> {
        self.left = self.left.checked_sub(1).ok_or(Refused::TooMuch)?;
        Ok(())
    }

    fn piece(&mut self, count: u32) -> Result<u32, Refused> {
        self.count()?;
        self.range /= 1 << count;
        // The range may not be a multiple; what is left of it belongs to the last value.
        let value = (self.above / self.range).min((1 << count) - 1);
        self.above -= value * self.range;
        self.settle();
        Ok(value as u32)
    }
}

impl Line for RangeReader<'_> {
    fn is_modelled(&self) -> bool {
        true
    }

    fn decide(&mut self, context: usize, _told: Option<bool>) -> Result<bool, Refused> {
        self.count()?;
        let part = part(self.range, self.probabilities, context);
        let value = self.above < part;
        if value {
            self.range = part;
        } else {
            self.above -= part;
            self.range -= part;
        }
        self.settle();
        Ok(value)
    }

    fn bits(&mut self, count: u32, _told: Option<u32>) -> Result<u32, Refused> {
        let high = if count > PIECE { self.piece(count - PIECE)? } else { 0 };
        Ok(high << PIECE | self.piece(count.min(PIECE))?)
    }
}
