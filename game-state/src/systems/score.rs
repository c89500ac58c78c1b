//! Who gets what for a death.

use ecs_runtime::prelude::*;

use crate::{Context, Damage, GameState};

/// Counts every body without hit points as a death of its player, and as a kill of the enemy who hit it first in
/// this tick. Runs before [`death`](super::death()) takes the components that it reads.
pub fn score(world: &mut GameState, context: &mut Context) {
    let GameState { ref healths, ref bodies, ref damages, ref teams, ref mut scores, .. } = *world;
    for (body, health, of) in (healths, bodies).iter() {
        if health.hp > 0 {
            continue;
        }
        context.deaths += 1;
        if let Some(score) = scores.get_mut(of.player) {
            score.deaths = score.deaths.saturating_add(1);
        }
        let killer = killer(damages, body);
        if teams.get(killer) != teams.get(of.player)
            && let Some(score) = scores.get_mut(killer)
        {
            score.kills = score.kills.saturating_add(1);
        }
    }
}

/// Who hit a body first in this tick.
pub(super) fn killer(damages: &Table<Damage>, body: Entity) -> Entity {
    damages.iter().find(|(_, hit)| hit.victim == body).map_or(Entity::NONE, |(_, hit)| hit.source)
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;
    use super::*;

    /// What a death of a player of team 0, by the hand of `source`, gives: the scores of all, as (kills, deaths).
    fn scores_after(source: impl FnOnce(&mut Stage, Entity) -> Entity) -> Vec<(u16, u16)> {
        let mut stage = Stage::new();
        let (player, victim) = stage.player(0, [0.0; 3]);
        let source = source(&mut stage, player);
        stage.hit(victim, source, 100);
        stage.world.healths.get_mut(victim).expect("a body").hp = 0;
        stage.run(1, score);
        assert_eq!(stage.context.deaths, 1);
        stage.world.scores.iter().map(|(_, score)| (score.kills, score.deaths)).collect()
    }

    #[test]
    fn a_death_is_a_kill_of_the_enemy_who_did_it() {
        assert_eq!(scores_after(|stage, _| stage.player(1, [0.0; 3]).0), [(0, 1), (1, 0)]);
    }

    #[test]
    fn nobody_is_rewarded_for_killing_a_friend_or_themselves() {
        assert_eq!(scores_after(|stage, _| stage.player(0, [0.0; 3]).0), [(0, 1), (0, 0)]);
        assert_eq!(scores_after(|_, player| player), [(0, 1)]);
    }

    #[test]
    fn a_killer_who_left_gets_nothing() {
        assert_eq!(scores_after(|_, _| Entity::NONE), [(0, 1)]);
    }
}
