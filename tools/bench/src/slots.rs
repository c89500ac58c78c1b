//! The floor: a hand-written world for three components. Stable slots, generations, a bitset of presence for each
//! component, and nothing else: no change tracking, no summaries, no masks of components, no kinds of ids.
//!
//! Public for `tests/peers`, which measures other libraries against the same slots, and adds columns of its own.

/// A slot and the generation that it had when the entity was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handle {
    /// The slot.
    pub index: u32,
    generation: u32,
}

/// The values of one component.
#[derive(Clone, Debug, Default)]
pub struct Column<T> {
    /// The slots that have the component, 64 to a word.
    pub present: Vec<u64>,
    /// By slot; meaningful where it is present.
    pub values: Vec<T>,
}

impl<T: Copy + Default> Column<T> {
    /// An empty column with room for some slots.
    #[must_use]
    pub fn with_slots(slots: usize) -> Self {
        let mut column = Self::default();
        column.grow(slots.next_multiple_of(64));
        column
    }

    /// The value of a slot that there is.
    #[inline]
    #[must_use]
    pub fn get(&self, index: u32) -> Option<&T> {
        let present = self.present[index as usize / 64] >> (index % 64) & 1 == 1;
        present.then(|| &self.values[index as usize])
    }

    /// The value of a slot that there is, to be changed.
    #[inline]
    pub fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        let present = self.present[index as usize / 64] >> (index % 64) & 1 == 1;
        present.then(|| &mut self.values[index as usize])
    }

    /// Puts a value at a slot that there is.
    #[inline]
    pub fn insert(&mut self, index: u32, value: T) {
        self.values[index as usize] = value;
        self.present[index as usize / 64] |= 1 << (index % 64);
    }

    /// Takes the value out of a slot that there is.
    #[inline]
    pub fn remove(&mut self, index: u32) -> Option<T> {
        let removed = self.get(index).copied();
        self.present[index as usize / 64] &= !(1 << (index % 64));
        removed
    }

    /// Makes it equal to another, in memory that is there already if it suffices.
    pub fn copy_from(&mut self, other: &Self) {
        self.present.clone_from(&other.present);
        self.values.clone_from(&other.values);
    }

    fn grow(&mut self, slots: usize) {
        self.values.resize(slots, T::default());
        self.present.resize(slots / 64, 0);
    }
}

/// The world.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// One more with each entity that is destroyed.
    generations: Vec<u32>,
    /// The free slots; the last is used next.
    free: Vec<u32>,
    /// Where bodies are, in metres.
    pub positions: Column<[f32; 3]>,
    /// How bodies move, in metres a second.
    pub velocities: Column<[f32; 3]>,
    /// Hit points.
    pub healths: Column<i32>,
}

impl Slots {
    /// Creates an entity without components.
    #[inline]
    pub fn create(&mut self) -> Handle {
        let index = match self.free.pop() {
            Some(index) => index,
            None => self.new_slot(),
        };
        Handle { index, generation: self.generations[index as usize] }
    }

    #[cold]
    fn new_slot(&mut self) -> u32 {
        let index = self.generations.len() as u32;
        self.generations.push(1);
        let slots = self.generations.len().next_multiple_of(64);
        if self.positions.values.len() < slots {
            self.positions.grow(slots);
            self.velocities.grow(slots);
            self.healths.grow(slots);
        }
        index
    }

    /// The slot of a living entity.
    #[inline]
    #[must_use]
    pub fn alive(&self, handle: Handle) -> Option<u32> {
        (self.generations.get(handle.index as usize) == Some(&handle.generation)).then_some(handle.index)
    }

    /// Destroys an entity with its components; nothing happens for a stale handle.
    #[inline]
    pub fn destroy(&mut self, handle: Handle) {
        if let Some(index) = self.alive(handle) {
            self.positions.remove(index);
            self.velocities.remove(index);
            self.healths.remove(index);
            self.generations[index as usize] += 1;
            self.free.push(index);
        }
    }

    /// Destroys every entity, and keeps the memory; the lowest slot is used next.
    pub fn reset(&mut self) {
        // A slot that is free gets a new generation, too, which is simpler than finding out and does no harm.
        self.generations.iter_mut().for_each(|generation| *generation += 1);
        self.free.clear();
        self.free.extend((0..self.generations.len() as u32).rev());
        self.positions.present.fill(0);
        self.velocities.present.fill(0);
        self.healths.present.fill(0);
    }

    /// Makes it equal to another, ids and free slots included, in memory that is there already if it suffices.
    pub fn copy_from(&mut self, other: &Self) {
        self.generations.clone_from(&other.generations);
        self.free.clone_from(&other.free);
        self.positions.copy_from(&other.positions);
        self.velocities.copy_from(&other.velocities);
        self.healths.copy_from(&other.healths);
    }

    /// Where the body of an entity is.
    #[inline]
    #[must_use]
    pub fn position(&self, handle: Handle) -> Option<&[f32; 3]> {
        self.positions.get(self.alive(handle)?)
    }

    /// Moves every body that has a velocity.
    #[inline]
    pub fn advance(&mut self, dt: f32) {
        let words = self.positions.present.iter().zip(&self.velocities.present);
        let blocks = self.positions.values.chunks_exact_mut(64).zip(self.velocities.values.chunks_exact(64));
        for ((at, by), (positions, velocities)) in words.zip(blocks) {
            let mut mask = at & by;
            if mask == u64::MAX {
                for (position, velocity) in positions.iter_mut().zip(velocities) {
                    step(position, velocity, dt);
                }
            } else {
                while mask != 0 {
                    let lane = mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    step(&mut positions[lane], &velocities[lane], dt);
                }
            }
        }
    }
}

/// One step of one body: the same for every world that is measured.
#[inline]
pub fn step(position: &mut [f32; 3], velocity: &[f32; 3], dt: f32) {
    for (at, by) in position.iter_mut().zip(velocity) {
        *at += by * dt;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_a_usable_world() {
        let mut slots = Slots::default();
        let [a, b] = [slots.create(), slots.create()];
        slots.positions.insert(a.index, [1.0; 3]);
        slots.velocities.insert(a.index, [2.0; 3]);
        slots.positions.insert(b.index, [5.0; 3]);
        slots.advance(0.5);
        assert_eq!((slots.position(a), slots.position(b)), (Some(&[2.0; 3]), Some(&[5.0; 3])));
        assert_eq!(
            (slots.velocities.remove(a.index), slots.velocities.remove(a.index)),
            (Some([2.0; 3]), None)
        );
        slots.destroy(a);
        let again = slots.create();
        assert_eq!((again.index, slots.alive(a), slots.position(again)), (a.index, None, None));
        slots.reset();
        assert_eq!((slots.alive(again), slots.alive(b), slots.create().index), (None, None, 0));
        assert_eq!(slots.position(b), None);
    }

    #[test]
    fn a_copy_has_the_same_values_and_the_same_free_slots() {
        let mut slots = Slots::default();
        let [a, b] = [slots.create(), slots.create()];
        slots.positions.insert(b.index, [5.0; 3]);
        slots.destroy(a);
        let mut copy = Slots::default();
        copy.copy_from(&slots);
        assert_eq!((copy.alive(a), copy.position(b)), (None, Some(&[5.0; 3])));
        assert_eq!(copy.create(), slots.create());
    }
}
