//! The end of a life and the start of the next.

use ecs_runtime::prelude::*;

/// A corpse. All else that the body had is gone, but for where it lies.
#[component]
pub struct Dead {
    /// The player who did it; none for nobody. For a line on the screen of every client.
    pub killer: Entity,
    /// Who is to come back.
    #[dont_send]
    pub player: Entity,
    /// In ticks.
    #[dont_send]
    pub respawn_in: u16,
}

/// A request, on an entity of its own: give this player a new body.
#[component]
#[dont_send]
pub struct Respawn {
    /// Who.
    pub player: Entity,
}
