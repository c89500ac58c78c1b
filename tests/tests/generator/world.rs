//! What a state offers beside its tables and accessors.

use ecs_runtime::prelude::*;
use ecs_runtime::world::CloneError;

use crate::GameState;
use crate::fixtures::dont_send_field::Hit;
use crate::fixtures::integers::Integers;
use crate::fixtures::interpolate::Moving;
use crate::fixtures::singleton::Rules;
use crate::fixtures::tag::Invincible;
use crate::fixtures::tuple::Ammo;

fn integers(hp: i32) -> Integers {
    Integers { hp, ..Integers::default() }
}

/// Ten entities: the even ones with integers, every third with ammo, every fifth invincible.
fn ten() -> Result<(GameState, Vec<Entity>), Box<dyn std::error::Error>> {
    let mut gs = GameState::default();
    let mut all = Vec::new();
    for number in 0..10 {
        let entity = gs.create_entity()?;
        if number % 2 == 0 {
            gs.entity_mut(entity)?.add(integers(number));
        }
        if number % 3 == 0 {
            gs.entity_mut(entity)?.add(Ammo(number as u16, [true; 2]));
        }
        if number % 5 == 0 {
            gs.entity_mut(entity)?.add(Invincible);
        }
        all.push(entity);
    }
    Ok((gs, all))
}

#[test]
fn filters_leave_out_what_they_say_in_all_forms_of_a_query() -> Result<(), Box<dyn std::error::Error>> {
    let (mut gs, all) = ten()?;
    let numbers = |found: Vec<Entity>| found.iter().map(|entity| entity.index()).collect::<Vec<_>>();
    let with: Vec<_> = gs.integers.with(&gs.ammos).into_iter().map(|(entity, _)| entity).collect();
    assert_eq!(numbers(with), [0, 6]);
    let without: Vec<_> = gs.integers.without(&gs.ammos).into_iter().map(|(entity, _)| entity).collect();
    assert_eq!(numbers(without), [2, 4, 8]);
    let any = (&gs.integers,).filter(gs.ammos.present() | gs.invincibles.present());
    assert_eq!(numbers(any.iter().map(|(entity, _)| entity).collect()), [0, 6]);
    assert_eq!(any.get(all[6]).map(|(integers,)| integers.hp), Some(6));
    assert_eq!(any.get(all[4]), None);
    let (mut visited, mut in_blocks) = (Vec::new(), Vec::new());
    let GameState { integers, ammos, invincibles, .. } = &mut gs;
    let any = ammos.present() | invincibles.present();
    (&mut *integers,).filter(any).without(ammos).for_each(|entity, _| visited.push(entity));
    assert_eq!(numbers(visited), [0; 0]);
    let any = integers.present() | invincibles.present();
    (&*ammos,).filter(any).with(invincibles).for_each_block(|block, _| {
        in_blocks.extend(block.lanes());
    });
    assert_eq!(in_blocks, [0]);
    Ok(())
}

#[test]
fn a_given_list_is_visited_in_its_order_with_what_each_entity_has() -> Result<(), Box<dyn std::error::Error>>
{
    let (mut gs, all) = ten()?;
    let mut seen = Vec::new();
    for &entity in [all[6], all[1], all[0], all[6]].iter().rev() {
        if let Some((integers, ammo)) = (&mut gs.integers, &gs.ammos).get(entity) {
            integers.hp += i32::from(ammo.0);
            seen.push(integers.hp);
        }
    }
    assert_eq!(seen, [12, 0, 18]);
    Ok(())
}

#[test]
fn tuples_nest_so_queries_have_any_number_of_parts() -> Result<(), Box<dyn std::error::Error>> {
    let (mut gs, all) = ten()?;
    gs.entity_mut(all[0])?.add(Hit { part: 1, damage: 2 });
    gs.entity_mut(all[0])?.add(Moving { position: [1.0, 2.0], ammo: 3, steps: 4 });
    let query = ((&gs.integers, &gs.ammos), (&gs.hits, (&gs.movings, &gs.invincibles)));
    let found: Vec<_> = query.iter().collect();
    let (entity, (integers, ammo), (hit, (moving, _))) = found[0];
    assert_eq!((found.len(), entity, integers.hp, ammo.0, hit.damage, moving.steps), (1, all[0], 0, 0, 2, 4));
    Ok(())
}

#[test]
fn an_entity_is_spawned_with_all_its_components() -> Result<(), Box<dyn std::error::Error>> {
    let mut gs = GameState::default();
    let first = gs.spawn((integers(5), Ammo(1, [false; 2]), Invincible, Rules { score_limit: 3 }))?;
    let second = gs.spawn((integers(6), (Rules { score_limit: 4 }, Ammo(2, [false; 2])), integers(7)))?;
    let mut by_hand = GameState::default();
    let mut entity = by_hand.create_entity()?;
    by_hand.entity_mut(entity)?.add(integers(5));
    by_hand.entity_mut(entity)?.add(Ammo(1, [false; 2]));
    by_hand.entity_mut(entity)?.add(Invincible);
    entity = by_hand.create_entity()?;
    by_hand.entity_mut(entity)?.add(integers(7));
    by_hand.entity_mut(entity)?.add(Rules { score_limit: 4 });
    by_hand.entity_mut(entity)?.add(Ammo(2, [false; 2]));
    assert!(gs == by_hand, "the second of two is what stays, and the singleton moves");
    assert_eq!((first.index(), second.index()), (0, 1));
    while gs.spawn((Invincible,)).is_ok() {}
    assert_eq!(gs.entity_count(), 64);
    Ok(())
}

#[test]
fn deferred_changes_are_made_in_order_and_skip_who_is_gone() -> Result<(), Box<dyn std::error::Error>> {
    let (mut gs, all) = ten()?;
    let mut later = Deferred::new();
    for round in 0..3 {
        let before = gs.entity_count();
        for (entity, ammo) in &gs.ammos {
            let new = later.create();
            later.add(new, integers(i32::from(ammo.0) + 100));
            later.add(new, Invincible);
            later.remove::<Invincible>(new);
            later.add(entity, Ammo(ammo.0 + 1, ammo.1));
        }
        later.destroy(all[1]);
        later.add(all[1], Invincible);
        let nobody = later.create();
        later.destroy(nobody);
        later.add(nobody, Invincible);
        assert!(!later.is_empty());
        later.apply(&mut gs)?;
        assert!(later.is_empty());
        let ammo: Vec<_> = gs.ammos.iter().map(|(_, ammo)| i32::from(ammo.0)).collect();
        assert_eq!(ammo, [0, 3, 6, 9].map(|ammo| ammo + round + 1));
        assert_eq!(gs.entity_count(), before + 4 - usize::from(round == 0));
        assert_eq!(gs.invincibles.len(), 2, "those that began so");
    }
    Ok(())
}

#[test]
fn what_was_promised_before_stands_for_nobody_after() -> Result<(), Box<dyn std::error::Error>> {
    let mut gs = GameState::default();
    let mut later = Deferred::new();
    let old = later.create();
    later.apply(&mut gs)?;
    later.create();
    later.destroy(old);
    later.apply(&mut gs)?;
    assert_eq!(gs.entity_count(), 2);
    Ok(())
}

#[test]
fn deferred_changes_do_what_they_can_in_a_full_world() -> Result<(), Box<dyn std::error::Error>> {
    let mut gs = GameState::default();
    for _ in 0..63 {
        gs.create_entity()?;
    }
    let mut later = Deferred::new();
    for hp in 0..3 {
        let entity = later.create();
        later.add(entity, integers(hp));
    }
    assert!(matches!(later.apply(&mut gs), Err(CreateError::Full { .. })));
    assert_eq!(gs.integers.iter().map(|(_, integers)| integers.hp).collect::<Vec<_>>(), [0]);
    later.apply(&mut gs)?;
    Ok(())
}

#[test]
fn the_entity_of_a_component_is_found_by_where_it_lies() -> Result<(), Box<dyn std::error::Error>> {
    let (gs, _) = ten()?;
    for (entity, integers) in &gs.integers {
        assert_eq!(gs.integers.entity_of(integers), Some(entity));
    }
    assert_eq!(gs.integers.entity_of(&integers(2)), None, "one that lies elsewhere");
    assert_eq!(gs.invincibles.entity_of(&Invincible), None, "what has no fields lies nowhere");
    Ok(())
}

#[test]
fn components_and_entities_are_copied() -> Result<(), Box<dyn std::error::Error>> {
    let (mut gs, all) = ten()?;
    assert_eq!(gs.copy_component::<Ammo>(all[3], all[6])?, Some(Ammo(6, [true; 2])));
    assert_eq!(gs.ammos.get(all[6]), Some(&Ammo(3, [true; 2])));
    assert_eq!(gs.copy_component::<Ammo>(all[1], all[6])?, None);
    assert_eq!(gs.ammos.get(all[6]), Some(&Ammo(3, [true; 2])), "there was nothing to copy");

    gs.entity_mut(all[0])?.add(Rules { score_limit: 9 });
    let clone = gs.clone_entity(all[0])?;
    let names = |entity| gs.entity(entity).map(|entity| entity.components().collect::<Vec<_>>());
    assert_eq!(names(clone)?.len(), names(all[0])?.len() - 1, "all but the singleton");
    assert_eq!(gs.integers.get(clone), gs.integers.get(all[0]));
    gs.destroy_entity(all[4])?;
    assert!(matches!(gs.clone_entity(all[4]), Err(CloneError::NoSuchEntity(_))));
    assert!(
        gs.copy_component::<Ammo>(all[4], all[0]).is_err()
            && gs.copy_component::<Ammo>(all[0], all[4]).is_err()
    );
    while gs.create_entity().is_ok() {}
    assert!(matches!(gs.clone_entity(all[0]), Err(CloneError::Create(_))));
    Ok(())
}

#[test]
fn an_entity_prints_its_components() -> Result<(), Box<dyn std::error::Error>> {
    let (mut gs, all) = ten()?;
    assert_eq!(format!("{:?}", gs.entity(all[3])?), "3v0 {Ammo(3, [true, true])}");
    gs.entity_mut(all[5])?.add(Ammo(0, [false; 2]));
    let pretty = "5v0 {\n    Invincible,\n    Ammo(\n        0,\n        [\n            false,\n            false,\n        ],\n    ),\n}";
    assert_eq!(format!("{:#?}", gs.entity_mut(all[5])?), pretty);
    Ok(())
}

#[test]
fn a_report_tells_where_the_memory_is() -> Result<(), Box<dyn std::error::Error>> {
    let mut gs = GameState::default();
    assert_eq!(gs.memory().bytes(), 0);
    gs.reserve(64);
    let reserved = gs.memory();
    assert!(reserved.tables.iter().all(|table| (table.blocks, table.used) == (1, 0)));
    let (full, _) = ten()?;
    gs.copy_from(&full);
    let report = gs.memory();
    assert_eq!(report.tables.iter().map(|table| table.bytes).sum::<usize>() + report.ids, report.bytes());
    assert_eq!(report.tables.iter().map(|table| table.bytes).collect::<Vec<_>>(), {
        reserved.tables.iter().map(|table| table.bytes).collect::<Vec<_>>()
    });
    let ammo = report.tables.iter().find(|table| table.name == "Ammo").expect("listed");
    assert_eq!((ammo.blocks, ammo.used), (1, 4));
    assert!(ammo.bytes >= 64 * (size_of::<Ammo>() + 4) && report.to_string().contains("4 of 64 slots used"));
    Ok(())
}
