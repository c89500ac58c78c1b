//! References to entities.

use super::Wire;
use crate::Entity;
use crate::schema::Form;

/// A reference to an entity of the state: two words, the index plus one (0: none), and half the generation.
///
/// A handle with an index that the state cannot have is kept as none and reported as saturated.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    max_entities: u32,
}

impl Reference {
    /// References into a state of at most `max_entities`.
    #[must_use]
    pub const fn new(max_entities: u32) -> Self {
        Self { max_entities }
    }

    /// What the schema says of it.
    #[must_use]
    pub const fn form(self) -> Form {
        Form::Reference { max_entities: self.max_entities }
    }
}

impl Wire for Reference {
    type Value = Entity;

    #[inline]
    fn words(&self) -> usize {
        2
    }

    #[inline]
    fn quantize(&self, value: Entity, row: &mut [u32]) -> bool {
        if value.index() < self.max_entities {
            row[0] = value.index() + 1;
            row[1] = value.generation() / 2;
            return false;
        }
        row[..2].fill(0);
        !value.is_none()
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> Entity {
        let Some(index) = row[0].checked_sub(1) else { return Entity::NONE };
        Entity::new(index, row[1] << 1 | 1).unwrap_or(Entity::NONE)
    }
}

/// A [`Reference`] that may be absent, `None`, which is sent like [`Entity::NONE`].
#[derive(Clone, Copy, Debug)]
pub struct OptionalReference(pub Reference);

impl OptionalReference {
    /// What the schema says of it.
    #[must_use]
    pub const fn form(self) -> Form {
        self.0.form()
    }
}

impl Wire for OptionalReference {
    type Value = Option<Entity>;

    #[inline]
    fn words(&self) -> usize {
        2
    }

    #[inline]
    fn quantize(&self, value: Option<Entity>, row: &mut [u32]) -> bool {
        self.0.quantize(value.unwrap_or(Entity::NONE), row)
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> Option<Entity> {
        Some(self.0.dequantize(row)).filter(|entity| !entity.is_none())
    }
}
