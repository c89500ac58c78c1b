//! The list of `game_state!`: read it, check it, write what spans components.

mod check;
mod methods;
mod parse;
mod print;

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser as _};

use crate::errors::{Errors, Failure};

/// Expands `[runtime] max_entities = ..; A, B, ..`.
pub(crate) fn expand(input: TokenStream) -> Result<TokenStream, Failure> {
    let mut errors = Errors::default();
    let parse = |input: ParseStream<'_>| parse::State::parse(input, &mut errors);
    let mut state = parse.parse2(input).map_err(|error| Failure { error, stand_in: TokenStream::new() })?;
    check::repair(&mut state, &mut errors);
    let expansion = print::expansion(&state);
    match errors.finish(()) {
        Ok(()) => Ok(expansion),
        // What could be read stands in for the list, or every component of the crate would be an error.
        Err(error) => Err(Failure { error, stand_in: expansion }),
    }
}
