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
use super::contexts::{ComponentContexts, NEW, code_of, lowered};
use super::forecast::Forecasts;
use super::motion::Direction;
use super::priors::BUCKETS;
use super::read::Decode;
use super::trend::{Trend, apart, escape, noisy_order};
use crate::schema::{Word, WordKind, is_there};

/// Reads a struct that is no entity's over the earlier one in `row`, or from nothing.
pub(crate) fn decode_struct(
    reader: &mut impl Decode,
    words: &[Word],
    from_nothing: bool,
    row: &mut [u32],
) -> Result<(), DecodeError> {
    if from_nothing {
        decode_new_row(reader, 0, words, row)
    } else {
        decode_row(reader, Default::default(), words, &Forecasts::default(), row, false)
    }
}

pub(super) fn decode_new_row(
    reader: &mut impl Decode,
    component: u16,
    words: &[Word],
    row: &mut [u32],
) -> Result<(), DecodeError> {
    for (at, word) in words.iter().enumerate() {
        if !is_there(words, row, at) {
            continue;
        }
        let mut value = u32::from(reader.decide(NEW)?);
        if value != 0 && word.max > 1 {
            let at_bit = reader.position();
            value = in_range(word, reader.bits(word.bits())?, component, at_bit)?;
        }
        set(row, at, value);
    }
    Ok(())
}

/// Reads a row over the earlier one in `row`. That it is not as foretold is `implied` if that is known.
pub(super) fn decode_row(
    reader: &mut impl Decode,
    of: (u16, ComponentContexts),
    words: &[Word],
    forecasts: &Forecasts,
    row: &mut [u32],
    implied: bool,
) -> Result<(), DecodeError> {
    let read = if !forecasts.quiet {
        Read::Noisy
    } else if implied || reader.decide(of.1.row(forecasts.rests))? {
        Read::Differing(Trend::new(Trend::may_be_dense(words) && reader.decide(of.1.dense())?))
    } else if forecasts.rests {
        return Ok(());
    } else {
        Read::AsForetold
    };
    decode_words(reader, of, words, forecasts, row, read)
}

/// How the words of a row are read.
enum Read {
    AsForetold,
    Noisy,
    Differing(Trend),
}

fn decode_words(
    reader: &mut impl Decode,
    of: (u16, ComponentContexts),
    words: &[Word],
    forecasts: &Forecasts,
    row: &mut [u32],
    mut read: Read,
) -> Result<(), DecodeError> {
    let (component, contexts) = of;
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
            Read::Noisy if word.is_plain() => {
                decode_plain(reader, word, before, Some(contexts.word(at, false)))?
            }
            Read::Noisy => decode_number(reader, word, (noisy_order(word, bits), None), before, 0)?,
            Read::Differing(trend) => {
                // When none before it differs, the last one does.
                let implied = at == last && trend.none_yet();
                let context = (!implied).then(|| contexts.word(at, true));
                let value = if word.is_plain() {
                    decode_plain(reader, word, before, context)?
                } else if trend.dense() {
                    decode_number(reader, word, (trend.order(word), None), before, 0)?
                } else if differs(reader, context)? {
                    decode_number(reader, word, (trend.order(word), None), before, 1)?
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

/// Whether a word differs; without a context it does.
fn differs(reader: &mut impl Decode, context: Option<u32>) -> Result<bool, DecodeError> {
    Ok(match context {
        Some(context) => reader.decide(context)?,
        None => true,
    })
}

/// A word of which differences mean nothing.
fn decode_plain(
    reader: &mut impl Decode,
    word: &Word,
    before: u32,
    context: Option<u32>,
) -> Result<u32, DecodeError> {
    Ok(if !differs(reader, context)? {
        before
    } else if word.max > 1 {
        reader.bits(word.bits())?
    } else {
        before ^ word.max
    })
}

fn set(row: &mut [u32], at: usize, value: u32) {
    if let Some(place) = row.get_mut(at) {
        *place = value;
    }
}

/// The value that a difference leads to, or the value itself, by the order that suits the difference and the class of its
/// expected size; `least` is the smallest difference.
fn decode_number<R: Decode>(
    reader: &mut R,
    word: &Word,
    (order, bucket): (u32, Option<usize>),
    before: u32,
    least: u32,
) -> Result<u32, DecodeError> {
    let code = code_of(order, bucket);
    let order = if R::MODELLED { lowered(order) } else { order };
    let Some(limit) = escape(word.bits(), order) else { return Ok(reader.bits(word.bits())?) };
    let at_bit = reader.position();
    let ones = reader.unary(code, limit)?;
    if ones == limit {
        return Ok(reader.bits(word.bits())?);
    }
    let difference = golomb_number(reader, code, order, ones, at_bit)?.saturating_add(u64::from(least));
    let value = apart(before, u32::try_from(difference).map_err(|_| DecodeError::Overflow(at_bit))?);
    Ok(if word.kind == WordKind::Wrapping { value & word.max } else { value })
}

fn in_range(word: &Word, value: u32, component: u16, at_bit: usize) -> Result<u32, DecodeError> {
    if value <= word.max { Ok(value) } else { Err(DecodeError::Range { component, at_bit }) }
}

/// A number by the exp-Golomb code of an order, of at most 32 bits; `code` is the first of its contexts.
pub(crate) fn golomb(reader: &mut impl Decode, code: u32, order: u32) -> Result<u32, DecodeError> {
    let at_bit = reader.position();
    let ones = reader.unary(code, u32::BITS)?;
    let number = golomb_number(reader, code, order, ones, at_bit)?;
    u32::try_from(number).map_err(|_| DecodeError::Overflow(at_bit))
}

/// What follows the unary prefix of an exp-Golomb code that begins at `at_bit`.
fn golomb_number(
    reader: &mut impl Decode,
    code: u32,
    order: u32,
    ones: u32,
    at_bit: usize,
) -> Result<u64, DecodeError> {
    let bits = order.saturating_add(ones);
    if bits > u32::BITS {
        return Err(DecodeError::Overflow(at_bit));
    }
    let shifted = 1u64 << bits | u64::from(reader.suffix(code, ones, bits)?);
    Ok(shifted.saturating_sub(1 << order))
}

/// The direction of [`motion::code`](super::motion::code) that reads.
pub(super) struct Reading<'r, R> {
    pub(super) reader: &'r mut R,
    pub(super) component: u16,
    pub(super) orders: &'r [u8; BUCKETS],
}

impl<R: Decode> Direction for Reading<'_, R> {
    type Error = DecodeError;

    fn decide(&mut self, context: u32, _: bool) -> Result<bool, DecodeError> {
        Ok(self.reader.decide(context)?)
    }

    fn number(&mut self, word: &Word, bucket: usize, foretold: u32, _: u32) -> Result<u32, DecodeError> {
        let at_bit = self.reader.position();
        let order = self.orders.get(bucket).copied().map_or(0, u32::from).min(word.bits());
        let value = decode_number(self.reader, word, (order, Some(bucket)), foretold, 0)?;
        in_range(word, value, self.component, at_bit)
    }
}
