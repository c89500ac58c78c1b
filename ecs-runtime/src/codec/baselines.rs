//! The states of an entity that both sides know: what a new one is told as the difference to, and foretold from.

use super::layout::{Layout, StateView, has};
use crate::schema::WordKind;

/// So many of an entity's newest states foretell the next. More gain nothing that was measured.
pub const BASELINES: usize = 6;

/// States this many ticks before the newest one foretell nothing.
pub const BASELINE_SPAN: u32 = 32;

/// The newest states of an entity that both sides know, each from another tick; the first is its confirmed state.
#[derive(Clone, Debug)]
pub struct Baselines<S> {
    ages: [u32; BASELINES],
    states: [Option<S>; BASELINES],
    len: usize,
}

impl<S> Default for Baselines<S> {
    fn default() -> Self {
        Self { ages: [0; BASELINES], states: [const { None }; BASELINES], len: 0 }
    }
}

impl<S> Baselines<S> {
    /// The one state that is known, `age` ticks old; nothing if there is none.
    #[must_use]
    pub fn of(age: u32, state: Option<S>) -> Self {
        let mut baselines = Self::default();
        if let Some(state) = state {
            baselines.push(age, state);
        }
        baselines
    }

    /// Adds a state that is older than those before it; `age` is in ticks, from the tick of the packet. Beyond
    /// [`BASELINES`] it is left out.
    pub fn push(&mut self, age: u32, state: S) {
        if let (Some(place), Some(age_of)) = (self.states.get_mut(self.len), self.ages.get_mut(self.len)) {
            (*place, *age_of) = (Some(state), age);
            self.len += 1;
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The confirmed state, if there is one.
    #[must_use]
    pub fn confirmed(&self) -> Option<&S> {
        self.states.first()?.as_ref()
    }
}

/// The words of one component in the states that both sides know, the newest first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    ages: [u32; BASELINES],
    rows: [&'a [u32]; BASELINES],
    len: usize,
}

impl<S: StateView> Baselines<S> {
    /// The words of a component, back to the state that does not have it.
    pub(super) fn rows(&self, component: u16) -> Rows<'_> {
        let mut rows = [&[][..]; BASELINES];
        let len = S::column(&self.states[..self.len], component, &mut rows);
        Rows { ages: self.ages, rows, len }
    }
}

/// So many of the newest states tell how fast an entity was.
pub const PACE_STATES: usize = 2;

/// How fast an entity was lately: a class from 0 to 7, the logarithm of how far its numbers are from those before.
#[must_use]
pub fn pace<S: StateView>(layout: &Layout, baselines: &Baselines<S>) -> u8 {
    let mut states = baselines.states.iter().flatten();
    let (Some(newest), Some(before)) = (states.next(), states.next()) else { return 0 };
    let mut way = 0u32;
    for component in layout.rows_of(newest.header()).filter(|component| has(before.header(), *component)) {
        let rows = newest.row(component).iter().zip(before.row(component));
        for (word, (newest, before)) in layout.words(component).iter().zip(rows) {
            let far = match word.kind {
                _ if newest == before => 0,
                WordKind::Number | WordKind::Wrapping if word.max > 3 => {
                    word.signed_difference(*before, *newest).unsigned_abs()
                }
                // Another choice is as good as any.
                _ => 64,
            };
            way = way.saturating_add(far);
        }
    }
    (way.saturating_add(1).ilog2()).min(7) as u8
}

impl<'a> Rows<'a> {
    /// Words with their ages, the newest first.
    #[cfg(test)]
    pub(super) fn of(known: impl Iterator<Item = (u32, &'a [u32])>) -> Self {
        let mut rows = Rows { ages: [0; BASELINES], rows: [&[]; BASELINES], len: 0 };
        for (age, row) in known {
            (rows.ages[rows.len], rows.rows[rows.len]) = (age, row);
            rows.len += 1;
        }
        rows
    }

    /// The confirmed words.
    #[inline]
    pub(super) fn confirmed(&self) -> &'a [u32] {
        self.rows[0]
    }

    /// How many ticks old they are, the newest first.
    #[inline]
    pub(super) fn ages(&self) -> &[u32] {
        self.ages.get(..self.len).unwrap_or(&[])
    }

    /// The words, the newest first; the oldest stand for those that are missing.
    #[inline]
    pub(super) fn filled(&self) -> [&'a [u32]; BASELINES] {
        let oldest = self.rows[self.len.saturating_sub(1)];
        core::array::from_fn(|at| if at < self.len { self.rows[at] } else { oldest })
    }

    /// Whether nothing has changed as far as is known.
    #[inline]
    pub(super) fn rest(&self) -> bool {
        let confirmed = self.confirmed();
        // What did not change is mostly the same memory.
        let known = self.rows.iter().take(self.len).skip(1);
        known.into_iter().all(|row| core::ptr::eq(*row, confirmed) || *row == confirmed)
    }

    /// Whether the last change that is known left a part of the words as it was.
    #[inline]
    pub(super) fn rested<'g>(&self, of: impl Fn(&'a [u32]) -> &'g [u32]) -> bool
    where
        'a: 'g,
    {
        match self.rows.get(..self.len) {
            Some([newest, before, ..]) => of(newest) == of(before),
            Some([]) => true,
            _ => false,
        }
    }
}
