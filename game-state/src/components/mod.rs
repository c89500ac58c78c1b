//! The components, by theme. What they do is in `systems`; the wire order is the list in `lib.rs`.
//!
//! A field costs bandwidth only when it changes, and every component that a client is sent costs one bit for each of
//! its entities that is mentioned in a packet. So what only the server reads is marked `#[dont_send]`.

mod body;
mod combat;
mod life;
mod players;
mod world;

pub use body::{Body, EYE_HEIGHT, HALF_WIDTH, HEIGHT, Movement, Transform};
pub use combat::{Damage, FULL_HEALTH, Health, Invincible, Projectile, Protection, Weapon};
pub use life::{Dead, Respawn};
pub use players::{MAX_CLIENT, Player, Score, Team};
pub use world::{MatchSettings, Pickup};
