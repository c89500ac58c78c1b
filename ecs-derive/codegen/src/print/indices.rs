//! By what entities are found, what refers to them, and what is called when a component comes and goes.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{DeriveInput, Type};

use crate::attr::WhenGone;
use crate::indices::{self, Index};
use crate::model::{Body, Model};

/// What the implementation of `Component` says of them.
pub(super) fn constants(model: &Model) -> TokenStream {
    let Body::Struct(of) = &model.body else { return TokenStream::new() };
    let indices = indices::of(&of.fields, &model.args);
    let relations: Vec<_> = indices.iter().enumerate().filter_map(relation).collect();
    let defined = indices.iter().map(|index| {
        let Index { name, is_unique, .. } = index;
        let keys = keys(index);
        quote!(__ecs::world::IndexOf { name: #name, is_unique: #is_unique, keys: #keys })
    });
    let defined = (!indices.is_empty()).then(|| {
        quote!(
            const INDICES: &'static [__ecs::world::IndexOf<Self>] = &[#(#defined),*];
        )
    });
    let relations = (!relations.is_empty()).then(|| {
        quote!(
            const RELATIONS: &'static [__ecs::world::RelationOf<Self>] = &[#(#relations),*];
        )
    });
    let hooks = hooks(model);
    quote!(#defined #relations #hooks)
}

/// The constants by which the component's user names its indices.
pub(super) fn handles(model: &Model, input: &DeriveInput) -> TokenStream {
    let Body::Struct(of) = &model.body else { return TokenStream::new() };
    let (ident, vis) = (&input.ident, &input.vis);
    let indices = indices::of(&of.fields, &model.args);
    if indices.is_empty() {
        return TokenStream::new();
    }
    let handles = indices.iter().zip(0..).map(|(index, number)| {
        let constant = format_ident!("BY_{}", index.stem, span = Span::call_site());
        let (key, number) = (key(index), Literal::usize_unsuffixed(number));
        let made = quote_spanned!(shown(index)=> __ecs::world::Index::number(#number));
        let doc = format!(
            " Finds entities by `{}`: see [`Table::find_all`](__ecs::world::Table::find_all).",
            index.name
        );
        quote! {
            #[doc = #doc]
            #vis const #constant: __ecs::world::Index<Self, #key> = #made;
        }
    });
    let fit = indices.iter().filter(|index| index.relation.is_none()).map(|index| {
        let key = key(index);
        quote_spanned! {shown(index)=>
            const _: () = ::core::assert!(
                <#key as __ecs::world::IndexKey>::BITS <= 128,
                "a key has at most 128 bits: take a smaller type, or leave a field out"
            );
        }
    });
    quote! {
        #(#fit)*

        impl #ident {
            #(#handles)*
        }
    }
}

/// What is said of its keys, shown on what the user wrote: the compiler words what a type lacks in the same way wherever
/// it is asked for like this, and says it once.
fn of_keys(index: &Index<'_>, of: &str, item: &str) -> TokenStream {
    let types: Vec<&Type> = index.fields.iter().map(|field| &field.ty).collect();
    let span = shown(index);
    let (of, item) = (Ident::new(of, span), Ident::new(item, span));
    let ty = if let [ty] = *types { quote!(#ty) } else { quote_spanned!(span=> (#(#types),*)) };
    quote_spanned!(span=> <#ty as __ecs::world::#of>::#item)
}

/// Where a mistake of an index is shown: on the type of its field, or on the first of the names.
fn shown(index: &Index<'_>) -> Span {
    let of_field = || index.fields.first().map_or_else(Span::call_site, |field| field.ty.span());
    index.named.first().map_or_else(of_field, Ident::span)
}

/// The type of its keys.
fn key(index: &Index<'_>) -> TokenStream {
    match index.relation {
        Some(_) => quote!(__ecs::Entity),
        None => of_keys(index, "Indexed", "Key"),
    }
}

/// The function that shows the keys of a component.
fn keys(index: &Index<'_>) -> TokenStream {
    let members: Vec<_> = index.fields.iter().map(|field| &field.member).collect();
    let keys = match index.relation {
        Some(_) => of_keys(index, "Links", "targets"),
        None => of_keys(index, "Indexed", "keys"),
    };
    let span = shown(index);
    let of = if let [member] = *members { quote!(of.#member) } else { quote!((#(of.#members),*)) };
    quote_spanned!(span=> |of, found| #keys(&#of, found))
}

fn relation((number, index): (usize, &Index<'_>)) -> Option<TokenStream> {
    let when_gone = match index.relation? {
        WhenGone::Unlink => quote!(Unlink),
        WhenGone::Remove => quote!(Remove),
        WhenGone::Destroy => quote!(Destroy),
    };
    let field = index.fields.first()?;
    let (member, number) = (&field.member, Literal::usize_unsuffixed(number));
    let unlink = of_keys(index, "Links", "unlink");
    Some(quote! {
        __ecs::world::RelationOf {
            index: #number,
            when_gone: __ecs::world::WhenGone::#when_gone,
            unlink: |of, target| #unlink(&mut of.#member, target),
        }
    })
}

/// The functions that are called when the component comes and goes, of the state of this crate.
fn hooks(model: &Model) -> TokenStream {
    let on_add = model.args.on_add.as_ref().map(|hook| {
        let call = quote_spanned!(hook.span()=> #hook(state, entity));
        quote! {
            const ON_ADD: bool = true;

            fn on_add<__W: __ecs::world::GameWorld>(world: &mut __W, entity: __ecs::Entity) {
                if let ::core::option::Option::Some(state) =
                    __ecs::world::state_of::<__W, __ecs::GameState>(world)
                {
                    #call;
                }
            }
        }
    });
    let on_remove = model.args.on_remove.as_ref().map(|hook| {
        let call = quote_spanned!(hook.span()=> #hook(state, entity, removed));
        quote! {
            const ON_REMOVE: bool = true;

            fn on_remove<__W: __ecs::world::GameWorld>(world: &mut __W, entity: __ecs::Entity, removed: Self) {
                if let ::core::option::Option::Some(state) =
                    __ecs::world::state_of::<__W, __ecs::GameState>(world)
                {
                    #call;
                }
            }
        }
    });
    quote!(#on_add #on_remove)
}
