//! hecs: archetypes that are made as entities need them.
//!
//! - Iteration is by `PreparedQuery::query_mut`, which its documentation has for queries that are made again and again, and
//!   which checks no borrows at run time; look-ups are by a view of one.
//! - Creation is by `spawn_batch`, "more efficient than spawning one by one"; where entities are destroyed in turn, by
//!   `spawn`.
//! - `World::clear` starts generations anew, so that old handles are taken for new entities. A reset that rejects them
//!   destroys one by one.
//! - It has no copy of a world with its ids, and no change tracking.

use ::hecs::{Entity, PreparedQuery, World};

use super::side::{Operation, Side, Timed};
use super::values::{self, ADDED, Vec3, step};

/// A hecs world that does an operation.
pub(crate) fn side(operation: Operation, count: usize) -> Option<Box<dyn Timed>> {
    Some(match operation {
        Operation::IterateOne(_) => Side::boxed(
            (Bodies::filled(count), PreparedQuery::<&mut Health>::new()),
            |(bodies, query)| {
                query.query_mut(&mut bodies.world).for_each(|health| health.0 -= 1);
                0
            },
            |(bodies, _)| bodies.digest(),
        ),
        Operation::IterateTwo(_) => Side::boxed(
            (Bodies::filled(count), PreparedQuery::<(&mut Position, &Velocity)>::new()),
            |(bodies, query)| {
                let found = query.query_mut(&mut bodies.world);
                found.for_each(|(position, velocity)| step(&mut position.0, &velocity.0));
                0
            },
            |(bodies, _)| bodies.digest(),
        ),
        Operation::IterateThree(_) => Side::boxed(
            (Bodies::filled(count), PreparedQuery::<(&mut Position, &Velocity, &mut Health)>::new()),
            |(bodies, query)| {
                query.query_mut(&mut bodies.world).for_each(|(position, velocity, health)| {
                    step(&mut position.0, &velocity.0);
                    health.0 -= 1;
                });
                0
            },
            |(bodies, _)| bodies.digest(),
        ),
        Operation::Create(_) => Side::prepared(
            Bodies::filled(count),
            Bodies::destroy_all,
            |Bodies { world, handles, count }| {
                handles.extend(world.spawn_batch((0..*count).map(body)));
                handles.len() as u64
            },
            Bodies::digest,
        ),
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
                    let _ = world.despawn(entity);
                }
                0
            },
            |bodies| bodies.handles.iter().filter(|&&entity| bodies.world.contains(entity)).count() as u64,
        ),
        Operation::Get => {
            let mut bodies = Bodies::filled(count);
            bodies.handles = values::in_random_order(&bodies.handles);
            Side::boxed(
                (bodies, PreparedQuery::<&Position>::new()),
                |(Bodies { world, handles, .. }, query)| {
                    let view = query.view_mut(world);
                    let found = handles.iter().filter_map(|&entity| view.get(entity));
                    values::sum(found.map(|position| values::found(&position.0)))
                },
                |(bodies, _)| bodies.digest(),
            )
        }
        Operation::AddRemove => Side::boxed(Bodies::filled(count), add_remove, Bodies::digest),
        Operation::Join => {
            let mut bodies = Bodies::filled(count);
            let burning = (0..count).filter_map(|i| Some((i, values::burning(i)?)));
            burning.for_each(|(i, per_tick)| bodies.insert(i, Burning(per_tick)));
            Side::boxed(
                (bodies, PreparedQuery::<(&mut Health, &Burning)>::new()),
                |(bodies, query)| {
                    let found = query.query_mut(&mut bodies.world);
                    found.for_each(|(health, burning)| health.0 -= burning.0);
                    0
                },
                |(bodies, _)| bodies.digest(),
            )
        }
        Operation::JoinByReference => {
            let mut bodies = Bodies::filled(count);
            let targets = values::in_random_order(&bodies.handles);
            targets.into_iter().enumerate().for_each(|(i, target)| bodies.insert(i, Target(target)));
            Side::boxed(bodies, join_by_reference, Bodies::digest)
        }
        Operation::Damage(_) => Side::boxed(with_hits(count), damage, Bodies::digest),
        Operation::Copy(_) | Operation::Change | Operation::Touch => return None,
    })
}

struct Position(Vec3);
struct Velocity(Vec3);
struct Health(i32);
struct Burning(i32);
struct Target(Entity);
struct Invincible;
struct Damage {
    amount: u32,
    victim: Entity,
    _source: Entity,
}

fn body(i: usize) -> (Position, Velocity, Health) {
    let (position, velocity, hp) = values::body(i);
    (Position(position), Velocity(velocity), Health(hp))
}

struct Bodies {
    world: World,
    /// Of those who are alive, in the order of creation.
    handles: Vec<Entity>,
    count: usize,
}

impl Bodies {
    fn filled(count: usize) -> Self {
        let mut bodies = Self { world: World::new(), handles: Vec::new(), count };
        bodies.create_all();
        bodies
    }

    fn create_all(&mut self) -> u64 {
        let Self { world, handles, count } = self;
        handles.extend((0..*count).map(|i| world.spawn(body(i))));
        handles.len() as u64
    }

    fn destroy_all(&mut self) {
        while let Some(entity) = self.handles.pop() {
            let _ = self.world.despawn(entity);
        }
    }

    fn insert(&mut self, i: usize, component: impl ::hecs::Component) {
        self.world.insert_one(self.handles[i], component).expect("all bodies are alive");
    }

    fn digest(&mut self) -> u64 {
        let bodies = self.world.query_mut::<(&Position, &Velocity, &Health)>().into_iter();
        values::sum(
            bodies.map(|(position, velocity, health)| values::digest(&position.0, &velocity.0, health.0)),
        )
    }
}

fn add_remove(Bodies { world, handles, .. }: &mut Bodies) -> u64 {
    for &entity in &*handles {
        let _ = world.insert_one(entity, Burning(ADDED));
    }
    let removed = handles.iter().filter_map(|&entity| world.remove_one::<Burning>(entity).ok());
    values::sum(removed.map(|burning| burning.0 as u64))
}

fn join_by_reference(Bodies { world, .. }: &mut Bodies) -> u64 {
    let positions = world.view::<&Position>();
    let mut targets = world.query::<&Target>();
    let found = targets.iter().filter_map(|target| positions.get(target.0));
    values::sum(found.map(|position| values::found(&position.0)))
}

/// Bodies, some of them invincible, and as many hits.
fn with_hits(count: usize) -> Bodies {
    let mut bodies = Bodies::filled(count);
    (0..count).filter(|&i| values::is_invincible(i)).for_each(|i| bodies.insert(i, Invincible));
    let victims = values::in_random_order(&bodies.handles).into_iter().enumerate();
    let source = bodies.handles[0];
    let hits = victims.map(|(i, victim)| (Damage { amount: values::damage(i), victim, _source: source },));
    let _ = bodies.world.spawn_batch(hits.collect::<Vec<_>>()).count();
    bodies
}

fn damage(Bodies { world, .. }: &mut Bodies) -> u64 {
    // A victim that is invincible does not match.
    let mut vulnerable = world.query::<&mut Health>().without::<&Invincible>();
    let mut vulnerable = vulnerable.view();
    for damage in &mut world.query::<&Damage>() {
        if let Some(health) = vulnerable.get_mut(damage.victim) {
            health.0 = values::after_hit(health.0, damage.amount);
        }
    }
    0
}
