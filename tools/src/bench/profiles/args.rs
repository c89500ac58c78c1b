//! The arguments of `tools bench profiles`.

use core::fmt;
use core::str::FromStr;

use bench_worlds::Spread;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::sources::MAX_ENTITIES;

#[derive(Clone, Debug, Args)]
pub(crate) struct ProfilesArgs {
    /// How many component types and how many systems: ratios are to the first of these. A program of 512/64 takes many
    /// minutes to compile.
    #[arg(long, value_delimiter = ',', default_value = "32/16,128/32")]
    pub(crate) profiles: Vec<Shape>,
    /// How many entities there are. A million of them, mixed, take gigabytes.
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000", value_parser = entities())]
    pub(crate) entities: Vec<u32>,
    /// In what order the entities are created: those of a family together, or mixed.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "sorted,mixed")]
    pub(crate) spread: Vec<SpreadArg>,
    /// How many fields each component has. What is above 64 could be more than a packet holds.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) fields: u16,
    /// How often each program runs, by turns; the quickest figures count.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) rounds: u32,
    /// Count instructions and cache misses by valgrind with so many entities; 10,000 unless told.
    #[arg(long, value_name = "ENTITIES", num_args = 0..=1, value_delimiter = ',', default_missing_value = "10000", value_parser = entities())]
    pub(crate) cachegrind: Vec<u32>,
    /// Keep the program of each profile in this folder, for a profiler.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) keep: Option<std::path::PathBuf>,
}

fn entities() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(MAX_ENTITIES))
}

/// How many component types a crate has, and how many systems. Written `32/16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Shape {
    pub(crate) components: u16,
    pub(crate) systems: u16,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.components, self.systems)
    }
}

/// Why a text is no [`Shape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ShapeError {
    #[error("write component types and systems, such as `32/16`")]
    Form,
    #[error("between 4 and 8192 component types")]
    Components,
    /// Each system is given two components of its own.
    #[error("between 1 system and half as many as there are component types")]
    Systems,
}

impl FromStr for Shape {
    type Err = ShapeError;

    fn from_str(text: &str) -> Result<Self, ShapeError> {
        let (components, systems) = text.split_once('/').ok_or(ShapeError::Form)?;
        let number = |text: &str| text.trim().parse().map_err(|_| ShapeError::Form);
        let shape = Self { components: number(components)?, systems: number(systems)? };
        if !(4..=8192).contains(&shape.components) {
            return Err(ShapeError::Components);
        }
        if shape.systems == 0 || shape.systems > shape.components / 2 {
            return Err(ShapeError::Systems);
        }
        Ok(shape)
    }
}

/// A [`Spread`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpreadArg {
    /// As if each family had a kind of its own.
    Sorted,
    /// Neighbours have nothing in common: the worst for tables by stable slot.
    Mixed,
}

impl From<SpreadArg> for Spread {
    fn from(spread: SpreadArg) -> Self {
        match spread {
            SpreadArg::Sorted => Self::Sorted,
            SpreadArg::Mixed => Self::Mixed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_read_and_written_the_same() {
        let shape: Shape = "512/64".parse().expect("a shape");
        assert_eq!((shape.components, shape.systems, shape.to_string().as_str()), (512, 64, "512/64"));
        for (text, error) in [
            ("512", ShapeError::Form),
            ("a/1", ShapeError::Form),
            ("3/1", ShapeError::Components),
            ("8193/1", ShapeError::Components),
            ("8/5", ShapeError::Systems),
            ("8/0", ShapeError::Systems),
        ] {
            assert_eq!(text.parse::<Shape>(), Err(error), "{text}");
        }
    }
}
