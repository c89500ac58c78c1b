//! States to symbols. The mirror of `decode`.

use super::contexts::{COMES, GENERATION, HAS, OP, VALUES, code_of, lowered, prefix, suffix};
use super::encode_row::{Writing, encode_new_row, encode_row};
use super::forecast::{Forecasts, same};
use super::layout::{StateView, has};
use super::list::Place;
use super::motion::{self, Sample, Vector};
use super::trend::escape;
use super::{Baselines, Layout, Op};
use crate::schema::Word;

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

/// A number as the difference to what was foretold of it.
#[derive(Clone, Copy, Debug)]
pub struct Number<'w> {
    /// Its word.
    pub word: &'w Word,
    /// The order of the exp-Golomb code that suits the difference.
    pub order: u32,
    /// The class of its expected size, if that is known so exactly: a third of an octave, from 2^-1.5 on.
    pub bucket: Option<usize>,
    /// The difference: 0, +1, -1, +2, -2, ...
    pub difference: u32,
    /// The number itself.
    pub value: u32,
}

impl Number<'_> {
    /// Writes its code.
    #[inline]
    pub(super) fn code_to<E: Encode + ?Sized>(&self, out: &mut E, symbol: Symbol) {
        let Number { word, order, bucket, difference, value } = *self;
        let code = code_of(order, bucket);
        let order = if E::MODELLED { lowered(order) } else { order };
        match escape(word.bits(), order) {
            None => out.bits(symbol, value, word.bits()),
            Some(limit) => out.golomb(symbol, code, difference, order, limit, (value, word.bits())),
        }
    }
}

/// Takes symbols.
pub trait Encode {
    /// Whether decisions are taken one by one, each in its context.
    const MODELLED: bool = false;

    /// Whether [`Encode::observe`] takes note.
    const OBSERVES: bool = false;

    /// The lowest `count` bits of `value`, at most 32; the other bits are zero. All values are as likely.
    fn bits(&mut self, symbol: Symbol, value: u32, count: u32);

    /// One decision, in a context.
    #[inline]
    fn decide(&mut self, symbol: Symbol, context: u32, value: bool) {
        let _ = context;
        self.bits(symbol, u32::from(value), 1);
    }

    /// `count` ones and, below `limit`, a zero; `code` is the first of their contexts.
    #[inline]
    fn unary(&mut self, symbol: Symbol, code: u32, count: u32, limit: u32) {
        if Self::MODELLED {
            for before in 0..count {
                self.decide(symbol, prefix(code, before), true);
            }
            if count < limit {
                self.decide(symbol, prefix(code, count), false);
            }
        } else {
            self.bits(symbol, ((1u64 << count) - 1) as u32, count + u32::from(count < limit));
        }
    }

    /// A number by the exp-Golomb code of an order; from a unary prefix of `limit` on, `escape.1` bits of
    /// `escape.0` instead.
    #[inline]
    fn golomb(&mut self, symbol: Symbol, code: u32, value: u32, order: u32, limit: u32, escape: (u32, u32)) {
        let shifted = u64::from(value) + (1 << order);
        let bits = shifted.ilog2();
        let ones = bits - order;
        if ones >= limit {
            self.unary(symbol, code, limit, limit);
            self.bits(symbol, escape.0, escape.1);
            return;
        }
        self.unary(symbol, code, ones, limit);
        let rest = (shifted - (1 << bits)) as u32;
        if Self::MODELLED && bits > 0 {
            let (first, high) = (suffix(code, ones), rest >> (bits - 1) & 1);
            self.decide(symbol, first, high == 1);
            if bits > 1 {
                self.decide(symbol, first + 1 + high, rest >> (bits - 2) & 1 == 1);
            }
            let left = bits.saturating_sub(2);
            self.bits(symbol, rest & ((1 << left) - 1), left);
        } else {
            self.bits(symbol, rest, bits);
        }
    }

    /// A number by its difference, or itself where that is no longer.
    #[inline]
    fn number(&mut self, symbol: Symbol, number: &Number<'_>) {
        number.code_to(self, symbol);
    }

    /// Takes note of how a group of words moved, by its component and its number there.
    fn observe(&mut self, component: u16, group: usize, sample: &Sample<'_>) {
        let _ = (component, group, sample);
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
    out.unary(Symbol::Entity, OP, place, Op::OTHERS.len() as u32 - 1);
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
        out.decide(Symbol::Entity, COMES, was != has(now.header(), component));
    }
    let values = any_kept_differs(layout, confirmed, now);
    out.decide(Symbol::Entity, VALUES, values);
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
        let contexts = layout.contexts(component);
        let (words, confirmed) = (layout.words(component), rows.confirmed());
        let mut before = Vector::default();
        for (number, group) in layout.groups(component).iter().enumerate() {
            left -= 1;
            let (mut values, new) = ([0; 4], group.of(new));
            let differs = group.of(confirmed) != new;
            // When none before it differs, the last one does.
            if !(moves_on || left == 0 && none_yet) {
                let context = contexts.word(group.start(), rows.rested(|row| group.of(row)));
                out.decide(Symbol::Component(component), context, differs);
            }
            if differs {
                none_yet = false;
                values.iter_mut().zip(new).for_each(|(value, new)| *value = *new);
                let mut to = Writing { out: &mut *out, component, group: number, orders: layout.orders() };
                let Ok(()) = motion::code(&mut to, group, group.of(words), &rows, &mut values, &mut before);
            } else {
                motion::skip(group, group.of(words), group.of(confirmed), &mut before);
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
            encode_row(out, (component, contexts), words, &forecasts, confirmed, new, implied);
            none_yet &= same(words, confirmed, new);
        }
    }
}

fn encode_fresh<S: StateView>(out: &mut impl Encode, layout: &Layout, new: &S) {
    let generation = new.header().first().copied().unwrap_or(0);
    out.golomb(Symbol::Entity, GENERATION, generation / 2, 2, u32::BITS, (0, 0));
    for &component in layout.sent() {
        out.decide(Symbol::Entity, HAS, has(new.header(), component));
    }
    for &component in layout.sent() {
        if has(new.header(), component) {
            encode_new_row(out, component, layout.words(component), new.row(component));
        }
    }
}
