//! Priors that know nothing: both sides must agree whatever they say.

use std::sync::Arc;

use ecs_runtime::codec::{Priors, Weights};
use ecs_runtime::schema::Motion;
use ecs_runtime::world::GameWorld as _;

use crate::hand::Chance;

/// Priors of random weights for what moves, random orders, and any probabilities.
pub(crate) fn of_chance(chance: &mut Chance) -> Arc<Priors> {
    let mut priors = Priors::default();
    for (field, motion, untrained) in
        [("at", Motion::Linear, Weights::linear()), ("turn", Motion::Rotation, Weights::rotation(511, true))]
    {
        let weights = random(chance, untrained);
        // Their shape is that of the untrained ones.
        priors = priors.clone().with_field("Position", field, motion, weights).unwrap_or(priors);
    }
    let orders = core::array::from_fn(|_| chance.below(13) as u8);
    priors = priors.clone().with_orders(orders).unwrap_or(priors);
    let counts: Vec<_> = (0..8192).map(|_| [chance.below(100), chance.below(100)]).collect();
    Arc::new(priors.with_decisions(crate::GameState::SCHEMA, &counts))
}

/// The same weights with some at random, and hidden units.
fn random(chance: &mut Chance, mut weights: Weights) -> Weights {
    let units = chance.below(Weights::HIDDEN as u32 + 1);
    let inputs = weights.direct.first().map_or(0, Vec::len);
    let mut row = |len: usize, size: u32| -> Vec<i16> {
        (0..len).map(|_| (chance.below(2 * size + 1) as i32 - size as i32) as i16).collect()
    };
    weights.hidden = (0..units).map(|_| row(inputs, 2000)).collect();
    weights.hidden_bias = (0..units).map(|_| i32::from(row(1, 30_000)[0])).collect();
    for output in &mut weights.outputs {
        *output = row(units as usize, 500);
    }
    weights.direct.iter_mut().for_each(|direct| *direct = row(inputs, 300));
    weights
}
