//! The codec of packets, held against a reference that is slow and plain: on random worlds, both write the same bytes,
//! and read the same from them, damaged or not.
//!
//! `REFERENCE_WORLDS` is the number of worlds, `REFERENCE_SEED` that of the only one.
#![allow(missing_docs)]
#![forbid(unsafe_code)]

mod behaviour;
mod chance;
mod codec;
mod components;
mod damage;
mod real;
mod training;
mod world;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::Instant;

use ecs_runtime::codec::{Layout, Priors};
use ecs_runtime::prelude::*;

use chance::Chance;
use codec::contexts;
use codec::entity::Outcome;
use codec::line::{PlainReader, PlainWriter};
use codec::list::{self, Told};
use codec::model::Model;
use codec::range::{RangeReader, RangeWriter};
use components::marks;
use components::{
    Aim, Angles, Body, Crowd, Diary, Flags, Head, Health, Heap, Inventory, Link, Mode, Note, Position, Purse,
    Single, Spot, Tag, Turret, Unit, Wide, Widths,
};
use world::World;

ecs_runtime::game_state! {
    max_entities = 1500;
    Position, Body, Turret, Head, Spot, Health, Tag, Link, Wide, Widths, Angles, Inventory, Note, Unit, Mode,
    Flags, Crowd, Heap, Single, Aim, Purse, Diary, marks::Red, marks::Green, marks::Blue, marks::Hot,
    marks::Cold, marks::Wet, marks::Dry, marks::Loud, marks::Mute,
}

/// So many worlds are tried if nobody asks for another number.
const WORLDS: u64 = 2_000;

/// So many worlds after another share their priors, which take long to read: of every other group, random ones.
const GROUP: u64 = 64;

/// What both sides know beforehand.
struct Setup {
    layout: Layout,
    model: Model,
}

impl Setup {
    fn of(seed: u64) -> Self {
        let group = seed / GROUP;
        let priors = match group % 2 {
            0 => Priors::default().write(),
            _ => training::random_priors(&mut Chance::new(group), GameState::SCHEMA),
        };
        let model = Model::new(GameState::SCHEMA, &priors);
        let priors = Priors::read(&priors).expect("random ones are in range");
        Self { layout: Layout::with_priors(GameState::SCHEMA, &priors), model }
    }

    /// The reference's bytes of a world, and the decisions in those of the arithmetic coder.
    fn write(&self, world: &World) -> ([Vec<u8>; 2], Vec<(usize, bool)>) {
        let entities: Vec<_> = world.told.iter().map(|index| (*index, world.entry(*index))).collect();
        let mut plain = PlainWriter::default();
        list::write(&mut plain, &self.model, &world.usual, &entities);
        let mut arithmetic = RangeWriter::new(&self.model.probabilities);
        list::write(&mut arithmetic, &self.model, &world.usual, &entities);
        let decided = core::mem::take(&mut arithmetic.decided);
        ([plain.bytes(), arithmetic.bytes()], decided)
    }

    /// What the reference reads before the end or an error, and how many bits it needs.
    fn read(&self, world: &World, coder: usize, bytes: &[u8]) -> (Told, Option<usize>) {
        let (entry, pace) = (|index| world.entry(index), |index| world.pace(index));
        let usual = &world.usual.indices;
        if coder == 0 {
            let mut line = PlainReader::new(bytes);
            let (told, result) = list::read(&mut line, &self.model, usual, &entry, &pace);
            (told, result.ok().map(|()| line.position()))
        } else {
            let mut line = RangeReader::new(bytes, &self.model.probabilities);
            let (told, result) = list::read(&mut line, &self.model, usual, &entry, &pace);
            (told, result.ok().map(|()| line.position()))
        }
    }

    /// The same by the codec.
    fn really_read(&self, world: &World, coder: usize, bytes: &[u8]) -> (Told, Option<usize>) {
        let (told, result) = match coder {
            0 => real::read_plain(&self.layout, world, bytes),
            _ => real::read_arithmetic(&self.layout, world, bytes),
        };
        (told, result.ok())
    }

    fn check(&self, seed: u64) {
        let mut chance = Chance::new(seed);
        let world = World::random(&mut chance, &self.model);
        let (written, _) = self.write(&world);
        let really_written =
            [real::write_plain(&self.layout, &world), real::write_arithmetic(&self.layout, &world)];
        for &index in &world.told {
            let pace = real::pace_of(&self.layout, &world, index);
            assert_eq!(pace, world.entry(index).pace(&self.model), "the pace of entity {index}");
        }
        for (coder, name) in ["plain bits", "the arithmetic coder"].into_iter().enumerate() {
            let bytes = &written[coder];
            assert!(*bytes == really_written[coder], "other bytes by {name}");
            let read = self.read(&world, coder, bytes);
            assert!(read == self.really_read(&world, coder, bytes), "read otherwise by {name}");
            if let (mut told, Some(_)) = read {
                told.sort_by_key(|(index, _)| *index);
                let expected: Told =
                    world.told.iter().map(|index| (*index, Outcome::of(world.entry(*index)))).collect();
                assert!(told == expected, "another world by {name}");
            } else {
                assert!(world.is_large(&self.model), "refused by {name}");
            }
            for _ in 0..2 {
                let bytes = damage::damaged(&mut chance, bytes);
                let (read, real) =
                    (self.read(&world, coder, &bytes), self.really_read(&world, coder, &bytes));
                assert!(read == real, "damaged bytes read otherwise by {name}");
            }
        }
    }
}

#[test]
fn the_codec_and_its_reference_write_and_read_the_same() {
    let (only, worlds) = (asked("REFERENCE_SEED"), asked("REFERENCE_WORLDS"));
    let seeds = match only {
        Some(seed) => seed..seed + 1,
        None => 0..worlds.unwrap_or(WORLDS),
    };
    let (mut setup, mut told) = (Setup::of(seeds.start), Instant::now());
    for seed in seeds.clone() {
        if seed % GROUP == 0 {
            setup = Setup::of(seed);
        }
        let named = Named(seed);
        setup.check(seed);
        drop(named);
        let is_last = seed + 1 == seeds.end;
        if worlds.is_some() && (is_last || told.elapsed().as_secs() >= 10) {
            told = Instant::now();
            // Past the capture of the test's output, which keeps it until the end.
            let line = format!("{} of {} worlds are the same\n", seed + 1, seeds.end);
            std::io::stderr().write_all(line.as_bytes()).expect("standard error is open");
        }
    }
}

/// Where the worlds are too much alike, the test above says little.
#[test]
fn the_worlds_decide_everything_both_ways() {
    let mut decided = vec![[0_u32; 2]; contexts::SHARED];
    let mut of_schema = BTreeMap::new();
    for group in 0..16 {
        let setup = Setup::of(group * GROUP);
        for seed in group * GROUP..group * GROUP + 40 {
            let world = World::random(&mut Chance::new(seed), &setup.model);
            for (context, value) in setup.write(&world).1 {
                let count = decided.get_mut(context);
                count.unwrap_or_else(|| of_schema.entry(context).or_default())[usize::from(value)] += 1;
            }
        }
    }
    let starts = contexts::FAMILIES;
    for (at, (name, start)) in starts.into_iter().enumerate() {
        let end = starts.get(at + 1).map_or(contexts::SHARED, |(_, end)| *end);
        let mut total = [0, 0];
        let (mut both, mut any) = (0, 0);
        for count in &decided[start..end] {
            total = [total[0] + count[0], total[1] + count[1]];
            both += usize::from(count[0] > 0 && count[1] > 0);
            any += usize::from(count[0] + count[1] > 0);
        }
        eprintln!("{name}: {total:?} {both} {any} of {}", end - start);
    }
    let all = Setup::of(0).model.probabilities.len() - contexts::SHARED;
    let both = of_schema.values().filter(|count| count[0] > 0 && count[1] > 0).count();
    eprintln!("{} {both} of {all}", of_schema.len());
}

/// A number from the environment.
fn asked(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// Tells which world is on trial where a test fails.
struct Named(u64);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("REFERENCE_SEED={} tries this world alone", self.0);
        }
    }
}
