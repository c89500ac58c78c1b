//! From what players ask for to what their bodies want.

use ecs_runtime::math::sin_cos;
use ecs_runtime::prelude::*;

use crate::{Context, GameState};

/// How fast a body runs, in metres per second.
pub const RUN_SPEED: f32 = 6.0;

/// Hands every player's input to the body: where to look and go, and what the weapon should do.
pub fn inputs(world: &mut GameState, context: &mut Context) {
    let GameState { ref players, ref mut transforms, ref mut movements, ref mut weapons, .. } = *world;
    for (_, player) in players {
        let Some(input) = context.inputs.get(&player.client) else { continue };
        let body = (&mut *transforms, &mut *movements, &mut *weapons).get(player.body);
        let Some((transform, movement, weapon)) = body else { continue };
        let input = input.sanitized();
        (transform.yaw, transform.pitch) = (input.yaw, input.pitch);
        let (sin, cos) = sin_cos(input.yaw);
        movement.wish = [
            (cos * input.move_y - sin * input.move_x) * RUN_SPEED,
            (sin * input.move_y + cos * input.move_x) * RUN_SPEED,
        ];
        movement.jump = input.jump;
        weapon.trigger = input.fire;
        weapon.slot = input.slot;
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;
    use super::*;
    use crate::PlayerInput;
    use crate::weapons::LAST_SLOT;

    fn wish_of(input: PlayerInput) -> [f32; 2] {
        let mut stage = Stage::new();
        let (player, body) = stage.player(0, [0.0; 3]);
        stage.input(player, input);
        stage.run(1, inputs);
        stage.world.movements.get(body).expect("a body").wish
    }

    #[test]
    fn ahead_is_where_the_player_looks_and_right_is_a_quarter_turn_on() {
        let quarter = core::f32::consts::FRAC_PI_2;
        let ahead = wish_of(PlayerInput { move_y: 1.0, yaw: quarter, ..PlayerInput::default() });
        assert!(ahead[0].abs() < 1e-5 && (ahead[1] - RUN_SPEED).abs() < 1e-5, "{ahead:?}");
        let right = wish_of(PlayerInput { move_x: 1.0, ..PlayerInput::default() });
        assert!(right[0].abs() < 1e-5 && (right[1] - RUN_SPEED).abs() < 1e-5, "{right:?}");
    }

    #[test]
    fn no_input_makes_a_body_faster_than_a_run() {
        for (move_x, move_y) in [(1.0, 1.0), (1e30, -1e30), (f32::NAN, f32::INFINITY)] {
            let wish = wish_of(PlayerInput { move_x, move_y, yaw: f32::NAN, ..PlayerInput::default() });
            let speed = (wish[0] * wish[0] + wish[1] * wish[1]).sqrt();
            assert!(speed <= RUN_SPEED * 1.001, "{move_x} {move_y} gave {speed}");
        }
    }

    #[test]
    fn a_slot_that_does_not_exist_is_the_last() {
        let mut stage = Stage::new();
        let (player, body) = stage.player(0, [0.0; 3]);
        stage.input(player, PlayerInput { slot: 200, ..PlayerInput::default() });
        stage.run(1, inputs);
        assert_eq!(stage.world.weapons.get(body).map(|weapon| weapon.slot), Some(LAST_SLOT));
    }

    #[test]
    fn the_input_of_a_player_without_a_body_waits() {
        let mut stage = Stage::new();
        let (player, body) = stage.player(0, [0.0; 3]);
        stage.input(player, PlayerInput { fire: true, ..PlayerInput::default() });
        stage.world.destroy_entity(body).expect("a body");
        stage.run(1, inputs);
        assert!(stage.world.players.contains(player));
    }
}
