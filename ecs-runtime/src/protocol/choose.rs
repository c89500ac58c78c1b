//! Which entities go into a packet: those of which a client has to hear.

use super::coded::{Coded, CodedStates};
use super::fit::Queued;
use super::peer::{Kept, Known, Peer, Said, Seen};
use super::send::PeerStates;
use crate::codec::{
    BitWriter, Coder, Limit, MAX_DECISIONS, Modelled, PACE_STATES, Place, RangeWriter, Usual, encode_list,
    pace,
};
use crate::snapshot::{History, Sight, Snapshot};

/// Memory for choosing.
#[derive(Debug, Default)]
pub(super) struct Chooser {
    /// The entities that have something to be sent, upwards.
    pub(super) candidates: Vec<u32>,
    /// The same as they are written.
    coded: Vec<Coded>,
    pub(super) usual: UsualEntities,
    pub(super) states: CodedStates,
    /// The same by urgency, when not all fit.
    pub(super) queue: Vec<Queued>,
    /// The most urgent of them that may fit, by index.
    pub(super) fitting: Vec<Queued>,
    /// By how many of these: the bits and the decisions that they take.
    pub(super) sums: Vec<(usize, u32)>,
}

/// The entities that are usual in the packet that is made, and mostly differ.
#[derive(Debug, Default)]
pub(super) struct UsualEntities {
    /// Upwards.
    known: Vec<u32>,
    /// How fast they were lately, if that is of use.
    paces: Vec<u8>,
    /// How many of them have something to be sent; none if they are treated as any others.
    among: usize,
}

impl UsualEntities {
    pub(super) fn get(&self) -> Usual<'_> {
        Usual::new(&self.known, self.among).with_paces(&self.paces)
    }

    /// The same, treated as any others.
    pub(super) fn untreated(&self) -> Usual<'_> {
        Usual::new(&self.known, 0)
    }

    /// From here on they are treated as any others.
    pub(super) fn give_up(&mut self) {
        self.among = 0;
    }

    /// Whether they would be treated so if these were all that is sent, upwards.
    pub(super) fn are_treated_among(&self, entities: &[u32]) -> bool {
        Usual::new(&self.known, Usual::among(&self.known, entities)).are_treated()
    }
}

impl Chooser {
    /// Finds the entities of which a client has not been sent what it may see.
    pub(super) fn choose(
        &mut self,
        peer: &mut Peer,
        history: &History,
        snapshot: Snapshot<'_>,
        (repeat, with_paces): (bool, bool),
    ) {
        self.candidates.clear();
        peer.usual(history, snapshot.tick(), &mut self.usual.known);
        let Peer { entities, unsent, view, stage, kept, .. } = peer;
        if entities.len() < history.end() as usize {
            entities.resize_with(history.end() as usize, Default::default);
        }
        unsent.truncate(entities.len());
        let staged = stage.as_ref().map(|stage| stage.index);
        unsent.retain(|index| {
            let entity = &mut entities[index as usize];
            let sight = view.sight(index);
            let is_same = |seen| is_same(kept.as_ref(), history, snapshot, index, seen, sight);
            // Why it is gone is settled when it goes.
            let is_out = sight == Sight::Nothing && entity.sent() != Known::Nothing;
            entity.left = is_out && (entity.left || snapshot.entity(index).is_some());
            let wanted = match entity.sent() {
                Known::Nothing => snapshot.seen(index, sight).is_some(),
                Known::Stale => staged != Some(index),
                Known::At(sent) => {
                    let same = is_same(sent);
                    if same {
                        entity.set_sent(Known::At(Seen::new(snapshot.tick(), sight)));
                    }
                    !same || repeat && !entity.confirmed.is_some_and(is_same)
                }
            };
            if wanted {
                self.candidates.push(index);
            }
            wanted
        });
        let usual = &mut self.usual;
        usual.among = Usual::among(&usual.known, &self.candidates);
        usual.paces.clear();
        if with_paces && usual.get().are_treated() {
            let of = PeerStates { peer, history, snapshot };
            for &index in &usual.known {
                let baselines = of.newest(index, PACE_STATES);
                if baselines.confirmed().is_none() && peer.coder == Coder::Arithmetic {
                    // The client may know more of it, and would find another pace.
                    usual.among = 0;
                }
                usual.paces.push(pace(history.layout(), &baselines));
            }
        }
    }

    /// Nothing is written.
    pub(super) fn give_up(&mut self) {
        self.candidates.clear();
        self.usual.give_up();
    }

    /// Writes the candidates, as plain bits to `writer` and else to `ranged`; `false` if they do not fit `room` bits.
    pub(super) fn write(
        &mut self,
        peer: &Peer,
        history: &History,
        snapshot: Snapshot<'_>,
        room: usize,
        (writer, ranged): (&mut BitWriter, &mut Vec<u8>),
    ) -> bool {
        let of = PeerStates { peer, history, snapshot };
        self.states.begin(snapshot);
        self.coded.clear();
        writer.clear();
        ranged.clear();
        let usual = self.usual.get();
        let (mut bits, mut decisions, mut limit) = (0, 0, Limit::default());
        for &index in &self.candidates {
            let coded = self.states.get(&of, index, usual.treats(index));
            bits += coded.bits as usize;
            decisions += coded.decisions;
            self.coded.push(coded);
            if bits > room || decisions > MAX_DECISIONS || !limit.take(coded.cost as usize) {
                return false;
            }
        }
        if peer.coder == Coder::Plain {
            encode_list(writer, usual, &self.written(), |writer, at| {
                self.states.append(&self.coded[at], writer);
            });
            return writer.len_bits() <= room;
        }
        let (list_bits, list_decisions) = self.list_price(peer, history, self.written());
        let fits = bits + list_bits <= room && decisions + list_decisions <= MAX_DECISIONS;
        if fits {
            let mut modelled = Modelled::new(RangeWriter::new(ranged), history.layout());
            encode_list(&mut modelled, usual, &self.written(), |modelled, at| {
                self.states.append_symbols(&self.coded[at], &mut modelled.writer);
            });
            modelled.finish();
            debug_assert!(8 * ranged.len() <= room + 7, "no more than it was said to cost");
        }
        fits
    }

    /// The bits and the decisions that tell which entities are in the packet, beside what is told of each.
    pub(super) fn list_price(
        &self,
        peer: &Peer,
        history: &History,
        entities: impl Iterator<Item = (u32, Place)> + Clone,
    ) -> (usize, u32) {
        peer.coder.list_price(history.layout().table(), self.usual.get(), entities)
    }

    /// The candidates as they are written, each with its place.
    pub(super) fn written(&self) -> impl Iterator<Item = (u32, Place)> + Clone + '_ {
        self.candidates.iter().copied().zip(self.coded.iter().map(|coded| coded.place))
    }

    /// The candidates, each with what was said of it.
    pub(super) fn said(&self) -> impl ExactSizeIterator<Item = (u32, Said)> + Clone + '_ {
        self.candidates.iter().copied().zip(self.coded.iter().map(|coded| coded.said))
    }
}

/// Whether what a client saw is what it may see now: what has not changed since is the same, and what changed may have
/// changed back.
fn is_same(
    kept: Option<&Kept>,
    history: &History,
    snapshot: Snapshot<'_>,
    index: u32,
    seen: Seen,
    sight: Sight,
) -> bool {
    if seen.sight() == sight && history.changed_at(index) <= seen.tick() {
        return true;
    }
    if seen.sight() == sight && sight == Sight::Owner && history.has_just_changed(index, seen.tick()) {
        return false;
    }
    if let Some(then) = history.as_at(index, seen.tick()) {
        return snapshot.same_entity(then, index, [sight, seen.sight()]);
    }
    let kept = kept.filter(|kept| kept.index == index && kept.seen == seen);
    let now = snapshot.seen(index, sight);
    kept.zip(now).is_some_and(|(kept, now)| kept.is(history.layout(), &now))
}
