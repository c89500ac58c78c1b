//! What the codec needs to know of a schema, worked out once.

use core::iter::repeat_n;

use crate::Entity;
use crate::schema::{Schema, StructSchema, Word, find_references};
use crate::world::lanes;

/// The components of a schema as the wire sees them.
#[derive(Debug)]
pub struct Layout {
    schema: &'static Schema,
    /// The numbers of the components that are sent.
    sent: Vec<u16>,
    /// By component: which of its words are for the entity's owner alone; empty if none is.
    owner_words: Vec<Vec<bool>>,
    /// By component: the sent fields that refer to entities, and where the words of each reference begin.
    references: Vec<Vec<(&'static str, usize)>>,
    /// By command: where the words of the entities begin that must be the sender's own.
    owned: Vec<Vec<usize>>,
}

impl Layout {
    /// The layout of a schema.
    #[must_use]
    pub fn new(schema: &'static Schema) -> Self {
        let sent = (0u16..).zip(schema.components).filter(|(_, component)| component.sent);
        let owner_words = schema.components.iter().map(|component| {
            let words = component.sent_fields().flat_map(|field| repeat_n(field.owner_only, field.words()));
            let words: Vec<_> = words.collect();
            if words.contains(&true) { words } else { Vec::new() }
        });
        let references = schema.components.iter().map(|component| {
            let (mut all, mut at) = (Vec::new(), 0);
            for field in component.sent_fields() {
                let mut found = Vec::new();
                at = find_references(field.layers, field.form, at, &mut found);
                all.extend(found.into_iter().map(|at| (field.name, at)));
            }
            all
        });
        Self {
            schema,
            sent: sent.map(|(id, _)| id).collect(),
            owner_words: owner_words.collect(),
            references: references.collect(),
            owned: schema.commands.iter().map(|command| owned_words(command)).collect(),
        }
    }

    /// The entities in a row of a command that must be the sender's own.
    pub(crate) fn owned<'r>(
        &self,
        command: u16,
        row: &'r [u32],
    ) -> impl Iterator<Item = Entity> + use<'_, 'r> {
        let owned = self.owned.get(usize::from(command)).map_or(&[][..], Vec::as_slice);
        owned.iter().map(|&at| {
            let words = row.get(at).and_then(|index| index.checked_sub(1)).zip(row.get(at + 1));
            words.and_then(|(index, half)| Entity::new(index, half << 1 | 1)).unwrap_or(Entity::NONE)
        })
    }

    /// The references to entities in a row of a component, as far as they refer to something: the name of the field, and
    /// the entity.
    pub fn references<'r>(
        &self,
        component: u16,
        row: &'r [u32],
    ) -> impl Iterator<Item = (&'static str, Entity)> + use<'_, 'r> {
        let references = self.references.get(usize::from(component)).map_or(&[][..], Vec::as_slice);
        references.iter().filter_map(|&(field, at)| {
            let index = row.get(at)?.checked_sub(1)?;
            Some((field, Entity::new(index, row.get(at + 1)? << 1 | 1)?))
        })
    }

    /// Which words of a component are for the entity's owner alone; empty if none is.
    #[must_use]
    pub fn owner_words(&self, component: u16) -> &[bool] {
        self.owner_words.get(usize::from(component)).map_or(&[], Vec::as_slice)
    }

    /// Whether there are components of which others than the owner must not even know that they are there.
    #[must_use]
    pub fn hides_components(&self) -> bool {
        self.schema.components.iter().any(|component| component.sent && component.is_owner_only())
    }

    /// Whether the owner of an entity may see more of it than others.
    #[must_use]
    pub fn has_owner_only(&self) -> bool {
        self.hides_components() || self.owner_words.iter().any(|words| !words.is_empty())
    }

    /// The schema that this is the layout of.
    #[must_use]
    pub fn schema(&self) -> &'static Schema {
        self.schema
    }

    /// The numbers of the components that are sent, upwards.
    #[must_use]
    pub fn sent(&self) -> &[u16] {
        &self.sent
    }

    /// The words of a component; none if it is not sent.
    #[inline]
    #[must_use]
    pub fn words(&self, component: u16) -> &'static [Word] {
        let component = self.schema.components.get(usize::from(component));
        component.filter(|component| component.sent).map_or(&[], |component| component.words)
    }

    /// The components that the mask of a header names, upwards.
    #[inline]
    pub fn rows_of<'h>(&self, header: &'h [u32]) -> impl Iterator<Item = u16> + use<'h> {
        let masks = (0..).step_by(32).zip(header.iter().skip(1));
        masks.flat_map(|(first, &mask)| lanes(u64::from(mask)).map(move |bit| first + bit as u16))
    }

    /// Which of 32 components are sent, a bit each; `word` counts from 0.
    #[must_use]
    pub fn sent_mask(&self, word: usize) -> u32 {
        let components = self.schema.components.iter().skip(word * 32).take(32).enumerate();
        components.fold(0, |mask, (bit, component)| mask | u32::from(component.sent) << bit)
    }

    /// Which of 32 components are sent to others than the owner of an entity, a bit each; `word` counts from 0.
    #[must_use]
    pub fn public_mask(&self, word: usize) -> u32 {
        let components = self.schema.components.iter().skip(word * 32).take(32).enumerate();
        components.fold(0, |mask, (bit, component)| {
            mask | u32::from(component.sent && !component.is_owner_only()) << bit
        })
    }

    /// How many words the mask of an entity has, 32 components each.
    #[must_use]
    pub fn mask_len(&self) -> usize {
        self.schema.components.len().div_ceil(32)
    }

    /// How many words, before those of its components, the state of an entity has: generation and mask.
    #[must_use]
    pub fn header_len(&self) -> usize {
        1 + self.mask_len()
    }
}

fn owned_words(command: &StructSchema) -> Vec<usize> {
    let mut at = 0;
    let fields = command.sent_fields().map(|field| {
        at += field.words();
        (field, at - field.words())
    });
    fields.filter(|(field, _)| field.owned).map(|(_, at)| at).collect()
}

/// The state of one entity, wherever its words are kept.
pub trait StateView {
    /// The generation, then the mask of the components that are sent, 32 each.
    fn header(&self) -> &[u32];

    /// The words of a component that the mask names.
    fn row(&self, component: u16) -> &[u32];

    /// The components that the mask names, upwards, with their words.
    fn rows<'a>(&'a self, layout: &'a Layout) -> impl Iterator<Item = (u16, &'a [u32])> {
        layout.rows_of(self.header()).map(|component| (component, self.row(component)))
    }
}

/// Whether a mask names a component.
#[inline]
pub(crate) fn has(header: &[u32], component: u16) -> bool {
    let word = header.get(1 + usize::from(component) / 32).copied().unwrap_or(0);
    word >> (component % 32) & 1 == 1
}

/// Adds a component to a mask that does not name it, and takes it out of one that does.
#[inline]
pub(crate) fn toggle(header: &mut [u32], component: u16) {
    if let Some(word) = header.get_mut(1 + usize::from(component) / 32) {
        *word ^= 1 << (component % 32);
    }
}
