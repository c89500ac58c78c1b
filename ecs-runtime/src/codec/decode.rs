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

use super::bits::OutOfBits;
use super::contexts::{COMES, GENERATION, HAS, OP, ORDER, OTHERS, TREATED, VALUES, lowered};
use super::decode_row::{Reading, decode_new_row, decode_row, golomb};
use super::forecast::{Forecasts, same};
use super::layout::{StateView, has, toggle};
use super::list::{GAP_ORDERS, Gaps, runs_context, usual_context};
use super::motion::{self, Vector};
use super::read::Decode;
use super::{Baselines, Layout, Limit, Op};

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
pub struct EntityDecoder<'l, R, P> {
    reader: R,
    layout: &'l Layout,
    /// The usual entities that are still to come.
    usual: &'l [u32],
    pace: P,
    /// How many of them differ, before one that does not.
    run: Option<u32>,
    /// The order of the gaps, or of the runs.
    order: u32,
    list: List,
    /// The index that was read last, and where the gaps stand.
    index: u32,
    gaps: Gaps,
    /// The usual entities that were told, upwards, and how many of them are left behind.
    told: Vec<u32>,
    passed: usize,
    limit: Limit,
}

/// Which list is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Usual,
    Values,
    Others,
}

impl<'l, R: Decode, P: FnMut(u32) -> u8> EntityDecoder<'l, R, P> {
    /// A reader that stands before the first entity; `usual` are those that mostly differ, upwards. `pace` tells the
    /// [`pace`](super::pace) of one of them, and is asked where decisions are modelled.
    pub fn new(mut reader: R, layout: &'l Layout, usual: &'l [u32], pace: P) -> Result<Self, DecodeError> {
        let treated = !usual.is_empty() && reader.decide(TREATED)?;
        let has_order = !(treated && R::MODELLED);
        let order = if has_order { decode_order(&mut reader)? } else { 0 };
        let (usual, list) = if treated { (usual, List::Usual) } else { (&[][..], List::Values) };
        let (limit, run) = (Limit::default(), None);
        let (gaps, told) = (Gaps::default(), Vec::new());
        Ok(Self { reader, layout, usual, pace, run, order, list, index: 0, gaps, told, passed: 0, limit })
    }

    /// The same in the memory of an earlier one.
    #[must_use]
    pub fn reusing(mut self, mut memory: Vec<u32>) -> Self {
        memory.clear();
        self.told = memory;
        self
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
        let mut gap = self.gap()?;
        if gap == 0 && self.list == List::Values {
            self.list = List::Others;
            (self.gaps, self.passed) = (Gaps::default(), 0);
            if !self.reader.decide(OTHERS)? {
                return Ok(None);
            }
            at_bit = self.reader.position();
            gap = self.gap()?;
        }
        let Some(skipped) = gap.checked_sub(1) else { return Ok(None) };
        let mut index = u64::from(self.gaps.next).saturating_add(u64::from(skipped));
        // Those that were told already are not counted.
        while let Some(told) = self.told.get(self.passed).filter(|told| u64::from(**told) <= index) {
            index = index.saturating_add(u64::from(*told >= self.gaps.next));
            self.passed = self.passed.saturating_add(1);
        }
        let in_range = u32::try_from(index).ok().filter(|index| *index < self.layout.schema().max_entities);
        self.index = in_range.ok_or(DecodeError::Index { index, at_bit })?;
        self.gaps.went(self.index, gap);
        Ok(Some(self.index))
    }

    fn gap(&mut self) -> Result<u32, DecodeError> {
        let order = if R::MODELLED { lowered(self.order) } else { self.order };
        golomb(&mut self.reader, self.gaps.code(self.order), order)
    }

    /// The next usual entity that differs; `None` at one that does not, and at the end, where the next list begins.
    fn next_usual(&mut self) -> Result<Option<u32>, DecodeError> {
        let Some((&index, rest)) = self.usual.split_first() else {
            self.list = List::Values;
            self.order = decode_order(&mut self.reader)?;
            return Ok(None);
        };
        if R::MODELLED {
            self.usual = rest;
            let pace = (self.pace)(index);
            let differs = self.reader.decide(usual_context(Some(&pace)))?;
            if differs {
                self.told.push(index);
            }
            return Ok(differs.then_some(index));
        }
        let at_bit = self.reader.position();
        let run = match self.run {
            Some(run) => run,
            None => golomb(&mut self.reader, runs_context(self.order), self.order)?,
        };
        if run as usize > self.usual.len() {
            return Err(DecodeError::Overflow(at_bit));
        }
        self.usual = rest;
        self.run = run.checked_sub(1);
        if self.run.is_some() {
            self.told.push(index);
        }
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

    /// The reader, where it stands, and the memory.
    #[must_use]
    pub fn into_parts(self) -> (R, Vec<u32>) {
        (self.reader, self.told)
    }
}

/// Reads the whole state of one entity that was written by itself, and appends its words to `words`.
pub fn decode_whole(
    reader: &mut impl Decode,
    layout: &Layout,
    words: &mut Vec<u32>,
) -> Result<(), DecodeError> {
    let (start, at_bit) = (words.len(), reader.position());
    decode_fresh(reader, layout, words)?;
    let header = words.get(start..).and_then(|state| state.get(..layout.header_len()));
    let fits = Limit::default().take(Limit::cost_of(layout, header.unwrap_or(&[])));
    if fits { Ok(()) } else { Err(DecodeError::TooMuch(at_bit)) }
}

fn decode_order<R: Decode>(reader: &mut R) -> Result<u32, DecodeError> {
    let order =
        if R::MODELLED { reader.unary(ORDER, GAP_ORDERS)? } else { reader.bits(GAP_ORDERS.count_ones())? };
    Ok(order)
}

fn decode_op(reader: &mut impl Decode) -> Result<Op, DecodeError> {
    let last = Op::OTHERS.len().saturating_sub(1);
    let place = reader.unary(OP, last as u32)? as usize;
    Ok(Op::OTHERS.get(place).copied().unwrap_or(Op::Same))
}

fn decode_update<S: StateView>(
    reader: &mut impl Decode,
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
        kept.decode(reader, layout, component, baselines, words)?;
    }
    Ok(())
}

/// Which components come and go, the values that differ in those that stay, and the new ones from nothing. The words
/// end with the confirmed header.
fn decode_components<S: StateView>(
    reader: &mut impl Decode,
    layout: &Layout,
    (confirmed, baselines): (&S, &Baselines<S>),
    header: usize,
    words: &mut Vec<u32>,
) -> Result<(), DecodeError> {
    for &component in layout.sent() {
        if reader.decide(COMES)? {
            toggle(words.get_mut(header..).unwrap_or(&mut []), component);
        }
    }
    let now = |words: &[u32], component| words.get(header..).is_some_and(|header| has(header, component));
    let values = reader.decide(VALUES)?;
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
                kept.decode(reader, layout, component, baselines, words)?;
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
    fn decode<S: StateView>(
        &mut self,
        reader: &mut impl Decode,
        layout: &Layout,
        component: u16,
        baselines: &Baselines<S>,
        words: &mut Vec<u32>,
    ) -> Result<(), DecodeError> {
        let start = words.len();
        if !self.values {
            words.extend_from_slice(baselines.confirmed().map_or(&[], |confirmed| confirmed.row(component)));
            return Ok(());
        }
        let rows = &baselines.rows(component);
        words.extend_from_slice(rows.confirmed());
        let row = words.get_mut(start..).unwrap_or(&mut []);
        let (mut before, contexts) = (Vector::default(), layout.contexts(component));
        for group in layout.groups(component) {
            let words = group.of(layout.words(component));
            self.left = self.left.saturating_sub(1);
            let implied = self.moves_on || (self.left == 0 && self.none_yet);
            let context = contexts.word(group.start(), rows.rested(|row| group.of(row)));
            if implied || reader.decide(context)? {
                self.none_yet = false;
                let mut from = Reading { reader, component, orders: layout.orders() };
                motion::code(&mut from, group, words, rows, group.of_mut(row), &mut before)?;
            } else {
                motion::skip(group, words, group.of(row), &mut before);
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
            decode_row(reader, (component, contexts), words, &self.forecasts, row, implied)?;
            self.none_yet &= same(words, row, rows.confirmed());
        }
        Ok(())
    }
}

fn decode_fresh(reader: &mut impl Decode, layout: &Layout, words: &mut Vec<u32>) -> Result<(), DecodeError> {
    let at_bit = reader.position();
    let half = golomb(reader, GENERATION, 2)?;
    if half > u32::MAX >> 1 {
        return Err(DecodeError::Overflow(at_bit));
    }
    let header = words.len();
    words.push(half << 1 | 1);
    words.extend(repeat_n(0, layout.mask_len()));
    for &component in layout.sent() {
        if reader.decide(HAS)? {
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
