//! What leads from one schema to another, and what that does to connections and to saved data.

use core::fmt;
use std::collections::{HashMap, HashSet};

use super::document::{FieldDocument, SchemaDocument, StructDocument};

/// One difference between two schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is about: `component Health`, `component Health, field hp`.
    pub place: String,
    /// Which part of a schema that is.
    pub part: SchemaPart,
    /// What happened to it.
    pub what: What,
}

/// A part of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaPart {
    /// The largest number of entities.
    MaxEntities,
    /// A component.
    Component {
        /// Whether it is sent, in the schema that has it.
        sent: bool,
    },
    /// A command or an event.
    Message,
    /// A field of a component.
    ComponentField {
        /// Whether it is sent, in the schema that has it.
        sent: bool,
    },
    /// A field of a command or an event.
    MessageField,
}

/// What happened to a part of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It is at another place in the order.
    Moved,
    /// Its numbers have another range or another step: what it was, and what it is.
    Changed(String, String),
    /// It has another type, or is made of other parts: what it was, and what it is.
    Retyped(String, String),
    /// Its marks are others, and its values the same: what it was, and what it is.
    Marked(String, String),
    /// Whether it is sent changed: whether it is now.
    Sent(bool),
    /// It is called otherwise, as it seems: everything but the name is the same. The new name.
    Renamed(String),
}

impl Difference {
    /// What it does to a connection. Any difference makes both sides refuse each other until both are built from the same
    /// schema; this is what costs more or less from then on.
    #[must_use]
    pub fn on_the_wire(&self) -> &'static str {
        use SchemaPart::{Component, ComponentField, MaxEntities, Message, MessageField};
        match (&self.what, self.part) {
            (What::Sent(true), _) => "its values are sent from now on",
            (What::Sent(false), _) => "its values are sent no more",
            (_, Component { sent: false } | ComponentField { sent: false }) => "nothing: it is not sent",
            (What::Moved, _) => "another order of the same bits",
            (What::Renamed(_) | What::Marked(..), _) => "the same bits",
            (_, MaxEntities) => "references take other numbers of bits",
            (What::Added, Component { .. }) => {
                "a bit more in each entity that is new or changes its components"
            }
            (What::Removed, Component { .. }) => {
                "a bit less in each entity that is new or changes its components"
            }
            (What::Added | What::Removed, Message) => "nothing but its own messages",
            (What::Added, ComponentField { .. } | MessageField) => "its bits are sent, too",
            (What::Removed, ComponentField { .. } | MessageField) => "its bits are sent no more",
            (What::Changed(..) | What::Retyped(..), _) => "other bits for each value",
        }
    }

    /// What it does to data that was saved with the old schema. Saved data is found by names.
    #[must_use]
    pub fn in_saves(&self) -> &'static str {
        use SchemaPart::{Component, ComponentField, MaxEntities, Message, MessageField};
        match (&self.what, self.part) {
            (_, Message | MessageField) => "nothing: it is not saved",
            (_, MaxEntities) => "an old save with more entities than the new maximum does not fit",
            (What::Added, ComponentField { .. }) => "old saves give it its default",
            (What::Added, Component { .. }) => "no entity of an old save has it",
            (What::Removed, _) => "its values in old saves are dropped",
            (What::Moved | What::Marked(..) | What::Sent(_), _) => "nothing",
            (What::Renamed(_), _) => "its values in old saves are dropped, unless a migration renames them",
            (What::Changed(..), _) => "old values are read into the new range, and saturate outside of it",
            (What::Retyped(..), _) => {
                "its values in old saves may not be what can be read now: convert them in a migration"
            }
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names come from a file: what a terminal would obey is escaped.
        let shown = |text: &str| text.escape_debug().to_string();
        write!(f, "{}: ", shown(&self.place))?;
        match &self.what {
            What::Added => f.write_str("added"),
            What::Removed => f.write_str("removed"),
            What::Moved => f.write_str("moved"),
            What::Renamed(name) => write!(f, "renamed to {}, as it seems", shown(name)),
            What::Sent(true) => f.write_str("sent from now on"),
            What::Sent(false) => f.write_str("marked dont_send"),
            What::Changed(from, to) | What::Retyped(from, to) | What::Marked(from, to) => {
                write!(f, "changed from `{}` to `{}`", shown(from), shown(to))
            }
        }
    }
}

impl SchemaDocument {
    /// What leads from `old` to this schema, in the order of this one; nothing if they are the same.
    pub fn diff(&self, old: &Self) -> impl Iterator<Item = Difference> {
        let mut all = Vec::new();
        if old.max_entities != self.max_entities {
            let what = What::Changed(old.max_entities.to_string(), self.max_entities.to_string());
            all.push(Difference { place: "max_entities".into(), part: SchemaPart::MaxEntities, what });
        }
        let lists = [
            ("component", SchemaPart::Component { sent: true }, &old.components, &self.components),
            ("command", SchemaPart::Message, &old.commands, &self.commands),
            ("event", SchemaPart::Message, &old.events, &self.events),
        ];
        for (kind, part, old, new) in lists {
            let same = |a: &StructDocument, b: &StructDocument| {
                a.fields == b.fields && a.sent == b.sent && a.marks == b.marks
            };
            compare(
                old,
                new,
                |of| &of.name,
                same,
                |name, what| {
                    let place = format!("{kind} {name}");
                    match what {
                        Compared::Both(old, new) => old.compare(new, part, &place, &mut all),
                        Compared::Other(of, what) => all.push(Difference { place, part: part.of(of), what }),
                    }
                },
            );
        }
        all.into_iter()
    }
}

impl SchemaPart {
    /// The same part, of a struct that is sent or not.
    fn of(self, of: &StructDocument) -> Self {
        match self {
            Self::Component { .. } => Self::Component { sent: of.sent },
            other => other,
        }
    }
}

impl FieldDocument {
    /// Whether it is one number, of which only the range can change.
    fn is_number(&self) -> bool {
        let numbers = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64", "bool"];
        numbers.contains(&&*self.type_name)
    }
}

impl StructDocument {
    fn compare(&self, new: &Self, part: SchemaPart, place: &str, all: &mut Vec<Difference>) {
        let part = part.of(new);
        let mut tell = |what| all.push(Difference { place: place.to_owned(), part, what });
        if self.sent != new.sent {
            tell(What::Sent(new.sent));
        }
        if self.marks != new.marks {
            tell(What::Marked(self.marks.join(" "), new.marks.join(" ")));
        }
        let same = |a: &FieldDocument, b: &FieldDocument| a.to_string() == b.to_string();
        compare(
            &self.fields,
            &new.fields,
            |field| &field.name,
            same,
            |name, what| {
                let (place, of) = (
                    format!("{place}, field {name}"),
                    match what {
                        Compared::Both(_, of) | Compared::Other(of, _) => of,
                    },
                );
                let part = match part {
                    SchemaPart::Component { sent } => SchemaPart::ComponentField { sent: sent && of.sent },
                    _ => SchemaPart::MessageField,
                };
                let mut tell = |what| all.push(Difference { place: place.clone(), part, what });
                match what {
                    Compared::Both(old, new) if same(old, new) => {}
                    Compared::Both(old, new) => {
                        let texts = (old.to_string(), new.to_string());
                        tell(
                            match (old.sent == new.sent, old.type_name == new.type_name, old.form == new.form)
                            {
                                (_, false, _) => What::Retyped(texts.0, texts.1),
                                (false, ..) => What::Sent(new.sent),
                                (.., true) => What::Marked(texts.0, texts.1),
                                _ if old.is_number() && new.is_number() => What::Changed(texts.0, texts.1),
                                _ => What::Retyped(texts.0, texts.1),
                            },
                        );
                    }
                    Compared::Other(_, what) => tell(what),
                }
            },
        );
    }
}

enum Compared<'a, T> {
    Both(&'a T, &'a T),
    Other(&'a T, What),
}

/// Goes through two lists of named things: what is in both, and what came, went, moved or was renamed.
fn compare<'a, T>(
    old: &'a [T],
    new: &'a [T],
    name: impl Fn(&'a T) -> &'a str,
    same: impl Fn(&T, &T) -> bool,
    mut tell: impl FnMut(&str, Compared<'a, T>),
) {
    let places = |list: &'a [T]| list.iter().map(&name).zip(0..).collect::<HashMap<&str, usize>>();
    let (in_old, in_new) = (places(old), places(new));
    let mut renamed = HashSet::new();
    for (at, gone) in old.iter().enumerate().filter(|(_, old)| !in_new.contains_key(name(old))) {
        // What has its place and its content, under a name that is new, is what it became.
        let heir = new.get(at).filter(|heir| !in_old.contains_key(name(heir)) && same(gone, heir));
        match heir {
            Some(heir) => {
                renamed.insert(name(heir));
                tell(name(gone), Compared::Other(gone, What::Renamed(name(heir).to_owned())));
            }
            None => tell(name(gone), Compared::Other(gone, What::Removed)),
        }
    }
    // Of those in both, as many as possible keep their order; the others moved.
    let kept: Vec<usize> = new.iter().filter_map(|of| in_old.get(name(of)).copied()).collect();
    let stayed: HashSet<usize> = longest_rise(&kept).into_iter().collect();
    for of in new {
        match in_old.get(name(of)) {
            Some(&at) => {
                if !stayed.contains(&at) {
                    tell(name(of), Compared::Other(of, What::Moved));
                }
                tell(name(of), Compared::Both(&old[at], of));
            }
            None if renamed.contains(name(of)) => {}
            None => tell(name(of), Compared::Other(of, What::Added)),
        }
    }
}

/// The longest subsequence that goes up, by patience sorting.
fn longest_rise(numbers: &[usize]) -> Vec<usize> {
    // By length: where the subsequence with the smallest end ends; and by place: where the number before it is.
    let (mut ends, mut before) = (Vec::<usize>::new(), Vec::with_capacity(numbers.len()));
    for (at, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|&end| numbers[end] < *number);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let rise = core::iter::successors(ends.last().copied(), |&at| before[at]);
    rise.map(|at| numbers[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, form: &str) -> FieldDocument {
        FieldDocument {
            name: name.into(),
            type_name: "u8".into(),
            form: form.into(),
            marks: Vec::new(),
            sent: true,
        }
    }

    fn of(name: &str, fields: &[FieldDocument]) -> StructDocument {
        StructDocument {
            name: name.into(),
            sent: true,
            marks: Vec::new(),
            fields: fields.to_vec(),
            words: 0,
            bits: 0,
        }
    }

    fn schema(components: &[StructDocument]) -> SchemaDocument {
        SchemaDocument {
            hash: String::new(),
            max_entities: 64,
            components: components.to_vec(),
            commands: Vec::new(),
            events: Vec::new(),
        }
    }

    fn told(old: &SchemaDocument, new: &SchemaDocument) -> Vec<String> {
        new.diff(old).map(|difference| difference.to_string()).collect()
    }

    #[test]
    fn every_kind_of_change_is_told_with_its_place() {
        let (hp, armor) = (field("hp", "0..=100"), field("armor", "0..=9"));
        let old = schema(&[of("Health", &[hp.clone(), armor.clone()]), of("Tag", &[]), of("Gone", &[])]);
        assert_eq!(told(&old, &old), [""; 0]);
        let mut new =
            schema(&[of("Tag", &[]), of("Health", &[field("hp", "0..=200"), field("shield", "0..=9")])]);
        new.max_entities = 128;
        assert_eq!(
            told(&old, &new),
            [
                "max_entities: changed from `64` to `128`",
                "component Gone: removed",
                "component Tag: moved",
                "component Health, field armor: renamed to shield, as it seems",
                "component Health, field hp: changed from `u8 0..=100` to `u8 0..=200`",
            ]
        );
        let new = schema(&[of("Health", &[hp, armor]), of("Tag", &[]), of("New", &[field("a", "flag")])]);
        assert_eq!(told(&old, &new), ["component Gone: removed", "component New: added"]);
    }

    #[test]
    fn each_change_says_what_it_does() {
        let old = schema(&[of("Health", &[field("hp", "0..=100")])]);
        let new = schema(&[of("Health", &[field("hp", "0..=200"), field("armor", "0..=9")])]);
        let effects: Vec<_> = new.diff(&old).map(|of| (of.on_the_wire(), of.in_saves())).collect();
        assert_eq!(
            effects,
            [
                (
                    "other bits for each value",
                    "old values are read into the new range, and saturate outside of it"
                ),
                ("its bits are sent, too", "old saves give it its default"),
            ]
        );
    }

    #[test]
    fn what_is_not_sent_or_only_marked_changes_no_bits() {
        let old = schema(&[of("Health", &[field("hp", "0..=100")])]);
        let mut new = old.clone();
        new.components[0].marks.push("singleton".into());
        new.components[0].fields[0].marks.push("interpolate".into());
        new.components[0].fields.push(FieldDocument { sent: false, ..field("note", "dont_send") });
        new.events.push(of("Boom", &[]));
        let mut told = new.diff(&old);
        assert!(
            told.by_ref().take(2).all(|of| (of.on_the_wire(), of.in_saves()) == ("the same bits", "nothing"))
        );
        assert_eq!(told.next().map(|of| of.on_the_wire()), Some("nothing: it is not sent"));
        let unsent =
            |fields: &[FieldDocument]| schema(&[StructDocument { sent: false, ..of("Note", fields) }]);
        let [none, some] = [unsent(&[]), unsent(&[field("text", "0..=9")])];
        let wire = |old, new: &SchemaDocument| new.diff(old).map(|of| of.on_the_wire()).collect::<Vec<_>>();
        assert_eq!(wire(&none, &some), ["nothing: it is not sent"]);
        assert_eq!(wire(&schema(&[]), &some), ["nothing: it is not sent"]);
        assert_eq!(told.next().map(|of| of.in_saves()), Some("nothing: it is not saved"));
        let parts = |form| FieldDocument { type_name: "Order".into(), ..field("now", form) };
        let [old_parts, new_parts] =
            ["Order [A {}, B {}]", "Order [A {}]"].map(|form| schema(&[of("Unit", &[parts(form)])]));
        let lost = new_parts.diff(&old_parts).next().expect("it changed");
        assert!(matches!(lost.what, What::Retyped(..)), "B cannot be read: {lost}");
        let retyped =
            schema(&[of("Health", &[FieldDocument { type_name: "Text<8>".into(), ..field("hp", "text") }])]);
        let told = retyped.diff(&old).next().map(|of| of.in_saves());
        assert_eq!(
            told,
            Some("its values in old saves may not be what can be read now: convert them in a migration")
        );
    }

    #[test]
    fn one_that_moved_is_one_and_odd_names_are_escaped() {
        let names = ["A", "B", "C", "D"];
        let old = schema(&names.map(|name| of(name, &[])));
        let mut rotated = old.clone();
        rotated.components.rotate_left(1);
        assert_eq!(told(&old, &rotated), ["component A: moved"]);
        let odd = schema(&[of("A\u{1b}[2J", &[])]);
        assert_eq!(told(&schema(&[of("B", &[field("x", "flag")])]), &odd)[1], "component A\\u{1b}[2J: added");
    }

    #[test]
    fn what_is_no_schema_is_an_error_with_its_place() {
        let error = |text: &str| SchemaDocument::from_json(text).expect_err("no schema").to_string();
        assert!(error("{").starts_with("no schema, at line 1, column 1: EOF"), "{}", error("{"));
        let unknown = error("{\n  \"hash\": \"\", \"colour\": 1\n}");
        assert!(unknown.starts_with("no schema, at line 2, column 22: unknown field `colour`"), "{unknown}");
        let twice = schema(&[of("A", &[]), of("A", &[])]).to_json();
        assert_eq!(error(&twice), "no schema, at line 0, column 0: `A` is there twice");
        let twice = schema(&[of("A", &[field("x", ""), field("x", "")])]).to_json();
        assert_eq!(error(&twice), "no schema, at line 0, column 0: the field `x` of `A` is there twice");
    }
}
