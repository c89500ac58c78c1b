//! The words of a component that are in no group.

use ecs_runtime::schema::{Word, WordKind};

use super::Refused;
use super::contexts::NEW;
use super::forecast::{Forecast, foretell};
use super::line::Line;
use super::model::Component;
use super::number::{How, bits_of, code_number, in_range, is_plain, is_there, signed_difference, word_bits};

/// A row from nothing.
pub(super) fn code_new(
    line: &mut impl Line,
    component: &Component,
    told: Option<&[u32]>,
) -> Result<Vec<u32>, Refused> {
    let words = component.words;
    let mut row = vec![0; words.len()];
    for (at, word) in words.iter().enumerate() {
        if !is_there(words, &row, at) {
            continue;
        }
        let told = told.map(|told| told[at]);
        if line.decide(NEW, told.map(|value| value > 0))? {
            row[at] = if word.max == 1 { 1 } else { in_range(word, line.bits(word_bits(word), told)?)? };
        }
    }
    Ok(row)
}

/// What is expected of the words of a row; those in groups have nothing to tell.
pub(super) struct Expected {
    words: Vec<Forecast>,
    /// Whether all are expected to be exactly so.
    quiet: bool,
    /// Whether all are expected to stay.
    pub(super) rests: bool,
}

impl Expected {
    pub(super) fn new(component: &Component, past: &[(u32, &[u32])]) -> Self {
        let mut words = Vec::new();
        for (at, word) in component.words.iter().enumerate() {
            let newest = past[0].1[at];
            let stays = Forecast { value: newest, bits: 0, rests: true };
            words.push(if component.is_other(at) { foretell(word, at, past) } else { stays });
        }
        let quiet = words.iter().all(|word| word.bits == 0);
        let rests = words.iter().all(|word| word.rests);
        Self { words, quiet, rests }
    }
}

/// Codes the words of a row that are in no group over what is there; `is_known_to_differ` is whether the other side
/// knows that not all is as it was.
pub(super) fn code(
    line: &mut impl Line,
    component: &Component,
    expected: &Expected,
    row: &mut [u32],
    told: Option<&[u32]>,
    is_known_to_differ: bool,
) -> Result<(), Refused> {
    let words = component.words;
    let mut writing = if !expected.quiet {
        Writing::Noisy
    } else {
        let differs = told.map(|told| !holds(component, expected, told));
        if is_known_to_differ || line.decide(component.differs(expected.rests), differs)? {
            let may_be_dense = (0..words.len()).filter(|at| is_number(component, *at)).count() >= 2;
            let dense = told.map(|told| is_dense(component, expected, told));
            let dense = may_be_dense && line.decide(component.dense(), dense)?;
            Writing::Differing { dense, order: if dense { 5 } else { 3 }, none_yet: true }
        } else {
            Writing::AsForetold
        }
    };
    for (at, word) in words.iter().enumerate() {
        if !component.is_other(at) {
            continue;
        }
        if !is_there(words, row, at) {
            row[at] = 0;
            continue;
        }
        let Forecast { value: foretold, bits, .. } = expected.words[at];
        let told = told.map(|told| told[at]);
        let differs = told.map(|value| value != foretold);
        row[at] = match &mut writing {
            Writing::AsForetold => foretold,
            Writing::Noisy if is_plain(word) => {
                let differs = line.decide(component.word(at, false), differs)?;
                code_plain(line, word, differs, foretold, told)?
            }
            Writing::Noisy => {
                let how = How { order: bits.min(word_bits(word)), class: None, least: 0 };
                code_number(line, word, how, foretold, told)?
            }
            Writing::Differing { dense, order, none_yet } => {
                let is_dense_number = *dense && !is_plain(word);
                // If none before the last one differs, that does.
                let is_known = *none_yet && at == words.len() - 1;
                let differs =
                    is_dense_number || is_known || line.decide(component.word(at, true), differs)?;
                let least = u64::from(!is_dense_number);
                let how = How { order: (*order).min(word_bits(word)), class: None, least };
                let value = if is_plain(word) {
                    code_plain(line, word, differs, foretold, told)?
                } else if differs {
                    code_number(line, word, how, foretold, told)?
                } else {
                    foretold
                };
                *none_yet &= value == foretold;
                *order = order_after(*order, word, foretold, value);
                value
            }
        };
    }
    Ok(())
}

/// How the words of a row are written.
enum Writing {
    AsForetold,
    Noisy,
    Differing {
        /// Whether numbers that do not differ are told as a difference of zero.
        dense: bool,
        /// About how many bits differences have lately.
        order: u32,
        none_yet: bool,
    },
}

fn is_number(component: &Component, at: usize) -> bool {
    component.is_other(at) && !is_plain(&component.words[at])
}

fn holds(component: &Component, expected: &Expected, told: &[u32]) -> bool {
    (0..told.len()).all(|at| {
        let is_told = component.is_other(at) && is_there(component.words, told, at);
        !is_told || told[at] == expected.words[at].value
    })
}

/// Whether at most one number of six is as foretold.
fn is_dense(component: &Component, expected: &Expected, told: &[u32]) -> bool {
    let (mut numbers, mut as_foretold) = (0, 0);
    for (at, value) in told.iter().enumerate() {
        if is_number(component, at) && is_there(component.words, told, at) {
            numbers += 1;
            as_foretold += if *value == expected.words[at].value { 1 } else { 0 };
        }
    }
    as_foretold * 6 <= numbers
}

/// The value of a word whose differences mean nothing.
fn code_plain(
    line: &mut impl Line,
    word: &Word,
    differs: bool,
    foretold: u32,
    told: Option<u32>,
) -> Result<u32, Refused> {
    match (differs, word.max) {
        (false, _) => Ok(foretold),
        (true, 1) => Ok(1 - foretold),
        (true, _) => in_range(word, line.bits(word_bits(word), told)?),
    }
}

/// The order of differences after a word: that of its own difference, or one less than it was. After a choice that
/// changed, or a small number that went far, anything may follow.
fn order_after(order: u32, word: &Word, foretold: u32, value: u32) -> u32 {
    let bits = bits_of(signed_difference(word, foretold, value).unsigned_abs());
    if word.max == 1 || word.kind == WordKind::Pattern {
        order
    } else if !is_plain(word) {
        bits.max(order.min(word_bits(word)).saturating_sub(1))
    } else if bits > 0 && (word.kind == WordKind::Choice || bits + 1 >= word_bits(word)) {
        u32::BITS
    } else {
        order
    }
}
