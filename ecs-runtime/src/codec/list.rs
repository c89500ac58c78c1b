//! Which entities a packet tells of: the part of a packet that is neither an entity's nor a component's.

use core::iter::Peekable;

use super::contexts::{GAPS, GOLOMB, ORDER, OTHERS, PACES, RUNS, TREATED, USUAL, lowered};
use super::encode::{Encode, Symbol};

/// The entities that mostly differ, upwards, and whether they are treated so: where most do not, it is cheaper to count
/// them with the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usual<'u> {
    known: &'u [u32],
    /// How fast each was lately, see [`pace`](super::pace); only coders that model decisions need it.
    paces: &'u [u8],
    treated: bool,
}

impl<'u> Usual<'u> {
    /// The usual ones, of which so many are in the packet.
    #[must_use]
    pub fn new(known: &'u [u32], among: usize) -> Self {
        Self { known, paces: &[], treated: !known.is_empty() && 2 * among >= known.len() }
    }

    /// The same, with the [`pace`](super::pace) of each.
    #[must_use]
    pub fn with_paces(self, paces: &'u [u8]) -> Self {
        Self { paces, ..self }
    }

    /// Whether they are treated so.
    #[must_use]
    pub fn are_treated(&self) -> bool {
        self.treated
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// It is one of the usual ones, and moves on: all that moves together differs, and nothing beside it in its component.
    Usual,
    /// Only values differ.
    #[default]
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
/// [`encode_entity`](super::encode_entity) does; it is given its number in the order of `entities`.
pub fn encode_list<E: Encode>(
    out: &mut E,
    usual: Usual<'_>,
    entities: &(impl Iterator<Item = (u32, Place)> + Clone),
    mut write: impl FnMut(&mut E, usize),
) {
    let Orders { usual: runs_order, gaps: order, .. } = Orders::of(usual, entities.clone());
    if !usual.known.is_empty() {
        out.decide(Symbol::Gap, TREATED, usual.treated);
    }
    let mut told = entities.clone().enumerate().filter(|(_, (_, place))| *place == Place::Usual).peekable();
    if usual.treated && E::MODELLED {
        let mut paces = usual.paces.iter();
        for &known in usual.known {
            let differs = told.next_if(|(_, (index, _))| *index == known);
            out.decide(Symbol::Gap, usual_context(paces.next()), differs.is_some());
            if let Some((at, _)) = differs {
                write(out, at);
            }
        }
    } else if usual.treated {
        encode_order(out, runs_order);
        for run in runs(usual.known, told.clone().map(|(_, (index, _))| index)) {
            encode_gap(out, runs_context(runs_order), run, runs_order);
            told.by_ref().take(run as usize).for_each(|(at, _)| write(out, at));
        }
    }
    encode_order(out, order);
    let usual = entities.clone().filter(|(_, place)| *place == Place::Usual).map(|(index, _)| index);
    for list in [false, true] {
        let mut gaps = Gaps::default();
        let mut told = usual.clone().peekable();
        for (at, (index, place)) in entities.clone().enumerate() {
            if place.is_other() == Some(list) {
                let between = gaps.skip(&mut told, index);
                let code = gaps.code(order);
                encode_gap(out, code, gaps.to(index, between), order);
                write(out, at);
            }
        }
        encode_gap(out, gaps.code(order), 0, order);
        if !list {
            let others = entities.clone().any(|(_, place)| place.is_other() == Some(true));
            out.decide(Symbol::Gap, OTHERS, others);
            if !others {
                break;
            }
        }
    }
}

/// The contexts of runs of usual entities, by their order.
pub(super) const fn runs_context(order: u32) -> u32 {
    RUNS + order * GOLOMB
}

/// The context of whether a usual entity moves on, by its pace.
pub(super) fn usual_context(pace: Option<&u8>) -> u32 {
    USUAL + pace.map_or(0, |pace| u32::from(*pace).min(PACES - 1))
}

/// The gaps between the entities of a list: how many there are up to each that are in no list so far, with itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gaps {
    /// What the next gap counts from.
    pub(super) next: u32,
    /// The gap before, if there was one.
    before: u32,
}

impl Gaps {
    /// How many of those that were told already are between the last index and another; they go up, and are left behind.
    pub(super) fn skip(&self, told: &mut Peekable<impl Iterator<Item = u32>>, index: u32) -> u32 {
        while told.next_if(|told| *told < self.next).is_some() {}
        let mut between = 0;
        while told.next_if(|told| *told < index).is_some() {
            between += 1;
        }
        between
    }

    /// The gap to an index, with so many between that were told already.
    fn to(&mut self, index: u32, between: u32) -> u32 {
        let gap = index + 1 - self.next - between;
        self.went(index, gap);
        gap
    }

    /// Takes note of the index behind a gap.
    pub(super) fn went(&mut self, index: u32, gap: u32) {
        (self.next, self.before) = (index.saturating_add(1), gap);
    }

    /// The contexts of the next gap: what differs is mostly near something else that does.
    pub(super) fn code(&self, order: u32) -> u32 {
        let class = match self.before {
            0 => 0,
            1 => 1,
            before if before < 2 << order => 2,
            _ => 3,
        };
        GAPS + (4 * order + class) * GOLOMB
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

/// The plain bits that [`encode_list`] takes for entities beside what [`encode_entity`](super::encode_entity) writes of each.
pub(super) fn plain_list_bits(usual: Usual<'_>, entities: impl Iterator<Item = (u32, Place)>) -> usize {
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
        let known = if usual.treated { usual.known } else { &[] };
        let (mut left, mut run, mut next, mut next_of_any) = (known, 0, [0; 2], 0);
        let mut others = false;
        for (index, place) in entities {
            if let Some(list) = place.is_other() {
                others |= list;
                let next = &mut next[usize::from(list)];
                add(&mut gaps, index + 1 - *next);
                add(&mut as_one, index + 1 - next_of_any);
                (*next, next_of_any) = (index + 1, index + 1);
                continue;
            }
            // Those that are told already are not counted.
            next.iter_mut().for_each(|next| *next += 1);
            next_of_any += 1;
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
        let mut bits = GAP_ORDERS.count_ones() + gaps[of_gaps as usize];
        bits += 1 + (1 + u32::from(others)) * gap_cost(0, of_gaps);
        bits += u32::from(!usual.known.is_empty());
        if usual.treated {
            bits += GAP_ORDERS.count_ones() + runs[of_runs as usize];
        }
        Self { usual: of_runs, gaps: of_gaps, bits: bits as usize }
    }
}

#[inline]
fn add(costs: &mut [u32; ORDERS], gap: u32) {
    match SMALL_GAPS.get(gap as usize) {
        Some(bits) => costs.iter_mut().zip(bits).for_each(|(cost, bits)| *cost += u32::from(*bits)),
        None => costs.iter_mut().zip(0..).for_each(|(cost, order)| *cost += gap_cost(gap, order)),
    }
}

/// The bits of small gaps, by order.
static SMALL_GAPS: [[u8; ORDERS]; 256] = {
    let mut costs = [[0; ORDERS]; 256];
    let mut at = 0;
    while at < 256 * ORDERS {
        costs[at / ORDERS][at % ORDERS] = gap_cost((at / ORDERS) as u32, (at % ORDERS) as u32) as u8;
        at += 1;
    }
    costs
};

/// The bits of a gap: a unary prefix with its end, and a suffix that is longer by the order.
const fn gap_cost(gap: u32, order: u32) -> u32 {
    let bits = (gap as u64 + (1 << order)).ilog2();
    2 * bits - order + 1
}

/// The largest order of the gaps, so that it fits three bits.
pub(super) const GAP_ORDERS: u32 = 7;

fn encode_order<E: Encode>(out: &mut E, order: u32) {
    if E::MODELLED {
        out.unary(Symbol::Gap, ORDER, order, GAP_ORDERS);
    } else {
        out.bits(Symbol::Gap, order, GAP_ORDERS.count_ones());
    }
}

fn encode_gap<E: Encode>(out: &mut E, code: u32, gap: u32, order: u32) {
    let order = if E::MODELLED { lowered(order) } else { order };
    out.golomb(Symbol::Gap, code, gap, order, u32::BITS, (0, 0));
}
