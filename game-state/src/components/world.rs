//! What belongs to the match and not to a player.

use ecs_runtime::prelude::*;

/// Something to walk over. It stays where it is; taken, it comes back after a while.
#[component]
pub struct Pickup {
    /// [`Pickup::HEALTH`], [`Pickup::AMMO`] or [`Pickup::SHIELD`].
    #[max(2)]
    pub kind: u8,
    /// Whether it is there to be taken; otherwise clients hide it.
    #[default(true)]
    pub available: bool,
    /// In ticks, while it is not available.
    #[dont_send]
    pub returns_in: u16,
}

impl Pickup {
    /// Gives hit points back.
    pub const HEALTH: u8 = 0;
    /// Fills every magazine.
    pub const AMMO: u8 = 1;
    /// Makes invincible for a while.
    pub const SHIELD: u8 = 2;
}

/// The rules of the match, on one entity, so that clients can show them and an inspector can change them.
#[component(singleton)]
pub struct MatchSettings {
    /// In seconds; 0 for no limit.
    #[default(600)]
    pub time_limit: u16,
    /// How many kills a team needs; 0 for no limit.
    #[default(50)]
    pub score_limit: u16,
    /// Whether a player can hurt the own team. Oneself one can always hurt.
    pub friendly_fire: bool,
}
