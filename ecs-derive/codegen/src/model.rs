//! What an item and its attributes mean together.

use core::fmt::{self, Display};

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DataEnum, DeriveInput, Error, Expr, Fields, Lit, Member, Path, Token, Type};

use crate::args::ItemArgs;
use crate::attr::{self, FieldAttrs, Marks, Predict};
use crate::check;
use crate::errors::{Errors, shown_on};
use crate::indices::{self, FieldIndex};
use crate::names;
use crate::rule::Wire;
use crate::types::Shape;

/// Which macro is expanded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Component,
    Command,
    Event,
    Value,
}

impl Kind {
    /// The kind of a macro's name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "component" => Self::Component,
            "command" => Self::Command,
            "event" => Self::Event,
            "value" => Self::Value,
            _ => return None,
        })
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Component => "#[component]",
            Self::Command => "#[command]",
            Self::Event => "#[event]",
            Self::Value => "#[value]",
        })
    }
}

/// One annotated item.
pub(crate) struct Model {
    pub(crate) kind: Kind,
    pub(crate) body: Body,
    /// Its name on the wire.
    pub(crate) name: String,
    /// The stem of its accessors, in snake case.
    pub(crate) accessor: Ident,
    /// `false` if it is marked `#[dont_send]`.
    pub(crate) sent: bool,
    /// Whether the whole item is marked `#[owner_only]`.
    pub(crate) owner_only: bool,
    /// What is between the parentheses of the attribute.
    pub(crate) args: ItemArgs,
}

pub(crate) enum Body {
    Struct(Variant),
    Enum { variants: Vec<Variant>, default: usize },
}

/// The fields of a struct, or a variant of an enum.
pub(crate) struct Variant {
    /// The variant's name; the struct's.
    pub(crate) ident: Ident,
    /// What its constants are called.
    pub(crate) stem: String,
    pub(crate) style: Style,
    pub(crate) fields: Vec<Field>,
}

/// How fields are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Style {
    /// `A`
    Unit,
    /// `A(u8)`
    Tuple,
    /// `A { b: u8 }`
    Named,
}

/// One field.
pub(crate) struct Field {
    pub(crate) member: Member,
    /// What its constants are called: its name, behind that of its variant.
    pub(crate) stem: String,
    pub(crate) ty: Type,
    pub(crate) shape: Shape,
    /// The type as the schema names it.
    pub(crate) type_name: String,
    pub(crate) wire: Wire,
    pub(crate) default: Default,
    pub(crate) interpolate: bool,
    pub(crate) owner_only: bool,
    pub(crate) owned: bool,
    pub(crate) snap: bool,
    pub(crate) predict: Option<Predict>,
    pub(crate) index: Option<FieldIndex>,
}

/// What a field holds before anything was written to it.
pub(crate) struct Default {
    /// The argument of `#[default]`; zero, `false` or no entity without it.
    pub(crate) value: Option<Expr>,
    /// Whether only the compiler can tell that the value is inside the wire's range.
    pub(crate) unproven: bool,
}

impl Model {
    /// Reads an item and takes our attributes off it, also when there are mistakes.
    pub(crate) fn parse(kind: Kind, args: &TokenStream, input: &mut DeriveInput) -> Result<Self, Error> {
        let mut errors = Errors::default();
        let args = ItemArgs::parse(kind, args, &mut errors);
        check::header(kind, input, &mut errors);
        indices::check_names(&args, input, &mut errors);
        let marks = attr::take_marks(&mut input.attrs, &mut errors);
        check::marks_of_item(kind, &marks, &mut errors);
        // The fields of a generic item name its parameters, which is no mistake of theirs.
        let mut unheard = Errors::default();
        let heard = if input.generics.params.is_empty() { &mut errors } else { &mut unheard };
        let ident = input.ident.clone();
        let body = match &mut input.data {
            Data::Struct(data) => {
                let around = Around { kind, item: &ident, marks: &marks };
                Body::Struct(Variant::parse(&around, ident.clone(), &mut data.fields, heard))
            }
            Data::Enum(data) => Body::parse_enum(&Around { kind, item: &ident, marks: &marks }, data, heard),
            Data::Union(_) => Body::Enum { variants: Vec::new(), default: 0 },
        };
        let mut body = body;
        body.tell_constants_apart();
        let (name, accessor) = names_of(kind, &ident, &args, &mut errors);
        let owner_only = marks.owner_only.is_some();
        errors.finish(Self { kind, body, name, accessor, sent: marks.dont_send.is_none(), owner_only, args })
    }

    /// All fields, of all variants.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &Field> {
        let variants = match &self.body {
            Body::Struct(of) => core::slice::from_ref(of),
            Body::Enum { variants, .. } => variants,
        };
        variants.iter().flat_map(|variant| &variant.fields)
    }
}

/// The name on the wire and the stem of the accessors: the item's, or what `name = ".."` says.
fn names_of(kind: Kind, ident: &Ident, args: &ItemArgs, errors: &mut Errors) -> (String, Ident) {
    let own = ident.unraw().to_string();
    if let Some(name) = &args.name {
        let stem = name.value();
        let accessor = names::is_snake_case(&stem).then(|| names::ident(&stem, shown_on(name))).flatten();
        if let Some(accessor) = accessor {
            check::reserved(&stem, args.singleton, name, errors);
            return (stem, accessor);
        }
        errors.at(name, "accessors are called by this name: write it in snake case, such as \"ship_health\"");
        return (own, ident.clone());
    }
    let stem = names::snake_case(&own);
    if kind == Kind::Component {
        check::reserved(&stem, args.singleton, ident, errors);
    }
    let accessor = names::ident(&stem, shown_on(ident)).unwrap_or_else(|| {
        let text = format!("no accessor can be called `{stem}`: write `#[component(name = \"other\")]`");
        errors.at(ident, text);
        ident.clone()
    });
    (own, accessor)
}

impl Body {
    /// Constants are in capitals, so fields and variants that differ by case alone are numbered.
    fn tell_constants_apart(&mut self) {
        let Self::Enum { variants, .. } = self else {
            if let Self::Struct(of) = self {
                number(of.fields.iter_mut().map(|field| &mut field.stem));
            }
            return;
        };
        number(variants.iter_mut().map(|variant| &mut variant.stem));
        for variant in &mut *variants {
            for field in &mut variant.fields {
                field.stem = format!("{}_{}", variant.stem, field.stem);
            }
        }
        number(variants.iter_mut().flat_map(|variant| &mut variant.fields).map(|field| &mut field.stem));
    }

    fn parse_enum(around: &Around<'_>, data: &mut DataEnum, errors: &mut Errors) -> Self {
        let mut default = None;
        let mut variants = Vec::new();
        for (at, variant) in data.variants.iter_mut().enumerate() {
            if let Some(name) = attr::take_default(&mut variant.attrs, errors)
                && default.replace(at).is_some()
            {
                errors.at(name, "another variant is the `#[default]` already: keep one");
            }
            variants.push(Variant::parse(around, variant.ident.clone(), &mut variant.fields, errors));
        }
        Self::Enum { variants, default: default.unwrap_or(0) }
    }
}

/// Puts a number behind each stem that is another's, but for the case.
fn number<'a>(stems: impl Iterator<Item = &'a mut String>) {
    let mut seen: Vec<String> = Vec::new();
    for stem in stems {
        let (plain, mut number) = (stem.clone(), seen.len());
        while seen.contains(&stem.to_uppercase()) {
            *stem = format!("{plain}__{number}");
            number += 1;
        }
        seen.push(stem.to_uppercase());
    }
}

/// What a field is in.
struct Around<'a> {
    kind: Kind,
    item: &'a Ident,
    marks: &'a Marks,
}

impl Variant {
    fn parse(around: &Around<'_>, ident: Ident, fields: &mut Fields, errors: &mut Errors) -> Self {
        check::fields(fields, errors);
        let style = match fields {
            Fields::Unit => Style::Unit,
            Fields::Unnamed(_) => Style::Tuple,
            Fields::Named(_) => Style::Named,
        };
        let fields = fields.iter_mut().enumerate();
        let fields = fields.filter_map(|(at, field)| Field::parse(around, at, field, errors)).collect();
        Self { stem: ident.unraw().to_string(), ident, style, fields }
    }
}

impl Field {
    fn parse(around: &Around<'_>, at: usize, field: &mut syn::Field, errors: &mut Errors) -> Option<Self> {
        let attrs = FieldAttrs::take(&mut field.attrs, errors);
        check::combinations(around.kind, &attrs, errors);
        check::sent(around.marks, attrs.predict.as_ref(), errors);
        let unsent = attrs.marks.dont_send.is_some();
        let parsed = Shape::parse(&field.ty).and_then(|mut shape| {
            check::endless(around.kind, around.item, &shape)?;
            check::marks(&attrs.marks, &shape, errors);
            check::owned(around.kind, &attrs.marks, &shape, errors);
            check::predict(attrs.predict.as_ref(), &shape, errors);
            let index = FieldIndex::parse(&attrs, &shape, errors);
            let type_name = shape.to_string();
            let wire = if unsent { Wire::Unsent } else { Wire::of(attrs.rule.as_ref(), &mut shape)? };
            check::wire(&wire, &shape.leaf)?;
            Ok((shape, type_name, wire, index))
        });
        let (shape, type_name, wire, index) = match parsed {
            Ok(parsed) => parsed,
            Err(error) => {
                errors.push(error);
                return None;
            }
        };
        let unproven = check::default(&wire, &shape, attrs.default.as_ref(), errors);
        let member = field.ident.clone().map_or(Member::Unnamed(at.into()), Member::Named);
        let snap = (attrs.marks.snap.is_some() || around.marks.snap.is_some()) && !unsent;
        let owner_only = (attrs.marks.owner_only.is_some() || around.marks.owner_only.is_some()) && !unsent;
        Some(Self {
            stem: names::member(&member),
            member,
            ty: field.ty.clone(),
            shape,
            type_name,
            wire,
            default: Default { value: attrs.default, unproven },
            interpolate: attrs.marks.interpolate.is_some(),
            owner_only,
            owned: attrs.marks.owned.is_some(),
            snap,
            predict: attrs.predict.filter(|_| !unsent),
            index,
        })
    }

    pub(crate) fn is_sent(&self) -> bool {
        !matches!(self.wire, Wire::Unsent)
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
