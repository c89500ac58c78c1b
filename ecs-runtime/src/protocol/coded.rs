//! The states of entities as bits, made once for all clients that share their baselines.

use super::peer::Told;
use super::send::PeerStates;
use crate::Tick;
use crate::codec::{BitWriter, Limit, Place, StateView as _, States as _, encode_entity};
use crate::snapshot::{Sight, Snapshot};

/// The coded states of one snapshot.
#[derive(Debug, Default)]
pub(super) struct CodedStates {
    tick: Tick,
    /// A few of an entity's codings are kept at once, by the tick of its confirmed state: clients that are about as far
    /// away share one.
    places: Vec<[Option<(Key, Coded)>; WAYS]>,
    bits: BitWriter,
}

const WAYS: usize = 4;

/// What the coding of an entity depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    tick: Tick,
    told: Told,
    confirmed: Option<Tick>,
    kept: bool,
    sight: Sight,
    left: bool,
    usual: bool,
}

/// One coded state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coded {
    pub(super) place: Place,
    /// How many bits it has.
    pub(super) bits: usize,
    /// What it costs of a packet's [`Limit`].
    pub(super) cost: usize,
    /// Its first byte.
    start: usize,
}

impl CodedStates {
    /// Forgets those of an earlier snapshot.
    pub(super) fn begin(&mut self, snapshot: &Snapshot) {
        if self.tick != snapshot.tick() {
            self.tick = snapshot.tick();
            self.bits.clear();
        }
    }

    /// The state of an entity as a client is told it, which takes it for a usual one or not.
    pub(super) fn get(&mut self, of: &PeerStates<'_>, index: u32, usual: bool) -> Coded {
        let PeerStates { peer, history, .. } = *of;
        let at = index as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, [None; WAYS]);
        }
        let record = peer.entities.get(at).copied().unwrap_or_default();
        let key = Key {
            tick: self.tick,
            told: record.told,
            confirmed: record.confirmed.map(|seen| seen.tick),
            kept: peer.kept.as_ref().is_some_and(|kept| kept.index == index),
            sight: peer.view.sight(index),
            left: record.left,
            usual,
        };
        let place = &mut self.places[at][record.told.newest().0 as usize % WAYS];
        if let Some((_, coded)) = place.filter(|(of, _)| *of == key) {
            return coded;
        }
        let start = self.bits.align();
        let written = encode_entity(&mut self.bits, history.layout(), index, of, usual);
        let bits = self.bits.len_bits() - 8 * start;
        self.bits.align();
        let now = of.now(index);
        let cost = Limit::cost_of(history.layout(), now.as_ref().map_or(&[], |now| now.header()));
        let coded = Coded { place: written, bits, cost, start };
        *place = Some((key, coded));
        coded
    }

    /// Appends a coded state of this snapshot.
    pub(super) fn append(&self, coded: &Coded, to: &mut BitWriter) {
        let bytes = self.bits.bytes().get(coded.start..).unwrap_or(&[]);
        to.append_bits(bytes.get(..coded.bits.div_ceil(8)).unwrap_or(bytes), coded.bits);
    }
}
