//! A made-up crate at the end of a team's dependencies: many components, in a folder of its own that is gone afterwards.
//!
//! Its components and the list of `game_state!` are written by `components`, its folder and cargo are in `scratch`. What
//! else is in the crate, and what is measured, is up to those who use this.

pub(super) mod components;
pub(super) mod cost;
pub(super) mod scratch;

use std::io;
use std::path::PathBuf;

pub(super) use cost::Cost;
pub(super) use scratch::{Crate, Scratch};

/// One file of the crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File {
    /// From the crate's folder.
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl File {
    pub(super) fn new(path: impl Into<PathBuf>, text: String) -> Self {
        Self { path: path.into(), text }
    }
}

/// Why the crate was not made, or not compiled.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LeafError {
    #[error("the source of {name} is not at {} any more, where it was when this tool was built", folder.display())]
    NoDependency { name: &'static str, folder: PathBuf },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot start {}", program.display())]
    Start { program: PathBuf, source: io::Error },
    /// With what cargo wrote to standard error.
    #[error("`cargo {command}` fails\n{stderr}")]
    Cargo { command: String, stderr: String },
}
