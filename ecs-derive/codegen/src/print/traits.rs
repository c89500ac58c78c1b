//! The trait implementations of a struct.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;

use crate::model::{Field, Kind, Struct, Wire};
use crate::names;

pub(crate) fn impls(model: &Struct, ident: &Ident) -> TokenStream {
    let default = default(model, ident);
    let quantize = quantize(model, ident);
    let kind = match model.kind {
        Kind::Component => component(model, ident),
        Kind::Command => quote!(impl __ecs::Command for #ident {}),
    };
    quote!(#default #quantize #kind)
}

fn default(model: &Struct, ident: &Ident) -> TokenStream {
    let fields = model.fields.iter().map(|field| {
        let name = &field.ident;
        match &field.default.value {
            Some(_) if field.default.unproven => {
                let constant = names::default_const(name);
                quote!(#name: #constant)
            }
            Some(value) => quote!(#name: #value),
            None => {
                let ty = &field.ty;
                quote!(#name: <#ty as __ecs::Value>::DEFAULT)
            }
        }
    });
    let value = if model.unit { quote!(Self) } else { quote!(Self { #(#fields),* }) };
    quote! {
        impl ::core::default::Default for #ident {
            #[inline]
            fn default() -> Self {
                #value
            }
        }
    }
}

fn quantize(model: &Struct, ident: &Ident) -> TokenStream {
    let name = ident.unraw().to_string();
    let sent_struct = model.sent;
    let sent: Vec<&Field> = model.fields.iter().filter(|field| field.is_sent()).collect();
    let (to, from) = if sent.is_empty() { (quote!(_), quote!(_)) } else { (quote!(to), quote!(from)) };
    let puts = sent.iter().map(|field| {
        let (field, wire) = (&field.ident, wire(field));
        quote!(to.put(#wire, self.#field);)
    });
    let takes = sent.iter().map(|field| {
        let (field, wire) = (&field.ident, wire(field));
        quote!(self.#field = from.take(#wire);)
    });
    quote! {
        impl __ecs::Quantize for #ident {
            type Row = [u32; __ecs::schema::row_len(__FIELDS)];

            const SCHEMA: &'static __ecs::schema::StructSchema = &__ecs::schema::StructSchema {
                name: #name,
                fields: __FIELDS,
                words: &__WORDS,
                sent: #sent_struct,
            };

            #[inline]
            fn quantize(&self, #to: &mut __ecs::wire::RowWriter<'_>) {
                #(#puts)*
            }

            #[inline]
            fn dequantize(&mut self, #from: &mut __ecs::wire::RowReader<'_>) {
                #(#takes)*
            }
        }
    }
}

/// The wire of a whole field: that of its element, once around for each dimension.
fn wire(field: &Field) -> TokenStream {
    let constant = names::wire_const(&field.ident);
    field.shape.lengths.iter().fold(quote!(#constant), |wire, _| quote!(__ecs::wire::Each(#wire)))
}

fn component(model: &Struct, ident: &Ident) -> TokenStream {
    let same: Vec<_> = model
        .fields
        .iter()
        .map(|Field { ident, .. }| quote!(__ecs::Value::same(&self.#ident, &other.#ident)))
        .collect();
    let (other, same) =
        if same.is_empty() { (quote!(_), quote!(true)) } else { (quote!(other), quote!(#(#same)&&*)) };
    let interpolated: Vec<_> = model
        .fields
        .iter()
        .filter(|field| field.interpolate)
        .map(|Field { ident, wire, .. }| {
            let interpolate = match wire {
                Wire::Angle { .. } => quote!(InterpolateAngle::interpolate_angle),
                _ => quote!(Interpolate::interpolate),
            };
            quote!(self.#ident = __ecs::#interpolate(from.#ident, to.#ident, t);)
        })
        .collect();
    let [from, to, t] = if interpolated.is_empty() {
        [quote!(_), quote!(_), quote!(_)]
    } else {
        [quote!(from), quote!(to), quote!(t)]
    };
    quote! {
        impl __ecs::Component for #ident {
            #[inline]
            fn same(&self, #other: &Self) -> bool {
                #same
            }

            #[inline]
            fn interpolate(&mut self, #from: &Self, #to: &Self, #t: f32) {
                #(#interpolated)*
            }
        }
    }
}
