//! The constants of a struct: how its fields are sent, and what the compiler shall assert of that.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;

use crate::errors::shown_on;
use crate::model::{Field, Kind, Struct, Wire};
use crate::names;

/// The wire of every sent field, the table of fields and its words, and the assertions.
pub(crate) fn schema(model: &Struct, ident: &Ident) -> TokenStream {
    let wires = model.fields.iter().filter_map(wire);
    let fields = model.fields.iter().map(field);
    let defaults = model.fields.iter().filter_map(default_assertion);
    let fits = fits_a_packet(model, ident);
    quote! {
        #(#wires)*
        const __FIELDS: &[__ecs::schema::Field] = &[#(#fields),*];
        const __WORDS: [__ecs::schema::Word; __ecs::schema::row_len(__FIELDS)] =
            __ecs::schema::row_words(__FIELDS);
        #(#defaults)*
        #fits
    }
}

/// The constant of one field's wire, as the attribute says; a mistake in it is shown on its arguments.
fn wire(field: &Field) -> Option<TokenStream> {
    let element = &field.shape.element;
    let max_entities = quote!(<__ecs::GameState as __ecs::world::GameWorld>::MAX_ENTITIES);
    let (ty, value) = match &field.wire {
        Wire::Unsent => return None,
        Wire::Flag => (quote!(Flag), quote!(__ecs::wire::Flag)),
        Wire::FullRange => (quote!(Range<#element>), quote!(__ecs::wire::Range::<#element>::FULL)),
        Wire::Range { lo, hi, args } => (
            quote!(Range<#element>),
            quote_spanned!(shown_on(args)=> __ecs::wire::Range::<#element>::new(#lo, #hi)),
        ),
        Wire::Step { steps, args } => {
            let [min, max, step] = [&steps.min, &steps.max, &steps.step].map(wide);
            (quote!(Step), quote_spanned!(shown_on(args)=> __ecs::wire::Step::new(#min, #max, #step)))
        }
        Wire::Angle { bits, args } => {
            (quote!(Angle), quote_spanned!(shown_on(args)=> __ecs::wire::Angle::new(#bits)))
        }
        Wire::Float => (quote!(Float), quote!(__ecs::wire::Float)),
        Wire::Reference => (quote!(Reference), quote!(__ecs::wire::Reference::new(#max_entities))),
        Wire::OptionalReference => (
            quote!(OptionalReference),
            quote!(__ecs::wire::OptionalReference(__ecs::wire::Reference::new(#max_entities))),
        ),
    };
    let name = names::wire_const(&field.ident);
    Some(quote!(const #name: __ecs::wire::#ty = #value;))
}

/// A float of the user's as an `f64`: teams keep their limits in `f32` and integer constants.
fn wide(number: &syn::Expr) -> TokenStream {
    match crate::literal::float(number) {
        Some(_) if crate::literal::int(number).is_none() => quote!(#number),
        _ => quote!((#number) as f64),
    }
}

/// What the schema says of a field.
fn field(field: &Field) -> TokenStream {
    let (name, ty) = (field.ident.unraw().to_string(), field.shape.to_string());
    let form = if field.is_sent() {
        let wire = names::wire_const(&field.ident);
        quote!(#wire.form())
    } else {
        quote!(__ecs::schema::Form::Unsent)
    };
    let count = field.shape.count();
    let interpolated = field.interpolate.then(|| quote!(.interpolated()));
    quote!(__ecs::schema::Field::new(#name, #ty, #form, #count) #interpolated)
}

/// Where the macro could not tell that a default is inside its range, the compiler shall.
fn default_assertion(field: &Field) -> Option<TokenStream> {
    if !field.default.unproven {
        return None;
    }
    let wire = names::wire_const(&field.ident);
    let name = field.ident.unraw();
    let Some(value) = &field.default.value else {
        let (Wire::Range { args, .. } | Wire::Step { args, .. }) = &field.wire else { return None };
        let element = &field.shape.element;
        let message = format!("`{name}` starts as 0, which is outside its range: add `#[default(..)]`");
        return Some(quote_spanned! {shown_on(args)=>
            const _: () = ::core::assert!(#wire.contains(<#element as __ecs::Value>::DEFAULT), #message);
        });
    };
    let message = format!("the default of `{name}` is outside its range: write a value inside");
    let constant = names::default_const(&field.ident);
    let ty = &field.ty;
    // The implementation of `Default` names the constant, too, so a mistake in the value is shown once.
    let constant_item = quote!(const #constant: #ty = #value;);
    if field.shape.lengths.is_empty() {
        return Some(quote_spanned! {shown_on(value)=>
            #constant_item
            const _: () = ::core::assert!(#wire.contains(#constant), #message);
        });
    }
    let flatten = field.shape.lengths.iter().skip(1).map(|_| quote!(.as_flattened()));
    Some(quote_spanned! {shown_on(value)=>
        #constant_item
        const _: () = {
            let elements = #constant.as_slice() #(#flatten)*;
            let mut at = 0;
            while at < elements.len() {
                ::core::assert!(#wire.contains(elements[at]), #message);
                at += 1;
            }
        };
    })
}

/// A struct whose largest encoding is larger than a packet could never be sent.
fn fits_a_packet(model: &Struct, ident: &Ident) -> Option<TokenStream> {
    if !model.sent || !model.fields.iter().any(Field::is_sent) {
        return None;
    }
    let (what, instead) = match model.kind {
        Kind::Component => ("component", "narrow its fields, mark some `#[dont_send]`, or split it"),
        Kind::Command => ("command", "narrow its fields, or split it"),
    };
    let message = format!("the {what} `{}` could not fit a packet: {instead}", ident.unraw());
    Some(quote_spanned! {shown_on(ident)=>
        const _: () = ::core::assert!(
            __ecs::schema::max_row_bits(&__WORDS) <= __ecs::schema::MAX_COMPONENT_BITS,
            #message
        );
    })
}
