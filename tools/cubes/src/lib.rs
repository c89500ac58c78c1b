//! The state of the recorded cubes that the codec is measured with: a crate of its own, since a crate has one
//! `GameState`.
#![forbid(unsafe_code)]

use ecs_runtime::prelude::*;

/// How many cubes the scene has; the first is the player's.
pub const CUBES: usize = 901;

/// An orientation as it was recorded: the smallest three of the numbers of a quaternion, in nine bits each.
#[value]
#[derive(Eq)]
pub struct Orientation {
    /// Which component of the orientation is left out: the largest, which follows from the others.
    #[max(3)]
    pub largest: u8,
    /// The first of the other components, in the order x, y, z, w.
    #[max(511)]
    pub a: u16,
    /// The second.
    #[max(511)]
    pub b: u16,
    /// The third.
    #[max(511)]
    pub c: u16,
}

/// A place, in 1/512 m.
#[value]
#[derive(Eq)]
pub struct Place {
    /// East.
    #[range(-16383..=16383)]
    pub x: i32,
    /// North.
    #[range(-16383..=16383)]
    pub y: i32,
    /// Up.
    #[max(8191)]
    pub z: i32,
}

/// A rigid body: its values are integers, so what is sent is exactly what was recorded.
#[component]
#[derive(Eq)]
pub struct Cube {
    /// Where it is.
    #[predict(linear)]
    pub place: Place,
    /// How it lies.
    #[predict(rotation)]
    pub orientation: Orientation,
    /// Whether the player's cube touches it, or it touches a cube that does.
    pub interacting: bool,
}

ecs_runtime::game_state! {
    max_entities = 901;
    Cube,
}
