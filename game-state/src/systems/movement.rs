//! Running, jumping, falling, and sliding along what is solid.

use ecs_runtime::prelude::*;

use crate::{Context, GameState, Map, Movement, TICK, Transform};

/// In metres per second and second.
pub const GRAVITY: f32 = 20.0;

/// The speed at which a jump leaves the ground, in metres per second: enough for crates of one metre.
pub const JUMP_SPEED: f32 = 7.0;

/// How quickly a body gets to the speed that it wants, in metres per second and second.
pub const GROUND_ACCELERATION: f32 = 60.0;

/// The same in the air: a jump can be bent, but not turned back.
pub const AIR_ACCELERATION: f32 = 12.0;

/// The fastest fall, in metres per second: 0.7 metres a tick, so that no body falls past a floor between two ticks.
pub const MAX_FALL_SPEED: f32 = 40.0;

/// How far a body stays from what it touches, in metres. Rounding must not put it inside.
const SKIN: f32 = 0.001;

/// Moves every body by one tick.
pub fn movement(world: &mut GameState, context: &mut Context) {
    for (_, transform, movement) in (&mut world.transforms, &mut world.movements).iter() {
        accelerate(movement);
        movement.on_ground = false;
        // Axis by axis: what stops one of them leaves the others alone, and the body slides.
        for axis in [0, 2, 1] {
            if advance(transform, axis, movement.velocity[axis] * TICK, &context.map) {
                movement.on_ground |= axis == 1 && movement.velocity[1] < 0.0;
                movement.velocity[axis] = 0.0;
            }
        }
    }
}

fn accelerate(movement: &mut Movement) {
    let most = if movement.on_ground { GROUND_ACCELERATION } else { AIR_ACCELERATION } * TICK;
    for (axis, wish) in [(0, movement.wish[0]), (2, movement.wish[1])] {
        movement.velocity[axis] += (wish - movement.velocity[axis]).clamp(-most, most);
    }
    if movement.jump && movement.on_ground {
        movement.velocity[1] = JUMP_SPEED;
    }
    movement.velocity[1] = (movement.velocity[1] - GRAVITY * TICK).max(-MAX_FALL_SPEED);
}

/// Moves a body along one axis, up to what is solid; `true` if something was.
fn advance(transform: &mut Transform, axis: usize, by: f32, map: &Map) -> bool {
    transform.position[axis] += by;
    let mut blocked = false;
    for solid in &map.boxes {
        let bounds = transform.bounds();
        if bounds.overlaps(solid) {
            let back = if by > 0.0 {
                solid.min[axis] - bounds.max[axis] - SKIN
            } else {
                solid.max[axis] - bounds.min[axis] + SKIN
            };
            transform.position[axis] += back;
            blocked = true;
        }
    }
    blocked
}

#[cfg(test)]
mod tests {
    use super::super::inputs::RUN_SPEED;
    use super::super::stage::{Stage, WALL};
    use super::*;
    use crate::HALF_WIDTH;

    fn walker(stage: &mut Stage, position: [f32; 3], wish: [f32; 2]) -> Entity {
        let (_, body) = stage.player(0, position);
        stage.world.movements.get_mut(body).expect("a body").wish = wish;
        body
    }

    #[test]
    fn a_body_falls_to_the_floor_and_stays_there() {
        let mut stage = Stage::new();
        let body = walker(&mut stage, [0.0, 3.0, 0.0], [0.0; 2]);
        stage.run(90, movement);
        let rest = stage.position(body);
        assert!((0.0..0.005).contains(&rest[1]), "{rest:?}");
        stage.run(30, movement);
        assert_eq!(stage.position(body), rest, "a body at rest costs no bandwidth");
    }

    #[test]
    fn a_body_runs_at_the_speed_of_a_run() {
        let mut stage = Stage::new();
        let body = walker(&mut stage, [-30.0, 0.0, 20.0], [RUN_SPEED, 0.0]);
        stage.run(60, movement);
        let before = stage.position(body)[0];
        stage.run(60, movement);
        assert!((stage.position(body)[0] - before - RUN_SPEED).abs() < 0.01);
    }

    #[test]
    fn a_body_slides_along_a_wall_that_it_runs_into() {
        let mut stage = Stage::new();
        let body = walker(&mut stage, [8.0, 0.0, -3.0], [4.0, 4.0]);
        stage.run(60, movement);
        let [x, _, z] = stage.position(body);
        assert!(x + HALF_WIDTH < WALL && x + HALF_WIDTH > WALL - 0.01, "{x}");
        assert!(z > 0.5, "{z}");
    }

    #[test]
    fn a_jump_goes_over_a_metre_high_and_needs_ground() {
        let mut stage = Stage::new();
        let body = walker(&mut stage, [0.0; 3], [0.0; 2]);
        stage.run(5, movement);
        stage.world.movements.get_mut(body).expect("a body").jump = true;
        let mut highest: f32 = 0.0;
        for _ in 0..40 {
            stage.run(1, movement);
            highest = highest.max(stage.position(body)[1]);
        }
        assert!((1.0..1.25).contains(&highest), "{highest}");
    }

    #[test]
    fn the_fastest_fall_does_not_go_through_the_floor() {
        let mut stage = Stage::new();
        let body = walker(&mut stage, [0.0, 400.0, 0.0], [0.0; 2]);
        stage.run(900, movement);
        assert!((0.0..0.005).contains(&stage.position(body)[1]));
    }
}
