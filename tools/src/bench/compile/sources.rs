//! The source of the made-up crate: as many components as asked for, and systems that use them.

use std::fmt::Write as _;
use std::path::PathBuf;

/// The name of the crate.
pub(super) const CRATE: &str = "bench-compile";

/// How many components, or systems, are in a file.
pub(super) const GROUP: usize = 16;

/// How many systems there are.
pub(super) const SYSTEMS: usize = 64;

/// How many components a system works with.
const USED: usize = 8;

/// One file of the crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File {
    /// From the crate's folder.
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// The crate.
pub(super) struct Sources {
    pub(super) files: Vec<File>,
    /// What `#[component]` stands above, for each component.
    pub(super) components: Vec<String>,
    /// What is between the braces of `game_state!`.
    pub(super) list: String,
    /// The number in `files` of the file that is edited.
    edited: usize,
}

impl Sources {
    /// `components`: 4 at least, so that the tables of a query are not the same.
    pub(super) fn new(components: u16, fields: u16) -> Self {
        let count = usize::from(components);
        let components: Vec<_> = (0..count).map(|number| component(number, usize::from(fields))).collect();
        let systems: Vec<_> = (0..SYSTEMS).map(|number| system(number, count, usize::from(fields))).collect();
        let mut list = "\n    max_entities = 4096;\n".to_owned();
        for number in 0..count {
            let _ = writeln!(list, "    components::group{}::{},", number / GROUP, name(number));
        }
        let groups = count.div_ceil(GROUP);
        let mut files: Vec<_> =
            components.chunks(GROUP).enumerate().map(|(at, items)| component_file(at, items)).collect();
        files.extend(systems.chunks(GROUP).enumerate().map(|(at, items)| system_file(at, items)));
        files.push(file("src/components/mod.rs", format!("//! The components.\n\n{}", modules(groups))));
        files.push(schedule());
        files.push(file(
            "src/lib.rs",
            format!(
                "//! Made up by `tools bench compile`.\n\npub mod components;\npub mod systems;\n\n\
                 ecs_runtime::game_state! {{{list}}}\n"
            ),
        ));
        Self { files, components, list, edited: groups / 2 }
    }

    /// The file in the middle of the components', with another type for a field.
    pub(super) fn edited(&self) -> File {
        let File { path, text } = &self.files[self.edited];
        File { path: path.clone(), text: text.replacen("pub f0: i32,", "pub f0: i64,", 1) }
    }
}

fn file(path: impl Into<PathBuf>, text: String) -> File {
    File { path: path.into(), text }
}

fn name(number: usize) -> String {
    format!("Component{number}")
}

/// The attributes, the type and a value of a field: by turns what a shooter's components have.
///
/// The first of a component is an integer, which systems count with.
fn field(component: usize, field: usize) -> (String, &'static str, &'static str) {
    let (attributes, ty, value) = match field % 8 {
        // Another range for each component, so that no two have the same fields.
        0 => return (format!("    #[max({})]\n", 1000 + component), "i32", "1"),
        1 => (
            "    #[quantize(min = -512.0, max = 512.0, step = 0.005)]\n    #[interpolate]\n",
            "[f32; 3]",
            "[0.5; 3]",
        ),
        2 => ("", "Entity", "*target"),
        3 => ("", "bool", "true"),
        4 => ("    #[angle(bits = 12)]\n", "f32", "0.25"),
        5 => ("", "u16", "2"),
        6 => ("    #[dont_send]\n", "u32", "3"),
        _ => ("    #[default(50)]\n    #[max(100)]\n", "u8", "4"),
    };
    (attributes.to_owned(), ty, value)
}

fn component(number: usize, fields: usize) -> String {
    let mut text = format!("/// Component {number}.\npub struct {} {{\n", name(number));
    for at in 0..fields {
        let (attributes, ty, _) = field(number, at);
        let _ = writeln!(text, "    /// Field {at}.\n{attributes}    pub f{at}: {ty},");
    }
    text.push_str("}\n");
    text
}

fn component_file(group: usize, components: &[String]) -> File {
    let mut text = format!("//! Components, group {group}.\n\nuse ecs_runtime::prelude::*;\n");
    for component in components {
        // Attributes stand below the documentation, which is the first line.
        let (doc, item) = component.split_once('\n').unwrap_or(("", component));
        let _ = write!(text, "\n{doc}\n#[component]\n{item}");
    }
    file(format!("src/components/group{group}.rs"), text)
}

/// A small system: a query by `for`, one by closure, and every accessor once.
fn system(number: usize, components: usize, fields: usize) -> String {
    let used: [usize; USED] = core::array::from_fn(|at| (number * USED + at) % components);
    let [a, b, c, d, e, f, g, h] = used;
    let values: Vec<_> = (0..fields).map(|at| field(e, at).2).collect();
    let values = values.join(", ");
    format!(
        "/// System {number}.
pub fn system{number}(world: &mut GameState, target: &mut Entity) {{
    for (_, a, b) in (&mut world.component{a}s, &world.component{b}s).iter() {{
        if b.f0 > 10 {{
            a.f0 += 1;
        }}
    }}
    (&mut world.component{c}s, &world.component{d}s).for_each(|entity, (c, d)| {{
        if d.f0 > 5 {{
            c.f0 = 0;
            *target = entity;
        }}
    }});
    if let Ok(mut entity) = world.entity_mut(*target) {{
        if !entity.has_component{e}() {{
            entity.add_component{e}({values});
        }}
        if let Some(f) = entity.component{f}_mut() {{
            f.f0 -= 1;
        }}
        entity.del_component{g}();
    }}
    if let Ok(entity) = world.entity(*target)
        && let Some(h) = entity.component{h}()
        && h.f0 == 0
    {{
        let _ = world.destroy_entity(*target);
    }}
}}
"
    )
}

fn system_file(group: usize, systems: &[String]) -> File {
    let head =
        format!("//! Systems, group {group}.\n\nuse ecs_runtime::prelude::*;\n\nuse crate::GameState;\n\n");
    file(format!("src/systems/group{group}.rs"), head + &systems.join("\n"))
}

fn schedule() -> File {
    let mut text = format!(
        "//! The systems.\n\n{}\nuse ecs_runtime::{{Entity, Schedule}};\n\nuse crate::GameState;\n\n\
         /// All systems.\npub fn schedule() -> Schedule<GameState, Entity> {{\n    Schedule::new()\n",
        modules(SYSTEMS.div_ceil(GROUP))
    );
    for number in 0..SYSTEMS {
        let _ = writeln!(text, "        .then(\"system{number}\", group{}::system{number})", number / GROUP);
    }
    text.push_str("}\n");
    file("src/systems/mod.rs", text)
}

fn modules(groups: usize) -> String {
    (0..groups).fold(String::new(), |mut text, group| {
        let _ = writeln!(text, "pub mod group{group};");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str, part: &str) -> usize {
        text.matches(part).count()
    }

    #[test]
    fn the_crate_has_as_many_components_fields_and_systems_as_asked_for() {
        let sources = Sources::new(40, 9);
        let all: String = sources.files.iter().map(|file| file.text.as_str()).collect();
        assert_eq!((sources.components.len(), count(&all, "#[component]")), (40, 40));
        assert_eq!(count(&all, "    pub f"), 40 * 9);
        assert_eq!((count(&all, "pub fn system"), count(&all, ".then(")), (SYSTEMS, SYSTEMS));
        assert_eq!(count(&sources.list, "components::group"), 40);
        assert_eq!(count(&all, "game_state!"), 1);
    }

    #[test]
    fn a_file_has_sixteen_components() {
        let sources = Sources::new(40, 1);
        let counts: Vec<_> = sources
            .files
            .iter()
            .filter(|file| file.path.starts_with("src/components"))
            .map(|file| count(&file.text, "#[component]"))
            .collect();
        assert_eq!(counts, [16, 16, 8, 0], "three groups, and the module that names them");
    }

    #[test]
    fn every_file_is_source_that_the_macros_accept() {
        for (components, fields) in [(4, 1), (20, 4), (40, 64)] {
            let sources = Sources::new(components, fields);
            for file in sources.files.iter().chain([&sources.edited()]) {
                let expansion = ecs_codegen::expand_file(&file.text);
                let expansion = expansion.unwrap_or_else(|error| panic!("{}: {error}", file.path.display()));
                let components = count(&file.text, "#[component]");
                let text = prettyplease::unparse(&expansion);
                assert_eq!(count(&text, "Quantize for Component"), components, "{}", file.path.display());
            }
        }
    }

    #[test]
    fn every_component_is_used_when_there_are_512() {
        let all: String = (0..SYSTEMS).map(|number| system(number, 512, 1)).collect();
        for number in 0..512 {
            let accessor = |after: &str| all.contains(&format!("component{number}{after}"));
            assert!(accessor("s,") || accessor("s)") || accessor("(") || accessor("_mut("), "{number}");
        }
    }

    #[test]
    fn the_edit_changes_one_field_of_one_file() {
        let sources = Sources::new(40, 2);
        let edited = sources.edited();
        let before = sources.files.iter().find(|file| file.path == edited.path).expect("the same file");
        let differences: Vec<_> =
            before.text.lines().zip(edited.text.lines()).filter(|(before, after)| before != after).collect();
        assert_eq!(differences, [("    pub f0: i32,", "    pub f0: i64,")]);
        assert_eq!(before.text.lines().count(), edited.text.lines().count());
    }
}
