//! Reads our attributes on a field or a struct, and takes them off.

use proc_macro2::{Ident, TokenStream};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, Meta, MetaList, RangeLimits, Token};

use crate::edit_distance;
use crate::errors::Errors;
use crate::literal;
use crate::types::spell;

/// The attributes that belong on a field.
const ON_FIELDS: [&str; 7] = ["max", "range", "quantize", "angle", "default", "interpolate", "dont_send"];

/// What our attributes say of one field.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    pub(crate) rule: Option<Rule>,
    pub(crate) default: Option<Expr>,
    /// The name in the attribute, to point at.
    pub(crate) interpolate: Option<Ident>,
    /// The name in the attribute, to point at.
    pub(crate) dont_send: Option<Ident>,
}

/// The one attribute that says how the field is sent.
pub(crate) struct Rule {
    /// The name in the attribute, to point at.
    pub(crate) name: Ident,
    /// Its arguments, to point at.
    pub(crate) args: TokenStream,
    pub(crate) kind: RuleKind,
}

pub(crate) enum RuleKind {
    /// `#[max(max)]`
    Max { max: Expr },
    /// `#[range(lo..=hi)]`
    Range { lo: Box<Expr>, hi: Box<Expr> },
    /// `#[quantize(min = .., max = .., step = ..)]`
    Quantize(Box<Steps>),
    /// `#[angle(bits = ..)]`
    Angle { bits: Expr },
}

/// The arguments of `#[quantize(..)]`.
#[derive(Clone)]
pub(crate) struct Steps {
    pub(crate) min: Expr,
    pub(crate) max: Expr,
    pub(crate) step: Expr,
}

impl FieldAttrs {
    /// Takes our attributes off a field.
    pub(crate) fn take(attrs: &mut Vec<Attribute>, errors: &mut Errors) -> Self {
        let mut taken = Self::default();
        let mut seen: Vec<Ident> = Vec::new();
        attrs.retain(|attr| {
            let Some(name) = attr.path().get_ident() else { return true };
            if name == "cfg" {
                errors.at(
                    attr,
                    "a field cannot depend on `cfg`, or two builds could not talk: put it on the struct",
                );
                return false;
            }
            if !ON_FIELDS.iter().any(|ours| name == ours) {
                return !report_misspelling(name, &ON_FIELDS, errors);
            }
            if seen.contains(name) {
                errors.at(name, format_args!("`#[{name}]` is there twice: keep one"));
                return false;
            }
            seen.push(name.clone());
            if let Err(error) = taken.add(name, attr) {
                errors.push(error);
            }
            false
        });
        taken
    }

    fn add(&mut self, name: &Ident, attr: &Attribute) -> Result<(), Error> {
        let kind = match name.to_string().as_str() {
            "default" => {
                self.default = Some(value(attr, "#[default(5)]")?);
                return Ok(());
            }
            "interpolate" => {
                self.interpolate = Some(name.clone());
                return no_arguments(attr, name);
            }
            "dont_send" => {
                self.dont_send = Some(name.clone());
                return no_arguments(attr, name);
            }
            "max" => RuleKind::Max { max: value(attr, "#[max(1000)]")? },
            "range" => range(attr)?,
            "quantize" => {
                let example = "#[quantize(min = -512.0, max = 512.0, step = 0.005)]";
                let [min, max, step] = named(attr, ["min", "max", "step"], example)?;
                RuleKind::Quantize(Box::new(Steps { min, max, step }))
            }
            _ => {
                let [bits] = named(attr, ["bits"], "#[angle(bits = 12)]")?;
                RuleKind::Angle { bits }
            }
        };
        if let Some(other) = &self.rule {
            return Err(Error::new_spanned(
                name,
                format_args!("`#[{}]` and `#[{name}]` both say how the field is sent: keep one", other.name),
            ));
        }
        let args = attr.meta.require_list().map(|list| list.tokens.clone())?;
        self.rule = Some(Rule { name: name.clone(), args, kind });
        Ok(())
    }
}

/// Takes `#[dont_send]` off a struct, and says whether it was there.
pub(crate) fn take_dont_send(attrs: &mut Vec<Attribute>, errors: &mut Errors) -> Option<Ident> {
    let mut dont_send: Option<Ident> = None;
    attrs.retain(|attr| {
        let Some(name) = attr.path().get_ident() else { return true };
        if name != "dont_send" {
            if ON_FIELDS.iter().any(|ours| name == ours) {
                errors.at(name, format_args!("`#[{name}]` belongs on a field: move it inside the struct"));
                return false;
            }
            return !report_misspelling(name, &["dont_send"], errors);
        }
        if dont_send.is_some() {
            errors.at(name, "`#[dont_send]` is there twice: keep one");
        }
        if let Err(error) = no_arguments(attr, name) {
            errors.push(error);
        }
        dont_send = Some(name.clone());
        false
    });
    dont_send
}

fn report_misspelling(name: &Ident, ours: &[&str], errors: &mut Errors) -> bool {
    let meant = edit_distance::nearest(&name.to_string(), ours);
    if let Some(meant) = meant {
        errors.at(name, format_args!("there is no attribute `#[{name}]`: write `#[{meant}]`"));
    }
    meant.is_some()
}

/// Reads `#[name(value)]`.
fn value(attr: &Attribute, example: &str) -> Result<Expr, Error> {
    attr.meta
        .require_list()
        .and_then(MetaList::parse_args)
        .map_err(|_| Error::new_spanned(&attr.meta, format_args!("one value is expected: write `{example}`")))
}

/// Reads `#[range(lo..=hi)]`.
fn range(attr: &Attribute) -> Result<RuleKind, Error> {
    let mut example = "#[range(-5..=5)]".to_owned();
    if let Ok(Expr::Range(range)) = attr.meta.require_list().and_then(MetaList::parse_args)
        && let (Some(lo), Some(hi)) = (range.start, range.end)
    {
        match range.limits {
            RangeLimits::Closed(_) => return Ok(RuleKind::Range { lo, hi }),
            RangeLimits::HalfOpen(_) => {
                if let Some(end) = literal::int(&hi) {
                    example = format!("#[range({}..={})]", spell(lo), end - 1);
                }
            }
        }
    }
    Err(Error::new_spanned(
        &attr.meta,
        format_args!("a range with both ends is expected, the last value included: write `{example}`"),
    ))
}

/// Reads `#[name(a = .., b = ..)]`, each argument once and in any order.
fn named<const N: usize>(attr: &Attribute, names: [&str; N], example: &str) -> Result<[Expr; N], Error> {
    let write =
        |what: String, at: &dyn quote::ToTokens| Error::new_spanned(at, format!("{what}: write `{example}`"));
    let arguments = attr
        .meta
        .require_list()
        .and_then(|list| list.parse_args_with(Punctuated::<Argument, Token![,]>::parse_terminated))
        .map_err(|_| write("named arguments are expected".into(), &attr.meta))?;
    let mut values = [const { None }; N];
    for Argument { name, value } in arguments {
        let Some(at) = names.iter().position(|expected| name == expected) else {
            return Err(write(format!("there is no argument `{name}`"), &name));
        };
        if values[at].replace(value).is_some() {
            return Err(write(format!("`{name}` is there twice"), &name));
        }
    }
    if let Some(missing) = values.iter().position(Option::is_none) {
        return Err(write(format!("`{}` is missing", names[missing]), &attr.meta));
    }
    Ok(values.map(|value| value.expect("every argument was seen")))
}

struct Argument {
    name: Ident,
    value: Expr,
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self { name, value: input.parse()? })
    }
}

fn no_arguments(attr: &Attribute, name: &Ident) -> Result<(), Error> {
    match &attr.meta {
        Meta::Path(_) => Ok(()),
        meta => {
            Err(Error::new_spanned(meta, format_args!("`#[{name}]` takes no arguments: write `#[{name}]`")))
        }
    }
}
