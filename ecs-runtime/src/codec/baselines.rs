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
    times: Times,
    oldest: u32,
    states: [Option<S>; BASELINES],
    len: usize,
}

/// When states were told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// How many ticks each came after the one before it, the newest first, from 1 to 64; 1 where there is none.
    pub(super) ticks: [u32; STEPS],
    /// How many ticks ago the newest was told, from 1 to 64.
    pub(super) horizon: u32,
}

/// The steps between states.
pub(super) const STEPS: usize = BASELINES - 1;

/// What is older says as little.
const MAX_TICKS: u32 = 64;

impl<S> Default for Baselines<S> {
    fn default() -> Self {
        let times = Times { ticks: [1; STEPS], horizon: 1 };
        Self { times, oldest: 0, states: [const { None }; BASELINES], len: 0 }
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
        let Some(place) = self.states.get_mut(self.len) else { return };
        *place = Some(state);
        match self.len.checked_sub(1).and_then(|step| self.times.ticks.get_mut(step)) {
            Some(ticks) => *ticks = age.saturating_sub(self.oldest).clamp(1, MAX_TICKS),
            None => self.times.horizon = age.clamp(1, MAX_TICKS),
        }
        self.oldest = age;
        self.len += 1;
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
    times: Times,
    /// The oldest stands for those that are missing.
    rows: [&'a [u32]; BASELINES],
    len: usize,
}

impl<S: StateView> Baselines<S> {
    /// The words of a component, back to the state that does not have it.
    pub(super) fn rows(&self, component: u16) -> Rows<'_> {
        let mut rows = [&[][..]; BASELINES];
        let len = S::column(&self.states[..self.len], component, &mut rows);
        if let Some((oldest, missing)) =
            rows.get_mut(len.saturating_sub(1)..).and_then(<[_]>::split_first_mut)
        {
            missing.fill(oldest);
        }
        Rows { times: self.times, rows, len }
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
    /// The confirmed words.
    #[inline]
    pub(super) fn confirmed(&self) -> &'a [u32] {
        self.rows[0]
    }

    /// When they were told.
    #[inline]
    pub(super) fn times(&self) -> &Times {
        &self.times
    }

    /// How many steps between them are known.
    #[inline]
    pub(super) fn steps(&self) -> usize {
        self.len.saturating_sub(1)
    }

    /// The words, the newest first; the oldest stand for those that are missing.
    #[inline]
    pub(super) fn filled(&self) -> &[&'a [u32]; BASELINES] {
        &self.rows
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
