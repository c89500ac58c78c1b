//! Writes what is the same in every state: thin wrappers over the runtime, so that a state's user needs no traits
//! in scope and reads the documentation in one place.

use proc_macro2::TokenStream;
use quote::quote;

/// The methods of `GameState`.
pub(crate) fn methods() -> TokenStream {
    quote! {
        impl GameState {
            /// The largest number of entities.
            pub const MAX_ENTITIES: u32 = <Self as __ecs::world::GameWorld>::MAX_ENTITIES;

            /// Creates an entity without components, of the first kind.
            ///
            /// # Errors
            /// When there are [`Self::MAX_ENTITIES`] already.
            pub fn create_entity(
                &mut self,
            ) -> ::core::result::Result<__ecs::Entity, __ecs::world::CreateError> {
                self.create_entity_of(::core::default::Default::default())
            }

            /// Creates an entity without components, of a kind.
            ///
            /// # Errors
            /// When the kind has no index left and there is no room for more.
            #[inline]
            pub fn create_entity_of(
                &mut self,
                kind: __ecs::world::Kind,
            ) -> ::core::result::Result<__ecs::Entity, __ecs::world::CreateError> {
                __ecs::world::create(self, kind)
            }

            /// Creates an entity with components: `spawn((Transform::default(), Health { hp: 100 }))`.
            ///
            /// # Errors
            /// When there are [`Self::MAX_ENTITIES`] already.
            #[inline]
            pub fn spawn(
                &mut self,
                components: impl __ecs::world::Bundle<Self>,
            ) -> ::core::result::Result<__ecs::Entity, __ecs::world::CreateError> {
                __ecs::world::spawn(self, ::core::default::Default::default(), components)
            }

            /// Creates an entity with components, of a kind.
            ///
            /// # Errors
            /// When the kind has no index left and there is no room for more.
            #[inline]
            pub fn spawn_of(
                &mut self,
                kind: __ecs::world::Kind,
                components: impl __ecs::world::Bundle<Self>,
            ) -> ::core::result::Result<__ecs::Entity, __ecs::world::CreateError> {
                __ecs::world::spawn(self, kind, components)
            }

            /// Creates an entity of the same kind with copies of all components of another, except singletons.
            ///
            /// # Errors
            /// When the other is not alive, or there is no room.
            pub fn clone_entity(
                &mut self,
                entity: __ecs::Entity,
            ) -> ::core::result::Result<__ecs::Entity, __ecs::world::CloneError> {
                __ecs::world::clone_entity(self, entity)
            }

            /// Copies an entity with whoever refers to it by `#[relation(destroy)]`, and so on: whatever would be destroyed
            /// with it. Copies refer to copies.
            ///
            /// # Errors
            /// When it is not alive, or there is no room for all of them; nothing is copied then.
            pub fn clone_deep(
                &mut self,
                entity: __ecs::Entity,
            ) -> ::core::result::Result<__ecs::Entity, __ecs::world::CloneError> {
                __ecs::world::clone_deep(self, entity)
            }

            /// Gives `to` the component of `from`, if it has one; what that replaces is returned.
            ///
            /// # Errors
            /// When one of the two is not alive.
            pub fn copy_component<C: __ecs::Component>(
                &mut self,
                from: __ecs::Entity,
                to: __ecs::Entity,
            ) -> ::core::result::Result<::core::option::Option<C>, __ecs::world::NoSuchEntity>
            where
                Self: __ecs::world::HasTable<C>,
            {
                __ecs::world::copy_component(self, from, to)
            }

            /// Makes room for so many entities with every component, so that none of them allocates.
            pub fn reserve(&mut self, entities: u32) {
                __ecs::world::reserve(self, entities);
            }

            /// How much memory this state holds, table by table.
            pub fn memory(&self) -> __ecs::world::MemoryReport {
                __ecs::world::memory(self)
            }

            /// Destroys an entity with all its components. Whoever refers to it by a `#[relation]` is unlinked, or loses the
            /// component, or is destroyed, as the relation says.
            ///
            /// # Errors
            /// When it is gone already.
            pub fn destroy_entity(
                &mut self,
                entity: __ecs::Entity,
            ) -> ::core::result::Result<(), __ecs::world::NoSuchEntity> {
                __ecs::world::destroy(self, entity)
            }

            /// Whether an entity is alive.
            #[inline]
            pub fn contains(&self, entity: __ecs::Entity) -> bool {
                self.ids.contains(entity)
            }

            /// How many entities are alive.
            #[inline]
            pub fn entity_count(&self) -> usize {
                self.ids.len()
            }

            /// Every living entity, in the order of their indices.
            pub fn entities(&self) -> impl ::core::iter::Iterator<Item = __ecs::Entity> + '_ {
                self.ids.iter()
            }

            /// An entity, to be read.
            ///
            /// # Errors
            /// When it is not alive.
            #[inline]
            pub fn entity(
                &self,
                entity: __ecs::Entity,
            ) -> ::core::result::Result<EntityRef<'_>, __ecs::world::NoSuchEntity> {
                __ecs::world::EntityRef::new(self, entity).map(EntityRef)
            }

            /// An entity, to be changed.
            ///
            /// # Errors
            /// When it is not alive.
            #[inline]
            pub fn entity_mut(
                &mut self,
                entity: __ecs::Entity,
            ) -> ::core::result::Result<EntityMut<'_>, __ecs::world::NoSuchEntity> {
                __ecs::world::EntityMut::new(self, entity).map(EntityMut)
            }

            /// Destroys all entities of a selection that are alive; tells how many.
            pub fn destroy_all(&mut self, selection: &__ecs::world::Selection) -> usize {
                __ecs::world::destroy_all(self, selection)
            }

            /// Gives all entities of a selection that are alive a component, in the place of what they have of it; tells how
            /// many.
            pub fn add_all<C: __ecs::Component>(
                &mut self,
                selection: &__ecs::world::Selection,
                component: C,
            ) -> usize
            where
                Self: __ecs::world::HasTable<C>,
            {
                __ecs::world::add_all(self, selection, &component)
            }

            /// Takes a component from all entities of a selection; tells how many had it.
            pub fn remove_all<C: __ecs::Component>(&mut self, selection: &__ecs::world::Selection) -> usize
            where
                Self: __ecs::world::HasTable<C>,
            {
                __ecs::world::remove_all::<Self, C>(self, selection)
            }

            /// Ends a tick: what changed in it is told by the tables of components that are `#[component(tracked)]`.
            pub fn end_tick(&mut self) {
                __ecs::world::end_tick(self);
            }

            /// Brings indices up to date, so that look-ups need not look at what was touched since; right without it as well.
            pub fn fold_indices(&mut self) {
                __ecs::world::fold_indices(self);
            }

            /// Looks at everything for what types cannot rule out, such as references to entities that are gone and values
            /// out of range. In a healthy match there is nothing.
            pub fn check_integrity(&self) -> ::std::vec::Vec<__ecs::world::Finding> {
                __ecs::world::check_integrity(self)
            }

            /// Destroys every entity and keeps the memory; old handles stay stale.
            pub fn reset(&mut self) {
                __ecs::world::reset(self);
            }

            /// Makes this state equal to `other`, ids included. Allocates nothing once it has held as much.
            pub fn copy_from(&mut self, other: &Self) {
                __ecs::world::copy_from(self, other);
            }

            /// What was added, removed and changed since `previous`.
            pub fn diff<'w>(&'w self, previous: &'w Self) -> __ecs::world::Diff<'w, Self> {
                __ecs::world::Diff::new(previous, self)
            }

            /// Makes `out` the state between `from` (`t = 0`) and `to` (`t = 1`).
            ///
            /// What exists, and every field that is not marked `#[interpolate]`, is as in `from` until `t` is 1.
            pub fn interpolate(from: &Self, to: &Self, t: f32, out: &mut Self) {
                __ecs::world::interpolate(from, to, t, out);
            }
        }
    }
}

/// The handles that components hang their accessors on.
pub(crate) fn handles() -> TokenStream {
    quote! {
        /// A living entity, to be read; every component of the list adds its accessors.
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        pub struct EntityRef<'w>(__ecs::world::EntityRef<'w, GameState>);

        impl<'w> ::core::ops::Deref for EntityRef<'w> {
            type Target = __ecs::world::EntityRef<'w, GameState>;

            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        /// A living entity, to be changed; every component of the list adds its accessors.
        pub struct EntityMut<'w>(__ecs::world::EntityMut<'w, GameState>);

        impl ::core::fmt::Debug for EntityRef<'_> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.0, f)
            }
        }

        impl ::core::fmt::Debug for EntityMut<'_> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.0, f)
            }
        }

        impl<'w> ::core::ops::Deref for EntityMut<'w> {
            type Target = __ecs::world::EntityMut<'w, GameState>;

            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl ::core::ops::DerefMut for EntityMut<'_> {
            #[inline]
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.0
            }
        }
    }
}
