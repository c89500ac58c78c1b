//! Every mistake that the macros report: on which token, and in which words. One snapshot for each theme.

use std::fmt::Write as _;

/// What the macros report of a file, like a compiler: each line with a mistake, carets under it, and the message.
fn report(source: &str) -> String {
    let errors = ecs_codegen::expand_file(source).expect_err("the source has mistakes");
    let mut report = String::new();
    for error in errors {
        let (start, end) = (error.span().start(), error.span().end());
        // Lines count from 1; what belongs to the whole macro call has no place of its own.
        let line = source.lines().nth(start.line - 1).filter(|_| start != end).unwrap_or("(the macro call)");
        let end = if end.line == start.line { end.column } else { line.len() };
        let width = end.saturating_sub(start.column).max(1);
        let indent = line.len() - line.trim_start().len();
        let before = start.column.saturating_sub(indent);
        writeln!(report, "{}\n{:before$}{:^<width$}\n  {error}\n", line.trim(), "", "")
            .expect("writes to memory");
    }
    report
}

/// A component with these fields.
fn fields(fields: &str) -> String {
    report(&format!("#[component]\nstruct Tank {{\n{fields}\n}}"))
}

macro_rules! snapshot {
    ($report:expr) => {
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!($report);
        });
    };
}

#[test]
fn misspelt_and_repeated_attributes() {
    snapshot!(fields(
        "
        #[maxx(5)] a: u8,
        #[rnage(1..=5)] b: u8,
        #[dontsend] c: u8,
        #[interpolated] d: f32,
        #[max(5)] #[max(6)] e: u8,
        #[interpolate] #[interpolate] f: f32,
        #[cfg(debug_assertions)] g: u8,
        #[quantize(min = 0.0f32, max = 8.0f32, step = 0.5f32)] suffixed: f32,
        #[serde(skip)] #[allow(dead_code)] foreign: u8,
        "
    ));
}

#[test]
fn items_inside_themselves() {
    snapshot!(report(
        "
        #[value] struct Chain { next: Option<Chain> }
        #[value] enum Tree { Leaf, Branches([Self; 2]) }
        #[component] struct Tank { #[dont_send] inner: List<Tank, 2>, other: medieval::Tank }
        "
    ));
}

#[test]
fn arguments_of_attributes() {
    snapshot!(fields(
        "
        #[max] a: u8,
        #[max = 5] b: u8,
        #[max(1, 2)] c: u8,
        #[range(5)] d: u8,
        #[range(0..5)] e: u8,
        #[range(..=5)] f: u8,
        #[quantize] g: f32,
        #[quantize(0.0, 1.0, 0.1)] h: f32,
        #[quantize(min = 0.0, max = 1.0)] i: f32,
        #[quantize(min = 0.0, max = 1.0, step = 0.1, min = 0.5)] j: f32,
        #[quantize(min = 0.0, max = 1.0, steps = 0.1)] k: f32,
        #[angle(12)] l: f32,
        #[angle()] m: f32,
        #[default] n: f32,
        #[interpolate(false)] o: f32,
        #[dont_send(ever)] p: f32,
        "
    ));
}

#[test]
fn attributes_that_contradict_each_other() {
    snapshot!(fields(
        "
        #[max(5)] #[range(1..=5)] a: u8,
        #[angle(bits = 3)] #[quantize(min = 0.0, max = 1.0, step = 0.1)] b: f32,
        #[dont_send] #[max(5)] c: u8,
        #[dont_send] #[interpolate] d: f32,
        #[interpolate] e: bool,
        #[interpolate] f: [Entity; 2],
        #[dont_send] #[predict(linear)] g: f32,
        "
    ));
}

#[test]
fn predictions_of_what_does_not_move() {
    snapshot!(fields(
        "
        #[predict] a: f32,
        #[predict(cubic)] b: f32,
        #[predict(linear)] c: bool,
        #[predict(linear)] d: Option<f32>,
        #[predict(rotation)] e: [u8; 4],
        #[predict(linear)] #[unit_vector(bits = 8)] #[default([0.0, 0.0, 1.0])] g: [f32; 3],
        #[predict(rotation)] #[rotation(bits = 9)] #[default([0.0, 0.0, 0.0, 1.0])] f: [f32; 4],
        "
    ));
}

#[test]
fn attributes_on_fields_of_another_type() {
    snapshot!(fields(
        "
        #[max(5)] a: f32,
        #[range(1..=5)] b: bool,
        #[quantize(min = 0.0, max = 1.0, step = 0.1)] c: [i32; 2],
        #[angle(bits = 3)] d: Entity,
        #[max(5)] e: Option<Entity>,
        "
    ));
}

#[test]
fn numbers_that_make_no_range() {
    snapshot!(fields(
        "
        #[max(300)] a: u8,
        #[max(-1)] b: i32,
        #[range(-1..=5)] c: u8,
        #[range(5..=-5)] d: [i8; 2],
        #[quantize(min = 1.0, max = -1.0, step = 0.1)] e: f32,
        #[quantize(min = 0, max = 1, step = 0.0)] f: f32,
        #[quantize(min = -1e9, max = 1e9, step = 0.001)] g: f32,
        #[angle(bits = 0)] h: f32,
        #[angle(bits = 25)] i: f32,
        "
    ));
}

#[test]
fn defaults_outside_the_range() {
    snapshot!(fields(
        "
        #[range(5..=10)] a: u8,
        #[range(-10..=-5)] b: [i8; 3],
        #[range(LOWEST..=-5)] c: i8,
        #[max(10)] #[default(11)] d: u8,
        #[max(LIMIT)] #[default(-1)] e: i32,
        #[max(10)] #[default([1, 2, 30])] f: [u8; 3],
        #[max(10)] #[default([[11; 2]; 3])] g: [[u8; 2]; 3],
        #[quantize(min = 1.0, max = 2.0, step = 0.1)] h: f32,
        #[quantize(min = 1.0, max = 2.0, step = 0.1)] #[default(2.5)] i: f32,
        #[max(9)] #[default(Some(10))] option: Option<u8>,
        #[quantize(min = 1.0, max = 2.0, step = 0.1)] vector: glam::Vec3,
        #[rotation(bits = 9)] j: [f32; 4],
        #[unit_vector(bits = 9)] k: [[f32; 3]; 2],
        #[unit_vector(bits = 9)] l: glam::Vec3,
        #[rotation(bits = 9)] #[default([0.0; 4])] m: [f32; 4],
        #[unit_vector(bits = 9)] #[default([0.0, 0.0, -0.0])] n: [f32; 3],
        #[rotation(bits = 9)] starts_as_none: glam::Quat,
        #[rotation(bits = 9)] starts_empty: Option<[f32; 4]>,
        "
    ));
}

#[test]
fn types_that_no_field_may_have() {
    snapshot!(fields(
        "
        a: f64,
        b: usize,
        c: i128,
        d: char,
        e: String,
        f: Vec<u8>,
        g: (u8, u8),
        h: &'static str,
        i: [u8],
        j: Option<u8>,
        k: Box<Entity>,
        l: Team,
        m: fn(),
        n: [[u64; 0]; 2],
        o: [Option<Option<Entity>>; 2],
        p: Option<Option<u8>>,
        q: Text<0>,
        "
    ));
}

#[test]
fn items_that_are_no_plain_struct() {
    snapshot!(report(
        "
        #[component] enum Team { Red, Blue }
        #[component] union Bits { a: u32, b: f32 }
        #[component] struct Generic<T> { value: T }
        #[component] struct Borrowing<'a> { name: &'a str }
        #[component] struct Bounded where u8: Copy { value: u8 }
        #[component] struct Tuple(u8, u8);
        #[component] struct Crate { value: u8 }
        #[component] #[derive(Clone, Default)] struct Derived { value: u8 }
        "
    ));
}

#[test]
fn attributes_on_structs() {
    snapshot!(report(
        "
        #[component(table = healths)] struct Health { hp: u8 }
        #[component] #[max(5)] struct Armor { plates: u8 }
        #[component] #[dontsend] struct Secret { key: u8 }
        #[component] #[dont_send(please)] struct Hidden { key: u8 }
        #[component] #[dont_send] #[dont_send] struct Twice { key: u8 }
        "
    ));
}

#[test]
fn too_many_fields() {
    let many: String = (0..65).map(|i| format!("field_{i}: bool,\n")).collect();
    snapshot!(fields(&many));
}

#[test]
fn commands() {
    snapshot!(report(
        "
        #[command] #[dont_send] struct Input {
            #[dont_send] jump: bool,
            #[interpolate] aim: f32,
        }
        #[command(reliable)] struct Chat { text: [u8; 32] }
        #[command] enum Order { Wait, Follow }
        "
    ));
}

#[test]
fn settings_of_the_state() {
    snapshot!(report("game_state! { Health }"));
    snapshot!(report(
        "
        ecs_runtime::game_state! {
            max_entities = 0;
            max_entities = 1048577;
            max_entitys = 5;
            commands = [Input, Input];
            commands = [Other];
            Health
        }
        "
    ));
    snapshot!(report("game_state! { max_entities = 4096, Health, }"));
    snapshot!(report("game_state! { max_entities = 2_000_000; Health }"));
    snapshot!(report("game_state! { max_entities: 64; Health }"));
}

#[test]
fn lists_of_components() {
    snapshot!(report("game_state! { max_entities = 1; }"));
    snapshot!(report(
        "
        ecs_runtime::game_state! {
            max_entities = 4096;
            Health,
            combat::Health,
            Health as others,
            Id,
            Mouse as type,
            A,
            Table<Health>,
            Damage damages,
            Weapon Ammo,
            crate::Armor,
        }
        "
    ));
}

#[test]
fn indices_and_relations() {
    snapshot!(report(
        "
        #[component(index(a), key(a, a), index(a, e), key(a, b), index(a, b), index)]
        #[index]
        struct Tank {
            #[index] #[unique] a: u8,
            #[index(3)] b: u8,
            #[relation] c: u8,
            #[relation(delete)] d: Entity,
            #[relation] #[index] e: List<Option<Entity>, 3>,
            #[uniqe] f: u8,
        }
        #[component(on_add, on_remove = 5, on_ad = f, on_add = a, on_add = b)] struct Gun;
        #[component(key(a, b))] struct Pair(u8, u8);
        #[command] struct Input { #[index] a: u8, #[relation] b: Entity }
        #[value] struct Inner { #[unique] a: u8 }
        "
    ));
}
