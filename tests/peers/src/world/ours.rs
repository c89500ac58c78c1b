//! The generated state, by its public functions.
//!
//! Iteration has two forms: blocks of 64 slots, and `for`. What is timed of damage is what the guide shows, and the same as a
//! query by reference. Where changes are kept track of, [`super::tracked`] stands in.

use arena_untracked::{Ammo, Burning, GameState, Heading, Health, Position, Target, Velocity};
use ecs_runtime::prelude::*;

use super::side::{DamageForm, Form, Operation, Side, Timed, Tracking};
use super::tracked;
use super::values::{self, ADDED, step};

/// The generated state that does an operation.
pub(crate) fn side(operation: Operation, count: usize) -> Option<Box<dyn Timed>> {
    let bodies = || Bodies::filled(count);
    let iterate = |run| Side::boxed(bodies(), run, Bodies::digest);
    Some(match operation {
        Operation::IterateOne(Form::Block) => iterate(hurt_blocks),
        Operation::IterateOne(Form::For) => iterate(hurt),
        Operation::IterateTwo(Form::Block) => iterate(advance_blocks),
        Operation::IterateTwo(Form::For) => iterate(advance),
        Operation::IterateThree(Form::Block) => iterate(advance_and_hurt_blocks),
        Operation::IterateThree(Form::For) => iterate(advance_and_hurt),
        Operation::Create(Tracking::Off) => {
            Side::prepared(bodies(), Bodies::destroy_all, Bodies::create_all, Bodies::digest)
        }
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
                bodies.state.reset();
                0
            },
            |bodies| bodies.handles.iter().filter(|&&entity| bodies.state.contains(entity)).count() as u64,
        ),
        Operation::Get => {
            let mut bodies = bodies();
            bodies.handles = values::in_random_order(&bodies.handles);
            Side::boxed(
                bodies,
                |Bodies { state, handles, .. }| {
                    let found = handles.iter().filter_map(|&entity| state.positions.get(entity));
                    values::sum(found.map(|position| values::found(&position.at)))
                },
                Bodies::digest,
            )
        }
        Operation::AddRemove => Side::boxed(bodies(), add_remove, Bodies::digest),
        Operation::Join => {
            let mut bodies = bodies();
            let burning = (0..count).filter_map(|i| Some((i, values::burning(i)?)));
            burning.for_each(|(i, per_tick)| {
                bodies.add(i, Burning { per_tick });
            });
            Side::boxed(bodies, join, Bodies::digest)
        }
        Operation::JoinByReference => {
            let mut bodies = bodies();
            bodies.add_targets();
            Side::boxed(bodies, join_by_reference, Bodies::digest)
        }
        Operation::Copy(Tracking::Off) => Side::boxed(Copies::new(count), Copies::copy, Copies::digest),
        Operation::Damage(DamageForm::For) => Side::boxed(with_hits(count), damage, Bodies::digest),
        Operation::Damage(DamageForm::ByReference) => {
            Side::boxed(with_hits(count), damage_by_reference, Bodies::digest)
        }
        Operation::Create(Tracking::On | Tracking::EndTick)
        | Operation::Copy(Tracking::On | Tracking::EndTick)
        | Operation::Change
        | Operation::Touch => return tracked::side(operation, count),
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

    /// Adds a component to body number `i`.
    fn add<C: ecs_runtime::Component>(&mut self, i: usize, component: C)
    where
        GameState: ecs_runtime::world::HasTable<C>,
    {
        self.state.entity_mut(self.handles[i]).expect("all bodies are alive").add(component);
    }

    fn add_targets(&mut self) {
        let targets = values::in_random_order(&self.handles);
        targets.into_iter().enumerate().for_each(|(i, entity)| self.add(i, Target { entity }));
    }

    fn digest(&mut self) -> u64 {
        let GameState { positions, velocities, healths, .. } = &self.state;
        let bodies = (positions, velocities, healths).iter();
        values::sum(
            bodies.map(|(_, Position { at }, Velocity { by }, Health { hp })| values::digest(at, by, *hp)),
        )
    }
}

fn hurt_blocks(Bodies { state, .. }: &mut Bodies) -> u64 {
    (&mut state.healths,).for_each_block(|block, (healths,)| {
        if block.mask() == u64::MAX {
            healths.iter_mut().for_each(|health| health.hp -= 1);
        } else {
            block.lanes().for_each(|lane| healths[lane].hp -= 1);
        }
    });
    0
}

fn hurt(Bodies { state, .. }: &mut Bodies) -> u64 {
    for (_, health) in &mut state.healths {
        health.hp -= 1;
    }
    0
}

fn advance_blocks(Bodies { state, .. }: &mut Bodies) -> u64 {
    (&mut state.positions, &state.velocities).for_each_block(|block, (positions, velocities)| {
        if block.mask() == u64::MAX {
            for (position, velocity) in positions.iter_mut().zip(velocities) {
                step(&mut position.at, &velocity.by);
            }
        } else {
            block.lanes().for_each(|lane| step(&mut positions[lane].at, &velocities[lane].by));
        }
    });
    0
}

fn advance(Bodies { state, .. }: &mut Bodies) -> u64 {
    for (_, position, velocity) in (&mut state.positions, &state.velocities).iter() {
        step(&mut position.at, &velocity.by);
    }
    0
}

fn advance_and_hurt_blocks(Bodies { state, .. }: &mut Bodies) -> u64 {
    let GameState { positions, velocities, healths, .. } = state;
    (positions, &*velocities, healths).for_each_block(|block, (positions, velocities, healths)| {
        if block.mask() == u64::MAX {
            for ((position, velocity), health) in positions.iter_mut().zip(velocities).zip(healths) {
                step(&mut position.at, &velocity.by);
                health.hp -= 1;
            }
        } else {
            for lane in block.lanes() {
                step(&mut positions[lane].at, &velocities[lane].by);
                healths[lane].hp -= 1;
            }
        }
    });
    0
}

fn advance_and_hurt(Bodies { state, .. }: &mut Bodies) -> u64 {
    let GameState { positions, velocities, healths, .. } = state;
    for (_, position, velocity, health) in (positions, &*velocities, healths).iter() {
        step(&mut position.at, &velocity.by);
        health.hp -= 1;
    }
    0
}

/// To all of them, then from all of them: one after the other on the same entity, a compiler could see that the second
/// undoes the first.
fn add_remove(Bodies { state, handles, .. }: &mut Bodies) -> u64 {
    for &entity in &*handles {
        if let Ok(mut entity) = state.entity_mut(entity) {
            entity.add_burning(ADDED);
        }
    }
    let removed = handles.iter().filter_map(|&entity| state.entity_mut(entity).ok()?.del_burning());
    values::sum(removed.map(|burning| burning.per_tick as u64))
}

fn join(Bodies { state, .. }: &mut Bodies) -> u64 {
    for (_, health, burning) in (&mut state.healths, &state.burning).iter() {
        health.hp -= burning.per_tick;
    }
    0
}

fn join_by_reference(Bodies { state, .. }: &mut Bodies) -> u64 {
    let mut sum = 0_u64;
    (&state.targets,).by_reference(
        |(target,)| target.entity,
        &state.positions,
        |_, _, _, position| sum = sum.wrapping_add(values::found(&position.at)),
    );
    sum
}

/// Bodies, some of them invincible, and as many hits.
fn with_hits(count: usize) -> Bodies {
    let mut bodies = Bodies::filled(count);
    (0..count).filter(|&i| values::is_invincible(i)).for_each(|i| bodies.add(i, arena_untracked::Invincible));
    let victims = values::in_random_order(&bodies.handles);
    let source = bodies.handles[0];
    for (i, victim) in victims.into_iter().enumerate() {
        let damage = arena_untracked::Damage { amount: values::damage(i), victim, source };
        bodies.state.spawn((damage,)).expect("there is room for bodies and hits");
    }
    bodies
}

/// As the guide shows it.
fn damage(Bodies { state, .. }: &mut Bodies) -> u64 {
    let GameState { damages, healths, invincibles, .. } = state;
    for (_, damage) in damages.iter() {
        if invincibles.contains(damage.victim) {
            continue;
        }
        if let Some(health) = healths.get_mut(damage.victim) {
            health.hp = values::after_hit(health.hp, damage.amount);
        }
    }
    0
}

fn damage_by_reference(Bodies { state, .. }: &mut Bodies) -> u64 {
    let GameState { damages, healths, invincibles, .. } = state;
    (&*damages,).by_reference_mut(
        |(damage,)| damage.victim,
        healths,
        |_, (damage,), victim, health| {
            if !invincibles.contains(victim) {
                health.hp = values::after_hit(health.hp, damage.amount);
            }
        },
    );
    0
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
            bodies.add_targets();
            for i in 0..count {
                bodies.add(i, Heading { yaw: values::yaw(i) });
                bodies.add(i, Ammo { rounds: values::rounds(i) });
            }
            bodies
        };
        Self { from: wide(), to: wide() }
    }

    fn copy(&mut self) -> u64 {
        self.to.state.copy_from(&self.from.state);
        0
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
