//! The floor: a hand-written world for three components. Stable slots, generations, a bitset of presence for each
//! component, and nothing else: no change tracking, no summaries, no masks of components, no kinds of ids.

/// A slot and the generation that it had when the entity was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle {
    pub(crate) index: u32,
    generation: u32,
}

/// The values of one component.
#[derive(Default)]
pub(crate) struct Column<T> {
    present: Vec<u64>,
    values: Vec<T>,
}

impl<T: Copy + Default> Column<T> {
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        let present = self.present[index as usize / 64] >> (index % 64) & 1 == 1;
        present.then(|| &self.values[index as usize])
    }

    #[inline]
    pub(crate) fn insert(&mut self, index: u32, value: T) {
        self.values[index as usize] = value;
        self.present[index as usize / 64] |= 1 << (index % 64);
    }

    #[inline]
    pub(crate) fn remove(&mut self, index: u32) -> Option<T> {
        let removed = self.get(index).copied();
        self.present[index as usize / 64] &= !(1 << (index % 64));
        removed
    }

    fn grow(&mut self, slots: usize) {
        self.values.resize(slots, T::default());
        self.present.resize(slots / 64, 0);
    }
}

/// The world.
#[derive(Default)]
pub(crate) struct Slots {
    /// One more with each entity that is destroyed.
    generations: Vec<u32>,
    /// The free slots; the last is used next.
    free: Vec<u32>,
    pub(crate) positions: Column<[f32; 3]>,
    pub(crate) velocities: Column<[f32; 3]>,
    pub(crate) healths: Column<i32>,
}

impl Slots {
    #[inline]
    pub(crate) fn create(&mut self) -> Handle {
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

    #[inline]
    pub(crate) fn alive(&self, handle: Handle) -> Option<u32> {
        (self.generations.get(handle.index as usize) == Some(&handle.generation)).then_some(handle.index)
    }

    #[inline]
    pub(crate) fn destroy(&mut self, handle: Handle) {
        if let Some(index) = self.alive(handle) {
            self.positions.remove(index);
            self.velocities.remove(index);
            self.healths.remove(index);
            self.generations[index as usize] += 1;
            self.free.push(index);
        }
    }

    /// Destroys every entity, and keeps the memory; the lowest slot is used next.
    pub(crate) fn reset(&mut self) {
        // A slot that is free gets a new generation, too, which is simpler than finding out and does no harm.
        self.generations.iter_mut().for_each(|generation| *generation += 1);
        self.free.clear();
        self.free.extend((0..self.generations.len() as u32).rev());
        self.positions.present.fill(0);
        self.velocities.present.fill(0);
        self.healths.present.fill(0);
    }

    #[inline]
    pub(crate) fn position(&self, handle: Handle) -> Option<&[f32; 3]> {
        self.positions.get(self.alive(handle)?)
    }

    /// Moves every body that has a velocity.
    #[inline]
    pub(crate) fn advance(&mut self, dt: f32) {
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
pub(crate) fn step(position: &mut [f32; 3], velocity: &[f32; 3], dt: f32) {
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
}
