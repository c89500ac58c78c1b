//! The two worlds that are measured, with the same contents.

use ecs_runtime::prelude::*;

use crate::slots::{Handle, Slots};
use crate::{GameState, Health, Position, Velocity};

/// Both worlds, and the handles of their entities in the same order.
pub(crate) struct Worlds {
    pub(crate) ours: GameState,
    pub(crate) slots: Slots,
    pub(crate) our_handles: Vec<Entity>,
    pub(crate) slot_handles: Vec<Handle>,
}

impl Worlds {
    /// `count` entities of three components, in the order of creation.
    pub(crate) fn filled(count: usize) -> Self {
        let (mut ours, mut slots) = (GameState::default(), Slots::default());
        Self {
            our_handles: (0..count).map(|i| create_ours(&mut ours, i)).collect(),
            slot_handles: (0..count).map(|i| create_slots(&mut slots, i)).collect(),
            ours,
            slots,
        }
    }

    /// Brings the handles into an order that no prefetcher foresees, the same each time.
    pub(crate) fn shuffle_handles(&mut self) {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        for at in (1..self.our_handles.len()).rev() {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let other = (random % (at as u64 + 1)) as usize;
            self.our_handles.swap(at, other);
            self.slot_handles.swap(at, other);
        }
    }

    /// Leaves every entity with two components.
    pub(crate) fn remove_healths(&mut self) {
        for (&ours, slots) in self.our_handles.iter().zip(&self.slot_handles) {
            if let Ok(mut entity) = self.ours.entity_mut(ours) {
                entity.del_health();
            }
            self.slots.healths.remove(slots.index);
        }
    }

    /// Compares all values of both worlds, bit by bit.
    ///
    /// # Panics
    /// When a value differs: then a row's two sides did not do the same.
    pub(crate) fn assert_same(&self) {
        assert_eq!(self.our_handles.len(), self.slot_handles.len());
        for (&entity, &handle) in self.our_handles.iter().zip(&self.slot_handles) {
            let index = self.slots.alive(handle);
            assert!(index.is_some() && self.ours.contains(entity), "{entity:?} is not alive");
            let bits = |value: [f32; 3]| value.map(f32::to_bits);
            let ours = (
                self.ours.positions.get(entity).map(|position| bits(position.at)),
                self.ours.velocities.get(entity).map(|velocity| bits(velocity.by)),
                self.ours.healths.get(entity).map(|health| health.hp),
            );
            let slots = (
                index.and_then(|index| self.slots.positions.get(index)).copied().map(bits),
                index.and_then(|index| self.slots.velocities.get(index)).copied().map(bits),
                index.and_then(|index| self.slots.healths.get(index)).copied(),
            );
            assert_eq!(ours, slots, "{entity:?} is not the same in both worlds");
        }
    }
}

/// Creates entity number `i` with its three components.
#[inline]
pub(crate) fn create_ours(world: &mut GameState, i: usize) -> Entity {
    let (at, by) = ([i as f32, 0.0, 0.0], [1.0, 0.5, 0.25]);
    world.spawn((Position { at }, Velocity { by }, Health { hp: 100 })).unwrap_or(Entity::NONE)
}

/// The same; who writes a world by hand needs no look-up for a slot that is new.
#[inline]
pub(crate) fn create_slots(world: &mut Slots, i: usize) -> Handle {
    let handle = world.create();
    world.positions.insert(handle.index, [i as f32, 0.0, 0.0]);
    world.velocities.insert(handle.index, [1.0, 0.5, 0.25]);
    world.healths.insert(handle.index, 100);
    handle
}
