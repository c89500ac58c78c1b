//! The macros of `ecs-runtime`, which re-exports them: [`macro@component`], [`macro@command`] and the procedural
//! half of its `game_state!`.
//!
//! Only the entry points and their documentation are here. What they write is up to the library `ecs-codegen`.

use proc_macro::TokenStream;

/// Makes a struct a component of entities.
///
/// ```
/// use ecs_runtime::{Entity, component};
///
/// /// Hit points. Ten bits on the wire.
/// #[component]
/// pub struct Health {
///     #[max(1000)]
///     #[default(100)]
///     pub hp: i32,
/// }
///
/// /// A hit to be applied this tick.
/// #[component]
/// pub struct Damage {
///     #[dont_send]
///     pub amount: u32,
///     pub victim: Entity,
/// }
///
/// /// A tag: while an entity has it, damage is ignored.
/// #[component]
/// pub struct Invincible;
///
/// ecs_runtime::game_state! {
///     max_entities = 4096;
///     Health, Damage, Invincible
/// }
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let mut gs = GameState::default();
///     let player = gs.create_entity()?;
///     gs.entity_mut(player)?.add_health(80);
///     gs.entity_mut(player)?.add_damage(25, player);
///     assert_eq!(gs.entity(player)?.health().map(|health| health.hp), Some(80));
///     assert!(!gs.entity(player)?.has_invincible());
///     Ok(())
/// }
/// ```
///
/// Write it above every other attribute of the struct. The struct needs a place in the list of
/// `game_state!`; it must be visible there, so `pub(crate)` at least when it is in a module.
///
/// # What it writes
/// - `Clone`, `Copy`, `Debug` and `PartialEq`, where the struct does not derive them itself, and `Default`.
/// - The traits `Quantize` and `Component` of the runtime.
/// - For a struct `Health`, on the crate's `EntityRef`: `health()` and `has_health()`; on its `EntityMut`, too:
///   `health_mut()`, `add_health(..)` with the fields in their order, and `del_health()`. They are as visible as
///   the struct. A tag has no `.._mut()`.
///
/// # Types of fields
/// `bool`, integers of 8 to 64 bits, `f32`, `f64`, `Entity`, `Text<N>`, structs and enums marked [`macro@value`], and arrays,
/// `Option` and `List<T, N>` of these. Without an attribute they are sent in full: an integer with all its bits, a
/// float bit by bit, a reference in as many bits as the state's `max_entities` needs.
///
/// # Attributes of fields
/// At most one of the first six; they apply to each element of an array, an option or a list. Arguments are literals or
/// constant expressions. What is outside its range is saturated on the wire, and counted.
///
/// - `#[max(1000)]`: an integer in `0..=1000`, for signed types too.
/// - `#[range(-5..=5)]`: an integer in that range, both ends included.
/// - `#[quantize(min = -512.0, max = 512.0, step = 0.005)]`: a float rounded to the nearest step.
/// - `#[angle(bits = 12)]`: a float in radians as one of 2^12 directions, 1 to 24 bits. Interpolates the short way
///   round.
/// - `#[rotation(bits = 10)]`: a quaternion `[f32; 4]`, its three smallest numbers in 4 to 24 bits each.
/// - `#[unit_vector(bits = 11)]`: a direction `[f32; 3]` in two numbers of 4 to 24 bits.
/// - `#[default(100)]`: what `Default` gives, instead of zero, `false` or no entity. It must be inside the range.
/// - `#[interpolate]`: between two states, the value is between theirs; for numbers.
/// - `#[snap]`: a capture makes the value what the other side reads.
/// - `#[predict(linear)]`: one to three numbers that go on as they went, such as a position: the next is foretold from how
///   they moved, and takes fewer bits the better that is. It changes nothing else. Without it, each number is foretold by
///   the rule that did best lately. `#[predict(rotation)]` is the same for a `#[value]` of four integers that is a
///   rotation, as `#[rotation]` sends it; fields marked `#[rotation]` have no need of it.
/// - `#[index]`: entities are found by its value; `#[unique]`: and at most one should have it, which `check_integrity`
///   looks at. The constant is called by the field: `Player::BY_TEAM`. In a `List`, each element is a key.
/// - `#[relation]`: an `Entity`, an `Option<Entity>` or a `List<Entity, N>` that is found from the other side. When the entity
///   that it refers to is destroyed, it refers to nobody; with `#[relation(remove)]` the component is removed, with
///   `#[relation(destroy)]` its entity destroyed.
/// - `#[owner_only]`: for the client that owns the entity alone; others have the default.
/// - `#[dont_send]`: never leaves the process. The other side has the default.
///
/// # Arguments
/// - `#[component(singleton)]`: at most one entity has it, and the state has accessors for it.
/// - `#[component(tracked)]`: its tables remember which entities it was added to, removed from and changed on in the last
///   ticks.
/// - `#[component(key(team, slot))]`: entities are found by two to four fields together, and at most one should have them;
///   `#[component(index(team, slot))]`: any number may. The constant is called by the fields: `Player::BY_TEAM_SLOT`.
/// - `#[component(on_add = begin, on_remove = end)]`: functions that are called when an entity gets it, as
///   `fn begin(gs: &mut GameState, entity: Entity)`, and when an entity loses it, as
///   `fn end(gs: &mut GameState, entity: Entity, removed: Health)`.
/// - `#[component(name = "ship_hull")]`: what accessors and the schema call it.
///
/// # Attributes of the struct
/// - `#[dont_send]`: the whole component stays in the process.
/// - `#[snap]`: all of its fields are.
/// - `#[owner_only]`: all of its fields are, and others do not know that it is there.
///
/// ```
/// # use ecs_runtime::{Entity, component};
/// const CREW: usize = 4;
///
/// #[component]
/// pub struct Tank {
///     #[quantize(min = -512.0, max = 512.0, step = 0.005)]
///     #[interpolate]
///     pub position: [f32; 3],
///     #[angle(bits = 12)]
///     #[interpolate]
///     pub turret: f32,
///     #[range(-1..=4)]
///     pub gear: i8,
///     #[default([100; CREW])]
///     #[max(100)]
///     pub morale: [u8; CREW],
///     pub crew: [Option<Entity>; CREW],
/// }
///
/// /// What the server's bots think.
/// #[component]
/// #[dont_send]
/// pub struct Plan {
///     pub goal: Entity,
/// }
/// #
/// # ecs_runtime::game_state! {
/// #     max_entities = 4096;
/// #     Tank, Plan
/// # }
/// #
/// # fn main() {
/// #     assert_eq!(Tank::default().morale, [100; 4]);
/// # }
/// ```
///
/// # Errors
/// Every mistake is reported on what is wrong, with what to write instead. A component that is not on the list,
/// a default outside its range, and a component that could not fit a packet do not compile.
#[proc_macro_attribute]
pub fn component(args: TokenStream, item: TokenStream) -> TokenStream {
    ecs_codegen::component(&args.into(), item.into()).into()
}

/// Makes a struct a command: a player's input, sent from the client to the server.
///
/// Fields have the types and attributes of [`macro@component`], except `#[interpolate]`, `#[predict]` and `#[dont_send]`.
/// The struct gets the same derives and `Default`, and the traits `Quantize` and `Command` of the runtime. List it as
/// `commands = [Input];` in `game_state!`.
///
/// ```
/// use ecs_runtime::{command, component};
///
/// #[command]
/// pub struct Input {
///     #[angle(bits = 12)]
///     pub aim: f32,
///     pub fire: bool,
/// }
/// #
/// # #[component]
/// # pub struct Health {
/// #     pub hp: u8,
/// # }
///
/// ecs_runtime::game_state! {
///     max_entities = 4096;
///     commands = [Input];
///     Health
/// }
/// #
/// # fn main() {
/// #     assert_eq!(Input::default(), Input { aim: 0.0, fire: false });
/// # }
/// ```
#[proc_macro_attribute]
pub fn command(args: TokenStream, item: TokenStream) -> TokenStream {
    ecs_codegen::command(&args.into(), item.into()).into()
}

/// Makes a struct an event: something that happens once, sent from the server to clients.
///
/// Fields have the types and attributes of [`macro@component`], except the marks of components. An event is sent once
/// and may be lost, unless it is `#[event(reliable)]`. List it as `events = [Explosion];` in `game_state!`.
///
/// ```
/// use ecs_runtime::{Entity, component, event};
///
/// /// Seen while it is near, or not at all.
/// #[event]
/// pub struct Explosion {
///     #[quantize(min = -512.0, max = 512.0, step = 0.1)]
///     pub at: [f32; 3],
/// }
///
/// /// Never lost.
/// #[event(reliable)]
/// pub struct Kill {
///     pub victim: Entity,
///     pub killer: Option<Entity>,
/// }
/// #
/// # #[component]
/// # pub struct Health {
/// #     pub hp: u8,
/// # }
///
/// ecs_runtime::game_state! {
///     max_entities = 4096;
///     events = [Explosion, Kill];
///     Health
/// }
/// #
/// # fn main() {
/// #     use ecs_runtime::Event;
/// #     assert!(Kill::RELIABLE && !Explosion::RELIABLE);
/// # }
/// ```
#[proc_macro_attribute]
pub fn event(args: TokenStream, item: TokenStream) -> TokenStream {
    ecs_codegen::event(&args.into(), item.into()).into()
}

/// Makes a struct or an enum the type of a field.
///
/// Fields have the types and attributes of [`macro@component`], except `#[dont_send]`, `#[owner_only]` and `#[snap]`,
/// which belong on the field of the component. Of an enum, only the variant and its own fields are sent. It starts as
/// its first variant, or as the one that is marked `#[default]`.
///
/// ```
/// use ecs_runtime::{component, value};
///
/// #[value]
/// pub struct Item {
///     #[max(99)]
///     pub count: u8,
///     #[max(500)]
///     pub kind: u16,
/// }
///
/// #[value]
/// pub enum Stance {
///     Crouched,
///     #[default]
///     Standing,
///     Running {
///         #[quantize(min = 0.0, max = 10.0, step = 0.1)]
///         speed: f32,
///     },
/// }
///
/// #[component]
/// pub struct Soldier {
///     pub stance: Stance,
///     pub pockets: [Option<Item>; 4],
/// }
///
/// ecs_runtime::game_state! {
///     max_entities = 4096;
///     Soldier
/// }
/// #
/// # fn main() {
/// #     assert_eq!(Soldier::default(), Soldier { stance: Stance::Standing, pockets: [None; 4] });
/// # }
/// ```
#[proc_macro_attribute]
pub fn value(args: TokenStream, item: TokenStream) -> TokenStream {
    ecs_codegen::value(&args.into(), item.into()).into()
}

/// The procedural half of `ecs_runtime::game_state!`, which is what to call: it says where the runtime is.
///
/// ```
/// # mod combat {
/// #     use ecs_runtime::component;
/// #     #[component] pub struct Health { pub hp: u8 }
/// #     #[component] pub struct Mouse;
/// #     #[component] pub(crate) struct Secret;
/// # }
/// # #[ecs_runtime::command] pub struct Input { pub fire: bool }
/// ecs_runtime::game_state! {
///     max_entities = 4096;           // 1 to 1,048,576; fewer make references smaller
///     commands = [Input];            // optional
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
/// It belongs at the crate root, once. The order of the list is the order on the wire, so a change of the
/// protocol shows in review. It writes `GameState`, with a public table for each component, and the handles
/// `EntityRef` and `EntityMut`, to which every component adds its accessors.
#[proc_macro]
pub fn game_state(input: TokenStream) -> TokenStream {
    ecs_codegen::game_state(input.into()).into()
}
