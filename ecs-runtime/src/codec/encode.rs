//! States to symbols. The mirror of `decode`.

use core::convert::Infallible;

use super::forecast::{Forecasts, same};
use super::layout::{StateView, has};
use super::motion::{self, Before, Direction};
use super::trend::{Trend, difference, escape, noisy_order};
use super::{Baselines, Layout, Op};
use crate::schema::{Word, is_there};

/// What a symbol is about. A coder may spend fewer bits on what is likely of it, or count them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// Which entities: the gaps between their indices.
    Gap,
    /// What happened to an entity, its generation, and which components it has.
    Entity,
    /// Which parts of a component differ, and how.
    Component(u16),
    /// What a packet carries beside entities: events, and parts of staged ones.
    Extra,
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

/// What a list of entities needs to be written: who they are, and their states as the other side confirmed them and
/// as they are now.
pub trait States {
    /// The type of a state.
    type State<'a>: StateView
    where
        Self: 'a;

    /// The entity's states that the other side confirmed.
    fn baselines(&self, index: u32) -> Baselines<Self::State<'_>>;

    /// The entity's state now; `None` if it is gone.
    fn now(&self, index: u32) -> Option<Self::State<'_>>;

    /// Whether an entity that has no state now is still there, out of the other side's view.
    fn is_hidden(&self, index: u32) -> bool {
        let _ = index;
        false
    }
}

/// How an entity was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// Whether only values differ: such entities have a list of their own.
    pub only_values: bool,
    /// Whether it was written from nothing.
    pub fresh: bool,
}

/// Writes a list of entities, by index upwards: first those of which only values differ, then all others. `write` writes
/// one of them, as [`encode_entity`] does; it is given its place in the list.
pub fn encode_list<E: Encode>(
    out: &mut E,
    entities: impl Iterator<Item = (u32, bool)> + Clone,
    mut write: impl FnMut(&mut E, usize),
) {
    let order = gap_order(entities.clone().map(|(index, _)| index));
    out.bits(Symbol::Gap, order, GAP_ORDERS.count_ones());
    for list in [true, false] {
        let mut next = 0;
        for (at, (index, only_values)) in entities.clone().enumerate() {
            if only_values == list {
                encode_gap(out, index + 1 - next, order);
                next = index + 1;
                write(out, at);
            }
        }
        encode_gap(out, 0, order);
    }
}

/// Writes one entity, without its gap to the one before it.
pub fn encode_entity<S: States>(out: &mut impl Encode, layout: &Layout, index: u32, states: &S) -> Encoded {
    let (baselines, now) = (states.baselines(index), states.now(index));
    let op = op(layout, baselines.confirmed(), now.as_ref(), || states.is_hidden(index));
    match (op, &now) {
        (Op::Values, Some(now)) => encode_values(out, layout, &baselines, now),
        (op, _) => encode_other(out, layout, op, &baselines, now.as_ref()),
    }
    Encoded { only_values: op == Op::Values, fresh: op == Op::Fresh }
}

/// Writes the whole state of one entity by itself, from nothing.
pub fn encode_whole<S: StateView>(out: &mut impl Encode, layout: &Layout, state: &S) {
    encode_fresh(out, layout, state);
}

/// The bits that a list of entities takes beside what [`encode_entity`] writes of each. The entities go up, each with
/// whether only values differ.
pub fn gap_bits(entities: impl Iterator<Item = (u32, bool)> + Clone) -> usize {
    let order = gap_order(entities.clone().map(|(index, _)| index));
    let (mut bits, mut next) = (GAP_ORDERS.count_ones() + 2 * gap_cost(0, order), [0, 0]);
    for (index, only_values) in entities {
        let next = &mut next[usize::from(only_values)];
        bits += gap_cost(index + 1 - *next, order);
        *next = index + 1;
    }
    bits as usize
}

/// The order of the exp-Golomb code that takes the fewest bits for the gaps between indices that go up.
fn gap_order(entities: impl Iterator<Item = u32>) -> u32 {
    let mut costs = [0; GAP_ORDERS as usize + 1];
    let mut next = 0;
    for index in entities {
        let gap = index + 1 - next;
        next = index + 1;
        for (cost, order) in costs.iter_mut().zip(0..) {
            *cost += gap_cost(gap, order);
        }
    }
    (0..=GAP_ORDERS).min_by_key(|&order| costs[order as usize]).unwrap_or(0)
}

/// The bits of a gap: a unary prefix with its end, and a suffix that is longer by the order.
fn gap_cost(gap: u32, order: u32) -> u32 {
    let bits = (u64::from(gap) + (1 << order)).ilog2();
    2 * bits - order + 1
}

/// The largest order of the gaps, so that it fits three bits.
pub(super) const GAP_ORDERS: u32 = 7;

/// How a state differs from the confirmed one.
fn op<S: StateView>(
    layout: &Layout,
    confirmed: Option<&S>,
    now: Option<&S>,
    is_hidden: impl FnOnce() -> bool,
) -> Op {
    let Some(now) = now else { return if is_hidden() { Op::Hidden } else { Op::Removed } };
    let Some(confirmed) = confirmed.filter(|confirmed| confirmed.header().first() == now.header().first())
    else {
        return Op::Fresh;
    };
    if confirmed.header() != now.header() {
        return Op::Components;
    }
    if any_kept_differs(layout, confirmed, now) { Op::Values } else { Op::Same }
}

/// The components that both states have.
fn kept<'a, S: StateView>(
    layout: &'a Layout,
    confirmed: &'a S,
    now: &'a S,
) -> impl Iterator<Item = u16> + 'a {
    layout.rows_of(confirmed.header()).filter(|&component| has(now.header(), component))
}

fn any_kept_differs<S: StateView>(layout: &Layout, confirmed: &S, now: &S) -> bool {
    kept(layout, confirmed, now).any(|component| confirmed.row(component) != now.row(component))
}

/// An entity of which not only values differ.
fn encode_other<S: StateView>(
    out: &mut impl Encode,
    layout: &Layout,
    op: Op,
    baselines: &Baselines<S>,
    now: Option<&S>,
) {
    let place = Op::OTHERS.iter().position(|&other| other == op).unwrap_or(0) as u32;
    out.unary(Symbol::Entity, place, Op::OTHERS.len() as u32 - 1);
    match (op, now) {
        (Op::Fresh, Some(now)) => encode_fresh(out, layout, now),
        (Op::Components, Some(now)) => encode_components(out, layout, baselines, now),
        _ => {}
    }
}

/// Which components come and go, the values that differ in those that stay, and the new ones from nothing.
fn encode_components<S: StateView>(
    out: &mut impl Encode,
    layout: &Layout,
    baselines: &Baselines<S>,
    now: &S,
) {
    let Some(confirmed) = baselines.confirmed() else { return };
    for &component in layout.sent() {
        let was = has(confirmed.header(), component);
        out.flag(Symbol::Entity, was != has(now.header(), component));
    }
    let values = any_kept_differs(layout, confirmed, now);
    out.flag(Symbol::Entity, values);
    if values {
        encode_values(out, layout, baselines, now);
    }
    for &component in layout.sent() {
        if has(now.header(), component) && !has(confirmed.header(), component) {
            encode_new_row(out, component, layout.words(component), now.row(component));
        }
    }
}

/// The components that both states have, at least one of which differs.
fn encode_values<S: StateView>(out: &mut impl Encode, layout: &Layout, baselines: &Baselines<S>, now: &S) {
    let Some(confirmed) = baselines.confirmed() else { return };
    let mut left: usize = kept(layout, confirmed, now).map(|component| layout.parts(component)).sum();
    let (mut none_yet, mut forecasts) = (true, Forecasts::default());
    for component in kept(layout, confirmed, now) {
        let (rows, new) = (baselines.rows(component), now.row(component));
        let (words, confirmed) = (layout.words(component), rows.confirmed());
        let mut before = Before::default();
        for group in layout.groups(component) {
            left -= 1;
            let (mut values, new) = ([0; 4], group.of(new));
            let differs = group.of(confirmed) != new;
            // When none before it differs, the last one does.
            if !(left == 0 && none_yet) {
                out.flag(Symbol::Component(component), differs);
            }
            if differs {
                none_yet = false;
                values.iter_mut().zip(new).for_each(|(value, new)| *value = *new);
                let mut to = Writing { out: &mut *out, symbol: Symbol::Component(component) };
                let Ok(()) = motion::code(&mut to, group, group.of(words), &rows, &mut values, &mut before);
            }
        }
        let words = layout.others(component);
        if layout.parts(component) > layout.groups(component).len() {
            left -= 1;
            forecasts.set(words, &rows);
            let implied = left == 0 && none_yet && forecasts.rests;
            encode_row(out, component, words, &forecasts, confirmed, new, implied);
            none_yet &= same(words, confirmed, new);
        }
    }
}

/// The direction of [`motion::code`] that writes.
struct Writing<'o, E> {
    out: &'o mut E,
    symbol: Symbol,
}

impl<E: Encode> Direction for Writing<'_, E> {
    type Error = Infallible;

    fn flag(&mut self, value: bool) -> Result<bool, Infallible> {
        self.out.flag(self.symbol, value);
        Ok(value)
    }

    fn number(&mut self, word: &Word, order: u32, foretold: u32, value: u32) -> Result<u32, Infallible> {
        let order = order.min(word.bits());
        encode_number(self.out, self.symbol, word, order, difference(word, foretold, value), value);
        Ok(value)
    }
}

/// Writes a struct that is no entity's, as the difference to an earlier one of the same type if there is one.
pub(crate) fn encode_struct(out: &mut impl Encode, words: &[Word], before: Option<&[u32]>, new: &[u32]) {
    let Some(before) = before else { return encode_new_row(out, 0, words, new) };
    encode_row(out, 0, words, &Forecasts::default(), before, new, false);
}

fn encode_gap(out: &mut impl Encode, gap: u32, order: u32) {
    out.golomb(Symbol::Gap, gap, order, u32::BITS, (0, 0));
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
    for (at, (word, &value)) in words.iter().zip(new).enumerate() {
        if !is_there(words, new, at) {
            continue;
        }
        out.flag(symbol, value != 0);
        // A word of one bit is told by the flag alone.
        if value != 0 && word.max > 1 {
            out.bits(symbol, value, word.bits());
        }
    }
}

/// A row of which an earlier one is known. That it is not as foretold is `implied` if that is known.
fn encode_row(
    out: &mut impl Encode,
    component: u16,
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
                encode_noisy(out, symbol, word, foretold, bits, value);
            }
        }
        return;
    }
    let differs = !forecasts.hold(words, before, new);
    if !implied {
        out.flag(symbol, differs);
    }
    if !differs {
        return;
    }
    let dense = Trend::may_be_dense(words) && Trend::is_dense(words, forecasts, before, new);
    if Trend::may_be_dense(words) {
        out.flag(symbol, dense);
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
                out.flag(symbol, differs);
            }
            if differs && word.max > 1 {
                out.bits(symbol, value, word.bits());
            }
        } else if trend.dense() {
            encode_number(out, symbol, word, trend.order(word), difference(word, before, value), value);
        } else {
            if !implied {
                out.flag(symbol, differs);
            }
            if differs {
                encode_number(
                    out,
                    symbol,
                    word,
                    trend.order(word),
                    difference(word, before, value) - 1,
                    value,
                );
            }
        }
        trend.follow(word, before, value);
    }
}

/// A word of a row that is not expected to be as foretold.
fn encode_noisy(out: &mut impl Encode, symbol: Symbol, word: &Word, foretold: u32, bits: u32, new: u32) {
    if !word.is_plain() {
        encode_number(out, symbol, word, noisy_order(word, bits), difference(word, foretold, new), new);
        return;
    }
    out.flag(symbol, foretold != new);
    if foretold != new && word.max > 1 {
        out.bits(symbol, new, word.bits());
    }
}

/// A difference, or the value itself where that is no longer.
fn encode_number(out: &mut impl Encode, symbol: Symbol, word: &Word, order: u32, difference: u32, new: u32) {
    match escape(word.bits(), order) {
        None => out.bits(symbol, new, word.bits()),
        Some(limit) => out.golomb(symbol, difference, order, limit, (new, word.bits())),
    }
}
