//! What the systems need beside the world.

use std::collections::BTreeMap;

use ecs_runtime::Random;

use crate::{Map, PlayerInput};

/// What the systems need beside the world, and what they count.
#[derive(Clone, Debug)]
pub struct Context {
    /// Where the match takes place.
    pub map: Map,
    /// The tick at hand; the first is 1.
    pub tick: u32,
    /// What each client last asked for. Ordered, so that nothing depends on the order of joining.
    pub inputs: BTreeMap<u16, PlayerInput>,
    /// The only source of chance.
    pub random: Random,
    /// How many lives were lost so far.
    pub deaths: u64,
    /// How many shots were fired so far.
    pub shots: u64,
}

impl Context {
    /// The context of a match that has not begun.
    #[must_use]
    pub fn new(map: Map, seed: u64) -> Self {
        Self { map, tick: 0, inputs: BTreeMap::new(), random: Random::new(seed), deaths: 0, shots: 0 }
    }
}
