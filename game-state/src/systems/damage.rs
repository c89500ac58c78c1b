//! What hits do.

use ecs_runtime::prelude::*;

use super::despawn;
use crate::{Context, GameState};

/// Takes the hit points of every [`Damage`](crate::Damage), unless the victim is invincible or on the same team.
pub fn damage(world: &mut GameState, _: &mut Context) {
    let GameState {
        ref damages,
        ref invincibles,
        ref bodies,
        ref teams,
        ref match_settings,
        ref mut healths,
        ..
    } = *world;
    let friendly_fire = match_settings.iter().any(|(_, rules)| rules.friendly_fire);
    for (_, damage) in damages {
        if invincibles.contains(damage.victim) {
            continue;
        }
        let player = bodies.get(damage.victim).map_or(Entity::NONE, |body| body.player);
        let team_mates =
            matches!((teams.get(player), teams.get(damage.source)), (Some(a), Some(b)) if a == b);
        if team_mates && player != damage.source && !friendly_fire {
            continue;
        }
        // A victim that is gone has no health any more.
        if let Some(health) = healths.get_mut(damage.victim) {
            health.hp = health.hp.saturating_sub_unsigned(damage.amount).max(0);
        }
    }
}

/// Takes away the hits of the last tick, which have been applied and sent.
pub fn remove_damage(world: &mut GameState, _: &mut Context) {
    let hits: Vec<Entity> = world.damages.iter().map(|(entity, _)| entity).collect();
    for hit in hits {
        despawn(world, hit);
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;
    use super::*;

    #[test]
    fn hits_take_hit_points_but_never_more_than_there_are() {
        let mut stage = Stage::new();
        let (_, victim) = stage.player(0, [0.0; 3]);
        let (shooter, _) = stage.player(1, [0.0; 3]);
        stage.hit(victim, shooter, 30);
        stage.hit(victim, shooter, 20);
        stage.run(1, damage);
        assert_eq!(stage.hp(victim), Some(50));
        stage.hit(victim, shooter, u32::MAX);
        stage.run(1, damage);
        assert_eq!(stage.hp(victim), Some(0));
    }

    #[test]
    fn who_is_invincible_is_spared() {
        let mut stage = Stage::new();
        let (_, victim) = stage.player(0, [0.0; 3]);
        stage.world.entity_mut(victim).expect("a body").add_invincible();
        stage.hit(victim, Entity::NONE, 30);
        stage.run(1, damage);
        assert_eq!(stage.hp(victim), Some(100));
    }

    #[test]
    fn team_mates_are_spared_without_friendly_fire_but_not_oneself() {
        let mut stage = Stage::new();
        let (player, victim) = stage.player(0, [0.0; 3]);
        let (mate, _) = stage.player(0, [0.0; 3]);
        stage.hit(victim, mate, 30);
        stage.run(1, damage);
        assert_eq!(stage.hp(victim), Some(100));
        let rules = stage.spawn(|rules| {
            rules.add_match_settings(0, 0, true);
        });
        stage.run(1, damage);
        assert_eq!(stage.hp(victim), Some(70));
        stage.world.destroy_entity(rules).expect("the rules");
        stage.hit(victim, player, 30);
        stage.run(1, damage);
        assert_eq!(stage.hp(victim), Some(40));
    }

    #[test]
    fn a_victim_that_is_gone_is_not_its_successor() {
        let mut stage = Stage::new();
        let (_, gone) = stage.player(0, [0.0; 3]);
        stage.world.destroy_entity(gone).expect("a body");
        let (_, successor) = stage.player(0, [0.0; 3]);
        stage.hit(gone, Entity::NONE, 30);
        stage.run(1, damage);
        assert_eq!(stage.hp(successor), Some(100));
    }

    #[test]
    fn hits_are_taken_away_entity_and_all() {
        let mut stage = Stage::new();
        let hit = stage.hit(Entity::NONE, Entity::NONE, 30);
        stage.run(1, remove_damage);
        assert!(!stage.world.contains(hit));
    }
}
