//! Which entities go into a client's next packet, and the packet itself.

use core::time::Duration;

use super::header::{INCOMPLETE, SNAPSHOT_HEADER, SnapshotHeader};
use super::peer::{Known, Peer};
use super::seal::{SEAL, seal};
use crate::Tick;
use crate::codec::{BitWriter, Limit, MAX_WORDS, Others, States, encode_alone, encode_entities};
use crate::snapshot::{EntityView, History, Snapshot};

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
    /// An entity that does not fit a packet, if there is one: it is not sent.
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
    /// The same by urgency, when not all fit: how long each waited, and its index.
    queue: Vec<(u32, u32)>,
    writer: BitWriter,
    others: Others,
}

/// The most bits that the parts of a packet's body take that are no entity's: the order of the gaps, and the gap of
/// zero that ends each of the two lists.
const FRAME_BITS: usize = 3 + 2 * 8;

/// The most bits of a gap's code beyond what was estimated: the order is chosen anew for those that fit.
const GAP_BITS: usize = 40;

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
        let room = (options.budget - SNAPSHOT_HEADER - SEAL) * 8 - FRAME_BITS;
        let wanted = self.candidates.len();
        let mut oversized = None;
        if !self.write(peer, history, snapshot, room) {
            oversized = self.fit(peer, history, snapshot, room);
            // The gaps may have become longer, so the last may still have to go.
            while !self.write(peer, history, snapshot, room) {
                self.candidates.pop();
            }
        }
        let deferred = wanted - self.candidates.len();
        if deferred > 0 {
            self.defer(peer, snapshot);
        }

        let (start, number) = (out.len(), peer.next_packet);
        if options.account {
            self.account(peer, history, snapshot);
        }
        peer.record(snapshot.tick(), &self.candidates, now);
        // The packet itself is in flight now, and may be what is relied on.
        let range = peer.range().saturating_sub(1);
        let range = if deferred == 0 { u8::try_from(range).unwrap_or(INCOMPLETE) } else { INCOMPLETE };
        let header = SnapshotHeader {
            packet: number as u16,
            tick: snapshot.tick().0 as u16,
            ack: peer.named as u16,
            range,
        };
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
        peer.stats.oversized += u64::from(oversized.is_some());
        if options.account {
            peer.stats.account.headers += 8 * (SNAPSHOT_HEADER + SEAL) as u64;
            peer.stats.account.padding += ((bytes - SNAPSHOT_HEADER - SEAL) * 8 - body_bits) as u64;
        }
        let tick = snapshot.tick();
        Some(SentPacket {
            number,
            tick,
            bytes,
            header_bytes: SNAPSHOT_HEADER + SEAL,
            entities: sent,
            deferred,
            oversized,
        })
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
                        || history
                            .at(tick)
                            .is_some_and(|sent| snapshot.same_entity(sent, history.layout(), index));
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
        encode_entities(&mut self.writer, history.layout(), &self.candidates, &states, &mut self.others, fits)
    }

    /// Keeps the most urgent candidates that fit. Tells of one that would not fit an empty packet.
    fn fit(
        &mut self,
        peer: &mut Peer,
        history: &History,
        snapshot: &Snapshot,
        room: usize,
    ) -> Option<Finding> {
        self.queue.clear();
        let urgency = |&index: &u32| (peer.entities[index as usize].waiting, index);
        self.queue.extend(self.candidates.iter().map(urgency));
        // The longest waiting first; of those, the lowest index.
        self.queue.sort_unstable_by_key(|&(waiting, index)| (core::cmp::Reverse(waiting), index));
        self.candidates.clear();
        let mut oversized = None;
        let (room, mut limit) = (room.saturating_sub(GAP_BITS), Limit::default());
        let mut left = room;
        for &(_, index) in &self.queue {
            self.writer.clear();
            encode_alone(&mut self.writer, history.layout(), index, &PeerStates { peer, history, snapshot });
            // The order of the gaps is not known yet: most gaps are short.
            let bits = self.writer.len_bits() + 2;
            let words = snapshot.entity(index).map_or(0, |now| history.layout().words_of(&now));
            if bits <= left && limit.take(words) {
                left -= bits;
                self.candidates.push(index);
            } else if bits > room || words > MAX_WORDS {
                oversized = Some(Finding { index, bits });
            } else if left < SMALLEST_ENTITY {
                break;
            }
        }
        self.candidates.sort_unstable();
        oversized
    }

    /// Notes that the candidates which were left out wait for a later packet.
    fn defer(&mut self, peer: &mut Peer, snapshot: &Snapshot) {
        for &(_, index) in &self.queue {
            if self.candidates.binary_search(&index).is_err() {
                let entity = &mut peer.entities[index as usize];
                entity.waiting = entity.waiting.saturating_add(1);
            }
        }
        debug_assert!(snapshot.end() as usize <= peer.entities.len());
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

/// No state of an entity takes fewer bits.
const SMALLEST_ENTITY: usize = 4;

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
    confirmed.is_some_and(|confirmed| snapshot.same_entity(confirmed, history.layout(), index))
}
