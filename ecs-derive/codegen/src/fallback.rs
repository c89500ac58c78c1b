//! What stands in for the expansion of an item with mistakes: the same items, so that the rest of the crate
//! still resolves and one mistake is one message.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput, Fields};

use crate::errors::shown_on;
use crate::model::{Kind, derived};
use crate::names;
use crate::print::{accessors, traits};
use crate::types::Shape;

/// The item without our attributes, and stubs of the same traits and accessors.
pub(crate) fn stand_in(kind: Kind, input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    if kind == Kind::Value {
        return value(input);
    }
    let stem = names::snake_case(&ident.unraw().to_string());
    let (true, Some(stem)) = (input.generics.params.is_empty(), names::ident(&stem, shown_on(ident))) else {
        return quote!(#input);
    };
    let (std_traits, fields) = (std_traits(input), traits::told(ident, true, &quote!(), &quote!()));
    let kind = match kind {
        Kind::Component => component(ident, &accessors::accessors(&stem, false, input)),
        Kind::Event => quote!(impl __ecs::Event for #ident { const RELIABLE: bool = false; }),
        Kind::Command | Kind::Value => quote!(impl __ecs::Command for #ident {}),
    };
    let name = ident.unraw().to_string();
    quote! {
        #input

        const _: () = {
            use crate::__game_state as __ecs;

            #std_traits
            #fields

            impl __ecs::Quantize for #ident {
                type Row = [u32; 0];

                const SCHEMA: &'static __ecs::schema::StructSchema =
                    &__ecs::schema::StructSchema { name: #name, fields: &[], words: &[], sent: true, marks: &[] };

                fn quantize(&self, _: &mut __ecs::wire::RowWriter<'_>) {}

                fn dequantize(&mut self, _: &mut __ecs::wire::RowReader<'_>) {}
            }

            #kind
        };
    }
}

/// A stand-in for the type of a field.
fn value(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    if !input.generics.params.is_empty() {
        return quote!(#input);
    }
    let (std_traits, fields) = (std_traits(input), traits::told(ident, true, &quote!(), &quote!()));
    quote! {
        #input

        const _: () = {
            use crate::__game_state as __ecs;

            #std_traits
            #fields

            impl __ecs::Composite for #ident {
                type Wire = __ecs::wire::Nested<Self>;

                const INITIAL: Self = ::core::panic!();
                const FORM: __ecs::schema::Form = __ecs::schema::Form::Flag;

                fn equals(&self, _: &Self) -> bool {
                    ::core::unreachable!()
                }

                fn quantize(&self, _: &mut __ecs::wire::RowWriter<'_>) {}

                fn dequantize(_: &mut __ecs::wire::RowReader<'_>) -> Self {
                    ::core::unreachable!()
                }

                fn interpolate(&self, _: &Self, _: f32) -> Self {
                    ::core::unreachable!()
                }
            }
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
    let plain = |fields: &Fields| fields.iter().all(|field| Shape::parse(&field.ty).is_ok());
    match data {
        Data::Struct(data) => plain(&data.fields),
        Data::Enum(data) => data.variants.iter().all(|variant| plain(&variant.fields)),
        Data::Union(_) => false,
    }
}
