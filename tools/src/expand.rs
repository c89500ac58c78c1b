//! `tools expand`: what the macros write for a source file.

use core::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cli::ExpandArgs;

/// Why there is no expansion, or not the one that was expected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExpandError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// What the macros would report to the compiler: `file:line:column: message`, a line each.
    #[error("the macros refuse the file\n{0}")]
    Source(String),
    /// A saved expansion is not that of the source any more.
    #[error("{} is not the expansion of {}: {difference}", saved.display(), file.display())]
    Differs { saved: PathBuf, file: PathBuf, difference: Difference },
}

/// The first line in which two texts differ; `None` beyond the end of one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    line: usize,
    saved: Option<String>,
    expanded: Option<String>,
}

/// The report of `tools expand`.
#[derive(Debug, Serialize)]
pub(crate) struct Expansion {
    file: PathBuf,
    expansion: String,
    /// Where the expansion was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<PathBuf>,
    /// The file that was found to be the expansion.
    #[serde(skip_serializing_if = "Option::is_none")]
    checked: Option<PathBuf>,
}

/// Runs the subcommand.
pub(crate) fn run(args: &ExpandArgs) -> Result<Expansion, ExpandError> {
    let expansion = expand(&args.file, &read(&args.file)?)?;
    if let Some(path) = &args.output {
        fs::write(path, &expansion).map_err(|source| ExpandError::Write { path: path.clone(), source })?;
    }
    if let Some(path) = &args.check {
        check(&args.file, &expansion, path)?;
    }
    Ok(Expansion {
        file: args.file.clone(),
        expansion,
        written: args.output.clone(),
        checked: args.check.clone(),
    })
}

fn read(path: &Path) -> Result<String, ExpandError> {
    fs::read_to_string(path).map_err(|source| ExpandError::Read { path: path.to_owned(), source })
}

/// The same text with an empty line behind each item that ends in a brace, where another one follows.
fn spaced(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut spaced = String::with_capacity(text.len() + text.len() / 20);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        spaced.push_str(line);
        spaced.push('\n');
        let ends = matches!(line.trim_start(), "}" | "};");
        let goes_on = |next: &&str| {
            indent(next) == indent(line) && !next.is_empty() && !next.trim_start().starts_with(['}', ')'])
        };
        if ends && lines.peek().is_some_and(goes_on) {
            spaced.push('\n');
        }
    }
    spaced
}

/// The expansion of a source text, formatted. `file` is its name, for messages.
fn expand(file: &Path, source: &str) -> Result<String, ExpandError> {
    match ecs_codegen::expand_file(source) {
        Ok(expansion) => Ok(spaced(&prettyplease::unparse(&expansion))),
        Err(errors) => {
            let lines = errors.into_iter().map(|error| {
                let start = error.span().start();
                format!("{}:{}:{}: {error}", file.display(), start.line, start.column + 1)
            });
            Err(ExpandError::Source(lines.collect::<Vec<_>>().join("\n")))
        }
    }
}

fn check(file: &Path, expansion: &str, path: &Path) -> Result<(), ExpandError> {
    match Difference::first(&read(path)?, expansion) {
        None => Ok(()),
        Some(difference) => {
            Err(ExpandError::Differs { saved: path.to_owned(), file: file.to_owned(), difference })
        }
    }
}

impl Difference {
    /// Line by line, so that a checkout with other ends of lines is the same.
    fn first(saved: &str, expanded: &str) -> Option<Self> {
        let (mut saved, mut expanded) = (saved.lines(), expanded.lines());
        for line in 1.. {
            let (saved, expanded) = (saved.next(), expanded.next());
            if saved != expanded {
                let [saved, expanded] = [saved, expanded].map(|text| text.map(str::to_owned));
                return Some(Self { line, saved, expanded });
            }
            if saved.is_none() {
                break;
            }
        }
        None
    }
}

/// As a diff shows it: what was saved, then what it should be.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} differs", self.line)?;
        if let Some(saved) = &self.saved {
            write!(f, "\n- {saved}")?;
        }
        if let Some(expanded) = &self.expanded {
            write!(f, "\n+ {expanded}")?;
        }
        Ok(())
    }
}

/// The expansion itself, unless it went to a file or was only to be checked.
impl fmt::Display for Expansion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.written.is_none() && self.checked.is_none() {
            f.write_str(&self.expansion)?;
        }
        if let Some(path) = &self.written {
            writeln!(f, "wrote {}", path.display())?;
        }
        if let Some(path) = &self.checked {
            writeln!(f, "{} is the expansion of {}", path.display(), self.file.display())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str =
        "/// Hit points.\n#[component]\npub struct Health {\n    #[max(1000)]\n    pub hp: i32,\n}\n";

    #[test]
    fn a_component_expands_to_formatted_source() {
        let expansion = expand(Path::new("combat.rs"), SOURCE).expect("no mistakes");
        assert!(expansion.starts_with("/// Hit points.\n"), "{expansion}");
        for part in
            ["pub struct Health {\n    pub hp: i32,\n}\n", "Quantize for Health {\n", "fn add_health("]
        {
            assert!(expansion.contains(part), "{part:?} is not in {expansion}");
        }
    }

    #[test]
    fn mistakes_are_told_with_their_places() {
        let source = "\n#[component]\nstruct A {\n    #[max(-1)]\n    a: i32,\n    b: String,\n}\n";
        let error = expand(Path::new("a.rs"), source).expect_err("two mistakes").to_string();
        let places: Vec<_> = error.lines().skip(1).map(|line| line.split(": ").next()).collect();
        assert_eq!(places, [Some("a.rs:4:11"), Some("a.rs:6:8")], "{error}");
    }

    #[test]
    fn a_check_finds_the_first_line_that_differs() {
        let difference =
            |saved: &str, expanded| Difference::first(saved, expanded).map(|found| found.to_string());
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(difference("a\r\nb\r\n", "a\nb\n"), None);
        assert_eq!(difference("a\nb\nd\n", "a\nc\nd\n").as_deref(), Some("line 2 differs\n- b\n+ c"));
        assert_eq!(difference("a\n", "a\nb\n").as_deref(), Some("line 2 differs\n+ b"));
        assert_eq!(difference("a\nb\n", "a\n").as_deref(), Some("line 2 differs\n- b"));
    }

    #[test]
    fn what_was_written_passes_the_check_until_the_source_changes() {
        let folder = std::env::temp_dir().join(format!("tools-expand-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        let [file, saved] = ["combat.rs", "combat.expanded.rs"].map(|name| folder.join(name));
        let write = ExpandArgs { file: file.clone(), output: Some(saved.clone()), check: None };
        let check = ExpandArgs { file: file.clone(), output: None, check: Some(saved) };

        fs::write(&file, SOURCE).expect("a source");
        run(&write).expect("written");
        run(&check).expect("just written");
        fs::write(&file, SOURCE.replace("1000", "900")).expect("another source");
        let error = run(&check).expect_err("the maximum is another").to_string();
        fs::remove_dir_all(&folder).expect("the test's own folder");
        assert!(error.contains("\n- ") && error.contains("1000") && error.contains("900"), "{error}");
    }

    #[test]
    fn items_stand_apart() {
        let text = "impl A {\n    fn a() {\n        if b {}\n    }\n    fn c() {}\n}\nimpl B {\n}\n";
        let expected = "impl A {\n    fn a() {\n        if b {}\n    }\n\n    fn c() {}\n}\n\nimpl B {\n}\n";
        assert_eq!(spaced(text), expected);
    }
}
