//! What is known beforehand of the data: weights that were trained, or what serves anything that moves.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::contexts::{
    BITS, ComponentContexts, LEAST, OF_COMPONENT, OF_WORD, SHARED, lowered, probability, untrained,
};
use super::layout::contexts;
use super::motion::net::{Net, WeightsError};
use super::motion::weights::Weights;
use crate::schema::{Motion, Schema, StructSchema};

/// How many classes of expected sizes there are: a third of an octave each, from 2^-1.5 on.
pub const BUCKETS: usize = 32;

/// What is known of the fields of a game before it is played, to tell of them in fewer bytes.
///
/// It is made by training on what was recorded or played (`tools train`), and has to be the same on both sides of a
/// connection, see [`Priors::identity`]. What it does not know is coded as without it; what it knows of components or
/// fields that the game does not have is of no use, and [`Priors::unused`] tells of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Priors {
    /// For each class of an expected size, a third of an octave each, the order of the exp-Golomb code.
    orders: Vec<u8>,
    /// How likely decisions are that all schemas have, in 32768ths; none if that is not known.
    decisions: Vec<u16>,
    /// The same of decisions that are a component's own, and of its words, by component.
    components: Vec<ComponentPriors>,
    /// How fields move.
    fields: Vec<FieldPriors>,
}

/// Priors as they are read, before they are checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "Priors")]
struct Unchecked {
    orders: Vec<u8>,
    decisions: Vec<u16>,
    components: Vec<ComponentPriors>,
    fields: Vec<FieldPriors>,
}

/// How likely the decisions of a component are, in 32768ths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ComponentPriors {
    component: String,
    own: Vec<u16>,
    /// By field, those of its words.
    fields: Vec<(String, Vec<u16>)>,
}

/// What is known of a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldPriors {
    component: String,
    field: String,
    motion: Motion,
    weights: Weights,
}

/// Why priors cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PriorsError {
    /// The text is not priors at all, or is damaged.
    #[error("these are no priors")]
    Text(#[from] serde_json::Error),
    /// The orders are not one for each class, or too large.
    #[error("the orders are not {BUCKETS} numbers up to 24")]
    Orders,
    /// The probabilities of decisions that all schemas have are of another number: so many.
    #[error("the probabilities of decisions are {0} numbers, not {SHARED}")]
    Decisions(usize),
    /// The probabilities of the decisions that are a component's own are of another number.
    #[error("the component {0:?} itself has not {OF_COMPONENT} probabilities")]
    Own(String),
    /// A probability is out of range.
    #[error("a probability of {place} is {found}, not {LEAST} to {MOST}")]
    Probability {
        /// What it is one of.
        place: String,
        /// The number.
        found: u16,
    },
    /// The weights of a field are not as its motion needs them.
    #[error("the priors of the field {field:?} of {component:?} are wrong")]
    Field {
        /// The component's name.
        component: String,
        /// The field's name.
        field: String,
        /// What is wrong.
        source: WeightsError,
    },
    /// A component comes twice.
    #[error("the component {0:?} comes twice")]
    ComponentTwice(String),
    /// A field comes twice.
    #[error("the field {field:?} of {component:?} comes twice")]
    Twice {
        /// The component's name.
        component: String,
        /// The field's name.
        field: String,
    },
}

/// The orders by a distribution with P(|e| > x) = (1 + x / 2b)^-2.5, where b is the middle of the class: the cheapest.
const ORDERS: [u8; BUCKETS] =
    [0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9];

impl Default for Priors {
    fn default() -> Self {
        Self { orders: ORDERS.to_vec(), decisions: Vec::new(), components: Vec::new(), fields: Vec::new() }
    }
}

impl Priors {
    /// Reads priors as [`Priors::write`] writes them.
    ///
    /// # Errors
    /// Where the text is damaged, or no numbers that a net can have.
    pub fn read(text: &str) -> Result<Self, PriorsError> {
        let Unchecked { orders, decisions, components, fields } = serde_json::from_str(text)?;
        let priors = Self { orders, decisions, components, fields };
        if priors.orders.len() != BUCKETS || priors.orders.iter().any(|order| *order > 24) {
            return Err(PriorsError::Orders);
        }
        if !matches!(priors.decisions.len(), 0 | SHARED) {
            return Err(PriorsError::Decisions(priors.decisions.len()));
        }
        expect_probable(&priors.decisions, || "`decisions`".into())?;
        let mut components = HashSet::new();
        for known in &priors.components {
            let component = &known.component;
            if !components.insert(component) {
                return Err(PriorsError::ComponentTwice(component.clone()));
            }
            if known.own.len() != OF_COMPONENT as usize {
                return Err(PriorsError::Own(component.clone()));
            }
            expect_probable(&known.own, || format!("{component:?}"))?;
            let mut fields = HashSet::new();
            for (field, probabilities) in &known.fields {
                if !fields.insert(field) {
                    return Err(PriorsError::Twice { component: component.clone(), field: field.clone() });
                }
                expect_probable(probabilities, || format!("{field:?} of {component:?}"))?;
            }
        }
        let mut fields = HashSet::new();
        for known in &priors.fields {
            let (component, field) = (known.component.clone(), known.field.clone());
            if !fields.insert((&known.component, &known.field)) {
                return Err(PriorsError::Twice { component, field });
            }
            Net::new(known.motion, &known.weights).map_err(|source| PriorsError::Field {
                component,
                field,
                source,
            })?;
        }
        Ok(priors)
    }

    /// The priors as text: one object in JSON.
    #[must_use]
    pub fn write(&self) -> String {
        // Nothing in it can fail to be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// A number that two priors share if they say the same, and hardly ever else; 0 for those that are the default.
    #[must_use]
    pub fn identity(&self) -> u64 {
        if *self == Self::default() { 0 } else { crate::schema::fnv(self.write()).max(1) }
    }

    /// What these priors know that a schema does not have, or has in another size: the names of components and fields, and no
    /// field where it is the component itself.
    pub fn unused<'a>(&'a self, schema: &'a Schema) -> impl Iterator<Item = (&'a str, &'a str)> {
        let find = |name: &str| schema.components.iter().find(|component| component.name == name);
        let moving = self
            .fields
            .iter()
            .filter(move |known| !find(&known.component).is_some_and(|component| known.is_in(component)));
        let moving = moving.map(|known| (known.component.as_str(), known.field.as_str()));
        let components = self.components.iter().filter(move |known| find(&known.component).is_none());
        let components = components.map(|known| (known.component.as_str(), ""));
        let fields = self.components.iter().filter_map(move |known| Some((known, find(&known.component)?)));
        let fields = fields.flat_map(|(known, component)| {
            let is_sent = |(name, probabilities): &&(String, Vec<u16>)| {
                let len = probabilities.len();
                let mut sent = component.sent_fields();
                sent.any(|field| field.name == name && field.words() * OF_WORD as usize == len)
            };
            let fields = known.fields.iter().filter(move |field| !is_sent(field));
            fields.map(|(name, _)| (known.component.as_str(), name.as_str()))
        });
        moving.chain(components).chain(fields)
    }

    /// The same with what was learned of a field.
    ///
    /// # Errors
    /// Where the weights are not as the motion needs them.
    pub fn with_field(
        mut self,
        component: &str,
        field: &str,
        motion: Motion,
        weights: Weights,
    ) -> Result<Self, PriorsError> {
        let (component, field) = (component.to_owned(), field.to_owned());
        match Net::new(motion, &weights) {
            Ok(_) => {
                self.fields.retain(|known| !known.is_of(&component, &field));
                self.fields.push(FieldPriors { component, field, motion, weights });
                Ok(self)
            }
            Err(source) => Err(PriorsError::Field { component, field, source }),
        }
    }

    /// The same with other orders.
    ///
    /// # Errors
    /// Where one is above 24.
    pub fn with_orders(self, orders: [u8; BUCKETS]) -> Result<Self, PriorsError> {
        if orders.iter().any(|order| *order > 24) {
            return Err(PriorsError::Orders);
        }
        Ok(Self { orders: orders.to_vec(), ..self })
    }

    /// The same with how often decisions came out true, as [`Lessons::decisions`](super::Lessons::decisions) counted them
    /// for a schema.
    #[must_use]
    pub fn with_decisions(mut self, schema: &Schema, counts: &[[u32; 2]]) -> Self {
        let likely = |context: usize| {
            let [no, yes] = counts.get(context).copied().unwrap_or_default().map(f64::from);
            probability((yes + 0.4) / (no + yes + 0.8))
        };
        let untrained = untrained(|bucket| self.code_order(bucket));
        self.decisions = (0..SHARED)
            .map(|context| match counts.get(context) {
                // What was hardly ever decided says little.
                Some([no, yes]) if no.saturating_add(*yes) >= 8 => likely(context),
                _ => untrained[context],
            })
            .collect();
        let all = schema.components.iter().zip(contexts(schema)).filter(|(component, _)| component.sent);
        let components = all.map(|(component, contexts)| {
            let mut at = contexts.words as usize;
            let fields = component.sent_fields().map(|field| {
                let len = field.words() * OF_WORD as usize;
                at += len;
                (field.name.to_owned(), (at - len..at).map(likely).collect())
            });
            ComponentPriors {
                component: component.name.to_owned(),
                own: (0..OF_COMPONENT).map(|own| likely((contexts.own + own) as usize)).collect(),
                fields: fields.collect(),
            }
        });
        self.components = components.collect();
        self
    }

    /// The probabilities of all decisions of a schema, by context.
    pub(super) fn table(&self, schema: &Schema, contexts: &[ComponentContexts]) -> Vec<u16> {
        let mut table = untrained(|bucket| self.code_order(bucket));
        if self.decisions.len() == SHARED {
            table.copy_from_slice(&self.decisions);
        }
        for (component, of) in schema.components.iter().zip(contexts) {
            let known = self.components.iter().find(|known| known.component == component.name);
            let own = known.map_or(&[][..], |known| &known.own);
            table.resize(of.own as usize, 1 << (BITS - 1));
            table.extend(own.iter().take(OF_COMPONENT as usize));
            table.resize(of.words as usize, 1 << (BITS - 1));
            let mut end = table.len();
            for field in component.sent_fields() {
                let trained =
                    known.and_then(|known| known.fields.iter().find(|(name, _)| name == field.name));
                let len = field.words() * OF_WORD as usize;
                end += len;
                // A field of another size is another field.
                let trained = trained.map(|(_, trained)| trained).filter(|trained| trained.len() == len);
                table.extend(trained.map_or(&[][..], Vec::as_slice));
                table.resize(end, 1 << (BITS - 1));
            }
        }
        table
    }

    /// The order of the code of a class where decisions are modelled.
    fn code_order(&self, bucket: usize) -> u32 {
        lowered(self.orders.get(bucket).copied().map_or(0, u32::from))
    }

    /// The weights of a field that moves so, if they are known.
    pub(super) fn net(&self, component: &str, field: &str, motion: Motion) -> Option<Net> {
        let known =
            self.fields.iter().find(|known| known.is_of(component, field) && known.motion == motion)?;
        Net::new(motion, &known.weights).ok()
    }

    /// The order of the exp-Golomb code of each class.
    #[must_use]
    pub fn orders(&self) -> [u8; BUCKETS] {
        core::array::from_fn(|at| self.orders.get(at).copied().unwrap_or(0))
    }
}

/// The largest probability.
const MOST: u16 = (1 << BITS) - LEAST;

fn expect_probable(probabilities: &[u16], place: impl Fn() -> String) -> Result<(), PriorsError> {
    match probabilities.iter().find(|probability| !(LEAST..=MOST).contains(*probability)) {
        Some(&found) => Err(PriorsError::Probability { place: place(), found }),
        None => Ok(()),
    }
}

impl FieldPriors {
    fn is_of(&self, component: &str, field: &str) -> bool {
        self.component == component && self.field == field
    }

    fn is_in(&self, component: &StructSchema) -> bool {
        component.sent_fields().any(|field| field.name == self.field && field.motion == Some(self.motion))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn priors() -> Priors {
        let weights = Weights { output_bias: vec![5; 21], ..Weights::linear() };
        Priors::default().with_field("Body", "place", Motion::Linear, weights).expect("as it should be")
    }

    #[test]
    fn what_is_written_is_read_and_has_the_same_identity() {
        let (priors, text) = (priors(), priors().write());
        let back = Priors::read(&text).expect("what was written");
        assert_eq!((&back, back.identity()), (&priors, priors.identity()));
        assert_ne!(priors.identity(), 0);
        assert_eq!(Priors::default().identity(), 0);
        let other = priors.with_orders([3; BUCKETS]).expect("orders in range");
        assert_ne!(other.identity(), back.identity());
    }

    #[test]
    fn damage_is_told_by_place() {
        let text = priors().write();
        let error = |text: &str| Priors::read(text).expect_err("damaged");
        assert!(matches!(error(&text[..text.len() / 2]), PriorsError::Text(_)));
        assert!(matches!(error(&text.replacen("place", "place\",\"x\":\"", 1)), PriorsError::Text(_)));
        assert!(matches!(error(&text.replacen("[0,", "[99,", 1)), PriorsError::Orders));
        let message = error(&text.replacen("[5,5,", "[5,", 1)).to_string();
        assert_eq!(message, "the priors of the field \"place\" of \"Body\" are wrong");
        let twice = Priors { fields: [priors().fields, priors().fields].concat(), ..priors() };
        assert!(matches!(error(&twice.write()), PriorsError::Twice { .. }));
    }

    #[test]
    fn probabilities_of_another_number_or_twice_are_refused_by_name() {
        let known = |own: usize, fields: &[&str]| {
            let fields = fields.iter().map(|name| ((*name).to_owned(), vec![LEAST; 2])).collect();
            ComponentPriors { component: "Body".into(), own: vec![MOST; own], fields }
        };
        let tell = |known| {
            let priors = Priors { components: vec![known], ..Priors::default() };
            Priors::read(&priors.write()).map_err(|error| error.to_string()).map(|_| ())
        };
        assert_eq!(tell(known(3, &["place", "hp"])), Ok(()));
        assert_eq!(tell(known(2, &[])), Err("the component \"Body\" itself has not 3 probabilities".into()));
        assert_eq!(tell(known(3, &["hp", "hp"])), Err("the field \"hp\" of \"Body\" comes twice".into()));
        let mut wrong = known(3, &["hp"]);
        wrong.fields[0].1[1] = LEAST - 1;
        assert_eq!(tell(wrong), Err("a probability of \"hp\" of \"Body\" is 23, not 24 to 32744".into()));
    }

    #[test]
    fn what_a_schema_does_not_have_is_of_no_use_and_told() {
        const SCHEMA: Schema = Schema { max_entities: 8, components: &[], commands: &[], events: &[] };
        assert_eq!(priors().unused(&SCHEMA).collect::<Vec<_>>(), [("Body", "place")]);
    }
}
