//! What the expansions do.

use ecs_runtime::schema::Form;
use ecs_runtime::wire::{Row as _, RowReader, RowWriter};
use ecs_runtime::world::{Change, GameWorld as _};
use ecs_runtime::{Component, Entity, Quantize};

use crate::GameState;
use crate::fixtures::accessors::Weapon;
use crate::fixtures::angle::Angle;
use crate::fixtures::arrays::Arrays;
use crate::fixtures::command::Input;
use crate::fixtures::default::Defaults;
use crate::fixtures::default_constant::ConstantDefaults;
use crate::fixtures::dont_send_field::Hit;
use crate::fixtures::dont_send_struct::Plan;
use crate::fixtures::floats::Floats;
use crate::fixtures::integers::Integers;
use crate::fixtures::interpolate::Moving;
use crate::fixtures::naming::HTTPAbility;
use crate::fixtures::references::References;
use crate::fixtures::tag::Invincible;
use crate::fixtures::visibility::secret;

/// What `value` is after a trip over the wire into `into`, and which of its sent fields were saturated.
fn trip<Q: Quantize>(value: &Q, mut into: Q) -> (Q, Vec<u64>) {
    let mut row = Q::Row::ZERO;
    let mut saturated = vec![0; Q::SCHEMA.fields.iter().filter(|field| field.is_sent()).count()];
    value.quantize(&mut RowWriter::new(row.words_mut(), &mut saturated));
    into.dequantize(&mut RowReader::new(row.words()));
    (into, saturated)
}

fn between<C: Component>(from: &C, to: &C, t: f32) -> C {
    let mut out = from.clone();
    out.interpolate(from, to, t);
    out
}

#[test]
fn integers_survive_the_wire_and_saturate_at_their_range() {
    let inside = Integers { hp: 1000, gear: -1, score: u64::MAX, alive: true };
    assert_eq!(trip(&inside, Integers::default()), (inside, vec![0; 4]));
    let outside = Integers { hp: -1, gear: 5, ..inside };
    let (back, saturated) = trip(&outside, Integers::default());
    assert_eq!(back, Integers { hp: 0, gear: 4, ..inside });
    assert_eq!(saturated, [1, 1, 0, 0]);
}

#[test]
fn floats_are_rounded_to_their_step_or_kept_exactly() {
    let value = Floats { height: 1.3, width: 70.0, exact: 0.1 };
    let (back, saturated) = trip(&value, Floats::default());
    assert_eq!(back, Floats { height: 1.5, width: 64.0, exact: 0.1 });
    assert_eq!(saturated, [0, 1, 0]);
}

#[test]
fn angles_wrap_on_the_wire_and_turn_the_short_way() {
    let turn = core::f32::consts::TAU;
    let (back, saturated) = trip(&Angle { yaw: turn + 1.0 }, Angle::default());
    assert!((back.yaw - 1.0).abs() < turn / 4096.0, "{back:?}");
    assert_eq!(saturated, [0]);
    let middle = between(&Angle { yaw: 3.0 }, &Angle { yaw: -3.0 }, 0.5);
    assert!((middle.yaw - turn / 2.0).abs() < 1e-5, "{middle:?}");
}

#[test]
fn what_stands_still_is_the_same_in_between() {
    let still = Integers { hp: 1, gear: 1, score: u64::MAX - 1, alive: true };
    assert_eq!(between(&still, &still, 0.5), still);
    let range = ecs_runtime::wire::Range::<u64>::FULL;
    let float = ecs_runtime::wire::Float::<f32>::FULL;
    use ecs_runtime::wire::Wire as _;
    assert_eq!(range.interpolate(u64::MAX - 1, u64::MAX - 1, 0.5), u64::MAX - 1);
    assert_eq!(float.interpolate(f32::INFINITY, f32::INFINITY, 0.5), f32::INFINITY);
}

#[test]
fn only_marked_fields_are_interpolated() {
    let from = Moving { position: [0.0, 8.0], ammo: 10, steps: 5 };
    let to = Moving { position: [4.0, 0.0], ammo: 20, steps: 9 };
    assert_eq!(between(&from, &to, 0.25), Moving { position: [1.0, 6.0], ammo: 13, steps: 5 });
}

#[test]
fn references_survive_the_wire_unless_the_state_cannot_have_them() {
    let entity = Entity::new(63, 5).expect("an odd generation");
    let value = References { owner: entity, target: Some(entity) };
    assert_eq!(trip(&value, References::default()), (value, vec![0, 0]));
    let nobody = References { owner: Entity::NONE, target: None };
    assert_eq!(trip(&nobody, value), (nobody, vec![0, 0]));
    let foreign = References { owner: Entity::new(64, 5).expect("an odd generation"), target: None };
    assert_eq!(trip(&foreign, value), (nobody, vec![1, 0]));
}

#[test]
fn arrays_keep_their_order() {
    let crew = [Entity::new(1, 3), None];
    let value = Arrays { board: [[1, 2, 3], [4, 5, 6]], crew };
    assert_eq!(trip(&value, Arrays::default()), (value, vec![0, 0]));
    let (back, saturated) = trip(&Arrays { board: [[1, 2, 3], [4, 50, 6]], crew }, Arrays::default());
    assert_eq!(back.board, [[1, 2, 3], [4, 9, 6]]);
    assert_eq!(saturated, [1, 0]);
    assert_eq!(Arrays::SCHEMA.fields[0].words(), 6);
}

#[test]
fn unsent_fields_keep_the_value_of_the_other_side() {
    let (back, saturated) = trip(&Hit { part: 3, damage: 25 }, Hit { part: 0, damage: 7 });
    assert_eq!((back, saturated), (Hit { part: 3, damage: 7 }, vec![0]));
    assert_eq!(Hit::SCHEMA.fields[1].form, Form::Unsent);
}

#[test]
fn unsent_structs_say_so_in_the_schema() {
    assert!(!Plan::SCHEMA.sent);
    assert_eq!(Plan::SCHEMA.to_string(), "Plan dont_send { patience: u16 0..=65535 }");
}

#[test]
fn defaults_are_those_of_the_attributes_and_else_zero() {
    let expected = Defaults { level: 7, bounds: [-1.0, 1.0], alive: true, nobody: Entity::NONE };
    assert_eq!(Defaults::default(), expected);
    let expected = ConstantDefaults { explicit: [[100, 100], [1, 2]], implied: 0 };
    assert_eq!(ConstantDefaults::default(), expected);
    assert_eq!(Integers::default(), Integers { hp: 0, gear: 0, score: 0, alive: false });
}

#[test]
fn equality_of_components_is_exact() {
    let nan = Floats { exact: f32::NAN, ..Floats::default() };
    assert!(Component::same(&nan, &nan));
    let copy = nan;
    assert!(nan != copy);
    assert!(!Component::same(&Floats { exact: -0.0, ..nan }, &Floats { exact: 0.0, ..nan }));
    assert!(Component::same(&Invincible, &Invincible));
    let weapon = Weapon { slot: 1, ammo: 2 };
    assert!(Component::same(&weapon, &weapon));
    assert!(!Component::same(&weapon, &Weapon { ammo: 3, ..weapon }));
}

#[test]
fn accessors_read_change_add_and_remove() -> Result<(), Box<dyn std::error::Error>> {
    let mut gs = GameState::default();
    let id = gs.create_entity()?;
    let mut entity = gs.entity_mut(id)?;
    assert_eq!(entity.weapon(), None);
    assert_eq!(entity.add_weapon(1, 30), None);
    assert_eq!(entity.add_weapon(2, 40), Some(Weapon { slot: 1, ammo: 30 }));
    if let Some(weapon) = entity.weapon_mut() {
        weapon.ammo -= 1;
    }
    assert!(entity.has_weapon());
    assert_eq!(entity.add_invincible(), None);

    let entity = gs.entity(id)?;
    assert_eq!(entity.weapon(), Some(&Weapon { slot: 2, ammo: 39 }));
    assert!(entity.has_weapon() && entity.has_invincible());
    assert_eq!(gs.weapons.len(), 1);

    let mut entity = gs.entity_mut(id)?;
    assert_eq!(entity.del_invincible(), Some(Invincible));
    assert_eq!(entity.del_invincible(), None);
    assert_eq!(entity.del_weapon(), Some(Weapon { slot: 2, ammo: 39 }));
    assert!(!gs.entity(id)?.has_weapon());
    Ok(())
}

#[test]
fn names_follow_the_struct_or_the_list() -> Result<(), Box<dyn std::error::Error>> {
    let mut gs = GameState::default();
    let id = gs.create_entity()?;
    let mut entity = gs.entity_mut(id)?;
    entity.add_http_ability(3);
    entity.add_mouse();
    entity.add_type();
    assert!(entity.r#type().is_some());
    assert_eq!((gs.http_abilities.len(), gs.mice.len(), gs.types.len()), (1, 1, 1));
    assert_eq!(HTTPAbility::SCHEMA.to_string(), "HTTPAbility { type: u8 0..=255 }");
    Ok(())
}

#[test]
fn a_component_that_is_not_public_has_accessors_in_its_crate() -> Result<(), Box<dyn std::error::Error>> {
    let mut gs = GameState::default();
    let id = gs.create_entity()?;
    gs.entity_mut(id)?.add_secret(5);
    assert_eq!(gs.entity(id)?.secret(), Some(&secret(5)));
    Ok(())
}

#[test]
fn commands_survive_the_wire_and_are_in_the_schema() {
    let (back, saturated) = trip(&Input { aim: 0.0, fire: true }, Input::default());
    assert_eq!((back, saturated), (Input { aim: 0.0, fire: true }, vec![0, 0]));
    assert_eq!(GameState::SCHEMA.commands, [Input::SCHEMA]);
}

#[test]
fn the_list_is_the_order_of_the_schema() {
    let names: Vec<_> = GameState::SCHEMA.components.iter().map(|component| component.name).collect();
    assert_eq!(names[..3], ["Integers", "Floats", "Angle"]);
    assert_eq!(names[names.len() - 2..], ["Stamina", "Map"]);
    assert_eq!(GameState::SCHEMA.max_entities, 64);
}

#[test]
fn a_state_creates_up_to_its_maximum_and_destroys() -> Result<(), Box<dyn std::error::Error>> {
    let mut gs = GameState::default();
    let ids: Vec<_> = (0..GameState::MAX_ENTITIES).map(|_| gs.create_entity()).collect::<Result<_, _>>()?;
    assert!(gs.create_entity().is_err());
    assert_eq!(gs.entity_count(), 64);
    assert_eq!(gs.entities().collect::<Vec<_>>(), ids);
    gs.destroy_entity(ids[3])?;
    assert!(gs.destroy_entity(ids[3]).is_err());
    assert!(!gs.contains(ids[3]) && gs.entity(ids[3]).is_err() && gs.entity_mut(ids[3]).is_err());
    gs.reset();
    assert_eq!(gs.entity_count(), 0);
    Ok(())
}

#[test]
fn a_copy_is_equal_and_a_diff_names_what_changed() -> Result<(), Box<dyn std::error::Error>> {
    let mut gs = GameState::default();
    let id = gs.create_entity()?;
    gs.entity_mut(id)?.add_weapon(1, 30);
    let previous = gs.clone();
    assert!(previous == gs);
    assert_eq!(gs.diff(&previous).count(), 0);
    if let Some(weapon) = gs.entity_mut(id)?.weapon_mut() {
        weapon.ammo = 29;
    }
    gs.entity_mut(id)?.add_mouse();
    assert!(previous != gs);
    let changes: Vec<Change> = gs.diff(&previous).collect();
    assert_eq!(changes.len(), 2, "{changes:?}");
    let mut copy = GameState::default();
    copy.copy_from(&gs);
    assert!(copy == gs);
    assert_eq!(format!("{copy:?}"), "GameState { entities: 1, .. }");
    Ok(())
}

#[test]
fn a_state_between_two_states() -> Result<(), Box<dyn std::error::Error>> {
    let mut from = GameState::default();
    let id = from.create_entity()?;
    from.entity_mut(id)?.add_moving([0.0, 0.0], 10, 1);
    let mut to = from.clone();
    to.entity_mut(id)?.add_moving([8.0, 4.0], 20, 2);
    let mut out = GameState::default();
    GameState::interpolate(&from, &to, 0.5, &mut out);
    assert_eq!(out.movings.get(id), Some(&Moving { position: [4.0, 2.0], ammo: 15, steps: 1 }));
    Ok(())
}
