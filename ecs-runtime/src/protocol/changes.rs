//! What happened to the entities that a client knows, one thing after the other.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use std::collections::VecDeque;

use super::views::FlatView;
use crate::codec::{Layout, StateView as _, has};
use crate::world::ComponentId;
use crate::{Entity, Tick};

/// One thing that happened to an entity, as far as the client was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The tick of the state that told it.
    pub tick: Tick,
    /// Whom it happened to: the server's handle.
    pub entity: Entity,
    /// What happened.
    pub what: ChangeKind,
}

/// What happened to an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It came into view, or into being; its components follow, each as added.
    Appeared,
    /// It has a component that it had not.
    Added(ComponentId),
    /// A component has other values.
    Changed(ComponentId),
    /// It has a component no more.
    Removed(ComponentId),
    /// A component came and went in between: the state that had it was overtaken by a later one on the way, and is not
    /// shown.
    Passed(ComponentId),
    /// It is not known any more; of its components nothing is said.
    Vanished(Vanished),
}

/// Why an entity is not known any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vanished {
    /// It was destroyed.
    Destroyed,
    /// It is out of the client's view.
    OutOfView,
    /// The client began to connect anew.
    Disconnected,
}

/// Changes that wait to be taken.
#[derive(Debug, Default)]
pub(super) struct Changes {
    waiting: VecDeque<Change>,
    dropped: u64,
}

/// The most changes that wait; the oldest give way, and are counted.
const MAX_WAITING: usize = 1 << 14;

impl Changes {
    /// Takes note of what leads from one newest state of an entity to the next; no words if it is not there.
    pub(super) fn note(
        &mut self,
        layout: &Layout,
        (index, tick): (u32, Tick),
        [before, now]: [&[u32]; 2],
        why: Vanished,
    ) {
        let entity = |words: &[u32]| words.first().and_then(|&generation| Entity::new(index, generation));
        let (old, new) = (entity(before), entity(now));
        if let Some(entity) = old.filter(|_| old != new) {
            // Another in its place: this one was destroyed.
            let why = if new.is_some() { Vanished::Destroyed } else { why };
            self.push(Change { tick, entity, what: ChangeKind::Vanished(why) });
        }
        let Some(entity) = new else { return };
        let before = if old == new { before } else { &[] };
        if before.is_empty() {
            self.push(Change { tick, entity, what: ChangeKind::Appeared });
        }
        let (old, new) = (FlatView::new(layout, before), FlatView::new(layout, now));
        for component in layout.rows_of(old.header()).filter(|&component| !has(new.header(), component)) {
            self.push(Change { tick, entity, what: ChangeKind::Removed(ComponentId(component)) });
        }
        let mut old_rows = old.rows(layout).peekable();
        for (component, row) in new.rows(layout) {
            while old_rows.next_if(|(other, _)| *other < component).is_some() {}
            let what = match old_rows.next_if(|(other, _)| *other == component) {
                None => ChangeKind::Added(ComponentId(component)),
                Some((_, before)) if before != row => ChangeKind::Changed(ComponentId(component)),
                Some(_) => continue,
            };
            self.push(Change { tick, entity, what });
        }
    }

    /// Takes note of what only a state had that is not shown, because the newest is of a later tick; `before` is the one
    /// before it.
    pub(super) fn note_late(
        &mut self,
        layout: &Layout,
        (index, tick): (u32, Tick),
        [before, late, newest]: [&[u32]; 3],
    ) {
        let Some(entity) = late.first().and_then(|&generation| Entity::new(index, generation)) else {
            return;
        };
        let [before, late, newest] = [before, late, newest].map(|words| FlatView::new(layout, words));
        let of_this = |view: &FlatView<'_>| view.header().first() == late.header().first();
        for (component, row) in late.rows(layout) {
            let was_so = of_this(&before) && has(before.header(), component) && before.row(component) == row;
            let is_there = of_this(&newest) && has(newest.header(), component);
            if !was_so && !is_there {
                self.push(Change { tick, entity, what: ChangeKind::Passed(ComponentId(component)) });
            }
        }
    }

    fn push(&mut self, change: Change) {
        if self.waiting.len() == MAX_WAITING {
            self.waiting.pop_front();
            self.dropped += 1;
        }
        self.waiting.push_back(change);
    }

    /// Takes all, oldest first.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Change> + '_ {
        self.waiting.drain(..)
    }

    /// How many gave way.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }
}
