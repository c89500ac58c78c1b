//! The states of entities.

use std::collections::BTreeMap;

use ecs_runtime::schema::WordKind;

use super::model::Model;
use super::number::signed_difference;

/// The state of an entity: its generation, and the words of its components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) generation: u32,
    pub(crate) rows: BTreeMap<u16, Vec<u32>>,
}

/// One entity: its states that both sides know, with their ages in ticks, the newest first; and what it is now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) known: Vec<(u32, State)>,
    pub(crate) now: Option<State>,
    /// Whether it is there, but out of view; then there is nothing now.
    pub(crate) is_hidden: bool,
}

/// So many states foretell the next one.
const KNOWN: usize = 6;

impl Entry {
    /// The state that the other side confirmed.
    pub(crate) fn confirmed(&self) -> Option<&State> {
        self.known.first().map(|(_, state)| state)
    }

    /// The words of a component with their ages, the newest first, back to the state that does not have it.
    pub(super) fn past(&self, component: u16) -> Vec<(u32, &[u32])> {
        let mut past = Vec::new();
        for (age, state) in self.known.iter().take(KNOWN) {
            match state.rows.get(&component) {
                Some(row) => past.push((*age, &row[..])),
                None => break,
            }
        }
        past
    }

    /// The pace: the logarithm of how far all numbers went between the two newest states, at most 7. What is no number, or
    /// a small one, counts as 64.
    pub(crate) fn pace(&self, model: &Model) -> u8 {
        let [(_, newest), (_, before), ..] = &self.known[..] else { return 0 };
        let mut way = 0;
        for (component, row) in &newest.rows {
            let Some(before) = before.rows.get(component) else { continue };
            for (at, word) in model.components[usize::from(*component)].words.iter().enumerate() {
                let is_number = matches!(word.kind, WordKind::Number | WordKind::Wrapping) && word.max > 3;
                way += match signed_difference(word, before[at], row[at]) {
                    0 => 0,
                    far if is_number => far.abs(),
                    _ => 64,
                };
            }
        }
        let mut pace = 0;
        while pace < 7 && way + 1 >= 2 << pace {
            pace += 1;
        }
        pace
    }
}
