//! The contexts of decisions, by number, and how likely decisions are of which nothing was learned.

/// The decisions of a unary prefix; the longest ones share the last.
const PREFIX: usize = 13;
/// A code has besides, for each length of its prefix, three for the highest two bits of the place.
const CODE: usize = PREFIX + 3 * PREFIX;

/// What happened to an entity.
pub(crate) const OP: usize = 0;
/// Whether a component came or went.
pub(crate) const COMES: usize = OP + 4;
/// Whether values differ besides.
pub(crate) const VALUES: usize = COMES + 1;
/// Whether a new entity has a component.
pub(crate) const HAS: usize = VALUES + 1;
/// Whether a new word is not zero.
pub(crate) const NEW: usize = HAS + 1;
/// Whether the largest number of a rotation is the foretold one, by how sure that is.
pub(crate) const LARGEST: usize = NEW + 1;
pub(super) const LARGEST_CLASSES: usize = 32;
/// Whether it is the second, and which of the other two.
pub(crate) const SECOND: usize = LARGEST + LARGEST_CLASSES;
/// The generation of a new entity.
pub(crate) const GENERATION: usize = SECOND + 2;
/// Whether there are entities of which more is told than values.
pub(crate) const OTHERS: usize = GENERATION + CODE;
/// Whether usual entities are told apart.
pub(crate) const TREATED: usize = OTHERS + 1;
/// The order of a list.
pub(crate) const ORDER: usize = TREATED + 1;
/// Whether a usual entity moves on, by its pace.
pub(crate) const USUAL: usize = ORDER + 7;
const PACES: usize = 8;
/// Runs of usual entities, by order.
pub(crate) const RUNS: usize = USUAL + PACES;
const ORDERS: usize = 8;
/// Gaps, by order and by the class of the gap before.
pub(crate) const GAPS: usize = RUNS + ORDERS * CODE;
const GAP_CLASSES: usize = 4;
/// Differences of which the expected size is known, by its class.
pub(crate) const SIZED: usize = GAPS + ORDERS * GAP_CLASSES * CODE;
const SIZES: usize = 32;
/// Other differences, by order.
pub(crate) const ORDERED: usize = SIZED + SIZES * CODE;
const LAST_ORDER: usize = 15;
/// How many contexts do not depend on the schema.
pub(crate) const SHARED: usize = ORDERED + (LAST_ORDER + 1) * CODE;

/// A component has so many of its own, and so many for each word.
pub(crate) const OF_COMPONENT: usize = 3;
pub(crate) const OF_WORD: usize = 2;

/// The contexts of an exp-Golomb code.
#[derive(Clone, Copy)]
pub(super) struct Code(usize);

impl Code {
    pub(super) const GENERATION: Self = Self(GENERATION);

    /// Of a run of usual entities.
    pub(super) fn run(order: u32) -> Self {
        Self(RUNS + order as usize * CODE)
    }

    /// Of a gap, by the gap before it.
    pub(super) fn gap(order: u32, before: Option<u32>) -> Self {
        let class = match before {
            None => 0,
            Some(1) => 1,
            Some(before) if before < 2 << order => 2,
            Some(_) => 3,
        };
        Self(GAPS + (GAP_CLASSES * order as usize + class) * CODE)
    }

    /// Of a difference of an expected size.
    pub(super) fn sized(class: usize) -> Self {
        Self(SIZED + class * CODE)
    }

    /// Of another difference.
    pub(super) fn ordered(order: u32) -> Self {
        Self(ORDERED + LAST_ORDER.min(order as usize) * CODE)
    }

    /// The decision of the prefix that comes after so many.
    pub(super) fn prefix(self, before: u32) -> usize {
        self.0 + (PREFIX - 1).min(before as usize)
    }

    /// The first of the decisions of the place.
    pub(super) fn suffix(self, class: u32) -> usize {
        self.0 + PREFIX + 3 * (PREFIX - 1).min(class as usize)
    }
}

/// What is likely of all decisions that do not depend on the schema, where nothing was learned of them; `order` is that of
/// the codes of each class of expected sizes.
pub(super) fn untrained(order: impl Fn(usize) -> u32) -> Vec<u16> {
    let mut likely = vec![0.5; SHARED];
    for class in 6..LARGEST_CLASSES {
        likely[LARGEST + class] = 1.0 - 0.5 * libm::pow(0.8, class as f64 - 6.0);
    }
    likely[SECOND] = 0.75;
    likely[COMES] = 0.1;
    likely[OTHERS] = 0.1;
    likely[TREATED] = 0.9;
    for pace in 0..PACES {
        likely[USUAL + pace] = 1.0 - libm::exp2(-1.0 - pace as f64);
    }
    for code in 0..ORDERS + ORDERS * GAP_CLASSES {
        for before in 1..PREFIX {
            likely[RUNS + code * CODE + before] = 0.4;
        }
    }
    for class in 0..SIZES {
        // Classes are a third of an octave each, from 2^-1.5 on.
        let middle = libm::exp2((class as f64 + 0.5) / 3.0 - 1.5);
        expect(&mut likely, Code::sized(class), order(class), middle);
    }
    for class in 0..=LAST_ORDER as u32 {
        let middle = libm::exp2(f64::from(class) - 0.5);
        expect(&mut likely, Code::ordered(class), class.saturating_sub(2), middle);
    }
    // The least probability is 24 of 32768, either way.
    let kept = |likely: f64| libm::round(likely * 32_768.0).clamp(24.0, 32_744.0) as u16;
    likely.into_iter().map(kept).collect()
}

/// What is likely of the decisions of a code where differences are of a size.
fn expect(likely: &mut [f64], code: Code, order: u32, size: f64) {
    for class in 0..PREFIX as u32 {
        let count = 1 << (order + class);
        let first = count - (1 << order);
        let within = |from: u64, to: u64| beyond(first + from, size) - beyond(first + to, size);
        likely[code.prefix(class)] = beyond(first + count, size) / beyond(first, size);
        if count >= 2 {
            likely[code.suffix(class)] = within(count / 2, count) / within(0, count);
        }
        if count >= 4 {
            let [quarter, half] = [count / 4, count / 2];
            likely[code.suffix(class) + 1] = within(quarter, half) / within(0, half);
            likely[code.suffix(class) + 2] = within(half + quarter, count) / within(half, count);
        }
    }
}

/// The share of numbers that are at least `number`, each of which stands for a difference: an odd one for the positive and
/// the even one after it for the negative.
fn beyond(number: u64, size: f64) -> f64 {
    // Of differences e of this size, P(|e| > x) = (1 + x / 2 size)^-2.5.
    let farther = |x: f64| if x > 0.0 { libm::pow(1.0 + x / (2.0 * size), -2.5) } else { 1.0 };
    let magnitude = (number / 2) as f64;
    if number == 0 {
        1.0
    } else if number % 2 == 1 {
        farther(magnitude + 0.5)
    } else {
        // Half of those of this magnitude, and all that are larger.
        (farther(magnitude - 0.5) + farther(magnitude + 0.5)) / 2.0
    }
}
