//! The end of being invincible.

use crate::{Context, GameState};

/// Counts every `Protection` down, and takes it away with `Invincible` when its time is over.
pub fn protection(world: &mut GameState, _: &mut Context) {
    let mut over = Vec::new();
    for (entity, protection) in &mut world.protections {
        protection.ticks = protection.ticks.saturating_sub(1);
        if protection.ticks == 0 {
            over.push(entity);
        }
    }
    for entity in over {
        if let Ok(mut entity) = world.entity_mut(entity) {
            entity.del_protection();
            entity.del_invincible();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;
    use super::*;

    #[test]
    fn nobody_is_invincible_for_longer_than_promised() {
        let mut stage = Stage::new();
        let (_, body) = stage.player(0, [0.0; 3]);
        let mut entity = stage.world.entity_mut(body).expect("a body");
        entity.add_invincible();
        entity.add_protection(10);
        stage.run(9, protection);
        assert!(stage.world.invincibles.contains(body));
        stage.run(1, protection);
        assert!(!stage.world.invincibles.contains(body) && stage.world.protections.is_empty());
    }
}
