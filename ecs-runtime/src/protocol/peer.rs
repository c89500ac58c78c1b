//! What a server knows of one client: what it was sent, what it confirmed.

use core::time::Duration;
use std::collections::VecDeque;

use super::ack::Ack;
use super::command::CommandQueue;
use super::{ACK_WINDOW, PacketError};
use crate::Tick;
use crate::codec::{Account, Layout};
use crate::snapshot::{History, Sight, StateHash};
use crate::tick::{widen, widen_32};

/// How many packets with their contents are remembered: as far back as an ack that took a detour may reach.
const RECORDS: usize = 2 * ACK_WINDOW as usize;

/// A packet counts as lost when this many sent after it were received: fewer would take a packet for lost that was
/// overtaken, which jitter of a packet interval or two does all the time.
const OVERTAKEN: u64 = 4;

/// The state of an entity that was last sent to a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Known {
    /// Nothing: the client does not have the entity.
    #[default]
    Nothing,
    /// Something that may have been lost, or of which nothing is kept: it must be sent.
    Stale,
    /// The state at this tick.
    At(Tick),
}

/// What a client has of one entity.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EntityRecord {
    /// What it was last sent.
    pub(super) sent: Known,
    /// In which packet.
    pub(super) packet: u64,
    /// The tick of the state that it has confirmed, in the view of the ack that is named next.
    pub(super) confirmed: Option<Tick>,
    /// How many packets left it out since something was to be sent.
    pub(super) waiting: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    InFlight,
    Acked,
    Lost,
}

/// One packet that was sent.
#[derive(Debug)]
struct PacketRecord {
    number: u64,
    tick: Tick,
    sent_at: Duration,
    /// Where its entities are among those of all records, counted from the first of the connection.
    first: u64,
    /// How many entities are in it.
    len: u32,
    /// How many of them were not sent again in a later packet.
    current: u32,
    fate: Fate,
}

/// How a complete view of a client compared with the server's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The tick of the view.
    pub tick: Tick,
    /// Whether the hash of the client's view was that of the server's state.
    pub agrees: bool,
}

/// Counters of one client's connection.
#[derive(Clone, Debug, Default)]
pub struct PeerStats {
    /// Snapshot packets sent.
    pub packets: u64,
    /// Their payload, in bytes.
    pub bytes: u64,
    /// The largest of them, in bytes.
    pub max_packet_bytes: usize,
    /// States of entities sent.
    pub entities: u64,
    /// States that waited for a later packet, once for each packet.
    pub deferred: u64,
    /// Packets presumed lost.
    pub lost: u64,
    /// Entities that do not fit a packet at all, each once for each packet that had to be filled.
    pub oversized: u64,
    /// Datagrams of the client that were refused.
    pub refused: u64,
    /// Commands that came when too many waited, and were dropped.
    pub commands_dropped: u64,
    /// Complete views that were reported: those whose hash agreed with the server's, and those whose did not.
    pub agreed: u64,
    /// See `agreed`.
    pub disagreed: u64,
    /// Where the bits went, if the server keeps account.
    pub account: Account,
}

/// A server's side of one connection.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) session: u32,
    pub(super) entities: Vec<EntityRecord>,
    records: VecDeque<PacketRecord>,
    /// The entities in the recorded packets, one packet after the other.
    packed: VecDeque<u32>,
    pub(super) next_packet: u64,
    /// The ack that the next packet names.
    pub(super) named: u64,
    /// The number of the newest ack that came.
    newest_ack: u64,
    /// The newest packet that an ack listed, or the first of the session.
    newest_acked: u64,
    /// The newest ack, until the next packet names it.
    pending: Option<(u64, Ack)>,
    /// The smoothed round trip, once one was measured, and its mean deviation.
    round_trip: Option<(Duration, Duration)>,
    pub(super) last_heard: Duration,
    pub(super) commands: CommandQueue,
    pub(super) next_command: u64,
    verdicts: VecDeque<Verdict>,
    last_verdict: Tick,
    pub(super) stats: PeerStats,
}

/// The most verdicts that wait to be taken; older ones are dropped.
const MAX_VERDICTS: usize = 1024;

impl Peer {
    pub(super) fn new() -> Self {
        Self {
            session: 0,
            entities: Vec::new(),
            records: VecDeque::with_capacity(RECORDS),
            packed: VecDeque::new(),
            next_packet: 0,
            named: 0,
            newest_ack: 0,
            newest_acked: 0,
            pending: None,
            round_trip: None,
            last_heard: Duration::ZERO,
            commands: CommandQueue::default(),
            next_command: 0,
            verdicts: VecDeque::new(),
            last_verdict: Tick::default(),
            stats: PeerStats::default(),
        }
    }

    /// Begins a connection in the memory of an earlier one.
    pub(super) fn begin(&mut self, layout: &Layout, first_packet: u64, first_number: u64, now: Duration) {
        self.next_packet = first_packet;
        self.begin_session();
        self.entities.fill(EntityRecord::default());
        self.round_trip = None;
        self.last_heard = now;
        self.commands.clear();
        self.next_command = first_number;
        // The numbers of acks are near the client's first, as those of its commands are.
        self.newest_ack = first_number;
        self.verdicts.clear();
        self.last_verdict = Tick::default();
        let mut account = core::mem::take(&mut self.stats.account);
        account.clear(layout.schema().components.len());
        self.stats = PeerStats { account, ..PeerStats::default() };
    }

    /// A session of its own number, in which nothing is confirmed: what belongs to another is told by that.
    fn begin_session(&mut self) {
        self.session = self.session.wrapping_add(1);
        self.newest_acked = self.next_packet;
        self.records.clear();
        self.packed.clear();
        self.named = 0;
        self.pending = None;
    }

    /// Builds on nothing any more: everything that the client may have is told again from nothing.
    fn start_afresh(&mut self) {
        self.begin_session();
        for entity in &mut self.entities {
            entity.confirmed = None;
            if entity.sent != Known::Nothing {
                entity.sent = Known::Stale;
            }
        }
    }

    /// Takes note of an ack; what it confirms counts from the next packet on, which names it.
    pub(super) fn take_ack(&mut self, ack: Ack) -> Result<(), PacketError> {
        let number = widen_32(ack.number, self.newest_ack);
        let newest = widen(ack.newest, self.next_packet.saturating_sub(1));
        let nothing = ack.listed.iter().all(|&word| word == 0);
        if !nothing && newest >= self.next_packet {
            return Err(PacketError::UnknownPacket(newest));
        }
        if number > self.newest_ack {
            self.newest_ack = number;
            self.pending = Some((number, ack));
        }
        Ok(())
    }

    /// Compares what the client says of its newest complete view with what the server knows.
    pub(super) fn take_verdict(&mut self, complete: Option<(u16, StateHash)>, history: &History) {
        let Some((tick, hash)) = complete else { return };
        let Some(latest) = history.latest() else { return };
        let tick = Tick(widen(tick, latest.tick().0));
        let Some(snapshot) = history.at(tick).filter(|_| tick > self.last_verdict) else { return };
        let agrees = snapshot.hash() == hash;
        self.last_verdict = tick;
        self.stats.agreed += u64::from(agrees);
        self.stats.disagreed += u64::from(!agrees);
        if self.verdicts.len() == MAX_VERDICTS {
            self.verdicts.pop_front();
        }
        self.verdicts.push_back(Verdict { tick, agrees });
    }

    pub(super) fn verdicts(&mut self) -> impl Iterator<Item = Verdict> + '_ {
        self.verdicts.drain(..)
    }

    /// Moves on to the view of the newest ack, and finds out which packets were lost.
    pub(super) fn settle(&mut self, history: &History, now: Duration) {
        if let Some((number, ack)) = self.pending.take() {
            self.confirm(number, &ack, history, now);
        }
        // What a packet beyond the window of acks brought can never be confirmed. A client that is silent for so long
        // may have missed everything: what is sent from here on tells its counters in full.
        if self.next_packet.saturating_sub(self.newest_acked) >= ACK_WINDOW {
            self.start_afresh();
        }
        let patience = self.round_trip.map_or(Duration::from_millis(500), |(smoothed, deviation)| {
            smoothed + 4 * deviation + Duration::from_millis(100)
        });
        for at in 0..self.records.len() {
            let record = &self.records[at];
            if record.fate == Fate::InFlight && now.saturating_sub(record.sent_at) > patience {
                self.lose(at);
            }
        }
    }

    fn confirm(&mut self, number: u64, ack: &Ack, history: &History, now: Duration) {
        let newest = widen(ack.newest, self.next_packet.saturating_sub(1));
        let Some(oldest) = self.records.front().map(|record| record.number) else { return };
        let mut newly_acked = None;
        for back in (0..ACK_WINDOW).rev() {
            let Some(packet) = newest.checked_sub(back).filter(|_| ack.lists(back)) else { continue };
            let Some(at) = packet.checked_sub(oldest).and_then(|at| usize::try_from(at).ok()) else {
                // Its contents are forgotten, so this view cannot be known.
                self.start_afresh();
                return;
            };
            if at < self.records.len() && self.records[at].fate != Fate::Acked {
                self.records[at].fate = Fate::Acked;
                self.newest_acked = self.newest_acked.max(packet);
                self.confirm_packet(at, history);
                newly_acked = Some(at);
            }
        }
        self.named = number;
        if let Some(at) = newly_acked {
            self.measure(now.saturating_sub(self.records[at].sent_at));
            let received = self.records[at].number;
            for earlier in 0..at {
                let record = &self.records[earlier];
                if record.fate == Fate::InFlight && record.number + OVERTAKEN <= received {
                    self.lose(earlier);
                }
            }
        }
    }

    /// Everything in a packet is confirmed, unless a newer state is.
    fn confirm_packet(&mut self, at: usize, history: &History) {
        let record = &self.records[at];
        let snapshot = history.at(record.tick);
        for &index in self.packed.range(self.packed_range(record)) {
            let Some(entity) = self.entities.get_mut(index as usize) else { continue };
            if entity.confirmed.is_some_and(|confirmed| confirmed >= record.tick) {
                continue;
            }
            let last = entity.packet == record.number;
            // The state may be told by a later tick, when it did not change in between.
            entity.confirmed = match (snapshot, entity.sent) {
                (Some(_), _) => Some(record.tick),
                (None, Known::At(tick)) if last => Some(tick),
                _ => None,
            };
            // A removal stays confirmed, so that a state from before it, acked late, is not taken for newer.
            let gone = entity
                .confirmed
                .and_then(|tick| history.at(tick))
                .is_some_and(|at| at.entity(index).is_none());
            if gone && last {
                entity.sent = Known::Nothing;
            }
        }
    }

    /// Where the entities of a recorded packet are.
    fn packed_range(&self, record: &PacketRecord) -> core::ops::Range<usize> {
        let start = (record.first - self.records.front().map_or(0, |oldest| oldest.first)) as usize;
        start..start + record.len as usize
    }

    /// What was last sent in a packet that was lost has to be sent again.
    fn lose(&mut self, at: usize) {
        self.records[at].fate = Fate::Lost;
        self.stats.lost += 1;
        let record = &self.records[at];
        for &index in self.packed.range(self.packed_range(record)) {
            if let Some(entity) = self.entities.get_mut(index as usize)
                && entity.packet == record.number
                && entity.sent != Known::Nothing
            {
                entity.sent = Known::Stale;
            }
        }
    }

    /// Smooths the round trip as RFC 6298 does.
    fn measure(&mut self, sample: Duration) {
        self.round_trip = Some(match self.round_trip {
            None => (sample, sample / 2),
            Some((smoothed, deviation)) => {
                ((smoothed * 7 + sample) / 8, (deviation * 3 + smoothed.abs_diff(sample)) / 4)
            }
        });
    }

    /// Before the oldest snapshot is dropped: what it stands for is moved to the next, where that is the same.
    pub(super) fn expire(&mut self, history: &History) {
        let Some((oldest, next)) = history.expiring() else { return };
        let Some(latest) = history.latest() else { return };
        for (index, entity) in (0..).zip(&mut self.entities) {
            let sent = entity.sent == Known::At(oldest.tick());
            let confirmed = entity.confirmed == Some(oldest.tick());
            if !sent && !confirmed {
                continue;
            }
            let kept = if history.changed_at(index) <= oldest.tick() {
                Some(latest.tick())
            } else {
                next.same_entity(oldest, history.layout(), index, [Sight::Owner; 2]).then_some(next.tick())
            };
            if sent {
                entity.sent = kept.map_or(Known::Stale, Known::At);
            }
            if confirmed {
                entity.confirmed = kept;
            }
        }
    }

    /// Takes note of the packet with the next number.
    pub(super) fn record(&mut self, tick: Tick, entities: &[u32], now: Duration) {
        let number = self.next_packet;
        self.next_packet += 1;
        for &index in entities {
            let entity = &mut self.entities[index as usize];
            let before = *entity;
            *entity = EntityRecord { sent: Known::At(tick), packet: number, waiting: 0, ..before };
            let oldest = self.records.front().map_or(number, |record| record.number);
            let earlier = before.packet.checked_sub(oldest).and_then(|at| self.records.get_mut(at as usize));
            if let Some(earlier) = earlier.filter(|_| before.sent != Known::Nothing) {
                earlier.current = earlier.current.saturating_sub(1);
            }
        }
        if self.records.len() == RECORDS {
            if self.records.front().is_some_and(|record| record.fate == Fate::InFlight) {
                self.lose(0);
            }
            let dropped = self.records.pop_front().map_or(0, |record| record.len as usize);
            self.packed.drain(..dropped);
        }
        let first = self.records.back().map_or(0, |last| last.first + u64::from(last.len));
        let len = entities.len() as u32;
        self.packed.extend(entities);
        let fate = Fate::InFlight;
        self.records.push_back(PacketRecord { number, tick, sent_at: now, first, len, current: len, fate });
    }

    /// How many packets back, from the next one, the oldest lies that is in flight and holds what is current.
    pub(super) fn range(&self) -> u64 {
        let relied_on = |record: &&PacketRecord| record.fate == Fate::InFlight && record.current > 0;
        self.records.iter().find(relied_on).map_or(0, |record| self.next_packet - record.number)
    }
}
