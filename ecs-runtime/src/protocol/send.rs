//! Which entities go into a client's next packet, and the packet itself.

use core::time::Duration;

use super::header::{INCOMPLETE, SnapshotHeader};
use super::peer::{Known, Peer};
use super::seal::{SEAL, seal};
use crate::Tick;
use crate::codec::{
    BitWriter, Limit, MAX_COST, MAX_ENTITIES, Others, StateView as _, States, encode_alone, encode_entities,
    gap_bits,
};
use crate::snapshot::{EntityView, History, Sight, Snapshot};

/// What a packet came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentPacket {
    /// Its number.
    pub number: u64,
    /// The tick of the states in it.
    pub tick: Tick,
    /// Its length, in bytes.
    pub bytes: usize,
    /// How many bytes of that are its header and its checksum.
    pub header_bytes: usize,
    /// How many states of entities are in it.
    pub entities: usize,
    /// How many states have to wait for a later packet.
    pub deferred: usize,
    /// An entity that does not fit a packet, if there is one: the most urgent. None of them is sent.
    pub oversized: Option<Finding>,
}

/// An entity whose state is larger than a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the state of entity {index} takes {bits} bits, more than fit a packet: it is not sent")]
pub struct Finding {
    /// The entity's index.
    pub index: u32,
    /// What its state takes when told from nothing.
    pub bits: usize,
}

/// Memory for making packets, shared by all clients of a server.
#[derive(Debug, Default)]
pub(super) struct Sender {
    /// The entities that have something to be sent, upwards.
    candidates: Vec<u32>,
    /// The same by urgency, when not all fit.
    queue: Vec<Queued>,
    /// The most urgent of them that may fit, by index.
    fitting: Vec<Queued>,
    writer: BitWriter,
    others: Others,
}

/// An entity that may have to wait.
#[derive(Clone, Copy, Debug)]
struct Queued {
    index: u32,
    /// How many packets left it out.
    waiting: u32,
    /// How many others are more urgent.
    rank: usize,
    /// What it takes, beside its gap.
    bits: usize,
    /// Whether only values differ.
    only_values: bool,
}

impl Sender {
    /// Makes the next packet for a client and appends it to `out`.
    pub(super) fn send(
        &mut self,
        peer: &mut Peer,
        history: &History,
        now: Duration,
        options: SendOptions,
        out: &mut Vec<u8>,
    ) -> Option<SentPacket> {
        let snapshot = history.latest()?;
        peer.settle(history, now);
        self.choose(peer, history, snapshot, options.repeat);
        let header_bytes = SnapshotHeader::bytes(peer.named) + SEAL;
        let room = (options.budget - header_bytes) * 8;
        let wanted = self.candidates.len();
        let mut oversized = None;
        if !self.write(peer, history, snapshot, room) {
            oversized = self.fit(peer, history, snapshot, room);
            if !self.write(peer, history, snapshot, room) {
                debug_assert!(false, "what was chosen by its exact size fits");
                // Never larger than the budget, whatever happens: all of them wait.
                self.candidates.clear();
                self.write(peer, history, snapshot, room);
            }
        }
        let deferred = wanted - self.candidates.len();

        let (start, number) = (out.len(), peer.next_packet);
        if options.account {
            self.account(peer, history, snapshot);
        }
        peer.record(snapshot.tick(), &self.candidates, now);
        // The packet itself is in flight now, and may be what is relied on.
        let range = peer.range().saturating_sub(1);
        let range = if deferred == 0 { u8::try_from(range).unwrap_or(INCOMPLETE) } else { INCOMPLETE };
        let header = SnapshotHeader::new(peer.session, number, snapshot.tick().0, peer.named, range);
        header.write(peer.session, out);
        let body_bits = self.writer.len_bits();
        out.extend_from_slice(self.writer.finish());
        seal(out, start);
        let bytes = out.len() - start;
        let sent = self.candidates.len();
        peer.stats.packets += 1;
        peer.stats.bytes += bytes as u64;
        peer.stats.max_packet_bytes = peer.stats.max_packet_bytes.max(bytes);
        peer.stats.entities += sent as u64;
        peer.stats.deferred += deferred as u64;
        if options.account {
            peer.stats.account.headers += 8 * header_bytes as u64;
            peer.stats.account.padding += ((bytes - header_bytes) * 8 - body_bits) as u64;
        }
        let tick = snapshot.tick();
        Some(SentPacket { number, tick, bytes, header_bytes, entities: sent, deferred, oversized })
    }

    /// Finds the entities whose state is not what the client was last sent.
    fn choose(&mut self, peer: &mut Peer, history: &History, snapshot: &Snapshot, repeat: bool) {
        self.candidates.clear();
        let end = snapshot.end() as usize;
        if peer.entities.len() < end {
            peer.entities.resize_with(end, Default::default);
        }
        for (index, entity) in (0..).zip(&mut peer.entities) {
            let wanted = match entity.sent {
                Known::Nothing => snapshot.entity(index).is_some(),
                Known::Stale => true,
                Known::At(tick) => {
                    // What has not changed since is the same; what changed may have changed back.
                    let same = history.changed_at(index) <= tick
                        || history.at(tick).is_some_and(|sent| {
                            snapshot.same_entity(sent, history.layout(), index, [Sight::Owner; 2])
                        });
                    if same {
                        entity.sent = Known::At(snapshot.tick());
                    }
                    !same || repeat && !is_confirmed(history, snapshot, index, entity.confirmed)
                }
            };
            if wanted {
                self.candidates.push(index);
            }
        }
    }

    /// Writes the candidates; `false` if they do not fit `room` bits.
    fn write(&mut self, peer: &Peer, history: &History, snapshot: &Snapshot, room: usize) -> bool {
        let states = PeerStates { peer, history, snapshot };
        self.writer.clear();
        let fits = |writer: &BitWriter| writer.len_bits() <= room;
        let Self { candidates, writer, others, .. } = self;
        encode_entities(writer, history.layout(), candidates, &states, others, fits) && fits(writer)
    }

    /// Keeps as many of the most urgent candidates as fit; the others wait. Tells of the first that would not fit an
    /// empty packet.
    fn fit(
        &mut self,
        peer: &mut Peer,
        history: &History,
        snapshot: &Snapshot,
        room: usize,
    ) -> Option<Finding> {
        self.sort_by_urgency(peer);
        self.fitting.clear();
        let mut oversized = None;
        let (mut bits, mut limit) = (0, Limit::default());
        for queued in &mut self.queue {
            self.writer.clear();
            let states = PeerStates { peer, history, snapshot };
            queued.only_values = encode_alone(&mut self.writer, history.layout(), queued.index, &states);
            queued.bits = self.writer.len_bits();
            queued.rank = self.fitting.len();
            let now = snapshot.entity(queued.index);
            let cost = Limit::cost_of(history.layout(), now.as_ref().map_or(&[], |now| now.header()));
            let alone = core::iter::once((queued.index, queued.only_values));
            if queued.bits + gap_bits(alone) > room || cost > MAX_COST {
                let finding = Finding { index: queued.index, bits: queued.bits };
                oversized.get_or_insert(finding);
                peer.stats.oversized += 1;
                // It would wait for ever, before all others.
                queued.waiting = 0;
                continue;
            }
            // Each gap takes a bit at least.
            bits += queued.bits + 1;
            if bits > room || !limit.take(cost) {
                break;
            }
            self.fitting.push(*queued);
        }
        self.fitting.sort_unstable_by_key(|queued| queued.index);
        let count = self.fit_with_gaps(room);
        self.candidates.clear();
        self.candidates.extend(most_urgent(&self.fitting, count).map(|queued| queued.index));
        for queued in &self.queue {
            peer.entities[queued.index as usize].waiting = queued.waiting;
        }
        oversized
    }

    /// Puts as many candidates into the queue as a packet may have, the longest waiting first; of those, the lowest
    /// index. All of them have waited once more, those that are sent start anew.
    fn sort_by_urgency(&mut self, peer: &mut Peer) {
        self.queue.clear();
        self.queue.extend(self.candidates.iter().map(|&index| {
            let entity = &mut peer.entities[index as usize];
            entity.waiting = entity.waiting.saturating_add(1);
            Queued { index, waiting: entity.waiting, rank: 0, bits: 0, only_values: false }
        }));
        let urgency = |queued: &Queued| (core::cmp::Reverse(queued.waiting), queued.index);
        if self.queue.len() > MAX_ENTITIES {
            self.queue.select_nth_unstable_by_key(MAX_ENTITIES, urgency);
            self.queue.truncate(MAX_ENTITIES);
        }
        self.queue.sort_unstable_by_key(urgency);
    }

    /// How many of the most urgent entities fit together with the gaps between them.
    fn fit_with_gaps(&self, room: usize) -> usize {
        let fits = |count: usize| {
            let bits: usize = most_urgent(&self.fitting, count).map(|queued| queued.bits).sum();
            let gaps = most_urgent(&self.fitting, count).map(|queued| (queued.index, queued.only_values));
            bits + gap_bits(gaps) <= room
        };
        let (mut fitting, mut too_many) = (0, self.fitting.len() + 1);
        while fitting + 1 < too_many {
            let count = fitting + (too_many - fitting) / 2;
            if fits(count) {
                fitting = count;
            } else {
                too_many = count;
            }
        }
        fitting
    }

    /// Counts the bits of the candidates by what they say.
    fn account(&mut self, peer: &mut Peer, history: &History, snapshot: &Snapshot) {
        let mut account = core::mem::take(&mut peer.stats.account);
        let states = PeerStates { peer, history, snapshot };
        let layout = history.layout();
        encode_entities(&mut account, layout, &self.candidates, &states, &mut self.others, |_| true);
        peer.stats.account = account;
    }
}

/// The `count` most urgent of entities, in their order.
fn most_urgent(entities: &[Queued], count: usize) -> impl Iterator<Item = &Queued> + Clone {
    entities.iter().filter(move |queued| queued.rank < count)
}

/// What the server's settings say about sending.
#[derive(Clone, Copy, Debug)]
pub(super) struct SendOptions {
    pub(super) budget: usize,
    pub(super) repeat: bool,
    pub(super) account: bool,
}

/// The states of entities between a client and the server.
struct PeerStates<'a> {
    peer: &'a Peer,
    history: &'a History,
    snapshot: &'a Snapshot,
}

impl<'s> States for PeerStates<'s> {
    type State<'a>
        = EntityView<'s>
    where
        Self: 'a;

    #[inline]
    fn confirmed(&self, index: u32) -> Option<EntityView<'s>> {
        let confirmed = self.peer.entities.get(index as usize)?.confirmed?;
        self.history.at(confirmed)?.entity(index)
    }

    #[inline]
    fn now(&self, index: u32) -> Option<EntityView<'s>> {
        self.snapshot.entity(index)
    }
}

/// Whether an entity's confirmed state is its state now.
fn is_confirmed(history: &History, snapshot: &Snapshot, index: u32, confirmed: Option<Tick>) -> bool {
    let confirmed = confirmed.and_then(|tick| history.at(tick));
    confirmed
        .is_some_and(|confirmed| snapshot.same_entity(confirmed, history.layout(), index, [Sight::Owner; 2]))
}
