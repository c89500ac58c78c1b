//! Generated code in a crate without a prelude, with the runtime under another name and names that clash.

use ecs_runtime::Entity;
use ecs_runtime::world::GameWorld as _;
use hygiene::fields::{Constants, Names};
use hygiene::{GameState, types};

#[test]
fn accessors_do_what_they_say_under_any_name() {
    let mut gs = GameState::default();
    let id = gs.create_entity().expect("there is room");
    let mut entity = gs.entity_mut(id).expect("alive");
    assert_eq!(entity.add_option(1), None);
    assert_eq!(entity.add_option(2), Some(types::Option { value: 1 }));
    assert_eq!(entity.add_type(5), None);
    assert_eq!(entity.add_some(), None);
    assert_eq!(entity.clone(), None);
    let entity = gs.entity(id).expect("alive");
    assert_eq!(entity.option(), Some(&types::Option { value: 2 }));
    assert_eq!(entity.r#type(), Some(&types::Type { value: 5 }));
    assert!(entity.has_some() && !entity.has_none());
    assert_eq!(gs.kinds.len(), 1);
}

#[test]
fn constants_mean_what_they_mean_to_the_user() {
    assert_eq!(GameState::MAX_ENTITIES, 1024);
    let defaults = Constants::default();
    assert_eq!((defaults.words, defaults.max, defaults.other), ([7, 7], 3, Entity::NONE));
    let schema = GameState::SCHEMA.to_string();
    assert!(schema.contains("self_: u8 0..=255, to: u8 0..=7, from: f32 float interpolate"), "{schema}");
    assert!(
        schema.contains("fields: u8 0..=9, words: [u8; WORDS] x2 0..=7, max: i64 3..=1099511627776"),
        "{schema}"
    );
    assert!(schema.contains("wire_max: f32 -7 + 0.5 * 0..=142"), "{schema}");
    assert!(schema.contains("type: i8 -5..=5"), "{schema}");
}

#[test]
fn interpolation_reads_the_right_sides() {
    use ecs_runtime::Component as _;
    let from = Names { from: 1.0, t: 0.2, to: 3, ..Names::default() };
    let to = Names { from: 2.0, t: 0.4, to: 4, ..Names::default() };
    let mut middle = from;
    middle.interpolate(&from, &to, 0.5);
    assert_eq!((middle.from, middle.to), (1.5, 3));
    assert!((middle.t - 0.3).abs() < 1e-6);
}
