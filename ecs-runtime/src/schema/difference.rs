//! What leads from one schema to another, and what that does to connections and to saved data.

use core::fmt;

use super::document::{FieldDocument, SchemaDocument, StructDocument};

/// One difference between two schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is about: `component Health`, `component Health, field hp`.
    pub place: String,
    /// What happened to it.
    pub what: What,
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
    /// It is another: what it was, and what it is.
    Changed(String, String),
    /// It is called otherwise, as it seems: everything but the name is the same. The new name.
    Renamed(String),
}

impl Difference {
    /// What it does to a connection. Any difference makes both sides refuse each other until both are built from the same
    /// schema; this is what costs more or less from then on.
    #[must_use]
    pub fn on_the_wire(&self) -> &'static str {
        let field = self.place.contains(", field ");
        match &self.what {
            What::Added if field => "its words are sent with the component",
            What::Added => "a bit more in each entity that is new or changes its components",
            What::Removed if field => "its words are sent no more",
            What::Removed => "a bit less in each entity that is new or changes its components",
            What::Moved => "another order of the same bits",
            What::Renamed(_) => "the same bits",
            What::Changed(..) => "other bits for each value",
        }
    }

    /// What it does to data that was saved with the old schema. Saved data is found by names.
    #[must_use]
    pub fn in_saves(&self) -> &'static str {
        let field = self.place.contains(", field ");
        match &self.what {
            What::Added if field => "old saves give it its default",
            What::Added => "no entity of an old save has it",
            What::Removed => "its values in old saves are dropped",
            What::Moved => "nothing",
            What::Renamed(_) => {
                "old saves have it under the old name: its values are dropped unless a migration renames it"
            }
            What::Changed(..) => "old values are read into the new range, and saturate outside of it",
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        match &self.what {
            What::Added => f.write_str("added"),
            What::Removed => f.write_str("removed"),
            What::Moved => f.write_str("moved"),
            What::Renamed(name) => write!(f, "renamed to {name}, as it seems"),
            What::Changed(from, to) => write!(f, "changed from `{from}` to `{to}`"),
        }
    }
}

impl SchemaDocument {
    /// What leads from `old` to this schema, in the order of this one; nothing if they are the same.
    pub fn diff(&self, old: &Self) -> impl Iterator<Item = Difference> {
        let mut all = Vec::new();
        let changed = |place: &str, from: String, to: String| Difference {
            place: place.to_owned(),
            what: What::Changed(from, to),
        };
        if old.max_entities != self.max_entities {
            let (from, to) = (old.max_entities.to_string(), self.max_entities.to_string());
            all.push(changed("max_entities", from, to));
        }
        let lists = [
            ("component", &old.components, &self.components),
            ("command", &old.commands, &self.commands),
            ("event", &old.events, &self.events),
        ];
        for (kind, old, new) in lists {
            let same = |a: &StructDocument, b: &StructDocument| {
                a.fields == b.fields && a.sent == b.sent && a.marks == b.marks
            };
            compare(
                old,
                new,
                |of| &of.name,
                same,
                |name, what| match what {
                    Compared::Both(old, new) => old.compare(new, &format!("{kind} {name}"), &mut all),
                    Compared::Other(what) => all.push(Difference { place: format!("{kind} {name}"), what }),
                },
            );
        }
        all.into_iter()
    }
}

impl StructDocument {
    fn compare(&self, new: &Self, place: &str, all: &mut Vec<Difference>) {
        let marks = |of: &Self| {
            let sent = if of.sent { "sent" } else { "dont_send" };
            of.marks.iter().fold(sent.to_owned(), |marks, mark| format!("{marks} {mark}"))
        };
        if marks(self) != marks(new) {
            let what = What::Changed(marks(self), marks(new));
            all.push(Difference { place: place.to_owned(), what });
        }
        let same = |a: &FieldDocument, b: &FieldDocument| a.to_string() == b.to_string();
        compare(
            &self.fields,
            &new.fields,
            |field| &field.name,
            same,
            |name, what| {
                let place = format!("{place}, field {name}");
                match what {
                    Compared::Both(old, new) if same(old, new) => {}
                    Compared::Both(old, new) => {
                        let what = What::Changed(old.to_string(), new.to_string());
                        all.push(Difference { place, what });
                    }
                    Compared::Other(what) => all.push(Difference { place, what }),
                }
            },
        );
    }
}

enum Compared<'a, T> {
    Both(&'a T, &'a T),
    Other(What),
}

/// Goes through two lists of named things: what is in both, and what came, went, moved or was renamed.
fn compare<'a, T>(
    old: &'a [T],
    new: &'a [T],
    name: impl Fn(&'a T) -> &'a str,
    same: impl Fn(&T, &T) -> bool,
    mut tell: impl FnMut(&str, Compared<'a, T>),
) {
    let find = |list: &'a [T], of: &str| list.iter().position(|other| name(other) == of);
    let mut renamed = Vec::new();
    for (at, gone) in old.iter().enumerate().filter(|(_, old)| find(new, name(old)).is_none()) {
        // What has its place and its content, under a name that is new, is what it became.
        let heir = new.get(at).filter(|heir| find(old, name(heir)).is_none() && same(gone, heir));
        match heir {
            Some(heir) => {
                renamed.push(name(heir));
                tell(name(gone), Compared::Other(What::Renamed(name(heir).to_owned())));
            }
            None => tell(name(gone), Compared::Other(What::Removed)),
        }
    }
    // Of those in both, the order counts, whatever came and went between them.
    let kept_old: Vec<_> = old.iter().filter(|of| find(new, name(of)).is_some()).map(&name).collect();
    let kept_new: Vec<_> = new.iter().filter(|of| find(old, name(of)).is_some()).map(&name).collect();
    for of in new {
        match find(old, name(of)) {
            Some(at) => {
                let place = |kept: &[&str]| kept.iter().position(|other| *other == name(of));
                if place(&kept_old) != place(&kept_new) {
                    tell(name(of), Compared::Other(What::Moved));
                }
                tell(name(of), Compared::Both(&old[at], of));
            }
            None if renamed.contains(&name(of)) => {}
            None => tell(name(of), Compared::Other(What::Added)),
        }
    }
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
                "component Health: moved",
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
                ("its words are sent with the component", "old saves give it its default"),
            ]
        );
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
