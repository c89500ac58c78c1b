//! Turns annotated structs into the tokens of a networked game state.
//!
//! This is everything that the macros of `ecs-derive` do, as a plain library: tokens in, tokens out. So it is
//! tested without a compiler run, and tools print an expansion with [`expand_file`].
//!
//! One file per stage. For the attributes on structs and enums:
//! - `attr` reads the raw attributes and `args` their arguments on an item, `types` the types of fields; nothing later
//!   looks at any of them again;
//! - `model` and `rule` are what they mean together, with the nodes that the user wrote, so that errors point at
//!   them;
//! - `check` holds the model's facts against each other;
//! - `print` writes the expansion, or `fallback` the stand-in for an item with mistakes.
//!
//! `state` does the same for the list of `game_state!`.

mod args;
mod attr;
mod check;
mod edit_distance;
mod errors;
mod fallback;
mod file;
mod indices;
mod literal;
mod model;
mod names;
mod print;
mod rule;
mod state;
mod types;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::errors::Failure;
use crate::model::{Kind, Model};

pub use crate::file::expand_file;

/// Expands `#[component(args)] item`. Mistakes become `compile_error!`s beside a stand-in for the expansion.
#[must_use]
pub fn component(args: &TokenStream, item: TokenStream) -> TokenStream {
    expand_item(Kind::Component, args, item).unwrap_or_else(Failure::into_tokens)
}

/// Expands `#[command(args)] item`. Mistakes become `compile_error!`s beside a stand-in for the expansion.
#[must_use]
pub fn command(args: &TokenStream, item: TokenStream) -> TokenStream {
    expand_item(Kind::Command, args, item).unwrap_or_else(Failure::into_tokens)
}

/// Expands `#[event(args)] item`. Mistakes become `compile_error!`s beside a stand-in for the expansion.
#[must_use]
pub fn event(args: &TokenStream, item: TokenStream) -> TokenStream {
    expand_item(Kind::Event, args, item).unwrap_or_else(Failure::into_tokens)
}

/// Expands `#[value(args)] item`. Mistakes become `compile_error!`s beside a stand-in for the expansion.
#[must_use]
pub fn value(args: &TokenStream, item: TokenStream) -> TokenStream {
    expand_item(Kind::Value, args, item).unwrap_or_else(Failure::into_tokens)
}

/// Expands `game_state! { input }`, where `input` begins with the path of the runtime in brackets.
/// Mistakes become `compile_error!`s.
#[must_use]
pub fn game_state(input: TokenStream) -> TokenStream {
    state::expand(input).unwrap_or_else(Failure::into_tokens)
}

fn expand_item(kind: Kind, args: &TokenStream, item: TokenStream) -> Result<TokenStream, Failure> {
    let Ok(mut input) = syn::parse2::<DeriveInput>(item.clone()) else {
        let error = syn::Error::new_spanned(&item, format_args!("`{kind}` belongs on a struct"));
        return Err(Failure { error, stand_in: item });
    };
    match Model::parse(kind, args, &mut input) {
        Ok(model) => Ok(print::expansion(&model, &input)),
        Err(error) => Err(Failure { error, stand_in: fallback::stand_in(kind, &input) }),
    }
}
