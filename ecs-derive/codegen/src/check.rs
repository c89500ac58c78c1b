//! Holds what the user wrote against each other: attributes, types, literal numbers.
//!
//! What is no literal is left to the compiler, which sees the expansion's constants.

use proc_macro2::{Ident, TokenStream};
use syn::{Data, DeriveInput, Error, Expr, Fields};

use crate::attr::{FieldAttrs, Steps};
use crate::errors::Errors;
use crate::literal;
use crate::model::{Kind, Wire, derived};
use crate::types::{Int, Scalar, spell};

/// More fields than that say that a struct is several components.
const MAX_FIELDS: usize = 64;

/// Refuses items that are no plain struct.
pub(crate) fn header(kind: Kind, input: &DeriveInput, errors: &mut Errors) {
    match &input.data {
        Data::Struct(_) => {}
        Data::Enum(data) => errors.at(
            data.enum_token,
            format_args!("`{kind}` belongs on a struct: keep an enum in a field, as a `u8`"),
        ),
        Data::Union(data) => {
            errors.at(data.union_token, format_args!("`{kind}` belongs on a struct: write `struct`"));
        }
    }
    if !input.generics.params.is_empty() {
        errors.at(
            &input.generics,
            format_args!("`{kind}` needs a struct without generics: write one struct for each type"),
        );
    }
    if let Some(clause) = &input.generics.where_clause {
        errors.at(clause, format_args!("`{kind}` needs a struct without a `where` clause: remove it"));
    }
    if let Some(path) = derived(&input.attrs, "Default") {
        errors.at(
            path,
            format_args!("`{kind}` implements `Default`: remove it here, and put `#[default(..)]` on fields"),
        );
    }
}

/// Refuses tuples and too many fields.
pub(crate) fn fields(kind: Kind, fields: &Fields, errors: &mut Errors) {
    if let Fields::Unnamed(unnamed) = fields {
        errors.at(
            unnamed,
            format_args!("`{kind}` needs named fields: write `{{ value: ... }}`, or `;` for a tag"),
        );
    }
    if let Some(field) = fields.iter().nth(MAX_FIELDS) {
        errors.at(
            field.ident.as_ref(),
            format_args!("this is field {} of at most {MAX_FIELDS}: split the struct", MAX_FIELDS + 1),
        );
    }
}

/// Refuses attributes that contradict each other or the kind of struct.
pub(crate) fn combinations(kind: Kind, attrs: &FieldAttrs, errors: &mut Errors) {
    if kind == Kind::Command {
        if let Some(name) = &attrs.dont_send {
            errors.at(name, "a command is there to be sent: remove `#[dont_send]`");
        }
        if let Some(name) = &attrs.interpolate {
            errors.at(name, "a command is never interpolated: remove `#[interpolate]`");
        }
        return;
    }
    if attrs.dont_send.is_some() {
        let others = [attrs.rule.as_ref().map(|rule| &rule.name), attrs.interpolate.as_ref()];
        for name in others.into_iter().flatten() {
            errors.at(
                name,
                format_args!("`#[{name}]` is for fields that are sent: remove it, or remove `#[dont_send]`"),
            );
        }
    }
}

/// Refuses `#[interpolate]` where there is nothing between two values.
pub(crate) fn interpolate(attrs: &FieldAttrs, scalar: Scalar, errors: &mut Errors) {
    if let (Some(name), Scalar::Bool | Scalar::Entity | Scalar::OptionalEntity) = (&attrs.interpolate, scalar)
    {
        errors.at(
            name,
            format_args!("there is nothing between two values of `{scalar}`: remove `#[interpolate]`"),
        );
    }
}

/// The mistake of an attribute on a field of the wrong type.
pub(crate) fn wrong_type(name: &Ident, scalar: Scalar) -> Error {
    let instead = match scalar {
        Scalar::Bool => "a `bool` takes one bit as it is: remove the attribute".to_owned(),
        Scalar::Entity | Scalar::OptionalEntity => {
            format!("an `{scalar}` takes as few bits as `max_entities` allows: remove the attribute")
        }
        Scalar::Int(_) => "write `#[max(1000)]` or `#[range(-5..=5)]`".to_owned(),
        Scalar::F32 => {
            "write `#[quantize(min = -512.0, max = 512.0, step = 0.005)]` or `#[angle(bits = 12)]`".to_owned()
        }
    };
    Error::new_spanned(name, format_args!("`#[{name}]` is not for `{scalar}`: {instead}"))
}

/// Refuses a maximum below zero.
pub(crate) fn max(max: &Expr) -> Result<(), Error> {
    match literal::int(max) {
        Some(..0) => Err(Error::new_spanned(
            max,
            "`#[max]` counts from 0: for negative numbers write `#[range(lo..=hi)]`",
        )),
        _ => Ok(()),
    }
}

/// Checks the literal arguments of an attribute.
pub(crate) fn wire(wire: &Wire, scalar: Scalar) -> Result<(), Error> {
    match (wire, scalar) {
        (Wire::Range { lo, hi, args }, Scalar::Int(int)) => range(lo, hi, args, int),
        (Wire::Step { steps: numbers, args }, _) => steps(numbers, args),
        (Wire::Angle { bits, .. }, _) => match literal::int(bits) {
            Some(count) if !(1..=24).contains(&count) => {
                Err(Error::new_spanned(bits, "an angle has 1 to 24 bits: 12 tell apart a tenth of a degree"))
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn range(lo: &Expr, hi: &Expr, args: &TokenStream, int: Int) -> Result<(), Error> {
    for bound in [lo, hi] {
        if literal::int(bound).is_some_and(|value| !(int.min..=int.max).contains(&value)) {
            let Int { name, min, max } = int;
            return Err(Error::new_spanned(
                bound,
                format_args!("this does not fit `{name}`, which is {min}..={max}"),
            ));
        }
    }
    match (literal::int(lo), literal::int(hi)) {
        (Some(lo), Some(hi)) if lo > hi => Err(Error::new_spanned(
            args,
            format_args!("no value is in {lo}..={hi}: write `#[range(lo..=hi)]`, the smaller number first"),
        )),
        _ => Ok(()),
    }
}

fn steps(Steps { min, max, step }: &Steps, args: &TokenStream) -> Result<(), Error> {
    let (min, max, size) = (literal::float(min), literal::float(max), literal::float(step));
    if size.is_some_and(|size| size <= 0.0) {
        return Err(Error::new_spanned(
            step,
            "`step` is the distance between two values: it must be above zero",
        ));
    }
    let (Some(min), Some(max)) = (min, max) else { return Ok(()) };
    if min >= max {
        return Err(Error::new_spanned(
            args,
            "no value is between `min` and `max`: `max` must be above `min`",
        ));
    }
    if size.is_some_and(|size| (max - min) / size >= f64::from(u32::MAX)) {
        return Err(Error::new_spanned(
            step,
            "that makes more than 2^32 steps between `min` and `max`: take a larger `step`",
        ));
    }
    Ok(())
}

/// Checks the default of a field; `true` if only the compiler can tell that it is inside the wire's range.
pub(crate) fn default(wire: &Wire, value: Option<&Expr>, errors: &mut Errors) -> bool {
    match wire {
        Wire::Range { lo, hi, args } => inside(literal::int, 0, [lo, hi], args, value, errors),
        Wire::Step { steps, args } => {
            inside(literal::float, 0.0, [&steps.min, &steps.max], args, value, errors)
        }
        _ => false,
    }
}

fn inside<T: PartialOrd + Copy>(
    literal: fn(&Expr) -> Option<T>,
    zero: T,
    [lo, hi]: [&Expr; 2],
    args: &TokenStream,
    value: Option<&Expr>,
    errors: &mut Errors,
) -> bool {
    let (lowest, highest) = (literal(lo), literal(hi));
    let Some(value) = value else {
        let (below, above) = (lowest.is_some_and(|lo| zero < lo), highest.is_some_and(|hi| zero > hi));
        if below || above {
            let nearest = if below { lo } else { hi };
            errors.at(
                args,
                format_args!("the field starts as 0, which is outside: add `#[default({})]`", spell(nearest)),
            );
        }
        // A range from 0 that is not empty, which its constant asserts, has the 0 in it.
        return !below && !above && lowest != Some(zero) && (lowest.is_none() || highest.is_none());
    };
    let mut unproven = lowest.is_none() || highest.is_none();
    for element in literal::elements(value) {
        match literal(element) {
            Some(number) if lowest.is_some_and(|lo| number < lo) || highest.is_some_and(|hi| number > hi) => {
                errors.at(
                    element,
                    format_args!(
                        "the default is outside {}..={}: write a value inside",
                        spell(lo),
                        spell(hi)
                    ),
                );
                return false;
            }
            Some(_) => {}
            None => unproven = true,
        }
    }
    unproven
}
