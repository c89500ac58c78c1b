//! Components and values as data, and templates that are read from it.

use ecs_runtime::data::Data;
use ecs_runtime::prelude::*;
use ecs_runtime::world::{Template, TemplateFault, Templates};

use crate::GameState;
use crate::fixtures::integers::Integers;
use crate::fixtures::options_and_lists::Squad;
use crate::fixtures::tag::Invincible;
use crate::fixtures::text::Named;
use crate::fixtures::tuple::Ammo;
use crate::fixtures::value_enum::{Order, Orders};
use crate::fixtures::value_struct::{Bag, Item};

#[component]
pub struct Kit {
    #[default(Item { count: 7, wear: 0.25 })]
    pub best: Item,
    #[max(50)]
    pub counts: [u8; 3],
}

fn saved<T: Data>(value: &T) -> String {
    let mut json = Vec::new();
    value.save(&mut serde_json::Serializer::new(&mut json)).expect("written to memory");
    String::from_utf8(json).expect("JSON is UTF-8")
}

fn loaded<T: Data>(json: &str) -> Result<T, String> {
    T::load(&mut serde_json::Deserializer::from_str(json)).map_err(|error| error.to_string())
}

/// What is written is what is read.
#[track_caller]
fn both_ways<T: Data + PartialEq + core::fmt::Debug>(value: T, json: &str) {
    assert_eq!(saved(&value), json);
    assert_eq!(loaded::<T>(json), Ok(value));
}

#[test]
fn values_are_written_and_read_as_one_would_by_hand() {
    both_ways(i64::MIN, "-9223372036854775808");
    both_ways(Entity::new(3, 5), "[3,5]");
    both_ways(Entity::NONE, "null");
    both_ways(Some(f32::INFINITY), r#""inf""#);
    both_ways([f64::NEG_INFINITY, 2.5], r#"["-inf",2.5]"#);
    assert_eq!(saved(&Some(f32::NAN)), r#""NaN""#);
    assert!(loaded::<Option<f32>>(r#""NaN""#).is_ok_and(|read| read.is_some_and(f32::is_nan)));
    both_ways([[1u8, 2], [3, 4]], "[[1,2],[3,4]]");
    both_ways([Some(1u16), None], "[1,null]");
    let mut list = List::<Text<4>, 3>::new();
    list.push(Text::cut("ab")).expect("room");
    both_ways(list, r#"["ab"]"#);
    both_ways(Item { count: 3, wear: 0.5 }, r#"{"count":3,"wear":0.5}"#);
    both_ways(Order::Wait, r#""Wait""#);
    both_ways(Order::Walk { to: [1.0, 2.5], other: true }, r#"{"Walk":{"to":[1.0,2.5],"other":true}}"#);
    both_ways(Order::Follow(Entity::NONE, 7), r#"{"Follow":[null,7]}"#);
    assert_eq!(loaded::<Item>("[9]"), Ok(Item { count: 9, wear: 1.0 }), "what is missing has its default");
    assert_eq!(loaded::<Order>(r#"{"Wait":{}}"#), Ok(Order::Wait));
}

#[test]
fn what_is_no_value_is_an_error_that_says_why() {
    let error = |read: Result<(), String>| read.expect_err("no value");
    let ignored = |_| ();
    assert_eq!(error(loaded::<Entity>("[3,4]").map(|_| ())), "an entity's generation must be odd");
    assert!(error(loaded::<[u8; 2]>("[1]").map(|_| ())).contains("expected 2 elements"));
    assert!(error(loaded::<List<u8, 2>>("[1,2,3]").map(|_| ())).contains("expected at most 2 elements"));
    assert!(error(loaded::<Text<3>>(r#""long""#).map(|_| ())).contains("a text of 4 bytes does not fit 3"));
    let run = error(loaded::<Order>(r#""Run""#).map(|_| ()));
    assert!(run.contains("there is no `Run`, only Wait, Hold, Walk, Follow"), "{run}");
    let two = error(loaded::<Order>(r#"{"Wait":{},"Hold":{}}"#).map(|_| ()));
    assert!(two.contains("invalid length 2"), "{two}");
    let colour = error(loaded::<Item>(r#"{"colour":1}"#).map(|_| ()));
    assert!(colour.contains("there is no field `colour`, only count, wear"), "{colour}");
    let twice = error(loaded::<Item>(r#"{"count":1,"count":2}"#).map(ignored));
    assert!(twice.contains("the field `count` is there twice"), "{twice}");
    assert!(error(loaded::<f32>(r#""many""#).map(|_| ())).contains(r#"expected a number, "NaN", "inf""#));
    assert!(error(loaded::<Item>("[1,1.0,2]").map(|_| ())).contains("more elements than there are fields"));
    assert!(error(loaded::<Item>(r#"{"count":"one"}"#).map(|_| ())).contains("field `count`: invalid type"));
}

#[test]
fn a_template_is_made_in_code_and_its_entities_begin_with_it() -> Result<(), Box<dyn std::error::Error>> {
    let mut gs = GameState::default();
    let template = Template::new().with(Ammo(3, [true; 2])).with(Invincible).with(Ammo(5, [false; 2]));
    assert_eq!(template.names().collect::<Vec<_>>(), ["Invincible", "Ammo"]);
    let (first, second) = (template.spawn(&mut gs)?, template.spawn(&mut gs)?);
    gs.ammos.get_mut(first).ok_or("there")?.0 = 1;
    assert_eq!(gs.ammos.get(second), Some(&Ammo(5, [false; 2])), "each has its own");
    let third = gs.spawn((Ammo(9, [true; 2]), Integers::default()))?;
    template.add_to(&mut gs, third)?;
    assert_eq!((gs.ammos.get(third), gs.entity(third)?.has_invincible()), (Some(&Ammo(5, [false; 2])), true));
    Ok(())
}

const FILE: &str = r#"{
    "guard": {
        "Integers": { "hp": 250, "alive": true },
        "Invincible": {},
        "Ammo": [30, [true, false]]
    },
    "squad": {
        "Squad": { "morale": 40, "members": [[1, 3], [2, 3]], "marks": [null, [1, -1]] },
        "Named": { "name": "Alpha" },
        "Orders": { "now": { "Walk": { "to": [10.0, 0.0] } } },
        "Bag": { "items": [{ "count": 2 }, {}] }
    },
    "nothing": {}
}"#;

#[test]
fn what_a_file_leaves_out_of_a_field_keeps_the_default_of_that_field() {
    let templates = Templates::<GameState>::from_json(r#"{ "a": { "Kit": { "best": { "count": 9 } } } }"#);
    let mut gs = GameState::default();
    let entity = templates.expect("a template").get("a").expect("there").spawn(&mut gs).expect("room");
    assert_eq!(gs.kits.get(entity), Some(&Kit { best: Item { count: 9, wear: 0.25 }, counts: [0; 3] }));
}

#[test]
fn templates_are_read_from_a_file() -> Result<(), Box<dyn std::error::Error>> {
    let templates = Templates::<GameState>::from_json(FILE)?;
    assert_eq!(templates.names().collect::<Vec<_>>(), ["guard", "nothing", "squad"]);
    let mut gs = GameState::default();
    let guard = templates.get("guard").ok_or("a guard")?.spawn(&mut gs)?;
    let squad = templates.get("squad").ok_or("a squad")?.spawn(&mut gs)?;
    assert!(templates.get("tank").is_none());
    let integers = gs.integers.get(guard).ok_or("there")?;
    assert_eq!((integers.hp, integers.gear, integers.alive), (250, 0, true));
    assert_eq!(gs.ammos.get(guard), Some(&Ammo(30, [true, false])));
    let expected = Squad { morale: Some(40), ..Squad::default() };
    let read = gs.squads.get(squad).ok_or("there")?;
    assert_eq!((read.morale, read.leader, read.members.len()), (expected.morale, None, 2));
    assert_eq!(read.marks, [None, Some([1, -1])]);
    assert_eq!(gs.nameds.get(squad).map(|named: &Named| named.name), Some(Text::cut("Alpha")));
    let orders = Orders { now: Order::Walk { to: [10.0, 0.0], other: false } };
    assert_eq!(gs.order_lists.get(squad), Some(&orders));
    let bag: &Bag = gs.bags.get(squad).ok_or("there")?;
    assert_eq!(bag.items, [Item { count: 2, wear: 1.0 }, Item { count: 0, wear: 1.0 }]);
    Ok(())
}

#[test]
fn a_mistake_in_a_file_is_a_typed_error_with_line_and_place() {
    let cases = [
        (r#"{ "a": { "Armor": {} } }"#, "line 1, column 16, template `a`: there is no component `Armor`"),
        ("{\n\"a\": {},\n\"a\": {} }", "line 3, column 3: `a` is there twice"),
        (
            r#"{ "a": { "Ammo": [1], "Ammo": [2] } }"#,
            "line 1, column 28, template `a`: `Ammo` is there twice",
        ),
        (
            "{ \"a\": {\n  \"Integers\": {\n    \"hp\": 1001,\n    \"gear\": 1 } } }",
            "line 3, column 8, template `a`, component `Integers`: the value of field `hp` is outside its range",
        ),
        (
            "{ \"a\": {\n  \"Integers\": {\n    \"hitpoints\": 5 } } }",
            "line 3, column 15, template `a`, component `Integers`: there is no field `hitpoints`, only hp, gear, score, \
             alive",
        ),
        (
            r#"{ "a": { "Integers": { "hp": "many" } } }"#,
            "line 1, column 27, template `a`, component `Integers`: field `hp`: invalid type: string \"many\", expected i32",
        ),
        (
            "{\n \"a\": {\n  \"Kit\": {\n    \"counts\": [\n      1,\n      51,\n      2]\n\n  }\n }\n}",
            "line 4, column 12, template `a`, component `Kit`: the value of field `counts` is outside its range",
        ),
        (
            "{\n \"a\": {\n  \"Kit\": {\n    \"counts\": [1, \"two\"]\n  }\n }\n}",
            "line 4, column 12, template `a`, component `Kit`: field `counts`: invalid type: string \"two\", expected u8",
        ),
        ("{ \"a\": ", "line 1, column 7, template `a`: EOF while parsing a value"),
        ("{} x", "line 1, column 4: trailing characters"),
        ("[]", "line 1, column 1: invalid type: sequence, expected a map of the names of templates"),
    ];
    let told = cases.map(|(text, _)| {
        let error = Templates::<GameState>::from_json(text).map(|_| ()).expect_err(text);
        error.to_string()
    });
    assert_eq!(told, cases.map(|(_, expected)| format!("at {expected}")));
    let error = Templates::<GameState>::from_json(cases[3].0).map(|_| ()).expect_err("out of range");
    assert_eq!(error.fault, TemplateFault::OutOfRange("hp"));
    let unknown = Templates::<GameState>::from_json(cases[4].0).map(|_| ()).expect_err("unknown");
    assert!(
        matches!(unknown.fault, TemplateFault::UnknownField(name, fields) if name == "hitpoints" && fields.len() == 4)
    );
    assert_eq!((error.template.as_deref(), error.component.as_deref()), (Some("a"), Some("Integers")));
}

#[test]
fn no_cut_of_a_file_is_taken_or_panics() {
    for end in 0..FILE.len() {
        Templates::<GameState>::from_json(&FILE[..end]).map(|_| ()).expect_err("cut");
    }
}
