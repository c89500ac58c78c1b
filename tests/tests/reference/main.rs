//! The codec of packets, held against a reference that is slow and plain: on random worlds, both write the same bytes,
//! and read the same from them, damaged or not.
//!
//! `REFERENCE_WORLDS` is the number of worlds, `REFERENCE_SEED` that of the only one.
#![allow(missing_docs)]
#![forbid(unsafe_code)]

mod behaviour;
mod captured;
mod chance;
mod codec;
mod coders;
mod components;
mod damage;
mod real;
mod training;
mod trial;
mod world;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::time::Instant;

use codec::contexts;
use components::marks;
use components::{
    Aim, Angles, Body, Crowd, Diary, Flags, Head, Health, Heap, Inventory, Link, Mode, Note, Position, Purse,
    Single, Spot, Tag, Turret, Unit, Wide, Widths,
};
use trial::{GROUP, Trial};

ecs_runtime::game_state! {
    max_entities = 1500;
    Position, Body, Turret, Head, Spot, Health, Tag, Link, Wide, Widths, Angles, Inventory, Note, Unit, Mode,
    Flags, Crowd, Heap, Single, Aim, Purse, Diary, marks::Red, marks::Green, marks::Blue, marks::Hot,
    marks::Cold, marks::Wet, marks::Dry, marks::Loud, marks::Mute,
}

/// So many worlds are tried if nobody asks for another number.
const WORLDS: u64 = 1_500;

#[test]
fn the_codec_and_its_reference_write_and_read_the_same() {
    let (only, worlds) = (asked("REFERENCE_SEED"), asked("REFERENCE_WORLDS"));
    let seeds = match only {
        Some(seed) => seed..seed + 1,
        None => 0..worlds.unwrap_or(WORLDS),
    };
    let (mut trial, mut told) = (Trial::of(seeds.start), Instant::now());
    for seed in seeds.clone() {
        if seed % GROUP == 0 {
            trial = Trial::of(seed);
        }
        let named = Named(seed);
        trial.try_world(seed);
        drop(named);
        let is_last = seed + 1 == seeds.end;
        if worlds.is_some() && (is_last || told.elapsed().as_secs() >= 10) {
            told = Instant::now();
            // Past the capture of a test's output, which keeps it until the end.
            let line = format!("{} of {} worlds are the same\n", seed + 1, seeds.end);
            std::io::stderr().write_all(line.as_bytes()).expect("standard error is open");
        }
    }
}

#[test]
fn both_do_the_same_of_what_a_snapshot_keeps() {
    let trials = [Trial::of(0), Trial::of(GROUP), Trial::of(3 * GROUP)];
    for seed in 0..150 {
        trials[seed as usize % trials.len()].try_captured(seed);
    }
}

#[test]
fn both_arithmetic_coders_write_and_read_the_same_decisions() {
    for seed in 0..20 {
        Trial::of(seed * GROUP).try_coder(seed);
    }
}

/// Where the worlds are too much alike, the test above says little.
#[test]
fn the_worlds_decide_everything_both_ways() {
    let mut decided = BTreeSet::new();
    for group in 0..10 {
        let trial = Trial::of(group * GROUP);
        (group * GROUP..(group + 1) * GROUP).for_each(|seed| decided.extend(trial.decided(seed)));
    }
    let both = |context: &usize| decided.contains(&(*context, false)) && decided.contains(&(*context, true));
    // Those that are in no code.
    let single = (0..contexts::LARGEST).chain(contexts::SECOND..contexts::GENERATION);
    let single = single.chain(contexts::OTHERS..contexts::RUNS);
    let never: Vec<_> = single.filter(|context| !both(context)).collect();
    assert!(never.is_empty(), "{never:?}");
    let parts = [
        // How sure a rotation's largest number is: some of that is rare.
        (contexts::LARGEST..contexts::SECOND, 28),
        (contexts::GENERATION..contexts::OTHERS, 15),
        // Runs are told in plain bits alone.
        (contexts::GAPS..contexts::SIZED, 400),
        (contexts::SIZED..contexts::ORDERED, 800),
        (contexts::ORDERED..contexts::SHARED, 500),
        (contexts::SHARED..usize::MAX, 200),
    ];
    for (part, least) in parts {
        let found = decided.range((part.start, false)..(part.end, false));
        let found = found.filter(|(context, value)| *value && both(context)).count();
        assert!(found >= least, "{found} of {part:?}");
    }
}

/// A number from the environment.
fn asked(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// Tells which world is on trial where it fails.
struct Named(u64);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("REFERENCE_SEED={} tries this world alone", self.0);
        }
    }
}
