//! Plain bits: a writer and the one reader that touches input from outside.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use super::encode::{Encode, Symbol};

/// Writes bits into bytes, the lowest first.
#[derive(Debug, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that are not in `bytes` yet, fewer than 32 between calls.
    pending: u64,
    pending_bits: u32,
}

impl BitWriter {
    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.pending = 0;
        self.pending_bits = 0;
    }

    /// How many bits were written.
    #[must_use]
    pub fn len_bits(&self) -> usize {
        self.bytes.len() * 8 + self.pending_bits as usize
    }

    /// Writes the lowest `count` bits of `value`; `count` is at most 32, the other bits are zero.
    #[inline]
    pub fn write(&mut self, value: u32, count: u32) {
        debug_assert!(count <= 32 && u64::from(value) >> count == 0);
        self.pending |= u64::from(value) << self.pending_bits;
        self.pending_bits += count;
        if self.pending_bits >= 32 {
            self.bytes.extend_from_slice(&(self.pending as u32).to_le_bytes());
            self.pending >>= 32;
            self.pending_bits -= 32;
        }
    }

    /// Writes all bits of another writer, which is padded and emptied.
    pub(crate) fn append(&mut self, other: &mut Self) {
        let bits = other.len_bits();
        self.append_bits(other.finish(), bits);
        other.clear();
    }

    /// Writes the first `bits` bits of bytes; those that follow in the last byte are zero.
    pub(crate) fn append_bits(&mut self, bytes: &[u8], mut bits: usize) {
        for chunk in bytes.chunks(4) {
            let mut word = [0; 4];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            let count = bits.min(32);
            self.write(u32::from_le_bytes(word), count as u32);
            bits -= count;
        }
    }

    /// Pads to whole bytes, so that what follows begins at one, whose number it gives.
    pub(crate) fn align(&mut self) -> usize {
        self.finish().len()
    }

    /// The bytes so far, without bits that do not fill a byte.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Pads to whole bytes with zeros and gives them all.
    pub fn finish(&mut self) -> &[u8] {
        let bytes = self.pending_bits.div_ceil(8) as usize;
        self.bytes.extend(self.pending.to_le_bytes().into_iter().take(bytes));
        self.pending = 0;
        self.pending_bits = 0;
        &self.bytes
    }
}

impl Encode for BitWriter {
    #[inline]
    fn bits(&mut self, _symbol: Symbol, value: u32, count: u32) {
        self.write(value, count);
    }
}

/// Reads bits, the lowest first, and never beyond the end.
#[derive(Clone, Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    at_bit: usize,
}

/// The bits ended before what they should tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the data ends in the middle, at bit {0}")]
pub struct OutOfBits(pub usize);

impl<'a> BitReader<'a> {
    /// A reader at the first bit.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at_bit: 0 }
    }

    /// The number of the bit that is read next.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at_bit
    }

    /// The next bits, at least 57 of them, the first lowest; zeros beyond the end.
    #[inline]
    fn window(&self) -> u64 {
        let rest = self.bytes.get(self.at_bit / 8..).unwrap_or(&[]);
        let window = match rest.first_chunk::<8>() {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => {
                let mut bytes = [0; 8];
                for (to, from) in bytes.iter_mut().zip(rest) {
                    *to = *from;
                }
                u64::from_le_bytes(bytes)
            }
        };
        window >> (self.at_bit % 8)
    }

    /// The next `count` bits, at most 32.
    #[inline]
    pub fn read(&mut self, count: u32) -> Result<u32, OutOfBits> {
        debug_assert!(count <= 32);
        let value = self.window() & ((1u64 << count) - 1);
        self.skip(count as usize)?;
        Ok(value as u32)
    }

    /// Goes on behind `count` bits.
    #[inline]
    pub(crate) fn skip(&mut self, count: usize) -> Result<(), OutOfBits> {
        let end = self.at_bit.saturating_add(count);
        if end > self.bytes.len() * 8 {
            return Err(OutOfBits(self.at_bit));
        }
        self.at_bit = end;
        Ok(())
    }

    /// The next bit.
    #[inline]
    pub fn flag(&mut self) -> Result<bool, OutOfBits> {
        Ok(self.read(1)? == 1)
    }

    /// How many bits are set before the next one that is not, counting to `limit`, at most 32; there the run ends by itself.
    #[inline]
    pub fn unary(&mut self, limit: u32) -> Result<u32, OutOfBits> {
        debug_assert!(limit <= 32);
        let ones = self.window().trailing_ones().min(limit);
        self.skip((ones + u32::from(ones < limit)) as usize)?;
        Ok(ones)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reading_beyond_the_end_is_an_error_that_names_the_place() {
        let mut reader = BitReader::new(&[0xff, 0x01]);
        assert_eq!(reader.read(9), Ok(0x1ff));
        assert_eq!(reader.read(8), Err(OutOfBits(9)));
        assert_eq!(reader.read(7), Ok(0));
        assert_eq!(reader.flag(), Err(OutOfBits(16)));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(items in proptest::collection::vec((any::<u32>(), 0u32..=32), 0..200)) {
            let mut writer = BitWriter::default();
            let items: Vec<_> =
                items.into_iter().map(|(value, count)| ((u64::from(value) & ((1 << count) - 1)) as u32, count)).collect();
            for &(value, count) in &items {
                writer.write(value, count);
            }
            let bits = writer.len_bits();
            let bytes = writer.finish().to_vec();
            prop_assert_eq!(bytes.len(), bits.div_ceil(8));
            let mut reader = BitReader::new(&bytes);
            for (value, count) in items {
                prop_assert_eq!(reader.read(count), Ok(value));
            }
        }
    }
}
