//! The most urgent entities that fit into a packet, where not all do.

use super::choose::Chooser;
use super::peer::{Peer, Seen};
use super::send::{Finding, PeerStates, Priority};
use crate::Entity;
use crate::codec::{Coder, Limit, MAX_COST, MAX_DECISIONS, MAX_ENTITIES, MAX_ENTITY_DECISIONS, Place};
use crate::snapshot::{History, Snapshot};

/// An entity that may have to wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queued {
    index: u32,
    /// Those of a lower number go first, whatever their urgency.
    tier: u8,
    /// The sum of its priorities over the packets that left it out.
    urgency: u32,
    /// How many others are more urgent.
    rank: usize,
    /// What it takes, beside its gap.
    bits: usize,
    decisions: u32,
    place: Place,
    /// Whether it is larger than a packet.
    large: bool,
}

/// How much room there is in a packet, in bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rooms {
    /// For all candidates together.
    pub(super) room: usize,
    /// For the most urgent one if it goes alone.
    pub(super) alone: usize,
    /// For one in an empty packet: what is larger is told in parts.
    pub(super) largest: usize,
}

/// What came of fitting candidates into a packet.
pub(super) struct Fitted {
    /// Whether the most urgent one takes the room that was kept for other things.
    pub(super) alone: bool,
    pub(super) oversized: Option<Finding>,
}

/// Priorities are kept between these, in 256ths, so that none is so small that it never adds up.
const PRIORITY: core::ops::RangeInclusive<f32> = 1.0..=65_536.0;

/// The part of a packet that removals may take before anything else.
const REMOVAL_SHARE: usize = 8;

/// So many that do not fit are passed over in search of what does.
const MAX_SKIPPED: usize = 16;

/// About what a removal takes, in bits, with its gap.
const REMOVAL_BITS: usize = 16;

impl Chooser {
    /// Keeps as many of the most urgent candidates as fit; the others wait. What is larger than a packet is staged.
    pub(super) fn fit(
        &mut self,
        peer: &mut Peer,
        history: &History,
        snapshot: Snapshot<'_>,
        rooms: Rooms,
        priority: Priority<'_>,
    ) -> Fitted {
        self.sort_by_urgency(peer, snapshot, rooms.room, priority);
        if peer.coder == Coder::Arithmetic {
            // Each that is left out would cost as much as it is unlikely.
            self.usual.give_up();
        }
        let mut fitted = self.fill(peer, history, snapshot, rooms);
        if self.usual.get().are_treated() && !self.usual.are_treated_among(&self.candidates) {
            // Most of those that fit are others.
            self.usual.give_up();
            let again = self.fill(peer, history, snapshot, rooms);
            fitted = Fitted { oversized: fitted.oversized.or(again.oversized), ..again };
        }
        for queued in &self.queue {
            let entity = &mut peer.entities[queued.index as usize];
            (entity.urgency, entity.large) = (queued.urgency, queued.large);
        }
        fitted
    }

    /// Chooses from the queue as many as fit.
    fn fill(
        &mut self,
        peer: &mut Peer,
        history: &History,
        snapshot: Snapshot<'_>,
        Rooms { room, alone: all, largest }: Rooms,
    ) -> Fitted {
        self.fitting.clear();
        let mut fitted = Fitted { alone: false, oversized: None };
        // What needs most of a packet gets one, but never two in a row while others wait.
        let others_wait = peer.stage.is_some() || peer.outbox.has_unsent();
        let may_be_alone = !(peer.was_given_away && others_wait);
        let (mut bits, mut limit, mut skipped) = (0, Limit::default(), 0);
        let usual = self.usual.get();
        let (coder, table, mut decisions) = (peer.coder, history.layout().table(), 0);
        let none_treated = self.usual.untreated();
        for queued in self.queue.iter_mut().filter(|queued| !queued.large) {
            let of = PeerStates { peer, history, snapshot };
            let coded = self.states.get(&of, queued.index, usual.treats(queued.index));
            queued.place = coded.place;
            (queued.bits, queued.decisions) = (coded.bits as usize, coded.decisions);
            queued.rank = self.fitting.len();
            let sight = peer.view.sight(queued.index);
            let (now, cost) = (snapshot.seen(queued.index, sight), coded.cost as usize);
            let itself = core::iter::once((queued.index, queued.place));
            let alone = queued.bits + coder.list_price(table, none_treated, itself).0;
            if let Some(now) = now
                && (alone > largest || cost > MAX_COST || coded.decisions > MAX_ENTITY_DECISIONS)
            {
                let seen = Seen::new(snapshot.tick(), sight);
                if cost > MAX_COST || !peer.begin_stage(history.layout(), queued.index, seen, &now) {
                    fitted.oversized.get_or_insert(Finding { index: queued.index, cost });
                    peer.stats.oversized += 1;
                    // It would wait for ever, before all others.
                    queued.urgency = 0;
                }
                queued.large = true;
                continue;
            }
            if alone > room
                && alone <= all
                && may_be_alone
                && self.fitting.iter().all(|other| other.tier == REMOVAL)
            {
                self.fitting.clear();
                self.fitting.push(Queued { rank: 0, ..*queued });
                fitted.alone = true;
                break;
            }
            // Each gap takes a bit at least. What does not fit any more is more urgent next time; what is smaller and less
            // urgent may fill the hole that it leaves.
            if bits + queued.bits + 1 > room {
                skipped += 1;
                if skipped > MAX_SKIPPED {
                    break;
                }
                continue;
            }
            decisions += coded.decisions;
            if decisions > MAX_DECISIONS || !limit.take(cost) {
                break;
            }
            bits += queued.bits + 1;
            self.fitting.push(*queued);
        }
        self.fitting.sort_unstable_by_key(|queued| queued.index);
        let count = self.fit_with_gaps(peer, history, if fitted.alone { all } else { room });
        self.candidates.clear();
        self.candidates.extend(most_urgent(&self.fitting, count).map(|queued| queued.index));
        fitted
    }

    /// Adds to the urgency of all candidates, and queues as many as a packet may have: first a few removals and what the
    /// client owns and never saw, then the most urgent; of those, the lowest index. Those that are sent start anew.
    fn sort_by_urgency(
        &mut self,
        peer: &mut Peer,
        snapshot: Snapshot<'_>,
        room: usize,
        priority: Priority<'_>,
    ) {
        self.queue.clear();
        let Peer { entities, view, stats, stage, .. } = peer;
        for &index in &self.candidates {
            let entity = &mut entities[index as usize];
            if entity.large && stage.is_some() {
                // One after the other.
                continue;
            }
            let now = snapshot.seen(index, view.sight(index));
            let handle = now.and_then(|now| Entity::new(index, now.generation()));
            let wish = handle.map_or(1.0, &mut *priority);
            let is_bad = wish.is_nan() || wish <= 0.0;
            stats.bad_priorities += u64::from(is_bad);
            let step = if is_bad {
                *PRIORITY.start()
            } else {
                (wish * 256.0).clamp(*PRIORITY.start(), *PRIORITY.end())
            };
            entity.urgency = entity.urgency.saturating_add(step as u32);
            let own = now.is_some() && entity.confirmed.is_none() && view.owned.contains(index);
            let tier = if now.is_none() {
                REMOVAL
            } else if own {
                OWN
            } else {
                OTHER
            };
            self.queue.push(Queued {
                index,
                tier,
                urgency: entity.urgency,
                rank: 0,
                bits: 0,
                decisions: 0,
                place: Place::Others,
                large: false,
            });
        }
        let order = |queued: &Queued| (queued.tier, core::cmp::Reverse(queued.urgency), queued.index);
        // More removals than their share are as urgent as anything else.
        let share = (room / REMOVAL_SHARE / REMOVAL_BITS).max(1);
        let removals = self.queue.iter().filter(|queued| queued.tier == REMOVAL).count();
        if removals > share {
            self.queue.sort_unstable_by_key(order);
            self.queue[share..removals].iter_mut().for_each(|queued| queued.tier = OTHER);
        }
        if self.queue.len() > MAX_ENTITIES {
            self.queue.select_nth_unstable_by_key(MAX_ENTITIES, order);
            self.queue.truncate(MAX_ENTITIES);
        }
        self.queue.sort_unstable_by_key(order);
    }

    /// How many of the most urgent entities fit together with what tells which they are.
    fn fit_with_gaps(&mut self, peer: &Peer, history: &History, room: usize) -> usize {
        self.sums.clear();
        self.sums.resize(self.fitting.len() + 1, (0, 0));
        for queued in &self.fitting {
            self.sums[queued.rank + 1] = (queued.bits, queued.decisions);
        }
        let mut sum = (0, 0);
        for (bits, decisions) in &mut self.sums {
            sum = (sum.0 + *bits, sum.1 + *decisions);
            (*bits, *decisions) = sum;
        }
        // Decisions count as the bits of a full packet that has as many as it may.
        let used = |count: usize| {
            let places = most_urgent(&self.fitting, count).map(|queued| (queued.index, queued.place));
            let (bits, decisions) = self.list_price(peer, history, places);
            let decisions = (self.sums[count].1 + decisions) as usize;
            (self.sums[count].0 + bits).max((decisions * room).div_ceil(MAX_DECISIONS as usize))
        };
        // Steps of the mean size lead to about the right number.
        let mut count = self.fitting.len();
        let mut bits = used(count);
        while bits > room && count > 0 {
            count -= ((bits - room) * count / bits).clamp(1, count);
            bits = used(count);
        }
        let more = if count > 0 { (room - bits) * count / bits } else { 0 };
        let more = count + more.min(self.fitting.len() - count);
        if more > count && used(more) <= room { more } else { count }
    }
}

/// The tiers of [`Queued`].
const REMOVAL: u8 = 0;
const OWN: u8 = 1;
const OTHER: u8 = 2;

/// The `count` most urgent of entities, in their order.
fn most_urgent(entities: &[Queued], count: usize) -> impl Iterator<Item = &Queued> + Clone {
    entities.iter().filter(move |queued| queued.rank < count)
}
