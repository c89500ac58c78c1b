//! The world that naia wants from its user: entities by number, each with a few components in boxes.
//!
//! It is the plainest that serves; naia's own adapters are for Bevy's world, which is not measured twice. What concerns
//! entities that clients own, hand on or copy is here because naia asks for it, and is not used.

use naia_shared::{
    ComponentFieldUpdate, ComponentKind, ComponentKinds, ComponentUpdate, EntityAndGlobalEntityConverter,
    GlobalWorldManagerType, LocalEntityAndGlobalEntityConverter, ReplicaDynMut, ReplicaDynMutWrapper,
    ReplicaDynRef, ReplicaDynRefWrapper, ReplicaMutTrait, ReplicaMutWrapper, ReplicaRefTrait,
    ReplicaRefWrapper, Replicate, ReplicatedComponent, SerdeErr, WorldMutType, WorldRefType,
};

/// Entities by number.
#[derive(Default)]
pub(super) struct World(Vec<Option<Vec<Box<dyn Replicate>>>>);

impl World {
    /// The numbers of the entities that are there.
    pub(super) fn entities(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.0).filter(|(_, components)| components.is_some()).map(|(entity, _)| entity)
    }

    /// A component of an entity.
    pub(super) fn get<R: Replicate>(&self, entity: u32) -> Option<&R> {
        self.of_kind(entity, &ComponentKind::of::<R>())?.to_any().downcast_ref()
    }

    /// A component of an entity, to be changed.
    pub(super) fn get_mut<R: Replicate>(&mut self, entity: u32) -> Option<&mut R> {
        self.of_kind_mut(entity, &ComponentKind::of::<R>())?.to_any_mut().downcast_mut()
    }

    fn components(&self, entity: u32) -> &[Box<dyn Replicate>] {
        self.0.get(entity as usize).and_then(Option::as_deref).unwrap_or(&[])
    }

    fn components_mut(&mut self, entity: u32) -> Option<&mut Vec<Box<dyn Replicate>>> {
        self.0.get_mut(entity as usize)?.as_mut()
    }

    fn of_kind(&self, entity: u32, kind: &ComponentKind) -> Option<&dyn Replicate> {
        self.components(entity)
            .iter()
            .find(|component| component.kind() == *kind)
            .map(|component| &**component)
    }

    fn of_kind_mut(&mut self, entity: u32, kind: &ComponentKind) -> Option<&mut dyn Replicate> {
        let components = self.components_mut(entity)?;
        components.iter_mut().find(|component| component.kind() == *kind).map(|component| &mut **component)
    }

    fn insert(&mut self, entity: u32, component: Box<dyn Replicate>) {
        self.remove(entity, &component.kind());
        if let Some(components) = self.components_mut(entity) {
            components.push(component);
        }
    }

    fn remove(&mut self, entity: u32, kind: &ComponentKind) -> Option<Box<dyn Replicate>> {
        let components = self.components_mut(entity)?;
        let at = components.iter().position(|component| component.kind() == *kind)?;
        Some(components.swap_remove(at))
    }
}

/// A component that is lent.
struct Lent<T>(T);

impl<R: Replicate> ReplicaRefTrait<R> for Lent<&R> {
    fn to_ref(&self) -> &R {
        self.0
    }
}

impl<R: Replicate> ReplicaRefTrait<R> for Lent<&mut R> {
    fn to_ref(&self) -> &R {
        self.0
    }
}

impl<R: Replicate> ReplicaMutTrait<R> for Lent<&mut R> {
    fn to_mut(&mut self) -> &mut R {
        self.0
    }
}

/// What naia reads, of a world that is lent either way.
macro_rules! reads {
    ($($world:ty),*) => {$(
        impl WorldRefType<u32> for $world {
            fn has_entity(&self, entity: &u32) -> bool {
                self.0.get(*entity as usize).is_some_and(Option::is_some)
            }

            fn entities(&self) -> Vec<u32> {
                World::entities(self).collect()
            }

            fn has_component<R: ReplicatedComponent>(&self, entity: &u32) -> bool {
                self.get::<R>(*entity).is_some()
            }

            fn has_component_of_kind(&self, entity: &u32, kind: &ComponentKind) -> bool {
                self.of_kind(*entity, kind).is_some()
            }

            fn component<'a, R: ReplicatedComponent>(&'a self, entity: &u32) -> Option<ReplicaRefWrapper<'a, R>> {
                self.get(*entity).map(|component| ReplicaRefWrapper::new(Lent(component)))
            }

            fn component_of_kind<'a>(&'a self, entity: &u32, kind: &ComponentKind) -> Option<ReplicaDynRefWrapper<'a>> {
                self.of_kind(*entity, kind).map(|component| ReplicaDynRefWrapper::new(ReplicaDynRef::new(component)))
            }
        }
    )*};
}

reads!(&World, &mut World);

impl WorldMutType<u32> for &mut World {
    fn spawn_entity(&mut self) -> u32 {
        self.0.push(Some(Vec::new()));
        self.0.len() as u32 - 1
    }

    fn local_duplicate_entity(&mut self, entity: &u32) -> u32 {
        let copy = self.spawn_entity();
        self.local_duplicate_components(&copy, entity);
        copy
    }

    fn local_duplicate_components(&mut self, to: &u32, from: &u32) {
        let copies: Vec<_> = self.components(*from).iter().map(|component| component.copy_to_box()).collect();
        for mut copy in copies {
            copy.localize();
            self.insert(*to, copy);
        }
    }

    fn despawn_entity(&mut self, entity: &u32) {
        if let Some(components) = self.0.get_mut(*entity as usize) {
            *components = None;
        }
    }

    fn component_kinds(&mut self, entity: &u32) -> Vec<ComponentKind> {
        self.components(*entity).iter().map(|component| component.kind()).collect()
    }

    fn component_mut<'a, R: ReplicatedComponent>(
        &'a mut self,
        entity: &u32,
    ) -> Option<ReplicaMutWrapper<'a, R>> {
        self.get_mut(*entity).map(|component| ReplicaMutWrapper::new(Lent(component)))
    }

    fn component_mut_of_kind<'a>(
        &'a mut self,
        entity: &u32,
        kind: &ComponentKind,
    ) -> Option<ReplicaDynMutWrapper<'a>> {
        self.of_kind_mut(*entity, kind)
            .map(|component| ReplicaDynMutWrapper::new(ReplicaDynMut::new(component)))
    }

    fn component_apply_update(
        &mut self,
        converter: &dyn LocalEntityAndGlobalEntityConverter,
        entity: &u32,
        kind: &ComponentKind,
        update: ComponentUpdate,
    ) -> Result<(), SerdeErr> {
        self.of_kind_mut(*entity, kind)
            .map_or(Ok(()), |component| component.read_apply_update(converter, update))
    }

    fn component_apply_field_update(
        &mut self,
        converter: &dyn LocalEntityAndGlobalEntityConverter,
        entity: &u32,
        kind: &ComponentKind,
        update: ComponentFieldUpdate,
    ) -> Result<(), SerdeErr> {
        self.of_kind_mut(*entity, kind)
            .map_or(Ok(()), |component| component.read_apply_field_update(converter, update))
    }

    fn mirror_entities(&mut self, to: &u32, from: &u32) {
        for kind in self.component_kinds(from) {
            self.mirror_components(to, from, &kind);
        }
    }

    fn mirror_components(&mut self, to: &u32, from: &u32, kind: &ComponentKind) {
        let from = self.of_kind(*from, kind).map(Replicate::copy_to_box);
        if let (Some(from), Some(to)) = (from, self.of_kind_mut(*to, kind)) {
            to.mirror(&*from);
        }
    }

    fn insert_component<R: ReplicatedComponent>(&mut self, entity: &u32, component: R) {
        self.insert(*entity, Box::new(component));
    }

    fn insert_boxed_component(&mut self, entity: &u32, component: Box<dyn Replicate>) {
        self.insert(*entity, component);
    }

    fn remove_component<R: ReplicatedComponent>(&mut self, entity: &u32) -> Option<R> {
        let component = self.remove(*entity, &ComponentKind::of::<R>())?;
        component.to_boxed_any().downcast().ok().map(|component| *component)
    }

    fn remove_component_of_kind(&mut self, entity: &u32, kind: &ComponentKind) -> Option<Box<dyn Replicate>> {
        self.remove(*entity, kind)
    }

    fn entity_publish(
        &mut self,
        kinds: &ComponentKinds,
        converter: &dyn EntityAndGlobalEntityConverter<u32>,
        manager: &dyn GlobalWorldManagerType,
        entity: &u32,
    ) {
        for kind in self.component_kinds(entity) {
            self.component_publish(kinds, converter, manager, entity, &kind);
        }
    }

    fn component_publish(
        &mut self,
        kinds: &ComponentKinds,
        converter: &dyn EntityAndGlobalEntityConverter<u32>,
        manager: &dyn GlobalWorldManagerType,
        entity: &u32,
        kind: &ComponentKind,
    ) {
        if let (Ok(global), Some(component)) =
            (converter.entity_to_global_entity(entity), self.of_kind_mut(*entity, kind))
        {
            let size = component.diff_mask_size();
            component.publish(&manager.register_component(kinds, &global, kind, size));
        }
    }

    fn entity_unpublish(&mut self, entity: &u32) {
        for kind in self.component_kinds(entity) {
            self.component_unpublish(entity, &kind);
        }
    }

    fn component_unpublish(&mut self, entity: &u32, kind: &ComponentKind) {
        if let Some(component) = self.of_kind_mut(*entity, kind) {
            component.unpublish();
        }
    }

    fn entity_enable_delegation(
        &mut self,
        kinds: &ComponentKinds,
        converter: &dyn EntityAndGlobalEntityConverter<u32>,
        manager: &dyn GlobalWorldManagerType,
        entity: &u32,
    ) {
        for kind in self.component_kinds(entity) {
            self.component_enable_delegation(kinds, converter, manager, entity, &kind);
        }
    }

    fn component_enable_delegation(
        &mut self,
        kinds: &ComponentKinds,
        converter: &dyn EntityAndGlobalEntityConverter<u32>,
        manager: &dyn GlobalWorldManagerType,
        entity: &u32,
        kind: &ComponentKind,
    ) {
        if let (Ok(global), Some(component)) =
            (converter.entity_to_global_entity(entity), self.of_kind_mut(*entity, kind))
        {
            let accessor = manager.get_entity_auth_accessor(&global);
            let size = component.diff_mask_size();
            let mutator = manager
                .entity_needs_mutator_for_delegation(&global)
                .then(|| manager.register_component(kinds, &global, kind, size));
            component.enable_delegation(&accessor, mutator.as_ref());
        }
    }

    fn entity_disable_delegation(&mut self, entity: &u32) {
        for kind in self.component_kinds(entity) {
            self.component_disable_delegation(entity, &kind);
        }
    }

    fn component_disable_delegation(&mut self, entity: &u32, kind: &ComponentKind) {
        if let Some(component) = self.of_kind_mut(*entity, kind) {
            component.disable_delegation();
        }
    }
}
