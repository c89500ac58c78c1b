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

/// The entities that mostly differ, upwards, and whether they are treated so: where most do not, it is cheaper to count
/// them with the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usual<'u> {
    known: &'u [u32],
    treated: bool,
}

impl<'u> Usual<'u> {
    /// The usual ones, of which so many are in the packet.
    #[must_use]
    pub fn new(known: &'u [u32], among: usize) -> Self {
        Self { known, treated: !known.is_empty() && 2 * among >= known.len() }
    }

    /// The number of those that are among others; both go up.
    #[must_use]
    pub fn among(known: &[u32], others: &[u32]) -> usize {
        let mut known = known.iter().peekable();
        let is_known = |index: &&u32| {
            while known.next_if(|other| other < index).is_some() {}
            known.next_if_eq(index).is_some()
        };
        others.iter().filter(is_known).count()
    }

    /// Whether an entity is one, and they are treated so.
    #[inline]
    #[must_use]
    pub fn treats(&self, index: u32) -> bool {
        self.treated && self.known.binary_search(&index).is_ok()
    }
}

/// Where an entity belongs in a packet, by how it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It is one of the usual ones, and moves on: all that moves together differs, and nothing beside it in its component.
    Usual,
    /// Only values differ.
    Values,
    /// Something else is told.
    Others,
    /// The same, and that is all of it, from nothing.
    Fresh,
}

impl Place {
    /// Which list behind the usual ones it is in, if it is none of those: not that of values, but that of all else.
    fn is_other(self) -> Option<bool> {
        match self {
            Self::Usual => None,
            Self::Values => Some(false),
            Self::Others | Self::Fresh => Some(true),
        }
    }
}

/// Writes entities, by index upwards: of those of which only values differ, first those of the `usual` ones, which mostly
/// do, then the others; and last all of which something else is to be told. `write` writes one of them, as
/// [`encode_entity`] does; it is given its number in the order of `entities`.
pub fn encode_list<E: Encode>(
    out: &mut E,
    usual: Usual<'_>,
    entities: impl Iterator<Item = (u32, Place)> + Clone,
    mut write: impl FnMut(&mut E, usize),
) {
    let Orders { usual: runs_order, gaps: order, .. } = Orders::of(usual, entities.clone());
    if !usual.known.is_empty() {
        out.flag(Symbol::Gap, usual.treated);
    }
    let mut told = entities.clone().enumerate().filter(|(_, (_, place))| *place == Place::Usual);
    if usual.treated {
        out.bits(Symbol::Gap, runs_order, GAP_ORDERS.count_ones());
        for run in runs(usual.known, told.clone().map(|(_, (index, _))| index)) {
            encode_gap(out, run, runs_order);
            told.by_ref().take(run as usize).for_each(|(at, _)| write(out, at));
        }
    }
    out.bits(Symbol::Gap, order, GAP_ORDERS.count_ones());
    for list in [false, true] {
        let mut next = 0;
        for (at, (index, place)) in entities.clone().enumerate() {
            if place.is_other() == Some(list) {
                encode_gap(out, index + 1 - next, order);
                next = index + 1;
                write(out, at);
            }
        }
        encode_gap(out, 0, order);
    }
}

/// How many usual entities in a row differ, before each that does not, and at the end if there are any.
fn runs(usual: &[u32], differing: impl Iterator<Item = u32>) -> impl Iterator<Item = u32> {
    let mut differing = differing.peekable();
    let mut left = usual.iter();
    core::iter::from_fn(move || {
        let mut run = 0;
        for index in left.by_ref() {
            if differing.next_if_eq(index).is_none() {
                return Some(run);
            }
            run += 1;
        }
        (run > 0).then_some(run)
    })
}

/// Writes one entity, without its gap to the one before it. If it is `usual`, what moves on is written as that.
pub fn encode_entity<S: States>(
    out: &mut impl Encode,
    layout: &Layout,
    index: u32,
    states: &S,
    usual: bool,
) -> Place {
    let (baselines, now) = (states.baselines(index), states.now(index));
    let op = op(layout, baselines.confirmed(), now.as_ref(), || states.is_hidden(index));
    if let (Op::Values, Some(now)) = (op, &now) {
        let moves_on =
            usual && baselines.confirmed().is_some_and(|confirmed| moves_on(layout, confirmed, now));
        encode_values(out, layout, &baselines, now, moves_on);
        return if moves_on { Place::Usual } else { Place::Values };
    }
    encode_other(out, layout, op, &baselines, now.as_ref());
    if op == Op::Fresh { Place::Fresh } else { Place::Others }
}

/// Whether a state differs from the confirmed one as that of what moves mostly does: all that moves together differs, and
/// what is beside it in its component does not.
fn moves_on<S: StateView>(layout: &Layout, confirmed: &S, now: &S) -> bool {
    let mut moving = kept(layout, confirmed, now).filter(|&component| !layout.groups(component).is_empty());
    moving.all(|component| {
        let (before, now) = (confirmed.row(component), now.row(component));
        let moves = layout.groups(component).iter().all(|group| group.of(before) != group.of(now));
        moves && same(layout.others(component), before, now)
    })
}

/// Writes the whole state of one entity by itself, from nothing.
pub fn encode_whole<S: StateView>(out: &mut impl Encode, layout: &Layout, state: &S) {
    encode_fresh(out, layout, state);
}

/// The bits that [`encode_list`] takes for entities beside what [`encode_entity`] writes of each.
pub fn list_bits(usual: Usual<'_>, entities: impl Iterator<Item = (u32, Place)>) -> usize {
    Orders::of(usual, entities).bits
}

/// The orders of the exp-Golomb codes of a list, and the bits that they come to.
struct Orders {
    usual: u32,
    gaps: u32,
    bits: usize,
}

/// So many orders are compared.
const ORDERS: usize = GAP_ORDERS as usize + 1;

impl Orders {
    fn of(usual: Usual<'_>, entities: impl Iterator<Item = (u32, Place)>) -> Self {
        // What each order would cost: the runs, the gaps, and the gaps if both lists were one, by which it is chosen.
        let (mut runs, mut gaps, mut as_one) = ([0; ORDERS], [0; ORDERS], [0; ORDERS]);
        let (mut left, mut run, mut next, mut next_of_any) = (usual.known, 0, [0; 2], 0);
        for (index, place) in entities {
            if let Some(list) = place.is_other() {
                let next = &mut next[usize::from(list)];
                add(&mut gaps, index + 1 - *next);
                add(&mut as_one, index + 1 - next_of_any);
                (*next, next_of_any) = (index + 1, index + 1);
                continue;
            }
            while let Some((known, rest)) = left.split_first() {
                left = rest;
                if *known == index {
                    break;
                }
                add(&mut runs, core::mem::take(&mut run));
            }
            run += 1;
        }
        for _ in left {
            add(&mut runs, core::mem::take(&mut run));
        }
        if run > 0 {
            add(&mut runs, run);
        }
        let cheapest =
            |costs: &[u32; ORDERS]| (0..=GAP_ORDERS).min_by_key(|&order| costs[order as usize]).unwrap_or(0);
        let (of_runs, of_gaps) = (cheapest(&runs), cheapest(&as_one));
        let mut bits = GAP_ORDERS.count_ones() + 2 * gap_cost(0, of_gaps) + gaps[of_gaps as usize];
        bits += u32::from(!usual.known.is_empty());
        if usual.treated {
            bits += GAP_ORDERS.count_ones() + runs[of_runs as usize];
        }
        Self { usual: of_runs, gaps: of_gaps, bits: bits as usize }
    }
}

fn add(costs: &mut [u32; ORDERS], gap: u32) {
    costs.iter_mut().zip(0..).for_each(|(cost, order)| *cost += gap_cost(gap, order));
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
        encode_values(out, layout, baselines, now, false);
    }
    for &component in layout.sent() {
        if has(now.header(), component) && !has(confirmed.header(), component) {
            encode_new_row(out, component, layout.words(component), now.row(component));
        }
    }
}

/// The components that both states have, at least one of which differs.
fn encode_values<S: StateView>(
    out: &mut impl Encode,
    layout: &Layout,
    baselines: &Baselines<S>,
    now: &S,
    moves_on: bool,
) {
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
            if !(moves_on || left == 0 && none_yet) {
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
            if moves_on && !layout.groups(component).is_empty() {
                continue;
            }
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
