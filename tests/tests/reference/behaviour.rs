//! How the words of a component change from one state to the next: at rest, at a speed, in steps, or at random.

use ecs_runtime::schema::{Word, WordKind};

use crate::chance::Chance;
use crate::codec::model::Component;
use crate::codec::number::{is_plain, is_there};

/// How one word changes.
#[derive(Clone, Copy, Debug)]
enum Change {
    Stays,
    /// So much in so many ticks.
    Moves(i64, i64),
    /// So much with each state.
    Steps(i64),
    /// About so much either way.
    Trembles(i64),
    /// Now and then to anything.
    Jumps,
}

/// How a component changes.
#[derive(Clone, Debug)]
pub(crate) struct Behaviour {
    changes: Vec<Change>,
}

impl Behaviour {
    pub(crate) fn random(chance: &mut Chance, component: &Component) -> Self {
        let (mood, beside) = (chance.below(8), chance.below(3));
        let change = |at: usize, chance: &mut Chance| {
            let word = &component.words[at];
            if is_plain(word) {
                return if chance.one_in(3) { Change::Jumps } else { Change::Stays };
            }
            // Mostly all of a component changes alike, and what is beside a group not at all.
            let mood = if mood > 5 { chance.below(5) } else { mood };
            match mood {
                _ if component.is_other(at) && !component.groups.is_empty() && beside > 0 => Change::Stays,
                0 => Change::Stays,
                1 | 2 => Change::Moves(speed(word, chance), chance.pick(&[1, 1, 2, 5, 7])),
                3 => Change::Steps(speed(word, chance)),
                4 => Change::Trembles(chance.of_bits(word.bits())),
                _ => Change::Jumps,
            }
        };
        Self { changes: (0..component.words.len()).map(|at| change(at, chance)).collect() }
    }

    /// The next row, so many ticks after one at a tick.
    pub(crate) fn next(
        &self,
        chance: &mut Chance,
        words: &[Word],
        row: &[u32],
        (tick, ticks): (i64, i64),
    ) -> Vec<u32> {
        let mut next = vec![0; words.len()];
        for (at, word) in words.iter().enumerate() {
            if !is_there(words, &next, at) {
                continue;
            }
            let value = i64::from(row[at]);
            let value = match self.changes[at] {
                _ if !is_there(words, row, at) => any_value(chance, word).into(),
                Change::Stays => value,
                Change::Moves(way, time) => {
                    value + (way * (tick + ticks)).div_euclid(time) - (way * tick).div_euclid(time)
                }
                Change::Steps(step) => value + step,
                Change::Trembles(size) => value + chance.within(-size, size),
                Change::Jumps if chance.one_in(5) => any_value(chance, word).into(),
                Change::Jumps => value,
            };
            next[at] = match word.kind {
                WordKind::Wrapping => value.rem_euclid(i64::from(word.max) + 1),
                _ => value.clamp(0, i64::from(word.max)),
            } as u32;
        }
        next
    }
}

/// Any row.
pub(crate) fn any_row(chance: &mut Chance, words: &[Word]) -> Vec<u32> {
    let mut row = vec![0; words.len()];
    for (at, word) in words.iter().enumerate() {
        if is_there(words, &row, at) {
            row[at] = any_value(chance, word);
        }
    }
    row
}

fn any_value(chance: &mut Chance, word: &Word) -> u32 {
    let value = match chance.below(8) {
        0 => 0,
        1 => word.max.into(),
        2 => chance.of_bits(word.bits()).min(word.max.into()),
        3 => i64::from(word.max / 2),
        _ => chance.within(0, word.max.into()),
    };
    value as u32
}

fn speed(word: &Word, chance: &mut Chance) -> i64 {
    let way = chance.of_bits(word.bits() - 2);
    if chance.one_in(2) { way } else { -way }
}
