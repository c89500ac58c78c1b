//! Symbols to rows of components. The mirror of `encode_row`.
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects
    )
)]

use super::DecodeError;
use super::bits::BitReader;
use super::forecast::Forecasts;
use super::motion::Direction;
use super::priors::BUCKETS;
use super::trend::{Trend, apart, escape, noisy_order};
use crate::schema::{Word, WordKind, is_there};

/// Reads a struct that is no entity's over the earlier one in `row`, or from nothing.
pub(crate) fn decode_struct(
    reader: &mut BitReader<'_>,
    words: &[Word],
    from_nothing: bool,
    row: &mut [u32],
) -> Result<(), DecodeError> {
    if from_nothing {
        decode_new_row(reader, 0, words, row)
    } else {
        decode_row(reader, 0, words, &Forecasts::default(), row, false)
    }
}

pub(super) fn decode_new_row(
    reader: &mut BitReader<'_>,
    component: u16,
    words: &[Word],
    row: &mut [u32],
) -> Result<(), DecodeError> {
    for (at, word) in words.iter().enumerate() {
        if !is_there(words, row, at) {
            continue;
        }
        let mut value = u32::from(reader.flag()?);
        if value != 0 && word.max > 1 {
            let at_bit = reader.position();
            value = in_range(word, reader.read(word.bits())?, component, at_bit)?;
        }
        set(row, at, value);
    }
    Ok(())
}

/// Reads a row over the earlier one in `row`. That it is not as foretold is `implied` if that is known.
pub(super) fn decode_row(
    reader: &mut BitReader<'_>,
    component: u16,
    words: &[Word],
    forecasts: &Forecasts,
    row: &mut [u32],
    implied: bool,
) -> Result<(), DecodeError> {
    let read = if !forecasts.quiet {
        Read::Noisy
    } else if implied || reader.flag()? {
        Read::Differing(Trend::new(Trend::may_be_dense(words) && reader.flag()?))
    } else if forecasts.rests {
        return Ok(());
    } else {
        Read::AsForetold
    };
    decode_words(reader, component, words, forecasts, row, read)
}

/// How the words of a row are read.
enum Read {
    AsForetold,
    Noisy,
    Differing(Trend),
}

fn decode_words(
    reader: &mut BitReader<'_>,
    component: u16,
    words: &[Word],
    forecasts: &Forecasts,
    row: &mut [u32],
    mut read: Read,
) -> Result<(), DecodeError> {
    let last = words.len().saturating_sub(1);
    for (at, word) in words.iter().enumerate() {
        if word.max == 0 {
            continue;
        }
        if !is_there(words, row, at) {
            set(row, at, 0);
            continue;
        }
        let (before, bits) = forecasts.at(at, word, row.get(at).copied().unwrap_or(0));
        let at_bit = reader.position();
        let value = match &mut read {
            Read::AsForetold => before,
            Read::Noisy if word.is_plain() => decode_plain(reader, word, before, false)?,
            Read::Noisy => decode_number(reader, word, noisy_order(word, bits), before, 0)?,
            Read::Differing(trend) => {
                let implied = at == last && trend.none_yet();
                let value = if word.is_plain() {
                    decode_plain(reader, word, before, implied)?
                } else if trend.dense() {
                    decode_number(reader, word, trend.order(word), before, 0)?
                } else if implied || reader.flag()? {
                    decode_number(reader, word, trend.order(word), before, 1)?
                } else {
                    before
                };
                trend.follow(word, before, value);
                value
            }
        };
        set(row, at, in_range(word, value, component, at_bit)?);
    }
    Ok(())
}

/// A word of which differences mean nothing.
fn decode_plain(
    reader: &mut BitReader<'_>,
    word: &Word,
    before: u32,
    implied: bool,
) -> Result<u32, DecodeError> {
    Ok(if !(implied || reader.flag()?) {
        before
    } else if word.max > 1 {
        reader.read(word.bits())?
    } else {
        before ^ word.max
    })
}

fn set(row: &mut [u32], at: usize, value: u32) {
    if let Some(place) = row.get_mut(at) {
        *place = value;
    }
}

/// The value that a difference leads to, or the value itself; `least` is the smallest difference.
fn decode_number(
    reader: &mut BitReader<'_>,
    word: &Word,
    order: u32,
    before: u32,
    least: u32,
) -> Result<u32, DecodeError> {
    let Some(limit) = escape(word.bits(), order) else { return Ok(reader.read(word.bits())?) };
    let at_bit = reader.position();
    let ones = reader.unary(limit)?;
    if ones == limit {
        return Ok(reader.read(word.bits())?);
    }
    let difference = golomb_number(reader, order, ones, at_bit)?.saturating_add(u64::from(least));
    let value = apart(before, u32::try_from(difference).map_err(|_| DecodeError::Overflow(at_bit))?);
    Ok(if word.kind == WordKind::Wrapping { value & word.max } else { value })
}

fn in_range(word: &Word, value: u32, component: u16, at_bit: usize) -> Result<u32, DecodeError> {
    if value <= word.max { Ok(value) } else { Err(DecodeError::Range { component, at_bit }) }
}

/// A number by the exp-Golomb code of an order, of at most 32 bits.
pub(crate) fn golomb(reader: &mut BitReader<'_>, order: u32) -> Result<u32, DecodeError> {
    let at_bit = reader.position();
    let ones = reader.unary(u32::BITS)?;
    let number = golomb_number(reader, order, ones, at_bit)?;
    u32::try_from(number).map_err(|_| DecodeError::Overflow(at_bit))
}

/// What follows the unary prefix of an exp-Golomb code that begins at `at_bit`.
fn golomb_number(
    reader: &mut BitReader<'_>,
    order: u32,
    ones: u32,
    at_bit: usize,
) -> Result<u64, DecodeError> {
    let bits = order.saturating_add(ones);
    if bits > u32::BITS {
        return Err(DecodeError::Overflow(at_bit));
    }
    let shifted = 1u64 << bits | u64::from(reader.read(bits)?);
    Ok(shifted.saturating_sub(1 << order))
}

/// The direction of [`motion::code`](super::motion::code) that reads.
pub(super) struct Reading<'r, 'p> {
    pub(super) reader: &'r mut BitReader<'p>,
    pub(super) component: u16,
    pub(super) orders: &'r [u8; BUCKETS],
}

impl Direction for Reading<'_, '_> {
    type Error = DecodeError;

    fn flag(&mut self, _: bool) -> Result<bool, DecodeError> {
        Ok(self.reader.flag()?)
    }

    fn number(&mut self, word: &Word, bucket: usize, foretold: u32, _: u32) -> Result<u32, DecodeError> {
        let at_bit = self.reader.position();
        let order = self.orders.get(bucket).copied().map_or(0, u32::from).min(word.bits());
        let value = decode_number(self.reader, word, order, foretold, 0)?;
        in_range(word, value, self.component, at_bit)
    }
}
