//! Numbers: how far one is from another, and the codes that tell of it.

use ecs_runtime::schema::{Word, WordKind};

use super::Refused;
use super::contexts::Code;
use super::line::Line;

/// How many bits a number has.
pub(super) fn bits_of(mut number: u64) -> u32 {
    let mut bits = 0;
    while number > 0 {
        number /= 2;
        bits += 1;
    }
    bits
}

/// How many bits the values of a word have.
pub(super) fn word_bits(word: &Word) -> u32 {
    bits_of(u64::from(word.max))
}

/// Whether a word is no number, or so small a one that its differences mean nothing.
pub(crate) fn is_plain(word: &Word) -> bool {
    word.max <= 7 || matches!(word.kind, WordKind::Choice | WordKind::Pattern)
}

/// Whether a word is there: it can be anything but zero, and what it depends on is as it has to be.
pub(crate) fn is_there(words: &[Word], row: &[u32], at: usize) -> bool {
    words[at].max > 0 && is_meant(words, row, at)
}

fn is_meant(words: &[Word], row: &[u32], at: usize) -> bool {
    let Some(when) = words[at].when else { return true };
    let on = at - usize::from(when.back);
    when.lo <= row[on] && row[on] <= when.hi && is_meant(words, row, on)
}

/// How many values there are before they begin anew.
fn modulus(word: &Word) -> i64 {
    match word.kind {
        WordKind::Wrapping => i64::from(word.max) + 1,
        WordKind::Number | WordKind::Choice | WordKind::Pattern => 1 << 32,
    }
}

/// How far a value is from another, the short way round.
pub(super) fn signed_difference(word: &Word, before: u32, new: u32) -> i64 {
    let far = (i64::from(new) - i64::from(before)).rem_euclid(modulus(word));
    if far < modulus(word) / 2 { far } else { far - modulus(word) }
}

/// The value so far from another, within the word's range.
pub(super) fn moved(word: &Word, from: u32, by: i128) -> u32 {
    let value = i128::from(from) + by;
    let value = match word.kind {
        WordKind::Wrapping => value.rem_euclid(i128::from(modulus(word))),
        _ => value.clamp(0, i128::from(word.max)),
    };
    value as u32
}

/// A difference as a number: 0, +1, -1, +2, -2, and so on. Half of all values away counts as above.
fn number_of(difference: i64) -> u64 {
    if difference > 0 || difference == -(1 << 31) {
        2 * difference.unsigned_abs() - 1
    } else {
        2 * difference.unsigned_abs()
    }
}

/// The value that a difference leads to.
fn apart(word: &Word, before: u32, number: u64) -> i64 {
    let far = number.div_ceil(2) as i64;
    let value = i64::from(before) + if number % 2 == 1 { far } else { -far };
    value.rem_euclid(modulus(word))
}

/// How a number is told: by the order of a code that suits the difference, and the class of its expected size if that is
/// known; and the smallest number that a difference can be.
#[derive(Clone, Copy)]
pub(super) struct How {
    pub(super) order: u32,
    pub(super) class: Option<usize>,
    pub(super) least: u64,
}

/// The longest unary prefix of a difference.
const LONGEST: u32 = 12;

/// A number by its difference from what was foretold, or by itself where that is no longer.
pub(super) fn code_number(
    line: &mut impl Line,
    word: &Word,
    how: How,
    foretold: u32,
    told: Option<u32>,
) -> Result<u32, Refused> {
    let (bits, order) = (word_bits(word), coded_order(line, how.order));
    if order + 1 >= bits {
        return in_range(word, line.bits(bits, told)?);
    }
    let limit = LONGEST.min(bits + 1 - order);
    let code = match how.class {
        Some(class) => Code::sized(class),
        None => Code::ordered(how.order),
    };
    let number = told.map(|value| number_of(signed_difference(word, foretold, value)) - how.least);
    let class = code_class(line, code, order, limit, number)?;
    if class == limit {
        return in_range(word, line.bits(bits, told)?);
    }
    let number = code_place(line, code, order, class, number)? + how.least;
    if number > u64::from(u32::MAX) {
        return Err(Refused::Wrong);
    }
    in_range(word, u32::try_from(apart(word, foretold, number)).map_err(|_| Refused::Wrong)?)
}

/// A value that its word can have.
pub(super) fn in_range(word: &Word, value: u32) -> Result<u32, Refused> {
    if value <= word.max { Ok(value) } else { Err(Refused::Wrong) }
}

/// Where decisions are modelled, codes are of an order less by two.
fn coded_order(line: &impl Line, order: u32) -> u32 {
    if line.is_modelled() { order.saturating_sub(2) } else { order }
}

/// A number of a list, by an exp-Golomb code.
pub(super) fn code_gap(
    line: &mut impl Line,
    code: Code,
    order: u32,
    told: Option<u32>,
) -> Result<u32, Refused> {
    let order = coded_order(line, order);
    code_exactly(line, code, order, told)
}

/// A number of 32 bits, by the exp-Golomb code of exactly this order.
pub(super) fn code_exactly(
    line: &mut impl Line,
    code: Code,
    order: u32,
    told: Option<u32>,
) -> Result<u32, Refused> {
    let told = told.map(u64::from);
    let class = code_class(line, code, order, 32, told)?;
    u32::try_from(code_place(line, code, order, class, told)?).map_err(|_| Refused::Wrong)
}

/// The first number of a class of an exp-Golomb code: the first class has 2^`order` numbers, and each other one twice as
/// many as the one before.
fn first_of(order: u32, class: u32) -> u64 {
    ((1 << class) - 1) << order
}

/// Which class a number is in, up to a limit.
fn code_class(
    line: &mut impl Line,
    code: Code,
    order: u32,
    limit: u32,
    told: Option<u64>,
) -> Result<u32, Refused> {
    let class = told.map(|number| (0..limit).filter(|class| first_of(order, class + 1) <= number).count());
    code_unary(line, |before| code.prefix(before), limit, class.map(|class| class as u32))
}

/// The number, by its place in a class.
fn code_place(
    line: &mut impl Line,
    code: Code,
    order: u32,
    class: u32,
    told: Option<u64>,
) -> Result<u64, Refused> {
    let bits = order + class;
    if bits > 32 {
        return Err(Refused::Wrong);
    }
    let first = first_of(order, class);
    let place = told.map(|number| number - first);
    if !line.is_modelled() || bits == 0 {
        return Ok(first + u64::from(line.bits(bits, place.map(|place| place as u32))?));
    }
    // The two highest bits are decisions.
    let bit = |at: u32| place.map(|place| place >> at & 1 == 1);
    let high = u64::from(line.decide(code.suffix(class), bit(bits - 1))?);
    if bits == 1 {
        return Ok(first + high);
    }
    let next = u64::from(line.decide(code.suffix(class) + 1 + high as usize, bit(bits - 2))?);
    let rest = line.bits(bits - 2, place.map(|place| (place % (1 << (bits - 2))) as u32))?;
    Ok(first + (high << (bits - 1)) + (next << (bits - 2)) + u64::from(rest))
}

/// A small number: so many ones, and a zero below the limit.
pub(super) fn code_unary(
    line: &mut impl Line,
    context: impl Fn(u32) -> usize,
    limit: u32,
    told: Option<u32>,
) -> Result<u32, Refused> {
    let mut ones = 0;
    while ones < limit && line.decide(context(ones), told.map(|count| ones < count))? {
        ones += 1;
    }
    Ok(ones)
}
