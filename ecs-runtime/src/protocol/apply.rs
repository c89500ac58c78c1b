//! From a decoded state to an entity of a world.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use super::views::FlatView;
use crate::codec::{Layout, StateView, has};
use crate::wire::RowReader;
use crate::world::{self, ComponentId, GameWorld, HasTable, Table, VisitMut};
use crate::{Component, Entity};

/// Makes the entity at an index what `words` say; without words, it is destroyed.
pub(super) fn apply<W: GameWorld>(world: &mut W, layout: &Layout, index: u32, words: Option<&[u32]>) {
    let view = words.map(|words| FlatView::new(layout, words));
    let entity = view.and_then(|view| Entity::new(index, view.header().first().copied()?));
    if let Some(other) = world.ids().at(index).filter(|&other| Some(other) != entity) {
        // It was just found alive, so this cannot fail.
        let _ = world::destroy(world, other);
    }
    let (Some(view), Some(entity)) = (view, entity) else { return };
    if !world.ids().contains(entity) && !world::create_at(world, entity) {
        return;
    }
    for &component in layout.sent() {
        if !has(view.header(), component) && world.ids().has_component(entity, ComponentId(component)) {
            world.ids_mut().clear_component(W::SCHEMA.mask_words(), entity, ComponentId(component));
            world.visit_one_mut(ComponentId(component), &mut Place { entity, row: None });
        }
    }
    for (component, row) in view.rows(layout) {
        world.ids_mut().set_component(W::SCHEMA.mask_words(), entity, ComponentId(component));
        world.visit_one_mut(ComponentId(component), &mut Place { entity, row: Some(row) });
    }
}

/// Sets the sent fields of one entity's component, or takes the component away.
struct Place<'a> {
    entity: Entity,
    row: Option<&'a [u32]>,
}

impl<W: GameWorld> VisitMut<W> for Place<'_> {
    fn table<C: Component>(&mut self, table: &mut Table<C>)
    where
        W: HasTable<C>,
    {
        let Some(row) = self.row else {
            table.discard(self.entity);
            return;
        };
        let mut reader = RowReader::new(row);
        match table.get_mut(self.entity) {
            Some(value) => value.dequantize(&mut reader),
            None => {
                let mut value = C::default();
                value.dequantize(&mut reader);
                table.insert(self.entity, value);
            }
        }
    }
}
