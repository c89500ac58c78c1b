//! The source of the made-up crate: components, a function that creates each kind of entity, and systems that visit
//! all of them. What it measures of itself is in the crate `bench-worlds`.

use std::fmt::Write as _;

use bench_worlds::PARTS;

use super::args::Shape;
use crate::bench::leaf::components::{Components, GROUP, modules, path};
use crate::bench::leaf::{Crate, File};

/// The crate.
pub(super) const CRATE: Crate = Crate {
    name: "bench-profiles",
    dependencies: &[("bench-worlds", "tools/bench"), ("ecs-runtime", "ecs-runtime")],
    // In many units and without a pass over all of them: in one, 512 components take many minutes. Lines are for who looks
    // at the program with a profiler.
    manifest: "\n[profile.release]\nlto = \"off\"\ncodegen-units = 64\ndebug = \"line-tables-only\"\n",
    root: "src/main.rs",
};

/// The most that a state can have.
pub(super) const MAX_ENTITIES: u32 = 1_048_576;

/// All files of a profile. Those of another are never left among them: what is no module is not looked at.
pub(super) fn files(shape: Shape, fields: u16) -> Vec<File> {
    let systems = usize::from(shape.systems);
    let Components { list, mut files, .. } = Components::new(shape.components, fields, MAX_ENTITIES);
    files.extend((0..systems.div_ceil(GROUP)).flat_map(|group| {
        let numbers = group * GROUP..systems.min((group + 1) * GROUP);
        let spawns: String = numbers.clone().map(|number| spawns(number, shape)).collect();
        let systems: String = numbers.map(|number| self::systems(number, shape)).collect();
        [
            File::new(format!("src/spawns/group{group}.rs"), head("Creation", group) + &spawns),
            File::new(format!("src/systems/group{group}.rs"), head("Systems", group) + &systems),
        ]
    }));
    files.push(spawn_table(systems));
    files.push(schedule(systems));
    files.push(File::new("src/main.rs", root(&list, systems)));
    files
}

/// A program alone: of a library, everything that is public would be compiled, whether it is measured or not, which
/// takes many minutes for 512 components. `bench compile` compiles a library.
fn root(list: &str, systems: usize) -> String {
    format!(
        "//! Made up by `tools bench profiles`.
#![allow(dead_code)]

mod components;
mod spawns;
mod systems;

use ecs_runtime::prelude::*;

ecs_runtime::game_state! {{{list}}}

impl bench_worlds::Profile for GameState {{
    const FAMILIES: usize = {systems};

    fn spawn(&mut self, family: usize, parts: usize, value: i32) -> Result<Entity, CreateError> {{
        spawns::SPAWNS[parts - 1][family](self, value)
    }}

    fn schedule(parts: usize) -> ecs_runtime::Schedule<Self, u64> {{
        systems::schedule(parts)
    }}
}}

fn main() -> std::io::Result<()> {{
    bench_worlds::profile::<GameState>()
}}
"
    )
}

fn head(what: &str, group: usize) -> String {
    format!("//! {what}, group {group}.\n\nuse ecs_runtime::prelude::*;\n\nuse crate::GameState;\n")
}

/// The components of a family, the most that its entities have: the first of its system's share of the list. Where that
/// is two, the third is the second of a family far away, so that no query finds entities of another.
fn parts_of(family: usize, Shape { components, systems }: Shape) -> [usize; PARTS] {
    let (components, systems) = (usize::from(components), usize::from(systems));
    let share = components / systems;
    let third = if share > 2 { family * share + 2 } else { (family + systems / 2) % systems * share + 1 };
    [family * share, family * share + 1, third]
}

/// How entities of a family are created, for each number of components.
fn spawns(family: usize, shape: Shape) -> String {
    (1..=PARTS).fold(String::new(), |mut text, parts| {
        let numbers = parts_of(family, shape).into_iter().take(parts);
        let values = numbers.fold(String::new(), |mut values, number| {
            let component = path(number);
            let _ = writeln!(values, "        crate::{component} {{ f0: value, ..Default::default() }},");
            values
        });
        let _ = write!(
            text,
            "
/// With {parts} of the components of family {family}.
#[allow(clippy::needless_update)]
pub fn spawn{family}_{parts}(world: &mut GameState, value: i32) -> Result<Entity, CreateError> {{
    world.spawn((
{values}    ))
}}
"
        );
        text
    })
}

fn spawn_table(families: usize) -> File {
    let mut text = format!(
        "//! How entities are created.\n\n{}\nuse ecs_runtime::prelude::*;\n\nuse crate::GameState;\n\n\
         /// Creates an entity, with a value for its first fields.\n\
         pub type Spawn = fn(&mut GameState, i32) -> Result<Entity, CreateError>;\n\n\
         /// By number of components, and family.\n\
         pub static SPAWNS: [[Spawn; {families}]; {PARTS}] = [\n",
        modules(families.div_ceil(GROUP))
    );
    for parts in 1..=PARTS {
        text.push_str("    [\n");
        for family in 0..families {
            let _ = writeln!(text, "        group{}::spawn{family}_{parts},", family / GROUP);
        }
        text.push_str("    ],\n");
    }
    text.push_str("];\n");
    File::new("src/spawns/mod.rs", text)
}

/// A system for each number of components: it visits the entities of its family that have as many. It adds to the first
/// what the others have, or one if there are none.
fn systems(number: usize, shape: Shape) -> String {
    (1..=PARTS).fold(String::new(), |mut text, parts| {
        let mut tables = String::new();
        for (at, number) in parts_of(number, shape).into_iter().take(parts).enumerate() {
            let borrow = if at == 0 { "&mut " } else { "&" };
            let _ = write!(tables, "{borrow}world.component{number}s, ");
        }
        let tables = tables.trim_end();
        let names = &["a", "b", "c"][..parts];
        let items = names.join(", ");
        let added: String = names.iter().skip(1).map(|name| format!(".wrapping_add({name}.f0)")).collect();
        let added = if added.is_empty() { ".wrapping_add(1)" } else { &added };
        let _ = write!(
            text,
            "
/// System {number}, with {parts} at once.
pub fn system{number}_{parts}(world: &mut GameState, visited: &mut u64) {{
    let mut count = 0;
    ({tables}).for_each(|_, ({items},)| {{
        a.f0 = a.f0{added};
        count += 1;
    }});
    *visited += count;
}}
"
        );
        text
    })
}

fn schedule(systems: usize) -> File {
    let mut text = format!(
        "//! The systems.\n\n{}\nuse ecs_runtime::Schedule;\n\nuse crate::GameState;\n\n\
         /// All systems whose queries have so many components.\n\
         pub fn schedule(parts: usize) -> Schedule<GameState, u64> {{\n    let schedule = Schedule::new();\n    \
         match parts {{\n",
        modules(systems.div_ceil(GROUP))
    );
    for parts in 1..=PARTS {
        // The last stands for all that there are not.
        let pattern = if parts == PARTS { "_".to_owned() } else { parts.to_string() };
        let _ = writeln!(text, "        {pattern} => schedule");
        for number in 0..systems {
            let system = format!("system{number}_{parts}");
            let _ = writeln!(text, "            .then(\"{system}\", group{}::{system})", number / GROUP);
        }
        text.push_str("        ,\n");
    }
    text.push_str("    }\n}\n");
    File::new("src/systems/mod.rs", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { components: 40, systems: 12 };

    fn count(text: &str, part: &str) -> usize {
        text.matches(part).count()
    }

    fn all(shape: Shape) -> String {
        files(shape, 4).into_iter().map(|file| file.text).collect()
    }

    #[test]
    fn the_crate_has_every_spawn_and_every_system_three_times() {
        let all = all(SHAPE);
        assert_eq!(count(&all, "#[component]"), 40);
        assert_eq!((count(&all, "pub fn spawn"), count(&all, "::spawn")), (12 * PARTS, 12 * PARTS));
        assert_eq!((count(&all, "pub fn system"), count(&all, ".then(")), (12 * PARTS, 12 * PARTS));
        assert_eq!(count(&all, "const FAMILIES: usize = 12;"), 1);
    }

    #[test]
    fn no_query_finds_entities_of_another_family() {
        for (components, systems) in [(40, 12), (32, 16), (4, 2), (4, 1), (512, 64)] {
            let shape = Shape { components, systems };
            let families: Vec<_> = (0..usize::from(systems)).map(|family| parts_of(family, shape)).collect();
            for (at, [first, second, third]) in families.iter().enumerate() {
                assert!(first != second && first != third && second != third, "{at} of {shape}");
                assert!([first, second, third].into_iter().all(|number| *number < usize::from(components)));
                let others = families.iter().enumerate().filter(|(other, _)| *other != at);
                assert!(others.flat_map(|(_, parts)| parts).all(|part| part != first), "{at} of {shape}");
            }
        }
    }

    #[test]
    fn a_family_is_created_with_what_its_system_visits() {
        let spawn = spawns(3, SHAPE);
        let three = spawn.split("pub fn ").nth(3).expect("three of them");
        let names: Vec<_> = three.lines().filter(|line| line.contains("f0: value")).collect();
        let expected = ["::Component9 ", "::Component10 ", "::Component11 "];
        assert!(
            names.len() == 3 && names.iter().zip(expected).all(|(name, part)| name.contains(part)),
            "{three}"
        );
        let expected = "(&mut world.component9s, &world.component10s, &world.component11s,)\
                        .for_each(|_, (a, b, c,)| {\n";
        assert!(systems(3, SHAPE).contains(expected), "{}", systems(3, SHAPE));
    }

    #[test]
    fn every_file_is_source_that_the_macros_accept() {
        for shape in [SHAPE, Shape { components: 4, systems: 1 }] {
            for file in files(shape, 4) {
                let expansion = ecs_codegen::expand_file(&file.text);
                assert!(expansion.is_ok(), "{}: {:?}", file.path.display(), expansion.err());
            }
        }
    }
}
