//! The trait implementations of a struct or an enum that is a field's type.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::field::{self, default_value, wire};
use super::traits::{build, fields, same, told};
use crate::model::{Body, Field, Model, Style, Variant};

pub(crate) fn impls(model: &Model, ident: &Ident) -> TokenStream {
    let (default, same, form, quantize, dequantize, interpolate) = match &model.body {
        Body::Struct(of) => of_struct(model, of),
        Body::Enum { variants, default } => of_enum(variants, *default),
    };
    // An enum looks at both sides to see which variant they are.
    let is_enum = matches!(model.body, Body::Enum { .. });
    let has_fields = is_enum || model.fields().next().is_some();
    let interpolated = model.fields().any(|field| field.interpolate);
    let named = |name: &str, used: bool| format_ident!("{}", if used { name } else { "_" });
    let [other, out, from] = [named("other", has_fields), named("to", has_fields), named("from", has_fields)];
    let [to, t] = [named("to", interpolated), named("t", interpolated)];
    let told = match &model.body {
        Body::Struct(of) => fields(of, ident),
        Body::Enum { variants, .. } => fields_of_variants(variants, ident),
    };
    let variant = match &model.body {
        Body::Struct(_) => TokenStream::new(),
        Body::Enum { variants, .. } => variant(variants),
    };
    let index_key = (is_enum && !model.fields().any(|_| true)).then(|| index_key(ident));
    quote! {
        #told
        #index_key

        impl ::core::default::Default for #ident {
            #[inline]
            fn default() -> Self {
                <Self as __ecs::Composite>::INITIAL
            }
        }

        impl __ecs::Composite for #ident {
            type Wire = __ecs::wire::Nested<Self>;

            const INITIAL: Self = #default;
            const FORM: __ecs::schema::Form = #form;

            #[inline]
            fn equals(&self, #other: &Self) -> bool {
                #same
            }

            #variant

            #[inline]
            fn quantize(&self, #out: &mut __ecs::wire::RowWriter<'_>) {
                #quantize
            }

            #[inline]
            fn dequantize(#from: &mut __ecs::wire::RowReader<'_>) -> Self {
                #dequantize
            }

            #[inline]
            fn interpolate(&self, #to: &Self, #t: f32) -> Self {
                #interpolate
            }
        }
    }
}

/// An enum without fields may be the key of an index, by the order of its variants.
fn index_key(ident: &Ident) -> TokenStream {
    quote! {
        impl __ecs::world::IndexKey for #ident {
            const BITS: u32 = 16;

            #[inline]
            fn bits(self) -> u128 {
                <Self as __ecs::Composite>::variant(&self) as u128
            }
        }
    }
}

/// The fields of whichever variant it is.
fn fields_of_variants(variants: &[Variant], ident: &Ident) -> TokenStream {
    let arms = |show: fn(&Field, &TokenStream) -> TokenStream| {
        let arms = variants.iter().map(|variant| {
            let pattern = pattern(variant, "a");
            let fields = variant.fields.iter().map(|field| show(field, &bound(field, "a")));
            quote!(#pattern => { #(#fields)* })
        });
        quote!(match self { #(#arms)* })
    };
    let none = variants.iter().all(|variant| variant.fields.is_empty());
    if none {
        return told(ident, true, &TokenStream::new(), &TokenStream::new());
    }
    told(ident, false, &arms(field::read), &arms(field::write))
}

/// Which variant it is, and the variant of a number.
fn variant(variants: &[Variant]) -> TokenStream {
    let numbers = || (0..variants.len()).map(Literal::usize_unsuffixed);
    let patterns = variants.iter().zip(numbers()).map(|(variant, number)| {
        let ident = &variant.ident;
        quote!(Self::#ident { .. } => #number)
    });
    let values = variants.iter().zip(numbers()).map(|(variant, number)| {
        let ident = &variant.ident;
        let value = build(variant, &quote!(Self::#ident), default_value);
        quote!(#number => ::core::option::Option::Some(#value))
    });
    quote! {
        fn variant(&self) -> usize {
            match self { #(#patterns),* }
        }

        fn of_variant(__variant: usize) -> ::core::option::Option<Self> {
            match __variant { #(#values,)* _ => ::core::option::Option::None }
        }
    }
}

/// The default, and the bodies: same, form, quantize, dequantize, interpolate.
type Parts = (TokenStream, TokenStream, TokenStream, TokenStream, TokenStream, TokenStream);

fn of_struct(model: &Model, of: &Variant) -> Parts {
    let name = &model.name;
    let members: Vec<_> = of.fields.iter().map(|field| &field.member).collect();
    let wires = of.fields.iter().map(wire);
    let same = same(of);
    let between = |field: &Field| {
        let member = &field.member;
        interpolated(field, &quote!(self.#member), &quote!(to.#member))
    };
    (
        build(of, &quote!(Self), default_value),
        same,
        quote!(__ecs::schema::Form::Struct(&__ecs::schema::StructSchema::of_value(#name, __FIELDS, &__WORDS))),
        quote!(#(to.put(#wires, self.#members);)*),
        build(of, &quote!(Self), take),
        build(of, &quote!(Self), between),
    )
}

fn of_enum(variants: &[Variant], default: usize) -> Parts {
    let path = |variant: &Variant| {
        let ident = &variant.ident;
        quote!(Self::#ident)
    };
    let default = variants.get(default).map(|variant| build(variant, &path(variant), default_value));
    let same = variants.iter().map(|variant| {
        let (mine, theirs) = (pattern(variant, "a"), pattern(variant, "b"));
        let fields = variant.fields.iter().map(|field| {
            let (mine, theirs) = (bound(field, "a"), bound(field, "b"));
            field::same(field, &mine, &theirs)
        });
        let same = if variant.fields.is_empty() { quote!(true) } else { quote!(#(#fields)&&*) };
        quote!((#mine, #theirs) => #same)
    });
    let different = (variants.len() > 1).then(|| quote!(_ => false));
    let quantize = variants.iter().enumerate().map(|(at, variant)| {
        let (pattern, names) = (pattern(variant, "a"), variant.fields.iter().map(|field| bound(field, "a")));
        let wires = variant.fields.iter().map(wire);
        let to = if variant.fields.is_empty() { quote!(_) } else { quote!(to) };
        let at = Literal::usize_unsuffixed(at);
        quote!(#pattern => to.variant(__ENUM, #at, |#to| { #(to.put(#wires, #names);)* }))
    });
    let dequantize = variants.iter().enumerate().skip(1).map(|(at, variant)| {
        let value = build(variant, &path(variant), take);
        let at = Literal::usize_unsuffixed(at);
        quote!(#at => #value)
    });
    let first = variants.first().map(|variant| build(variant, &path(variant), take));
    let reads = variants.iter().any(|variant| !variant.fields.is_empty());
    let (from, number) = (
        if reads { quote!(from) } else { quote!(_) },
        if variants.len() > 1 { quote!(variant) } else { quote!(_) },
    );
    let chosen = if variants.len() > 1 {
        quote!(match variant { #(#dequantize,)* _ => #first })
    } else {
        quote!(#first)
    };
    let interpolate: Vec<_> = variants
        .iter()
        .filter(|variant| variant.fields.iter().any(|field| field.interpolate))
        .map(|variant| {
            let (mine, theirs) = (pattern(variant, "a"), pattern_of_interpolated(variant));
            let value = build(variant, &path(variant), |field| {
                interpolated(field, &bound(field, "a"), &bound(field, "b"))
            });
            quote!((#mine, #theirs) => #value)
        })
        .collect();
    let interpolate = if interpolate.is_empty() {
        quote!(*self)
    } else {
        let others = (variants.len() > 1).then(|| quote!(_ => *self));
        quote!(match (*self, *to) { #(#interpolate,)* #others })
    };
    (
        quote!(#default),
        quote!(match (self, other) { #(#same,)* #different }),
        quote!(__ecs::schema::Form::Enum(__ENUM)),
        quote!(match *self { #(#quantize,)* }),
        quote!(from.variant(__ENUM, |#number, #from| #chosen)),
        interpolate,
    )
}

/// A field between two values, if it is marked; otherwise as it was.
fn interpolated(field: &Field, from: &TokenStream, to: &TokenStream) -> TokenStream {
    if !field.interpolate {
        return quote!(#from);
    }
    let wire = wire(field);
    quote!(__ecs::wire::Wire::interpolate(&#wire, #from, #to, t))
}

fn take(field: &Field) -> TokenStream {
    let wire = wire(field);
    quote!(from.take(#wire))
}

/// A pattern that binds every field of a variant.
fn pattern(variant: &Variant, side: &str) -> TokenStream {
    let ident = &variant.ident;
    let names = variant.fields.iter().map(|field| bound(field, side));
    let members = variant.fields.iter().map(|field| &field.member);
    match variant.style {
        Style::Unit => quote!(Self::#ident),
        Style::Tuple => quote!(Self::#ident(#(#names),*)),
        Style::Named => quote!(Self::#ident { #(#members: #names),* }),
    }
}

/// A pattern that binds the fields of a variant that are interpolated.
fn pattern_of_interpolated(variant: &Variant) -> TokenStream {
    let ident = &variant.ident;
    let members = variant.fields.iter().map(|field| &field.member);
    let names = variant.fields.iter().map(|field| match field.interpolate {
        true => bound(field, "b"),
        false => quote!(_),
    });
    match variant.style {
        Style::Unit => quote!(Self::#ident),
        Style::Tuple => quote!(Self::#ident(#(#names),*)),
        Style::Named => quote!(Self::#ident { #(#members: #names),* }),
    }
}

/// What a field of a variant of `side` is bound to: a name that is neither of the expansion's own.
fn bound(field: &Field, side: &str) -> TokenStream {
    let name = format_ident!("__{side}_{}", crate::names::member(&field.member));
    quote!(#name)
}
