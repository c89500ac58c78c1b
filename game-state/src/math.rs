//! Vectors and angles. Sines and the like come from [`ecs_runtime::math`], so that a match runs the same everywhere.

use core::f32::consts::{PI, TAU};

use ecs_runtime::math::{atan2, cos, sin};

/// Three numbers: `x`, `y` (up) and `z`.
pub type Vec3 = [f32; 3];

/// The sum.
#[must_use]
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The way from `b` to `a`.
#[must_use]
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The vector, `by` times as long.
#[must_use]
pub fn scale(a: Vec3, by: f32) -> Vec3 {
    [a[0] * by, a[1] * by, a[2] * by]
}

/// The length.
#[must_use]
pub fn length(a: Vec3) -> f32 {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}

/// The distance between two points.
#[must_use]
pub fn distance(a: Vec3, b: Vec3) -> f32 {
    length(sub(a, b))
}

/// The direction of a look: one metre ahead.
#[must_use]
pub fn direction(yaw: f32, pitch: f32) -> Vec3 {
    let flat = cos(pitch);
    [cos(yaw) * flat, sin(pitch), sin(yaw) * flat]
}

/// The yaw and pitch of the look from one point to another.
#[must_use]
pub fn look(from: Vec3, to: Vec3) -> (f32, f32) {
    let [x, y, z] = sub(to, from);
    (atan2(z, x), atan2(y, (x * x + z * z).sqrt()))
}

/// The short way round from one angle to another: from -PI to PI.
#[must_use]
pub fn turn(from: f32, to: f32) -> f32 {
    let turn = (to - from) % TAU;
    if turn > PI {
        turn - TAU
    } else if turn < -PI {
        turn + TAU
    } else {
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_leads_to_where_it_was_aimed() {
        let (from, to) = ([1.0, 2.0, 3.0], [-4.0, 0.5, 9.0]);
        let (yaw, pitch) = look(from, to);
        let there = add(from, scale(direction(yaw, pitch), distance(from, to)));
        assert!(distance(there, to) < 1e-4, "{there:?}");
    }

    #[test]
    fn turns_take_the_short_way() {
        assert!((turn(3.0, -3.0) - (TAU - 6.0)).abs() < 1e-5);
        assert!((turn(-3.0, 3.0) + (TAU - 6.0)).abs() < 1e-5);
        assert!((turn(0.0, 10.0 * TAU + 1.0) - 1.0).abs() < 1e-4);
    }
}
