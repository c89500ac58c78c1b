//! Who takes part. These live on an entity of their own, one for each client, from joining to leaving; bodies come
//! and go.

use ecs_runtime::prelude::*;

/// The largest number of a client.
pub const MAX_CLIENT: u16 = 1023;

/// Someone who takes part.
#[component]
pub struct Player {
    /// The number of the client, as the server gave it.
    #[max(MAX_CLIENT)]
    pub client: u16,
    /// The body, or the corpse that is left of it; none before the first life.
    pub body: Entity,
}

/// The side that a player is on.
#[component]
pub struct Team {
    /// 0 or 1.
    #[max(1)]
    pub number: u8,
}

/// What a player has achieved.
#[component]
pub struct Score {
    /// Enemies killed.
    pub kills: u16,
    /// Lives lost.
    pub deaths: u16,
}
