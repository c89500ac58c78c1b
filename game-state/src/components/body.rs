//! What stands and moves in the arena.

use ecs_runtime::prelude::*;

use crate::map::Aabb;
use crate::math::{Vec3, add};

/// Half the width of a body, in metres.
pub const HALF_WIDTH: f32 = 0.4;

/// The height of a body, in metres.
pub const HEIGHT: f32 = 1.8;

/// How far the eye, from which shots go out, is above the feet, in metres.
pub const EYE_HEIGHT: f32 = 1.6;

/// Where something is and where it looks. `y` points up.
#[component]
pub struct Transform {
    /// In metres; of a body, the middle between its feet.
    #[quantize(min = -512.0, max = 512.0, step = 0.005)]
    #[interpolate]
    pub position: [f32; 3],
    /// The direction in the plane, in radians: 0 looks along `x`, a quarter turn along `z`.
    #[angle(bits = 12)]
    #[interpolate]
    pub yaw: f32,
    /// Up or down, in radians: others only see a head that tilts, so ten bits do.
    #[angle(bits = 10)]
    #[interpolate]
    pub pitch: f32,
}

impl Transform {
    /// The eye of a body here.
    #[must_use]
    pub fn eye(&self) -> Vec3 {
        add(self.position, [0.0, EYE_HEIGHT, 0.0])
    }

    /// The middle of a body here.
    #[must_use]
    pub fn chest(&self) -> Vec3 {
        add(self.position, [0.0, HEIGHT / 2.0, 0.0])
    }

    /// The space that a body here takes.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb {
            min: add(self.position, [-HALF_WIDTH, 0.0, -HALF_WIDTH]),
            max: add(self.position, [HALF_WIDTH, HEIGHT, HALF_WIDTH]),
        }
    }
}

/// How a body moves, and wants to.
///
/// Not sent: clients interpolate positions. A game that predicts its own body sends `velocity`.
#[component]
#[dont_send]
pub struct Movement {
    /// In metres per second.
    pub velocity: [f32; 3],
    /// The velocity that the player asks for, along `x` and `z`, in metres per second.
    pub wish: [f32; 2],
    /// Whether the player asks for a jump.
    pub jump: bool,
    /// Whether the body stood on something at the end of the last tick.
    pub on_ground: bool,
}

/// One life of a player in the arena: what can be hit.
///
/// Not sent: a client comes from the player to the body, by [`Player::body`](crate::Player::body).
#[component]
#[dont_send]
pub struct Body {
    /// Whose it is.
    pub player: Entity,
}
