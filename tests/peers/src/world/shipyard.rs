//! shipyard: a sparse set for each component.
//!
//! - Views are borrowed once for each pass, as its guide does in systems; iteration and look-ups go through them.
//! - Creation is by `bulk_add_entity`; where entities are destroyed in turn, by `add_entity` and `delete_entity`.
//! - A reset is `World::clear`. A copy is `clone_storages_to`, which takes ids along, and what is added counts as inserted; it
//!   allocates.
//! - Its tracking is switched off, and is not measured.

use ::shipyard::sparse_set::SparseSet;
use ::shipyard::{
    AllStoragesViewMut, Component, EntitiesViewMut, EntityId, Get, IntoIter, Remove, View, ViewMut, World,
};

use super::side::{Operation, Side, Timed, Tracking};
use super::values::{self, ADDED, Vec3, step};

/// A shipyard world that does an operation.
pub(crate) fn side(operation: Operation, count: usize) -> Option<Box<dyn Timed>> {
    let bodies = || Bodies::filled(count);
    let iterate = |run| Side::boxed(bodies(), run, Bodies::digest);
    Some(match operation {
        Operation::IterateOne(_) => iterate(hurt),
        Operation::IterateTwo(_) => iterate(advance),
        Operation::IterateThree(_) => iterate(advance_and_hurt),
        Operation::Create(_) => Side::prepared(
            bodies(),
            Bodies::destroy_all,
            |Bodies { world, handles, count }| {
                handles.extend(world.bulk_add_entity((0..*count).map(body)));
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
            |bodies| {
                bodies.world.clear();
                0
            },
            |Bodies { world, handles, .. }| {
                handles.iter().filter(|&&entity| world.is_entity_alive(entity)).count() as u64
            },
        ),
        Operation::Get => {
            let mut bodies = bodies();
            bodies.handles = values::in_random_order(&bodies.handles);
            Side::boxed(
                bodies,
                |Bodies { world, handles, .. }| {
                    let positions = world.borrow::<View<'_, Position>>().expect(FREE);
                    let found = handles.iter().filter_map(|&entity| (&positions).get(entity).ok());
                    values::sum(found.map(|position| values::found(&position.0)))
                },
                Bodies::digest,
            )
        }
        Operation::AddRemove => Side::boxed(bodies(), add_remove, Bodies::digest),
        Operation::Join => {
            let mut bodies = bodies();
            let burning = (0..count).filter_map(|i| Some((i, values::burning(i)?)));
            burning
                .for_each(|(i, per_tick)| bodies.world.add_component(bodies.handles[i], Burning(per_tick)));
            Side::boxed(bodies, join, Bodies::digest)
        }
        Operation::JoinByReference => {
            let mut bodies = bodies();
            bodies.add_targets();
            Side::boxed(bodies, join_by_reference, Bodies::digest)
        }
        Operation::Copy(Tracking::Off) => Side::boxed(Copies::new(count), Copies::copy, Copies::digest),
        Operation::Damage(_) => Side::boxed(with_hits(count), damage, Bodies::digest),
        Operation::Copy(_) | Operation::Change | Operation::Touch => return None,
    })
}

const FREE: &str = "nothing else is borrowed";

#[derive(Clone, Component)]
struct Position(Vec3);
#[derive(Clone, Component)]
struct Velocity(Vec3);
#[derive(Clone, Component)]
struct Health(i32);
#[derive(Clone, Component)]
struct Heading(f32);
#[derive(Clone, Component)]
struct Ammo(u32);
#[derive(Clone, Component)]
struct Target(EntityId);
#[derive(Component)]
struct Burning(i32);
#[derive(Component)]
struct Invincible;
#[derive(Component)]
struct Damage {
    amount: u32,
    victim: EntityId,
    _source: EntityId,
}

fn body(i: usize) -> (Position, Velocity, Health) {
    let (position, velocity, hp) = values::body(i);
    (Position(position), Velocity(velocity), Health(hp))
}

struct Bodies {
    world: World,
    /// Of those who are alive, in the order of creation.
    handles: Vec<EntityId>,
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
        handles.extend((0..*count).map(|i| world.add_entity(body(i))));
        handles.len() as u64
    }

    fn destroy_all(&mut self) {
        while let Some(entity) = self.handles.pop() {
            self.world.delete_entity(entity);
        }
    }

    fn add_targets(&mut self) {
        let targets = values::in_random_order(&self.handles);
        for (&entity, target) in self.handles.iter().zip(targets) {
            self.world.add_component(entity, Target(target));
        }
    }

    fn digest(&mut self) -> u64 {
        let healths = self.world.borrow::<View<'_, Health>>().expect(FREE);
        let (positions, velocities) =
            self.world.borrow::<(View<'_, Position>, View<'_, Velocity>)>().expect(FREE);
        let bodies = (&positions, &velocities, &healths).iter();
        values::sum(
            bodies.map(|(position, velocity, health)| values::digest(&position.0, &velocity.0, health.0)),
        )
    }
}

fn hurt(Bodies { world, .. }: &mut Bodies) -> u64 {
    let mut healths = world.borrow::<ViewMut<'_, Health>>().expect(FREE);
    (&mut healths).iter().for_each(|health| health.0 -= 1);
    0
}

fn advance(Bodies { world, .. }: &mut Bodies) -> u64 {
    let (mut positions, velocities) =
        world.borrow::<(ViewMut<'_, Position>, View<'_, Velocity>)>().expect(FREE);
    let bodies = (&mut positions, &velocities).iter();
    bodies.for_each(|(position, velocity)| step(&mut position.0, &velocity.0));
    0
}

fn advance_and_hurt(Bodies { world, .. }: &mut Bodies) -> u64 {
    let (mut positions, velocities, mut healths) =
        world.borrow::<(ViewMut<'_, Position>, View<'_, Velocity>, ViewMut<'_, Health>)>().expect(FREE);
    (&mut positions, &velocities, &mut healths).iter().for_each(|(position, velocity, health)| {
        step(&mut position.0, &velocity.0);
        health.0 -= 1;
    });
    0
}

fn add_remove(Bodies { world, handles, .. }: &mut Bodies) -> u64 {
    let (entities, mut burning) = world.borrow::<(EntitiesViewMut<'_>, ViewMut<'_, Burning>)>().expect(FREE);
    for &entity in &*handles {
        entities.add_component(entity, &mut burning, Burning(ADDED));
    }
    let removed = handles.iter().filter_map(|&entity| burning.remove(entity));
    values::sum(removed.map(|burning| burning.0 as u64))
}

fn join(Bodies { world, .. }: &mut Bodies) -> u64 {
    let (mut healths, burning) = world.borrow::<(ViewMut<'_, Health>, View<'_, Burning>)>().expect(FREE);
    (&mut healths, &burning).iter().for_each(|(health, burning)| health.0 -= burning.0);
    0
}

fn join_by_reference(Bodies { world, .. }: &mut Bodies) -> u64 {
    let (positions, targets) = world.borrow::<(View<'_, Position>, View<'_, Target>)>().expect(FREE);
    let found = (&targets).iter().filter_map(|target| (&positions).get(target.0).ok());
    values::sum(found.map(|position| values::found(&position.0)))
}

/// Bodies, some of them invincible, and as many hits.
fn with_hits(count: usize) -> Bodies {
    let mut bodies = Bodies::filled(count);
    let Bodies { world, handles, .. } = &mut bodies;
    (0..count)
        .filter(|&i| values::is_invincible(i))
        .for_each(|i| world.add_component(handles[i], Invincible));
    for (i, victim) in values::in_random_order(handles).into_iter().enumerate() {
        world.add_entity(Damage { amount: values::damage(i), victim, _source: handles[0] });
    }
    bodies
}

fn damage(Bodies { world, .. }: &mut Bodies) -> u64 {
    let (damages, invincible, mut healths) =
        world.borrow::<(View<'_, Damage>, View<'_, Invincible>, ViewMut<'_, Health>)>().expect(FREE);
    for damage in (&damages).iter() {
        if invincible.contains(damage.victim) {
            continue;
        }
        if let Ok(mut health) = (&mut healths).get(damage.victim) {
            health.0 = values::after_hit(health.0, damage.amount);
        }
    }
    0
}

/// Two worlds of six components.
struct Copies {
    from: Bodies,
    to: Bodies,
}

impl Copies {
    fn new(count: usize) -> Self {
        let wide = || {
            let mut bodies = Bodies::filled(count);
            bodies.add_targets();
            let Bodies { world, handles, .. } = &mut bodies;
            for (i, &entity) in handles.iter().enumerate() {
                world.add_component(entity, (Heading(values::yaw(i)), Ammo(values::rounds(i))));
            }
            world.register_clone::<(SparseSet<Position>, SparseSet<Velocity>, SparseSet<Health>)>();
            world.register_clone::<(SparseSet<Heading>, SparseSet<Ammo>, SparseSet<Target>)>();
            bodies
        };
        Self { from: wide(), to: wide() }
    }

    fn copy(&mut self) -> u64 {
        let Self { from, to } = self;
        let from = from.world.borrow::<AllStoragesViewMut<'_>>().expect(FREE);
        let mut to = to.world.borrow::<AllStoragesViewMut<'_>>().expect(FREE);
        from.clone_storages_to(&mut to);
        0
    }

    fn digest(&mut self) -> u64 {
        let bodies = self.to.digest();
        let world = &self.to.world;
        let positions = world.borrow::<View<'_, Position>>().expect(FREE);
        let (headings, ammos, targets) =
            world.borrow::<(View<'_, Heading>, View<'_, Ammo>, View<'_, Target>)>().expect(FREE);
        let others = (&headings, &ammos, &targets).iter().filter_map(|(heading, ammo, target)| {
            let target = (&positions).get(target.0).ok()?;
            Some(values::digest_gear(heading.0, ammo.0).wrapping_add(values::found(&target.0)))
        });
        bodies.wrapping_add(values::sum(others))
    }
}
