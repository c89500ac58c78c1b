//! The states of entities as bits, made once for all clients that share their baselines.

use super::peer::Told;
use super::send::PeerStates;
use crate::Tick;
use crate::codec::{
    BitWriter, Coder, Limit, Place, Price, RangeWriter, StateView as _, States as _, encode_entity,
    write_kept,
};
use crate::snapshot::{Sight, Snapshot};

/// The coded states of one snapshot.
#[derive(Debug, Default)]
pub(super) struct CodedStates {
    tick: Tick,
    /// A few of an entity's codings are kept at once, by the tick of its confirmed state: clients that are about as far
    /// away share one.
    places: Vec<[Option<(Key, Coded)>; WAYS]>,
    /// As plain bits, and as symbols for the arithmetic coder.
    bits: BitWriter,
    symbols: Vec<u16>,
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
    coder: Coder,
}

/// One coded state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coded {
    pub(super) place: Place,
    /// How many bits it takes, at most.
    pub(super) bits: usize,
    /// What it costs of a packet's [`Limit`].
    pub(super) cost: usize,
    /// How many decisions it has, if they are modelled.
    pub(super) decisions: u32,
    /// Where its bytes or symbols are.
    start: usize,
    end: usize,
}

impl CodedStates {
    /// Forgets those of an earlier snapshot.
    pub(super) fn begin(&mut self, snapshot: Snapshot<'_>) {
        if self.tick != snapshot.tick() {
            self.tick = snapshot.tick();
            self.bits.clear();
            self.symbols.clear();
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
            coder: peer.coder,
        };
        let place = &mut self.places[at][record.told.newest().0 as usize % WAYS];
        if let Some((_, coded)) = place.filter(|(of, _)| *of == key) {
            return coded;
        }
        let layout = history.layout();
        let now = of.now(index);
        let cost = Limit::cost_of(layout, now.as_ref().map_or(&[], |now| now.header()));
        let coded = match peer.coder {
            Coder::Plain => {
                let start = self.bits.align();
                let place = encode_entity(&mut self.bits, layout, index, of, usual);
                let bits = self.bits.len_bits() - 8 * start;
                Coded { place, bits, cost, decisions: 0, start, end: self.bits.align() }
            }
            Coder::Arithmetic => {
                let start = self.symbols.len();
                let mut price = Price::new(layout.table(), Some(&mut self.symbols));
                let place = encode_entity(&mut price, layout, index, of, usual);
                let (bits, decisions) = (price.bits(), price.decisions());
                Coded { place, bits, cost, decisions, start, end: self.symbols.len() }
            }
        };
        *place = Some((key, coded));
        coded
    }

    /// Appends a state of this snapshot that was coded as plain bits.
    pub(super) fn append(&self, coded: &Coded, to: &mut BitWriter) {
        to.append_bits(self.bits.bytes().get(coded.start..coded.end).unwrap_or(&[]), coded.bits);
    }

    /// Appends a state of this snapshot that was coded as symbols.
    pub(super) fn append_symbols(&self, coded: &Coded, to: &mut RangeWriter<'_>) {
        write_kept(self.symbols.get(coded.start..coded.end).unwrap_or(&[]), to);
    }
}
