//! The source of the components: as many as asked for, no two of which have the same fields.

use std::fmt::Write as _;

use super::File;

/// How many components, or of whatever else there are many, are in a file.
pub(crate) const GROUP: usize = 16;

/// The components of a crate.
pub(crate) struct Components {
    /// What `#[component]` stands above, for each component.
    pub(crate) items: Vec<String>,
    /// What is between the braces of `game_state!`.
    pub(crate) list: String,
    /// The module `components`.
    pub(crate) files: Vec<File>,
}

impl Components {
    pub(crate) fn new(count: u16, fields: u16, max_entities: u32) -> Self {
        let count = usize::from(count);
        let items: Vec<_> = (0..count).map(|number| component(number, usize::from(fields))).collect();
        let mut list = format!("\n    max_entities = {max_entities};\n");
        for number in 0..count {
            let _ = writeln!(list, "    {},", path(number));
        }
        let mut files: Vec<_> =
            items.chunks(GROUP).enumerate().map(|(at, items)| component_file(at, items)).collect();
        let groups = modules(count.div_ceil(GROUP));
        files.push(File::new("src/components/mod.rs", format!("//! The components.\n\n{groups}")));
        Self { items, list, files }
    }
}

/// The name of a component.
pub(crate) fn name(number: usize) -> String {
    format!("Component{number}")
}

/// Where a component is, from the root of the crate.
pub(crate) fn path(number: usize) -> String {
    format!("components::group{}::{}", number / GROUP, name(number))
}

/// The attributes, the type and a value of a field: by turns what a shooter's components have.
///
/// The first of a component is an integer, which systems count with.
pub(crate) fn field(component: usize, field: usize) -> (String, &'static str, &'static str) {
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
    File::new(format!("src/components/group{group}.rs"), text)
}

/// Declares the modules of groups.
pub(crate) fn modules(groups: usize) -> String {
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
    fn there_are_as_many_components_and_fields_as_asked_for() {
        let components = Components::new(40, 9, 4096);
        let all: String = components.files.iter().map(|file| file.text.as_str()).collect();
        assert_eq!((components.items.len(), count(&all, "#[component]")), (40, 40));
        assert_eq!(count(&all, "    pub f"), 40 * 9);
        assert_eq!(count(&components.list, "components::group"), 40);
        assert_eq!(count(&components.list, "max_entities = 4096;"), 1);
    }

    #[test]
    fn a_file_has_sixteen_components() {
        let files = Components::new(40, 1, 1).files;
        let counts: Vec<_> = files.iter().map(|file| count(&file.text, "#[component]")).collect();
        assert_eq!(counts, [16, 16, 8, 0], "three groups, and the module that names them");
    }
}
