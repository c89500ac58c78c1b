//! What stands in for the expansion of a struct with mistakes: the same items, so that the rest of the crate
//! still resolves and one mistake is one message.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput};

use crate::errors::shown_on;
use crate::model::{Kind, derived};
use crate::names;
use crate::print::accessors;
use crate::types::Shape;

/// The item without our attributes, and stubs of the same traits and accessors.
pub(crate) fn stand_in(kind: Kind, input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let stem = names::snake_case(&ident.unraw().to_string());
    let (true, Some(stem)) = (input.generics.params.is_empty(), names::ident(&stem, shown_on(ident))) else {
        return quote!(#input);
    };
    let std_traits = std_traits(input);
    let kind = match kind {
        Kind::Component => component(ident, &accessors::accessors(&stem, input)),
        Kind::Command => quote!(impl __ecs::Command for #ident {}),
    };
    let name = ident.unraw().to_string();
    quote! {
        #input

        const _: () = {
            use crate::__game_state as __ecs;

            #std_traits

            impl __ecs::Quantize for #ident {
                type Row = [u32; 0];

                const SCHEMA: &'static __ecs::schema::StructSchema =
                    &__ecs::schema::StructSchema { name: #name, fields: &[], words: &[], sent: true };

                fn quantize(&self, _: &mut __ecs::wire::RowWriter<'_>) {}

                fn dequantize(&mut self, _: &mut __ecs::wire::RowReader<'_>) {}
            }

            #kind
        };
    }
}

fn component(ident: &Ident, accessors: &TokenStream) -> TokenStream {
    quote! {
        impl __ecs::Component for #ident {
            fn same(&self, _: &Self) -> bool {
                ::core::unreachable!()
            }

            fn interpolate(&mut self, _: &Self, _: &Self, _: f32) {}
        }

        #accessors
    }
}

/// What the expansion would derive, by hand: a field that has no business here may not have the traits.
fn std_traits(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let clone = quote! {
        impl ::core::clone::Clone for #ident {
            fn clone(&self) -> Self {
                ::core::unreachable!()
            }
        }
    };
    let debug = quote! {
        impl ::core::fmt::Debug for #ident {
            fn fmt(&self, _: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::unreachable!()
            }
        }
    };
    let eq = quote! {
        impl ::core::cmp::PartialEq for #ident {
            fn eq(&self, _: &Self) -> bool {
                ::core::unreachable!()
            }
        }
    };
    let default = quote! {
        impl ::core::default::Default for #ident {
            fn default() -> Self {
                ::core::unreachable!()
            }
        }
    };
    let stubs = [("Clone", clone), ("Debug", debug), ("PartialEq", eq), ("Default", default)];
    let stubs = stubs.into_iter().filter(|(name, _)| derived(&input.attrs, name).is_none());
    let stubs = stubs.map(|(_, stub)| stub);
    let copy = (all_fields_are_plain(&input.data) && derived(&input.attrs, "Copy").is_none())
        .then(|| quote!(impl ::core::marker::Copy for #ident {}));
    quote!(#(#stubs)* #copy)
}

fn all_fields_are_plain(data: &Data) -> bool {
    match data {
        Data::Struct(data) => data.fields.iter().all(|field| Shape::parse(&field.ty).is_ok()),
        Data::Enum(_) | Data::Union(_) => false,
    }
}
