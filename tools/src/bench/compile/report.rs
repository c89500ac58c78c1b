//! What compiling came to.

use core::fmt;

use serde::Serialize;

use super::sources::{SYSTEMS, Sources};
use crate::bench::leaf::Cost;
use crate::cli::CompileArgs;

/// The prototype's figures, which the design starts from: 512 components of 4 fields, measured on another day and
/// maybe another machine, so a reference and no goal.
const REFERENCE: Reference = Reference { components: 512, fields: 4, check_s: 6.7, recheck_s: 7.3 };

/// Figures that were given.
#[derive(Debug, Serialize)]
struct Reference {
    components: u16,
    fields: u16,
    check_s: f64,
    recheck_s: f64,
}

/// The report of `tools bench compile`.
#[derive(Debug, Serialize)]
pub(crate) struct CompileReport {
    components: u16,
    fields: u16,
    systems: usize,
    files: usize,
    lines: usize,
    /// How often each step ran.
    runs: u32,
    /// `cargo check` of the crate alone.
    check: Cost,
    /// The same after an edit of one field.
    recheck: Cost,
    /// `cargo build` of the crate alone, in the dev profile.
    build: Cost,
    /// The same after an edit of one field.
    rebuild: Cost,
    /// What the library behind the macros takes for the same sources in this process. The compiler runs it built with
    /// the dev profile and hands every token over, so its own expansion takes longer.
    expansion_s: f64,
    reference: Reference,
}

impl CompileReport {
    pub(super) fn new(
        args: &CompileArgs,
        sources: &Sources,
        [check, recheck, build, rebuild]: [Cost; 4],
        expansion_s: f64,
    ) -> Self {
        Self {
            components: args.components,
            fields: args.fields,
            systems: SYSTEMS,
            files: sources.files.len(),
            lines: sources.files.iter().map(|file| file.text.lines().count()).sum(),
            runs: args.runs,
            check,
            recheck,
            build,
            rebuild,
            expansion_s,
            reference: REFERENCE,
        }
    }
}

impl fmt::Display for CompileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { components, fields, systems, files, lines, runs, reference, .. } = self;
        writeln!(
            f,
            "{components} components of {fields} fields, {systems} systems, {files} files, {lines} lines"
        )?;
        writeln!(f, "seconds, the quickest of {runs} runs; the dependencies are built already")?;
        writeln!(f, "{:<24} {:>8} {:>8} {:>10}", "step", "wall", "CPU", "reference")?;
        let rows = [
            ("check", self.check, Some(reference.check_s)),
            ("check after an edit", self.recheck, Some(reference.recheck_s)),
            ("build", self.build, None),
            ("build after an edit", self.rebuild, None),
        ];
        for (step, cost, reference) in rows {
            write!(f, "{step:<24} {cost}")?;
            match reference {
                Some(seconds) => writeln!(f, " {seconds:>10.2}")?,
                None => writeln!(f)?,
            }
        }
        writeln!(f, "{:<24} {:>8.2}", "expansion alone, here", self.expansion_s)?;
        let Reference { components, fields, .. } = reference;
        writeln!(f, "reference: the prototype, with {components} components of {fields} fields")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARGS: CompileArgs = CompileArgs { components: 20, fields: 3, runs: 2 };

    fn report(cpu_s: Option<f64>) -> CompileReport {
        let cost = |wall_s| Cost { wall_s, cpu_s };
        let costs = [cost(1.0), cost(0.5), cost(2.0), cost(1.5)];
        CompileReport::new(&ARGS, &Sources::new(ARGS.components, ARGS.fields), costs, 0.25)
    }

    #[test]
    fn the_object_has_every_figure_and_the_reference() {
        let report = serde_json::to_value(report(Some(4.0))).expect("plain data");
        for (key, value) in [("components", 20), ("fields", 3), ("systems", 64), ("files", 9), ("runs", 2)] {
            assert_eq!(report[key], value, "{key}");
        }
        for (key, wall_s) in [("check", 1.0), ("recheck", 0.5), ("build", 2.0), ("rebuild", 1.5)] {
            assert_eq!(report[key], serde_json::json!({ "wall_s": wall_s, "cpu_s": 4.0 }), "{key}");
        }
        assert_eq!(report["expansion_s"], 0.25);
        assert_eq!(
            (&report["reference"]["check_s"], &report["reference"]["recheck_s"]),
            (&6.7.into(), &7.3.into())
        );
        assert!(report["lines"].as_u64().is_some_and(|lines| lines > 64));
    }

    #[test]
    fn the_text_has_a_line_for_each_step() {
        let text = report(None).to_string();
        assert!(text.contains("\ncheck                        1.00      n/a       6.70\n"), "{text}");
        assert!(text.contains("\nbuild after an edit          1.50      n/a\n"), "{text}");
        let text = report(Some(3.0)).to_string();
        assert!(text.contains("\ncheck after an edit          0.50     3.00       7.30\n"), "{text}");
    }
}
