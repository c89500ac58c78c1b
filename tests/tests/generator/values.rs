//! What the expansions do with values that have parts: structs, enums, options, lists, texts, rotations.

use ecs_runtime::prelude::*;
use ecs_runtime::schema::{is_there, max_bits};
use ecs_runtime::wire::{Row as _, RowReader, RowWriter};
use ecs_runtime::{Component as _, Composite as _, Event as _, Quantize, Value as _};

use crate::GameState;
use crate::fixtures::component_name::{Hull, ship};
use crate::fixtures::doubles::Orbit;
use crate::fixtures::event::{Explosion, Kill};
use crate::fixtures::marks::{Map, Stamina};
use crate::fixtures::options_and_lists::Squad;
use crate::fixtures::rotation::Pose;
use crate::fixtures::singleton::Rules;
use crate::fixtures::text::Named;
use crate::fixtures::tuple::Ammo;
use crate::fixtures::value_enum::{Order, Orders};
use crate::fixtures::value_struct::{Bag, Item};

/// What `value` is after a trip over the wire, and which of its sent fields were saturated.
fn trip<Q: Quantize>(value: &Q) -> (Q, Vec<u64>) {
    let mut row = Q::Row::ZERO;
    let mut saturated = vec![0; Q::SCHEMA.sent_fields().count()];
    value.quantize(&mut RowWriter::new(row.words_mut(), &mut saturated));
    for (at, word) in row.words().iter().enumerate() {
        assert!(*word == 0 || is_there(Q::SCHEMA.words, row.words(), at), "word {at} is not there");
    }
    let mut into = Q::default();
    into.dequantize(&mut RowReader::new(row.words()));
    (into, saturated)
}

fn between<C: ecs_runtime::Component>(from: &C, to: &C, t: f32) -> C {
    let mut out = from.clone();
    out.interpolate(from, to, t);
    out
}

fn entity(index: u32) -> Entity {
    Entity::new(index, 3).expect("an odd generation")
}

#[test]
fn a_struct_in_a_field_starts_travels_and_moves_by_its_own_attributes() {
    let new = Item { count: 0, wear: 1.0 };
    assert_eq!(Bag::default(), Bag { items: [new; 2] });
    let items = [Item { count: 7, wear: 0.5 }, Item { count: 120, wear: 0.25 }];
    let (back, saturated) = trip(&Bag { items });
    assert_eq!(back.items, [Item { count: 7, wear: 0.5 }, Item { count: 99, wear: 0.25 }]);
    assert_eq!(saturated, [1], "counted once for the field of the component");
    let middle = between(&Bag { items: [new; 2] }, &Bag { items }, 0.5);
    assert_eq!(middle.items[1], Item { count: 0, wear: 0.625 });
}

#[test]
fn an_enum_travels_as_its_variant_and_the_fields_of_that_alone() {
    assert_eq!(Orders::default().now, Order::Hold);
    for now in
        [Order::Wait, Order::Hold, Order::Walk { to: [1.0, -2.0], other: true }, Order::Follow(entity(5), 20)]
    {
        let (back, saturated) = trip(&Orders { now });
        assert!(back.same(&Orders { now }), "{back:?}");
        assert_eq!(saturated, [0]);
    }
    assert_eq!(trip(&Orders { now: Order::Follow(entity(5), 21) }).1, [1]);
    let walk = |x| Orders { now: Order::Walk { to: [x, 0.0], other: x > 3.0 } };
    assert_eq!(between(&walk(0.0), &walk(4.0), 0.25).now, Order::Walk { to: [1.0, 0.0], other: false });
    assert_eq!(between(&walk(0.0), &Orders::default(), 0.5), walk(0.0), "nothing is between two variants");
    assert!(Order::Wait.same(&Order::Wait) && !Order::Wait.same(&Order::Hold));
}

#[test]
fn an_unknown_variant_reads_as_the_first() {
    let mut row = <Orders as Quantize>::Row::ZERO;
    row[0] = 77;
    assert_eq!(Order::dequantize(&mut RowReader::new(&row)), Order::Wait);
}

#[test]
fn options_and_lists_travel_as_far_as_they_are_there() {
    let mut squad = Squad { leader: Some(entity(1)), morale: Some(50), ..Squad::default() };
    for index in 2..5 {
        squad.members.push(entity(index)).expect("room");
    }
    squad.marks.push(Some([-5, 5])).expect("room");
    squad.marks.push(None).expect("room");
    assert_eq!(trip(&squad), (squad, vec![0; 4]));
    squad.morale = Some(101);
    squad.marks.push(Some([6, 0])).expect("room");
    let (back, saturated) = trip(&squad);
    assert_eq!((back.morale, back.marks[2]), (Some(100), Some([5, 0])));
    assert_eq!(saturated, [0, 1, 0, 1]);
    assert_eq!(trip(&Squad::default()), (Squad::default(), vec![0; 4]));
}

#[test]
fn texts_travel_whole() {
    let named =
        Named { name: "Zoë".parse().expect("it fits"), tags: [Text::cut("ab"), Text::cut("long one")] };
    let (back, saturated) = trip(&named);
    assert_eq!((back, saturated), (named, vec![0, 0]));
    assert_eq!((back.name.len(), &*back.tags[1]), (4, "long"));
}

#[test]
fn a_tuple_is_a_component_like_any_other() {
    let mut gs = GameState::default();
    let entity = gs.create_entity().expect("room");
    let mut entity = gs.entity_mut(entity).expect("alive");
    assert_eq!(entity.add_ammo(12, [true, false]), None);
    assert_eq!(entity.ammo(), Some(&Ammo(12, [true, false])));
    assert_eq!(trip(&Ammo(501, [false, true])), (Ammo(500, [false, true]), vec![1, 0]));
    assert_eq!(Ammo::SCHEMA.to_string(), "Ammo { 0: u16 0..=500, 1: [bool; 2] x2 flag }");
}

#[test]
fn rotations_and_directions_keep_their_length_and_turn_the_short_way() {
    let half = core::f32::consts::FRAC_1_SQRT_2;
    let pose = Pose { turn: [0.0, half, 0.0, half], aims: [[0.6, 0.8, 0.0], [0.0, 0.0, -1.0]] };
    let (back, saturated) = trip(&pose);
    assert_eq!(saturated, [0, 0]);
    for (a, b) in back.turn.iter().zip(pose.turn).chain(back.aims[0].iter().zip(pose.aims[0])) {
        assert!((a - b).abs() < 0.002, "{back:?}");
    }
    assert_eq!(back.aims[1], pose.aims[1]);
    let opposite = Pose { turn: pose.turn.map(|number| -number), ..pose };
    let middle = between(&pose, &opposite, 0.5);
    assert!(
        middle.turn.iter().zip(pose.turn).all(|(a, b)| (a - b).abs() < 1e-6),
        "the same rotation: {middle:?}"
    );
}

#[test]
fn doubles_are_kept_exactly_or_in_fine_steps() {
    let orbit = Orbit { exact: 0.1 + 0.2, phase: 0.123_456, at: 1.0 };
    let (back, saturated) = trip(&orbit);
    assert_eq!((back.exact.to_bits(), saturated), (orbit.exact.to_bits(), vec![0; 3]));
    assert!((back.phase - orbit.phase).abs() < 1e-6 && (back.at - 1.0).abs() < 1e-5, "{back:?}");
}

#[test]
fn an_event_says_whether_it_is_reliable() {
    const { assert!(!Explosion::RELIABLE && Kill::RELIABLE) };
    let kill = Kill(entity(1), None);
    assert_eq!(trip(&kill), (kill, vec![0, 0]));
    assert_eq!(
        GameState::SCHEMA.events.iter().map(|event| event.name).collect::<Vec<_>>(),
        ["Explosion", "Kill"]
    );
}

#[test]
fn a_singleton_is_the_states_and_moves_to_whoever_gets_it() {
    let mut gs = GameState::default();
    assert_eq!(gs.rules(), None);
    let (first, second) = (gs.create_entity().expect("room"), gs.create_entity().expect("room"));
    assert_eq!(gs.entity_mut(first).expect("alive").add_rules(5), None);
    gs.rules_mut().expect("there").score_limit += 1;
    assert_eq!(gs.entity_mut(second).expect("alive").add_rules(9), Some(Rules { score_limit: 6 }));
    assert!(!gs.entity(first).expect("alive").has_rules());
    assert_eq!((gs.rules(), gs.rules.len()), (Some(&Rules { score_limit: 9 }), 1));
}

#[test]
fn two_structs_of_one_name_live_side_by_side_under_a_name_of_their_own() {
    let mut gs = GameState::default();
    let entity = gs.create_entity().expect("room");
    let mut entity = gs.entity_mut(entity).expect("alive");
    entity.add_ship_hull(3);
    entity.add_hull(8);
    assert_eq!(
        (entity.ship_hull(), entity.hull()),
        (Some(&ship::Hull { plates: 3 }), Some(&Hull { planks: 8 }))
    );
    assert_eq!((ship::Hull::SCHEMA.name, Hull::SCHEMA.name), ("ship_hull", "Hull"));
}

#[test]
fn a_snapped_field_continues_from_the_wires_value() {
    let mut stamina = Stamina { left: 3.3, drinks: 4 };
    stamina.snap();
    assert_eq!(stamina, Stamina { left: 3.5, drinks: 4 });
    let mut map = Map { north: 0.1 };
    map.snap();
    assert_eq!(map.north, 0.0);
    let marks = |name: &str| {
        let schema = GameState::SCHEMA.components.iter().find(|schema| schema.name == name).expect("listed");
        schema.fields.iter().map(|field| (field.snap, field.owner_only)).collect::<Vec<_>>()
    };
    assert_eq!((marks("Stamina"), marks("Map")), (vec![(true, false), (false, true)], vec![(true, true)]));
}

#[test]
fn the_largest_variant_counts_for_what_fits_a_packet() {
    let sum: usize = Order::FORM.words();
    assert_eq!(sum, 1 + 3 + 3);
    let all = Orders::SCHEMA.words.iter().map(|word| 13 + word.bits() as usize).sum::<usize>();
    assert!(max_bits(Orders::SCHEMA.fields) < all);
}
