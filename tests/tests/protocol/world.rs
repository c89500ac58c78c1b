//! A world with every kind of field, and a hand that changes it at random.

use ecs_runtime::prelude::*;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

use crate::GameState;

#[component]
pub struct Position {
    #[quantize(min = -512.0, max = 512.0, step = 0.005)]
    #[interpolate]
    #[predict(linear)]
    pub at: [f32; 3],
    #[angle(bits = 12)]
    #[interpolate]
    pub yaw: f32,
}

#[component]
pub struct Health {
    #[max(1000)]
    pub hp: i32,
    #[dont_send]
    pub armor: u32,
}

#[component]
pub struct Tag;

#[component]
pub struct Link {
    pub target: Entity,
    pub other: Option<Entity>,
}

#[component]
pub struct Number {
    pub wide: u64,
    pub signed: i64,
    pub exact: f32,
}

#[component]
pub struct Inventory {
    #[range(-5..=5)]
    pub slots: [i8; 6],
    pub open: bool,
}

/// Never leaves the server.
#[component]
#[dont_send]
pub struct Note {
    pub text: [u8; 8],
}

#[component]
pub struct Guard {
    pub post: u16,
}

#[value]
pub enum Task {
    Wait,
    Walk {
        #[quantize(min = -10.0, max = 10.0, step = 0.5)]
        by: f32,
    },
    Fire(Option<Entity>, #[max(3)] u8),
}

/// Everything of which parts may not be there.
#[component]
pub struct Unit {
    pub orders: List<Task, 3>,
    pub name: Text<9>,
    #[max(6)]
    pub rank: Option<u8>,
    #[rotation(bits = 7)]
    #[default([0.0, 0.0, 0.0, 1.0])]
    pub turn: [f32; 4],
}

/// Others see how it looks, its owner alone what is in it.
#[component]
pub struct Purse {
    #[owner_only]
    #[default(5)]
    pub coins: u16,
    pub seen: u16,
}

/// Others do not know that it is there.
#[component]
#[owner_only]
pub struct Diary {
    pub page: u16,
}

/// An entity with this and an [`Annex`] is larger than the smallest packet that may be.
#[component]
pub struct Archive {
    pub pages: [u32; 64],
}

#[component]
pub struct Annex {
    pub pages: [u32; 64],
}

#[event]
pub struct Bang {
    pub number: u32,
}

#[event(reliable)]
pub struct Say {
    pub number: u32,
}

#[command]
pub struct Steer {
    pub number: u32,
    #[range(-1..=1)]
    pub turn: i8,
}

/// What a player wants one of its own to do.
#[command]
pub struct Order {
    #[owned]
    pub of: Entity,
    pub post: u16,
}

/// Changes a world at random, the same way for the same seed.
pub(crate) struct Hand {
    pub(crate) random: Pcg32,
    pub(crate) max_entities: usize,
}

impl Hand {
    pub(crate) fn new(seed: u64, max_entities: usize) -> Self {
        Self { random: Pcg32::seed_from_u64(seed), max_entities }
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.random.next_u32() % end
    }

    pub(crate) fn unit(&mut self) -> f32 {
        self.random.next_u32() as f32 / u32::MAX as f32
    }

    pub(crate) fn any(&mut self, world: &GameState) -> Entity {
        let count = world.entity_count() as u32;
        if count == 0 {
            return Entity::NONE;
        }
        let at = self.below(count) as usize;
        world.entities().nth(at).expect("below the count")
    }

    /// One tick's worth of changes; `changes` of them.
    pub(crate) fn play(&mut self, world: &mut GameState, changes: usize) {
        for _ in 0..changes {
            let entity = self.any(world);
            match self.below(18) {
                0..=1 if world.entity_count() < self.max_entities => {
                    let created = world.create_entity().expect("room");
                    self.dress(world, created);
                }
                2 if world.contains(entity) => world.destroy_entity(entity).expect("alive"),
                3 if world.contains(entity) => {
                    world.entity_mut(entity).expect("alive").del_health();
                }
                4 if world.contains(entity) => {
                    let hp = self.below(1001) as i32;
                    let armor = self.random.next_u32();
                    world.entity_mut(entity).expect("alive").add_health(hp, armor);
                }
                5 if world.contains(entity) => {
                    let mut entity = world.entity_mut(entity).expect("alive");
                    if entity.del_tag().is_none() {
                        entity.add_tag();
                    }
                }
                6 => {
                    let target = self.any(world);
                    if let Ok(mut entity) = world.entity_mut(entity) {
                        entity.add_link(target, Some(target));
                    }
                }
                7 => {
                    let (wide, exact) = (self.random.next_u64(), self.unit());
                    if let Ok(mut entity) = world.entity_mut(entity) {
                        entity.add_number(wide, wide as i64, exact);
                    }
                }
                8 => {
                    let slots = std::array::from_fn(|_| self.below(11) as i8 - 5);
                    if let Ok(mut entity) = world.entity_mut(entity) {
                        entity.add_inventory(slots, slots[0] > 0);
                    }
                }
                16..=17 => {
                    let unit = self.unit_of(world);
                    if let Ok(mut entity) = world.entity_mut(entity) {
                        entity.add(unit);
                    }
                }
                9 => {
                    let text = [self.below(256) as u8; 8];
                    if let Ok(mut entity) = world.entity_mut(entity) {
                        entity.add_note(text);
                    }
                }
                _ => {
                    let step: [f32; 3] = std::array::from_fn(|_| self.unit() - 0.5);
                    if let Some(position) = world.positions.get_mut(entity) {
                        for (at, step) in position.at.iter_mut().zip(step) {
                            *at = (*at + step).clamp(-512.0, 512.0);
                        }
                        position.yaw += step[0];
                    }
                }
            }
        }
    }

    fn unit_of(&mut self, world: &GameState) -> Unit {
        let mut unit =
            Unit { name: Text::cut(&"Zoë 2000"[..self.below(3) as usize * 4]), ..Unit::default() };
        unit.rank = Some(self.below(8) as u8).filter(|rank| *rank < 7);
        for _ in 0..self.below(4) {
            let order = match self.below(3) {
                0 => Task::Wait,
                1 => Task::Walk { by: self.unit() * 20.0 - 10.0 },
                _ => {
                    Task::Fire(Some(self.any(world)).filter(|entity| !entity.is_none()), self.below(4) as u8)
                }
            };
            unit.orders.push(order).expect("room for three");
        }
        if self.below(2) == 0 {
            unit.turn = std::array::from_fn(|_| self.unit() - 0.5);
        }
        unit
    }

    /// Gives an entity some components.
    pub(crate) fn dress(&mut self, world: &mut GameState, entity: Entity) {
        let at = std::array::from_fn(|_| self.unit() * 1000.0 - 500.0);
        let (yaw, hp) = (self.unit() * 6.0 - 3.0, self.below(1001) as i32);
        let mut entity = world.entity_mut(entity).expect("alive");
        entity.add_position(at, yaw);
        if hp % 2 == 0 {
            entity.add_health(hp, 7);
        }
        if hp % 3 == 0 {
            entity.add_guard(hp as u16);
        }
    }

    /// A world of `count` entities.
    pub(crate) fn fill(&mut self, world: &mut GameState, count: usize) {
        for _ in 0..count {
            let entity = world.create_entity().expect("room");
            self.dress(world, entity);
        }
    }
}

/// What must be equal on both sides, once everything has arrived: all that is sent, quantized.
#[track_caller]
pub(crate) fn assert_follows(server: &mut GameState, client: &mut GameState) {
    use ecs_runtime::Tick;
    use ecs_runtime::codec::Layout;
    use ecs_runtime::snapshot::History;
    let hash = |world: &mut GameState| {
        let mut history = History::new(Layout::new(GameState::SCHEMA), 2);
        let mut copy = world.clone();
        history.capture(&mut copy, Tick(1));
        history.latest().expect("captured").hash()
    };
    assert_eq!(hash(server), hash(client), "the client's world, quantized again, is the server's");
    let ids = |world: &GameState| world.entities().collect::<Vec<_>>();
    assert_eq!(ids(server), ids(client));
}
