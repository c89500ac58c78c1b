//! Components that are disabled: they keep their value in its slot, and are as good as not there.

use super::block::{BLOCK, lanes, split};
use super::filter::{Disabled, Where};
use super::{ComponentId, Entities, Table};
use crate::{Component, Entity};

impl<C: Component> Table<C> {
    /// The disabled component of an entity: see [`EntityMut::disable`](super::EntityMut::disable).
    #[must_use]
    pub fn get_disabled(&self, entity: Entity) -> Option<&C> {
        let (block, lane) = split(entity.index());
        let block = self.blocks.get(block)?.as_deref()?;
        block.holds_aside(lane, entity.generation()).then(|| &block.values[lane])
    }

    /// Every entity whose component is disabled, with it.
    pub(super) fn iter_disabled(&self) -> impl Iterator<Item = (Entity, &C)> {
        let chunks = self.aside_chunks().iter().enumerate();
        let blocks = chunks.flat_map(|(chunk, blocks)| lanes(*blocks).map(move |block| chunk * 64 + block));
        let blocks = blocks.filter_map(|at| Some((at, self.blocks.get(at)?.as_deref()?)));
        blocks.flat_map(|(at, block)| {
            let entity = move |lane| Entity::living((at * BLOCK + lane) as u32, block.generations[lane]);
            lanes(block.aside).map(move |lane| (entity(lane), &block.values[lane]))
        })
    }

    /// The component of an entity, disabled or not.
    pub(super) fn held(&self, entity: Entity) -> Option<&C> {
        self.get(entity).or_else(|| self.get_disabled(entity))
    }

    /// The component of an entity, disabled or not, to be changed.
    pub(super) fn held_mut(&mut self, entity: Entity) -> Option<&mut C> {
        if self.contains(entity) {
            return self.get_mut(entity);
        }
        let (block, lane) = split(entity.index());
        let block = self.blocks.get_mut(block)?.as_deref_mut()?;
        block.holds_aside(lane, entity.generation()).then(|| &mut block.values[lane])
    }

    /// The entities whose component is disabled, for the filter of a query.
    #[inline]
    #[must_use]
    pub fn disabled(&self) -> Where<Disabled<'_, C>> {
        Where(Disabled(self))
    }

    /// The first entity that has the component, disabled or not.
    pub(crate) fn holder(&self) -> Option<Entity> {
        let first = self
            .blocks
            .iter()
            .enumerate()
            .find(|(_, block)| block.as_deref().is_some_and(|block| !block.is_empty()));
        let (at, block) = first?;
        let block = block.as_deref()?;
        let lane = lanes(block.present | block.aside).next()?;
        Some(Entity::living((at * BLOCK + lane) as u32, block.generations[lane]))
    }

    /// Enables or disables the component of an entity; `false` if it has none that is not so already.
    pub(crate) fn set_enabled(&mut self, entity: Entity, enabled: bool) -> bool {
        let ((at, lane), generation) = (split(entity.index()), entity.generation());
        let Some(block) = self.blocks.get_mut(at).and_then(Option::as_deref_mut) else { return false };
        let holds = if enabled { block.holds_aside(lane, generation) } else { block.holds(lane, generation) };
        if holds {
            block.present ^= 1 << lane;
            block.aside ^= 1 << lane;
            block.touched |= 1 << lane;
            self.note_touched(at);
            self.summarize(at);
        }
        holds
    }

    /// Takes the disabled value out of the slot of an entity, and gives it back.
    pub(super) fn remove_disabled(&mut self, entity: Entity) -> Option<C> {
        let value = self.get_disabled(entity)?.clone();
        let (at, lane) = split(entity.index());
        self.take_out_disabled(at, lane);
        Some(value)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn take_out_disabled(&mut self, at: usize, lane: usize) {
        let Some(block) = self.blocks.get_mut(at).and_then(Option::as_deref_mut) else { return };
        if block.aside >> lane & 1 == 1 {
            block.aside &= !(1 << lane);
            self.idle += usize::from(block.is_empty());
            self.summarize(at);
        }
    }
}

impl Entities {
    /// The disabled components of the entity at an index, a bit each as in [`Entities::mask`], or none at all.
    #[inline]
    #[must_use]
    pub fn disabled_mask(&self, index: u32) -> &[u64] {
        let at = index as usize * self.mask_words;
        self.disabled.get(at..at + self.mask_words).unwrap_or(&[])
    }

    /// Whether there ever was a disabled component.
    #[inline]
    pub(crate) fn has_disabled(&self) -> bool {
        !self.disabled.is_empty()
    }

    /// Notes that a living entity has a disabled component no more.
    pub(crate) fn clear_disabled(&mut self, entity: Entity, component: ComponentId) {
        let at = entity.index() as usize * self.mask_words + component.index() / 64;
        if let Some(disabled) = self.disabled.get_mut(at) {
            *disabled &= !(1 << (component.index() % 64));
        }
    }

    /// Notes that the component of a living entity is enabled again, or disabled.
    pub(crate) fn set_enabled(&mut self, entity: Entity, component: ComponentId, enabled: bool) {
        let at = entity.index() as usize * self.mask_words + component.index() / 64;
        self.disabled.resize(self.masks.len(), 0);
        let (from, to) = if enabled {
            (&mut self.disabled[at], &mut self.masks[at])
        } else {
            (&mut self.masks[at], &mut self.disabled[at])
        };
        *from &= !(1 << (component.index() % 64));
        *to |= 1 << (component.index() % 64);
    }
}
