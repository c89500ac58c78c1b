//! Worlds that were captured: their states are what snapshots keep of them.

use std::collections::BTreeMap;

use ecs_runtime::Tick;
use ecs_runtime::codec::{Baselines, Layout, Priors, StateView as _, States};
use ecs_runtime::prelude::*;
use ecs_runtime::snapshot::{EntityView, History};

use crate::GameState;
use crate::chance::Chance;
use crate::codec::{Entry, State};
use crate::components::{Body, Crowd, Health, Position, Unit};

/// So many snapshots are captured, of which the last is what is told.
const SNAPSHOTS: usize = 9;

pub(crate) struct Captured {
    history: History,
    /// When the states were captured that both sides know, the newest first, and when the newest was.
    known: Vec<Tick>,
    now: Tick,
}

impl Captured {
    /// A world that goes on at random, with as many snapshots as that.
    pub(crate) fn random(chance: &mut Chance) -> Self {
        let mut world = GameState::default();
        let mut history = History::new(Layout::with_priors(GameState::SCHEMA, &Priors::default()), 16);
        let (mut ticks, mut tick) = (Vec::new(), 0);
        for _ in 0..chance.below(12) {
            spawn(chance, &mut world);
        }
        for _ in 0..SNAPSHOTS {
            tick += u64::from(chance.below(4)) + 1;
            (0..2).for_each(|_| change(chance, &mut world));
            history.capture(&mut world, Tick(tick));
            ticks.insert(0, Tick(tick));
        }
        let now = ticks.remove(0);
        // Not all of them arrived.
        ticks.retain(|_| !chance.one_in(4));
        Self { history, known: ticks, now }
    }

    /// What is known of an entity: its states back to another one at its index, or to where it was not.
    fn known(&self, index: u32) -> Vec<(u32, EntityView<'_>)> {
        let mut known: Vec<(u32, EntityView<'_>)> = Vec::new();
        for tick in &self.known {
            let state = self.history.at(*tick).expect("kept").entity(index);
            match (state, known.first()) {
                (Some(state), None) => known.push(((self.now.0 - tick.0) as u32, state)),
                (Some(state), Some((_, newest))) if state.generation() == newest.generation() => {
                    known.push(((self.now.0 - tick.0) as u32, state));
                }
                _ => break,
            }
        }
        known
    }

    /// The same for the reference.
    pub(crate) fn entries(&self) -> BTreeMap<u32, Entry> {
        let state = |view: EntityView<'_>| State {
            generation: view.generation(),
            rows: view
                .rows(self.history.layout())
                .map(|(component, row)| (component, row.to_vec()))
                .collect(),
        };
        let mut entries = BTreeMap::new();
        for index in 0..GameState::MAX_ENTITIES {
            let known: Vec<_> = self.known(index).into_iter().map(|(age, view)| (age, state(view))).collect();
            let now = self.now(index).map(state);
            if now.is_some() || !known.is_empty() {
                entries.insert(index, Entry { known, now, is_hidden: false });
            }
        }
        entries
    }
}

impl States for Captured {
    type State<'a>
        = EntityView<'a>
    where
        Self: 'a;

    fn baselines(&self, index: u32) -> Baselines<EntityView<'_>> {
        let mut baselines = Baselines::default();
        for (age, state) in self.known(index) {
            baselines.push(age, state);
        }
        baselines
    }

    fn now(&self, index: u32) -> Option<EntityView<'_>> {
        self.history.at(self.now).expect("kept").entity(index)
    }
}

fn spawn(chance: &mut Chance, world: &mut GameState) {
    let mut unit = |size: f32| chance.within(-1000, 1000) as f32 / 1000.0 * size;
    let at = [unit(500.0), unit(500.0), unit(10.0)];
    let spawned = match chance.below(4) {
        0 => world.spawn((Position { at, yaw: 0.0 }, Health::default())),
        1 => world.spawn((Body { at, ..Body::default() },)),
        2 => world.spawn((Unit { rank: Some(7), ..Unit::default() }, Crowd::default())),
        _ => world.spawn((Position { at, yaw: 1.0 }, Body::default(), Unit::default())),
    };
    spawned.expect("room");
}

/// One step of everything, with a few surprises.
fn change(chance: &mut Chance, world: &mut GameState) {
    for (entity, position) in &mut world.positions {
        let speed = entity.index() as f32 / 100.0;
        position.at[0] += speed;
        position.yaw += speed / 10.0;
    }
    for (entity, body) in &mut world.bodies {
        let angle = entity.index() as f32 / 10.0 + body.at[0];
        body.at[0] += 0.1;
        body.turn = [0.0, ecs_runtime::math::sin(angle), 0.0, ecs_runtime::math::cos(angle)];
    }
    for (_, crowd) in &mut world.crowds {
        let at = chance.below(crowd.numbers.len() as u32) as usize;
        crowd.numbers[at] += 3;
    }
    for (_, unit) in &mut world.units {
        if chance.one_in(3) {
            unit.rank = unit.rank.map_or(Some(1), |rank| (rank < 500).then_some(rank + 1));
        }
    }
    let entities: Vec<_> = world.entities().collect();
    for entity in entities {
        match chance.below(40) {
            0 => world.destroy_entity(entity).expect("alive"),
            1..3 => {
                world.entity_mut(entity).expect("alive").add_tag();
            }
            3 => {
                world.entity_mut(entity).expect("alive").del_unit();
            }
            _ => {}
        }
    }
    if chance.one_in(3) {
        spawn(chance, world);
    }
}
