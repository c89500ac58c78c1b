//! From corpses to new bodies.

use ecs_runtime::prelude::*;

use super::{despawn, spawn};
use crate::math::{Vec3, distance, look};
use crate::weapons::{RIFLE, full_ammo};
use crate::{Context, EntityMut, FULL_HEALTH, GameState, TICKS_PER_SECOND};

/// How long a new body is invincible, in ticks.
pub const SPAWN_PROTECTION: u16 = TICKS_PER_SECOND as u16 / 2;

/// Counts the time of corpses down; one whose time has come goes, and leaves a `Respawn` request.
pub fn request_respawns(world: &mut GameState, _: &mut Context) {
    let mut due = Vec::new();
    for (corpse, dead) in &mut world.deads {
        dead.respawn_in = dead.respawn_in.saturating_sub(1);
        if dead.respawn_in == 0 {
            due.push((corpse, dead.player));
        }
    }
    for (corpse, player) in due {
        despawn(world, corpse);
        spawn(world, |request| {
            request.add_respawn(player);
        });
    }
}

/// Gives a new body to every player that a `Respawn` request names, and takes the request away.
pub fn respawn(world: &mut GameState, context: &mut Context) {
    let requests: Vec<_> =
        world.respawns.iter().map(|(request, respawn)| (request, respawn.player)).collect();
    for (request, player) in requests {
        despawn(world, request);
        // The player may have left since.
        if !world.players.contains(player) {
            continue;
        }
        let place = choose_place(world, context);
        let (yaw, _) = look(place, [0.0; 3]);
        let body = spawn(world, |body| {
            add_body(body, player, place, yaw);
            body.add_invincible();
            body.add_protection(SPAWN_PROTECTION);
        });
        if let (Some(body), Some(player)) = (body, world.players.get_mut(player)) {
            player.body = body;
        }
    }
}

/// Gives an entity all that a body has.
pub(crate) fn add_body(entity: &mut EntityMut<'_>, player: Entity, position: Vec3, yaw: f32) {
    entity.add_transform(position, yaw, 0.0);
    entity.add_movement([0.0; 3], [0.0; 2], false, false);
    entity.add_body(player);
    entity.add_health(FULL_HEALTH);
    entity.add_weapon(RIFLE, full_ammo(), 0, false);
}

/// Of three places taken at random, the one that is farthest from everybody: never predictable, rarely unfair.
fn choose_place(world: &GameState, context: &mut Context) -> Vec3 {
    let mut best = ([0.0; 3], -1.0);
    for _ in 0..3 {
        let Some(&place) = context.random.choose(&context.map.spawns) else { break };
        let bodies = (&world.bodies, &world.transforms).iter();
        let room = bodies.map(|(_, _, other)| distance(other.position, place)).fold(f32::INFINITY, f32::min);
        if room > best.1 {
            best = (place, room);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::super::death::RESPAWN_DELAY;
    use super::super::stage::Stage;
    use super::*;

    fn both(world: &mut GameState, context: &mut Context) {
        request_respawns(world, context);
        respawn(world, context);
    }

    fn stage_with_corpse() -> (Stage, Entity, Entity) {
        let mut stage = Stage::new();
        let (player, body) = stage.player(0, [0.0; 3]);
        let mut corpse = stage.world.entity_mut(body).expect("a body");
        corpse.clear();
        corpse.add_dead(Entity::NONE, player, RESPAWN_DELAY);
        (stage, player, body)
    }

    #[test]
    fn a_player_comes_back_in_a_new_body_when_the_time_has_come() {
        let (mut stage, player, corpse) = stage_with_corpse();
        stage.run(u32::from(RESPAWN_DELAY) - 1, both);
        assert!(stage.world.deads.contains(corpse) && stage.world.bodies.is_empty());
        stage.run(1, both);
        assert!(!stage.world.contains(corpse) && stage.world.respawns.is_empty());
        let body = stage.world.players.get(player).expect("a player").body;
        assert_eq!(stage.position(body), stage.context.map.spawns[0]);
        assert_eq!(stage.hp(body), Some(FULL_HEALTH));
        assert!(stage.world.invincibles.contains(body), "not shot before it can look around");
    }

    #[test]
    fn a_player_who_left_does_not_come_back() {
        let (mut stage, player, corpse) = stage_with_corpse();
        stage.world.destroy_entity(player).expect("a player");
        stage.run(u32::from(RESPAWN_DELAY), both);
        assert!(!stage.world.contains(corpse));
        assert_eq!(stage.world.entity_count(), 0);
    }

    #[test]
    fn players_come_back_far_from_the_others() {
        let mut stage = Stage::new();
        stage.context.map.spawns = vec![[0.0; 3], [30.0, 0.0, 0.0]];
        stage.player(0, [1.0, 0.0, 0.0]);
        let far = (0..100).filter(|_| choose_place(&stage.world, &mut stage.context)[0] > 20.0).count();
        // All three tries take the near place once in eight times.
        assert!((75..100).contains(&far), "{far}");
    }
}
