//! Priors from files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecs_runtime::codec::{Priors, PriorsError};
use ecs_runtime::schema::Schema;

/// Why a file's priors are not used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PriorsFileError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot use {}", path.display())]
    Priors { path: PathBuf, source: PriorsError },
    #[error("{} was trained for another game, or is damaged: it knows {what}, which this one does not send like that; train anew", path.display())]
    Unused { path: PathBuf, what: String },
}

/// The priors of a file for a schema, or none.
pub(crate) fn load(path: Option<&Path>, schema: &Schema) -> Result<Arc<Priors>, PriorsFileError> {
    let Some(path) = path else { return Ok(Arc::default()) };
    let text = std::fs::read_to_string(path)
        .map_err(|source| PriorsFileError::Read { path: path.into(), source })?;
    let priors =
        Priors::read(&text).map_err(|source| PriorsFileError::Priors { path: path.into(), source })?;
    if let Some((component, field)) = priors.unused(schema).next() {
        let what = match field {
            "" => format!("the component {component:?}"),
            field => format!("{field:?} of {component:?}"),
        };
        return Err(PriorsFileError::Unused { path: path.into(), what });
    }
    Ok(Arc::new(priors))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ecs_runtime::world::GameWorld as _;

    #[test]
    fn a_file_that_cannot_be_used_is_told_with_its_reason() {
        let path = std::env::temp_dir().join(format!("priors-of-nothing-{}.json", std::process::id()));
        let tell = |schema| load(Some(&path), schema).expect_err("of no use").to_string();
        assert!(tell(game_state::GameState::SCHEMA).starts_with("cannot read"));
        std::fs::write(&path, "{}").expect("a temporary file");
        assert!(tell(game_state::GameState::SCHEMA).starts_with("cannot use"));
        let cubes = Priors::default().with_decisions(cubes::GameState::SCHEMA, &[]);
        std::fs::write(&path, cubes.write()).expect("a temporary file");
        assert!(tell(game_state::GameState::SCHEMA).ends_with(
            "was trained for another game, or is damaged: it knows the component \"Cube\", which this one does not send like that; \
             train anew"
        ));
        assert_eq!(*load(Some(&path), cubes::GameState::SCHEMA).expect("of use"), cubes);
        // A field of another size is another field.
        let mut other: serde_json::Value = serde_json::from_str(&cubes.write()).expect("what was written");
        other["components"][0]["fields"][0][1].as_array_mut().expect("probabilities").pop();
        std::fs::write(&path, other.to_string()).expect("a temporary file");
        assert!(tell(cubes::GameState::SCHEMA).contains("it knows \"place\" of \"Cube\", which"));
        std::fs::remove_file(&path).expect("it is there");
        assert_eq!(*load(None, cubes::GameState::SCHEMA).expect("none"), Priors::default());
    }
}
