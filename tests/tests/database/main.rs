//! The world as a database: everything that changes it, against a model that is as plain as can be.

mod filters;
mod model;
mod track;

use ecs_runtime::prelude::*;

/// Where somebody is.
#[component]
#[derive(Copy, PartialEq, Eq)]
pub struct Place {
    /// East.
    pub x: i32,
}

/// How much somebody can take.
#[component(tracked)]
#[derive(Copy, PartialEq, Eq)]
pub struct Health {
    /// Up to a thousand.
    #[max(1000)]
    pub hp: u16,
}

/// What takes it first.
#[component(tracked)]
#[derive(Copy, PartialEq, Eq)]
pub struct Shield {
    /// How often.
    pub left: u8,
}

/// Somebody cannot move.
#[component]
#[derive(Copy, PartialEq, Eq)]
pub struct Stun;

/// Somebody is dead.
#[component]
#[derive(Copy, PartialEq, Eq)]
pub struct IsDead;

ecs_runtime::game_state! {
    max_entities = 9000;
    Place,
    Health,
    Shield,
    Stun,
    IsDead,
}
