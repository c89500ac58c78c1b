//! Writes the expansion of a struct or an enum.
//!
//! A person steps through it, so it holds only what depends on the item; logic lives in the runtime. It names
//! the standard library and the crate by full paths, and everything of its own begins with `__`, so that it
//! compiles whatever the user's module calls its items.

pub(crate) mod accessors;
mod field;
mod indices;
mod schema;
pub(crate) mod traits;
mod value;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, DeriveInput, parse_quote};

use crate::model::{Kind, Model, derived};

/// The item itself, and one block with everything about it.
pub(crate) fn expansion(model: &Model, input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let mut item = input.clone();
    item.attrs.extend(missing_derives(input));
    let schema = schema::schema(model, ident);
    let traits = match model.kind {
        Kind::Component | Kind::Command | Kind::Event => traits::impls(model, ident),
        Kind::Value => value::impls(model, ident),
    };
    let accessors = match model.kind {
        Kind::Component => {
            let accessors = accessors::accessors(&model.accessor, model.args.singleton, input);
            let handles = indices::handles(model, input);
            quote!(#accessors #handles)
        }
        Kind::Command | Kind::Event | Kind::Value => TokenStream::new(),
    };
    quote! {
        #item

        const _: () = {
            use crate::__game_state as __ecs;

            #schema
            #traits
            #accessors
        };
    }
}

/// What every item derives, except what the user derives already.
fn missing_derives(input: &DeriveInput) -> Option<Attribute> {
    let derives = [
        ("Clone", quote!(::core::clone::Clone)),
        ("Copy", quote!(::core::marker::Copy)),
        ("Debug", quote!(::core::fmt::Debug)),
        ("PartialEq", quote!(::core::cmp::PartialEq)),
    ];
    let missing: Vec<_> = derives
        .into_iter()
        .filter(|(name, _)| derived(&input.attrs, name).is_none())
        .map(|(_, path)| path)
        .collect();
    (!missing.is_empty()).then(|| parse_quote!(#[derive(#(#missing),*)]))
}
