//! The state that `peers world` measures where changes are kept track of: to be tracked is a property of a component.
#![forbid(unsafe_code)]

use ecs_runtime::prelude::*;

/// Where a body is.
#[component(tracked)]
pub struct Position {
    /// Metres.
    pub at: [f32; 3],
}

/// How a body moves.
#[component(tracked)]
pub struct Velocity {
    /// Metres a second.
    pub by: [f32; 3],
}

/// Hit points.
#[component(tracked)]
pub struct Health {
    /// Points left.
    pub hp: i32,
}

/// Where a body looks.
#[component(tracked)]
pub struct Heading {
    /// Radians.
    pub yaw: f32,
}

/// What is in the magazine.
#[component(tracked)]
pub struct Ammo {
    /// Rounds left.
    pub rounds: u32,
}

/// Whom a body follows.
#[component(tracked)]
pub struct Target {
    /// The other one.
    pub entity: Entity,
}

ecs_runtime::game_state! {
    max_entities = 131_072;
    Position, Velocity, Health, Heading, Ammo, Target,
}
