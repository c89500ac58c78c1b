//! Rockets: flying, hitting, exploding.

use ecs_runtime::prelude::*;

use super::firing::nearest_body;
use super::{despawn, spawn};
use crate::math::{Vec3, add, direction, distance, scale};
use crate::weapons::{self, Shot};
use crate::{Context, GameState, Projectile, TICK, TICKS_PER_SECOND};

/// How long a projectile flies at most, in ticks: out of any map.
pub const LIFETIME: u32 = 5 * TICKS_PER_SECOND;

/// Flies every projectile by one tick. One that hits the map or a body explodes, one that hits nothing for too long
/// is taken away.
pub fn projectiles(world: &mut GameState, context: &mut Context) {
    let mut ended = Vec::new();
    for (entity, projectile) in &world.projectiles {
        let explosion = flight(world, context, projectile);
        if explosion.is_some() || context.tick > projectile.fired + LIFETIME {
            ended.push((entity, *projectile, explosion));
        }
    }
    for (entity, projectile, explosion) in ended {
        if let Some(at) = explosion {
            explode(world, context, &projectile, at);
        }
        despawn(world, entity);
    }
}

/// Where the projectile explodes in this tick, if it does: just in front of what it hits.
fn flight(world: &GameState, context: &Context, projectile: &Projectile) -> Option<Vec3> {
    let from = projectile.position(context.tick.saturating_sub(1));
    let ahead = direction(projectile.yaw, projectile.pitch);
    let range = weapons::spec(projectile.slot).projectile_speed() * TICK;
    // The barrel is inside the own body, and so is the rocket at first.
    let own = world.players.get(projectile.owner).map_or(Entity::NONE, |owner| owner.body);
    let body = nearest_body(world, from, ahead, range, own).map(|(_, hit)| hit);
    let solid = context.map.raycast(from, ahead, range);
    let hit = match (body, solid) {
        (Some(body), Some(solid)) => body.min(solid),
        (one, other) => one.or(other)?,
    };
    Some(add(from, scale(ahead, (hit - 0.05).max(0.0))))
}

/// Hurts every body near the explosion that is not behind something solid.
fn explode(world: &mut GameState, context: &Context, projectile: &Projectile, at: Vec3) {
    let Shot::Rocket { splash, .. } = weapons::spec(projectile.slot).shot else { return };
    let mut hits = Vec::new();
    for (body, _, transform) in (&world.bodies, &world.transforms).iter() {
        let away = distance(at, transform.chest());
        if away < splash && context.map.sees(at, transform.chest()) {
            hits.push((body, (projectile.damage as f32 * (1.0 - away / splash)) as u32));
        }
    }
    for (victim, amount) in hits {
        spawn(world, |hit| {
            hit.add_damage(amount, victim, projectile.owner);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::{Stage, WALL};
    use super::*;
    use crate::weapons::ROCKETS;

    /// A rocket from the height of a chest at the origin, along `x`.
    fn fire(stage: &mut Stage, owner: Entity, pitch: f32) -> Entity {
        let fired = stage.context.tick;
        stage.spawn(|rocket| {
            rocket.add_projectile(owner, ROCKETS, [0.0, 1.0, 0.0], 0.0, pitch, fired, 80);
        })
    }

    #[test]
    fn a_rocket_that_hits_a_body_hurts_it_most() {
        let mut stage = Stage::new();
        let (owner, own) = stage.player(0, [0.0; 3]);
        let (_, victim) = stage.player(1, [6.0, 0.0, 0.0]);
        let (_, beside) = stage.player(1, [6.0, 0.0, 2.0]);
        fire(&mut stage, owner, 0.0);
        stage.run(30, projectiles);
        let hits: Vec<_> = stage.world.damages.iter().map(|(_, hit)| (hit.victim, hit.amount)).collect();
        let [(first, most), (second, less)] = hits[..] else { panic!("{hits:?}") };
        assert_eq!((first, second), (victim, beside));
        assert!(most > less && less > 0, "{hits:?}");
        assert!(!hits.iter().any(|&(hit, _)| hit == own), "too far away to hurt oneself");
        assert!(stage.world.projectiles.is_empty());
    }

    #[test]
    fn a_rocket_explodes_at_a_wall_and_hurts_nobody_behind_it() {
        let mut stage = Stage::new();
        let (owner, _) = stage.player(0, [0.0; 3]);
        let (_, front) = stage.player(1, [WALL - 1.0, 0.0, 1.5]);
        stage.player(1, [WALL + 2.0, 0.0, 0.0]);
        fire(&mut stage, owner, 0.0);
        stage.run(30, projectiles);
        assert!(stage.world.damages.iter().map(|(_, hit)| hit.victim).eq([front]));
    }

    #[test]
    fn the_path_that_was_sent_is_the_path_that_is_flown() {
        let mut stage = Stage::new();
        let rocket = fire(&mut stage, Entity::NONE, 0.5);
        stage.run(30, projectiles);
        let at = stage.world.projectiles.get(rocket).expect("in the air").position(stage.context.tick);
        let flown = weapons::spec(ROCKETS).projectile_speed() / 2.0;
        assert!((distance(at, [0.0, 1.0, 0.0]) - flown).abs() < 1e-3, "{at:?}");
    }

    #[test]
    fn a_rocket_into_the_sky_goes_in_the_end() {
        let mut stage = Stage::new();
        fire(&mut stage, Entity::NONE, 1.0);
        stage.run(LIFETIME + 1, projectiles);
        assert_eq!((stage.world.projectiles.len(), stage.world.damages.len()), (0, 0));
    }
}
