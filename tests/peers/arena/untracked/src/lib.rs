//! The state that `peers world` measures. A crate has one state; that of the main crate is sized for snapshots.
#![forbid(unsafe_code)]

use ecs_runtime::prelude::*;

/// Where a body is.
#[component]
pub struct Position {
    /// Metres.
    pub at: [f32; 3],
}

/// How a body moves.
#[component]
pub struct Velocity {
    /// Metres a second.
    pub by: [f32; 3],
}

/// Hit points.
#[component]
pub struct Health {
    /// Points left.
    pub hp: i32,
}

/// Where a body looks.
#[component]
pub struct Heading {
    /// Radians.
    pub yaw: f32,
}

/// What is in the magazine.
#[component]
pub struct Ammo {
    /// Rounds left.
    pub rounds: u32,
}

/// Whom a body follows.
#[component]
pub struct Target {
    /// The other one.
    pub entity: Entity,
}

/// A body that burns.
#[component]
pub struct Burning {
    /// Hit points lost per tick.
    pub per_tick: i32,
}

/// A hit to be applied this tick.
#[component]
pub struct Damage {
    /// Hit points.
    pub amount: u32,
    /// Who is hit.
    pub victim: Entity,
    /// Who hits.
    pub source: Entity,
}

/// A tag: while an entity has it, damage is ignored.
#[component]
pub struct Invincible;

ecs_runtime::game_state! {
    max_entities = 131_072;
    Position, Velocity, Health, Heading, Ammo, Target, Burning as burning, Damage, Invincible,
}
