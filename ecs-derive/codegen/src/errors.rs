//! Mistakes of the user, gathered so that one compiler run reports them all.

use core::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::Error;
use syn::spanned::Spanned;

/// The mistakes found so far.
#[derive(Default)]
pub(crate) struct Errors(Option<Error>);

impl Errors {
    /// Reports a mistake on `tokens`, which are the user's own.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(Error::new_spanned(tokens, message));
    }

    pub(crate) fn push(&mut self, error: Error) {
        match &mut self.0 {
            None => self.0 = Some(error),
            Some(errors) => errors.combine(error),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// `value` if there was no mistake.
    pub(crate) fn finish<T>(self, value: T) -> Result<T, Error> {
        self.0.map_or(Ok(value), Err)
    }
}

/// Why there is no expansion, and what stands in for it so that the rest of the crate still resolves.
pub(crate) struct Failure {
    pub(crate) error: Error,
    pub(crate) stand_in: TokenStream,
}

impl Failure {
    pub(crate) fn into_tokens(self) -> TokenStream {
        let (errors, stand_in) = (self.error.into_compile_error(), self.stand_in);
        quote! { #stand_in #errors }
    }
}

/// Where the compiler shall show a mistake in generated code: on what the user wrote. Lints still know that the
/// code is generated.
pub(crate) fn shown_on(tokens: &impl Spanned) -> Span {
    Span::call_site().located_at(tokens.span())
}
