//! The quantized form of a whole struct, and how its fields are written and read in order.

use super::Wire;

/// The quantized form of one struct: `[u32; N]`.
pub trait Row: Copy + Send + Sync + 'static {
    /// All words zero.
    const ZERO: Self;

    /// The words, in the order of the fields.
    fn words(&self) -> &[u32];

    /// The words, to be written.
    fn words_mut(&mut self) -> &mut [u32];
}

impl<const N: usize> Row for [u32; N] {
    const ZERO: Self = [0; N];

    #[inline]
    fn words(&self) -> &[u32] {
        self
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u32] {
        self
    }
}

/// Writes the fields of one struct to its row, in order.
#[derive(Debug)]
pub struct RowWriter<'a> {
    row: &'a mut [u32],
    saturated: &'a mut [u64],
}

impl<'a> RowWriter<'a> {
    /// A writer at the start of `row`; `saturated` has one counter for each field that is sent.
    #[inline]
    #[must_use]
    pub fn new(row: &'a mut [u32], saturated: &'a mut [u64]) -> Self {
        Self { row, saturated }
    }

    /// Quantizes the next field, and counts it if it was saturated.
    #[inline]
    pub fn put<W: Wire>(&mut self, wire: W, value: W::Value) {
        let (words, rest) = core::mem::take(&mut self.row).split_at_mut(wire.words());
        let (counter, counters) = core::mem::take(&mut self.saturated).split_at_mut(1);
        if wire.quantize(value, words) {
            counter[0] += 1;
        }
        self.row = rest;
        self.saturated = counters;
    }
}

/// Reads the fields of one struct from its row, in order.
#[derive(Debug)]
pub struct RowReader<'a> {
    row: &'a [u32],
}

impl<'a> RowReader<'a> {
    /// A reader at the start of `row`.
    #[inline]
    #[must_use]
    pub fn new(row: &'a [u32]) -> Self {
        Self { row }
    }

    /// The value of the next field.
    #[inline]
    pub fn take<W: Wire>(&mut self, wire: W) -> W::Value {
        let (words, rest) = self.row.split_at(wire.words());
        self.row = rest;
        wire.dequantize(words)
    }
}
