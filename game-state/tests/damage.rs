//! A hit, from its entity to what a client sees of it: the example to learn the world's interface from.

use ecs_runtime::prelude::*;
use game_state::{Context, GameState, Map, systems};

fn health(world: &GameState, entity: Entity) -> Option<i32> {
    Some(world.entity(entity).ok()?.health()?.hp)
}

#[test]
fn a_hit_takes_health_and_shows_in_the_difference() {
    let mut gs = GameState::default();
    let mut context = Context::new(Map::arena(), 1);

    let player = gs.create_entity().expect("room");
    let shooter = gs.create_entity().expect("room");
    let hit = gs.create_entity().expect("room");
    gs.entity_mut(player).expect("alive").add_health(100);
    gs.entity_mut(hit).expect("alive").add_damage(25, player, shooter);
    let previous = gs.clone();

    systems::damage(&mut gs, &mut context);
    assert_eq!(health(&gs, player), Some(75));
    let changes: Vec<Change> = gs.diff(&previous).collect();
    assert!(matches!(changes[..], [Change::Changed(changed, _)] if changed == player), "{changes:?}");

    systems::remove_damage(&mut gs, &mut context);
    assert!(!gs.contains(hit) && gs.damages.is_empty());
}

#[test]
fn a_tag_protects_and_a_stale_victim_is_simply_not_there() {
    let mut gs = GameState::default();
    let mut context = Context::new(Map::arena(), 1);

    let player = gs.create_entity().expect("room");
    gs.entity_mut(player).expect("alive").add_health(100);
    gs.entity_mut(player).expect("alive").add_invincible();
    let gone = gs.create_entity().expect("room");
    gs.destroy_entity(gone).expect("alive");
    for victim in [player, gone] {
        let hit = gs.create_entity().expect("room");
        gs.entity_mut(hit).expect("alive").add_damage(25, victim, player);
    }

    systems::damage(&mut gs, &mut context);
    assert_eq!(health(&gs, player), Some(100));

    gs.entity_mut(player).expect("alive").del_invincible();
    systems::damage(&mut gs, &mut context);
    assert_eq!(health(&gs, player), Some(75));
}
