//! What a game says of each client, and can ask of it.

use core::time::Duration;

use super::{ClientId, ServerError, SnapshotServer};
use crate::Entity;
use crate::event::{EventQueue, Recipient};
use crate::protocol::{IndexSet, MAX_BUDGET, MIN_BUDGET, Missed, PeerStats, Verdict};
use crate::snapshot::StateHash;
use crate::world::GameWorld;

impl SnapshotServer {
    /// Makes a client the owner of an entity from the next capture on, or nobody: the one client that sees what is
    /// `#[owner_only]`, and hears of the entity before all others when it joins.
    pub fn set_owner(&mut self, entity: Entity, client: Option<ClientId>) {
        let max_entities = self.history.layout().schema().max_entities;
        if entity.index() >= max_entities {
            return;
        }
        let index = entity.index() as usize;
        if self.owners.len() <= index {
            self.owners.resize(index + 1, None);
        }
        if let Some(place) = self.owners.get_mut(index) {
            *place = client.map(|client| (entity, client));
        }
    }

    /// The owner of an entity.
    #[must_use]
    pub fn owner(&self, entity: Entity) -> Option<ClientId> {
        let owner = self.owners.get(entity.index() as usize).copied().flatten();
        owner.filter(|(owned, _)| *owned == entity).map(|(_, client)| client)
    }

    /// The set of the entities that a client sees from the next capture on, to be filled; empty when it is asked for the
    /// first time. A client of which it never was asked sees everything.
    pub fn view_mut(&mut self, client: ClientId) -> Option<&mut IndexSet> {
        Some(self.slot_mut(client)?.peer.view.wanted.get_or_insert_default())
    }

    /// Lets a client see everything from the next capture on.
    pub fn show_everything(&mut self, client: ClientId) {
        if let Some(slot) = self.slot_mut(client) {
            slot.peer.view.wanted = None;
        }
    }

    /// Caps what a client is sent, in bytes per second, or takes the cap away.
    pub fn set_rate(&mut self, client: ClientId, rate: Option<u32>) {
        if let Some(slot) = self.slot_mut(client) {
            slot.peer.bucket.rate = rate;
        }
    }

    /// Changes the largest payload of a packet to a client, as its path changes.
    ///
    /// # Errors
    /// When it is not 512 to 8,192 bytes; a connection over a path that carries less cannot go on.
    pub fn set_budget(&mut self, client: ClientId, budget: usize) -> Result<(), ServerError> {
        if !(MIN_BUDGET..=MAX_BUDGET).contains(&budget) {
            return Err(ServerError::Budget(budget));
        }
        if let Some(slot) = self.slot_mut(client) {
            slot.peer.budget = budget;
        }
        Ok(())
    }

    /// Takes all events out of a queue, and sends each to whom it is for with the next packets. Those for the seers of an
    /// entity go to the clients that may see it from the next capture on, but for clients that there was no capture for yet.
    pub fn deliver<W: GameWorld>(&mut self, events: &mut EventQueue<W>) {
        let capacity = self.config.event_queue;
        while let Some((kind, to, tick, row)) = events.pop_row() {
            let Some(schema) = W::SCHEMA.events.get(usize::from(kind)) else { continue };
            let reliable = schema.is_reliable();
            for (number, slot) in (0u16..).zip(&mut self.slots).filter(|(_, slot)| slot.hello.is_some()) {
                let peer = &mut slot.peer;
                let concerned = match to {
                    Recipient::All => true,
                    Recipient::Client(client) => client == ClientId { slot: number, turn: slot.turn },
                    Recipient::SeersOf(entity) => peer.view.is_settled() && peer.view.wants(entity.index()),
                };
                if !concerned {
                    continue;
                }
                if reliable {
                    slot.overflowed |= !peer.outbox.push_reliable(kind, tick, row, capacity);
                } else if !peer.outbox.push_unreliable(kind, tick, row, capacity) {
                    peer.stats.events_dropped += 1;
                }
            }
        }
    }

    /// A client for which more reliable events wait than may, if there is one: one of them is lost to it, so its session
    /// should be ended.
    #[must_use]
    pub fn overflowed(&self) -> Option<ClientId> {
        self.clients().find(|client| self.slot(*client).is_some_and(|slot| slot.overflowed))
    }

    /// The hash of what a client may see of the latest capture.
    #[must_use]
    pub fn visible_hash(&self, client: ClientId) -> Option<StateHash> {
        self.slot(client)?.peer.view.hash_at(self.history.latest()?.tick())
    }

    /// How many reliable events of a client are not confirmed yet.
    #[must_use]
    pub fn waiting_events(&self, client: ClientId) -> usize {
        self.slot(client).map_or(0, |slot| slot.peer.outbox.waiting())
    }

    /// The smoothed round trip to a client, once one was measured.
    #[must_use]
    pub fn round_trip(&self, client: ClientId) -> Option<Duration> {
        self.slot(client)?.peer.round_trip()
    }

    /// The bytes that a client takes on the server, beside the history that all share. It is bounded: 72 bytes for each
    /// entity up to the largest index, 4 for each of at most 1,024 entities in the last 512 packets, its events, its
    /// commands, and one state that is told in parts.
    #[must_use]
    pub fn memory(&self, client: ClientId) -> usize {
        self.slot(client).map_or(0, |slot| slot.peer.memory())
    }

    /// Takes the components that came and went without the client having seen them: the packets that told of them were lost,
    /// or there was none, between two snapshots or because something more urgent was sent. Nobody who polls this can be
    /// surprised by an effect that was not shown. Also counted, in [`PeerStats::missed`].
    pub fn missed(&mut self, client: ClientId) -> impl Iterator<Item = Missed> + '_ {
        self.slot_mut(client).into_iter().flat_map(|slot| slot.peer.missed())
    }

    /// Takes how the complete views that a client reported compared with the server's states.
    pub fn verdicts(&mut self, client: ClientId) -> impl Iterator<Item = Verdict> + '_ {
        self.slot_mut(client).into_iter().flat_map(|slot| slot.peer.verdicts())
    }

    /// The counters of a client's connection.
    #[must_use]
    pub fn stats(&self, client: ClientId) -> Option<&PeerStats> {
        Some(&self.slot(client)?.peer.stats)
    }
}
