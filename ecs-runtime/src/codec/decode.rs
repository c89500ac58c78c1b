//! Symbols to states. The mirror of `encode`; the only code that interprets what a peer sent of an entity.
//!
//! Whatever the bits are, decoding ends, allocates no more than the schema's largest entity, and gives either a
//! state that an honest peer could have sent or an error that names the place.
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

use core::iter::repeat_n;

use super::baselines::Rows;
use super::bits::{BitReader, OutOfBits};
use super::encode::GAP_ORDERS;
use super::forecast::{Forecasts, same};
use super::layout::{StateView, has, toggle};
use super::motion::{self, Before, Direction};
use super::trend::{Trend, apart, escape, noisy_order};
use super::{Baselines, Layout, Limit, Op};
use crate::schema::{Word, WordKind, is_there};

/// Why bits are not the states of entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The bits ended in the middle.
    #[error(transparent)]
    OutOfBits(#[from] OutOfBits),
    /// A number that no honest peer sends.
    #[error("a number that is too large, at bit {0}")]
    Overflow(usize),
    /// An entity beyond the state's maximum.
    #[error("entity index {index} is beyond the maximum, at bit {at_bit}")]
    Index {
        /// The index.
        index: u64,
        /// Where it stands.
        at_bit: usize,
    },
    /// A difference to a state that is not there.
    #[error("entity {index} differs from a state that is not known, at bit {at_bit}")]
    NoBaseline {
        /// The entity's index.
        index: u32,
        /// Where it stands.
        at_bit: usize,
    },
    /// More entities or more words than [`Limit`] allows.
    #[error("more than a packet may tell, at bit {0}")]
    TooMuch(usize),
    /// A value above the maximum of its field.
    #[error("a value of component {component} is out of range, at bit {at_bit}")]
    Range {
        /// The component's number in the schema.
        component: u16,
        /// Where it stands.
        at_bit: usize,
    },
}

/// What a packet says of one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// It has the state whose words were appended.
    State,
    /// The same, and that was told from nothing: what is older is no baseline any more.
    Fresh,
    /// It is gone.
    Removed,
    /// It is out of view.
    Hidden,
}

/// Reads the states of entities: of those of which only values differ, first the usual ones and then the others; and last
/// all of which something else is told.
#[derive(Debug)]
pub struct EntityDecoder<'p, 'l> {
    reader: BitReader<'p>,
    layout: &'l Layout,
    /// The usual entities that are still to come.
    usual: &'l [u32],
    /// How many of them differ, before one that does not.
    run: Option<u32>,
    /// The order of the gaps, or of the runs.
    order: u32,
    list: List,
    /// The index that was read last, and what the next gap counts from.
    index: u32,
    next_index: u32,
    limit: Limit,
}

/// Which list is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Usual,
    Values,
    Others,
}

impl<'p, 'l> EntityDecoder<'p, 'l> {
    /// A reader that stands before the first entity; `usual` are those that mostly differ, upwards.
    pub fn new(mut reader: BitReader<'p>, layout: &'l Layout, usual: &'l [u32]) -> Result<Self, DecodeError> {
        let treated = !usual.is_empty() && reader.flag()?;
        let order = reader.read(GAP_ORDERS.count_ones())?;
        let (usual, list) = if treated { (usual, List::Usual) } else { (&[][..], List::Values) };
        let (limit, run) = (Limit::default(), None);
        Ok(Self { reader, layout, usual, run, order, list, index: 0, next_index: 0, limit })
    }

    /// The index of the next entity, or `None` after the last. An index comes at most once in each of the lists.
    pub fn next_index(&mut self) -> Result<Option<u32>, DecodeError> {
        while self.list == List::Usual {
            if let Some(index) = self.next_usual()? {
                self.index = index;
                return Ok(Some(index));
            }
        }
        let mut at_bit = self.reader.position();
        let mut gap = golomb(&mut self.reader, self.order)?;
        if gap == 0 && self.list == List::Values {
            self.list = List::Others;
            self.next_index = 0;
            at_bit = self.reader.position();
            gap = golomb(&mut self.reader, self.order)?;
        }
        let Some(skipped) = gap.checked_sub(1) else { return Ok(None) };
        let index = u64::from(self.next_index).saturating_add(u64::from(skipped));
        let in_range = u32::try_from(index).ok().filter(|index| *index < self.layout.schema().max_entities);
        self.index = in_range.ok_or(DecodeError::Index { index, at_bit })?;
        self.next_index = self.index.saturating_add(1);
        Ok(Some(self.index))
    }

    /// The next usual entity that differs; `None` at one that does not, and at the end, where the next list begins.
    fn next_usual(&mut self) -> Result<Option<u32>, DecodeError> {
        let Some((&index, rest)) = self.usual.split_first() else {
            self.list = List::Values;
            self.order = self.reader.read(GAP_ORDERS.count_ones())?;
            return Ok(None);
        };
        let at_bit = self.reader.position();
        let run = match self.run {
            Some(run) => run,
            None => golomb(&mut self.reader, self.order)?,
        };
        if run as usize > self.usual.len() {
            return Err(DecodeError::Overflow(at_bit));
        }
        self.usual = rest;
        self.run = run.checked_sub(1);
        Ok(self.run.map(|_| index))
    }

    /// Reads the state of the entity whose index was just read, and appends its words to `words`: the header, then
    /// the rows of its components in order. On an error `words` may have grown.
    pub fn entity<S: StateView>(
        &mut self,
        baselines: &Baselines<S>,
        words: &mut Vec<u32>,
    ) -> Result<Decoded, DecodeError> {
        let (start, at_bit) = (words.len(), self.reader.position());
        let op = if self.list == List::Others { decode_op(&mut self.reader)? } else { Op::Values };
        match op {
            Op::Removed | Op::Hidden => {}
            Op::Fresh => decode_fresh(&mut self.reader, self.layout, words)?,
            Op::Values | Op::Components | Op::Same => {
                let index = self.index;
                let confirmed = baselines.confirmed().ok_or(DecodeError::NoBaseline { index, at_bit })?;
                let moves_on = self.list == List::Usual;
                let known = (confirmed, baselines);
                decode_update(&mut self.reader, self.layout, (op, moves_on), known, words)?;
            }
        }
        let header = words.get(start..).and_then(|state| state.get(..self.layout.header_len()));
        if !self.limit.take(Limit::cost_of(self.layout, header.unwrap_or(&[]))) {
            return Err(DecodeError::TooMuch(at_bit));
        }
        Ok(match op {
            Op::Removed => Decoded::Removed,
            Op::Hidden => Decoded::Hidden,
            Op::Fresh => Decoded::Fresh,
            _ => Decoded::State,
        })
    }

    /// The reader, where it stands.
    #[must_use]
    pub fn into_reader(self) -> BitReader<'p> {
        self.reader
    }
}

/// Reads the whole state of one entity that was written by itself, and appends its words to `words`.
pub fn decode_whole(
    reader: &mut BitReader<'_>,
    layout: &Layout,
    words: &mut Vec<u32>,
) -> Result<(), DecodeError> {
    let (start, at_bit) = (words.len(), reader.position());
    decode_fresh(reader, layout, words)?;
    let header = words.get(start..).and_then(|state| state.get(..layout.header_len()));
    let fits = Limit::default().take(Limit::cost_of(layout, header.unwrap_or(&[])));
    if fits { Ok(()) } else { Err(DecodeError::TooMuch(at_bit)) }
}

/// Reads a struct that is no entity's over the earlier one in `row`, or from nothing.
pub(crate) fn decode_struct(
    reader: &mut BitReader<'_>,
    words: &[Word],
    from_nothing: bool,
    row: &mut [u32],
) -> Result<(), DecodeError> {
    if from_nothing {
        decode_new_row(reader, 0, words, row)
    } else {
        decode_row(reader, 0, words, &Forecasts::default(), row, false)
    }
}

fn decode_op(reader: &mut BitReader<'_>) -> Result<Op, DecodeError> {
    let last = Op::OTHERS.len().saturating_sub(1);
    let place = reader.unary(last as u32)? as usize;
    Ok(Op::OTHERS.get(place).copied().unwrap_or(Op::Same))
}

fn decode_update<S: StateView>(
    reader: &mut BitReader<'_>,
    layout: &Layout,
    (op, moves_on): (Op, bool),
    (confirmed, baselines): (&S, &Baselines<S>),
    words: &mut Vec<u32>,
) -> Result<(), DecodeError> {
    let header = words.len();
    words.extend_from_slice(confirmed.header());
    if op == Op::Components {
        return decode_components(reader, layout, (confirmed, baselines), header, words);
    }
    let left = layout.rows_of(confirmed.header()).map(|component| layout.parts(component)).sum();
    let forecasts = Forecasts::default();
    let mut kept = Kept { values: op == Op::Values, moves_on, left, none_yet: true, forecasts };
    for component in layout.rows_of(confirmed.header()) {
        kept.decode(reader, layout, component, &baselines.rows(component), words)?;
    }
    Ok(())
}

/// Which components come and go, the values that differ in those that stay, and the new ones from nothing. The words
/// end with the confirmed header.
fn decode_components<S: StateView>(
    reader: &mut BitReader<'_>,
    layout: &Layout,
    (confirmed, baselines): (&S, &Baselines<S>),
    header: usize,
    words: &mut Vec<u32>,
) -> Result<(), DecodeError> {
    for &component in layout.sent() {
        if reader.flag()? {
            toggle(words.get_mut(header..).unwrap_or(&mut []), component);
        }
    }
    let now = |words: &[u32], component| words.get(header..).is_some_and(|header| has(header, component));
    let values = reader.flag()?;
    let both = layout.rows_of(confirmed.header()).filter(|&component| now(words, component));
    let left = both.map(|component| layout.parts(component)).sum();
    let mut kept = Kept { values, moves_on: false, left, none_yet: true, forecasts: Forecasts::default() };
    // The new rows come after the kept ones on the wire, but in the order of components here: leave them zero
    // first, and read them in place afterwards.
    let mut confirmed_rows = layout.rows_of(confirmed.header()).peekable();
    for &component in layout.sent() {
        let confirmed = confirmed_rows.next_if_eq(&component);
        match confirmed {
            Some(_) if now(words, component) => {
                kept.decode(reader, layout, component, &baselines.rows(component), words)?;
            }
            None if now(words, component) => words.extend(repeat_n(0, layout.words(component).len())),
            _ => {}
        }
    }
    let state = words.get_mut(header..).unwrap_or(&mut []);
    let (header, mut rows) = state.split_at_mut_checked(layout.header_len()).unwrap_or_default();
    for component in layout.rows_of(header) {
        let (row, rest) = rows.split_at_mut_checked(layout.words(component).len()).unwrap_or_default();
        rows = rest;
        if !has(confirmed.header(), component) {
            decode_new_row(reader, component, layout.words(component), row)?;
        }
    }
    Ok(())
}

/// The components that both states have.
struct Kept {
    /// Whether any of them differs.
    values: bool,
    /// Whether the entity was told as one that moves on.
    moves_on: bool,
    /// How many of their parts are still to come.
    left: usize,
    /// Whether none differed so far.
    none_yet: bool,
    /// Memory for what is expected of the next.
    forecasts: Forecasts,
}

impl Kept {
    /// The next of them.
    fn decode(
        &mut self,
        reader: &mut BitReader<'_>,
        layout: &Layout,
        component: u16,
        rows: &Rows<'_>,
        words: &mut Vec<u32>,
    ) -> Result<(), DecodeError> {
        let start = words.len();
        words.extend_from_slice(rows.confirmed());
        if !self.values {
            return Ok(());
        }
        let row = words.get_mut(start..).unwrap_or(&mut []);
        let mut before = Before::default();
        for group in layout.groups(component) {
            self.left = self.left.saturating_sub(1);
            if self.moves_on || (self.left == 0 && self.none_yet) || reader.flag()? {
                self.none_yet = false;
                let (words, values) = (group.of(layout.words(component)), group.of_mut(row));
                motion::code(&mut Reading { reader, component }, group, words, rows, values, &mut before)?;
            }
        }
        if layout.parts(component) > layout.groups(component).len() {
            self.left = self.left.saturating_sub(1);
            if self.moves_on && !layout.groups(component).is_empty() {
                return Ok(());
            }
            let words = layout.others(component);
            self.forecasts.set(words, rows);
            let implied = self.left == 0 && self.none_yet && self.forecasts.rests;
            decode_row(reader, component, words, &self.forecasts, row, implied)?;
            self.none_yet &= same(words, row, rows.confirmed());
        }
        Ok(())
    }
}

/// The direction of [`motion::code`] that reads.
struct Reading<'r, 'p> {
    reader: &'r mut BitReader<'p>,
    component: u16,
}

impl Direction for Reading<'_, '_> {
    type Error = DecodeError;

    fn flag(&mut self, _: bool) -> Result<bool, DecodeError> {
        Ok(self.reader.flag()?)
    }

    fn number(&mut self, word: &Word, order: u32, foretold: u32, _: u32) -> Result<u32, DecodeError> {
        let at_bit = self.reader.position();
        let value = decode_number(self.reader, word, order.min(word.bits()), foretold, 0)?;
        in_range(word, value, self.component, at_bit)
    }
}

fn decode_fresh(
    reader: &mut BitReader<'_>,
    layout: &Layout,
    words: &mut Vec<u32>,
) -> Result<(), DecodeError> {
    let at_bit = reader.position();
    let half = golomb(reader, 2)?;
    if half > u32::MAX >> 1 {
        return Err(DecodeError::Overflow(at_bit));
    }
    let header = words.len();
    words.push(half << 1 | 1);
    words.extend(repeat_n(0, layout.mask_len()));
    for &component in layout.sent() {
        if reader.flag()? {
            toggle(words.get_mut(header..).unwrap_or(&mut []), component);
        }
    }
    for &component in layout.sent() {
        if words.get(header..).is_some_and(|header| has(header, component)) {
            let row = words.len();
            words.extend(repeat_n(0, layout.words(component).len()));
            let row = words.get_mut(row..).unwrap_or(&mut []);
            decode_new_row(reader, component, layout.words(component), row)?;
        }
    }
    Ok(())
}

fn decode_new_row(
    reader: &mut BitReader<'_>,
    component: u16,
    words: &[Word],
    row: &mut [u32],
) -> Result<(), DecodeError> {
    for (at, word) in words.iter().enumerate() {
        if !is_there(words, row, at) {
            continue;
        }
        let mut value = u32::from(reader.flag()?);
        if value != 0 && word.max > 1 {
            let at_bit = reader.position();
            value = in_range(word, reader.read(word.bits())?, component, at_bit)?;
        }
        set(row, at, value);
    }
    Ok(())
}

/// Reads a row over the earlier one in `row`. That it is not as foretold is `implied` if that is known.
fn decode_row(
    reader: &mut BitReader<'_>,
    component: u16,
    words: &[Word],
    forecasts: &Forecasts,
    row: &mut [u32],
    implied: bool,
) -> Result<(), DecodeError> {
    let read = if !forecasts.quiet {
        Read::Noisy
    } else if implied || reader.flag()? {
        Read::Differing(Trend::new(Trend::may_be_dense(words) && reader.flag()?))
    } else if forecasts.rests {
        return Ok(());
    } else {
        Read::AsForetold
    };
    decode_words(reader, component, words, forecasts, row, read)
}

/// How the words of a row are read.
enum Read {
    AsForetold,
    Noisy,
    Differing(Trend),
}

fn decode_words(
    reader: &mut BitReader<'_>,
    component: u16,
    words: &[Word],
    forecasts: &Forecasts,
    row: &mut [u32],
    mut read: Read,
) -> Result<(), DecodeError> {
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
            Read::Noisy if word.is_plain() => decode_plain(reader, word, before, false)?,
            Read::Noisy => decode_number(reader, word, noisy_order(word, bits), before, 0)?,
            Read::Differing(trend) => {
                let implied = at == last && trend.none_yet();
                let value = if word.is_plain() {
                    decode_plain(reader, word, before, implied)?
                } else if trend.dense() {
                    decode_number(reader, word, trend.order(word), before, 0)?
                } else if implied || reader.flag()? {
                    decode_number(reader, word, trend.order(word), before, 1)?
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

/// A word of which differences mean nothing.
fn decode_plain(
    reader: &mut BitReader<'_>,
    word: &Word,
    before: u32,
    implied: bool,
) -> Result<u32, DecodeError> {
    Ok(if !(implied || reader.flag()?) {
        before
    } else if word.max > 1 {
        reader.read(word.bits())?
    } else {
        before ^ word.max
    })
}

fn set(row: &mut [u32], at: usize, value: u32) {
    if let Some(place) = row.get_mut(at) {
        *place = value;
    }
}

/// The value that a difference leads to, or the value itself; `least` is the smallest difference.
fn decode_number(
    reader: &mut BitReader<'_>,
    word: &Word,
    order: u32,
    before: u32,
    least: u32,
) -> Result<u32, DecodeError> {
    let Some(limit) = escape(word.bits(), order) else { return Ok(reader.read(word.bits())?) };
    let at_bit = reader.position();
    let ones = reader.unary(limit)?;
    if ones == limit {
        return Ok(reader.read(word.bits())?);
    }
    let difference = golomb_number(reader, order, ones, at_bit)?.saturating_add(u64::from(least));
    let value = apart(before, u32::try_from(difference).map_err(|_| DecodeError::Overflow(at_bit))?);
    Ok(if word.kind == WordKind::Wrapping { value & word.max } else { value })
}

fn in_range(word: &Word, value: u32, component: u16, at_bit: usize) -> Result<u32, DecodeError> {
    if value <= word.max { Ok(value) } else { Err(DecodeError::Range { component, at_bit }) }
}

/// A number by the exp-Golomb code of an order, of at most 32 bits.
pub(crate) fn golomb(reader: &mut BitReader<'_>, order: u32) -> Result<u32, DecodeError> {
    let at_bit = reader.position();
    let ones = reader.unary(u32::BITS)?;
    let number = golomb_number(reader, order, ones, at_bit)?;
    u32::try_from(number).map_err(|_| DecodeError::Overflow(at_bit))
}

/// What follows the unary prefix of an exp-Golomb code that begins at `at_bit`.
fn golomb_number(
    reader: &mut BitReader<'_>,
    order: u32,
    ones: u32,
    at_bit: usize,
) -> Result<u64, DecodeError> {
    let bits = order.saturating_add(ones);
    if bits > u32::BITS {
        return Err(DecodeError::Overflow(at_bit));
    }
    let shifted = 1u64 << bits | u64::from(reader.read(bits)?);
    Ok(shifted.saturating_sub(1 << order))
}
