//! The states of entities as bits, made once for all clients that share their baselines.

use super::peer::{Said, Seen, Told};
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
    /// A number for each snapshot.
    serial: u32,
    /// A few of an entity's codings are kept at once, by the tick of its confirmed state: clients that are about as far
    /// away share one.
    places: Vec<[Kept; WAYS]>,
    /// As plain bits, and as symbols for the arithmetic coder.
    bits: BitWriter,
    symbols: Vec<u16>,
}

const WAYS: usize = 4;

/// A coding, and what it is one of; in one line of the cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Kept {
    key: Key,
    coded: Coded,
}

/// What the coding of an entity depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Key {
    told: Told,
    confirmed: Option<Seen>,
    /// That of the snapshot; 0 is none.
    serial: u32,
    sight: Sight,
    coder: Coder,
    /// Whether its confirmed state is kept beyond the history, whether it left the view, and whether it is usual.
    bits: u8,
}

/// One coded state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Coded {
    /// How many bits it takes, at most.
    pub(super) bits: u32,
    /// What it costs of a packet's [`Limit`].
    pub(super) cost: u32,
    /// How many decisions it has, if they are modelled.
    pub(super) decisions: u32,
    /// Where its bytes or symbols are.
    start: u32,
    end: u32,
    pub(super) place: Place,
    pub(super) said: Said,
}

impl CodedStates {
    /// Forgets those of an earlier snapshot.
    pub(super) fn begin(&mut self, snapshot: Snapshot<'_>) {
        if self.tick != snapshot.tick() {
            self.tick = snapshot.tick();
            self.serial = self.serial.wrapping_add(1);
            if self.serial == 0 {
                // The numbers begin anew.
                self.places.clear();
                self.serial = 1;
            }
            self.bits.clear();
            self.symbols.clear();
        }
    }

    /// The state of an entity as a client is told it, which takes it for a usual one or not.
    pub(super) fn get(&mut self, of: &PeerStates<'_>, index: u32, usual: bool) -> Coded {
        let PeerStates { peer, history, .. } = *of;
        let at = index as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, [Kept::default(); WAYS]);
        }
        let record = peer.entities.get(at).copied().unwrap_or_default();
        let kept = peer.kept.as_ref();
        let kept = kept.is_some_and(|kept| kept.index == index && Some(kept.seen) == record.confirmed);
        let key = Key {
            told: record.told,
            confirmed: record.confirmed,
            serial: self.serial,
            sight: peer.view.sight(index),
            coder: peer.coder,
            bits: u8::from(kept) | u8::from(record.left) << 1 | u8::from(usual) << 2,
        };
        let place = &mut self.places[at][record.told.newest().0 as usize % WAYS];
        if place.key == key {
            return place.coded;
        }
        let layout = history.layout();
        let now = of.now(index);
        let cost = Limit::cost_of(layout, now.as_ref().map_or(&[], |now| now.header())) as u32;
        let is_gone = now.is_none();
        let said = |place| match place {
            _ if is_gone => Said::Gone,
            Place::Fresh => Said::Fresh,
            _ => Said::Difference,
        };
        let coded = match peer.coder {
            Coder::Plain => {
                let start = self.bits.align();
                let place = encode_entity(&mut self.bits, layout, index, of, usual);
                let bits = (self.bits.len_bits() - 8 * start) as u32;
                let (start, end) = (start as u32, self.bits.align() as u32);
                Coded { place, said: said(place), bits, cost, decisions: 0, start, end }
            }
            Coder::Arithmetic => {
                let start = self.symbols.len() as u32;
                let mut price = Price::new(layout.table(), Some(&mut self.symbols));
                let place = encode_entity(&mut price, layout, index, of, usual);
                let (bits, decisions) = (price.bits() as u32, price.decisions());
                let end = self.symbols.len() as u32;
                Coded { place, said: said(place), bits, cost, decisions, start, end }
            }
        };
        *place = Kept { key, coded };
        coded
    }

    /// Appends a state of this snapshot that was coded as plain bits.
    pub(super) fn append(&self, coded: &Coded, to: &mut BitWriter) {
        to.append_bits(self.bits.bytes().get(coded.range()).unwrap_or(&[]), coded.bits as usize);
    }

    /// Appends a state of this snapshot that was coded as symbols.
    pub(super) fn append_symbols(&self, coded: &Coded, to: &mut RangeWriter<'_>) {
        write_kept(self.symbols.get(coded.range()).unwrap_or(&[]), to);
    }
}

impl Coded {
    fn range(&self) -> core::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}
