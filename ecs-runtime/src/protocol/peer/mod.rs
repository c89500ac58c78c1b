//! What a server knows of one client: what it may see, what it was sent, what it confirmed.

mod bucket;
mod flight;
mod outbox;
mod record;
mod stage;
mod told;
mod transient;
mod view;

use core::time::Duration;
use std::collections::VecDeque;

use super::ack::Ack;
use super::command::{CommandQueue, Window};
use super::header::SESSIONS;
use super::{IndexSet, PacketError, ServerConfig};
use crate::Tick;
use crate::codec::{Account, Coder, Layout, StateView as _};
use crate::snapshot::{EntityView, History, StateHash};
use crate::tick::{widen, widen_32};
use bucket::Bucket;
pub(super) use flight::Cargo;
use flight::Flight;
pub(super) use outbox::{EventRun, Outbox};
pub(super) use record::{EntityRecord, Known, Seen};
pub(super) use stage::{PartRun, Stage};
pub(super) use told::{Said, Told};
pub use transient::Missed;
use transient::Transients;
pub(super) use transient::{Transient, find as find_transients};
pub(super) use view::View;

/// How a complete view of a client compared with the server's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The tick of the view.
    pub tick: Tick,
    /// Whether the hash of the client's view was that of what it may see of the server's state.
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
    /// States that were told in parts, because they are larger than a packet.
    pub staged: u64,
    /// Entities that are too large even for that, each once for each packet that had to be filled.
    pub oversized: u64,
    /// Priorities that were no number above zero, and counted as the smallest.
    pub bad_priorities: u64,
    /// Datagrams of the client that were refused.
    pub refused: u64,
    /// Commands that came when too many waited, and were dropped.
    pub commands_dropped: u64,
    /// Commands that came after later ones had been taken, and were dropped.
    pub commands_late: u64,
    /// Commands for an entity that is not the sender's own, and were dropped: see `#[owned]`.
    pub commands_forged: u64,
    /// Events that arrive at most once and were dropped, because too many waited.
    pub events_dropped: u64,
    /// Components that came and went without the client having seen them.
    pub missed: u64,
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
    /// The first session of the connection.
    first_session: u32,
    /// How its packets are coded.
    pub(super) coder: Coder,
    /// The largest payload of a packet to it.
    pub(super) budget: usize,
    pub(super) bucket: Bucket,
    pub(super) view: View,
    pub(super) entities: Vec<EntityRecord>,
    /// The entities of which there may be something to send; of all others, the client was sent what it may see.
    pub(super) unsent: IndexSet,
    flight: Flight,
    pub(super) next_packet: u64,
    /// The ack that the next packet names.
    pub(super) named: u64,
    /// The number of the newest ack that came.
    newest_ack: u64,
    /// The newest packet that an ack listed, or the first of the session.
    newest_acked: u64,
    /// The newest ack, until the next packet names it.
    pending: Option<(u64, Ack)>,
    pub(super) stage: Option<Stage>,
    next_stage: u16,
    /// Whether the last packet gave most of itself to one thing: the next one is for the others.
    pub(super) was_given_away: bool,
    /// When the last packet was sent.
    pub(super) last_sent: Duration,
    /// The words of the last state that was staged: a baseline beyond the history.
    pub(super) kept: Option<Kept>,
    pub(super) outbox: Outbox,
    transients: Transients,
    pub(super) last_heard: Duration,
    pub(super) commands: CommandQueue,
    pub(super) window: Window,
    verdicts: VecDeque<Verdict>,
    last_verdict: Tick,
    pub(super) stats: PeerStats,
}

/// A state whose words are kept, whatever becomes of its snapshot.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) index: u32,
    pub(super) seen: Seen,
    words: Vec<u32>,
}

impl Kept {
    /// Whether it is a state.
    pub(super) fn is(&self, layout: &Layout, state: &EntityView<'_>) -> bool {
        let mut words = self.words.iter();
        let mut equal = |part: &[u32]| part.iter().all(|word| words.next() == Some(word));
        equal(state.header()) && state.rows(layout).all(|(_, row)| equal(row))
    }
}

/// The most verdicts that wait to be taken; older ones are dropped.
const MAX_VERDICTS: usize = 1024;

impl Peer {
    pub(super) fn new() -> Self {
        Self {
            session: 0,
            first_session: 0,
            coder: Coder::Plain,
            budget: 0,
            bucket: Bucket::default(),
            view: View::default(),
            entities: Vec::new(),
            unsent: IndexSet::new(),
            flight: Flight::default(),
            next_packet: 0,
            named: 0,
            newest_ack: 0,
            newest_acked: 0,
            pending: None,
            stage: None,
            next_stage: 0,
            was_given_away: false,
            last_sent: Duration::ZERO,
            kept: None,
            outbox: Outbox::default(),
            transients: Transients::default(),
            last_heard: Duration::ZERO,
            commands: CommandQueue::default(),
            window: Window::default(),
            verdicts: VecDeque::new(),
            last_verdict: Tick::default(),
            stats: PeerStats::default(),
        }
    }

    /// Begins a connection in the memory of an earlier one.
    pub(super) fn begin(&mut self, layout: &Layout, config: &ServerConfig, first_number: u64, now: Duration) {
        self.budget = config.budget;
        self.bucket.begin(config.rate, now);
        self.view.begin(layout);
        self.next_packet = config.first_packet;
        self.begin_session();
        self.first_session = self.session;
        self.was_given_away = false;
        self.last_sent = Duration::ZERO;
        self.entities.fill(EntityRecord::default());
        self.unsent.clear();
        self.unsent.insert_below(layout.schema().max_entities);
        self.flight.forget_round_trip();
        self.outbox.begin(config.first_packet);
        self.transients.clear();
        self.last_heard = now;
        self.commands.clear();
        self.window = Window::new(first_number);
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
        self.flight.clear();
        self.named = 0;
        self.pending = None;
        self.stage = None;
        self.kept = None;
        self.outbox.forget_flight();
    }

    /// Builds on nothing any more: everything that the client may have is told again from nothing.
    fn start_afresh(&mut self) {
        self.begin_session();
        self.unsent.insert_below(self.entities.len() as u32);
        for entity in &mut self.entities {
            entity.confirmed = None;
            entity.told = Told::default();
            if entity.sent() != Known::Nothing {
                entity.set_sent(Known::Stale);
            }
        }
    }

    /// The session of this connection whose number ends in `low`, if there was one.
    pub(super) fn session_of(&self, low: u8) -> Option<u32> {
        let back = (self.session % SESSIONS).wrapping_sub(u32::from(low)) % SESSIONS;
        let session = self.session.wrapping_sub(back);
        (back <= self.session.wrapping_sub(self.first_session)).then_some(session)
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
        let Some(ours) = self.view.hash_at(tick).filter(|_| tick > self.last_verdict) else { return };
        let agrees = ours == hash;
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

    /// The state of an entity that the client has confirmed, if there is one and it is still kept.
    #[inline]
    pub(super) fn confirmed<'s>(&'s self, history: &'s History, index: u32) -> Option<Confirmed<'s>> {
        let seen = self.entities.get(index as usize)?.confirmed?;
        if let Some(kept) = self.kept.as_ref().filter(|kept| kept.index == index && kept.seen == seen) {
            return Some(Confirmed::Kept(&kept.words));
        }
        history.as_at(index, seen.tick())?.seen(index, seen.sight()).map(Confirmed::Shared)
    }

    /// How many packets were sent since the newest that is known to have arrived.
    pub(super) fn unacked(&self) -> u64 {
        self.next_packet.saturating_sub(self.newest_acked)
    }

    /// Begins to tell an entity's state in parts, if nothing else is; `false` if it is too large for that, too.
    pub(super) fn begin_stage(
        &mut self,
        layout: &Layout,
        index: u32,
        seen: Seen,
        state: &EntityView<'_>,
    ) -> bool {
        if self.stage.is_some() {
            return true;
        }
        self.stage = Stage::new(self.next_stage, layout, index, seen, state);
        if self.stage.is_none() {
            return false;
        }
        self.next_stage = self.next_stage.wrapping_add(1);
        self.stats.staged += 1;
        if let Some(entity) = self.entities.get_mut(index as usize) {
            entity.set_sent(Known::Stale);
        }
        true
    }

    /// Gives up a staged state that the client may not see any more.
    pub(super) fn check_stage(&mut self, history: &History) {
        let Some(latest) = history.latest() else { return };
        let given_up = self.stage.take_if(|stage| {
            let now = latest.seen(stage.index, self.view.sight(stage.index));
            let same = now.is_some_and(|now| now.generation() == stage.generation);
            !same || self.view.sight(stage.index) != stage.seen.sight()
        });
        // The client may get to see it all the same, from parts that are under way: nothing is known of what it holds
        // until something newer is confirmed.
        if let Some(stage) = given_up
            && let Some(entity) = self.entities.get_mut(stage.index as usize)
        {
            entity.confirmed = None;
            entity.told.note(stage.seen.tick(), stage.seen.sight(), Said::Fresh);
            entity.set_sent(Known::Stale);
            self.unsent.insert(stage.index);
        }
    }

    /// The bytes that the connection takes on the server.
    pub(super) fn memory(&self) -> usize {
        let kept = self.kept.as_ref().map_or(0, |kept| kept.words.capacity() * size_of::<u32>());
        size_of::<Self>()
            + self.entities.capacity() * size_of::<EntityRecord>()
            + self.unsent.memory()
            + self.flight.memory()
            + self.view.memory()
            + self.outbox.memory()
            + self.transients.memory()
            + self.commands.memory()
            + self.stage.as_ref().map_or(0, Stage::memory)
            + kept
            + self.verdicts.capacity() * size_of::<Verdict>()
    }
}

/// A confirmed state, wherever its words are.
pub(super) enum Confirmed<'s> {
    /// In a snapshot of the history.
    Shared(EntityView<'s>),
    /// With the client, whose history forgot it.
    Kept(&'s [u32]),
}
