//! States to symbols. The mirror of `decode`.

use super::layout::{StateView, has};
use super::{Layout, ORDERS, Op, escape};
use crate::schema::{Word, WordKind};

/// What a symbol is about. A coder may spend fewer bits on what is likely of it, or count them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// Which entities: the gaps between their indices.
    Gap,
    /// What happened to an entity, its generation, and which components it has.
    Entity,
    /// Which parts of a component differ, and how.
    Component(u16),
}

/// Takes symbols.
pub trait Encode {
    /// The lowest `count` bits of `value`, at most 32; the other bits are zero.
    fn bits(&mut self, symbol: Symbol, value: u32, count: u32);

    /// One decision.
    #[inline]
    fn flag(&mut self, symbol: Symbol, value: bool) {
        self.bits(symbol, u32::from(value), 1);
    }

    /// `count` ones and, below `limit`, a zero.
    #[inline]
    fn unary(&mut self, symbol: Symbol, count: u32, limit: u32) {
        self.bits(symbol, ((1u64 << count) - 1) as u32, count + u32::from(count < limit));
    }

    /// A number by the exp-Golomb code of an order; from a unary prefix of `limit` on, `escape.1` bits of
    /// `escape.0` instead.
    #[inline]
    fn golomb(&mut self, symbol: Symbol, value: u32, order: u32, limit: u32, escape: (u32, u32)) {
        let shifted = u64::from(value) + (1 << order);
        let bits = shifted.ilog2();
        if bits - order >= limit {
            self.unary(symbol, limit, limit);
            self.bits(symbol, escape.0, escape.1);
        } else {
            self.unary(symbol, bits - order, limit);
            self.bits(symbol, (shifted - (1 << bits)) as u32, bits);
        }
    }
}

/// The exp-Golomb order for gaps when `count` entities are sent of those with an index below `end`.
#[must_use]
pub fn gap_order(count: usize, end: u32) -> u32 {
    let mean = end / u32::try_from(count.max(1)).unwrap_or(u32::MAX);
    mean.max(1).ilog2().min(GAP_ORDERS)
}

/// The largest order of the gaps, so that it fits three bits.
pub(super) const GAP_ORDERS: u32 = 7;

/// Writes the gap that says that no entity follows.
pub fn encode_end(out: &mut impl Encode, order: u32) {
    encode_gap(out, 0, order);
}

/// Writes which entity, and how its state differs from the one that the other side confirmed.
///
/// `gap` is how far its index is above that of the entity before, at least 1. `new` is `None` for an entity that is
/// gone; `confirmed` is `None` when the other side has nothing to build on.
pub fn encode_entity<S: StateView>(
    out: &mut impl Encode,
    layout: &Layout,
    (gap, order): (u32, u32),
    confirmed: Option<&S>,
    new: Option<&S>,
) {
    encode_gap(out, gap, order);
    let Some(new) = new else { return encode_op(out, Op::Removed) };
    let Some(confirmed) = confirmed.filter(|confirmed| confirmed.header().first() == new.header().first()) else {
        encode_op(out, Op::Fresh);
        return encode_fresh(out, layout, new);
    };
    let same_components = confirmed.header() == new.header();
    let differs = |component: u16| confirmed.row(component) != new.row(component);
    let kept = || {
        let kept = |component: &u16| has(confirmed.header(), *component) && has(new.header(), *component);
        layout.sent().iter().copied().filter(kept)
    };
    let values = kept().any(differs);
    encode_op(out, match (same_components, values) {
        (true, true) => Op::Values,
        (true, false) => Op::Same,
        (false, _) => Op::Components,
    });
    if !same_components {
        for &component in layout.sent() {
            let was = has(confirmed.header(), component);
            out.flag(Symbol::Entity, was != has(new.header(), component));
        }
        out.flag(Symbol::Entity, values);
    }
    if values {
        // One of them differs, so the last needs no flag when none before it did.
        let mut left = kept().count();
        let mut none_yet = true;
        for component in kept() {
            left -= 1;
            let differs = differs(component);
            if !(left == 0 && none_yet) {
                out.flag(Symbol::Component(component), differs);
            }
            if differs {
                none_yet = false;
                encode_row(out, component, layout.words(component), confirmed.row(component), new.row(component));
            }
        }
    }
    if !same_components {
        for &component in layout.sent() {
            if has(new.header(), component) && !has(confirmed.header(), component) {
                encode_new_row(out, component, layout.words(component), new.row(component));
            }
        }
    }
}

/// Writes a struct that is no entity's, as the difference to an earlier one of the same type if there is one.
pub(crate) fn encode_struct(out: &mut impl Encode, words: &[Word], before: Option<&[u32]>, new: &[u32]) {
    let Some(before) = before else { return encode_new_row(out, 0, words, new) };
    let differs = before != new;
    out.flag(Symbol::Entity, differs);
    if differs {
        encode_row(out, 0, words, before, new);
    }
}

fn encode_gap(out: &mut impl Encode, gap: u32, order: u32) {
    out.golomb(Symbol::Gap, gap, order, u32::BITS, (0, 0));
}

fn encode_op(out: &mut impl Encode, op: Op) {
    let place = Op::BY_FREQUENCY.iter().position(|&other| other == op).unwrap_or(0) as u32;
    out.unary(Symbol::Entity, place, Op::BY_FREQUENCY.len() as u32 - 1);
}

fn encode_fresh<S: StateView>(out: &mut impl Encode, layout: &Layout, new: &S) {
    let generation = new.header().first().copied().unwrap_or(0);
    out.golomb(Symbol::Entity, generation / 2, 2, u32::BITS, (0, 0));
    for &component in layout.sent() {
        out.flag(Symbol::Entity, has(new.header(), component));
    }
    for &component in layout.sent() {
        if has(new.header(), component) {
            encode_new_row(out, component, layout.words(component), new.row(component));
        }
    }
}

/// A row from nothing: what is zero costs one bit.
fn encode_new_row(out: &mut impl Encode, component: u16, words: &[Word], new: &[u32]) {
    let symbol = Symbol::Component(component);
    for (word, &value) in words.iter().zip(new) {
        out.flag(symbol, value != 0);
        // A word of one bit is told by the flag alone.
        if value != 0 && word.max > 1 {
            out.bits(symbol, value, word.bits());
        }
    }
}

/// A row that differs from the one before it.
fn encode_row(out: &mut impl Encode, component: u16, words: &[Word], before: &[u32], new: &[u32]) {
    let symbol = Symbol::Component(component);
    let mut costs = [0; ORDERS.len()];
    for (word, (&before, &new)) in words.iter().zip(before.iter().zip(new)) {
        if before != new && has_order(word) {
            let value = u64::from(difference(word, before, new));
            for (cost, order) in costs.iter_mut().zip(ORDERS) {
                *cost += 2 * (value + (1 << order)).ilog2() - order;
            }
        }
    }
    let ordered = words.iter().filter(|word| has_order(word)).count() > 0;
    let choice = (0..ORDERS.len()).min_by_key(|&choice| costs[choice]).unwrap_or(0);
    if ordered {
        out.bits(symbol, choice as u32, 2);
    }
    let mut none_yet = true;
    for (at, (word, (&before, &new))) in words.iter().zip(before.iter().zip(new)).enumerate() {
        let differs = before != new;
        if !(at + 1 == words.len() && none_yet) {
            out.flag(symbol, differs);
        }
        if differs {
            none_yet = false;
            encode_word(out, symbol, word, ORDERS[choice], before, new);
        }
    }
}

fn encode_word(out: &mut impl Encode, symbol: Symbol, word: &Word, order: u32, before: u32, new: u32) {
    if word.max == 1 {
        return;
    }
    if word.kind == WordKind::Pattern {
        out.bits(symbol, new, word.bits());
        return;
    }
    let limit = escape(word.bits(), order);
    out.golomb(symbol, difference(word, before, new), order, limit, (new, word.bits()));
}

/// Whether the word's differences are written with the component's order.
fn has_order(word: &Word) -> bool {
    word.max > 1 && word.kind != WordKind::Pattern
}

/// The difference of two values that are not equal, small ones first: +1, -1, +2, -2, ...
fn difference(word: &Word, before: u32, new: u32) -> u32 {
    let unused = match word.kind {
        WordKind::Wrapping => word.max.leading_zeros(),
        WordKind::Number | WordKind::Pattern => 0,
    };
    // Shifted up and down again, a difference modulo 2^bits gets the sign of the short way round.
    let signed = (new.wrapping_sub(before) << unused).cast_signed() >> unused;
    (signed.unsigned_abs() - 1) * 2 + u32::from(signed < 0)
}
