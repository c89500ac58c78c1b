//! The generated state, of components that are `#[component(tracked)]`.
//!
//! Tracking does its work when a tick ends: until then, a table notes what was touched, which it does anyway. So the rows
//! without the end of a tick show that tracking costs nothing there, and those with it what it costs.

use arena_tracked::{Ammo, GameState, Heading, Health, Position, Target, Velocity};
use ecs_runtime::Tick;
use ecs_runtime::prelude::*;

use super::side::{Operation, Side, Timed, Tracking};
use super::values;

/// The generated state that does an operation and keeps track of it.
pub(crate) fn side(operation: Operation, count: usize) -> Option<Box<dyn Timed>> {
    Some(match operation {
        Operation::Create(Tracking::On) => Side::prepared(
            Bodies::filled(count),
            |bodies| {
                bodies.destroy_all();
                bodies.state.end_tick();
            },
            Bodies::create_all,
            Bodies::digest,
        ),
        Operation::Create(Tracking::EndTick) => Side::prepared(
            Bodies::filled(count),
            |bodies| {
                bodies.destroy_all();
                bodies.state.end_tick();
            },
            |bodies| {
                let created = bodies.create_all();
                bodies.state.end_tick();
                created
            },
            Bodies::digest,
        ),
        Operation::Copy(Tracking::On) => Side::boxed(
            Copies::new(count),
            |copies| {
                copies.to.state.copy_from(&copies.from.state);
                0
            },
            Copies::digest,
        ),
        Operation::Copy(Tracking::EndTick) => Side::boxed(
            Copies::new(count),
            |copies| {
                copies.to.state.copy_from(&copies.from.state);
                copies.to.state.end_tick();
                0
            },
            Copies::digest,
        ),
        Operation::Change => Side::boxed(
            Bodies::filled(count),
            |Bodies { state, .. }| {
                for (_, health) in &mut state.healths {
                    health.hp -= 1;
                }
                state.end_tick();
                0
            },
            Bodies::digest_with_changes,
        ),
        Operation::Touch => Side::boxed(
            Bodies::filled(count),
            |Bodies { state, .. }| {
                for (_, health) in &mut state.healths {
                    health.hp = health.hp.max(0);
                }
                state.end_tick();
                0
            },
            Bodies::digest_with_changes,
        ),
        _ => return None,
    })
}

struct Bodies {
    state: GameState,
    /// Of those who are alive, in the order of creation.
    handles: Vec<Entity>,
    count: usize,
}

impl Bodies {
    fn filled(count: usize) -> Self {
        let mut bodies = Self { state: GameState::default(), handles: Vec::new(), count };
        bodies.create_all();
        bodies.state.end_tick();
        bodies
    }

    fn create_all(&mut self) -> u64 {
        let Self { state, handles, count } = self;
        handles.extend((0..*count).map(|i| {
            let (at, by, hp) = values::body(i);
            state.spawn((Position { at }, Velocity { by }, Health { hp })).unwrap_or(Entity::NONE)
        }));
        handles.len() as u64
    }

    fn destroy_all(&mut self) {
        while let Some(entity) = self.handles.pop() {
            let _ = self.state.destroy_entity(entity);
        }
    }

    fn digest(&mut self) -> u64 {
        let GameState { positions, velocities, healths, .. } = &self.state;
        let bodies = (positions, velocities, healths).iter();
        values::sum(
            bodies.map(|(_, Position { at }, Velocity { by }, Health { hp })| values::digest(at, by, *hp)),
        )
    }

    /// With how many changed in the last tick.
    fn digest_with_changes(&mut self) -> u64 {
        let healths = &self.state.healths;
        let since = Tick(self.state.ids().tick().0 - 1);
        let changed = healths.changed(since).expect("the last tick is remembered");
        let changed = healths.filter(changed).iter().count();
        self.digest().wrapping_add(changed as u64)
    }
}

/// Two states of six components.
struct Copies {
    from: Bodies,
    to: Bodies,
}

impl Copies {
    fn new(count: usize) -> Self {
        let wide = || {
            let mut bodies = Bodies::filled(count);
            let targets = values::in_random_order(&bodies.handles);
            for ((i, &entity), target) in bodies.handles.iter().enumerate().zip(targets) {
                let mut entity = bodies.state.entity_mut(entity).expect("all bodies are alive");
                entity.add(Heading { yaw: values::yaw(i) });
                entity.add(Ammo { rounds: values::rounds(i) });
                entity.add(Target { entity: target });
            }
            bodies.state.end_tick();
            bodies
        };
        Self { from: wide(), to: wide() }
    }

    fn digest(&mut self) -> u64 {
        let GameState { positions, headings, ammos, targets, .. } = &self.to.state;
        let others = (headings, ammos, targets).iter().filter_map(|(_, heading, ammo, target)| {
            let target = positions.get(target.entity)?;
            Some(values::digest_gear(heading.yaw, ammo.rounds).wrapping_add(values::found(&target.at)))
        });
        let others = values::sum(others);
        self.to.digest().wrapping_add(others)
    }
}
