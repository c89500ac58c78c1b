//! Reads what is between the parentheses of `#[component(..)]` and `#[event(..)]`.

use proc_macro2::{Ident, TokenStream};
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprPath, LitStr, Meta, MetaList, MetaNameValue, Path, Token};

use crate::errors::Errors;
use crate::literal;
use crate::model::Kind;

/// What is between the parentheses of `#[component(..)]` and the like.
#[derive(Default)]
pub(crate) struct ItemArgs {
    /// `#[component(singleton)]`
    pub(crate) singleton: bool,
    /// `#[component(tracked)]`
    pub(crate) tracked: bool,
    /// `#[component(name = "..")]`
    pub(crate) name: Option<LitStr>,
    /// `#[component(on_add = path)]`
    pub(crate) on_add: Option<Path>,
    /// `#[component(on_remove = path)]`
    pub(crate) on_remove: Option<Path>,
    /// `#[component(index(a, b), key(a, c))]`
    pub(crate) indices: Vec<Fields>,
    /// `#[event(reliable)]`
    pub(crate) reliable: bool,
}

/// Fields by which together an entity is found.
pub(crate) struct Fields {
    /// `key(..)`: at most one entity has them.
    pub(crate) is_unique: bool,
    pub(crate) names: Vec<Ident>,
}

const OF_COMPONENT: &str = "there is no such argument: write `#[component(singleton)]`, `#[component(tracked)]`, \
    `#[component(name = \"other_name\")]`, `#[component(index(a, b))]`, `#[component(key(a, b))]`, \
    `#[component(on_add = function)]` or `#[component(on_remove = function)]`";

impl ItemArgs {
    /// Reads the arguments, each at most once and in any order.
    pub(crate) fn parse(kind: Kind, args: &TokenStream, errors: &mut Errors) -> Self {
        let mut read = Self::default();
        let instead = match kind {
            Kind::Component => OF_COMPONENT,
            Kind::Event => "there is no such argument: write `#[event]` or `#[event(reliable)]`",
            Kind::Command => "`#[command]` takes no arguments: write `#[command]`",
            Kind::Value => "`#[value]` takes no arguments: write `#[value]`",
        };
        let parse = |input: ParseStream<'_>| Punctuated::<Meta, Token![,]>::parse_terminated(input);
        let Ok(metas) = parse.parse2(args.clone()) else {
            errors.at(args, instead);
            return read;
        };
        for meta in metas {
            match read.take(kind, &meta) {
                Some(false) => {}
                Some(true) => errors.at(&meta, "this is there twice: keep one"),
                None if kind == Kind::Component && is_hook(&meta) => errors.at(
                    meta,
                    "the name of a function is expected: write `on_add = begin`, for `fn begin(gs: &mut GameState, \
                     entity: Entity)`, or `on_remove = end`, for `fn end(gs: &mut GameState, entity: Entity, removed: ..)`",
                ),
                None if kind == Kind::Component && is_fields(&meta) => errors.at(
                    meta,
                    "two to four fields are named here: write `key(a, b)`, or `#[index]` or `#[unique]` on a single field",
                ),
                None => errors.at(meta, instead),
            }
        }
        read
    }

    /// Whether an argument was there before; `None` if there is no such one.
    fn take(&mut self, kind: Kind, meta: &Meta) -> Option<bool> {
        let of_component = kind == Kind::Component;
        let name = meta.path().get_ident()?.to_string();
        match (meta, name.as_str()) {
            (Meta::Path(_), "singleton") if of_component => {
                Some(core::mem::replace(&mut self.singleton, true))
            }
            (Meta::Path(_), "tracked") if of_component => Some(core::mem::replace(&mut self.tracked, true)),
            (Meta::Path(_), "reliable") if kind == Kind::Event => {
                Some(core::mem::replace(&mut self.reliable, true))
            }
            (Meta::NameValue(MetaNameValue { value, .. }), "name") if of_component => {
                Some(self.name.replace(literal::text(value)?).is_some())
            }
            (Meta::NameValue(MetaNameValue { value, .. }), "on_add" | "on_remove") if of_component => {
                let Expr::Path(ExprPath { path, qself: None, .. }) = value else { return None };
                let hook = if name == "on_add" { &mut self.on_add } else { &mut self.on_remove };
                Some(hook.replace(path.clone()).is_some())
            }
            (Meta::List(list), "index" | "key") if of_component => {
                let fields = Fields { is_unique: name == "key", names: names(list)? };
                let is_there = self.indices.iter().any(|other| other.names == fields.names);
                self.indices.push(fields);
                Some(is_there)
            }
            _ => None,
        }
    }
}

/// Whether a function is to be named.
fn is_hook(meta: &Meta) -> bool {
    meta.path().is_ident("on_add") || meta.path().is_ident("on_remove")
}

/// Whether fields are to be named.
fn is_fields(meta: &Meta) -> bool {
    meta.path().is_ident("index") || meta.path().is_ident("key")
}

/// Two to four names.
fn names(list: &MetaList) -> Option<Vec<Ident>> {
    let names = list.parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated).ok()?;
    (2..=4).contains(&names.len()).then(|| names.into_iter().collect())
}
