//! What a struct and its attributes mean together.

use core::fmt::{self, Display};

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DeriveInput, Error, Expr, Fields, Lit, Path, Token, Type, parse_quote};

use crate::attr::{self, FieldAttrs, Rule, RuleKind, Steps};
use crate::check;
use crate::errors::{Errors, shown_on};
use crate::names;
use crate::types::{Scalar, Shape};

/// Which macro is expanded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Component,
    Command,
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Component => "#[component]",
            Self::Command => "#[command]",
        })
    }
}

/// One annotated struct.
pub(crate) struct Struct {
    pub(crate) kind: Kind,
    /// Whether it has no braces.
    pub(crate) unit: bool,
    pub(crate) fields: Vec<Field>,
    /// `false` if it is marked `#[dont_send]`.
    pub(crate) sent: bool,
    /// The stem of its accessors, in snake case.
    pub(crate) accessor: Ident,
}

/// One field.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) shape: Shape,
    pub(crate) wire: Wire,
    pub(crate) default: Default,
    pub(crate) interpolate: bool,
}

/// How an element of a field is sent. `args` are the arguments of the attribute, to point at.
pub(crate) enum Wire {
    Unsent,
    Flag,
    FullRange,
    Range { lo: Box<Expr>, hi: Box<Expr>, args: TokenStream },
    Step { steps: Box<Steps>, args: TokenStream },
    Angle { bits: Box<Expr>, args: TokenStream },
    Float,
    Reference,
    OptionalReference,
}

/// What a field holds before anything was written to it.
pub(crate) struct Default {
    /// The argument of `#[default]`; zero, `false` or no entity without it.
    pub(crate) value: Option<Expr>,
    /// Whether only the compiler can tell that the value is inside the wire's range.
    pub(crate) unproven: bool,
}

impl Struct {
    /// Reads a struct and takes our attributes off it, also when there are mistakes.
    pub(crate) fn parse(kind: Kind, args: &TokenStream, input: &mut DeriveInput) -> Result<Self, Error> {
        let mut errors = Errors::default();
        if !args.is_empty() {
            errors.at(args, format_args!("`{kind}` takes no arguments: write `{kind}`"));
        }
        check::header(kind, input, &mut errors);
        let dont_send = attr::take_dont_send(&mut input.attrs, &mut errors);
        if let (Kind::Command, Some(name)) = (kind, &dont_send) {
            errors.at(name, "a command is there to be sent: remove `#[dont_send]`");
        }
        // The fields of a generic struct name its parameters, which is no mistake of theirs.
        let mut unheard = Errors::default();
        let heard = if input.generics.params.is_empty() { &mut errors } else { &mut unheard };
        let fields = parse_fields(kind, &mut input.data, heard);
        let stem = names::snake_case(&input.ident.unraw().to_string());
        let accessor = names::ident(&stem, shown_on(&input.ident)).unwrap_or_else(|| {
            errors.at(&input.ident, format_args!("no accessor can be called `{stem}`: rename the struct"));
            input.ident.clone()
        });
        let unit = matches!(&input.data, Data::Struct(data) if matches!(data.fields, Fields::Unit));
        errors.finish(Self { kind, unit, fields, sent: dont_send.is_none(), accessor })
    }
}

fn parse_fields(kind: Kind, data: &mut Data, errors: &mut Errors) -> Vec<Field> {
    let Data::Struct(data) = data else { return Vec::new() };
    check::fields(kind, &data.fields, errors);
    data.fields.iter_mut().filter_map(|field| Field::parse(kind, field, errors)).collect()
}

impl Field {
    fn parse(kind: Kind, field: &mut syn::Field, errors: &mut Errors) -> Option<Self> {
        let attrs = FieldAttrs::take(&mut field.attrs, errors);
        check::combinations(kind, &attrs, errors);
        let parsed = Shape::parse(&field.ty).and_then(|shape| {
            check::interpolate(&attrs, shape.scalar, errors);
            let wire = Wire::of(&attrs, shape.scalar)?;
            check::wire(&wire, shape.scalar)?;
            Ok((shape, wire))
        });
        let (shape, wire) = match parsed {
            Ok(parsed) => parsed,
            Err(error) => {
                errors.push(error);
                return None;
            }
        };
        let unproven = check::default(&wire, attrs.default.as_ref(), errors);
        Some(Self {
            ident: field.ident.clone()?,
            ty: field.ty.clone(),
            shape,
            wire,
            default: Default { value: attrs.default, unproven },
            interpolate: attrs.interpolate.is_some(),
        })
    }

    pub(crate) fn is_sent(&self) -> bool {
        !matches!(self.wire, Wire::Unsent)
    }
}

impl Wire {
    fn of(attrs: &FieldAttrs, scalar: Scalar) -> Result<Self, Error> {
        if attrs.dont_send.is_some() {
            return Ok(Self::Unsent);
        }
        let Some(Rule { name, args, kind }) = &attrs.rule else {
            return Ok(match scalar {
                Scalar::Bool => Self::Flag,
                Scalar::Int(_) => Self::FullRange,
                Scalar::F32 => Self::Float,
                Scalar::Entity => Self::Reference,
                Scalar::OptionalEntity => Self::OptionalReference,
            });
        };
        let args = args.clone();
        match (kind, scalar) {
            (RuleKind::Max { max }, Scalar::Int(_)) => {
                check::max(max)?;
                Ok(Self::Range { lo: parse_quote!(0), hi: Box::new(max.clone()), args })
            }
            (RuleKind::Range { lo, hi }, Scalar::Int(_)) => {
                Ok(Self::Range { lo: lo.clone(), hi: hi.clone(), args })
            }
            (RuleKind::Quantize(steps), Scalar::F32) => Ok(Self::Step { steps: steps.clone(), args }),
            (RuleKind::Angle { bits }, Scalar::F32) => Ok(Self::Angle { bits: Box::new(bits.clone()), args }),
            _ => Err(check::wrong_type(name, scalar)),
        }
    }
}

/// The path by which an item derives a trait called `name`.
pub(crate) fn derived(attrs: &[Attribute], name: &str) -> Option<Path> {
    attrs
        .iter()
        .filter(|attr| attr.path().is_ident("derive"))
        .filter_map(|attr| {
            let list = attr.meta.require_list().ok()?;
            list.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated).ok()
        })
        .flatten()
        .find(|path| path.segments.last().is_some_and(|last| last.ident == name))
}

/// The first line of an item's documentation.
pub(crate) fn first_doc_line(attrs: &[Attribute]) -> Option<String> {
    let doc = attrs.iter().find(|attr| attr.path().is_ident("doc"))?;
    let Expr::Lit(value) = &doc.meta.require_name_value().ok()?.value else { return None };
    let Lit::Str(text) = &value.lit else { return None };
    let text = text.value();
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}
