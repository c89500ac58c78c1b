//! The schema as data: to be kept under version control, read by other programs, and compared.

use core::fmt;

use serde::{Deserialize, Serialize};

use super::{Field, Schema, StructSchema};
use crate::data::json_reason;

/// A [`Schema`] as plain data, which is written as JSON and read again.
///
/// ```rust,standalone_crate
/// # use ecs_runtime::prelude::*;
/// # #[component] pub struct Health { #[max(1000)] pub hp: i32 }
/// # ecs_runtime::game_state! { max_entities = 64; Health }
/// use ecs_runtime::schema::SchemaDocument;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let document = SchemaDocument::of(GameState::SCHEMA);
/// let read = SchemaDocument::from_json(&document.to_json())?;
/// assert_eq!(read, document);
/// assert_eq!(read.diff(&document).count(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchemaDocument {
    /// What a connection compares, in 16 hexadecimal digits: more than a JSON number holds exactly.
    pub hash: String,
    /// The largest number of entities.
    pub max_entities: u32,
    /// The components, in the order of the list.
    pub components: Vec<StructDocument>,
    /// The commands, in the order of the list.
    pub commands: Vec<StructDocument>,
    /// The events, in the order of the list.
    pub events: Vec<StructDocument>,
}

/// A component, a command or an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StructDocument {
    /// Its name on the wire.
    pub name: String,
    /// `false` for a struct marked `#[dont_send]`.
    pub sent: bool,
    /// What is between the parentheses of its attribute: `singleton`, `reliable`.
    pub marks: Vec<String>,
    /// Its fields, in order.
    pub fields: Vec<FieldDocument>,
    /// How many integers its sent fields are quantized to.
    pub words: usize,
    /// How many bits these take, each for itself: what the delta codec starts from.
    pub bits: u32,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldDocument {
    /// Its name; for a tuple's field its number.
    pub name: String,
    /// Its type as it stands in the source.
    #[serde(rename = "type")]
    pub type_name: String,
    /// What is around its elements, and how an element is sent.
    pub form: String,
    /// `interpolate`, `snap`, `owner_only`.
    pub marks: Vec<String>,
    /// Whether it is sent.
    pub sent: bool,
}

/// A text is not a schema.
#[derive(Debug, thiserror::Error)]
#[error("no schema, at line {line}, column {column}: {reason}")]
pub struct DocumentError {
    /// The line, from 1; 0 if it is about the whole.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub reason: String,
}

impl SchemaDocument {
    /// The document of a schema.
    #[must_use]
    pub fn of(schema: &Schema) -> Self {
        let documents = |structs: &[&StructSchema]| structs.iter().copied().map(StructDocument::of).collect();
        Self {
            hash: format!("{:016x}", schema.hash()),
            max_entities: schema.max_entities,
            components: documents(schema.components),
            commands: documents(schema.commands),
            events: documents(schema.events),
        }
    }

    /// The document as JSON, of several lines.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Plain data cannot fail to be written to memory.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Reads a document that [`SchemaDocument::to_json`] wrote.
    ///
    /// # Errors
    /// When it is no JSON, has other fields, or names something twice; tells where.
    pub fn from_json(text: &str) -> Result<Self, DocumentError> {
        let document: Self = serde_json::from_str(text).map_err(|error| DocumentError {
            line: error.line(),
            column: error.column(),
            reason: json_reason(&error),
        })?;
        for list in [&document.components, &document.commands, &document.events] {
            if let Some(name) = first_twice(list.iter().map(|of| &*of.name)) {
                return Err(twice(&format!("`{name}`")));
            }
            for of in list {
                if let Some(field) = first_twice(of.fields.iter().map(|field| &*field.name)) {
                    return Err(twice(&format!("the field `{field}` of `{}`", of.name)));
                }
            }
        }
        Ok(document)
    }
}

fn first_twice<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = std::collections::HashSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}

fn twice(what: &str) -> DocumentError {
    DocumentError { line: 0, column: 0, reason: format!("{what} is there twice") }
}

impl StructDocument {
    fn of(schema: &StructSchema) -> Self {
        Self {
            name: schema.name.to_owned(),
            sent: schema.sent,
            marks: schema.marks.iter().map(|mark| (*mark).to_owned()).collect(),
            fields: schema.fields.iter().map(FieldDocument::of).collect(),
            words: schema.words.len(),
            bits: schema.words.iter().map(|word| word.bits()).sum(),
        }
    }
}

impl FieldDocument {
    fn of(field: &Field) -> Self {
        let layers: Vec<_> = field.layers.iter().map(|layer| format!("{layer} ")).collect();
        Self {
            name: field.name.to_owned(),
            type_name: field.type_name.to_owned(),
            form: format!("{}{}", layers.concat(), field.form),
            marks: field.marks().map(str::to_owned).collect(),
            sent: field.is_sent(),
        }
    }
}

impl fmt::Display for FieldDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.type_name, self.form)?;
        self.marks.iter().try_for_each(|mark| write!(f, " {mark}"))
    }
}
