//! How the elements of a field are sent: what the type and the attribute say together.

use proc_macro2::TokenStream;
use syn::{Error, Expr, parse_quote};

use crate::attr::{Rule, RuleKind, Steps};
use crate::check;
use crate::types::{Leaf, Shape};

/// How an element of a field is sent. `args` are the arguments of the attribute, to point at.
pub(crate) enum Wire {
    Unsent,
    Flag,
    FullRange,
    Range {
        lo: Box<Expr>,
        hi: Box<Expr>,
        args: TokenStream,
    },
    /// `vector`: each number of a vector type.
    Step {
        steps: Box<Steps>,
        vector: bool,
        args: TokenStream,
    },
    /// `vector`: each number of a vector type.
    Angle {
        bits: Box<Expr>,
        vector: bool,
        args: TokenStream,
    },
    Rotation {
        bits: Box<Expr>,
        args: TokenStream,
    },
    UnitVector {
        bits: Box<Expr>,
        args: TokenStream,
    },
    Float,
    Reference,
    OptionalReference,
    Text(Box<Expr>),
    /// A type with fields of its own.
    Nested,
}

impl Wire {
    /// What a field of a shape is sent like, by its rule if it has one. Rules for a few numbers together take an array
    /// for the element.
    pub(crate) fn of(rule: Option<&Rule>, shape: &mut Shape) -> Result<Self, Error> {
        let Some(Rule { name, args, kind }) = rule else { return Ok(Self::without_rule(&shape.leaf)) };
        let args = args.clone();
        let vector = matches!(shape.leaf, Leaf::Named(_));
        let leaf = shape.leaf.clone();
        match (kind, &leaf) {
            (RuleKind::Max { max }, Leaf::Int(_)) => {
                check::max(max)?;
                Ok(Self::Range { lo: parse_quote!(0), hi: Box::new(max.clone()), args })
            }
            (RuleKind::Range { lo, hi }, Leaf::Int(_)) => {
                Ok(Self::Range { lo: lo.clone(), hi: hi.clone(), args })
            }
            (RuleKind::Quantize(steps), Leaf::F32 | Leaf::F64 | Leaf::Named(_)) => {
                Ok(Self::Step { steps: steps.clone(), vector, args })
            }
            (RuleKind::Angle { bits }, Leaf::F32 | Leaf::F64 | Leaf::Named(_)) => {
                Ok(Self::Angle { bits: Box::new(bits.clone()), vector, args })
            }
            (RuleKind::Rotation { bits }, Leaf::F32 | Leaf::Named(_)) => {
                take_numbers(shape, 4, "a rotation is four numbers: write `[f32; 4]`")?
                    .ok_or_else(|| check::wrong_type(name, &leaf))?;
                Ok(Self::Rotation { bits: Box::new(bits.clone()), args })
            }
            (RuleKind::UnitVector { bits }, Leaf::F32 | Leaf::Named(_)) => {
                take_numbers(shape, 3, "a unit vector is three numbers: write `[f32; 3]`")?
                    .ok_or_else(|| check::wrong_type(name, &leaf))?;
                Ok(Self::UnitVector { bits: Box::new(bits.clone()), args })
            }
            _ => Err(check::wrong_type(name, &leaf)),
        }
    }

    fn without_rule(leaf: &Leaf) -> Self {
        match leaf {
            Leaf::Bool => Self::Flag,
            Leaf::Int(_) => Self::FullRange,
            Leaf::F32 | Leaf::F64 => Self::Float,
            Leaf::Entity => Self::Reference,
            Leaf::OptionalEntity => Self::OptionalReference,
            Leaf::Text(max) => Self::Text(Box::new(max.clone())),
            Leaf::Named(_) => Self::Nested,
        }
    }
}

/// Takes the array around the elements for the element, where that is no vector type of its own; `None` if there is none.
fn take_numbers(shape: &mut Shape, count: i128, instead: &str) -> Result<Option<()>, Error> {
    if matches!(shape.leaf, Leaf::Named(_)) {
        return Ok(Some(()));
    }
    let Some(length) = shape.take_array() else { return Ok(None) };
    check::length(&length, count, instead).map(Some)
}
