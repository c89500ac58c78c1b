//! `tools schema`: what both sides of the shooter's protocol must agree on, and what leads from one schema to another.

use core::fmt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use ecs_runtime::schema::{DocumentError, Schema, SchemaDocument};
use ecs_runtime::world::GameWorld;
use game_state::GameState;
use serde::Serialize;

use crate::cli::SchemaDiffArgs;

/// Runs the subcommand.
pub(crate) fn run() -> SchemaReport {
    SchemaReport::new(GameState::SCHEMA)
}

/// Runs `tools schema diff`.
pub(crate) fn diff(args: &SchemaDiffArgs) -> Result<DiffReport, SchemaError> {
    let old = read(&args.old)?;
    let new = args.new.as_deref().map_or_else(|| Ok(SchemaDocument::of(GameState::SCHEMA)), read)?;
    Ok(DiffReport::new(&old, &new))
}

/// Why two schemas cannot be compared.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SchemaError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}", path.display())]
    Document { path: PathBuf, source: DocumentError },
}

fn read(path: &Path) -> Result<SchemaDocument, SchemaError> {
    let text =
        fs::read_to_string(path).map_err(|source| SchemaError::Read { path: path.to_owned(), source })?;
    SchemaDocument::from_json(&text).map_err(|source| SchemaError::Document { path: path.to_owned(), source })
}

/// The report of `tools schema`.
#[derive(Debug, Serialize)]
pub(crate) struct SchemaReport {
    #[serde(flatten)]
    document: SchemaDocument,
    /// The text that the hash is of.
    #[serde(skip)]
    text: String,
}

impl SchemaReport {
    fn new(schema: &Schema) -> Self {
        Self { document: SchemaDocument::of(schema), text: schema.to_string() }
    }
}

impl fmt::Display for SchemaReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}hash {}", self.text, self.document.hash)
    }
}

/// The report of `tools schema diff`.
#[derive(Debug, Serialize)]
pub(crate) struct DiffReport {
    /// Whether the two could talk.
    compatible: bool,
    differences: Vec<DiffRow>,
}

#[derive(Debug, Serialize)]
struct DiffRow {
    what: String,
    wire: &'static str,
    saves: &'static str,
}

impl DiffReport {
    fn new(old: &SchemaDocument, new: &SchemaDocument) -> Self {
        let differences = new.diff(old).map(|difference| DiffRow {
            what: difference.to_string(),
            wire: difference.on_the_wire(),
            saves: difference.in_saves(),
        });
        Self { compatible: old.hash == new.hash, differences: differences.collect() }
    }
}

impl fmt::Display for DiffReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for DiffRow { what, wire, saves } in &self.differences {
            writeln!(f, "{what}\n    wire: {wire}\n    saves: {saves}")?;
        }
        let verdict = match (self.compatible, self.differences.len()) {
            (true, 1..) => "the hashes are the same and the schemas are not: one of the files was edited",
            (true, _) => "the same schema: old and new builds can talk",
            (false, 0) => "nothing differs but the hash: one of the files was edited",
            (false, _) => "another schema: old and new builds refuse each other",
        };
        writeln!(f, "{verdict}")
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
    fn the_object_has_every_field_with_its_form_and_its_bits_and_is_read_again() {
        let report = serde_json::to_value(SchemaReport::new(cubes::GameState::SCHEMA)).expect("plain data");
        assert_eq!(report["max_entities"], 901);
        let cube = &report["components"][0];
        assert_eq!((&cube["name"], &cube["words"]), (&"Cube".into(), &8.into()));
        assert_eq!(cube["bits"], 2 + 3 * 9 + 2 * 15 + 13 + 1);
        let interacting = serde_json::json!({
            "name": "interacting", "type": "bool", "form": "flag", "marks": [], "sent": true
        });
        assert_eq!(cube["fields"][2], interacting);
        assert_eq!(cube["fields"][0]["marks"], serde_json::json!(["predict(linear)"]));
        let read = SchemaDocument::from_json(&report.to_string()).expect("its own output");
        assert_eq!(read, SchemaDocument::of(cubes::GameState::SCHEMA));
    }

    #[test]
    fn a_difference_says_what_it_does_and_whether_builds_can_talk() {
        let old = SchemaDocument::of(cubes::GameState::SCHEMA);
        let mut new = old.clone();
        new.hash = "0".into();
        new.components[0].fields.pop();
        let text = DiffReport::new(&old, &new).to_string();
        let name = &old.components[0].fields.last().expect("fields").name;
        let expected = format!(
            "component Cube, field {name}: removed\n    wire: its bits are sent no more\n    \
             saves: its values in old saves are dropped\nanother schema: old and new builds refuse each other\n"
        );
        assert_eq!(text, expected);
        let same = DiffReport::new(&old, &old).to_string();
        assert_eq!(same, "the same schema: old and new builds can talk\n");
    }
}
