//! The constants of an item: how its fields are sent, and what the compiler shall assert of that.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;

use super::field::of_composite;
use crate::attr::Predict;
use crate::errors::shown_on;
use crate::model::{Body, Field, Kind, Model, Variant};
use crate::names;
use crate::rule::Wire;
use crate::types::Layer;

/// The wire of every sent field, the table of fields and its words, and the assertions.
pub(crate) fn schema(model: &Model, ident: &Ident) -> TokenStream {
    let wires = model.fields().filter_map(wire);
    let defaults = model.fields().filter_map(default_assertion);
    let predictions = model.fields().filter_map(predict_assertion);
    let tables = match &model.body {
        Body::Struct(of) if model.sent => fields_and_words(of, "", ident).0,
        Body::Struct(of) => fields_table(of, &format_ident!("__FIELDS")),
        Body::Enum { variants, .. } => enum_schema(model, variants, ident),
    };
    let fits = fits_a_packet(model, ident);
    quote! {
        #(#wires)*
        #tables
        #(#defaults)*
        #(#predictions)*
        #fits
    }
}

/// The table of a struct's or a variant's fields.
fn fields_table(of: &Variant, name: &Ident) -> TokenStream {
    let entries = of.fields.iter().map(field);
    quote!(const #name: &[__ecs::schema::Field] = &[#(#entries),*];)
}

/// The table of a struct's or a variant's fields and its words, and what the constants are called.
///
/// Their number is checked before there is a table of them: the compiler would work for minutes on one that is far too
/// long, before it says so.
fn fields_and_words(of: &Variant, stem: &str, item: &Ident) -> (TokenStream, [Ident; 2]) {
    let called = |what: &str| match stem {
        "" => format_ident!("__{what}"),
        _ => names::constant(what, stem),
    };
    let [fields, len, words] = ["FIELDS", "LEN", "WORDS"].map(called);
    let table = fields_table(of, &fields);
    let message = format!("`{}` could not fit a packet: shorten its arrays and lists", item.unraw());
    let checked = quote_spanned! {shown_on(item)=>
        ::core::assert!(__ecs::schema::row_len(#fields) <= __ecs::schema::MAX_COMPONENT_BITS, #message)
    };
    let tables = quote! {
        #table
        const #len: usize = {
            #checked;
            __ecs::schema::row_len(#fields)
        };
        const #words: [__ecs::schema::Word; #len] = __ecs::schema::row_words(#fields);
    };
    (tables, [fields, words])
}

fn enum_schema(model: &Model, variants: &[Variant], item: &Ident) -> TokenStream {
    let name = &model.name;
    let (tables, schemas): (Vec<_>, Vec<_>) = variants
        .iter()
        .map(|variant| {
            let name = variant.ident.unraw().to_string();
            let (tables, [fields, words]) = fields_and_words(variant, &variant.stem, item);
            let tables = if variant.fields.is_empty() { TokenStream::new() } else { tables };
            let [fields, words] = if variant.fields.is_empty() {
                [quote!(&[]), quote!([])]
            } else {
                [quote!(#fields), quote!(#words)]
            };
            (tables, quote!(__ecs::schema::StructSchema::of_value(#name, #fields, &#words)))
        })
        .unzip();
    quote! {
        #(#tables)*
        const __VARIANTS: &[__ecs::schema::StructSchema] = &[#(#schemas),*];
        const __ENUM: &__ecs::schema::EnumSchema =
            &__ecs::schema::EnumSchema { name: #name, variants: __VARIANTS };
    }
}

/// The constant of one field's wire, as the attribute says; a mistake in it is shown on its arguments.
fn wire(field: &Field) -> Option<TokenStream> {
    let element = &field.shape.element;
    let scalar = quote!(<#element as __ecs::Lanes>::Scalar);
    let max_entities = quote!(<__ecs::GameState as __ecs::world::GameWorld>::MAX_ENTITIES);
    let name = names::wire_const(&field.stem);
    let (ty, value) = match &field.wire {
        Wire::Unsent => return None,
        Wire::Flag => (quote!(Flag), quote!(__ecs::wire::Flag)),
        Wire::FullRange => (quote!(Range<#element>), quote!(__ecs::wire::Range::<#element>::FULL)),
        Wire::Range { lo, hi, args } => (
            quote!(Range<#element>),
            quote_spanned!(shown_on(args)=> __ecs::wire::Range::<#element>::new(#lo, #hi)),
        ),
        Wire::Step { steps, vector, args } => {
            let [min, max, step] = [&steps.min, &steps.max, &steps.step].map(wide);
            let number = if *vector { &scalar } else { &quote!(#element) };
            let step = quote_spanned! {shown_on(args)=>
                __ecs::wire::Step::<#number>::new(#min, #max, #step)
            };
            of_each(*vector, field, quote!(Step<#number>), step)
        }
        Wire::Angle { bits, vector, args } => {
            let number = if *vector { &scalar } else { &quote!(#element) };
            let angle = quote_spanned!(shown_on(args)=> __ecs::wire::Angle::<#number>::new(#bits));
            of_each(*vector, field, quote!(Angle<#number>), angle)
        }
        Wire::Rotation { bits, args } => (
            quote!(Rotation<#element>),
            quote_spanned!(shown_on(args)=> __ecs::wire::Rotation::<#element>::new(#bits)),
        ),
        Wire::UnitVector { bits, args } => (
            quote!(UnitVector<#element>),
            quote_spanned!(shown_on(args)=> __ecs::wire::UnitVector::<#element>::new(#bits)),
        ),
        Wire::Float => (quote!(Float<#element>), quote!(__ecs::wire::Float::<#element>::FULL)),
        Wire::Reference => (quote!(Reference), quote!(__ecs::wire::Reference::new(#max_entities))),
        Wire::OptionalReference => (
            quote!(OptionalReference),
            quote!(__ecs::wire::OptionalReference(__ecs::wire::Reference::new(#max_entities))),
        ),
        Wire::Text(max) => {
            let max = bare(max);
            (quote!(Utf8<{ #max }>), quote!(__ecs::wire::Utf8::<{ #max }>))
        }
        Wire::Nested => {
            let wire = of_composite(element, "Wire");
            return Some(quote_spanned!(element.span()=> const #name: #wire = __ecs::wire::Nested::VALUE;));
        }
    };
    Some(quote!(const #name: __ecs::wire::#ty = #value;))
}

/// The rule of a number, or of each number of a vector type.
fn of_each(vector: bool, field: &Field, ty: TokenStream, rule: TokenStream) -> (TokenStream, TokenStream) {
    if !vector {
        return (ty, rule);
    }
    let element = &field.shape.element;
    (
        quote!(Vector<#element, __ecs::wire::#ty>),
        quote_spanned!(shown_on(element)=> __ecs::wire::Vector::<#element, __ecs::wire::#ty>::of(#rule)),
    )
}

/// A float of the user's as an `f64`: teams keep their limits in `f32` and integer constants.
fn wide(number: &syn::Expr) -> TokenStream {
    match crate::literal::float(number) {
        Some(_) if crate::literal::int(number).is_none() && crate::literal::suffix(number).is_none() => {
            quote!(#number)
        }
        _ => quote!((#number) as f64),
    }
}

/// What the schema says of a field.
fn field(field: &Field) -> TokenStream {
    let (name, ty) = (names::member(&field.member), &field.type_name);
    let mut layers: Vec<_> = field.shape.layers.iter().map(layer).collect();
    let wire = names::wire_const(&field.stem);
    let form = match &field.wire {
        Wire::Unsent => quote!(__ecs::schema::Form::Unsent),
        Wire::Step { vector: true, .. } | Wire::Angle { vector: true, .. } => {
            let element = &field.shape.element;
            layers.push(quote!(__ecs::schema::Layer::Lanes(<#element as __ecs::Lanes>::COUNT)));
            quote!(#wire.element().form())
        }
        Wire::Nested => of_composite(&field.shape.element, "FORM"),
        _ => quote!(#wire.form()),
    };
    if !field.is_sent() {
        layers.clear();
    }
    let marks = [
        field.interpolate.then(|| quote!(.interpolated())),
        field.snap.then(|| quote!(.snapped())),
        field.owner_only.then(|| quote!(.for_owner_only())),
        field.owned.then(|| quote!(.of_owned())),
        field.predict.as_ref().map(predict),
    ];
    let marks = marks.iter().flatten();
    quote!(__ecs::schema::Field::new(#name, #ty, &[#(#layers),*], #form) #(#marks)*)
}

/// What a hint says of how a field moves.
fn predict(Predict { how, .. }: &Predict) -> TokenStream {
    let motion = if how == "linear" { quote!(Linear) } else { quote!(Rotation) };
    quote!(.predicted(__ecs::schema::Motion::#motion))
}

/// Whether a hint fits the numbers of its field is for the compiler to say.
fn predict_assertion(field: &Field) -> Option<TokenStream> {
    let Predict { how, .. } = field.predict.as_ref()?;
    let message = if how == "linear" {
        "`#[predict(linear)]` is for one to three numbers of at most 24 bits: write it on such a field"
    } else {
        "`#[predict(rotation)]` is for a `#[value]` of four numbers: which of x, y, z, w is left out, in `0..=3`, and \
         the other three in `0..=max`, the same `max` for all, of 15 to 65,535"
    };
    let entry = self::field(field);
    Some(quote_spanned! {how.span()=>
        const _: () = ::core::assert!(#entry.can_move(), #message);
    })
}

fn layer(layer: &Layer) -> TokenStream {
    match layer {
        Layer::Array(length) => {
            let length = bare(length);
            quote!(__ecs::schema::Layer::Array(#length))
        }
        Layer::List(length) => {
            let length = bare(length);
            quote!(__ecs::schema::Layer::List(#length))
        }
        Layer::Option => quote!(__ecs::schema::Layer::Option),
    }
}

/// A number without the braces that it needed where the user wrote it, and which are a warning elsewhere.
fn bare(number: &syn::Expr) -> &syn::Expr {
    match number {
        syn::Expr::Block(block) if block.label.is_none() => match &block.block.stmts[..] {
            [syn::Stmt::Expr(inner, None)] => inner,
            _ => number,
        },
        _ => number,
    }
}

/// Where the macro could not tell that a default is inside its range, the compiler shall.
fn default_assertion(field: &Field) -> Option<TokenStream> {
    if !field.default.unproven {
        return None;
    }
    let wire = names::wire_const(&field.stem);
    let name = names::member(&field.member);
    // The range of integers is of their type; that of floats of the widest.
    let inside = |value: TokenStream| match &field.wire {
        Wire::Step { .. } => quote!(#wire.contains((#value) as f64)),
        _ => quote!(#wire.contains(#value)),
    };
    let Some(value) = &field.default.value else {
        let (Wire::Range { args, .. } | Wire::Step { args, .. }) = &field.wire else { return None };
        let element = &field.shape.element;
        let message = format!("`{name}` starts as 0, which is outside its range: add `#[default(..)]`");
        let inside = inside(quote!(<#element as __ecs::Value>::DEFAULT));
        return Some(quote_spanned! {shown_on(args)=>
            const _: () = ::core::assert!(#inside, #message);
        });
    };
    let message = format!("the default of `{name}` is outside its range: write a value inside");
    let constant = names::default_const(&field.stem);
    let ty = &field.ty;
    // The implementation of `Default` names the constant, too, so a mistake in the value is shown once.
    let constant_item = quote!(const #constant: #ty = #value;);
    if field.shape.layers.is_empty() {
        let inside = inside(quote!(#constant));
        return Some(quote_spanned! {shown_on(value)=>
            #constant_item
            const _: () = ::core::assert!(#inside, #message);
        });
    }
    let inside = inside(quote!(elements[at]));
    let flatten = field.shape.layers.iter().skip(1).map(|_| quote!(.as_flattened()));
    Some(quote_spanned! {shown_on(value)=>
        #constant_item
        const _: () = {
            let elements = #constant.as_slice() #(#flatten)*;
            let mut at = 0;
            while at < elements.len() {
                ::core::assert!(#inside, #message);
                at += 1;
            }
        };
    })
}

/// A struct whose largest encoding is larger than a packet could never be sent.
fn fits_a_packet(model: &Model, ident: &Ident) -> Option<TokenStream> {
    if !model.sent || !model.fields().any(Field::is_sent) {
        return None;
    }
    let (what, instead) = match model.kind {
        Kind::Component => ("component", "narrow its fields, mark some `#[dont_send]`, or split it"),
        Kind::Command => ("command", "narrow its fields, or split it"),
        Kind::Event => ("event", "narrow its fields, or split it"),
        // What it is in is checked.
        Kind::Value => return None,
    };
    let message = format!("the {what} `{}` could not fit a packet: {instead}", ident.unraw());
    Some(quote_spanned! {shown_on(ident)=>
        const _: () = ::core::assert!(
            __LEN <= __ecs::schema::MAX_COMPONENT_BITS
                && __ecs::schema::max_bits(__FIELDS) <= __ecs::schema::MAX_COMPONENT_BITS,
            #message
        );
    })
}
