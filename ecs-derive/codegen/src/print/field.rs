//! What the implementations do with one field.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned as _;

use crate::model::Field;
use crate::names;
use crate::rule::Wire;
use crate::types::Layer;

/// `item` of what `#[value]` implements, if the field is of such a type with nothing around it.
///
/// The compiler reports a type without `#[value]` once for every place that is worded or spanned differently, so
/// whatever is done with the field names its type like this.
fn composite(field: &Field, item: &str) -> Option<TokenStream> {
    let alone = matches!(field.wire, Wire::Nested) && field.shape.layers.is_empty();
    alone.then(|| of_composite(&field.shape.element, item))
}

/// `item` of what `#[value]` implements for `ty`, shown on the type.
pub(super) fn of_composite(ty: &Type, item: &str) -> TokenStream {
    let item = Ident::new(item, ty.span());
    quote_spanned!(ty.span()=> <#ty as __ecs::Composite>::#item)
}

/// The wire of a whole field: that of its element, with its layers around.
pub(super) fn wire(field: &Field) -> TokenStream {
    let mut constant = names::wire_const(&field.stem);
    if matches!(field.wire, Wire::Nested) {
        constant.set_span(field.shape.element.span());
    }
    field.shape.layers.iter().rev().fold(quote!(#constant), |wire, layer| match layer {
        Layer::Array(_) => quote!(__ecs::wire::Each(#wire)),
        Layer::List(_) => quote!(__ecs::wire::Listed(#wire)),
        Layer::Option => quote!(__ecs::wire::Maybe(#wire)),
    })
}

/// What it holds at first.
pub(super) fn default_value(field: &Field) -> TokenStream {
    match (&field.default.value, composite(field, "INITIAL")) {
        (Some(_), _) if field.default.unproven => {
            let constant = names::default_const(&field.stem);
            quote!(#constant)
        }
        (Some(value), _) => quote!(#value),
        (None, Some(default)) => default,
        (None, None) => {
            let ty = &field.ty;
            quote!(<#ty as __ecs::Value>::DEFAULT)
        }
    }
}

/// Whether two of its values, borrowed, are the same.
pub(super) fn same(field: &Field, one: &TokenStream, other: &TokenStream) -> TokenStream {
    let same = composite(field, "equals").unwrap_or_else(|| quote!(__ecs::Value::same));
    quote!(#same(#one, #other))
}

/// Shows its value, borrowed, to `to`.
pub(super) fn read(field: &Field, value: &TokenStream) -> TokenStream {
    let name = names::member(&field.member);
    match composite(field, "read_as") {
        Some(read_as) => quote!(#read_as(#value, #name, to)?;),
        None => quote!(to.field(#name, #value)?;),
    }
}

/// Shows its value, borrowed mutably, to `from`.
pub(super) fn write(field: &Field, value: &TokenStream) -> TokenStream {
    let name = names::member(&field.member);
    match composite(field, "write_as") {
        Some(write_as) => quote!(#write_as(#value, #name, from)?;),
        None => quote!(from.field(#name, #value)?;),
    }
}
