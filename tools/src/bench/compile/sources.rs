//! The source of the made-up crate: as many components as asked for, and systems that use them.

use std::fmt::Write as _;

use crate::bench::leaf::File;
use crate::bench::leaf::components::{Components, GROUP, field, modules};

/// How many systems there are.
pub(super) const SYSTEMS: usize = 64;

/// How many components a system works with.
const USED: usize = 8;

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
        let Components { items, list, mut files } = Components::new(components, fields, 4096);
        let systems: Vec<_> = (0..SYSTEMS).map(|number| system(number, count, usize::from(fields))).collect();
        files.extend(systems.chunks(GROUP).enumerate().map(|(at, items)| system_file(at, items)));
        files.push(schedule());
        files.push(File::new(
            "src/lib.rs",
            format!(
                "//! Made up by `tools bench compile`.\n\npub mod components;\npub mod systems;\n\n\
                 ecs_runtime::game_state! {{{list}}}\n"
            ),
        ));
        Self { files, components: items, list, edited: count.div_ceil(GROUP) / 2 }
    }

    /// The file in the middle of the components', with another type for a field.
    pub(super) fn edited(&self) -> File {
        let File { path, text } = &self.files[self.edited];
        File { path: path.clone(), text: text.replacen("pub f0: i32,", "pub f0: i64,", 1) }
    }
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
    File::new(format!("src/systems/group{group}.rs"), head + &systems.join("\n"))
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
    File::new("src/systems/mod.rs", text)
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
