//! What is known of a decision before it is made: its context. A coder that models decisions has a probability for each.

use super::ESCAPE;
use super::priors::BUCKETS;

/// The number of a context.
pub(super) type Context = u32;

/// The unary prefix of an exp-Golomb code has a context for each of its decisions; what is longer shares the last.
const PREFIX: u32 = ESCAPE + 1;

/// A code has besides, for each length of its prefix, contexts for the two highest bits of its suffix.
pub(super) const GOLOMB: u32 = PREFIX + 3 * PREFIX;

/// What happened to an entity: a unary number.
pub(super) const OP: Context = 0;
/// Whether a component came or went.
pub(super) const COMES: Context = 4;
/// Whether values differ where components came or went.
pub(super) const VALUES: Context = 5;
/// Whether a new entity has a component.
pub(super) const HAS: Context = 6;
/// Whether a new word is not zero.
pub(super) const NEW: Context = 7;
/// Whether the number that a rotation leaves out is the foretold one: by how sure that is.
pub(super) const LARGEST: Context = 8;
/// How many there are of those.
pub(super) const LARGEST_CLASSES: u32 = 32;
/// Whether it is the second, and which of the other two.
pub(super) const SECOND: Context = LARGEST + LARGEST_CLASSES;
/// The generation of a new entity.
pub(super) const GENERATION: Context = SECOND + 2;
/// Whether there are entities of which more is told than values.
pub(super) const OTHERS: Context = GENERATION + GOLOMB;
/// Whether usual entities are told apart.
pub(super) const TREATED: Context = OTHERS + 1;
/// The order of a list: a unary number.
pub(super) const ORDER: Context = TREATED + 1;
/// Whether a usual entity moves on: by its pace.
pub(super) const USUAL: Context = ORDER + 7;
/// How many paces there are.
pub(super) const PACES: u32 = 8;
/// Runs of usual entities: by order.
pub(super) const RUNS: Context = USUAL + PACES;
/// Gaps between others: by order, and by four classes of the gap before.
pub(super) const GAPS: Context = RUNS + 8 * GOLOMB;
/// Differences of which the expected size is known well: by its class.
pub(super) const SIZED: Context = GAPS + 4 * 8 * GOLOMB;
/// Other differences: by the order that suits them.
pub(super) const ORDERED: Context = SIZED + BUCKETS as u32 * GOLOMB;
/// The highest order of these.
pub(super) const MAX_ORDER: u32 = 15;
/// How many contexts all schemas have. Those of components and words follow.
pub(super) const SHARED: usize = (ORDERED + (MAX_ORDER + 1) * GOLOMB) as usize;

/// A component's own: whether it is as foretold, when it rested and when it moved, and whether most of it changed.
pub(super) const OF_COMPONENT: u32 = 3;
/// A word's own: whether it is as foretold, when it was quiet and when it was not.
pub(super) const OF_WORD: u32 = 2;

/// The contexts of a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ComponentContexts {
    /// The first of its own.
    pub(super) own: Context,
    /// The first of its words'.
    pub(super) words: Context,
}

impl ComponentContexts {
    /// Whether a row is as foretold.
    pub(super) fn row(self, rests: bool) -> Context {
        self.own + u32::from(!rests)
    }

    /// Whether most of a row changed.
    pub(super) fn dense(self) -> Context {
        self.own + 2
    }

    /// Whether a word, or what begins with it, is as foretold.
    pub(super) fn word(self, at: usize, quiet: bool) -> Context {
        self.words + OF_WORD * at as u32 + u32::from(!quiet)
    }
}

/// The contexts of a number's code.
#[inline]
pub(super) const fn code_of(order: u32, bucket: Option<usize>) -> Context {
    match bucket {
        Some(bucket) => SIZED + bucket as u32 * GOLOMB,
        None => ORDERED + if order < MAX_ORDER { order } else { MAX_ORDER } * GOLOMB,
    }
}

/// The context of a decision of a unary prefix, by how many came before it.
pub(super) const fn prefix(code: Context, before: u32) -> Context {
    code + if before < PREFIX { before } else { PREFIX - 1 }
}

/// The context of the first bit of a suffix, by the length of the prefix.
pub(super) const fn suffix(code: Context, prefix: u32) -> Context {
    code + PREFIX + 3 * if prefix < PREFIX { prefix } else { PREFIX - 1 }
}

/// Probabilities of decisions, by context: that they are true, in 32768ths.
pub(super) const BITS: u32 = 15;

/// The least probability; one less it is for its opposite.
pub(super) const LEAST: u16 = 24;

/// What is expected of decisions without training: of differences by a distribution with P(|e| > x) = (1 + x / 2b)^-2.5,
/// where b is the middle of the class; `order` is that of the code of each.
pub(super) fn untrained(order: impl Fn(usize) -> u32) -> Vec<u16> {
    let mut table = vec![1 << (BITS - 1); SHARED];
    let mut set = |context: Context, p: f64| {
        if let Some(place) = table.get_mut(context as usize) {
            *place = probability(p);
        }
    };
    for class in 0..LARGEST_CLASSES {
        let likely = if class < 6 { 0.5 } else { 1.0 - 0.5 * libm::pow(0.8, f64::from(class) - 6.0) };
        set(LARGEST + class, likely);
    }
    set(SECOND, 0.75);
    set(COMES, 0.1);
    for bucket in 0..BUCKETS {
        let middle = libm::exp2((bucket as f64 + 0.5) / 3.0 - 1.5);
        expect(SIZED + bucket as u32 * GOLOMB, order(bucket), middle, &mut set);
    }
    for class in 0..=MAX_ORDER {
        let middle = libm::exp2(f64::from(class) - 0.5);
        expect(ORDERED + class * GOLOMB, lowered(class), middle, &mut set);
    }
    set(OTHERS, 0.1);
    set(TREATED, 0.9);
    for pace in 0..PACES {
        set(USUAL + pace, 1.0 - libm::exp2(-1.0 - f64::from(pace)));
    }
    for code in 0..5 * 8 {
        for before in 1..PREFIX {
            // Runs and gaps are about as large as their order says.
            set(prefix(RUNS + code * GOLOMB, before), 0.4);
        }
    }
    table
}

/// A coder that models decisions takes codes of smaller orders, so that fewer bits are left that it does not model.
pub(super) const fn lowered(order: u32) -> u32 {
    order.saturating_sub(2)
}

/// What is expected of the decisions of a code of an order, where differences are of a size.
fn expect(code: Context, order: u32, size: f64, set: &mut impl FnMut(Context, f64)) {
    // The share of differences that are at least a size, and of numbers, where signs are told by every other one.
    let sizes = |least: f64| if least <= 0.0 { 1.0 } else { libm::pow(1.0 + least / (2.0 * size), -2.5) };
    let share = |number: u64| {
        let least = (number / 2) as f64;
        match number {
            0 => 1.0,
            _ if number % 2 == 1 => sizes(least + 0.5),
            _ => (sizes(least - 0.5) + sizes(least + 0.5)) / 2.0,
        }
    };
    for before in 0..PREFIX {
        let (start, len) = (((1 << before) - 1) << order, 1u64 << (order + before));
        let all = share(start);
        set(prefix(code, before), share(start + len) / all);
        let between = |from: u64, to: u64| share(start + from * len / 4) - share(start + to * len / 4);
        let first = suffix(code, before);
        if order + before >= 1 {
            set(first, between(2, 4) / between(0, 4));
        }
        if order + before >= 2 {
            set(first + 1, between(1, 2) / between(0, 2));
            set(first + 2, between(3, 4) / between(2, 4));
        }
    }
}

/// A probability as it is kept.
pub(super) fn probability(p: f64) -> u16 {
    let one = f64::from(1u32 << BITS);
    libm::round(p * one).clamp(f64::from(LEAST), one - f64::from(LEAST)) as u16
}
