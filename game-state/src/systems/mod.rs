//! The systems: one job and one file each. [`schedule`](crate::schedule) has their order.
//!
//! A system that needs several tables takes the world apart, `let GameState { ref damages, ref mut healths, .. } =
//! *world;`, which says in its first line what it reads and what it writes. Values can change while a table is
//! walked; what exists cannot, so a system that makes or destroys entities first collects for which.

pub mod damage;
pub mod death;
pub mod firing;
pub mod inputs;
pub mod movement;
pub mod pickups;
pub mod projectiles;
pub mod protection;
pub mod respawn;
pub mod score;
#[cfg(test)]
mod stage;

pub use damage::{damage, remove_damage};
pub use death::death;
pub use firing::firing;
pub use inputs::inputs;
pub use movement::movement;
pub use pickups::pickups;
pub use projectiles::projectiles;
pub use protection::protection;
pub use respawn::{request_respawns, respawn};
pub use score::score;

use ecs_runtime::prelude::*;

use crate::{EntityMut, GameState};

/// Makes an entity with components.
///
/// `None` in a full world. A system then goes on without: a shot less is better than a match less.
pub(crate) fn spawn(world: &mut GameState, components: impl FnOnce(&mut EntityMut<'_>)) -> Option<Entity> {
    let entity = world.create_entity().ok()?;
    components(&mut world.entity_mut(entity).ok()?);
    Some(entity)
}

/// Takes an entity away; nothing happens if it is gone already.
pub(crate) fn despawn(world: &mut GameState, entity: Entity) {
    let _ = world.destroy_entity(entity);
}
