//! Holds what the user wrote against each other: attributes, types, literal numbers.
//!
//! What is no literal is left to the compiler, which sees the expansion's constants.

use proc_macro2::{Ident, TokenStream};
use syn::{Data, DeriveInput, Error, Expr, Fields, Type, TypePath};

use crate::attr::{FieldAttrs, Marks, Predict, Steps};
use crate::errors::Errors;
use crate::literal;
use crate::model::{Kind, derived};
use crate::rule::Wire;
use crate::types::{Int, Layer, Leaf, Shape, spell};

/// More fields than that say that a struct is several components.
const MAX_FIELDS: usize = 64;

/// Refuses items that are no plain structs, or enums where those may be.
pub(crate) fn header(kind: Kind, input: &mut DeriveInput, errors: &mut Errors) {
    input.attrs.retain(|attr| {
        let name = attr.path().segments.last().map(|last| last.ident.to_string());
        let Some(other) = name.as_deref().and_then(Kind::named) else { return true };
        if other == kind {
            errors.at(attr, format_args!("`{kind}` is there twice: keep one"));
        } else {
            errors.at(attr, format_args!("an item is a `{kind}` or a `{other}`: keep one of them"));
        }
        false
    });
    match &input.data {
        Data::Struct(_) => {}
        Data::Enum(data) if kind == Kind::Value => {
            if data.variants.is_empty() {
                errors.at(&input.ident, "an enum without variants has no value: add one");
            }
        }
        Data::Enum(data) => errors.at(
            data.enum_token,
            format_args!("`{kind}` belongs on a struct: write `#[value]` here, and make the enum a field"),
        ),
        Data::Union(data) => {
            errors.at(data.union_token, format_args!("`{kind}` belongs on a struct: write `struct`"));
        }
    }
    let what = if matches!(input.data, Data::Enum(_)) { "enum" } else { "struct" };
    if !input.generics.params.is_empty() {
        errors.at(
            &input.generics,
            format_args!("`{kind}` needs a {what} without generics: write one for each type"),
        );
    }
    if let Some(clause) = &input.generics.where_clause {
        errors.at(clause, format_args!("`{kind}` needs a {what} without a `where` clause: remove it"));
    }
    if let Some(path) = derived(&input.attrs, "Default") {
        let where_to =
            if what == "enum" { "`#[default]` on a variant" } else { "`#[default(..)]` on fields" };
        errors.at(path, format_args!("`{kind}` implements `Default`: remove it here, and put {where_to}"));
    }
}

/// Refuses too many fields.
pub(crate) fn fields(fields: &Fields, errors: &mut Errors) {
    if let Some(field) = fields.iter().nth(MAX_FIELDS) {
        let text = format!("this is field {} of at most {MAX_FIELDS}: split the struct", MAX_FIELDS + 1);
        match &field.ident {
            Some(name) => errors.at(name, text),
            None => errors.at(&field.ty, text),
        }
    }
}

/// Refuses an accessor that would hide a method of the handles, or of the state.
pub(crate) fn reserved(stem: &str, singleton: bool, at: impl quote::ToTokens, errors: &mut Errors) {
    const OF_HANDLES: [&str; 8] = ["id", "get", "get_mut", "has", "add", "remove", "clear", "components"];
    const OF_STATES: [&str; 32] = [
        "default",
        "clone",
        "clone_from",
        "fmt",
        "into",
        "try_into",
        "borrow",
        "create_entity",
        "create_entity_of",
        "spawn",
        "spawn_of",
        "clone_entity",
        "copy_component",
        "reserve",
        "memory",
        "destroy_entity",
        "contains",
        "entity_count",
        "entities",
        "entity",
        "entity_mut",
        "add_all",
        "remove_all",
        "destroy_all",
        "clone_deep",
        "end_tick",
        "fold_indices",
        "check_integrity",
        "reset",
        "copy_from",
        "diff",
        "interpolate",
    ];
    let of_states = singleton && OF_STATES.contains(&stem);
    if of_states || OF_HANDLES.contains(&stem) {
        let whose = if of_states { "the state" } else { "every entity" };
        let text = format!("{whose} has a `{stem}` of its own: write `#[component(name = \"other_name\")]`");
        errors.at(at, text);
    }
}

/// Refuses marks that say nothing on an item of this kind.
pub(crate) fn marks_of_item(kind: Kind, marks: &Marks, errors: &mut Errors) {
    if kind == Kind::Component {
        if marks.dont_send.is_some() {
            for name in marks.iter().filter(|name| *name != "dont_send") {
                errors.at(name, not_sent(name));
            }
        }
        return;
    }
    for name in marks.iter() {
        errors.at(name, out_of_place(kind, name));
    }
}

/// Refuses attributes of a field that contradict each other or the kind of item.
pub(crate) fn combinations(kind: Kind, attrs: &FieldAttrs, errors: &mut Errors) {
    let marks = &attrs.marks;
    if kind != Kind::Component {
        let fits = |name: &Ident| {
            kind == Kind::Value && name == "interpolate" || kind == Kind::Command && name == "owned"
        };
        let refused = |name: &&Ident| !fits(name);
        let predict = attrs.predict.as_ref().map(|predict| &predict.name);
        let relation = attrs.relation.as_ref().map(|relation| &relation.name);
        let others = marks.indices().chain(predict).chain(relation);
        for name in marks.iter().filter(refused).chain(others) {
            errors.at(name, out_of_place(kind, name));
        }
        return;
    }
    if let Some(name) = &marks.owned {
        errors.at(name, out_of_place(kind, name));
    }
    if let (Some(Predict { name, how }), Some(rule)) = (&attrs.predict, &attrs.rule)
        && how == "linear"
        && rule.name == "unit_vector"
    {
        errors.at(
            name,
            "the numbers of a `#[unit_vector(..)]` do not go on as they went: remove `#[predict(linear)]`",
        );
    }
    if marks.dont_send.is_some() {
        let marks = marks.iter().filter(|name| *name != "dont_send" && *name != "owned");
        let predict = attrs.predict.as_ref().map(|predict| &predict.name);
        for name in attrs.rule.as_ref().map(|rule| &rule.name).into_iter().chain(marks).chain(predict) {
            errors.at(name, not_sent(name));
        }
    }
}

/// Refuses to predict a field of what is not sent.
pub(crate) fn sent(of_struct: &Marks, predict: Option<&Predict>, errors: &mut Errors) {
    if let (Some(_), Some(Predict { name, .. })) = (&of_struct.dont_send, predict) {
        errors.at(name, not_sent(name));
    }
}

fn not_sent(name: &Ident) -> String {
    format!("`#[{name}]` is for what is sent: remove it, or remove `#[dont_send]`")
}

fn out_of_place(kind: Kind, name: &Ident) -> String {
    match kind {
        _ if name == "owned" => {
            "`#[owned]` is for the entity that a command is about: remove it, or see `#[owner_only]`"
                .to_owned()
        }
        Kind::Value => {
            format!("`#[{name}]` belongs on the field of the component that this value is in: move it there")
        }
        Kind::Command | Kind::Event if name == "dont_send" => {
            let what = if kind == Kind::Command { "a command" } else { "an event" };
            format!("{what} is there to be sent: remove `#[dont_send]`")
        }
        _ => format!("`#[{name}]` is for components: remove it"),
    }
}

/// Refuses an item inside itself.
pub(crate) fn endless(kind: Kind, item: &Ident, shape: &Shape) -> Result<(), Error> {
    let Type::Path(TypePath { qself: None, path, .. }) = &shape.element else { return Ok(()) };
    if path.is_ident(item) || path.is_ident("Self") {
        let text = format!("a `{kind}` cannot hold itself, it would have no end: refer to it as an `Entity`");
        return Err(Error::new_spanned(path, text));
    }
    Ok(())
}

/// Refuses the mark of the entity that a command is about on anything but one entity.
pub(crate) fn owned(kind: Kind, marks: &Marks, shape: &Shape, errors: &mut Errors) {
    let is_entity = shape.leaf == Leaf::Entity && shape.layers.is_empty();
    if let Some(name) = marks.owned.as_ref().filter(|_| kind == Kind::Command && !is_entity) {
        errors.at(name, "`#[owned]` is for one `Entity`: write it on such a field");
    }
}

/// Refuses to predict what does not move.
pub(crate) fn predict(predict: Option<&Predict>, shape: &Shape, errors: &mut Errors) {
    let Some(Predict { name, how }) = predict else { return };
    let (leaf, arrays) = (&shape.leaf, shape.layers.iter().all(|layer| matches!(layer, Layer::Array(_))));
    let number = matches!(leaf, Leaf::Int(_) | Leaf::F32 | Leaf::F64 | Leaf::Named(_));
    if how == "linear" && !(arrays && number) {
        errors
            .at(name, "`#[predict(linear)]` is for numbers that are always there: write it on such a field");
    }
    if how == "rotation" && !(shape.layers.is_empty() && matches!(leaf, Leaf::Named(_))) {
        let text = "`#[predict(rotation)]` is for a `#[value]` of a rotation's four numbers; a field marked \
                    `#[rotation(..)]` is predicted without it";
        errors.at(name, text);
    }
}

/// Refuses marks that say nothing of a type.
pub(crate) fn marks(marks: &Marks, shape: &Shape, errors: &mut Errors) {
    let leaf = &shape.leaf;
    let no_number = matches!(leaf, Leaf::Bool | Leaf::Entity | Leaf::OptionalEntity | Leaf::Text(_));
    if let (Some(name), true) = (&marks.interpolate, no_number) {
        errors.at(
            name,
            format_args!("there is nothing between two values of `{leaf}`: remove `#[interpolate]`"),
        );
    }
    if let (Some(name), true) = (&marks.snap, no_number) {
        errors.at(name, format_args!("`{leaf}` is sent exactly: remove `#[snap]`"));
    }
}

/// The mistake of an attribute on a field of the wrong type.
pub(crate) fn wrong_type(name: &Ident, leaf: &Leaf) -> Error {
    let instead = match leaf {
        Leaf::Bool => "a `bool` takes one bit as it is: remove the attribute".to_owned(),
        Leaf::Entity | Leaf::OptionalEntity => {
            format!("an `{leaf}` takes as few bits as `max_entities` allows: remove the attribute")
        }
        Leaf::Text(_) => "only the bytes that are there are sent: remove the attribute".to_owned(),
        Leaf::F32 | Leaf::F64 | Leaf::Int(_) if name == "rotation" => {
            "it is four numbers: write `[f32; 4]`, or a quaternion of `glam`".to_owned()
        }
        Leaf::F32 | Leaf::F64 | Leaf::Int(_) if name == "unit_vector" => {
            "it is three numbers: write `[f32; 3]`, or a vector of `glam`".to_owned()
        }
        Leaf::Int(_) => "write `#[max(100)]` or `#[range(1..=100)]`".to_owned(),
        Leaf::F32 | Leaf::F64 => {
            "write `#[quantize(min = -512.0, max = 512.0, step = 0.005)]` or `#[angle(bits = 12)]`".to_owned()
        }
        Leaf::Named(_) => {
            "put it on the fields of that type, write out the type if this is an alias, or write `#[quantize(..)]` \
             for a vector"
                .to_owned()
        }
    };
    Error::new_spanned(name, format_args!("`#[{name}]` is not for `{leaf}`: {instead}"))
}

/// Refuses an array around the elements that has not `count` of them, for a rule that is for so many together.
pub(crate) fn length(length: &Expr, count: i128, instead: &str) -> Result<(), Error> {
    match literal::int(length) {
        Some(other) if other != count => Err(Error::new_spanned(length, instead)),
        _ => Ok(()),
    }
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
pub(crate) fn wire(wire: &Wire, leaf: &Leaf) -> Result<(), Error> {
    let bits_in = |bits: &Expr, range: core::ops::RangeInclusive<i128>, text: &str| match literal::int(bits) {
        Some(count) if !range.contains(&count) => Err(Error::new_spanned(bits, text)),
        _ => Ok(()),
    };
    match (wire, leaf) {
        (Wire::Range { lo, hi, args }, Leaf::Int(int)) => range(lo, hi, args, *int),
        (Wire::Step { steps: numbers, args, .. }, _) => steps(numbers, args),
        (Wire::Angle { bits, .. }, _) => {
            bits_in(bits, 1..=24, "an angle has 1 to 24 bits: 12 tell apart a tenth of a degree")
        }
        (Wire::Rotation { bits, .. }, _) => {
            bits_in(bits, 4..=24, "a rotation has 4 to 24 bits: 10 tell apart a tenth of a degree")
        }
        (Wire::UnitVector { bits, .. }, _) => {
            bits_in(bits, 4..=24, "a unit vector has 4 to 24 bits: 11 tell apart a tenth of a degree")
        }
        _ => Ok(()),
    }
}

fn range(lo: &Expr, hi: &Expr, args: &TokenStream, int: Int) -> Result<(), Error> {
    for bound in [lo, hi] {
        if let Some(suffix) = literal::suffix(bound).filter(|suffix| suffix != int.name) {
            return Err(Error::new_spanned(
                bound,
                format_args!("this is a `{suffix}`, the field a `{}`: leave out the `{suffix}`", int.name),
            ));
        }
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
///
/// Lists and options start empty, and what is in them is written by code.
pub(crate) fn default(wire: &Wire, shape: &Shape, value: Option<&Expr>, errors: &mut Errors) -> bool {
    if shape.layers.iter().any(|layer| !matches!(layer, Layer::Array(_))) {
        // Empty without a default; with one, its literals are looked at.
        if let (Wire::Range { lo, hi, args }, Some(_)) = (wire, value) {
            inside(literal::int, 0, [lo, hi], args, value, errors);
        }
        if let (Wire::Step { steps, args, vector: false }, Some(_)) = (wire, value) {
            inside(literal::float, 0.0, [&steps.min, &steps.max], args, value, errors);
        }
        return false;
    }
    match wire {
        // What a vector is made of, only its library knows; but that it does not start as zeros is clear.
        Wire::Step { steps, args, vector: true } if value.is_none() => {
            let [min, max] = [literal::float(&steps.min), literal::float(&steps.max)];
            if min.is_some_and(|min| min > 0.0) || max.is_some_and(|max| max < 0.0) {
                let instead = "add `#[default(..)]` with a vector inside";
                errors.at(args, format_args!("the field starts as zeros, which is outside: {instead}"));
            }
            false
        }
        Wire::Range { lo, hi, args } => inside(literal::int, 0, [lo, hi], args, value, errors),
        Wire::Step { steps, vector: false, args } => {
            inside(literal::float, 0.0, [&steps.min, &steps.max], args, value, errors)
        }
        Wire::Rotation { args, .. } if value.is_none() && !matches!(shape.leaf, Leaf::Named(_)) => {
            let instead = "add `#[default([0.0, 0.0, 0.0, 1.0])]`, no turn at all";
            errors.at(args, format_args!("the field starts as four zeros, which is no rotation: {instead}"));
            false
        }
        Wire::Rotation { .. } | Wire::UnitVector { .. }
            if value.is_some_and(|value| {
                let elements = literal::elements(value);
                !elements.is_empty() && elements.iter().all(|element| literal::float(element) == Some(0.0))
            }) =>
        {
            errors.at(value, "zeros have no direction: write a value of length 1");
            false
        }
        Wire::UnitVector { args, .. } if value.is_none() => {
            let instead = "add a direction, such as `#[default([1.0, 0.0, 0.0])]`";
            errors.at(args, format_args!("the field starts as zeros, which is no direction: {instead}"));
            false
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
