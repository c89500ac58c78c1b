//! The accessors of a component on the crate's `EntityRef` and `EntityMut`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput, Fields};

use crate::errors::shown_on;
use crate::model::first_doc_line;

/// The most arguments of a function, `self` included, that clippy accepts.
const MANY_ARGUMENTS: usize = 7;

/// The accessors, and the assertion that the component is on the list.
///
/// Where it is not, the assertion is the one error: the bounds of the impls, which name a lifetime so that the
/// compiler does not reject them at once, keep the accessors quiet.
pub(crate) fn accessors(stem: &Ident, singleton: bool, input: &DeriveInput) -> TokenStream {
    let (ident, vis) = (&input.ident, &input.vis);
    let name = ident.unraw();
    let listed = quote!(for<'z> __ecs::GameState: __ecs::world::HasTable<#ident>);
    let state = quote_spanned!(shown_on(ident)=> __ecs::GameState);
    let mut get_doc = vec![format!(" The [`{name}`] of this entity, if it has one.")];
    if let Some(line) = first_doc_line(&input.attrs) {
        get_doc.extend([String::new(), format!(" {line}")]);
    }
    let has_doc = format!(" Whether this entity has [`{name}`].");
    let del_doc = format!(" Removes the [`{name}`] of this entity and returns it.");
    let (has, del) = (around("has_", stem, ""), around("del_", stem, ""));
    let get_mut = get_mut(stem, input);
    let add = add(stem, input);
    let singleton = singleton.then(|| of_singleton(stem, input, &listed));
    quote! {
        const _: __ecs::world::ComponentId = <#state as __ecs::world::HasTable<#ident>>::ID;

        impl<'w> __ecs::EntityRef<'w>
        where
            #listed,
        {
            #(#[doc = #get_doc])*
            #[inline]
            #vis fn #stem(self) -> ::core::option::Option<&'w #ident> {
                self.0.get::<#ident>()
            }

            #[doc = #has_doc]
            #[inline]
            #vis fn #has(self) -> bool {
                self.0.has::<#ident>()
            }
        }

        impl __ecs::EntityMut<'_>
        where
            #listed,
        {
            #(#[doc = #get_doc])*
            #[inline]
            #vis fn #stem(&self) -> ::core::option::Option<&#ident> {
                self.0.get::<#ident>()
            }

            #get_mut

            #[doc = #has_doc]
            #[inline]
            #vis fn #has(&self) -> bool {
                self.0.has::<#ident>()
            }

            #add

            #[doc = #del_doc]
            #[inline]
            #vis fn #del(&mut self) -> ::core::option::Option<#ident> {
                self.0.remove::<#ident>()
            }
        }

        #singleton
    }
}

/// What at most one entity has is found without naming the entity.
fn of_singleton(stem: &Ident, input: &DeriveInput, listed: &TokenStream) -> TokenStream {
    let DeriveInput { ident, vis, .. } = input;
    let name = ident.unraw();
    let doc = format!(" The [`{name}`] of this state, if an entity has it.");
    let mut_doc = format!(" The [`{name}`] of this state, to be changed; counts as touched.");
    let (has_fields, get_mut) = (get_mut(stem, input).is_some(), around("", stem, "_mut"));
    let get_mut = has_fields.then(|| {
        quote! {
            #[doc = #mut_doc]
            #[inline]
            #vis fn #get_mut(&mut self) -> ::core::option::Option<&mut #ident> {
                __ecs::world::singleton_mut::<Self, #ident>(self)
            }
        }
    });
    quote! {
        impl __ecs::GameState
        where
            #listed,
        {
            #[doc = #doc]
            #[inline]
            #vis fn #stem(&self) -> ::core::option::Option<&#ident> {
                __ecs::world::singleton::<Self, #ident>(self)
            }

            #get_mut
        }
    }
}

/// Not for tags, in which there is nothing to change.
fn get_mut(stem: &Ident, input: &DeriveInput) -> Option<TokenStream> {
    if matches!(&input.data, Data::Struct(data) if data.fields.is_empty()) {
        return None;
    }
    let DeriveInput { ident, vis, .. } = input;
    let doc = format!(" The [`{}`] of this entity, to be changed; counts as touched.", ident.unraw());
    let name = around("", stem, "_mut");
    Some(quote! {
        #[doc = #doc]
        #[inline]
        #vis fn #name(&mut self) -> ::core::option::Option<&mut #ident> {
            self.0.get_mut::<#ident>()
        }
    })
}

/// The positional constructor: an argument for each field, in order.
fn add(stem: &Ident, input: &DeriveInput) -> Option<TokenStream> {
    let Data::Struct(data) = &input.data else { return None };
    let DeriveInput { ident, vis, .. } = input;
    let doc = format!(" Adds [`{}`] to this entity; the value that it replaces is returned.", ident.unraw());
    let name = around("add_", stem, "");
    let (arguments, value) = match &data.fields {
        Fields::Unit => (quote!(), quote!(#ident)),
        Fields::Named(fields) => {
            let (names, types): (Vec<_>, Vec<_>) =
                fields.named.iter().map(|field| (&field.ident, &field.ty)).unzip();
            (quote!(#(, #names: #types)*), quote!(#ident { #(#names),* }))
        }
        Fields::Unnamed(fields) => {
            let names: Vec<_> = (0..fields.unnamed.len()).map(|i| format_ident!("_{i}")).collect();
            let types = fields.unnamed.iter().map(|field| &field.ty);
            (quote!(#(, #names: #types)*), quote!(#ident(#(#names),*)))
        }
    };
    let allow =
        (data.fields.len() + 1 > MANY_ARGUMENTS).then(|| quote!(#[allow(clippy::too_many_arguments)]));
    Some(quote! {
        #[doc = #doc]
        #[inline]
        #allow
        #vis fn #name(&mut self #arguments) -> ::core::option::Option<#ident> {
            self.0.add::<#ident>(#value)
        }
    })
}

fn around(before: &str, stem: &Ident, after: &str) -> Ident {
    format_ident!("{before}{}{after}", stem.unraw(), span = stem.span())
}
