//! What happens in a world, at random.

use ecs_runtime::prelude::*;
use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;

use crate::{GameState, Health, Lower, Order, Orders, Position, Upper};

/// Does random things, the same for the same seed.
#[derive(Debug)]
pub(crate) struct Chance {
    random: Pcg32,
}

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Pcg32::seed_from_u64(seed) }
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.random.next_u32() % end.max(1)
    }

    /// Whether something happens that happens one time in `times`.
    pub(crate) fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// A number from 0 to 1.
    pub(crate) fn unit(&mut self) -> f32 {
        self.random.next_u32() as f32 / u32::MAX as f32
    }

    /// An entity that is alive; none in an empty world.
    pub(crate) fn any(&mut self, world: &GameState) -> Entity {
        let count = world.entity_count() as u32;
        let at = self.below(count) as usize;
        world.entities().nth(at).unwrap_or(Entity::NONE)
    }

    /// Creates an entity with some components, if there is room.
    pub(crate) fn create(&mut self, world: &mut GameState) {
        let Ok(entity) = world.create_entity() else { return };
        let health = Health { hp: self.below(1001) as i32, ammo: self.below(31) as u8, secret: 0 };
        if let Ok(mut new) = world.entity_mut(entity) {
            let at = [self.unit() * 100.0, 0.0, self.unit() * 100.0];
            new.add(Position { at, yaw: self.unit(), ..Position::default() });
            new.add(health);
        }
        for _ in 0..self.below(3) {
            self.change(world, entity);
        }
    }

    /// Changes one thing of an entity.
    pub(crate) fn change(&mut self, world: &mut GameState, entity: Entity) {
        let (other, maybe) = (self.any(world), self.any(world));
        let kind = self.below(16);
        let (a, b) = (self.random.next_u32(), self.unit());
        if let (0..=4, Some(position)) = (kind, world.positions.get_mut(entity)) {
            position.at = position.at.map(|at| (at + b - 0.5).clamp(-512.0, 512.0));
            position.yaw += b;
            position.turn[kind as usize % 4] += b - 0.5;
            return;
        }
        if let (5..=7, Some(health)) = (kind, world.healths.get_mut(entity)) {
            health.hp = (health.hp - (a % 20) as i32).max(0);
            health.ammo = (a % 31) as u8;
            health.secret = u64::from(a);
            return;
        }
        let Ok(mut entity) = world.entity_mut(entity) else { return };
        match kind {
            8 if entity.has_tag() => drop(entity.del_tag()),
            8 => drop(entity.add_tag()),
            9 if entity.has_tie() => drop(entity.del_tie()),
            9 => drop(entity.add_tie(other, Some(maybe).filter(|_| a % 2 == 0))),
            10 if entity.has_hand() && a % 3 == 0 => drop(entity.del_hand()),
            10 => drop(entity.add_hand([a as u16, 1, 2, (a >> 16) as u16])),
            11 => {
                let mut list = List::new();
                for at in 0..a % 4 {
                    let order = match at % 3 {
                        0 => Order::Walk { by: b * 20.0 - 10.0 },
                        1 => Order::Fire(Some(other)),
                        _ => Order::Wait,
                    };
                    // There is room for three.
                    let _ = list.push(order);
                }
                entity.add(Orders { list, name: Text::cut(&"Zoë 2000"[..(a % 3) as usize * 4]) });
            }
            12 if entity.has_upper() => drop((entity.del_upper(), entity.del_lower())),
            12 if a % 8 == 0 => {
                entity.add(Upper { words: core::array::from_fn(|at| a ^ at as u32) });
                entity.add(Lower { words: core::array::from_fn(|at| a.rotate_left(at as u32)) });
            }
            13 => drop(entity.add_note([a as u8; 8])),
            14 if a % 4 == 0 => drop(entity.add_flag(a as u8)),
            15 if entity.has_health() => drop(entity.del_health()),
            _ => drop(entity.add_health((a % 1001) as i32, 5, 0)),
        }
    }
}
