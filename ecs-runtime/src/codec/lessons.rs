//! What can be learned from what was coded, to train priors.

use super::encode::{Encode, Symbol};
use super::motion::Sample;
use super::motion::net::{INPUTS, LANES, REGRESSORS};
use super::priors::BUCKETS;
use super::{Number, Truth};
use crate::schema::{Motion, Schema};

/// Collects how fields moved, and how decisions came out; gives no bits.
///
/// It keeps about 200 bytes for each state of a field that moves: minutes of a match, not days.
#[derive(Clone, Debug)]
pub struct Lessons {
    /// By component, by its fields that move.
    motions: Vec<Vec<MotionLessons>>,
    /// By class of expected size: what the differences would take in each order.
    order_bits: [[u64; ORDERS]; BUCKETS],
    /// By context: how often a decision came out false, and true.
    decisions: Vec<[u32; 2]>,
}

/// How one field moved.
#[derive(Clone, Debug)]
pub struct MotionLessons {
    /// The component's name.
    pub component: &'static str,
    /// The field's name.
    pub field: &'static str,
    /// How it is foretold.
    pub motion: Motion,
    /// The inputs of each sample.
    pub inputs: Vec<[i16; INPUTS]>,
    /// What the coefficients of each lane multiply.
    pub regressors: Vec<[[i32; REGRESSORS]; LANES]>,
    /// What came of it.
    pub truths: Vec<Truth>,
}

/// So many orders are compared.
const ORDERS: usize = 16;

impl Lessons {
    /// Lessons of a schema's fields, none so far.
    #[must_use]
    pub fn new(schema: &'static Schema) -> Self {
        let motions = schema.components.iter().map(|component| {
            let moving = component.sent_fields().filter_map(|field| Some((field.name, field.motion?)));
            let lessons = moving.map(|(field, motion)| MotionLessons {
                component: component.name,
                field,
                motion,
                inputs: Vec::new(),
                regressors: Vec::new(),
                truths: Vec::new(),
            });
            lessons.collect()
        });
        Self { motions: motions.collect(), order_bits: [[0; ORDERS]; BUCKETS], decisions: Vec::new() }
    }

    /// How each field moved, in the order of the schema.
    pub fn motions(&self) -> impl Iterator<Item = &MotionLessons> {
        self.motions.iter().flatten()
    }

    /// By context: how often a decision came out false, and true.
    #[must_use]
    pub fn decisions(&self) -> &[[u32; 2]] {
        &self.decisions
    }

    /// The cheapest order for each class of expected size, where there is anything to go by; else as it is `otherwise`.
    #[must_use]
    pub fn orders(&self, otherwise: [u8; BUCKETS]) -> [u8; BUCKETS] {
        let mut orders = otherwise;
        for (order, bits) in orders.iter_mut().zip(&self.order_bits) {
            if bits[0] > 0 {
                *order = (0..ORDERS as u8).min_by_key(|order| bits[usize::from(*order)]).unwrap_or(*order);
            }
        }
        orders
    }
}

impl Encode for Lessons {
    const MODELLED: bool = true;
    const OBSERVES: bool = true;

    fn bits(&mut self, _symbol: Symbol, _value: u32, _count: u32) {}

    fn decide(&mut self, _symbol: Symbol, context: u32, value: bool) {
        let context = context as usize;
        if self.decisions.len() <= context {
            self.decisions.resize(context + 1, [0; 2]);
        }
        let count = &mut self.decisions[context][usize::from(value)];
        *count = count.saturating_add(1);
    }

    fn number(&mut self, symbol: Symbol, number: &Number<'_>) {
        number.code_to(self, symbol);
        if let Some(bucket) = number.bucket {
            for (order, bits) in (0..).zip(&mut self.order_bits[bucket]) {
                let shifted = u64::from(number.difference) + (1 << order);
                *bits += u64::from(2 * shifted.ilog2() - order + 1);
            }
        }
    }

    fn observe(&mut self, component: u16, group: usize, sample: &Sample<'_>) {
        let motion = self.motions.get_mut(usize::from(component)).and_then(|motions| motions.get_mut(group));
        if let Some(motion) = motion {
            motion.inputs.push(*sample.inputs);
            motion.regressors.push(*sample.regressors);
            motion.truths.push(sample.truth);
        }
    }
}
