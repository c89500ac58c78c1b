//! One world, by the codec and by its reference.

use core::fmt::Debug;

use ecs_runtime::codec::{Coder, DecodeError, Layout, Priors, States};
use ecs_runtime::prelude::*;

use crate::GameState;
use crate::captured::Captured;
use crate::chance::Chance;
use crate::codec::entity::{Outcome, code_fresh};
use crate::codec::line::{PlainReader, PlainWriter};
use crate::codec::list::{self, Told};
use crate::codec::model::Model;
use crate::codec::range::{RangeReader, RangeWriter};
use crate::codec::{Entry, Refused, State};
use crate::coders;
use crate::damage::damaged;
use crate::real::{self, Entities};
use crate::training::random_priors;
use crate::world::World;

/// So many worlds in a row share their priors, which take long to read; every other group has random ones.
pub(crate) const GROUP: u64 = 64;

/// So many times the bytes of a world are damaged.
const DAMAGES: usize = 2;

/// What both sides know beforehand.
pub(crate) struct Trial {
    layout: Layout,
    model: Model,
}

impl Trial {
    /// That of the world of a seed.
    pub(crate) fn of(seed: u64) -> Self {
        let group = seed / GROUP;
        let priors = match group % 2 {
            0 => Priors::default().write(),
            _ => random_priors(&mut Chance::new(group), GameState::SCHEMA),
        };
        let model = Model::new(GameState::SCHEMA, &priors);
        let priors = Priors::read(&priors).expect("random ones are in range");
        Self { layout: Layout::with_priors(GameState::SCHEMA, &priors), model }
    }

    /// The decisions of a world, by the contexts of the arithmetic coder.
    pub(crate) fn decided(&self, seed: u64) -> Vec<(usize, bool)> {
        let world = World::random(&mut Chance::new(seed), &self.model);
        let mut line = RangeWriter::new(&self.model.probabilities);
        list::write(&mut line, &self.model, &world.usual, &entries(&world));
        line.decided
    }

    /// Panics where the arithmetic coder by itself does anything else than the reference's.
    pub(crate) fn try_coder(&self, seed: u64) {
        let mut chance = Chance::new(seed);
        for _ in 0..20 {
            coders::try_items(&mut chance, &self.layout, &self.model);
        }
        coders::try_bytes(&mut chance, &self.layout, &self.model);
    }

    /// Panics where the codec does anything else than the reference.
    pub(crate) fn try_world(&self, seed: u64) {
        let mut chance = Chance::new(seed);
        let world = World::random(&mut chance, &self.model);
        if let Some(state) = world.told.iter().find_map(|index| world.entry(*index).now.as_ref()) {
            self.try_whole(&mut chance, state);
        }
        self.try_both(&mut chance, &world, &Entities { layout: &self.layout, world: &world });
    }

    /// The same on states that a snapshot keeps.
    pub(crate) fn try_captured(&self, seed: u64) {
        let mut chance = Chance::new(seed);
        let captured = Captured::random(&mut chance);
        let world = World::of(&mut chance, &self.model, captured.entries());
        self.try_both(&mut chance, &world, &captured);
    }

    fn try_both(&self, chance: &mut Chance, world: &World, states: &impl States) {
        for &index in &world.told {
            let entry = world.entry(index);
            let pace = real::pace_of(&self.layout, states, index);
            assert_eq!(pace, entry.pace(&self.model), "the pace of entity {index}");
            if let Some(now) = &entry.now {
                let cost = real::cost_of(&self.layout, now);
                assert_eq!(cost, self.model.cost(now), "the cost of entity {index}");
            }
        }
        for coder in [Coder::Plain, Coder::Arithmetic] {
            let bytes = self.write(coder, world);
            same_bytes(&bytes, &real::write(coder, &self.layout, states, world), coder);
            let (mut told, end) = self.try_read(coder, world, states, &bytes);
            assert!(end != Err(Refused::Wrong), "{coder:?} refuses what is honest");
            if end.is_ok() {
                told.sort_by_key(|(index, _)| *index);
                let expected = world.told.iter().map(|index| (*index, Outcome::of(world.entry(*index))));
                same_list(&told, &expected.collect::<Vec<_>>(), coder);
            }
            for _ in 0..DAMAGES {
                _ = self.try_read(coder, world, states, &damaged(chance, &bytes));
            }
        }
    }

    fn write(&self, coder: Coder, world: &World) -> Vec<u8> {
        if coder == Coder::Plain {
            let mut line = PlainWriter::default();
            list::write(&mut line, &self.model, &world.usual, &entries(world));
            line.bytes()
        } else {
            let mut line = RangeWriter::new(&self.model.probabilities);
            list::write(&mut line, &self.model, &world.usual, &entries(world));
            line.bytes()
        }
    }

    /// What is read of bytes before the end or an error, and how many bits are needed.
    fn try_read(
        &self,
        coder: Coder,
        world: &World,
        states: &impl States,
        bytes: &[u8],
    ) -> (Told, Result<usize, Refused>) {
        let (entry, pace) = (|index| world.entry(index), |index| world.pace(index));
        let usual = &world.usual.indices;
        let (told, end) = if coder == Coder::Plain {
            let mut line = PlainReader::new(bytes);
            let (told, end) = list::read(&mut line, &self.model, usual, &entry, &pace);
            (told, end.map(|()| line.position()))
        } else {
            let mut line = RangeReader::new(bytes, &self.model.probabilities);
            let (told, end) = list::read(&mut line, &self.model, usual, &entry, &pace);
            (told, end.map(|()| line.position()))
        };
        let (really_told, real_end) = real::read(coder, &self.layout, states, world, bytes);
        same_list(&told, &really_told, coder);
        same_end(end, real_end, coder);
        (told, end)
    }

    /// The same of one state by itself.
    fn try_whole(&self, chance: &mut Chance, state: &State) {
        let mut line = PlainWriter::default();
        assert!(code_fresh(&mut line, &self.model, Some(state)).is_ok(), "nothing refuses to be written");
        let bytes = line.bytes();
        same_bytes(&bytes, &real::write_whole(&self.layout, state), Coder::Plain);
        for bytes in [damaged(chance, &bytes), bytes] {
            let read = code_fresh(&mut PlainReader::new(&bytes), &self.model, None).ok();
            assert_eq!(read, real::read_whole(&self.layout, &bytes), "a state by itself");
        }
    }
}

fn entries(world: &World) -> Vec<(u32, &Entry)> {
    world.told.iter().map(|index| (*index, world.entry(*index))).collect()
}

fn same_bytes(reference: &[u8], real: &[u8], coder: Coder) {
    let at = reference.iter().zip(real).take_while(|(reference, real)| reference == real).count();
    let lens = (reference.len(), real.len());
    assert!(reference == real, "{coder:?}: byte {at} differs, of {lens:?} by the reference and the codec");
}

fn same_list<T: PartialEq + Debug>(reference: &[T], real: &[T], coder: Coder) {
    let differing = reference.iter().zip(real).find(|(reference, real)| reference != real);
    assert!(differing.is_none(), "{coder:?}, by the reference and the codec: {differing:#?}");
    assert_eq!(reference.len(), real.len(), "{coder:?}: entities by the reference and the codec");
}

fn same_end(reference: Result<usize, Refused>, real: Result<usize, DecodeError>, coder: Coder) {
    assert!(
        reference.ok() == real.ok(),
        "{coder:?}, by the reference and the codec: {reference:?}, {real:?}"
    );
}
