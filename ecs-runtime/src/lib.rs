//! Typed component tables, quantized snapshots and a loss-safe delta protocol for networked shooters.
//!
//! Components are plain structs with attributes. The macros make a world of them, and the runtime keeps that world
//! the same on a server and its clients, over a network that loses packets.
//!
//! ```rust,standalone_crate
//! use ecs_runtime::prelude::*;
//!
//! /// Hit points. Ten bits on the wire.
//! #[component]
//! pub struct Health {
//!     #[max(1000)]
//!     pub hp: i32,
//! }
//!
//! ecs_runtime::game_state! {
//!     max_entities = 4096;
//!     Health
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let mut gs = GameState::default();
//!     let player = gs.create_entity()?;
//!     gs.entity_mut(player)?.add_health(100);
//!     for (_, health) in &mut gs.healths {
//!         health.hp -= 30;
//!     }
//!     assert_eq!(gs.entity(player)?.health().map(|health| health.hp), Some(70));
//!     Ok(())
//! }
//! ```
//!
//! # What to read first
//! 1. [`guide::components`]: attributes, and what they mean on the wire.
//! 2. [`guide::worlds`]: entities, tables and queries.
//! 3. [`guide::database`]: indices, relations, and who is told when something comes and goes.
//! 4. [`guide::systems`]: the functions of a game, their order, and how they talk to each other.
//! 5. [`guide::networking`]: the two loops, and a test of them in ten lines.
//! 6. [`guide::wire`]: what becomes of a value on its way, for whoever counts bytes.
//!
//! The reference of the macros is at [`macro@component`], [`macro@command`] and [`game_state!`].
//!
//! # Goals, in order of importance
//! 1. **Correct under loss.** A packet builds only on what its client has confirmed. What a client holds of an entity
//!    is the server's state at one tick. Once the network heals, every client converges.
//! 2. **Safe against input.** No datagram panics, allocates without bound, or changes anything before it was read to
//!    its end. The crate forbids unsafe code, and so does what the macros write.
//! 3. **Short user code.** A gameplay programmer writes structs and functions: no codec, no diff, no pool.
//! 4. **Few bytes.** Quantized values, differences from confirmed state, and a packet that never exceeds its budget.
//! 5. **Speed.** Iteration near that of hand-written arrays, and no allocation in a warm tick.
//! 6. **Readable expansions.** The macros write little, and logic lives here, so a step through generated code is
//!    short and a build is quick.
//!
//! # What it is not for
//! - **Components that own memory.** A component is a plain value of fixed size: [`Text`] and [`List`] are bounded.
//!   Keep what has no bound beside the state, by entity.
//! - **Composing types at run time.** The components of a state are known when it is compiled. An editor or a
//!   scripting language that invents components wants another library.
//! - **Parallel systems.** Systems run in the order written, one at a time. A query can be walked by all threads of a
//!   pool, behind the feature `parallel`, and the state is a plain value, so work on separate tables can be spread by
//!   hand; but there is no scheduler for it.
//! - **Huge worlds.** A state holds at most 1,048,576 entities, and what a client may see of them is up to the
//!   game: see [`interest`].
//! - **Lockstep and peer to peer.** There is one server, and it owns the truth.
//! - **An open network, by itself.** [`transport`] is plain UDP, neither authenticated nor encrypted.
//!
//! # What lives where
//! - [`world`] has tables, entities and queries. It knows no network.
//! - [`wire`] and [`schema`] say how a field becomes integers, and what both sides must agree on.
//! - [`snapshot`] has the quantized state of a tick, and the history of ticks.
//! - [`mod@event`] has events that wait, and [`data`] what is read from files and written to them.
//! - [`codec`] turns differences between states into bits.
//! - [`protocol`] decides who is sent what. It knows no socket and no clock.
//! - [`transport`] has the sockets.
//! - [`channel`] has events by which systems talk to each other, and [`Resources`] what they share beside the state.
//! - [`Schedule`], [`FixedStep`], [`Random`] and [`math`] are what a simulation is made of.
//! - [`testing`] and [`link`] run a server and its clients in memory, over a bad network.
#![forbid(unsafe_code)]

pub mod channel;
pub mod codec;
mod component;
pub mod data;
mod entity;
pub mod event;
mod fixed_step;
pub mod guide;
pub mod interest;
pub mod link;
pub mod math;
pub mod prelude;
pub mod protocol;
mod random;
mod resources;
mod schedule;
pub mod schema;
pub mod snapshot;
pub mod testing;
mod tick;
pub mod transport;
mod value;
pub mod wire;
pub mod world;

pub use component::{Command, Component, Event, Quantize, Tracked};
pub use entity::Entity;
pub use fixed_step::{FixedStep, Steps};
pub use random::Random;
pub use resources::Resources;
pub use schedule::{NoSuchGroup, Presentation, Schedule, System};
pub use tick::Tick;
pub use value::{Composite, Full, Lanes, List, Text, TooLong, Value};

pub use ecs_derive::{command, component, event, value};

#[doc(hidden)]
pub mod __private {
    pub use ecs_derive::game_state;
}

/// Makes the networked state of a crate from a list of its components.
///
/// It belongs at the crate root, once. The order of the list is the order on the wire.
///
/// ```rust,standalone_crate
/// # mod combat {
/// #     use ecs_runtime::component;
/// #     #[component] pub struct Health { pub hp: u8 }
/// #     #[component] pub struct Mouse;
/// #     #[component] pub(crate) struct Secret;
/// # }
/// # #[ecs_runtime::command] pub struct Input { pub fire: bool }
/// ecs_runtime::game_state! {
///     max_entities = 4096;           // 1 to 1,048,576; fewer make references smaller
///     commands = [Input];            // optional, and so are `events = [..];`
///     combat::Health,                // its table is the field `healths`
///     combat::Mouse as mice,         // where the plural is irregular
///     pub(crate) combat::Secret,     // a table that is not public, for a component that is not
/// }
/// #
/// # fn main() {
/// #     let gs = GameState::default();
/// #     assert!(gs.healths.is_empty() && gs.mice.is_empty() && gs.secrets.is_empty());
/// # }
/// ```
///
/// It writes, at the crate root: `GameState`, with a public table for each component; its methods, such as
/// `create_entity`, `entity`, `entity_mut`, `copy_from`, `diff` and `interpolate`; and the handles `EntityRef` and
/// `EntityMut`, to which every component adds its accessors. See [`guide::components`] and [`guide::worlds`].
#[macro_export]
macro_rules! game_state {
    ($($tokens:tt)*) => {
        $crate::__private::game_state! { [$crate] $($tokens)* }
    };
}

/// Compiles and runs the example of the repository's README with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
