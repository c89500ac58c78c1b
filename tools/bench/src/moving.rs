//! What costs most to foretell: bodies that have nothing but rotations, vectors or numbers, all of which move.

use ecs_runtime::Tick;
use ecs_runtime::codec::Coder;
use ecs_runtime::link::LinkConfig;
use ecs_runtime::prelude::*;
use ecs_runtime::protocol::{ClientConfig, MAX_BUDGET, ServerConfig};
use ecs_runtime::testing::Pair;
use ecs_runtime::world::CreateError;

use crate::GameState;
use crate::packets::{PacketRow, read_worst};

/// Rotations.
#[component]
pub struct Joint {
    /// The first of four.
    #[rotation(bits = 6)]
    #[default([0.0, 0.0, 0.0, 1.0])]
    pub a: [f32; 4],
    /// The second.
    #[rotation(bits = 6)]
    #[default([0.0, 0.0, 0.0, 1.0])]
    pub b: [f32; 4],
    /// The third.
    #[rotation(bits = 6)]
    #[default([0.0, 0.0, 0.0, 1.0])]
    pub c: [f32; 4],
    /// The last.
    #[rotation(bits = 6)]
    #[default([0.0, 0.0, 0.0, 1.0])]
    pub d: [f32; 4],
}

/// Vectors.
#[component]
pub struct Place {
    /// The first of four.
    #[predict(linear)]
    pub a: [u8; 3],
    /// The second.
    #[predict(linear)]
    pub b: [u8; 3],
    /// The third.
    #[predict(linear)]
    pub c: [u8; 3],
    /// The last.
    #[predict(linear)]
    pub d: [u8; 3],
}

/// Numbers.
#[component]
pub struct Counter {
    /// Any.
    pub all: [u8; 16],
}

/// What is done, by each coder.
type Names = [(Coder, &'static str); 2];

const ROTATIONS: Names = [
    (Coder::Plain, "read the largest packet of rotations"),
    (Coder::Arithmetic, "the same by the arithmetic coder"),
];
const VECTORS: Names = [
    (Coder::Plain, "read the largest packet of vectors"),
    (Coder::Arithmetic, "the same by the arithmetic coder"),
];
const NUMBERS: Names = [
    (Coder::Plain, "read the largest packet of numbers"),
    (Coder::Arithmetic, "the same by the arithmetic coder"),
];

/// The largest packets of each, as their reader sees them.
pub(crate) fn moving(runs: usize) -> Vec<PacketRow> {
    let rotations = ROTATIONS.map(|names| {
        worst(
            names,
            runs,
            |world| world.spawn((Joint { a: turned(0), b: turned(1), c: turned(2), d: turned(3) },)),
            |world, tick| {
                for (entity, joint) in &mut world.joints {
                    let at = tick + entity.index() as usize;
                    (joint.a, joint.b, joint.c, joint.d) =
                        (turned(at), turned(at + at / 7), turned(2 * at), turned(at / 2));
                }
            },
        )
    });
    let vectors = VECTORS.map(|names| {
        worst(
            names,
            runs,
            |world| world.spawn((Place { a: [0; 3], b: [1; 3], c: [2; 3], d: [3; 3] },)),
            |world, tick| {
                for (entity, place) in &mut world.places {
                    let at = tick + entity.index() as usize;
                    (place.a, place.b, place.c, place.d) =
                        (gone(at), gone(at / 2), gone(3 * at), gone(at + at / 3));
                }
            },
        )
    });
    let numbers = NUMBERS.map(|names| {
        worst(
            names,
            runs,
            |world| world.spawn((Counter { all: [0; 16] },)),
            |world, tick| {
                for (entity, counter) in &mut world.counters {
                    let at = tick + entity.index() as usize;
                    counter.all = core::array::from_fn(|number| (at * (number + 5) / 4) as u8);
                }
            },
        )
    });
    rotations.into_iter().chain(vectors).chain(numbers).collect()
}

fn turned(at: usize) -> [f32; 4] {
    let (sin, cos) = (at as f32 * 0.05).sin_cos();
    [0.8 * sin, 0.0, 0.6 * sin, cos]
}

fn gone(at: usize) -> [u8; 3] {
    [at as u8, (at / 2) as u8, (at * at / 64) as u8]
}

/// Entities that `spawn` makes and `step` moves, all of them in each tick.
fn worst(
    (coder, operation): (Coder, &'static str),
    runs: usize,
    spawn: fn(&mut GameState) -> Result<Entity, CreateError>,
    step: fn(&mut GameState, usize),
) -> PacketRow {
    let config = ServerConfig {
        budget: MAX_BUDGET,
        rate: None,
        packets_per_tick: 1,
        coder,
        ..ServerConfig::default()
    };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings in range");
    pair.join(ClientConfig::default(), LinkConfig::default(), 1);
    for _ in 0..1024 {
        spawn(&mut pair.world).expect("room");
    }
    pair.ticks_to_converge(1000).expect("nothing is lost");
    read_worst(operation, &mut pair, runs, step)
}
