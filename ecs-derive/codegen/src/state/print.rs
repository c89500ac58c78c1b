//! Writes the state: a struct of tables, and the impls that tell the runtime where they are.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;

use super::check::MAX_MAX_ENTITIES;
use super::methods;
use super::parse::{Component, State};
use crate::errors::shown_on;
use crate::literal;
use crate::types::spell;

pub(crate) fn expansion(state: &State) -> TokenStream {
    let runtime = &state.runtime;
    let structure = structure(&state.components);
    let methods = methods::methods();
    let handles = methods::handles();
    let world = world(state);
    let tables = state.components.iter().zip(numbers()).map(has_table);
    let commands = state.commands.iter().flatten().zip(numbers()).map(has_command);
    let events = state.events.iter().flatten().zip(numbers()).map(has_event);
    quote! {
        /// Where the components of the crate find the runtime and the state. Without a `game_state!` at the crate root,
        /// this name is all that is missing, which makes for one message.
        #[doc(hidden)]
        #[allow(unused_imports)]
        pub(crate) mod __game_state {
            pub(crate) use #runtime::*;
            pub(crate) use super::{EntityMut, EntityRef, GameState};
        }

        #[allow(unused_imports)]
        use __game_state as __ecs;

        #structure
        #methods
        #handles
        #world
        #(#tables)*
        #(#commands)*
        #(#events)*
    }
}

/// 0, 1, 2: the place in a list, which is the number on the wire.
fn numbers() -> impl Iterator<Item = Literal> {
    (0..=u16::MAX).map(Literal::u16_unsuffixed)
}

fn structure(components: &[Component]) -> TokenStream {
    let count = Literal::usize_unsuffixed(components.len());
    let fields = components.iter().map(|Component { vis, path, table }| {
        let doc = format!(" Every [`{}`].", spell(path));
        quote! {
            #[doc = #doc]
            #vis #table: __ecs::world::Table<#path>
        }
    });
    let defaults = components.iter().map(|Component { path, table, .. }| {
        quote_spanned!(shown_on(path)=> #table: ::core::default::Default::default())
    });
    quote! {
        /// The state: the entities, and a table for each type of component.
        pub struct GameState {
            #(#fields,)*
            /// The ids of the entities, and which components each has.
            pub ids: __ecs::world::Entities,
        }

        impl ::core::default::Default for GameState {
            fn default() -> Self {
                Self {
                    #(#defaults,)*
                    ids: __ecs::world::Entities::new(#count),
                }
            }
        }

        impl ::core::clone::Clone for GameState {
            fn clone(&self) -> Self {
                let mut clone = <Self as ::core::default::Default>::default();
                clone.copy_from(self);
                clone
            }

            fn clone_from(&mut self, source: &Self) {
                self.copy_from(source);
            }
        }

        impl ::core::cmp::PartialEq for GameState {
            fn eq(&self, other: &Self) -> bool {
                __ecs::world::same(self, other)
            }
        }

        impl ::core::fmt::Debug for GameState {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct("GameState").field("entities", &self.entity_count()).finish_non_exhaustive()
            }
        }
    }
}

fn world(state: &State) -> TokenStream {
    let max_entities = &state.max_entities;
    let assertion = max_entities.as_ref().filter(|number| literal::int(number).is_none()).map(|number| {
        let message = format!("`max_entities` is a number from 1 to {MAX_MAX_ENTITIES}");
        quote_spanned! {shown_on(number)=>
            const _: () = ::core::assert!(1 <= #number && #number <= #MAX_MAX_ENTITIES, #message);
        }
    });
    let visits: Vec<_> = state.components.iter().map(visit).collect();
    let visits_mut: Vec<_> = state.components.iter().map(visit_mut).collect();
    let visits_pair = state.components.iter().map(visit_pair);
    let asks = state
        .components
        .iter()
        .map(|Component { path, .. }| quote_spanned!(shown_on(path)=> .and::<#path>()));
    let (numbers, numbers_mut) = (numbers(), numbers());
    let schemas = state.components.iter().map(|component| schema(&component.path));
    let commands = state.commands.iter().flatten().map(schema);
    let events = state.events.iter().flatten().map(schema);
    quote! {
        #assertion

        impl __ecs::world::GameWorld for GameState {
            const MAX_ENTITIES: u32 = #max_entities;

            const SCHEMA: &'static __ecs::schema::Schema = &__ecs::schema::Schema {
                max_entities: Self::MAX_ENTITIES,
                components: &[#(#schemas),*],
                commands: &[#(#commands),*],
                events: &[#(#events),*],
            };

            const ASKS: __ecs::world::Asks = __ecs::world::Asks::NOTHING #(#asks)*;

            #[inline]
            fn ids(&self) -> &__ecs::world::Entities {
                &self.ids
            }

            #[inline]
            fn ids_mut(&mut self) -> &mut __ecs::world::Entities {
                &mut self.ids
            }

            fn visit<V: __ecs::world::Visit<Self>>(&self, visitor: &mut V) {
                #(#visits;)*
            }

            fn visit_mut<V: __ecs::world::VisitMut<Self>>(&mut self, visitor: &mut V) {
                #(#visits_mut;)*
            }

            fn visit_one<V: __ecs::world::Visit<Self>>(
                &self,
                component: __ecs::world::ComponentId,
                visitor: &mut V,
            ) {
                match component.0 {
                    #(#numbers => #visits,)*
                    _ => {}
                }
            }

            fn visit_one_mut<V: __ecs::world::VisitMut<Self>>(
                &mut self,
                component: __ecs::world::ComponentId,
                visitor: &mut V,
            ) {
                match component.0 {
                    #(#numbers_mut => #visits_mut,)*
                    _ => {}
                }
            }

            fn visit_pair<V: __ecs::world::VisitPair<Self>>(&mut self, other: &Self, visitor: &mut V) {
                #(#visits_pair;)*
            }
        }
    }
}

fn schema(path: &Path) -> TokenStream {
    quote_spanned!(shown_on(path)=> <#path as __ecs::Quantize>::SCHEMA)
}

fn visit(Component { path, table, .. }: &Component) -> TokenStream {
    quote_spanned!(shown_on(path)=> visitor.table(&self.#table))
}

fn visit_mut(Component { path, table, .. }: &Component) -> TokenStream {
    quote_spanned!(shown_on(path)=> visitor.table(&mut self.#table))
}

fn visit_pair(Component { path, table, .. }: &Component) -> TokenStream {
    quote_spanned!(shown_on(path)=> visitor.table(&mut self.#table, &other.#table))
}

fn has_table((Component { path, table, .. }, number): (&Component, Literal)) -> TokenStream {
    quote_spanned! {shown_on(path)=>
        impl __ecs::world::HasTable<#path> for GameState {
            const ID: __ecs::world::ComponentId = __ecs::world::ComponentId(#number);

            #[inline]
            fn table(&self) -> &__ecs::world::Table<#path> {
                &self.#table
            }

            #[inline]
            fn table_mut(&mut self) -> &mut __ecs::world::Table<#path> {
                &mut self.#table
            }
        }
    }
}

fn has_command((path, number): (&Path, Literal)) -> TokenStream {
    quote_spanned! {shown_on(path)=>
        impl __ecs::world::HasCommand<#path> for GameState {
            const ID: u16 = #number;
        }
    }
}

fn has_event((path, number): (&Path, Literal)) -> TokenStream {
    quote_spanned! {shown_on(path)=>
        impl __ecs::world::HasEvent<#path> for GameState {
            const ID: u16 = #number;
        }
    }
}
