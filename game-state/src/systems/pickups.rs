//! Things to walk over.

use ecs_runtime::prelude::*;

use crate::math::distance;
use crate::weapons::full_ammo;
use crate::{Context, FULL_HEALTH, GameState, Pickup, TICKS_PER_SECOND};

/// How near a body's feet have to come, in metres.
pub const REACH: f32 = 1.2;

/// How long a pickup that was taken is away, in ticks.
pub const RETURN_DELAY: u16 = 10 * TICKS_PER_SECOND as u16;

/// What a health pickup gives back, in hit points.
pub const HEALING: i32 = 50;

/// How long a shield makes invincible, in ticks.
pub const SHIELD_TIME: u16 = 4 * TICKS_PER_SECOND as u16;

/// Brings back what was taken long ago, and gives what lies there to the first body that is near and has use for it.
pub fn pickups(world: &mut GameState, _: &mut Context) {
    let mut taken = Vec::new();
    for (item, pickup, lies) in (&world.pickups, &world.transforms).iter() {
        if pickup.available {
            let near = (&world.bodies, &world.transforms)
                .iter()
                .filter(|(_, _, stands)| distance(stands.position, lies.position) < REACH);
            let taker = near.map(|(body, ..)| body).find(|&body| has_use(world, body, pickup.kind));
            taken.extend(taker.map(|taker| (item, taker, pickup.kind)));
        }
    }
    for (_, pickup) in &mut world.pickups {
        if !pickup.available {
            pickup.returns_in = pickup.returns_in.saturating_sub(1);
            pickup.available = pickup.returns_in == 0;
        }
    }
    for (item, taker, kind) in taken {
        give(world, taker, kind);
        if let Some(pickup) = world.pickups.get_mut(item) {
            (pickup.available, pickup.returns_in) = (false, RETURN_DELAY);
        }
    }
}

fn has_use(world: &GameState, body: Entity, kind: u8) -> bool {
    match kind {
        Pickup::HEALTH => world.healths.get(body).is_some_and(|health| health.hp < FULL_HEALTH),
        Pickup::AMMO => world.weapons.get(body).is_some_and(|weapon| weapon.ammo != full_ammo()),
        _ => !world.invincibles.contains(body),
    }
}

fn give(world: &mut GameState, body: Entity, kind: u8) {
    let Ok(mut body) = world.entity_mut(body) else { return };
    match kind {
        Pickup::HEALTH => {
            if let Some(health) = body.health_mut() {
                health.hp = (health.hp + HEALING).min(FULL_HEALTH);
            }
        }
        Pickup::AMMO => {
            if let Some(weapon) = body.weapon_mut() {
                weapon.ammo = full_ammo();
            }
        }
        _ => {
            body.add_invincible();
            body.add_protection(SHIELD_TIME);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;
    use super::*;

    /// A stage with a body that stands on a pickup.
    fn stage_with(kind: u8) -> (Stage, Entity, Entity) {
        let mut stage = Stage::new();
        let (_, body) = stage.player(0, [0.5, 0.0, 0.0]);
        let pickup = stage.spawn(|pickup| {
            pickup.add_transform([0.0; 3], 0.0, 0.0);
            pickup.add_pickup(kind, true, 0);
        });
        (stage, body, pickup)
    }

    #[test]
    fn health_heals_who_needs_it_and_comes_back_after_a_while() {
        let (mut stage, body, pickup) = stage_with(Pickup::HEALTH);
        let available = |stage: &Stage| stage.world.pickups.get(pickup).expect("a pickup").available;
        stage.run(1, pickups);
        assert!(available(&stage), "nobody needs it");
        stage.world.healths.get_mut(body).expect("a body").hp = 10;
        stage.run(1, pickups);
        assert_eq!((stage.hp(body), available(&stage)), (Some(10 + HEALING), false));
        stage.run(u32::from(RETURN_DELAY) - 1, pickups);
        assert!(!available(&stage));
        stage.run(1, pickups);
        assert!(available(&stage));
        stage.run(1, pickups);
        assert_eq!((stage.hp(body), available(&stage)), (Some(FULL_HEALTH), false));
    }

    #[test]
    fn ammunition_fills_every_magazine() {
        let (mut stage, body, _) = stage_with(Pickup::AMMO);
        stage.world.weapons.get_mut(body).expect("a body").ammo = [0; 3];
        stage.run(1, pickups);
        assert_eq!(stage.world.weapons.get(body).expect("a body").ammo, full_ammo());
    }

    #[test]
    fn a_shield_makes_invincible() {
        let (mut stage, body, _) = stage_with(Pickup::SHIELD);
        stage.run(1, pickups);
        assert!(stage.world.invincibles.contains(body) && stage.world.protections.contains(body));
    }

    #[test]
    fn a_pickup_out_of_reach_stays() {
        let (mut stage, body, _) = stage_with(Pickup::SHIELD);
        stage.world.transforms.get_mut(body).expect("a body").position[0] = REACH + 0.1;
        stage.run(1, pickups);
        assert!(!stage.world.invincibles.contains(body));
    }
}
