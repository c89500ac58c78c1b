//! A component of every kind that the wire knows.

use ecs_runtime::prelude::*;

/// Moves most of the time.
#[component]
pub struct Position {
    /// In metres.
    #[quantize(min = -512.0, max = 512.0, step = 0.005)]
    #[interpolate]
    #[predict(linear)]
    pub at: [f32; 3],
    /// In radians.
    #[angle(bits = 12)]
    pub yaw: f32,
    /// How it lies.
    #[rotation(bits = 9)]
    #[default([0.0, 0.0, 0.0, 1.0])]
    pub turn: [f32; 4],
}

/// Has a field that its owner alone sees, and one that nobody does.
#[component]
pub struct Health {
    /// Hit points.
    #[max(1000)]
    pub hp: i32,
    /// What is left in the magazine.
    #[owner_only]
    #[default(30)]
    pub ammo: u8,
    /// The server's own.
    #[dont_send]
    pub secret: u64,
}

/// Has no data.
#[component]
pub struct Tag;

/// Refers to others.
#[component]
pub struct Tie {
    /// Always.
    pub to: Entity,
    /// Perhaps.
    pub or: Option<Entity>,
}

/// Is seen by its owner alone.
#[component]
#[owner_only]
pub struct Hand {
    /// The cards.
    pub cards: [u16; 4],
}

/// Parts of it may not be there.
#[component]
pub struct Orders {
    /// What to do.
    pub list: List<Order, 3>,
    /// A name.
    pub name: Text<9>,
}

/// Something to do.
#[value]
pub enum Order {
    /// Nothing.
    Wait,
    /// To go somewhere.
    Walk {
        /// How far.
        #[quantize(min = -10.0, max = 10.0, step = 0.5)]
        by: f32,
    },
    /// To shoot at somebody.
    Fire(Option<Entity>),
}

/// With [`Lower`], more than a small packet holds.
#[component]
pub struct Upper {
    /// Many bits.
    pub words: [u32; 72],
}

/// With [`Upper`], more than a small packet holds.
#[component]
pub struct Lower {
    /// Many bits.
    pub words: [u32; 72],
}

/// Never leaves the server.
#[component]
#[dont_send]
pub struct Note {
    /// Anything.
    pub text: [u8; 8],
}

/// At most one has it.
#[component(singleton)]
pub struct Flag {
    /// Whose it is.
    pub team: u8,
}

/// A player's input.
#[command]
pub struct Steer {
    /// Counts up.
    pub number: u32,
}

/// Arrives at most once.
#[event]
pub struct Spark {
    /// Counts up.
    pub number: u32,
    /// By whom.
    pub by: Entity,
}

/// Arrives exactly once, in order.
#[event(reliable)]
pub struct Message {
    /// Counts up, for each client.
    pub number: u32,
    /// What it says.
    pub text: Text<12>,
}
