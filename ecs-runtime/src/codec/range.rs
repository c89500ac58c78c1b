//! The arithmetic coder: a range coder over binary decisions, each with the probability of its context.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use super::bits::OutOfBits;
use super::contexts::{BITS, Context};
use super::encode::{Encode, Symbol};
use super::layout::Layout;
use super::limit::MAX_DECISIONS;
use super::read::Decode;

/// Writes decisions into bytes.
#[derive(Debug)]
pub struct RangeWriter<'o> {
    out: &'o mut Vec<u8>,
    /// Where its bytes begin.
    start: usize,
    low: u64,
    range: u32,
    /// The byte that a carry may still change, and how many 255s follow it.
    cache: Option<u8>,
    pending: usize,
}

impl<'o> RangeWriter<'o> {
    /// A writer that appends to bytes.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        Self { out, start, low: 0, range: u32::MAX, cache: None, pending: 0 }
    }

    /// A decision, true with a probability in 32768ths.
    #[inline]
    pub(super) fn decide(&mut self, probability: u16, value: bool) {
        let bound = (self.range >> BITS) * u32::from(probability);
        if value {
            self.range = bound;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
        }
        self.settle();
    }

    /// At most 16 bits, all values alike.
    #[inline]
    pub(super) fn raw(&mut self, value: u32, count: u32) {
        self.range >>= count;
        self.low += u64::from(value) * u64::from(self.range);
        self.settle();
    }

    #[inline]
    fn settle(&mut self) {
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
    }

    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        let high = (self.low >> 24) as u8;
        if carry != 0 || high != 0xff {
            if let Some(cache) = self.cache {
                self.out.push(cache.wrapping_add(carry));
            }
            let pending = core::mem::take(&mut self.pending);
            self.out.resize(self.out.len() + pending, 0xff_u8.wrapping_add(carry));
            self.cache = Some(high);
        } else {
            self.pending += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    /// Ends with as few bytes as possible: who reads takes what follows for zeros.
    pub fn finish(mut self) {
        let end = self.low + u64::from(self.range);
        let shortest = (0..32).rev().map(|zeros| (self.low + ((1 << zeros) - 1)) >> zeros << zeros);
        self.low = shortest.into_iter().find(|low| *low < end).unwrap_or(self.low);
        for _ in 0..5 {
            self.shift();
        }
        while self.out.len() > self.start && self.out.last() == Some(&0) {
            self.out.pop();
        }
    }
}

/// Writes symbols by the probabilities of a layout.
#[derive(Debug)]
pub struct Modelled<'o, 't> {
    pub(crate) writer: RangeWriter<'o>,
    table: &'t [u16],
}

impl<'o, 't> Modelled<'o, 't> {
    /// A writer of symbols.
    #[must_use]
    pub fn new(writer: RangeWriter<'o>, layout: &'t Layout) -> Self {
        Self { writer, table: layout.table() }
    }

    /// Ends the bytes.
    pub fn finish(self) {
        self.writer.finish();
    }
}

impl Encode for Modelled<'_, '_> {
    const MODELLED: bool = true;

    #[inline]
    fn bits(&mut self, _symbol: Symbol, value: u32, count: u32) {
        if count > 16 {
            self.writer.raw(value >> 16, count - 16);
        }
        self.writer.raw(value & 0xffff & ((1u64 << count) - 1) as u32, count.min(16));
    }

    #[inline]
    fn decide(&mut self, _symbol: Symbol, context: Context, value: bool) {
        self.writer.decide(self.table.get(context as usize).copied().unwrap_or(1 << (BITS - 1)), value);
    }
}

/// Reads decisions, and zeros beyond the end; never more decisions than a packet may have.
#[derive(Clone, Debug)]
pub struct RangeReader<'p, 't> {
    bytes: &'p [u8],
    table: &'t [u16],
    at: usize,
    code: u32,
    range: u32,
    left: u32,
}

impl<'p, 't> RangeReader<'p, 't> {
    /// A reader of bytes by the probabilities of a layout.
    #[must_use]
    pub fn new(bytes: &'p [u8], layout: &'t Layout) -> Self {
        let table = layout.table();
        let mut reader = Self { bytes, table, at: 0, code: 0, range: u32::MAX, left: MAX_DECISIONS };
        for _ in 0..4 {
            reader.code = reader.code << 8 | reader.next();
        }
        reader
    }

    /// Whether all bytes were needed.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    #[inline]
    fn next(&mut self) -> u32 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        u32::from(byte)
    }

    #[inline]
    fn settle(&mut self) {
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.code = self.code << 8 | self.next();
        }
    }

    #[inline]
    fn count(&mut self) -> Result<(), OutOfBits> {
        self.left = self.left.checked_sub(1).ok_or(OutOfBits(self.at * 8))?;
        Ok(())
    }

    #[inline]
    fn raw(&mut self, count: u32) -> Result<u32, OutOfBits> {
        self.count()?;
        self.range >>= count;
        let value = (self.code / self.range).min((1 << count) - 1);
        self.code = self.code.wrapping_sub(value * self.range);
        self.settle();
        Ok(value)
    }
}

impl Decode for RangeReader<'_, '_> {
    const MODELLED: bool = true;

    #[inline]
    fn bits(&mut self, count: u32) -> Result<u32, OutOfBits> {
        let high = if count > 16 { self.raw(count - 16)? << 16 } else { 0 };
        Ok(high | self.raw(count.min(16))?)
    }

    #[inline]
    fn decide(&mut self, context: Context) -> Result<bool, OutOfBits> {
        self.count()?;
        let probability = self.table.get(context as usize).copied().unwrap_or(1 << (BITS - 1));
        let bound = (self.range >> BITS) * u32::from(probability);
        let value = self.code < bound;
        if value {
            self.range = bound;
        } else {
            self.code -= bound;
            self.range -= bound;
        }
        self.settle();
        Ok(value)
    }

    fn position(&self) -> usize {
        self.at * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Price;
    use crate::codec::contexts::LEAST;
    use crate::codec::layout::Layout;
    use crate::schema::Schema;
    use proptest::prelude::*;

    const SCHEMA: Schema = Schema { max_entities: 8, components: &[], commands: &[], events: &[] };

    /// A decision of a probability, or bits.
    fn items() -> impl Strategy<Value = Vec<Result<(u16, bool), (u32, u32)>>> {
        let probability = prop_oneof![LEAST..200, 200..32_568u16, 32_568..=(1 << BITS) - LEAST];
        let decision = (probability, any::<bool>()).prop_map(Ok);
        let bits = (any::<u32>(), 0u32..=32)
            .prop_map(|(value, count)| Err(((u64::from(value) & ((1 << count) - 1)) as u32, count)));
        proptest::collection::vec(prop_oneof![9 => decision, 1 => bits], 0..400)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_and_takes_no_more_than_its_price(items in items()) {
            let table: Vec<_> = items.iter().map(|item| item.map_or(1 << (BITS - 1), |(p, _)| p)).collect();
            let mut kept = Vec::new();
            let mut price = Price::new(&table, Some(&mut kept));
            let mut bytes = vec![7, 7];
            let mut modelled = Modelled { writer: RangeWriter::new(&mut bytes), table: &table };
            for (context, item) in (0..).zip(&items) {
                match *item {
                    Ok((_, value)) => {
                        price.decide(Symbol::Gap, context, value);
                        modelled.decide(Symbol::Gap, context, value);
                    }
                    Err((value, count)) => {
                        Encode::bits(&mut price, Symbol::Gap, value, count);
                        modelled.bits(Symbol::Gap, value, count);
                    }
                }
            }
            modelled.finish();
            let bits = price.bits();
            prop_assert!((bytes.len() - 2) * 8 <= bits + 16, "{} bytes for {bits} bits", bytes.len() - 2);
            let mut again = vec![7, 7];
            let mut writer = RangeWriter::new(&mut again);
            crate::codec::write_kept(&kept, &mut writer);
            writer.finish();
            prop_assert_eq!(&again, &bytes);
            let mut layout = Layout::new(&SCHEMA);
            layout.set_table(table);
            let mut reader = RangeReader::new(&bytes[2..], &layout);
            for (context, item) in (0..).zip(&items) {
                match *item {
                    Ok((_, value)) => prop_assert_eq!(reader.decide(context), Ok(value)),
                    Err((value, count)) => prop_assert_eq!(reader.bits(count), Ok(value)),
                }
            }
            prop_assert!(reader.is_at_end());
        }

        #[test]
        fn any_bytes_are_read_up_to_the_most_decisions(bytes: Vec<u8>) {
            let layout = Layout::new(&SCHEMA);
            let mut reader = RangeReader::new(&bytes, &layout);
            let mut count = 0;
            while reader.decide(count % 3000).is_ok() && reader.bits(count % 17).is_ok() {
                count += 1;
            }
            prop_assert_eq!(count, MAX_DECISIONS / 2);
        }
    }
}
