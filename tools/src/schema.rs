//! `tools schema`: what both sides of the shooter's protocol must agree on.

use core::fmt;

use ecs_runtime::schema::{Field, Schema, StructSchema};
use ecs_runtime::world::GameWorld;
use game_state::GameState;
use serde::Serialize;

/// Runs the subcommand.
pub(crate) fn run() -> SchemaReport {
    SchemaReport::new(GameState::SCHEMA)
}

/// The report of `tools schema`.
#[derive(Debug, Serialize)]
pub(crate) struct SchemaReport {
    /// What a connection compares, in 16 hexadecimal digits: more than a JSON number holds exactly.
    hash: String,
    max_entities: u32,
    components: Vec<StructRow>,
    commands: Vec<StructRow>,
    /// The text that the hash is of.
    #[serde(skip)]
    text: String,
}

/// A component or a command.
#[derive(Debug, Serialize)]
struct StructRow {
    name: &'static str,
    sent: bool,
    fields: Vec<FieldRow>,
    /// How many integers its sent fields are quantized to.
    words: usize,
    /// How many bits these take, each for itself: what the delta codec starts from.
    bits: u32,
}

#[derive(Debug, Serialize)]
struct FieldRow {
    name: &'static str,
    #[serde(rename = "type")]
    type_name: &'static str,
    form: String,
    /// How many elements of that form it has.
    count: usize,
    sent: bool,
    interpolate: bool,
}

impl SchemaReport {
    fn new(schema: &Schema) -> Self {
        let rows = |structs: &[&StructSchema]| structs.iter().map(|schema| StructRow::new(schema)).collect();
        Self {
            hash: format!("{:016x}", schema.hash()),
            max_entities: schema.max_entities,
            components: rows(schema.components),
            commands: rows(schema.commands),
            text: schema.to_string(),
        }
    }
}

impl StructRow {
    fn new(schema: &StructSchema) -> Self {
        Self {
            name: schema.name,
            sent: schema.sent,
            fields: schema.fields.iter().map(FieldRow::new).collect(),
            words: schema.words.len(),
            bits: schema.words.iter().map(|word| word.bits()).sum(),
        }
    }
}

impl FieldRow {
    fn new(field: &Field) -> Self {
        Self {
            name: field.name,
            type_name: field.type_name,
            form: field.form.to_string(),
            count: field.count,
            sent: field.is_sent(),
            interpolate: field.interpolate,
        }
    }
}

impl fmt::Display for SchemaReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}hash {}", self.text, self.hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_the_schema_and_its_hash() {
        let schema = cubes::GameState::SCHEMA;
        let text = SchemaReport::new(schema).to_string();
        assert_eq!(text, format!("{schema}hash {:016x}\n", schema.hash()));
    }

    #[test]
    fn the_object_has_every_field_with_its_form_and_its_bits() {
        let report = serde_json::to_value(SchemaReport::new(cubes::GameState::SCHEMA)).expect("plain data");
        assert_eq!(report["max_entities"], 901);
        let cube = &report["components"][0];
        assert_eq!((&cube["name"], &cube["words"]), (&"Cube".into(), &8.into()));
        assert_eq!(cube["bits"], 2 + 3 * 9 + 2 * 15 + 13 + 1);
        let y = serde_json::json!({
            "name": "y", "type": "i32", "form": "-16383..=16383", "count": 1, "sent": true, "interpolate": false
        });
        assert_eq!(cube["fields"][5], y);
        assert_eq!(report["commands"], serde_json::json!([]));
    }
}
