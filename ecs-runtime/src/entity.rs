//! The handle of an entity.

use core::fmt;
use core::num::NonZeroU32;

/// A handle to one entity: a slot index, and the generation that the slot had when the entity was created.
///
/// A handle stays cheap to keep after its entity is gone: tables check the generation, so a stale handle finds
/// nothing and never a newer entity in the same slot. Handles mean the same on the server and on its clients.
///
/// Generations of living entities are odd; an even generation belongs to a free slot and to no handle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entity {
    index: u32,
    generation: NonZeroU32,
}

impl Entity {
    /// The handle that never names an entity; the default of every reference field.
    pub const NONE: Self = Self { index: u32::MAX, generation: NonZeroU32::MAX };

    /// Makes a handle from its parts, or `None` when `generation` is even, which no entity has.
    #[inline]
    #[must_use]
    pub const fn new(index: u32, generation: u32) -> Option<Self> {
        match NonZeroU32::new(generation) {
            Some(generation) if generation.get() % 2 == 1 => Some(Self { index, generation }),
            _ => None,
        }
    }

    /// The handle of a slot that is alive, whose generation is therefore odd.
    #[inline]
    pub(crate) const fn living(index: u32, generation: u32) -> Self {
        debug_assert!(generation % 2 == 1);
        match NonZeroU32::new(generation | 1) {
            Some(generation) => Self { index, generation },
            None => Self::NONE,
        }
    }

    /// The slot index, below the state's maximum number of entities; `u32::MAX` for [`Entity::NONE`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// The generation of the slot: odd, and two more each time that the slot is used again.
    #[inline]
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.generation.get()
    }

    /// Whether this is [`Entity::NONE`].
    #[inline]
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.index == u32::MAX
    }
}

impl Default for Entity {
    fn default() -> Self {
        Self::NONE
    }
}

impl fmt::Debug for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        write!(f, "{}v{}", self.index, self.generation.get() / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_generations_belong_to_no_handle() {
        assert_eq!(Entity::new(3, 0), None);
        assert_eq!(Entity::new(3, 4), None);
        assert_eq!(Entity::new(3, 5).map(|e| (e.index(), e.generation())), Some((3, 5)));
    }

    #[test]
    fn an_optional_handle_costs_no_more_than_a_handle() {
        assert_eq!(size_of::<Option<Entity>>(), size_of::<Entity>());
        assert_eq!(size_of::<Entity>(), 8);
    }
}
