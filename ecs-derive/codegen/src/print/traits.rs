//! The trait implementations of a struct that is a component, a command or an event.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::field::{self, default_value, wire};
use super::indices;
use crate::errors::shown_on;
use crate::model::{Body, Field, Kind, Model, Style, Variant};

pub(crate) fn impls(model: &Model, ident: &Ident) -> TokenStream {
    let Body::Struct(of) = &model.body else { return TokenStream::new() };
    let default = default(of, ident);
    let quantize = quantize(model, of, ident);
    let reliable = model.args.reliable;
    let state = quote_spanned!(shown_on(ident)=> __ecs::GameState);
    let kind = match model.kind {
        Kind::Command => quote! {
            impl __ecs::Command for #ident {}
            const _: u16 = <#state as __ecs::world::HasCommand<#ident>>::ID;
        },
        Kind::Event => quote! {
            impl __ecs::Event for #ident { const RELIABLE: bool = #reliable; }
            const _: u16 = <#state as __ecs::world::HasEvent<#ident>>::ID;
        },
        Kind::Component | Kind::Value => component(model, of, ident),
    };
    let fields = fields(of, ident);
    quote!(#default #fields #quantize #kind)
}

/// Tells the fields by name, for everything that reads and writes them as data.
pub(super) fn fields(of: &Variant, ident: &Ident) -> TokenStream {
    let shown = |show: fn(&Field, &TokenStream) -> TokenStream, borrow: TokenStream| {
        of.fields
            .iter()
            .map(|field| {
                let member = &field.member;
                show(field, &quote!(#borrow self.#member))
            })
            .collect()
    };
    let (to, from) = (shown(field::read, quote!(&)), shown(field::write, quote!(&mut)));
    told(ident, of.fields.is_empty(), &to, &from)
}

/// The implementation of `Fields`, of which the bodies are given.
pub(crate) fn told(ident: &Ident, none: bool, to: &TokenStream, from: &TokenStream) -> TokenStream {
    let [to_name, from_name] = ["to", "from"].map(|name| format_ident!("{}", if none { "_" } else { name }));
    quote! {
        impl __ecs::data::Fields for #ident {
            fn read_fields<__V: __ecs::data::ReadFields>(
                &self,
                #to_name: &mut __V,
            ) -> ::core::result::Result<(), __V::Error> {
                #to
                ::core::result::Result::Ok(())
            }

            fn write_fields<__V: __ecs::data::WriteFields>(
                &mut self,
                #from_name: &mut __V,
            ) -> ::core::result::Result<(), __V::Error> {
                #from
                ::core::result::Result::Ok(())
            }
        }
    }
}

fn default(of: &Variant, ident: &Ident) -> TokenStream {
    let value = build(of, &quote!(Self), default_value);
    quote! {
        impl ::core::default::Default for #ident {
            #[inline]
            fn default() -> Self {
                #value
            }
        }
    }
}

/// The value of a struct or a variant, called `path`, with what `field` gives for each field.
pub(super) fn build(of: &Variant, path: &TokenStream, field: impl Fn(&Field) -> TokenStream) -> TokenStream {
    let values = of.fields.iter().map(&field);
    let members = of.fields.iter().map(|field| &field.member);
    match of.style {
        Style::Unit => quote!(#path),
        Style::Tuple => quote!(#path(#(#values),*)),
        Style::Named => quote!(#path { #(#members: #values),* }),
    }
}

fn quantize(model: &Model, of: &Variant, ident: &Ident) -> TokenStream {
    let (name, sent_struct) = (&model.name, model.sent);
    let marks = [
        (model.args.singleton, "singleton"),
        (model.args.reliable, "reliable"),
        (model.owner_only, "owner_only"),
    ];
    let marks = marks.into_iter().filter(|(marked, _)| *marked).map(|(_, mark)| mark);
    let sent: Vec<&Field> = of.fields.iter().filter(|field| sent_struct && field.is_sent()).collect();
    let (len, words) = if sent_struct { (quote!(__LEN), quote!(&__WORDS)) } else { (quote!(0), quote!(&[])) };
    let (to, from) = if sent.is_empty() { (quote!(_), quote!(_)) } else { (quote!(to), quote!(from)) };
    let puts = sent.iter().map(|field| {
        let (member, wire) = (&field.member, wire(field));
        quote!(to.put(#wire, self.#member);)
    });
    let takes = sent.iter().map(|field| {
        let (member, wire) = (&field.member, wire(field));
        quote!(self.#member = from.take(#wire);)
    });
    quote! {
        impl __ecs::Quantize for #ident {
            type Row = [u32; #len];

            const SCHEMA: &'static __ecs::schema::StructSchema = &__ecs::schema::StructSchema {
                name: #name,
                fields: __FIELDS,
                words: #words,
                sent: #sent_struct,
                marks: &[#(#marks),*],
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

fn component(model: &Model, of: &Variant, ident: &Ident) -> TokenStream {
    let (other, same) = (if of.fields.is_empty() { quote!(_) } else { quote!(other) }, same(of));
    let interpolated: Vec<_> = of
        .fields
        .iter()
        .filter(|field| field.interpolate)
        .map(|field| {
            let (member, wire) = (&field.member, wire(field));
            quote!(self.#member = __ecs::wire::Wire::interpolate(&#wire, from.#member, to.#member, t);)
        })
        .collect();
    let [from, to, t] = if interpolated.is_empty() {
        [quote!(_), quote!(_), quote!(_)]
    } else {
        [quote!(from), quote!(to), quote!(t)]
    };
    let snap = snap(of);
    let singleton = model.args.singleton.then(|| {
        quote!(
            const SINGLETON: bool = true;
        )
    });
    let (tracked, is_tracked) = match model.args.tracked {
        true => (
            Some(quote!(impl __ecs::Tracked for #ident {})),
            Some(quote!(
                const TRACKED: bool = true;
            )),
        ),
        false => (None, None),
    };
    let constants = indices::constants(model);
    quote! {
        #tracked

        impl __ecs::Component for #ident {
            #singleton
            #is_tracked
            #constants

            #[inline]
            fn same(&self, #other: &Self) -> bool {
                #same
            }

            #[inline]
            fn interpolate(&mut self, #from: &Self, #to: &Self, #t: f32) {
                #(#interpolated)*
            }

            #snap
        }
    }
}

/// Whether all fields are the same in `self` and `other`.
pub(super) fn same(of: &Variant) -> TokenStream {
    let fields = of.fields.iter().map(|field| {
        let member = &field.member;
        field::same(field, &quote!(&self.#member), &quote!(&other.#member))
    });
    if of.fields.is_empty() { quote!(true) } else { quote!(#(#fields)&&*) }
}

/// Only where a field is marked: the trait does nothing by itself.
fn snap(of: &Variant) -> Option<TokenStream> {
    let snapped = of.fields.iter().enumerate().filter(|(_, field)| field.snap);
    let snapped: Vec<_> = snapped
        .map(|(at, field)| {
            let (member, wire, at) = (&field.member, wire(field), Literal::usize_unsuffixed(at));
            quote!(self.#member = __ecs::wire::snap(#wire, [0; __FIELDS[#at].words()], self.#member);)
        })
        .collect();
    if snapped.is_empty() {
        return None;
    }
    Some(quote! {
        #[inline]
        fn snap(&mut self) {
            #(#snapped)*
        }
    })
}
