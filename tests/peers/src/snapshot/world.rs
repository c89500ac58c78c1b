//! The world: what an entity is, and how it changes.

use ecs_runtime::Random;
use serde::{Deserialize, Serialize};

/// How many entities the world has. What is told per entity counts all of them, whether they change or not.
pub(crate) const ENTITIES: usize = 2000;

/// How many ticks follow each other in one pass.
pub(crate) const TICKS: usize = 16;

/// The largest values of the integers.
pub(crate) const MAX_HP: u16 = 1000;
pub(crate) const MAX_WEAPON: u16 = 63;
pub(crate) const MAX_AMMO: u16 = 511;
pub(crate) const MAX_FLAGS: u16 = 4095;

/// An entity: 44 bytes.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Serialize,
    Deserialize,
    bitcode::Encode,
    bitcode::Decode,
    bincode::Encode,
    bincode::Decode,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
)]
#[repr(C)]
pub(crate) struct Unit {
    pub(crate) id: u32,
    /// Metres; x and y in +-512, z in 0 to 64.
    pub(crate) position: [f32; 3],
    /// Radians.
    pub(crate) yaw: f32,
    pub(crate) pitch: f32,
    /// Metres a second.
    pub(crate) velocity: [f32; 3],
    pub(crate) hp: u16,
    pub(crate) weapon: u16,
    pub(crate) ammo: u16,
    pub(crate) flags: u16,
}

const _: () = assert!(size_of::<Unit>() == 44);

/// A world that goes on for as long as it is asked to, the same in every run.
#[derive(Clone, Debug)]
pub(crate) struct Simulation {
    pub(crate) units: Vec<Unit>,
    random: Random,
}

impl Simulation {
    /// The world of the first tick. Every second entity moves.
    pub(crate) fn new() -> Self {
        let mut random = Random::new(0x5eed);
        let below = |random: &mut Random, end: u16| (random.unit() * f32::from(end)) as u16;
        let units = (0..ENTITIES as u32).map(|id| {
            let moves = id % 2 == 0;
            let speed = |random: &mut Random| if moves { random.between(-6.0, 6.0) } else { 0.0 };
            Unit {
                id,
                position: [
                    random.between(-400.0, 400.0),
                    random.between(-400.0, 400.0),
                    random.between(0.0, 64.0),
                ],
                yaw: random.between(-3.0, 3.0),
                pitch: random.between(-1.5, 1.5),
                velocity: [speed(&mut random), speed(&mut random), 0.0],
                hp: MAX_HP / 2 + below(&mut random, MAX_HP / 2 + 1),
                weapon: below(&mut random, MAX_WEAPON + 1),
                ammo: below(&mut random, MAX_AMMO + 1),
                flags: below(&mut random, MAX_FLAGS + 1),
            }
        });
        let units = units.collect();
        Self { units, random }
    }

    /// One tick: those that move go on by their velocity, and 1 in 5 of them turns by up to 0.05 radians either way; of
    /// all, 1 in 50 loses below 40 hit points, and 1 in 20 a round. Who has none left gets all of them back; who comes to
    /// the edge turns back.
    pub(crate) fn step(&mut self) {
        let Self { units, random } = self;
        for unit in units {
            if unit.velocity != [0.0; 3] {
                for (at, by) in unit.position.iter_mut().zip(&mut unit.velocity) {
                    *at += *by / 64.0;
                    if at.abs() > 511.0 {
                        *by = -by.abs() * at.signum();
                    }
                }
                if random.unit() < 1.0 / 5.0 {
                    unit.yaw = wrapped(unit.yaw + random.between(-0.05, 0.05));
                }
            }
            if random.unit() < 1.0 / 50.0 {
                let lost = 1 + (random.unit() * 39.0) as u16;
                unit.hp = if unit.hp > lost { unit.hp - lost } else { MAX_HP };
            }
            if random.unit() < 1.0 / 20.0 {
                unit.ammo = if unit.ammo > 0 { unit.ammo - 1 } else { MAX_AMMO };
            }
        }
    }

    /// The worlds of one pass: that of the first tick, and those of the ticks after it.
    pub(crate) fn pass() -> Vec<Vec<Unit>> {
        let mut simulation = Self::new();
        let mut worlds = vec![simulation.units.clone()];
        for _ in 0..TICKS {
            simulation.step();
            worlds.push(simulation.units.clone());
        }
        worlds
    }
}

/// An angle in half a turn either way.
fn wrapped(angle: f32) -> f32 {
    use core::f32::consts::{PI, TAU};
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_half_of_all_change_in_a_tick_and_stay_in_their_ranges() {
        let mut simulation = Simulation::new();
        for _ in 0..1000 {
            let before = simulation.units.clone();
            simulation.step();
            let changed = before.iter().zip(&simulation.units).filter(|(before, now)| before != now).count();
            assert!((1000..1150).contains(&changed), "{changed}");
        }
        for unit in &simulation.units {
            let [x, y, z] = unit.position;
            assert!(x.abs() < 512.0 && y.abs() < 512.0 && (0.0..=64.0).contains(&z), "{unit:?}");
            assert!(unit.hp <= MAX_HP && unit.ammo <= MAX_AMMO, "{unit:?}");
        }
    }

    #[test]
    fn every_run_sees_the_same_worlds() {
        assert_eq!(Simulation::pass(), Simulation::pass());
    }
}
