//! What a player asks for.

use core::f32::consts::FRAC_PI_2;

use ecs_runtime::prelude::*;

use crate::weapons::LAST_SLOT;

/// What a player asks for in one tick. The last one that arrived holds until the next.
#[command]
pub struct PlayerInput {
    /// Sidestep: 1 is full speed to the right, -1 to the left.
    #[quantize(min = -1.0, max = 1.0, step = 0.125)]
    pub move_x: f32,
    /// Walk: 1 is full speed ahead, -1 back.
    #[quantize(min = -1.0, max = 1.0, step = 0.125)]
    pub move_y: f32,
    /// Where to look, in radians, as in [`Transform::yaw`](crate::Transform::yaw); finer, because shots go there.
    #[angle(bits = 16)]
    pub yaw: f32,
    /// Up or down, in radians.
    #[angle(bits = 16)]
    pub pitch: f32,
    /// Whether the trigger is held.
    pub fire: bool,
    /// Whether to jump as soon as there is ground.
    pub jump: bool,
    /// The weapon to hold.
    #[max(LAST_SLOT)]
    pub slot: u8,
}

impl PlayerInput {
    /// The nearest input that an honest player could have sent: nothing faster than a run, no head bent backwards.
    ///
    /// Inputs from the wire are finite already; this holds for those made in the process, too.
    #[must_use]
    pub fn sanitized(&self) -> Self {
        let finite = |value: f32| if value.is_finite() { value } else { 0.0 };
        let (move_x, move_y) = (finite(self.move_x).clamp(-1.0, 1.0), finite(self.move_y).clamp(-1.0, 1.0));
        // Diagonally, the two add up to more than full speed.
        let excess = (move_x * move_x + move_y * move_y).sqrt().max(1.0);
        Self {
            move_x: move_x / excess,
            move_y: move_y / excess,
            yaw: finite(self.yaw),
            pitch: finite(self.pitch).clamp(-MAX_PITCH, MAX_PITCH),
            slot: self.slot.min(LAST_SLOT),
            ..*self
        }
    }
}

/// Just short of straight up, where yaw would mean nothing.
const MAX_PITCH: f32 = FRAC_PI_2 - 0.01;
