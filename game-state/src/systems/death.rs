//! From bodies to corpses.

use super::score::killer;
use crate::{Context, GameState, TICKS_PER_SECOND};

/// How long a corpse lies before its player comes back, in ticks.
pub const RESPAWN_DELAY: u16 = 3 * TICKS_PER_SECOND as u16 / 2;

/// Makes a corpse of every body without hit points: all that it had goes, but for its `Transform`; `Dead` comes.
pub fn death(world: &mut GameState, _: &mut Context) {
    let fallen = world.healths.iter().filter(|(_, health)| health.hp <= 0).map(|(body, _)| body);
    for body in fallen.collect::<Vec<_>>() {
        let killer = killer(&world.damages, body);
        let Ok(mut corpse) = world.entity_mut(body) else { continue };
        let transform = corpse.transform().copied();
        let player = corpse.body().map(|body| body.player).unwrap_or_default();
        corpse.clear();
        if let Some(transform) = transform {
            corpse.add(transform);
        }
        corpse.add_dead(killer, player, RESPAWN_DELAY);
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;
    use super::*;

    #[test]
    fn of_a_body_without_hit_points_only_the_place_is_left() {
        let mut stage = Stage::new();
        let (player, body) = stage.player(0, [1.0, 0.0, 2.0]);
        let (killer, other) = stage.player(1, [0.0; 3]);
        stage.hit(body, killer, 100);
        stage.world.healths.get_mut(body).expect("a body").hp = 0;
        stage.run(1, death);
        let corpse = stage.world.entity(body).expect("a corpse");
        assert_eq!(corpse.components().count(), 2);
        assert_eq!(corpse.transform().map(|transform| transform.position), Some([1.0, 0.0, 2.0]));
        let dead = corpse.dead().expect("dead");
        assert_eq!((dead.killer, dead.player), (killer, player));
        assert!(stage.world.players.contains(player), "who died still takes part");
        assert_eq!(stage.hp(other), Some(100));
    }
}
