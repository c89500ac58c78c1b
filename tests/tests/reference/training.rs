//! Random priors, as they are written.

use ecs_runtime::codec::Weights;
use ecs_runtime::schema::{Motion, Schema, StructSchema};
use serde_json::{Value, json};

use crate::chance::Chance;
use crate::codec::contexts::{OF_COMPONENT, OF_WORD, SHARED};

/// What a net has, and how large its weights may be.
const INPUTS: usize = 40;
const LANES: usize = 3;
const BESIDE: usize = 3;
const MAX_WEIGHT: i64 = 1 << 14;
const MAX_BIAS: i64 = 1 << 29;

pub(crate) fn random_priors(chance: &mut Chance, schema: &Schema) -> String {
    let likely_orders: Vec<u32> = (0..32).map(|class| class / 4 + chance.below(3)).collect();
    let orders: Vec<u32> =
        if chance.one_in(3) { (0..32).map(|_| chance.below(25)).collect() } else { likely_orders };
    let decisions = if chance.one_in(4) { Vec::new() } else { probabilities(chance, SHARED) };
    let (mut components, mut fields) = (Vec::new(), Vec::new());
    for component in schema.components {
        if !chance.one_in(4) {
            components.push(of_component(chance, component));
        }
        for field in component.sent_fields() {
            let Some(motion) = field.motion.filter(|_| !chance.one_in(4)) else { continue };
            // What is known of another motion says nothing.
            let known = if chance.one_in(8) { other(motion) } else { motion };
            let name = if known == Motion::Linear { "linear" } else { "rotation" };
            let weights = random_weights(chance, known);
            fields.push(json!({
                "component": component.name, "field": field.name, "motion": name, "weights": weights,
            }));
        }
    }
    let own = probabilities(chance, OF_COMPONENT);
    components.push(json!({ "component": "Unheard", "own": own, "fields": [] }));
    json!({ "orders": orders, "decisions": decisions, "components": components, "fields": fields })
        .to_string()
}

fn other(motion: Motion) -> Motion {
    match motion {
        Motion::Linear => Motion::Rotation,
        Motion::Rotation => Motion::Linear,
    }
}

fn of_component(chance: &mut Chance, component: &StructSchema) -> Value {
    let own = probabilities(chance, OF_COMPONENT);
    let mut fields = Vec::new();
    for field in component.sent_fields() {
        // What is known of a field of another size says nothing.
        let more = usize::from(chance.one_in(8));
        fields.push(json!([field.name, probabilities(chance, OF_WORD * field.words() + more)]));
    }
    json!({ "component": component.name, "own": own, "fields": fields })
}

fn probabilities(chance: &mut Chance, count: usize) -> Vec<i64> {
    let probability = |_| match chance.below(8) {
        0 => 24,
        1 => 32_768 - 24,
        _ => chance.within(24, 32_768 - 24),
    };
    (0..count).map(probability).collect()
}

/// Weights of any size, or what serves without training with small ones added to it.
fn random_weights(chance: &mut Chance, motion: Motion) -> Weights {
    let (outputs, mut weights) = match motion {
        Motion::Linear => (LANES * 7, Weights::linear()),
        Motion::Rotation => (LANES * 9, Weights::rotation(511, chance.one_in(2))),
    };
    let is_wild = chance.one_in(3);
    let (small, small_bias) = if is_wild { (MAX_WEIGHT, MAX_BIAS) } else { (400, 1 << 18) };
    let hidden = chance.pick(&[0, 0, 1, 5, 24]);
    let rows = |chance: &mut Chance, count: usize, len: usize| -> Vec<Vec<i16>> {
        let weight = |chance: &mut Chance| {
            if is_wild && chance.one_in(9) { small } else { chance.within(-small, small) }
        };
        (0..count).map(|_| (0..len).map(|_| weight(chance) as i16).collect()).collect()
    };
    weights.hidden = rows(chance, hidden, INPUTS);
    weights.hidden_bias = (0..hidden).map(|_| chance.within(-small_bias, small_bias) as i32).collect();
    weights.outputs = rows(chance, outputs, hidden);
    if is_wild {
        weights.direct = rows(chance, LANES, INPUTS);
        weights.beside = rows(chance, LANES, BESIDE);
        weights.output_bias = (0..outputs).map(|_| chance.within(-MAX_BIAS, MAX_BIAS) as i32).collect();
    }
    weights
}
