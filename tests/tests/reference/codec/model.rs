//! What both sides know of a schema before anything is told: the parts of its components, and how likely decisions are.

use core::ops::Range;

use ecs_runtime::codec::Weights;
use ecs_runtime::schema::{Motion, Schema, StructSchema, Word};
use serde_json::Value;

use super::State;
use super::contexts::{OF_COMPONENT, OF_WORD, SHARED, untrained};
use super::number::is_plain;

/// The probability of a decision of which nothing is known, in 32768ths.
const EVEN: u16 = 1 << 14;

/// A schema, and what is known of its fields.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) schema: &'static Schema,
    pub(crate) components: Vec<Component>,
    /// The numbers of the components that are sent.
    pub(crate) sent: Vec<u16>,
    /// How likely decisions are, by context.
    pub(crate) probabilities: Vec<u16>,
    /// The order of the code of each class of expected sizes.
    pub(super) orders: Vec<u32>,
}

/// A component.
#[derive(Debug)]
pub(crate) struct Component {
    pub(crate) words: &'static [Word],
    pub(crate) groups: Vec<Group>,
    /// The first context of its own, and the first of its words'.
    own: usize,
    of_words: usize,
}

/// Words of a component that move together.
#[derive(Debug)]
pub(crate) struct Group {
    pub(super) motion: Motion,
    pub(crate) words: Range<usize>,
    pub(super) weights: Weights,
}

impl Model {
    /// The model of a schema, with priors as they are written.
    pub(crate) fn new(schema: &'static Schema, priors: &str) -> Self {
        let priors: Value = serde_json::from_str(priors).expect("priors are an object in JSON");
        let orders: Vec<u32> = read(&priors["orders"]);
        let trained: Vec<u16> = read(&priors["decisions"]);
        let mut probabilities = untrained(|class| orders[class].saturating_sub(2));
        if trained.len() == SHARED {
            probabilities = trained;
        }
        let mut components = Vec::new();
        for component in schema.components {
            let own = probabilities.len();
            let known = find(&priors["components"], |known| known["component"] == component.name);
            let trained: Vec<u16> = known.map_or(Vec::new(), |known| read(&known["own"]));
            for at in 0..OF_COMPONENT {
                probabilities.push(trained.get(at).copied().unwrap_or(EVEN));
            }
            let of_words = probabilities.len();
            for field in component.sent_fields() {
                let known = known.and_then(|known| find(&known["fields"], |known| known[0] == field.name));
                let trained: Vec<u16> = known.map_or(Vec::new(), |known| read(&known[1]));
                let count = OF_WORD * field.words();
                // What is known of a field of another size says nothing.
                let fits = trained.len() == count;
                probabilities.extend(if fits { trained } else { vec![EVEN; count] });
            }
            let groups = groups(component, &priors["fields"]);
            components.push(Component { words: component.words, groups, own, of_words });
        }
        let numbers = (0..).zip(schema.components);
        let sent = numbers.filter(|(_, component)| component.sent).map(|(number, _)| number).collect();
        Self { schema, components, sent, probabilities, orders }
    }

    /// What a state costs of what a packet may tell: three, one for each component, one for each of its words and another
    /// one for each number, and six or fourteen where words move together.
    pub(crate) fn cost(&self, state: &State) -> usize {
        let mut cost = 3;
        for component in state.rows.keys() {
            let component = &self.components[usize::from(*component)];
            let numbers = component.words.iter().filter(|word| !is_plain(word)).count();
            cost += 1 + component.words.len() + numbers;
            for group in &component.groups {
                cost += if group.motion == Motion::Linear { 6 } else { 14 };
            }
        }
        cost
    }
}

impl Component {
    /// Whether a word is in no group, and has anything to tell.
    pub(crate) fn is_other(&self, at: usize) -> bool {
        self.words[at].max > 0 && !self.groups.iter().any(|group| group.words.contains(&at))
    }

    /// Whether there is a part beside the groups. Without groups there is, even if it has no words.
    pub(super) fn has_others(&self) -> bool {
        self.groups.is_empty() || (0..self.words.len()).any(|at| self.is_other(at))
    }

    /// How many parts of it can differ by themselves.
    pub(super) fn parts(&self) -> usize {
        self.groups.len() + usize::from(self.has_others())
    }

    /// Whether two rows are the same, but for the groups.
    pub(crate) fn others_are_same(&self, a: &[u32], b: &[u32]) -> bool {
        (0..self.words.len()).all(|at| !self.is_other(at) || a[at] == b[at])
    }

    /// The context of whether it differs from what was foretold.
    pub(super) fn differs(&self, rests: bool) -> usize {
        if rests { self.own } else { self.own + 1 }
    }

    /// The context of whether most of it changed.
    pub(super) fn dense(&self) -> usize {
        self.own + 2
    }

    /// The context of whether a word, or the group that begins with it, is as foretold.
    pub(super) fn word(&self, at: usize, quiet: bool) -> usize {
        self.of_words + OF_WORD * at + if quiet { 0 } else { 1 }
    }
}

fn groups(component: &StructSchema, fields: &Value) -> Vec<Group> {
    let (mut groups, mut start, mut is_behind_vector) = (Vec::new(), 0, false);
    for field in component.sent_fields() {
        let words = start..start + field.words();
        start = words.end;
        let Some(motion) = field.motion else { continue };
        let name = match motion {
            Motion::Linear => "linear",
            Motion::Rotation => "rotation",
        };
        let known = find(fields, |known| {
            known["component"] == component.name && known["field"] == field.name && known["motion"] == name
        });
        let weights = match (known, motion) {
            (Some(known), _) => read_weights(&known["weights"]),
            (None, Motion::Linear) => Weights::linear(),
            (None, Motion::Rotation) => {
                Weights::rotation(component.words[words.end - 1].max, is_behind_vector)
            }
        };
        is_behind_vector |= motion == Motion::Linear;
        groups.push(Group { motion, words, weights });
    }
    groups
}

/// The first of a list that is as asked.
fn find(list: &Value, is: impl Fn(&Value) -> bool) -> Option<&Value> {
    list.as_array()?.iter().find(|known| is(known))
}

/// Whole numbers.
fn read<T: TryFrom<i64, Error: core::fmt::Debug>>(list: &Value) -> Vec<T> {
    let number = |value: &Value| value.as_i64().map(|number| T::try_from(number).expect("in range"));
    list.as_array().expect("a list").iter().map(|value| number(value).expect("a number")).collect()
}

fn read_weights(weights: &Value) -> Weights {
    let rows = |of: &str| weights[of].as_array().expect("a list").iter().map(read).collect();
    Weights {
        hidden: rows("hidden"),
        hidden_bias: read(&weights["hidden_bias"]),
        outputs: rows("outputs"),
        output_bias: read(&weights["output_bias"]),
        direct: rows("direct"),
        beside: rows("beside"),
    }
}
