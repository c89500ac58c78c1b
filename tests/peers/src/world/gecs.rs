//! gecs: archetypes that are known when it is compiled, with typed handles.
//!
//! - Iteration and look-ups are by `ecs_iter!` and `ecs_find!`. Where one archetype refers to another, each slice is borrowed
//!   once and handles are resolved to places in it, which saves a check of borrows for each.
//! - Nothing can be added to an entity: those who burn or are invincible are in archetypes of their own, made so from the
//!   start.
//! - A reset destroys one by one; there is nothing else.
//! - It has no copy of a world, and no change tracking.

// What `ecs_world!` writes is public, and so must be what it names.
#![allow(unreachable_pub)]

use ::gecs::prelude::*;

use self::world::prelude::*;
use super::side::{Operation, Side, Timed};
use super::values::{self, Vec3, step};

mod world {
    pub(crate) mod prelude {
        use super::super::{Burning, Damage, Health, Invincible, Position, Target, Velocity};
        use ::gecs::prelude::*;

        ecs_world! {
            ecs_archetype!(Plain, dyn, Position, Velocity, Health);
            ecs_archetype!(Burner, dyn, Position, Velocity, Health, Burning);
            ecs_archetype!(Follower, dyn, Position, Velocity, Health, Target);
            ecs_archetype!(Immortal, dyn, Position, Velocity, Health, Invincible);
            ecs_archetype!(Hit, dyn, Damage);
        }
    }
}

/// A gecs world that does an operation.
pub(crate) fn side(operation: Operation, count: usize) -> Option<Box<dyn Timed>> {
    Some(match operation {
        Operation::IterateOne(_) => Side::boxed(
            Bodies::filled(count),
            |Bodies { world, .. }| {
                ecs_iter!(world, |health: &mut Health| {
                    health.0 -= 1;
                });
                0
            },
            Bodies::digest,
        ),
        Operation::IterateTwo(_) => Side::boxed(
            Bodies::filled(count),
            |Bodies { world, .. }| {
                ecs_iter!(world, |position: &mut Position, velocity: &Velocity| {
                    step(&mut position.0, &velocity.0);
                });
                0
            },
            Bodies::digest,
        ),
        Operation::IterateThree(_) => Side::boxed(
            Bodies::filled(count),
            |Bodies { world, .. }| {
                ecs_iter!(world, |position: &mut Position, velocity: &Velocity, health: &mut Health| {
                    step(&mut position.0, &velocity.0);
                    health.0 -= 1;
                });
                0
            },
            Bodies::digest,
        ),
        Operation::Create(_) => {
            Side::prepared(Bodies::filled(count), Bodies::destroy_all, Bodies::create_all, Bodies::digest)
        }
        Operation::CreateDestroy => Side::prepared(
            Bodies::filled(count),
            Bodies::destroy_all,
            |bodies| {
                let created = bodies.create_all();
                bodies.destroy_all();
                created
            },
            |bodies| bodies.handles.len() as u64,
        ),
        Operation::Reset => Side::prepared(
            Bodies::filled(count),
            |bodies| {
                bodies.destroy_all();
                bodies.create_all();
            },
            |Bodies { world, handles, .. }| {
                for &entity in handles.iter().rev() {
                    world.destroy(entity);
                }
                0
            },
            |Bodies { world, handles, .. }| {
                handles.iter().filter(|&&entity| world.plain.resolve(entity).is_some()).count() as u64
            },
        ),
        Operation::Get => {
            let mut bodies = Bodies::filled(count);
            bodies.handles = values::in_random_order(&bodies.handles);
            Side::boxed(
                bodies,
                |Bodies { world, handles, .. }| {
                    let found = handles.iter().filter_map(|&entity| {
                        ecs_find!(world, entity, |position: &Position| values::found(&position.0))
                    });
                    values::sum(found)
                },
                Bodies::digest,
            )
        }
        Operation::Join => Side::boxed(
            burning(count),
            |Bodies { world, .. }| {
                ecs_iter!(world, |health: &mut Health, burning: &Burning| {
                    health.0 -= burning.0;
                });
                0
            },
            Bodies::digest,
        ),
        Operation::JoinByReference => Side::boxed(
            following(count),
            |Bodies { world, .. }| {
                let follower = world.archetype::<Follower>();
                let positions = follower.borrow_slice::<Position>();
                let targets = follower.borrow_slice::<Target>();
                let found = targets.iter().filter_map(|target| follower.resolve(target.0?));
                values::sum(found.map(|place| values::found(&positions[place].0)))
            },
            Bodies::digest,
        ),
        Operation::Damage(_) => Side::boxed(with_hits(count), damage, Bodies::digest),
        Operation::AddRemove | Operation::Copy(_) | Operation::Change | Operation::Touch => return None,
    })
}

/// Where a body is.
pub struct Position(Vec3);
/// How a body moves.
pub struct Velocity(Vec3);
/// Hit points.
pub struct Health(i32);
/// Hit points lost per tick.
pub struct Burning(i32);
/// Whom a body follows; none while the world is being filled.
pub struct Target(Option<Entity<Follower>>);
/// A tag.
pub struct Invincible;
/// A hit to be applied.
pub struct Damage {
    amount: u32,
    victim: EntityAny,
    _source: EntityAny,
}

fn body(i: usize) -> (Position, Velocity, Health) {
    let (position, velocity, hp) = values::body(i);
    (Position(position), Velocity(velocity), Health(hp))
}

struct Bodies {
    world: EcsWorld,
    /// Of plain bodies that are alive, in the order of creation.
    handles: Vec<Entity<Plain>>,
    count: usize,
}

impl Bodies {
    fn empty(count: usize) -> Self {
        Self { world: EcsWorld::default(), handles: Vec::new(), count }
    }

    fn filled(count: usize) -> Self {
        let mut bodies = Self::empty(count);
        bodies.create_all();
        bodies
    }

    fn create_all(&mut self) -> u64 {
        let Self { world, handles, count } = self;
        handles.extend((0..*count).map(|i| world.create::<Plain>(body(i))));
        handles.len() as u64
    }

    fn destroy_all(&mut self) {
        while let Some(entity) = self.handles.pop() {
            self.world.destroy(entity);
        }
    }

    fn digest(&mut self) -> u64 {
        let Self { world, .. } = self;
        let mut sum = 0_u64;
        ecs_iter!(world, |position: &Position, velocity: &Velocity, health: &Health| {
            sum = sum.wrapping_add(values::digest(&position.0, &velocity.0, health.0));
        });
        sum
    }
}

fn burning(count: usize) -> Bodies {
    let mut bodies = Bodies::empty(count);
    for i in 0..count {
        let (position, velocity, health) = body(i);
        match values::burning(i) {
            Some(per_tick) => {
                bodies.world.create::<Burner>((position, velocity, health, Burning(per_tick)));
            }
            None => {
                bodies.world.create::<Plain>((position, velocity, health));
            }
        }
    }
    bodies
}

fn following(count: usize) -> Bodies {
    let mut bodies = Bodies::empty(count);
    let create = |i| {
        let (position, velocity, health) = body(i);
        bodies.world.create::<Follower>((position, velocity, health, Target(None)))
    };
    let followers: Vec<Entity<Follower>> = (0..count).map(create).collect();
    let targets = bodies.world.archetype_mut::<Follower>().get_slice_mut::<Target>();
    for (target, of) in targets.iter_mut().zip(values::in_random_order(&followers)) {
        target.0 = Some(of);
    }
    bodies
}

/// Bodies, some of them invincible, and as many hits.
fn with_hits(count: usize) -> Bodies {
    let mut bodies = Bodies::empty(count);
    let all: Vec<EntityAny> = (0..count)
        .map(|i| {
            let (position, velocity, health) = body(i);
            if values::is_invincible(i) {
                bodies.world.create::<Immortal>((position, velocity, health, Invincible)).into()
            } else {
                bodies.world.create::<Plain>((position, velocity, health)).into()
            }
        })
        .collect();
    for (i, victim) in values::in_random_order(&all).into_iter().enumerate() {
        let damage = Damage { amount: values::damage(i), victim, _source: all[0] };
        bodies.world.create::<Hit>((damage,));
    }
    bodies
}

/// Who is invincible is of another archetype, which the handle tells.
fn damage(Bodies { world, .. }: &mut Bodies) -> u64 {
    let (hits, plain) = (world.archetype::<Hit>(), world.archetype::<Plain>());
    let mut healths = plain.borrow_slice_mut::<Health>();
    for damage in hits.borrow_slice::<Damage>().iter() {
        let Ok(victim) = Entity::<Plain>::try_from(damage.victim) else { continue };
        if let Some(place) = plain.resolve(victim) {
            let health = &mut healths[place];
            health.0 = values::after_hit(health.0, damage.amount);
        }
    }
    0
}
