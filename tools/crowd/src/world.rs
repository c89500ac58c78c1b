//! A world whose entities change at random, the same in every run.

use ecs_runtime::prelude::*;

use crate::GameState;

/// Where an entity is, in metres, and where it looks.
#[component]
pub struct Transform {
    /// In 32nds of a metre.
    #[quantize(min = -1024.0, max = 1024.0, step = 0.03125)]
    pub position: [f32; 3],
    /// In radians.
    #[angle(bits = 16)]
    pub yaw: f32,
}

/// Hit points.
#[component]
pub struct Health {
    /// At most 1,000.
    #[max(1000)]
    #[default(1000)]
    pub hp: u16,
}

/// Arrives exactly once, in order.
#[event(reliable)]
pub struct Whisper {
    /// Counts up.
    pub number: u32,
}

/// A world, and what changes in it.
#[derive(Debug)]
pub struct Crowd {
    entities: Vec<Entity>,
    random: u64,
    tick: u32,
}

impl Crowd {
    /// Fills a world with `count` entities that stand in a row, a metre apart, as far as the world reaches.
    #[must_use]
    pub fn new(world: &mut GameState, count: u32) -> Self {
        let entities = (0..count).filter_map(|index| {
            let position = [(index % 1024) as f32, 0.0, 0.0];
            world.spawn((Transform { position, yaw: 0.0 }, Health { hp: 1000 })).ok()
        });
        Self { entities: entities.collect(), random: 0x9e37_79b9_7f4a_7c15, tick: 0 }
    }

    /// The entities.
    #[must_use]
    pub fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// One tick in which each entity changes with a chance of so many percent.
    pub fn step(&mut self, world: &mut GameState, percent: u64) {
        self.tick += 1;
        for (index, &entity) in (0u32..).zip(&self.entities) {
            // xorshift64 (Marsaglia 2003), with the shifts 13, 7, 17.
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            if self.random % 100 >= percent {
                continue;
            }
            if let Some(transform) = world.transforms.get_mut(entity) {
                let [x, y, z] = transform.position;
                let (x, z) = (x + 0.1, z + 0.05);
                let out = x > 1024.0 || z > 1024.0;
                transform.position = if out { [(index % 1024) as f32, 0.0, 0.0] } else { [x, y, z] };
                transform.yaw = 0.1 * (self.tick + index) as f32;
            }
            if let Some(health) = world.healths.get_mut(entity) {
                health.hp = if health.hp <= 300 { 1000 } else { health.hp - 1 };
            }
        }
    }
}
