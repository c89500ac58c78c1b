//! Each type of a field with each attribute: legal, or refused with which message.

use std::fmt::Write as _;

const TYPES: [&str; 19] = [
    "bool",
    "u8",
    "i64",
    "f32",
    "f64",
    "Entity",
    "Option<Entity>",
    "Text<8>",
    "Item",
    "[u8; 4]",
    "[f32; 3]",
    "[f32; 4]",
    "[[f32; 3]; 2]",
    "[Item; 2]",
    "Option<u8>",
    "Option<f32>",
    "List<u8, 4>",
    "List<f32, 4>",
    "List<Option<Item>, 4>",
];

const ATTRIBUTES: [(&str, &str); 13] = [
    ("max", "#[max(9)]"),
    ("range", "#[range(-1..=9)]"),
    ("quantize", "#[quantize(min = -1.0, max = 1.0, step = 0.1)]"),
    ("angle", "#[angle(bits = 8)]"),
    ("rotation", "#[rotation(bits = 8)] #[default(DEFAULT)]"),
    ("unit_vector", "#[unit_vector(bits = 8)] #[default(DEFAULT)]"),
    ("default", "#[default(DEFAULT)]"),
    ("interpolate", "#[interpolate]"),
    ("snap", "#[snap]"),
    ("owner_only", "#[owner_only]"),
    ("owned", "#[owned]"),
    ("dont_send", "#[dont_send]"),
    ("predict", "#[predict(linear)]"),
];

/// The message of a field, or nothing if it is legal.
fn refusal(kind: &str, ty: &str, attribute: &str) -> Option<String> {
    let source = format!("#[{kind}] struct Tank {{ {attribute} field: {ty} }}");
    let errors: Vec<_> =
        ecs_codegen::expand_file(&source).err()?.into_iter().map(|error| error.to_string()).collect();
    assert_eq!(errors.len(), 1, "one mistake is one message: {source}: {errors:?}");
    errors.into_iter().next()
}

#[test]
fn every_type_with_every_attribute() {
    let (mut table, mut messages) = (String::new(), Vec::<String>::new());
    let names: String = ATTRIBUTES.iter().map(|(name, _)| format!("{name:>12}")).collect();
    writeln!(table, "{:<22}{names}", "").expect("memory");
    for ty in TYPES {
        write!(table, "{ty:<22}").expect("memory");
        for (_, attribute) in ATTRIBUTES {
            // A range below zero is a mistake of its own for what has no sign.
            let attribute = attribute.replace("-1..", if ty.contains("u8") { "1.." } else { "-1.." });
            let attribute = match attribute.strip_prefix("#[range(1..") {
                Some(_) if ty.contains("u8") => format!("{attribute} #[default(DEFAULT)]"),
                _ => attribute,
            };
            let cell = refusal("component", ty, &attribute).map_or("ok".to_owned(), |message| {
                let at = messages.iter().position(|other| *other == message).unwrap_or_else(|| {
                    messages.push(message);
                    messages.len() - 1
                });
                format!("{}", at + 1)
            });
            write!(table, "{cell:>12}").expect("memory");
        }
        table.push('\n');
    }
    for (number, message) in (1..).zip(messages) {
        write!(table, "\n{number}: {message}").expect("memory");
    }
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(table);
    });
}

#[test]
fn marks_of_components_are_refused_elsewhere() {
    let mut table = String::new();
    for kind in ["command", "event", "value"] {
        for (name, attribute) in &ATTRIBUTES[7..] {
            let refusal = refusal(kind, "f32", attribute).unwrap_or_else(|| "ok".to_owned());
            writeln!(table, "#[{kind}] with #[{name}]: {refusal}").expect("memory");
        }
    }
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(table);
    });
}
