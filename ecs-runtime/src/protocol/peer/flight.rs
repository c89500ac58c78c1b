//! The packets that are under way to a client: which arrived, which were lost, and what that means.

use core::time::Duration;
use std::collections::VecDeque;

use super::{EventRun, Kept, Known, PartRun, Peer, Said, Seen};
use crate::Tick;
use crate::protocol::ACK_WINDOW;
use crate::protocol::ack::Ack;
use crate::snapshot::{History, Sight, Snapshot};
use crate::tick::widen;

/// How many packets with their contents are remembered: as far back as an ack that took a detour may reach.
const RECORDS: usize = 2 * ACK_WINDOW as usize;

/// A packet counts as lost when this many sent after it were received: fewer would take a packet for lost that was
/// overtaken, which jitter of a packet interval or two does all the time.
const OVERTAKEN: u64 = 4;

/// The longest round trip that is believed: what took longer was asleep.
const MAX_ROUND_TRIP: Duration = Duration::from_secs(5);

/// Packets have the lowest 16 bits of their ticks, which tell ticks apart that are less than 2^15 from each other: half of
/// that leaves room for what a client heard since.
const FAR_TICKS: u64 = 1 << 14;

/// What became of a packet, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
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
    parts: Option<PartRun>,
    events: EventRun,
    fate: Fate,
}

/// An entity in a packet, what of it may be seen, in the two highest bits, and in the next two, what was said of it.
#[derive(Clone, Copy, Debug)]
struct Packed(u32);

impl Packed {
    /// Indices have 20 bits at most.
    fn new(index: u32, sight: Sight, said: Said) -> Self {
        Self(index | (sight as u32) << 30 | (said as u32) << 28)
    }

    fn index(self) -> u32 {
        self.0 & ((1 << 28) - 1)
    }

    fn said(self) -> Said {
        match self.0 >> 28 & 3 {
            0 => Said::Difference,
            1 => Said::Fresh,
            _ => Said::Gone,
        }
    }

    fn sight(self) -> Sight {
        Sight::of(self.0 >> 30)
    }
}

/// The packets of a session.
#[derive(Debug, Default)]
pub(super) struct Flight {
    records: VecDeque<PacketRecord>,
    /// So many of the oldest records are not in flight any more.
    settled: usize,
    /// The entities in the recorded packets, one packet after the other.
    packed: VecDeque<Packed>,
    /// The smoothed round trip, once one was measured, and its mean deviation.
    round_trip: Option<(Duration, Duration)>,
}

/// What a packet carries beside the states of entities.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::protocol) struct Cargo {
    pub(in crate::protocol) parts: Option<PartRun>,
    pub(in crate::protocol) events: EventRun,
}

impl Flight {
    pub(super) fn clear(&mut self) {
        self.records.clear();
        self.settled = 0;
        self.packed.clear();
    }

    pub(super) fn forget_round_trip(&mut self) {
        self.round_trip = None;
    }

    /// Where the entities of a recorded packet are.
    fn packed_range(&self, record: &PacketRecord) -> core::ops::Range<usize> {
        let start = (record.first - self.records.front().map_or(0, |oldest| oldest.first)) as usize;
        start..start + record.len as usize
    }

    fn record(&self, packet: u64) -> Option<&PacketRecord> {
        let oldest = self.records.front()?.number;
        self.records.get(usize::try_from(packet.checked_sub(oldest)?).ok()?)
    }

    /// The tick that a packet is of, while it is remembered.
    pub(super) fn tick_of(&self, packet: u64) -> Option<Tick> {
        self.record(packet).map(|record| record.tick)
    }

    /// What became of a packet, while it is remembered.
    pub(super) fn fate(&self, packet: u64) -> Option<Fate> {
        self.record(packet).map(|record| record.fate)
    }

    /// Finds the next oldest record in flight, once those before it have arrived or are lost.
    fn note_settled(&mut self) {
        let newer = self.records.range(self.settled..);
        self.settled += newer.take_while(|record| record.fate != Fate::InFlight).count();
    }

    /// Smooths the round trip as RFC 6298 does.
    fn measure(&mut self, sample: Duration) {
        let sample = sample.min(MAX_ROUND_TRIP);
        self.round_trip = Some(match self.round_trip {
            None => (sample, sample / 2),
            Some((smoothed, deviation)) => {
                ((smoothed * 7 + sample) / 8, (deviation * 3 + smoothed.abs_diff(sample)) / 4)
            }
        });
    }

    /// The bytes that it takes.
    pub(super) fn memory(&self) -> usize {
        self.records.capacity() * size_of::<PacketRecord>() + self.packed.capacity() * size_of::<Packed>()
    }
}

impl Peer {
    /// The smoothed round trip, once one was measured.
    pub(in crate::protocol) fn round_trip(&self) -> Option<Duration> {
        self.flight.round_trip.map(|(smoothed, _)| smoothed)
    }

    /// Moves on to the view of the newest ack, and finds out which packets were lost.
    pub(in crate::protocol) fn settle(&mut self, history: &History, now: Duration) {
        if let Some((number, ack)) = self.pending.take() {
            self.confirm(number, &ack, history, now);
        }
        // What a packet beyond the window of acks brought can never be confirmed. A client that is silent for so long
        // may have missed everything: what is sent from here on tells its counters in full.
        if self.unacked() >= ACK_WINDOW {
            self.start_afresh();
        }
        let patience = self.flight.round_trip.map_or(Duration::from_millis(500), |(smoothed, deviation)| {
            smoothed + 4 * deviation + Duration::from_millis(100)
        });
        for at in self.flight.settled..self.flight.records.len() {
            let record = &self.flight.records[at];
            if record.fate == Fate::InFlight && now.saturating_sub(record.sent_at) > patience {
                self.lose(at);
            }
        }
        self.flight.note_settled();
        self.check_stage(history);
        self.settle_transients();
    }

    fn confirm(&mut self, number: u64, ack: &Ack, history: &History, now: Duration) {
        let newest = widen(ack.newest, self.next_packet.saturating_sub(1));
        let Some(oldest) = self.flight.records.front().map(|record| record.number) else { return };
        let mut newly_acked = None;
        for back in (0..ACK_WINDOW).rev() {
            let Some(packet) = newest.checked_sub(back).filter(|_| ack.lists(back)) else { continue };
            let Some(at) = packet.checked_sub(oldest).and_then(|at| usize::try_from(at).ok()) else {
                // Its contents are forgotten, so this view cannot be known.
                self.start_afresh();
                return;
            };
            if at < self.flight.records.len() && self.flight.records[at].fate != Fate::Acked {
                self.flight.records[at].fate = Fate::Acked;
                self.newest_acked = self.newest_acked.max(packet);
                self.confirm_packet(at, history);
                newly_acked = Some(at);
            }
        }
        self.named = number;
        if let Some(at) = newly_acked {
            let PacketRecord { sent_at, number: received, .. } = self.flight.records[at];
            self.flight.measure(now.saturating_sub(sent_at));
            for earlier in self.flight.settled..at {
                let record = &self.flight.records[earlier];
                if record.fate == Fate::InFlight && record.number + OVERTAKEN <= received {
                    self.lose(earlier);
                }
            }
        }
    }

    /// Everything in a packet is confirmed, unless a newer state is.
    fn confirm_packet(&mut self, at: usize, history: &History) {
        let record = &self.flight.records[at];
        let record_is_kept = history.at(record.tick).is_some();
        for &packed in self.flight.packed.range(self.flight.packed_range(record)) {
            let (index, said) = (packed.index(), packed.said());
            let Some(entity) = self.entities.get_mut(index as usize) else { continue };
            let newer = entity.told.is_before(record.tick);
            entity.told.note(record.tick, packed.sight(), said);
            if !newer {
                continue;
            }
            let last = entity.packet == record.number;
            // A removal stays confirmed, so that a state from before it, acked late, is not taken for newer.
            let is_kept = record_is_kept || history.changed_at(index) <= record.tick;
            entity.confirmed = is_kept.then(|| Seen::new(record.tick, packed.sight()));
            let staged = self.stage.as_ref().is_some_and(|stage| stage.index == index);
            if said == Said::Gone && last && !staged {
                entity.set_sent(Known::Nothing);
            }
        }
        self.outbox.acked(record.events);
        if let Some(run) = record.parts
            && let Some(stage) = self.stage.take_if(|stage| stage.acked(run))
        {
            let super::Stage { index, seen, words, .. } = stage;
            // What changed meanwhile is to be sent, and what was staged in vain, too.
            self.unsent.insert(index);
            if let Some(entity) = self.entities.get_mut(index as usize) {
                let newer = entity.told.is_before(seen.tick());
                entity.told.note(seen.tick(), seen.sight(), Said::Fresh);
                if newer {
                    entity.packet = record.number;
                    entity.confirmed = Some(seen);
                    entity.set_sent(Known::At(seen));
                    self.kept = Some(Kept { index, seen, words });
                }
            }
        }
    }

    /// The entities that the newest packet of the confirmed view told of, and that are there: they mostly differ again. None
    /// if it is so old that what it told is no baseline.
    pub(in crate::protocol) fn usual(&self, history: &History, now: Tick, to: &mut Vec<u32>) {
        to.clear();
        let Some(record) = self.flight.record(self.newest_acked) else { return };
        let is_old = now.0.saturating_sub(record.tick.0) > u64::from(history.baseline_age());
        if is_old || record.fate != Fate::Acked || history.at(record.tick).is_none() {
            return;
        }
        let packed = self.flight.packed.range(self.flight.packed_range(record));
        let there = packed.filter(|packed| packed.said() != Said::Gone);
        to.extend(there.map(|packed| packed.index()));
    }

    /// What was last sent in a packet that was lost has to be sent again.
    fn lose(&mut self, at: usize) {
        self.flight.records[at].fate = Fate::Lost;
        self.stats.lost += 1;
        let record = &self.flight.records[at];
        for &packed in self.flight.packed.range(self.flight.packed_range(record)) {
            if let Some(entity) = self.entities.get_mut(packed.index() as usize)
                && entity.packet == record.number
                && entity.sent() != Known::Nothing
            {
                entity.set_sent(Known::Stale);
                self.unsent.insert(packed.index());
            }
        }
        self.outbox.lost(record.events, record.number);
        if let (Some(run), Some(stage)) = (record.parts, &mut self.stage) {
            stage.lost(run, record.number);
        }
    }

    /// Begins anew once the ticks have gone on so far since the newest packet that is known to have arrived that its low bits
    /// would be taken for those of another: what is sent from here on tells its counters in full.
    fn check_ticks(&mut self, history: &History) {
        let Some(now) = history.latest().map(Snapshot::tick).filter(|_| self.named > 0) else { return };
        let acked = self.flight.tick_of(self.newest_acked);
        if acked.is_some_and(|acked| now.0.saturating_sub(acked.0) >= FAR_TICKS) {
            self.start_afresh();
        }
    }

    /// Takes note of what changed with the newest capture. What was confirmed of it, and was the same until then, is
    /// known by the tick before, whose snapshot is kept the longest.
    pub(in crate::protocol) fn note_changes(&mut self, history: &History) {
        self.check_ticks(history);
        self.unsent.insert_words(history.changed_words());
        let Some((before, _)) = history.last_two() else { return };
        for index in history.changed_last() {
            let Some(entity) = self.entities.get_mut(index as usize) else { continue };
            if let Some(seen) = &mut entity.confirmed
                && seen.tick() < before.tick()
                && history.was_same_since(index, seen.tick())
            {
                let kept = self.kept.as_mut().filter(|kept| kept.index == index && kept.seen == *seen);
                *seen = Seen::new(before.tick(), seen.sight());
                if let Some(kept) = kept {
                    kept.seen = *seen;
                }
            }
        }
    }

    /// Takes note of the packet with the next number, and what is in it: the entities upwards, and what is said of each.
    pub(in crate::protocol) fn record(
        &mut self,
        tick: Tick,
        entities: impl ExactSizeIterator<Item = (u32, Said)> + Clone,
        cargo: Cargo,
        now: Duration,
    ) {
        let number = self.next_packet;
        self.next_packet += 1;
        let oldest = self.flight.records.front().map_or(number, |record| record.number);
        for (index, _) in entities.clone() {
            let seen = Seen::new(tick, self.view.sight(index));
            let entity = &mut self.entities[index as usize];
            let earlier =
                entity.packet.checked_sub(oldest).and_then(|at| self.flight.records.get_mut(at as usize));
            if let Some(earlier) = earlier.filter(|_| entity.sent() != Known::Nothing) {
                earlier.current = earlier.current.saturating_sub(1);
            }
            entity.set_sent(Known::At(seen));
            (entity.packet, entity.urgency, entity.large) = (number, 0, false);
        }
        if self.flight.records.len() == RECORDS {
            if self.flight.records.front().is_some_and(|record| record.fate == Fate::InFlight) {
                self.lose(0);
            }
            let dropped = self.flight.records.pop_front().map_or(0, |record| record.len as usize);
            self.flight.settled = self.flight.settled.saturating_sub(1);
            self.flight.packed.drain(..dropped);
        }
        let first = self.flight.records.back().map_or(0, |last| last.first + u64::from(last.len));
        let len = entities.len() as u32;
        for (index, said) in entities {
            self.flight.packed.push_back(Packed::new(index, self.view.sight(index), said));
        }
        let Cargo { parts, events } = cargo;
        self.outbox.sent(events, number);
        if let (Some(run), Some(stage)) = (parts, &mut self.stage) {
            stage.sent(run, number);
        }
        let record = PacketRecord {
            number,
            tick,
            sent_at: now,
            first,
            len,
            current: len,
            parts,
            events,
            fate: Fate::InFlight,
        };
        self.flight.records.push_back(record);
    }

    /// How many packets back, from the next one, the oldest lies that is in flight and holds what is current.
    pub(in crate::protocol) fn range(&self) -> u64 {
        let relied_on = |record: &&PacketRecord| record.fate == Fate::InFlight && record.current > 0;
        self.flight
            .records
            .range(self.flight.settled..)
            .find(relied_on)
            .map_or(0, |record| self.next_packet - record.number)
    }
}
