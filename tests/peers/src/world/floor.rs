//! The floor: plain vectors for just the row at hand, which nothing can be much quicker than.
//!
//! It is no usable world. Every entity has position, velocity and hit points, whether it is alive or not; what only some
//! have is packed with the numbers of its owners. Only generations are real, so that old handles are rejected.

use super::side::{Operation, Side, Timed};
use super::values::{self, ADDED, Vec3, step};

/// The floor of an operation; nothing where it is as much work as slots.
pub(crate) fn side(operation: Operation, count: usize) -> Option<Box<dyn Timed>> {
    let floor = || Floor::filled(count);
    Some(match operation {
        Operation::IterateOne(_) => Side::boxed(
            floor(),
            |floor| {
                floor.healths.iter_mut().for_each(|hp| *hp -= 1);
                0
            },
            Floor::digest,
        ),
        Operation::IterateTwo(_) => Side::boxed(floor(), Floor::advance, Floor::digest),
        Operation::IterateThree(_) => Side::boxed(floor(), Floor::advance_and_hurt, Floor::digest),
        Operation::Create(_) => Side::prepared(floor(), Floor::destroy_all, Floor::create_all, Floor::digest),
        Operation::CreateDestroy => Side::prepared(
            floor(),
            Floor::destroy_all,
            |floor| {
                let created = floor.create_all();
                floor.destroy_all();
                created
            },
            |floor| floor.handles.len() as u64,
        ),
        Operation::Reset => Side::prepared(
            floor(),
            |floor| {
                floor.destroy_all();
                floor.create_all();
            },
            Floor::reset,
            |floor| floor.handles.iter().filter(|&&handle| floor.is_alive(handle)).count() as u64,
        ),
        Operation::Get => {
            let mut floor = floor();
            floor.handles = values::in_random_order(&floor.handles);
            Side::boxed(
                floor,
                |floor| {
                    let alive = floor.handles.iter().filter(|&&handle| floor.is_alive(handle));
                    values::sum(alive.map(|handle| values::found(&floor.positions[handle.index as usize])))
                },
                Floor::digest,
            )
        }
        Operation::AddRemove => {
            Side::boxed((floor(), Packed::with_places(count)), add_remove, |(floor, _)| floor.digest())
        }
        Operation::Join => Side::boxed((floor(), Packed::burning(count)), join, |(floor, _)| floor.digest()),
        Operation::JoinByReference => {
            let floor = floor();
            let targets = values::in_random_order(&floor.handles);
            Side::boxed(
                (floor, targets),
                |(floor, targets)| {
                    let alive = targets.iter().filter(|&&target| floor.is_alive(target));
                    values::sum(alive.map(|target| values::found(&floor.positions[target.index as usize])))
                },
                |(floor, _)| floor.digest(),
            )
        }
        Operation::Copy(_) => Side::boxed(Copies::new(count), Copies::copy, Copies::digest),
        Operation::Damage(_) => Side::boxed(Hits::new(count), Hits::apply, |hits| hits.floor.digest()),
        Operation::Change | Operation::Touch => return None,
    })
}

#[derive(Clone, Copy)]
struct Handle {
    index: u32,
    generation: u32,
}

#[derive(Default)]
struct Floor {
    generations: Vec<u32>,
    free: Vec<u32>,
    /// The first index that is neither alive nor among the free ones.
    next: u32,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    healths: Vec<i32>,
    /// Not of the world: the handles of those who are alive, in the order of creation.
    handles: Vec<Handle>,
    count: usize,
}

impl Floor {
    fn filled(count: usize) -> Self {
        let mut floor = Self {
            generations: vec![0; count],
            positions: vec![[0.0; 3]; count],
            velocities: vec![[0.0; 3]; count],
            healths: vec![0; count],
            count,
            ..Self::default()
        };
        floor.create_all();
        floor
    }

    fn create_all(&mut self) -> u64 {
        for i in 0..self.count {
            let (position, velocity, hp) = values::body(i);
            let index = self.free.pop().unwrap_or_else(|| {
                self.next += 1;
                self.next - 1
            });
            let at = index as usize;
            (self.positions[at], self.velocities[at], self.healths[at]) = (position, velocity, hp);
            self.handles.push(Handle { index, generation: self.generations[at] });
        }
        self.handles.len() as u64
    }

    fn destroy_all(&mut self) {
        while let Some(handle) = self.handles.pop() {
            if self.is_alive(handle) {
                self.generations[handle.index as usize] += 1;
                self.free.push(handle.index);
            }
        }
    }

    fn reset(&mut self) -> u64 {
        self.generations.iter_mut().for_each(|generation| *generation += 1);
        self.free.clear();
        self.next = 0;
        0
    }

    #[inline]
    fn is_alive(&self, handle: Handle) -> bool {
        self.generations.get(handle.index as usize) == Some(&handle.generation)
    }

    fn advance(&mut self) -> u64 {
        self.positions
            .iter_mut()
            .zip(&self.velocities)
            .for_each(|(position, velocity)| step(position, velocity));
        0
    }

    fn advance_and_hurt(&mut self) -> u64 {
        let bodies = self.positions.iter_mut().zip(&self.velocities).zip(&mut self.healths);
        for ((position, velocity), hp) in bodies {
            step(position, velocity);
            *hp -= 1;
        }
        0
    }

    fn digest(&mut self) -> u64 {
        values::sum(self.handles.iter().filter(|&&handle| self.is_alive(handle)).map(|handle| {
            let at = handle.index as usize;
            values::digest(&self.positions[at], &self.velocities[at], self.healths[at])
        }))
    }
}

/// A component that only some have: a sparse set.
struct Packed {
    owners: Vec<u32>,
    values: Vec<i32>,
    /// By entity: where its value is, or `u32::MAX`.
    places: Vec<u32>,
}

impl Packed {
    fn with_places(count: usize) -> Self {
        Self { owners: Vec::new(), values: Vec::new(), places: vec![u32::MAX; count] }
    }

    fn burning(count: usize) -> Self {
        let mut packed = Self::with_places(count);
        for i in 0..count {
            if let Some(per_tick) = values::burning(i) {
                packed.insert(i as u32, per_tick);
            }
        }
        packed
    }

    #[inline]
    fn insert(&mut self, owner: u32, value: i32) {
        self.places[owner as usize] = self.owners.len() as u32;
        self.owners.push(owner);
        self.values.push(value);
    }

    #[inline]
    fn remove(&mut self, owner: u32) -> Option<i32> {
        let place = core::mem::replace(&mut self.places[owner as usize], u32::MAX) as usize;
        if place >= self.owners.len() {
            return None;
        }
        self.owners.swap_remove(place);
        if let Some(&moved) = self.owners.get(place) {
            self.places[moved as usize] = place as u32;
        }
        Some(self.values.swap_remove(place))
    }
}

fn add_remove((floor, packed): &mut (Floor, Packed)) -> u64 {
    for &handle in &floor.handles {
        if floor.is_alive(handle) {
            packed.insert(handle.index, ADDED);
        }
    }
    let alive = floor.handles.iter().filter(|&&handle| floor.is_alive(handle));
    values::sum(alive.filter_map(|handle| packed.remove(handle.index)).map(|value| value as u64))
}

fn join((floor, burning): &mut (Floor, Packed)) -> u64 {
    for (&owner, per_tick) in burning.owners.iter().zip(&burning.values) {
        floor.healths[owner as usize] -= per_tick;
    }
    0
}

/// Two worlds of six components.
struct Copies {
    from: Wide,
    to: Wide,
}

struct Wide {
    floor: Floor,
    yaws: Vec<f32>,
    rounds: Vec<u32>,
    targets: Vec<Handle>,
}

impl Copies {
    fn new(count: usize) -> Self {
        let wide = || {
            let floor = Floor::filled(count);
            Wide {
                yaws: (0..count).map(values::yaw).collect(),
                rounds: (0..count).map(values::rounds).collect(),
                targets: values::in_random_order(&floor.handles),
                floor,
            }
        };
        Self { from: wide(), to: wide() }
    }

    fn copy(&mut self) -> u64 {
        let Self { from, to } = self;
        to.floor.generations.copy_from_slice(&from.floor.generations);
        to.floor.free.clone_from(&from.floor.free);
        to.floor.next = from.floor.next;
        to.floor.positions.copy_from_slice(&from.floor.positions);
        to.floor.velocities.copy_from_slice(&from.floor.velocities);
        to.floor.healths.copy_from_slice(&from.floor.healths);
        to.yaws.copy_from_slice(&from.yaws);
        to.rounds.copy_from_slice(&from.rounds);
        to.targets.copy_from_slice(&from.targets);
        0
    }

    fn digest(&mut self) -> u64 {
        let Self { from, to } = self;
        let gear = to.yaws.iter().zip(&to.rounds).map(|(&yaw, &rounds)| values::digest_gear(yaw, rounds));
        let targets = to.targets.iter().filter(|&&target| from.floor.is_alive(target));
        let targets = targets.map(|target| values::found(&from.floor.positions[target.index as usize]));
        to.floor.digest().wrapping_add(values::sum(gear)).wrapping_add(values::sum(targets))
    }
}

/// Bodies, and hits to be applied to them.
struct Hits {
    floor: Floor,
    invincible: Vec<bool>,
    /// Amounts and victims.
    hits: Vec<(u32, Handle)>,
}

impl Hits {
    fn new(count: usize) -> Self {
        let floor = Floor::filled(count);
        let victims = values::in_random_order(&floor.handles);
        Self {
            floor,
            invincible: (0..count).map(values::is_invincible).collect(),
            hits: victims.into_iter().enumerate().map(|(i, victim)| (values::damage(i), victim)).collect(),
        }
    }

    fn apply(&mut self) -> u64 {
        let Self { floor, invincible, hits } = self;
        for &(amount, victim) in &*hits {
            let at = victim.index as usize;
            if floor.is_alive(victim) && !invincible[at] {
                floor.healths[at] = values::after_hit(floor.healths[at], amount);
            }
        }
        0
    }
}
