//! Fields called like what generated code uses.

use ::renamed_runtime::{Entity, command, component, value};

/// Arguments and locals of generated code.
#[component]
#[derive(Debug)]
pub struct Names {
    /// The argument of accessors.
    pub self_: u8,
    /// The writer.
    #[max(LIMIT)]
    pub to: u8,
    /// The reader, and the state before.
    #[interpolate]
    pub from: f32,
    /// The time.
    #[angle(bits = LIMIT as u32)]
    #[interpolate]
    pub t: f32,
    /// A keyword.
    #[range(-5..=5)]
    pub r#type: i8,
}

/// Constants of generated code, and of the user.
#[component]
pub struct Constants {
    /// The table of fields.
    #[max(FIELDS)]
    pub fields: u8,
    /// The words.
    #[max(LIMIT)]
    #[default([LIMIT; WORDS])]
    pub words: [u8; WORDS],
    /// The user's own constant has the field's name.
    #[range(MIN..=MAX)]
    #[default(MIN)]
    pub max: i64,
    /// Limits of other types.
    #[quantize(min = -(LIMIT as f32), max = SIZE, step = STEP)]
    pub wire_max: f32,
    /// Another entity.
    pub other: Entity,
    /// Perhaps one.
    pub row: [::core::option::Option<Entity>; 2],
}

const FIELDS: u8 = 9;
const WORDS: usize = 2;
const LIMIT: u8 = 7;
const MIN: i64 = 3;
const MAX: i64 = 1 << 40;
const SIZE: f32 = 64.0;
const STEP: f64 = 0.5;

/// Called like type parameters and arguments.
#[component]
pub struct Parameters {
    /// A type.
    pub v: V,
    /// A function in a default.
    pub choice: Choice,
    /// Names that differ by case, and by what is put behind them to tell them apart.
    pub a: u8,
    /// Another.
    pub A: u8,
    /// One more.
    pub A__1: u8,
}

/// A type parameter's name.
#[value]
pub struct V {
    /// A value.
    pub variant: u8,
}

/// Its defaults call a function that is named like an argument.
#[value]
pub enum Choice {
    /// One.
    First {
        /// With a value.
        #[default(variant(3))]
        x: u8,
    },
    /// Two.
    Second,
}

const fn variant(number: u8) -> u8 {
    number
}

/// A command's only needs.
#[command]
#[derive(PartialEq)]
pub struct Command {
    /// The writer.
    pub to: bool,
}
