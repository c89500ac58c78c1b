//! What changed, exactly, since any tick that is remembered.

use std::collections::BTreeMap;

use ecs_runtime::prelude::*;
use ecs_runtime::world::{Kind, TRACKED_TICKS, TooLongAgo};
use ecs_runtime::{Component, Tick};
use proptest::prelude::*;

use crate::model::{Both, Row, actions};
use crate::{GameState, Health, Shield, Stun};

type Model = BTreeMap<u32, Row>;

/// What the definition says of an entity since a tick: whether its component was added, changed and removed.
fn told<C: Component>(both: &Both, index: u32, since: usize, of: impl Fn(&Row) -> Option<C>) -> [bool; 3] {
    let generation = both.model[&index].generation;
    let empty = Model::new();
    let value = |model: &Model| {
        let row = model.get(&index).filter(|row| row.generation == generation);
        row.and_then(&of)
    };
    // The ends of ticks from `since` on, and what is now.
    let states = core::iter::once(&empty).chain(&both.ends).skip(since).chain([&both.model]);
    let states: Vec<_> = states.collect();
    // Before another entity had the component in this slot, nothing is known: see `Table::added`.
    let other = |model: &&Model| {
        let row = model.get(&index).filter(|row| row.generation != generation);
        row.and_then(&of).is_some()
    };
    let from = states.iter().rposition(other).unwrap_or(0);
    let states: Vec<_> = states.iter().skip(from).map(|model| value(model)).collect();
    let pair = |is: fn(&Option<C>, &Option<C>) -> bool| states.windows(2).any(|pair| is(&pair[0], &pair[1]));
    [
        pair(|before, after| before.is_none() && after.is_some()),
        pair(|before, after| before.as_ref().zip(after.as_ref()).is_some_and(|(a, b)| !a.same(b))),
        pair(|before, after| before.is_some() && after.is_none()),
    ]
}

/// What the definition says of an entity since a tick: whether it was created.
fn is_created(both: &Both, index: u32, since: usize) -> bool {
    let generation = both.model[&index].generation;
    let empty = Model::new();
    let states = core::iter::once(&empty).chain(&both.ends).skip(since);
    let mut states = states.map(|model| model.get(&index).is_some_and(|row| row.generation == generation));
    states.any(|was_there| !was_there)
}

/// What queries find since a tick.
fn found(gs: &GameState, since: Tick) -> Result<[Vec<Entity>; 7], TooLongAgo> {
    fn all<I: Iterator<Item = (Entity, T)>, T>(found: I) -> Vec<Entity> {
        found.map(|(entity, _)| entity).collect()
    }
    let (healths, shields) = (&gs.healths, &gs.shields);
    let by_filter = |which: u8| -> Result<Vec<Entity>, TooLongAgo> {
        // A place is what every entity is given beforehand.
        Ok(match which {
            0 => all((&gs.places,).filter(healths.added(since)?).iter()),
            1 => all((&gs.places,).filter(healths.changed(since)?).iter()),
            2 => all((&gs.places,).filter(healths.removed(&gs.ids, since)?).iter()),
            3 => all(shields.filter(shields.added(since)?).into_iter()),
            4 => all((&gs.places,).filter(shields.changed(since)?).iter()),
            5 => all((&gs.places,).filter(shields.removed(&gs.ids, since)?).iter()),
            _ => all((&gs.places,).filter(gs.ids.created(since)?).iter()),
        })
    };
    Ok([
        by_filter(0)?,
        by_filter(1)?,
        by_filter(2)?,
        by_filter(3)?,
        by_filter(4)?,
        by_filter(5)?,
        by_filter(6)?,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_told_of_the_last_ticks_is_what_the_definition_says(actions in actions(), back in 0u64..12) {
        let mut both = Both::default();
        for action in actions {
            both.act(action);
        }
        let last = both.world.ids.tick().0;
        let since = last.saturating_sub(back);
        let place = |index: &u32| both.model[index].place.is_some();
        let shield = |row: &Row| row.shield.filter(|_| row.is_shielded());
        let mut wanted: [Vec<Entity>; 7] = Default::default();
        for (index, row) in &both.model {
            let entity = Entity::new(*index, row.generation).expect("alive");
            let health = told::<Health>(&both, *index, since as usize, |row| row.health);
            let shields = told::<Shield>(&both, *index, since as usize, shield);
            let created = is_created(&both, *index, since as usize);
            let has = [row.health.is_some(), row.health.is_some(), true];
            let shielded = [row.is_shielded(), row.is_shielded(), true];
            let told = health.into_iter().zip(has).chain(shields.into_iter().zip(shielded));
            for (at, (is, has)) in told.chain([(created, true)]).enumerate() {
                if is && has && (at == 3 || place(index)) {
                    wanted[at].push(entity);
                }
            }
        }
        prop_assert_eq!(found(&both.world, Tick(since)).expect("remembered"), wanted);
    }

    /// No `IsDead`, and (changed `Health` or added `Stun` or disabled `Shield`), of kind Unit or Enemy.
    #[test]
    fn filters_by_tick_nest_with_all_others(actions in actions(), back in 0u64..12) {
        const UNIT: Kind = Kind(1);
        const ENEMY: Kind = Kind(3);
        let mut both = Both::default();
        for action in actions {
            both.act(action);
        }
        let gs = &both.world;
        let since = Tick(gs.ids.tick().0.saturating_sub(back));
        let changed = gs.healths.changed(since).expect("remembered");
        let stunned = gs.stuns.added(since).expect("remembered");
        let told_of = changed | stunned | gs.shields.disabled();
        let filter = !gs.is_deads.present() & told_of & gs.ids.of_kinds([UNIT, ENEMY]);
        let found: Vec<_> = (&gs.ids,).filter(filter).iter().map(|(entity, ())| entity).collect();

        let wanted = both.model.iter().filter(|(index, row)| {
            let health = told::<Health>(&both, **index, since.0 as usize, |row| row.health);
            let stun = told::<Stun>(&both, **index, since.0 as usize, |row| row.stun);
            let is_told_of = health[1] && row.health.is_some() || stun[0] && row.stun.is_some() || row.is_down;
            row.is_dead.is_none() && is_told_of && [UNIT.0, ENEMY.0].contains(&row.kind)
        });
        let wanted = wanted.filter_map(|(index, row)| Entity::new(*index, row.generation));
        prop_assert_eq!(found, wanted.collect::<Vec<_>>());
    }
}

#[test]
fn removed_values_are_read_until_their_tick_is_forgotten() -> Result<(), Box<dyn std::error::Error>> {
    let mut gs = GameState::default();
    let [kept, gone] = [1, 2].map(|hp| gs.spawn((Health { hp },)).expect("room"));
    gs.end_tick();
    gs.healths.get_mut(gone).ok_or("there")?.hp = 9;
    gs.end_tick();
    gs.destroy_entity(gone)?;
    gs.entity_mut(kept)?.del_health();
    // The tick is not at its end.
    assert_eq!(gs.healths.removed_values(Tick(0))?.count(), 0);
    gs.end_tick();
    let removed: Vec<_> =
        gs.healths.removed_values(Tick(2))?.map(|(entity, health)| (entity, health.hp)).collect();
    assert_eq!(removed, [(kept, 1), (gone, 9)]);
    assert_eq!(gs.healths.removed_values(Tick(3))?.count(), 0);
    for _ in 0..TRACKED_TICKS - 1 {
        gs.end_tick();
    }
    assert_eq!(gs.healths.removed_values(Tick(2))?.count(), 2);
    gs.end_tick();
    // Nothing has happened since a tick that is still to come.
    assert_eq!(gs.healths.filter(gs.healths.changed(Tick(u64::MAX))?).into_iter().count(), 0);
    assert_eq!((&gs.ids,).filter(gs.ids.created(Tick(u64::MAX))?).iter().count(), 0);
    let last = Tick(3 + TRACKED_TICKS);
    assert_eq!(gs.healths.changed(Tick(2)).err(), Some(TooLongAgo { since: Tick(2), last }));
    assert_eq!(gs.healths.removed_values(Tick(3))?.count(), 0);
    Ok(())
}

#[test]
fn a_change_that_is_taken_back_within_a_tick_is_none_and_over_two_ticks_is_one()
-> Result<(), Box<dyn std::error::Error>> {
    let mut gs = GameState::default();
    let entity = gs.spawn((Health { hp: 1 },))?;
    gs.end_tick();
    let changed = |gs: &GameState, since: u64| {
        gs.healths.filter(gs.healths.changed(Tick(since)).expect("known")).into_iter().count()
    };
    let set = |gs: &mut GameState, hp: u16| gs.healths.get_mut(entity).map(|health| health.hp = hp).is_some();
    assert!(set(&mut gs, 2));
    assert_eq!(changed(&gs, 1), 1, "as it is now");
    assert!(set(&mut gs, 1));
    assert_eq!(changed(&gs, 1), 0);
    gs.end_tick();
    assert!(set(&mut gs, 2));
    gs.end_tick();
    assert!(set(&mut gs, 1));
    gs.end_tick();
    assert_eq!([1, 2, 3, 4].map(|since| changed(&gs, since)), [1, 1, 1, 0]);
    Ok(())
}
