//! bevy_ecs: archetypes, change ticks for every component, and queries with a state that is kept.
//!
//! - Iteration is by `contiguous_iter_mut`, the slices of a table, with `bypass_change_detection`, which its documentation has
//!   for less work; the row of changes is without it. What is joined is iterated in the same way.
//! - Creation is by `spawn_batch`, "more efficient than spawning one by one"; where entities are destroyed in turn, by
//!   `spawn`.
//! - What is added and removed is stored in a sparse set, as its documentation says; the rest in tables.
//! - `clear_entities` starts generations anew. A reset that rejects old handles destroys one by one.
//! - A component counts as changed when it was borrowed mutably: touching without changing cannot be told apart. It has no
//!   copy of a world with its ids.
//!
//! Components are implemented by hand, which says what a derive would: the derive macro finds the engine that
//! bevy_replicon builds on, and names the traits of that one.

use bevy_ecs_latest::component::{Mutable, StorageType};
use bevy_ecs_latest::prelude::{
    Changed, Component, DetectChangesMut, Entity, Query, QueryState, Without, World,
};
use bevy_ecs_latest::system::SystemState;

use super::side::{Operation, Side, Timed};
use super::values::{self, ADDED, Vec3, step};

/// A bevy_ecs world that does an operation.
pub(crate) fn side(operation: Operation, count: usize) -> Option<Box<dyn Timed>> {
    let bodies = || Bodies::filled(count);
    Some(match operation {
        Operation::IterateOne(_) => Side::boxed(
            bodies().querying::<&mut Health>(),
            |(bodies, query)| {
                for mut healths in query.contiguous_iter_mut(&mut bodies.world).expect(DENSE) {
                    healths.bypass_change_detection().iter_mut().for_each(|health| health.0 -= 1);
                }
                0
            },
            |(bodies, _)| bodies.digest(),
        ),
        Operation::IterateTwo(_) => Side::boxed(
            bodies().querying::<(&mut Position, &Velocity)>(),
            |(bodies, query)| {
                for (mut positions, velocities) in query.contiguous_iter_mut(&mut bodies.world).expect(DENSE)
                {
                    let positions = positions.bypass_change_detection().iter_mut();
                    positions
                        .zip(velocities)
                        .for_each(|(position, velocity)| step(&mut position.0, &velocity.0));
                }
                0
            },
            |(bodies, _)| bodies.digest(),
        ),
        Operation::IterateThree(_) => Side::boxed(
            bodies().querying::<(&mut Position, &Velocity, &mut Health)>(),
            |(bodies, query)| {
                let found = query.contiguous_iter_mut(&mut bodies.world).expect(DENSE);
                for (mut positions, velocities, mut healths) in found {
                    let positions = positions.bypass_change_detection().iter_mut();
                    let healths = healths.bypass_change_detection().iter_mut();
                    for ((position, velocity), health) in positions.zip(velocities).zip(healths) {
                        step(&mut position.0, &velocity.0);
                        health.0 -= 1;
                    }
                }
                0
            },
            |(bodies, _)| bodies.digest(),
        ),
        Operation::Create(_) => Side::prepared(
            bodies(),
            Bodies::destroy_all,
            |Bodies { world, handles, count }| {
                handles.extend(world.spawn_batch((0..*count).map(body)));
                handles.len() as u64
            },
            Bodies::digest,
        ),
        Operation::CreateDestroy => Side::prepared(
            bodies(),
            Bodies::destroy_all,
            |bodies| {
                let created = bodies.create_all();
                bodies.destroy_all();
                created
            },
            |bodies| bodies.handles.len() as u64,
        ),
        Operation::Reset => Side::prepared(
            bodies(),
            |bodies| {
                bodies.destroy_all();
                bodies.create_all();
            },
            |Bodies { world, handles, .. }| {
                for &entity in handles.iter().rev() {
                    world.despawn(entity);
                }
                0
            },
            |bodies| {
                let alive = bodies.handles.iter().filter(|&&entity| bodies.world.get_entity(entity).is_ok());
                alive.count() as u64
            },
        ),
        Operation::Get => {
            let mut bodies = bodies();
            bodies.handles = values::in_random_order(&bodies.handles);
            Side::boxed(
                bodies.querying::<&Position>(),
                |(Bodies { world, handles, .. }, query)| {
                    let positions = query.query(world);
                    let found = handles.iter().filter_map(|&entity| positions.get(entity).ok());
                    values::sum(found.map(|position| values::found(&position.0)))
                },
                |(bodies, _)| bodies.digest(),
            )
        }
        Operation::AddRemove => Side::boxed(bodies(), add_remove, Bodies::digest),
        Operation::Join => {
            let mut bodies = bodies();
            let burning = (0..count).filter_map(|i| Some((i, values::burning(i)?)));
            burning.for_each(|(i, per_tick)| bodies.insert(i, Burning(per_tick)));
            Side::boxed(
                bodies.querying::<(&mut Health, &Burning)>(),
                |(bodies, query)| {
                    for (mut healths, burning) in query.contiguous_iter_mut(&mut bodies.world).expect(DENSE) {
                        let healths = healths.bypass_change_detection().iter_mut();
                        healths.zip(burning).for_each(|(health, burning)| health.0 -= burning.0);
                    }
                    0
                },
                |(bodies, _)| bodies.digest(),
            )
        }
        Operation::JoinByReference => {
            let mut bodies = bodies();
            let targets = values::in_random_order(&bodies.handles);
            targets.into_iter().enumerate().for_each(|(i, target)| bodies.insert(i, Target(target)));
            let (mut bodies, positions) = bodies.querying::<&Position>();
            let targets = bodies.world.query::<&Target>();
            Side::boxed(
                (bodies, positions, targets),
                |(bodies, positions, targets)| {
                    let positions = positions.query(&bodies.world);
                    let targets = targets.query(&bodies.world);
                    let found = targets.iter().filter_map(|target| positions.get(target.0).ok());
                    values::sum(found.map(|position| values::found(&position.0)))
                },
                |(bodies, ..)| bodies.digest(),
            )
        }
        Operation::Change => Side::boxed(
            bodies().querying::<&mut Health>(),
            |(bodies, query)| {
                bodies.world.clear_trackers();
                for mut healths in query.contiguous_iter_mut(&mut bodies.world).expect(DENSE) {
                    healths.iter_mut().for_each(|health| health.0 -= 1);
                }
                0
            },
            |(bodies, _)| {
                let mut changed = bodies.world.query_filtered::<(), Changed<Health>>();
                let changed = changed.iter(&bodies.world).count() as u64;
                bodies.digest().wrapping_add(changed)
            },
        ),
        Operation::Damage(_) => {
            let mut bodies = with_hits(count);
            let hits = Hits::new(&mut bodies.world);
            Side::boxed((bodies, hits), damage, |(bodies, _)| bodies.digest())
        }
        Operation::Copy(_) | Operation::Touch => return None,
    })
}

const DENSE: &str = "components in tables lie in slices";

struct Position(Vec3);
struct Velocity(Vec3);
struct Health(i32);
struct Burning(i32);
struct Stunned(i32);
struct Target(Entity);
struct Invincible;
struct Damage {
    amount: u32,
    victim: Entity,
    _source: Entity,
}

macro_rules! components {
    ($storage:ident: $($component:ident),*) => {
        $(impl Component for $component {
            const STORAGE_TYPE: StorageType = StorageType::$storage;
            type Mutability = Mutable;
        })*
    };
}

components!(Table: Position, Velocity, Health, Burning, Target, Invincible, Damage);
components!(SparseSet: Stunned);

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

    /// With the state of a query.
    fn querying<D: bevy_ecs_latest::query::QueryData>(mut self) -> (Self, QueryState<D>) {
        let query = self.world.query::<D>();
        (self, query)
    }

    fn create_all(&mut self) -> u64 {
        let Self { world, handles, count } = self;
        handles.extend((0..*count).map(|i| world.spawn(body(i)).id()));
        handles.len() as u64
    }

    fn destroy_all(&mut self) {
        while let Some(entity) = self.handles.pop() {
            self.world.despawn(entity);
        }
    }

    fn insert(&mut self, i: usize, component: impl Component) {
        self.world.entity_mut(self.handles[i]).insert(component);
    }

    fn digest(&mut self) -> u64 {
        let mut bodies = self.world.query::<(&Position, &Velocity, &Health)>();
        let bodies = bodies.iter(&self.world);
        values::sum(
            bodies.map(|(position, velocity, health)| values::digest(&position.0, &velocity.0, health.0)),
        )
    }
}

fn add_remove(Bodies { world, handles, .. }: &mut Bodies) -> u64 {
    for &entity in &*handles {
        if let Ok(mut entity) = world.get_entity_mut(entity) {
            entity.insert(Stunned(ADDED));
        }
    }
    let removed = handles.iter().filter_map(|&entity| world.get_entity_mut(entity).ok()?.take::<Stunned>());
    values::sum(removed.map(|stunned| stunned.0 as u64))
}

/// Bodies, some of them invincible, and as many hits.
fn with_hits(count: usize) -> Bodies {
    let mut bodies = Bodies::filled(count);
    (0..count).filter(|&i| values::is_invincible(i)).for_each(|i| bodies.insert(i, Invincible));
    let source = bodies.handles[0];
    for (i, victim) in values::in_random_order(&bodies.handles).into_iter().enumerate() {
        bodies.world.spawn(Damage { amount: values::damage(i), victim, _source: source });
    }
    bodies
}

/// The hits, and who can be hit: two queries at once, as a system has them.
type Hits = SystemState<(
    Query<'static, 'static, &'static Damage>,
    Query<'static, 'static, &'static mut Health, Without<Invincible>>,
)>;

fn damage((bodies, hits): &mut (Bodies, Hits)) -> u64 {
    let (hits, mut vulnerable) = hits.get_mut(&mut bodies.world).expect("queries are always valid");
    for damage in &hits {
        if let Ok(mut health) = vulnerable.get_mut(damage.victim) {
            let health = health.bypass_change_detection();
            health.0 = values::after_hit(health.0, damage.amount);
        }
    }
    0
}
