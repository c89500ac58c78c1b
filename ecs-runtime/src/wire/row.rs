//! The quantized form of a whole struct, and how its fields are written and read in order.

use super::Wire;
use crate::schema::EnumSchema;

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
    counters: &'a mut [u64],
    saturated: bool,
}

impl<'a> RowWriter<'a> {
    /// A writer at the start of `row`, whose words are zero. `counters` has one for each field that is sent, or none.
    #[inline]
    #[must_use]
    pub fn new(row: &'a mut [u32], counters: &'a mut [u64]) -> Self {
        Self { row, counters, saturated: false }
    }

    /// Quantizes the next field, and counts it if it was saturated.
    #[inline]
    pub fn put<W: Wire>(&mut self, wire: W, value: W::Value) {
        let (words, rest) = core::mem::take(&mut self.row).split_at_mut(wire.words());
        self.row = rest;
        let saturated = wire.quantize(value, words);
        self.saturated |= saturated;
        if let Some((counter, rest)) = core::mem::take(&mut self.counters).split_first_mut() {
            *counter += u64::from(saturated);
            self.counters = rest;
        }
    }

    /// Writes which variant an enum is, and lets `fields` write those of that variant.
    #[inline]
    pub fn variant(&mut self, schema: &EnumSchema, variant: usize, fields: impl FnOnce(&mut Self)) {
        let (words, rest) = core::mem::take(&mut self.row).split_at_mut(schema.words());
        words[0] = variant as u32;
        self.row = &mut words[schema.offset(variant)..];
        fields(self);
        self.row = rest;
    }

    /// Whether a field was saturated.
    #[inline]
    #[must_use]
    pub fn saturated(&self) -> bool {
        self.saturated
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

    /// Reads which variant an enum is, and lets `fields` read those of that variant.
    #[inline]
    pub fn variant<T>(&mut self, schema: &EnumSchema, fields: impl FnOnce(usize, &mut Self) -> T) -> T {
        let (words, rest) = self.row.split_at(schema.words());
        let variant = words[0] as usize;
        self.row = &words[schema.offset(variant)..];
        let value = fields(variant, self);
        self.row = rest;
        value
    }
}
