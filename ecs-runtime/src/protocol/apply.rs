//! From a decoded state to an entity of a world.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use std::collections::VecDeque;

use super::views::{FlatView, Views};
use crate::Tick;
use crate::codec::{Layout, StateView, has};
use crate::wire::RowReader;
use crate::world::{self, ComponentId, GameWorld, HasTable, Table, VisitMut};
use crate::{Component, Entity};

/// Makes the entity at an index what is known of it; when that is nothing, it is destroyed. Gives the entities that do not
/// have a singleton after all, because another has it since: `contested`.
pub(super) fn apply<W: GameWorld>(
    world: &mut W,
    layout: &Layout,
    index: u32,
    views: &Views,
    contested: &mut VecDeque<u32>,
) {
    let newest = views.newest(index);
    let (tick, words) = (newest.map_or(Tick::default(), |(tick, _)| tick), newest.map(|(_, words)| words));
    let view = words.map(|words| FlatView::new(layout, words));
    let entity = view.as_ref().and_then(|view| Entity::new(index, view.header().first().copied()?));
    if let Some(other) = world.ids().at(index).filter(|&other| Some(other) != entity) {
        // What its end brings about elsewhere, the server tells.
        world::destroy_alone(world, other);
    }
    let (Some(view), Some(entity)) = (view, entity) else { return };
    if !world.ids().contains(entity) && !world::create_at(world, entity) {
        return;
    }
    for &component in layout.sent() {
        if !has(view.header(), component) && world.ids().has_component(entity, ComponentId(component)) {
            world.ids_mut().clear_component(W::SCHEMA.mask_words(), entity, ComponentId(component));
            world.visit_one_mut(ComponentId(component), &mut Place::new(entity, None, tick, views));
        }
    }
    for (component, row) in view.rows(layout) {
        let component = ComponentId(component);
        let mut place = Place::new(entity, Some(row), tick, views);
        if world.ids().has_disabled() {
            // The server's word is the last.
            world.ids_mut().set_enabled(entity, component, true);
        }
        world.ids_mut().set_component(W::SCHEMA.mask_words(), entity, component);
        world.visit_one_mut(component, &mut place);
        if let Some(loser) = place.loser {
            world.ids_mut().clear_component(W::SCHEMA.mask_words(), loser, component);
            if !contested.contains(&loser.index()) {
                contested.push_back(loser.index());
            }
        }
    }
}

/// Sets the sent fields of one entity's component, or takes the component away.
struct Place<'a> {
    entity: Entity,
    row: Option<&'a [u32]>,
    /// The tick of the entity's state.
    tick: Tick,
    views: &'a Views,
    /// Who does not have the component after all, because it is a singleton and another entity has it since.
    loser: Option<Entity>,
}

impl<'a> Place<'a> {
    fn new(entity: Entity, row: Option<&'a [u32]>, tick: Tick, views: &'a Views) -> Self {
        Self { entity, row, tick, views, loser: None }
    }

    /// States of entities may be of different ticks, so a singleton that moved may be told of two: the newest counts.
    fn settle_singleton<C: Component>(&mut self, table: &mut Table<C>) {
        let other = table.iter().map(|(other, _)| other).find(|&other| other != self.entity);
        let Some(other) = other else { return };
        let known = self.views.newest(other.index()).map(|(tick, _)| tick);
        let loser = if known > Some(self.tick) { self.entity } else { other };
        if loser == other {
            table.discard(other);
        }
        self.loser = Some(loser);
    }
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
        if C::SINGLETON {
            self.settle_singleton(table);
            if self.loser == Some(self.entity) {
                if table.contains(self.entity) {
                    table.discard(self.entity);
                }
                return;
            }
        }
        let mut reader = RowReader::new(row);
        table.set_enabled(self.entity, true);
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
