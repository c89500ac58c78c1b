//! From triggers to hits and rockets.

use ecs_runtime::prelude::*;

use super::spawn;
use crate::math::{Vec3, direction};
use crate::weapons::Shot;
use crate::{Context, GameState, Weapon};

/// A shot that goes out in this tick.
struct Fired {
    player: Entity,
    body: Entity,
    slot: u8,
    eye: Vec3,
    yaw: f32,
    pitch: f32,
}

/// Fires every weapon whose trigger is held, that is loaded and has cooled down.
pub fn firing(world: &mut GameState, context: &mut Context) {
    let mut shots = Vec::new();
    for (body, of, transform, weapon) in (&world.bodies, &world.transforms, &mut world.weapons).iter() {
        weapon.cooldown = weapon.cooldown.saturating_sub(1);
        if take_shot(weapon) {
            let spread = weapon.spec().spread;
            shots.push(Fired {
                player: of.player,
                body,
                slot: weapon.slot,
                eye: transform.eye(),
                yaw: transform.yaw + context.random.between(-spread, spread),
                pitch: transform.pitch + context.random.between(-spread, spread),
            });
        }
    }
    for shot in shots {
        context.shots += 1;
        let spec = crate::weapons::spec(shot.slot);
        match spec.shot {
            Shot::Ray { range } => {
                let ahead = direction(shot.yaw, shot.pitch);
                let range = context.map.raycast(shot.eye, ahead, range).unwrap_or(range);
                if let Some((victim, _)) = nearest_body(world, shot.eye, ahead, range, shot.body) {
                    spawn(world, |hit| {
                        hit.add_damage(spec.damage, victim, shot.player);
                    });
                }
            }
            Shot::Rocket { .. } => {
                spawn(world, |rocket| {
                    let Fired { player, slot, eye, yaw, pitch, .. } = shot;
                    rocket.add_projectile(player, slot, eye, yaw, pitch, context.tick, spec.damage);
                });
            }
        }
    }
}

/// Takes a shot out of the weapon, if it can fire now.
fn take_shot(weapon: &mut Weapon) -> bool {
    if !weapon.trigger || weapon.cooldown > 0 || !weapon.is_loaded(weapon.slot) {
        return false;
    }
    let spec = weapon.spec();
    weapon.cooldown = spec.cooldown;
    if spec.magazine.is_some() {
        weapon.ammo[usize::from(weapon.slot)] -= 1;
    }
    true
}

/// The first body, other than `own`, on the way along `ahead`, and how far it is.
pub(super) fn nearest_body(
    world: &GameState,
    from: Vec3,
    ahead: Vec3,
    range: f32,
    own: Entity,
) -> Option<(Entity, f32)> {
    (&world.bodies, &world.transforms)
        .iter()
        .filter(|&(entity, ..)| entity != own)
        .filter_map(|(entity, _, transform)| Some((entity, transform.bounds().raycast(from, ahead)?)))
        .filter(|&(_, hit)| hit <= range)
        .min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;
    use super::*;
    use crate::weapons::{PISTOL, RIFLE, ROCKETS};

    fn hold_trigger(stage: &mut Stage, body: Entity, slot: u8) {
        let weapon = stage.world.weapons.get_mut(body).expect("a body");
        (weapon.trigger, weapon.slot) = (true, slot);
    }

    #[test]
    fn a_ray_hits_the_nearest_body_alone() {
        let mut stage = Stage::new();
        let (shooter, body) = stage.player(0, [0.0; 3]);
        let (_, near) = stage.player(1, [5.0, 0.0, 0.0]);
        stage.player(1, [7.0, 0.0, 0.0]);
        hold_trigger(&mut stage, body, RIFLE);
        stage.run(1, firing);
        let hits: Vec<_> = stage.world.damages.iter().map(|(_, hit)| (hit.victim, hit.source)).collect();
        assert_eq!(hits, [(near, shooter)]);
        assert_eq!(stage.context.shots, 1);
    }

    #[test]
    fn a_wall_stops_a_ray() {
        let mut stage = Stage::new();
        let (_, body) = stage.player(0, [0.0; 3]);
        stage.player(1, [15.0, 0.0, 0.0]);
        hold_trigger(&mut stage, body, RIFLE);
        stage.run(1, firing);
        assert_eq!((stage.context.shots, stage.world.damages.len()), (1, 0));
    }

    #[test]
    fn a_weapon_cools_down_between_shots_and_runs_empty() {
        let mut stage = Stage::new();
        let (_, body) = stage.player(0, [0.0; 3]);
        hold_trigger(&mut stage, body, RIFLE);
        let rifle = crate::weapons::spec(RIFLE);
        stage.run(u32::from(rifle.cooldown) * 2 + 1, firing);
        assert_eq!(stage.context.shots, 3);
        stage.run(3600, firing);
        assert_eq!(stage.context.shots, u64::from(rifle.magazine.expect("a magazine")));
        hold_trigger(&mut stage, body, PISTOL);
        stage.run(3600, firing);
        assert!(stage.context.shots > 200, "a pistol is never empty");
    }

    #[test]
    fn a_rocket_launcher_makes_a_projectile() {
        let mut stage = Stage::new();
        let (shooter, body) = stage.player(0, [0.0; 3]);
        hold_trigger(&mut stage, body, ROCKETS);
        stage.run(1, firing);
        let rocket = stage.world.projectiles.iter().next().expect("a rocket").1;
        assert_eq!((rocket.owner, rocket.fired), (shooter, stage.context.tick));
        assert_eq!(rocket.position(stage.context.tick), [0.0, crate::EYE_HEIGHT, 0.0]);
    }
}
