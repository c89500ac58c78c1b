//! Rows of components to symbols. The mirror of `decode_row`.

use core::convert::Infallible;

use super::contexts::{ComponentContexts, NEW};
use super::encode::{Encode, Number, Symbol};
use super::forecast::Forecasts;
use super::motion::{Direction, Sample};
use super::priors::BUCKETS;
use super::trend::{Trend, difference, noisy_order};
use crate::schema::{Word, is_there};

/// Writes a struct that is no entity's, as the difference to an earlier one of the same type if there is one.
pub(crate) fn encode_struct(out: &mut impl Encode, words: &[Word], before: Option<&[u32]>, new: &[u32]) {
    let Some(before) = before else { return encode_new_row(out, 0, words, new) };
    encode_row(out, Default::default(), words, &Forecasts::default(), before, new, false);
}

/// A row from nothing: what is zero costs one bit.
pub(super) fn encode_new_row(out: &mut impl Encode, component: u16, words: &[Word], new: &[u32]) {
    let symbol = Symbol::Component(component);
    for (at, (word, &value)) in words.iter().zip(new).enumerate() {
        if !is_there(words, new, at) {
            continue;
        }
        out.decide(symbol, NEW, value != 0);
        // A word of one bit is told by the flag alone.
        if value != 0 && word.max > 1 {
            out.bits(symbol, value, word.bits());
        }
    }
}

/// A row of which an earlier one is known. That it is not as foretold is `implied` if that is known.
pub(super) fn encode_row(
    out: &mut impl Encode,
    (component, contexts): (u16, ComponentContexts),
    words: &[Word],
    forecasts: &Forecasts,
    before: &[u32],
    new: &[u32],
    implied: bool,
) {
    let symbol = Symbol::Component(component);
    let numbers = words.iter().zip(before.iter().zip(new)).enumerate();
    if !forecasts.quiet {
        for (at, (word, (&before, &value))) in numbers {
            if is_there(words, new, at) {
                let (foretold, bits) = forecasts.at(at, word, before);
                encode_noisy(out, (symbol, contexts.word(at, false)), word, foretold, bits, value);
            }
        }
        return;
    }
    let differs = !forecasts.hold(words, before, new);
    if !implied {
        out.decide(symbol, contexts.row(forecasts.rests), differs);
    }
    if !differs {
        return;
    }
    let dense = Trend::may_be_dense(words) && Trend::is_dense(words, forecasts, before, new);
    if Trend::may_be_dense(words) {
        out.decide(symbol, contexts.dense(), dense);
    }
    let mut trend = Trend::new(dense);
    for (at, (word, (&before, &value))) in numbers {
        if !is_there(words, new, at) {
            continue;
        }
        let (before, _) = forecasts.at(at, word, before);
        let differs = before != value;
        let implied = at + 1 == words.len() && trend.none_yet();
        if word.is_plain() {
            if !implied {
                out.decide(symbol, contexts.word(at, true), differs);
            }
            if differs && word.max > 1 {
                out.bits(symbol, value, word.bits());
            }
        } else if trend.dense() {
            let (order, difference) = (trend.order(word), difference(word, before, value));
            out.number(symbol, &Number { word, order, bucket: None, difference, value });
        } else {
            if !implied {
                out.decide(symbol, contexts.word(at, true), differs);
            }
            if differs {
                let (order, difference) = (trend.order(word), difference(word, before, value) - 1);
                out.number(symbol, &Number { word, order, bucket: None, difference, value });
            }
        }
        trend.follow(word, before, value);
    }
}

/// A word of a row that is not expected to be as foretold.
fn encode_noisy(
    out: &mut impl Encode,
    (symbol, context): (Symbol, u32),
    word: &Word,
    foretold: u32,
    bits: u32,
    new: u32,
) {
    if !word.is_plain() {
        let (order, difference) = (noisy_order(word, bits), difference(word, foretold, new));
        out.number(symbol, &Number { word, order, bucket: None, difference, value: new });
        return;
    }
    out.decide(symbol, context, foretold != new);
    if foretold != new && word.max > 1 {
        out.bits(symbol, new, word.bits());
    }
}

/// The direction of [`motion::code`](super::motion::code) that writes.
pub(super) struct Writing<'o, E> {
    pub(super) out: &'o mut E,
    pub(super) component: u16,
    pub(super) group: usize,
    pub(super) orders: &'o [u8; BUCKETS],
}

impl<E: Encode> Direction for Writing<'_, E> {
    type Error = Infallible;

    fn decide(&mut self, context: u32, value: bool) -> Result<bool, Infallible> {
        self.out.decide(Symbol::Component(self.component), context, value);
        Ok(value)
    }

    fn number(&mut self, word: &Word, bucket: usize, foretold: u32, value: u32) -> Result<u32, Infallible> {
        let order = u32::from(self.orders[bucket]).min(word.bits());
        let symbol = Symbol::Component(self.component);
        let difference = difference(word, foretold, value);
        self.out.number(symbol, &Number { word, order, bucket: Some(bucket), difference, value });
        Ok(value)
    }

    #[inline]
    fn observe<'s>(&mut self, sample: impl FnOnce() -> Sample<'s>) {
        if E::OBSERVES {
            self.out.observe(self.component, self.group, &sample());
        }
    }
}
