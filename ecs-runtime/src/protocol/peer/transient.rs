//! Components that come and go: seen by a client, or declared missed.

use std::collections::VecDeque;

use super::flight::Fate;
use super::{EntityRecord, Peer};
use crate::codec::{StateView as _, has};
use crate::snapshot::{History, Sight};
use crate::world::ComponentId;
use crate::{Entity, Tick};

/// A component that came and went without the client having seen it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missed {
    /// Whose it was.
    pub entity: Entity,
    /// Which one.
    pub component: ComponentId,
    /// The tick in which it came.
    pub tick: Tick,
}

/// A component that was there from one captured tick until before another.
#[derive(Clone, Copy, Debug)]
pub(in crate::protocol) struct Transient {
    missed: Missed,
    until: Tick,
}

/// What went, and may have been missed.
#[derive(Debug, Default)]
pub(super) struct Transients {
    /// Those of which a packet is still under way, and which one.
    waiting: Vec<(Transient, u64)>,
    missed: VecDeque<Missed>,
}

/// The most that wait of either; beyond it they are only counted.
const MAX_WAITING: usize = 1024;

/// Collects the components that went with the newest capture and had come within the history.
pub(in crate::protocol) fn find(history: &History, found: &mut Vec<Transient>) {
    found.clear();
    let Some((before, latest)) = history.last_two() else { return };
    for index in history.changed_last() {
        let Some(was) = before.entity(index) else { continue };
        let now = latest.entity(index).filter(|now| now.generation() == was.generation());
        let Some(entity) = Entity::new(index, was.generation()) else { continue };
        for component in history.layout().rows_of(was.header()) {
            if now.is_some_and(|now| has(now.header(), component)) {
                continue;
            }
            // It came in a capture that is still kept, or is no news to anybody.
            let there = |at: crate::snapshot::Snapshot<'_>| {
                let then = at.entity(index).filter(|then| then.generation() == was.generation());
                then.is_some_and(|then| has(then.header(), component))
            };
            let mut back = history.backwards().skip(1);
            let came = back.by_ref().take_while(|at| there(*at)).last();
            if let Some(came) = came.filter(|came| history.oldest_tick() < Some(came.tick())) {
                let missed = Missed { entity, component: ComponentId(component), tick: came.tick() };
                found.push(Transient { missed, until: latest.tick() });
            }
        }
    }
}

impl Transients {
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.missed.clear();
    }

    pub(super) fn memory(&self) -> usize {
        self.waiting.capacity() * size_of::<(Transient, u64)>() + self.missed.capacity() * size_of::<Missed>()
    }
}

/// Whether something was told between two ticks.
fn seen(entity: &EntityRecord, of: &Transient) -> bool {
    (of.missed.tick..of.until).contains(&entity.told.newest())
}

impl Peer {
    /// Takes note of what went with the newest capture.
    pub(in crate::protocol) fn note_transients(&mut self, history: &History, found: &[Transient]) {
        for of in found {
            let index = of.missed.entity.index();
            let schema = history.layout().schema().components.get(of.missed.component.index());
            let owner_only = schema.is_some_and(|schema| schema.is_owner_only());
            let hidden = match self.view.sight(index) {
                Sight::Nothing => true,
                Sight::Public => owner_only,
                Sight::Owner => false,
            };
            let entity = self.entities.get(index as usize).copied().unwrap_or_default();
            if hidden || seen(&entity, of) {
                continue;
            }
            let told = self.flight.tick_of(entity.packet);
            if told.is_some_and(|tick| (of.missed.tick..of.until).contains(&tick))
                && self.transients.waiting.len() < MAX_WAITING
            {
                self.transients.waiting.push((*of, entity.packet));
            } else {
                self.miss(of.missed);
            }
        }
    }

    /// Decides what became of the packets that told of something that is gone.
    pub(super) fn settle_transients(&mut self) {
        let mut waiting = core::mem::take(&mut self.transients.waiting);
        waiting.retain(|(of, packet)| {
            let entity = self.entities.get(of.missed.entity.index() as usize).copied().unwrap_or_default();
            match self.flight.fate(*packet) {
                _ if seen(&entity, of) => false,
                Some(Fate::Acked) => false,
                Some(Fate::InFlight) => true,
                Some(Fate::Lost) | None => {
                    self.miss(of.missed);
                    false
                }
            }
        });
        self.transients.waiting = waiting;
    }

    fn miss(&mut self, missed: Missed) {
        self.stats.missed += 1;
        if self.transients.missed.len() < MAX_WAITING {
            self.transients.missed.push_back(missed);
        }
    }

    /// Takes what the client missed.
    pub(in crate::protocol) fn missed(&mut self) -> impl Iterator<Item = Missed> + '_ {
        self.transients.missed.drain(..)
    }
}
