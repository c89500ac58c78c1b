//! A client's next packet: what goes into it, in which order, and the packet itself.

use core::time::Duration;

use super::ACK_WINDOW;
use super::choose::Chooser;
use super::fit::Rooms;
use super::header::{INCOMPLETE, SnapshotHeader};
use super::peer::{Cargo, Confirmed, EventRun, PartRun, Peer};
use super::seal::{SEAL, seal};
use super::views::FlatView;
use crate::codec::{
    BASELINES, Baselines, BitWriter, Coder, Encode, Layout, Lessons, MAX_COST, Place, StateView, States,
    Usual, column_by_rows, encode_entity, encode_list,
};
use crate::snapshot::{EntityView, History, Snapshot};
use crate::{Entity, Tick};

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
    /// How many states have to wait for a later packet, one that travels in parts included.
    pub deferred: usize,
    /// How many events are in it.
    pub events: usize,
    /// How many events have to wait for a later packet.
    pub events_deferred: usize,
    /// An entity that cannot be sent at all, if there is one: the most urgent. None of them is sent.
    pub oversized: Option<Finding>,
}

/// An entity whose state is more than the protocol can carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the state of entity {index} is too large to be sent: it costs {cost} of {MAX_COST}")]
pub struct Finding {
    /// The entity's index.
    pub index: u32,
    /// What its state costs, by [`Limit::cost_of`](crate::codec::Limit::cost_of).
    pub cost: usize,
}

/// Memory for making packets, shared by all clients of a server.
#[derive(Debug, Default)]
pub(super) struct Sender {
    chooser: Chooser,
    writer: BitWriter,
    /// The entities by an arithmetic coder.
    ranged: Vec<u8>,
    events: BitWriter,
}

/// What the server's settings say about sending.
#[derive(Debug)]
pub(super) struct SendOptions<'l> {
    pub(super) repeat: bool,
    pub(super) account: bool,
    pub(super) lessons: Option<&'l mut Lessons>,
}

/// How urgent an entity is to a client, as the game sees it.
pub(super) type Priority<'p> = &'p mut dyn FnMut(Entity) -> f32;

/// While there are states to send, events take at most this part of a packet.
const EVENT_SHARE: usize = 4;

/// While there are states to send, the parts of a staged one take at most this part of a packet.
const PARTS_SHARE: usize = 3;

/// Of the packets that an ack can list, the last so many are sent at most one in a [`SLOW`] while nothing is heard.
const SLOW_PACKETS: u64 = 16;

/// See [`SLOW_PACKETS`].
const SLOW: Duration = Duration::from_millis(100);

/// The two bits that tell what follows the entities.
const SECTION_BITS: usize = 2;

/// Where entities are not plain bits: the number of their bytes, before them if something follows, and what fills the last.
const RANGED_BITS: usize = 16 + 7;

impl Sender {
    /// Makes the next packet for a client and appends it to `out`; `None` before the first capture since it is one, and
    /// while the cap of its bandwidth is used up.
    pub(super) fn send(
        &mut self,
        peer: &mut Peer,
        history: &History,
        now: Duration,
        options: SendOptions<'_>,
        priority: Priority<'_>,
        out: &mut Vec<u8>,
    ) -> Option<SentPacket> {
        let snapshot = history.latest()?;
        // What a client may see is settled at a capture.
        if !peer.view.is_settled() || !peer.bucket.is_open(now) {
            return None;
        }
        peer.settle(history, now);
        // What lies beyond the window of acks counts as lost, so the last packets of it are spent slowly: an ack that is
        // under way may still come.
        if peer.unacked() >= ACK_WINDOW - SLOW_PACKETS && now.saturating_sub(peer.last_sent) < SLOW {
            return None;
        }
        let Self { chooser, writer, ranged, events } = self;
        let with_paces = peer.coder == Coder::Arithmetic || options.lessons.is_some();
        chooser.choose(peer, history, snapshot, (options.repeat, with_paces));
        let header_bytes = SnapshotHeader::bytes(peer.named) + SEAL;
        let is_plain = peer.coder == Coder::Plain;
        let room = (peer.budget - header_bytes) * 8 - if is_plain { 0 } else { RANGED_BITS };
        let wanted = chooser.candidates.len();

        let tick = snapshot.tick();
        let (mut event_run, mut given_away) =
            write_events(events, peer, history.layout(), (tick, chooser.usual.untreated()), room, wanted > 0);
        let parts_room = if peer.stage.is_some() && !given_away { room / PARTS_SHARE } else { 0 };
        let entity_room = room - events.len_bits() - parts_room - SECTION_BITS;
        let whole_room = if given_away { entity_room } else { room - SECTION_BITS };
        let mut oversized = None;
        if !chooser.write(peer, history, snapshot, entity_room, (writer, ranged)) {
            let rooms = Rooms { room: entity_room, alone: whole_room, largest: room - SECTION_BITS };
            let fitted = chooser.fit(peer, history, snapshot, rooms, priority);
            oversized = fitted.oversized;
            given_away |= fitted.alone;
            if fitted.alone {
                // It needs the whole packet: the events wait.
                events.clear();
                event_run = Default::default();
            }
            let entity_room = if fitted.alone { whole_room } else { entity_room };
            if !chooser.write(peer, history, snapshot, entity_room, (writer, ranged)) {
                debug_assert!(false, "what was chosen by its exact size fits");
                // Never larger than the budget, whatever happens: all of them wait.
                chooser.give_up();
                chooser.write(peer, history, snapshot, entity_room, (writer, ranged));
            }
        }
        let sent = chooser.candidates.len();
        let entity_bits = writer.len_bits();
        let parts = write_extras(writer, events, peer, tick, room.saturating_sub(8 * ranged.len()));
        let extras = writer.len_bits() > entity_bits;
        if options.account {
            let mut account = core::mem::take(&mut peer.stats.account);
            if is_plain {
                encode_again(&mut account, peer, history, snapshot, chooser);
            } else {
                account.add_modelled(history.layout().table(), |prices| {
                    encode_again(prices, peer, history, snapshot, chooser);
                });
            }
            account.extras += (writer.len_bits() - entity_bits) as u64;
            peer.stats.account = account;
        }
        if let Some(lessons) = options.lessons {
            encode_again(lessons, peer, history, snapshot, chooser);
        }
        let deferred = wanted - sent + usize::from(peer.stage.is_some());
        let cargo = Cargo { parts, events: event_run };

        peer.was_given_away = given_away;
        peer.last_sent = now;
        let (start, number) = (out.len(), peer.next_packet);
        peer.record(tick, chooser.said(), cargo, now);
        // The packet itself is in flight now, and may be what is relied on.
        let range = peer.range().saturating_sub(1);
        let range = if deferred == 0 { u8::try_from(range).unwrap_or(INCOMPLETE) } else { INCOMPLETE };
        let header = SnapshotHeader::new(peer.session, number, tick.0, peer.named, range, extras);
        header.write(peer.session, out);
        if extras && !is_plain {
            out.extend_from_slice(&(ranged.len() as u16).to_le_bytes());
        }
        out.extend_from_slice(ranged);
        out.extend_from_slice(writer.finish());
        seal(out, start);
        let bytes = out.len() - start;
        peer.bucket.take(bytes);
        let stats = &mut peer.stats;
        stats.packets += 1;
        stats.bytes += bytes as u64;
        stats.max_packet_bytes = stats.max_packet_bytes.max(bytes);
        stats.entities += sent as u64;
        stats.deferred += deferred as u64;
        if options.account {
            stats.account.headers += 8 * header_bytes as u64;
            // What an arithmetic coder's end takes is within the prices.
            let told = stats.account.total();
            stats.account.padding += (8 * stats.bytes).saturating_sub(told);
        }
        Some(SentPacket {
            number,
            tick,
            bytes,
            header_bytes,
            entities: sent,
            deferred,
            events: event_run.len(),
            events_deferred: peer.outbox.unsent(),
            oversized,
        })
    }
}

/// Writes as many events as may go, behind nothing; tells which, and whether they were given the whole packet, because the
/// oldest takes more than their share of one that has states to send as well.
fn write_events(
    to: &mut BitWriter,
    peer: &Peer,
    layout: &Layout,
    (tick, usual): (Tick, Usual<'_>),
    room: usize,
    has_states: bool,
) -> (EventRun, bool) {
    // Without states, the list is shortest where none is treated as usual.
    let (none, _) = peer.coder.list_price(layout.table(), usual, core::iter::empty());
    let all = room.saturating_sub(none);
    let share = if has_states { room / EVENT_SHARE } else { all };
    let mut write = |room: usize| {
        to.clear();
        peer.outbox.write(to, layout.schema(), tick, room - SECTION_BITS)
    };
    let mut run = write(share);
    let given_away = run.len() == 0 && peer.outbox.has_unsent() && !peer.was_given_away;
    if given_away {
        run = write(all);
    }
    if run.len() == 0 {
        to.clear();
    }
    (run, given_away)
}

/// Appends the events and as many parts of a staged state as fit; nothing if there are neither.
fn write_extras(
    writer: &mut BitWriter,
    events: &mut BitWriter,
    peer: &Peer,
    tick: Tick,
    room: usize,
) -> Option<PartRun> {
    let has_events = events.len_bits() > 0;
    let room = room.saturating_sub(writer.len_bits() + events.len_bits() + SECTION_BITS);
    let parts = peer.stage.as_ref().and_then(|stage| Some((stage, stage.next_run(room)?)));
    if !has_events && parts.is_none() {
        return None;
    }
    writer.write(u32::from(has_events), 1);
    if has_events {
        writer.append(events);
    }
    writer.write(u32::from(parts.is_some()), 1);
    let (stage, run) = parts?;
    stage.write(writer, tick, run);
    Some(run)
}

/// Encodes the entities of a packet for something else that takes symbols.
fn encode_again(
    to: &mut impl Encode,
    peer: &Peer,
    history: &History,
    snapshot: Snapshot<'_>,
    chooser: &Chooser,
) {
    let states = PeerStates { peer, history, snapshot };
    encode_list(to, chooser.usual.get(), &chooser.written(), |to, at| {
        if let Some((index, place)) = chooser.written().nth(at) {
            encode_entity(to, history.layout(), index, &states, place == Place::Usual);
        }
    });
}

/// The states of entities between a client and the server.
pub(super) struct PeerStates<'a> {
    pub(super) peer: &'a Peer,
    pub(super) history: &'a History,
    pub(super) snapshot: Snapshot<'a>,
}

/// A state between a client and the server.
pub(super) enum PeerState<'s> {
    Shared(EntityView<'s>),
    Kept(FlatView<'s>),
}

impl StateView for PeerState<'_> {
    #[inline]
    fn header(&self) -> &[u32] {
        match self {
            Self::Shared(state) => state.header(),
            Self::Kept(state) => state.header(),
        }
    }

    #[inline]
    fn row(&self, component: u16) -> &[u32] {
        match self {
            Self::Shared(state) => state.row(component),
            Self::Kept(state) => state.row(component),
        }
    }

    fn column<'a>(states: &'a [Option<Self>], component: u16, rows: &mut [&'a [u32]; BASELINES]) -> usize {
        let shared = |state: &'a Option<Self>| match state {
            Some(Self::Shared(state)) => Some(state),
            _ => None,
        };
        let newest = states.first().and_then(shared);
        let newest = newest.filter(|newest| {
            let public = newest.is_public();
            states.iter().all(|state| shared(state).is_some_and(|state| state.is_public() == public))
        });
        match newest {
            Some(newest) => {
                let ticks = states.iter().filter_map(shared).map(EntityView::tick);
                newest.column_at(component, ticks, rows)
            }
            None => column_by_rows(states, component, rows),
        }
    }
}

impl<'s> States for PeerStates<'s> {
    type State<'a>
        = PeerState<'s>
    where
        Self: 'a;

    #[inline]
    fn baselines(&self, index: u32) -> Baselines<PeerState<'s>> {
        self.newest(index, BASELINES)
    }

    #[inline]
    fn now(&self, index: u32) -> Option<PeerState<'s>> {
        self.snapshot.seen(index, self.peer.view.sight(index)).map(PeerState::Shared)
    }

    fn is_hidden(&self, index: u32) -> bool {
        self.peer.entities.get(index as usize).is_some_and(|entity| entity.left)
    }
}

impl<'s> PeerStates<'s> {
    /// The newest `most` states of an entity that the client confirmed.
    #[inline]
    pub(super) fn newest(&self, index: u32, most: usize) -> Baselines<PeerState<'s>> {
        let mut baselines = Baselines::default();
        let Some(entity) = self.peer.entities.get(index as usize) else { return baselines };
        let Some(confirmed) = self.peer.confirmed(self.history, index) else { return baselines };
        let age =
            |tick: Tick| u32::try_from(self.snapshot.tick().0.saturating_sub(tick.0)).unwrap_or(u32::MAX);
        let state = match confirmed {
            Confirmed::Shared(state) => PeerState::Shared(state),
            Confirmed::Kept(words) => PeerState::Kept(FlatView::new(self.layout(), words)),
        };
        baselines.push(age(entity.told.newest()), state);
        for (tick, sight) in entity.told.before() {
            if baselines.len() >= most {
                break;
            }
            let then = self.history.at(tick).filter(|_| age(tick) <= u32::from(self.history.baseline_age()));
            let Some(state) = then.and_then(|then| then.seen(index, sight)) else { break };
            baselines.push(age(tick), PeerState::Shared(state));
        }
        baselines
    }

    fn layout(&self) -> &'s Layout {
        self.history.layout()
    }
}
