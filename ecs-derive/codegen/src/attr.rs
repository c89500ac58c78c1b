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
const ON_FIELDS: [&str; 16] = [
    "max",
    "range",
    "quantize",
    "angle",
    "rotation",
    "unit_vector",
    "default",
    "interpolate",
    "dont_send",
    "owner_only",
    "owned",
    "snap",
    "predict",
    "index",
    "unique",
    "relation",
];

/// The attributes that belong on a struct.
const ON_STRUCTS: [&str; 3] = ["dont_send", "owner_only", "snap"];

/// What our attributes say of one field.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    pub(crate) rule: Option<Rule>,
    pub(crate) default: Option<Expr>,
    pub(crate) predict: Option<Predict>,
    pub(crate) relation: Option<Relation>,
    pub(crate) marks: Marks,
}

/// The attributes without arguments. Each is the name in the attribute, to point at.
#[derive(Default)]
pub(crate) struct Marks {
    pub(crate) interpolate: Option<Ident>,
    pub(crate) dont_send: Option<Ident>,
    pub(crate) owner_only: Option<Ident>,
    pub(crate) owned: Option<Ident>,
    pub(crate) snap: Option<Ident>,
    pub(crate) index: Option<Ident>,
    pub(crate) unique: Option<Ident>,
}

impl Marks {
    /// All that are there and say how the field is sent, or that it is not.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Ident> {
        [&self.interpolate, &self.dont_send, &self.owner_only, &self.owned, &self.snap].into_iter().flatten()
    }

    /// Those that say by what entities are found.
    pub(crate) fn indices(&self) -> impl Iterator<Item = &Ident> {
        [&self.index, &self.unique].into_iter().flatten()
    }

    fn named(&mut self, name: &str) -> Option<&mut Option<Ident>> {
        Some(match name {
            "interpolate" => &mut self.interpolate,
            "dont_send" => &mut self.dont_send,
            "owner_only" => &mut self.owner_only,
            "owned" => &mut self.owned,
            "snap" => &mut self.snap,
            "index" => &mut self.index,
            "unique" => &mut self.unique,
            _ => return None,
        })
    }
}

/// `#[predict(..)]`: how the field moves.
pub(crate) struct Predict {
    /// The name in the attribute, to point at.
    pub(crate) name: Ident,
    /// `linear` or `rotation`.
    pub(crate) how: Ident,
}

/// `#[relation(..)]`: the field refers to an entity.
pub(crate) struct Relation {
    /// The name in the attribute, to point at.
    pub(crate) name: Ident,
    pub(crate) when_gone: WhenGone,
}

/// What becomes of a component when the entity that it refers to is destroyed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum WhenGone {
    /// `#[relation]`: it refers to nobody.
    Unlink,
    /// `#[relation(remove)]`: it is removed.
    Remove,
    /// `#[relation(destroy)]`: its entity is destroyed.
    Destroy,
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
    /// `#[rotation(bits = ..)]`
    Rotation { bits: Expr },
    /// `#[unit_vector(bits = ..)]`
    UnitVector { bits: Expr },
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
                errors.at(attr, "a field cannot depend on `cfg`, or two builds could not talk: remove it");
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
        if let Some(mark) = self.marks.named(&name.to_string()) {
            *mark = Some(name.clone());
            return no_arguments(attr, name);
        }
        let kind = match name.to_string().as_str() {
            "default" => {
                self.default = Some(value(attr, "#[default(5)]")?);
                return Ok(());
            }
            "predict" => {
                let how = attr.parse_args::<Ident>().ok().filter(|how| how == "linear" || how == "rotation");
                let instead =
                    || Error::new_spanned(attr, "write `#[predict(linear)]` or `#[predict(rotation)]`");
                self.predict = Some(Predict { name: name.clone(), how: how.ok_or_else(instead)? });
                return Ok(());
            }
            "relation" => {
                let instead = "write `#[relation]`, `#[relation(remove)]` or `#[relation(destroy)]`";
                let when_gone = match &attr.meta {
                    Meta::Path(_) => WhenGone::Unlink,
                    _ => match attr.parse_args::<Ident>() {
                        Ok(argument) if argument == "remove" => WhenGone::Remove,
                        Ok(argument) if argument == "destroy" => WhenGone::Destroy,
                        _ => return Err(Error::new_spanned(attr, instead)),
                    },
                };
                self.relation = Some(Relation { name: name.clone(), when_gone });
                return Ok(());
            }
            "max" => RuleKind::Max { max: value(attr, "#[max(1000)]")? },
            "range" => range(attr)?,
            "quantize" => {
                let example = "#[quantize(min = -512.0, max = 512.0, step = 0.005)]";
                let [min, max, step] = named(attr, ["min", "max", "step"], example)?;
                RuleKind::Quantize(Box::new(Steps { min, max, step }))
            }
            "rotation" => RuleKind::Rotation { bits: bits(attr, "#[rotation(bits = 10)]")? },
            "unit_vector" => RuleKind::UnitVector { bits: bits(attr, "#[unit_vector(bits = 10)]")? },
            _ => RuleKind::Angle { bits: bits(attr, "#[angle(bits = 12)]")? },
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

/// Takes our attributes off a struct or an enum.
pub(crate) fn take_marks(attrs: &mut Vec<Attribute>, errors: &mut Errors) -> Marks {
    let mut marks = Marks::default();
    attrs.retain(|attr| {
        let Some(name) = attr.path().get_ident() else { return true };
        if !ON_STRUCTS.iter().any(|ours| name == ours) {
            if ON_FIELDS.iter().any(|ours| name == ours) {
                errors.at(name, format_args!("`#[{name}]` belongs on a field: move it inside the struct"));
                return false;
            }
            return !report_misspelling(name, &ON_STRUCTS, errors);
        }
        if let Err(error) = no_arguments(attr, name) {
            errors.push(error);
        }
        if marks.named(&name.to_string()).is_some_and(|mark| mark.replace(name.clone()).is_some()) {
            errors.at(name, format_args!("`#[{name}]` is there twice: keep one"));
        }
        false
    });
    marks
}

/// Takes `#[default]` off a variant, and says whether it was there.
pub(crate) fn take_default(attrs: &mut Vec<Attribute>, errors: &mut Errors) -> Option<Ident> {
    let mut default = None;
    attrs.retain(|attr| {
        let Some(name) = attr.path().get_ident() else { return true };
        if name == "cfg" {
            errors.at(attr, "a variant cannot depend on `cfg`, or two builds could not talk: remove it");
            return false;
        }
        if name != "default" {
            if ON_FIELDS.iter().any(|ours| name == ours) {
                errors.at(name, format_args!("`#[{name}]` belongs on a field: move it inside the variant"));
                return false;
            }
            return !report_misspelling(name, &["default"], errors);
        }
        if let Err(error) = no_arguments(attr, name) {
            errors.push(error);
        }
        default = Some(name.clone());
        false
    });
    default
}

fn report_misspelling(name: &Ident, ours: &[&str], errors: &mut Errors) -> bool {
    let meant = edit_distance::nearest(&name.to_string(), ours);
    if let Some(meant) = meant {
        errors.at(name, format_args!("there is no attribute `#[{name}]`: write `#[{meant}]`"));
    }
    meant.is_some()
}

/// Reads `#[name(bits = ..)]`.
fn bits(attr: &Attribute, example: &str) -> Result<Expr, Error> {
    let [bits] = named(attr, ["bits"], example)?;
    Ok(bits)
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
