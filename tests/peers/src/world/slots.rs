//! The plainest usable world, written by hand: the slots of the crate `bench-worlds`, and columns for what they lack.
//!
//! One loop over full words and one over the others is the quickest form that was found for it.

use bench_worlds::slots::{Column, Handle, Slots};

use super::side::{Operation, Side, Timed};
use super::values::{self, ADDED, DT, step};

/// Slots that do an operation.
pub(crate) fn side(operation: Operation, count: usize) -> Option<Box<dyn Timed>> {
    let bodies = || Bodies::filled(count);
    Some(match operation {
        Operation::IterateOne(_) => Side::boxed(
            bodies(),
            |bodies| {
                for_each_hp(&mut bodies.slots, |hp| *hp -= 1);
                0
            },
            Bodies::digest,
        ),
        Operation::IterateTwo(_) => Side::boxed(
            bodies(),
            |bodies| {
                bodies.slots.advance(DT);
                0
            },
            Bodies::digest,
        ),
        Operation::IterateThree(_) => Side::boxed(bodies(), Bodies::advance_and_hurt, Bodies::digest),
        Operation::Create(_) => {
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
                bodies.slots.reset();
                0
            },
            |bodies| {
                bodies.handles.iter().filter(|&&handle| bodies.slots.alive(handle).is_some()).count() as u64
            },
        ),
        Operation::Get => {
            let mut bodies = bodies();
            bodies.handles = values::in_random_order(&bodies.handles);
            Side::boxed(
                bodies,
                |Bodies { slots, handles, .. }| {
                    let found = handles.iter().filter_map(|&handle| slots.position(handle));
                    values::sum(found.map(values::found))
                },
                Bodies::digest,
            )
        }
        Operation::AddRemove => {
            Side::boxed((bodies(), Column::with_slots(count)), add_remove, |(bodies, _)| bodies.digest())
        }
        Operation::Join => {
            let mut burning = Column::with_slots(count);
            for i in 0..count {
                if let Some(per_tick) = values::burning(i) {
                    burning.insert(i as u32, per_tick);
                }
            }
            Side::boxed((bodies(), burning), join, |(bodies, _)| bodies.digest())
        }
        Operation::JoinByReference => {
            let bodies = bodies();
            let targets = column(values::in_random_order(&bodies.handles));
            Side::boxed((bodies, targets), join_by_reference, |(bodies, _)| bodies.digest())
        }
        Operation::Copy(_) => Side::boxed(Copies::new(count), Copies::copy, Copies::digest),
        Operation::Change => Side::boxed(
            Kept::new(count),
            |kept| {
                for_each_hp(&mut kept.bodies.slots, |hp| *hp -= 1);
                kept.end_tick()
            },
            Kept::digest,
        ),
        Operation::Touch => Side::boxed(
            Kept::new(count),
            |kept| {
                for_each_hp(&mut kept.bodies.slots, |hp| *hp = (*hp).max(0));
                kept.end_tick()
            },
            Kept::digest,
        ),
        Operation::Damage(_) => Side::boxed(Hits::new(count), Hits::apply, |hits| hits.bodies.digest()),
    })
}

struct Bodies {
    slots: Slots,
    /// Of those who are alive, in the order of creation.
    handles: Vec<Handle>,
    count: usize,
}

impl Bodies {
    fn filled(count: usize) -> Self {
        let mut bodies = Self { slots: Slots::default(), handles: Vec::new(), count };
        bodies.create_all();
        bodies
    }

    fn create_all(&mut self) -> u64 {
        let Self { slots, handles, count } = self;
        handles.extend((0..*count).map(|i| {
            let (position, velocity, hp) = values::body(i);
            let handle = slots.create();
            slots.positions.insert(handle.index, position);
            slots.velocities.insert(handle.index, velocity);
            slots.healths.insert(handle.index, hp);
            handle
        }));
        handles.len() as u64
    }

    /// The newest first, so that the next are created upwards through memory.
    fn destroy_all(&mut self) {
        while let Some(handle) = self.handles.pop() {
            self.slots.destroy(handle);
        }
    }

    fn advance_and_hurt(&mut self) -> u64 {
        let Slots { positions, velocities, healths, .. } = &mut self.slots;
        let words = positions.present.iter().zip(&velocities.present).zip(&healths.present);
        let blocks = positions.values.chunks_exact_mut(64).zip(velocities.values.chunks_exact(64));
        let blocks = blocks.zip(healths.values.chunks_exact_mut(64));
        for (((at, by), alive), ((positions, velocities), healths)) in words.zip(blocks) {
            let mask = at & by & alive;
            if mask == u64::MAX {
                for ((position, velocity), hp) in positions.iter_mut().zip(velocities).zip(healths) {
                    step(position, velocity);
                    *hp -= 1;
                }
            } else {
                for lane in lanes(mask) {
                    step(&mut positions[lane], &velocities[lane]);
                    healths[lane] -= 1;
                }
            }
        }
        0
    }

    fn digest(&mut self) -> u64 {
        let Self { slots, handles, .. } = self;
        values::sum(handles.iter().filter_map(|&handle| {
            let index = slots.alive(handle)?;
            let (position, velocity) = (slots.positions.get(index)?, slots.velocities.get(index)?);
            Some(values::digest(position, velocity, *slots.healths.get(index)?))
        }))
    }
}

#[inline]
fn for_each_hp(slots: &mut Slots, visit: impl Fn(&mut i32)) {
    let healths = &mut slots.healths;
    for (&mask, values) in healths.present.iter().zip(healths.values.chunks_exact_mut(64)) {
        if mask == u64::MAX {
            values.iter_mut().for_each(&visit);
        } else {
            lanes(mask).for_each(|lane| visit(&mut values[lane]));
        }
    }
}

#[inline]
fn lanes(mut mask: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        (mask != 0).then(|| {
            mask &= mask - 1;
            lane
        })
    })
}

/// A column with the value of every slot.
fn column<T: Copy + Default>(values: Vec<T>) -> Column<T> {
    let mut column = Column::with_slots(values.len());
    values.into_iter().enumerate().for_each(|(i, value)| column.insert(i as u32, value));
    column
}

fn add_remove((Bodies { slots, handles, .. }, added): &mut (Bodies, Column<i32>)) -> u64 {
    for &handle in &*handles {
        if let Some(index) = slots.alive(handle) {
            added.insert(index, ADDED);
        }
    }
    let removed = handles.iter().filter_map(|&handle| added.remove(slots.alive(handle)?));
    values::sum(removed.map(|value| value as u64))
}

fn join((Bodies { slots, .. }, burning): &mut (Bodies, Column<i32>)) -> u64 {
    let healths = &mut slots.healths;
    let words = healths.present.iter().zip(&burning.present);
    let blocks = healths.values.chunks_exact_mut(64).zip(burning.values.chunks_exact(64));
    for ((alive, burns), (healths, burning)) in words.zip(blocks) {
        for lane in lanes(alive & burns) {
            healths[lane] -= burning[lane];
        }
    }
    0
}

fn join_by_reference((Bodies { slots, .. }, targets): &mut (Bodies, Column<Handle>)) -> u64 {
    let mut sum = 0_u64;
    for (&mask, targets) in targets.present.iter().zip(targets.values.chunks_exact(64)) {
        for lane in lanes(mask) {
            if let Some(position) = slots.position(targets[lane]) {
                sum = sum.wrapping_add(values::found(position));
            }
        }
    }
    sum
}

/// Two worlds of six components.
struct Copies {
    from: Wide,
    to: Wide,
}

struct Wide {
    bodies: Bodies,
    yaws: Column<f32>,
    rounds: Column<u32>,
    targets: Column<Handle>,
}

impl Copies {
    fn new(count: usize) -> Self {
        let wide = || {
            let bodies = Bodies::filled(count);
            Wide {
                yaws: column((0..count).map(values::yaw).collect()),
                rounds: column((0..count).map(values::rounds).collect()),
                targets: column(values::in_random_order(&bodies.handles)),
                bodies,
            }
        };
        Self { from: wide(), to: wide() }
    }

    fn copy(&mut self) -> u64 {
        let Self { from, to } = self;
        to.bodies.slots.copy_from(&from.bodies.slots);
        to.yaws.copy_from(&from.yaws);
        to.rounds.copy_from(&from.rounds);
        to.targets.copy_from(&from.targets);
        0
    }

    fn digest(&mut self) -> u64 {
        let Self { from, to } = self;
        let others = to.bodies.handles.iter().filter_map(|&handle| {
            let index = to.bodies.slots.alive(handle)?;
            let gear = values::digest_gear(*to.yaws.get(index)?, *to.rounds.get(index)?);
            let target = from.bodies.slots.position(*to.targets.get(index)?)?;
            Some(gear.wrapping_add(values::found(target)))
        });
        let others = values::sum(others);
        to.bodies.digest().wrapping_add(others)
    }
}

/// Bodies, and what their hit points were when the last tick ended.
struct Kept {
    bodies: Bodies,
    known: Vec<i32>,
    /// Who changed in the last tick.
    changed: Vec<u64>,
}

impl Kept {
    fn new(count: usize) -> Self {
        let bodies = Bodies::filled(count);
        let healths = &bodies.slots.healths;
        Self { known: healths.values.clone(), changed: vec![0; healths.present.len()], bodies }
    }

    fn end_tick(&mut self) -> u64 {
        let Self { bodies, known, changed } = self;
        let healths = &bodies.slots.healths;
        let blocks = healths.values.chunks_exact(64).zip(known.chunks_exact_mut(64));
        for ((present, changed), (now, known)) in healths.present.iter().zip(&mut *changed).zip(blocks) {
            let differ = now.iter().zip(&*known).enumerate();
            let differ = differ.fold(0, |mask, (lane, (now, known))| mask | u64::from(now != known) << lane);
            *changed = differ & present;
            if *changed != 0 {
                known.copy_from_slice(now);
            }
        }
        0
    }

    fn digest(&mut self) -> u64 {
        let changed: u32 = self.changed.iter().map(|changed| changed.count_ones()).sum();
        self.bodies.digest().wrapping_add(changed.into())
    }
}

/// A hit to be applied.
#[derive(Clone, Copy, Default)]
struct Damage {
    amount: u32,
    victim: Handle,
    _source: Handle,
}

/// Bodies, and hits to be applied to them.
struct Hits {
    bodies: Bodies,
    invincible: Column<()>,
    damages: Column<Damage>,
}

impl Hits {
    fn new(count: usize) -> Self {
        let bodies = Bodies::filled(count);
        let mut invincible = Column::with_slots(count);
        (0..count).filter(|&i| values::is_invincible(i)).for_each(|i| invincible.insert(i as u32, ()));
        let victims = values::in_random_order(&bodies.handles).into_iter().enumerate();
        let damages = victims.map(|(i, victim)| Damage {
            amount: values::damage(i),
            victim,
            _source: bodies.handles[0],
        });
        Self { damages: column(damages.collect()), bodies, invincible }
    }

    fn apply(&mut self) -> u64 {
        let Self { bodies: Bodies { slots, .. }, invincible, damages } = self;
        for (&mask, damages) in damages.present.iter().zip(damages.values.chunks_exact(64)) {
            for lane in lanes(mask) {
                let Damage { amount, victim, .. } = damages[lane];
                let Some(index) = slots.alive(victim) else { continue };
                if invincible.get(index).is_some() {
                    continue;
                }
                if let Some(hp) = slots.healths.get_mut(index) {
                    *hp = values::after_hit(*hp, amount);
                }
            }
        }
        0
    }
}
