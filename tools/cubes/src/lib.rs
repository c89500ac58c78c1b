//! The state of the recorded cubes that the codec is measured with: a crate of its own, since a crate has one
//! `GameState`.
#![forbid(unsafe_code)]

use ecs_runtime::prelude::*;

/// How many cubes the scene has; the first is the player's.
pub const CUBES: usize = 901;

/// A rigid body: its values are integers, so what is sent is exactly what was recorded.
#[component]
#[derive(Eq)]
pub struct Cube {
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
    /// East, in 1/512 m.
    #[range(-16383..=16383)]
    pub x: i32,
    /// North, in 1/512 m.
    #[range(-16383..=16383)]
    pub y: i32,
    /// Up, in 1/512 m.
    #[max(8191)]
    pub z: i32,
    /// Whether the player's cube touches it, or it touches a cube that does.
    pub interacting: bool,
}

ecs_runtime::game_state! {
    max_entities = 901;
    Cube,
}
