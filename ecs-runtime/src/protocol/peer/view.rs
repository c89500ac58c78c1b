//! What a client may see: which entities, and of which it sees everything.

use std::collections::VecDeque;

use crate::Tick;
use crate::codec::Layout;
use crate::protocol::IndexSet;
use crate::snapshot::{History, Sight, StateHash};

/// What one client may see.
#[derive(Debug, Default)]
pub(in crate::protocol) struct View {
    /// What the game wants it to see from the next capture on; everything if `None`.
    pub(in crate::protocol) wanted: Option<IndexSet>,
    /// What it sees since the newest capture.
    seen: Option<IndexSet>,
    /// Memory of `seen` while it sees everything.
    spare: IndexSet,
    /// What it owns since the newest capture, and what it owned before.
    pub(in crate::protocol) owned: IndexSet,
    was_owned: IndexSet,
    /// Whether owners see more than others.
    has_owner_only: bool,
    /// By tick: the hash of what it may see.
    hashes: VecDeque<(Tick, StateHash)>,
}

impl View {
    /// A client that sees everything from the next capture on, and owns nothing.
    pub(super) fn begin(&mut self, layout: &Layout) {
        self.wanted = None;
        self.spare = self.seen.take().unwrap_or_else(|| core::mem::take(&mut self.spare));
        self.owned.clear();
        self.was_owned.clear();
        self.has_owner_only = layout.has_owner_only();
        self.hashes.clear();
    }

    /// Owns nothing until it is told what.
    pub(in crate::protocol) fn begin_owning(&mut self) {
        core::mem::swap(&mut self.owned, &mut self.was_owned);
        self.owned.clear();
    }

    /// What is wanted and owned holds for the tick that was just captured, and until the next is. Entities of which the
    /// client may see something else than before are added to `changed`.
    pub(in crate::protocol) fn latch(&mut self, history: &History, kept: usize, changed: &mut IndexSet) {
        let Some(latest) = history.latest() else { return };
        if self.has_owner_only {
            changed.insert_differences(&self.owned, &self.was_owned);
        }
        match (&self.wanted, &mut self.seen) {
            (Some(wanted), Some(seen)) => {
                changed.insert_differences(wanted, seen);
                seen.copy_from(wanted);
            }
            (Some(wanted), None) => {
                changed.insert_below(history.end());
                self.spare.copy_from(wanted);
                self.seen = Some(core::mem::take(&mut self.spare));
            }
            (None, Some(_)) => {
                changed.insert_below(history.end());
                self.spare = self.seen.take().unwrap_or_default();
            }
            (None, None) => {}
        }
        let hash = |index, sight| history.entity_hash(index, sight);
        let hash = match &self.seen {
            None if !self.has_owner_only => latest.hash(),
            None => self.owned.iter().fold(latest.public_hash(), |sum, index| {
                sum.without(hash(index, Sight::Public)).with(hash(index, Sight::Owner))
            }),
            Some(seen) => {
                seen.iter().fold(StateHash::default(), |sum, index| sum.with(hash(index, self.sight(index))))
            }
        };
        while self.hashes.len() >= kept.max(1) {
            self.hashes.pop_front();
        }
        self.hashes.push_back((latest.tick(), hash));
    }

    /// Whether there was a capture since it began.
    pub(in crate::protocol) fn is_settled(&self) -> bool {
        !self.hashes.is_empty()
    }

    /// What the client may see of the entity at an index, if there is one.
    #[inline]
    pub(in crate::protocol) fn sight(&self, index: u32) -> Sight {
        if self.seen.as_ref().is_some_and(|seen| !seen.contains(index)) {
            Sight::Nothing
        } else if self.has_owner_only && !self.owned.contains(index) {
            Sight::Public
        } else {
            Sight::Owner
        }
    }

    /// Whether the game wants the client to see the entity at an index.
    pub(in crate::protocol) fn wants(&self, index: u32) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.contains(index))
    }

    /// The hash of what the client may see of a tick.
    pub(in crate::protocol) fn hash_at(&self, tick: Tick) -> Option<StateHash> {
        let at = self.hashes.binary_search_by_key(&tick, |(tick, _)| *tick).ok()?;
        self.hashes.get(at).map(|(_, hash)| *hash)
    }

    /// The bytes that it takes.
    pub(super) fn memory(&self) -> usize {
        let own = [&self.spare, &self.owned, &self.was_owned];
        let sets = own.into_iter().map(Some).chain([self.wanted.as_ref(), self.seen.as_ref()]);
        let sets = sets.flatten().map(IndexSet::memory).sum::<usize>();
        sets + self.hashes.capacity() * size_of::<(Tick, StateHash)>()
    }
}
