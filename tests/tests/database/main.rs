//! The world as a database: everything that changes it, against a model that is as plain as can be.

mod deferred;
mod filters;
mod indices;
mod model;
mod parallel;
mod track;

use ecs_runtime::List;
use ecs_runtime::prelude::*;

/// Where somebody is.
#[component]
#[derive(Copy, PartialEq, Eq)]
pub struct Place {
    /// East.
    #[index]
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
#[component(tracked)]
#[derive(Copy, PartialEq, Eq)]
pub struct Stun;

/// Somebody is dead.
#[component]
#[derive(Copy, PartialEq, Eq)]
pub struct IsDead;

/// A place in a team.
#[component(key(team, slot))]
#[derive(Copy, PartialEq, Eq)]
pub struct Member {
    /// Which team.
    #[index]
    pub team: u8,
    /// Which of it.
    pub slot: i8,
}

/// Somebody goes with somebody else.
#[component]
#[derive(Copy, PartialEq, Eq)]
pub struct ChildOf {
    /// With whom.
    #[relation(destroy)]
    pub parent: Entity,
}

/// Somebody thinks of somebody else.
#[component]
#[derive(Copy, PartialEq, Eq)]
pub struct Mind {
    /// Who is followed, if anybody.
    #[relation]
    pub leader: Option<Entity>,
    /// Who is feared.
    #[relation]
    pub feared: List<Entity, 3>,
}

/// Somebody aims at somebody else.
#[component]
#[derive(Copy, PartialEq, Eq)]
pub struct Aim {
    /// At whom.
    #[relation(remove)]
    pub target: Entity,
}

ecs_runtime::game_state! {
    max_entities = 9000;
    Place,
    Health,
    Shield,
    Stun,
    IsDead,
    Member,
    ChildOf as children,
    Mind,
    Aim,
}
