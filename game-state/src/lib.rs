//! A shooter for teams: the template to start a game from.
//!
//! Players run, jump and shoot each other in an arena; who dies comes back. Everything networked about it comes
//! from the annotated structs in [`components`] and the list below.
//!
//! ```
//! use game_state::{Bot, Match, PlayerInput};
//!
//! let mut game = Match::new(7);
//! game.join(0); // a person
//! game.join(1);
//! let mut bot = Bot::new(1, 7);
//! for _ in 0..60 {
//!     game.input(0, PlayerInput { move_y: 1.0, ..PlayerInput::default() });
//!     game.input(1, bot.think(&game.world, &game.context.map));
//!     game.step();
//! }
//! assert_eq!(game.tick(), 60);
//! ```
//!
//! # What to change first
//! 1. The feel: the constants at the top of [`systems::movement`](mod@systems::movement), and [`WEAPONS`].
//! 2. The place: [`Map::arena`], or a `Map` loaded from your editor's files.
//! 3. A component of your own: write the struct with `#[component]` in a file under `components`, and add its name
//!    to the end of the list below. Appending keeps the other components' places on the wire.
//! 4. A system of your own: a function `fn(&mut GameState, &mut Context)` in a file under `systems`, and a line in
//!    [`schedule`] where it belongs in the tick.
//! 5. What players can do: a field in [`PlayerInput`], read in [`systems::inputs`](mod@systems::inputs).
//!
//! # What lives where
//! An entity with [`Player`], [`Team`] and [`Score`] is a client, for as long as it is connected. Its
//! [`Player::body`] is an entity of its own, with [`Transform`], [`Movement`], [`Health`] and [`Weapon`], for one life
//! only: a new life is a new entity, so that nothing is left over from the last, and no client sees a
//! corpse slide across the map to where its player appears again.
#![forbid(unsafe_code)]

mod bot;
pub mod components;
mod context;
mod input;
pub mod map;
pub mod math;
mod simulation;
pub mod systems;
pub mod weapons;

pub use bot::Bot;
pub use components::*;
pub use context::Context;
pub use input::PlayerInput;
pub use map::Map;
pub use simulation::{Match, schedule};
pub use weapons::WEAPONS;

/// How many ticks of the simulation make a second.
pub const TICKS_PER_SECOND: u32 = 60;

/// The time of one tick, in seconds.
pub const TICK: f32 = 1.0 / TICKS_PER_SECOND as f32;

ecs_runtime::game_state! {
    max_entities = 4096;
    commands = [PlayerInput];

    // Bodies
    Transform,
    Movement,
    Body,
    Health,
    Weapon,
    Invincible,
    Protection,
    Dead,

    // Players
    Player,
    Team,
    Score,
    Respawn,

    // Things
    Damage,
    Projectile,
    Pickup,
    MatchSettings as match_settings,
}
