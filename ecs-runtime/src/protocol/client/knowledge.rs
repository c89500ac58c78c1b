//! What a client knows, and can be asked.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use super::{Phase, SnapshotClient};
use crate::event::EventQueue;
use crate::protocol::changes::Change;
use crate::protocol::views::FlatView;
use crate::protocol::{DisconnectReason, Refusal, Welcome};
use crate::snapshot::StateHash;
use crate::world::{ComponentId, GameWorld};
use crate::{Entity, Tick};

/// A reference of an entity to another that the client does not have, or not yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// Who refers.
    pub entity: Entity,
    /// In which component.
    pub component: ComponentId,
    /// In which of its fields.
    pub field: &'static str,
    /// To whom.
    pub target: Entity,
}

impl SnapshotClient {
    /// The server's answer, once it has taken this client.
    #[must_use]
    pub fn welcome(&self) -> Option<Welcome> {
        if let Phase::Connected { welcome, .. } = self.phase { Some(welcome) } else { None }
    }

    /// Why the server has not taken this client.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        if let Phase::Refused(refusal) = self.phase { Some(refusal) } else { None }
    }

    /// Why the session ended, once it has.
    #[must_use]
    pub fn disconnect_reason(&self) -> Option<DisconnectReason> {
        if let Phase::Closed(reason) = self.phase { Some(reason) } else { None }
    }

    /// The newest tick that a packet was of.
    #[must_use]
    pub fn newest_tick(&self) -> Option<Tick> {
        self.newest.map(|newest| newest.tick)
    }

    /// The newest tick of which the whole state was held, at once.
    #[must_use]
    pub fn complete_tick(&self) -> Option<Tick> {
        self.complete.map(|(complete, _)| complete.tick)
    }

    /// How many ticks were held whole since the client connected.
    #[must_use]
    pub fn complete_views(&self) -> u64 {
        self.complete_views
    }

    /// The hash of what is known of all entities; that of the server's state when the view is complete.
    #[must_use]
    pub fn hash(&self) -> StateHash {
        self.views.hash()
    }

    /// How many entities are known.
    #[must_use]
    pub fn entity_count(&self) -> usize {
        self.views.count()
    }

    /// The newest tick at which what is known of the entity at an index is known to be the server's: that of the state that
    /// came last, or of the last complete view, which renews all. What is shown is older than the server by its tick less
    /// this.
    #[must_use]
    pub fn entity_tick(&self, index: u32) -> Option<Tick> {
        self.views.newest(index).map(|(tick, _)| self.complete_tick().unwrap_or_default().max(tick))
    }

    /// Whether the newest tick that was heard of is held whole.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete_tick().is_some() && self.complete_tick() == self.newest_tick()
    }

    /// The references of what is known to entities that are not. They resolve by themselves once those come.
    pub fn unresolved(&self) -> impl Iterator<Item = Unresolved> + '_ {
        let known = |entity: Entity| {
            let newest = self.views.newest(entity.index());
            newest.is_some_and(|(_, words)| words.first() == Some(&entity.generation()))
        };
        let entities = self.views.indices().filter_map(|index| {
            let (_, words) = self.views.newest(index)?;
            Some((Entity::new(index, *words.first()?)?, words))
        });
        entities.flat_map(move |(entity, words)| {
            let view = FlatView::new(&self.layout, words);
            view.into_rows().flat_map(move |(component, row)| {
                let references =
                    self.layout.references(component, row).filter(move |(_, target)| !known(*target));
                references.map(move |(field, target)| Unresolved {
                    entity,
                    component: ComponentId(component),
                    field,
                    target,
                })
            })
        })
    }

    /// Takes what happened to entities since it was last asked, in the order in which it was told: each once. What a
    /// newer packet overtook on the way is told as [`ChangeKind::Passed`](crate::protocol::ChangeKind::Passed).
    pub fn changes(&mut self) -> impl Iterator<Item = Change> + '_ {
        self.changes.drain()
    }

    /// How many changes were dropped, because too many waited to be taken.
    #[must_use]
    pub fn changes_dropped(&self) -> u64 {
        self.changes.dropped()
    }

    /// Moves the events that came to a queue, as far as it has room: those that are reliable once each and in order. They
    /// should be taken after each packet. When 1,024 wait here, others are dropped and [counted](Self::events_dropped), and
    /// packets with reliable ones are refused, so that none is lost.
    pub fn receive_events<W: GameWorld>(&mut self, to: &mut EventQueue<W>) {
        self.inbox.move_to(to);
    }

    /// How many events that arrive at most once were dropped, because too many waited to be taken.
    #[must_use]
    pub fn events_dropped(&self) -> u64 {
        self.inbox.dropped()
    }

    /// How many packets were sent since the server was last heard: a way to tell that it is gone, for a client that
    /// sends as often as it ticks. What to do about it is up to the game; [`SnapshotClient::reconnect`] begins anew.
    #[must_use]
    pub fn unanswered(&self) -> u64 {
        self.unanswered
    }

    /// How many datagrams were refused.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused
    }
}
