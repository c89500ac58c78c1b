//! What many component types cost.

use core::fmt;

use bench_worlds::{Figures, Spread};
use serde::Serialize;

use super::args::{ProfilesArgs, Shape};
use super::cachegrind::Count;
use crate::bench::leaf::Cost;

/// The report of `tools bench profiles`.
#[derive(Debug, Serialize)]
pub(crate) struct ProfilesReport {
    /// In the order of all lists of figures.
    profiles: Vec<Shape>,
    fields: u16,
    rounds: u32,
    /// `cargo build --release` of the crate alone.
    builds: Vec<Cost>,
    pub(super) measured: Vec<Measured<Figures>>,
    pub(super) counted: Vec<Measured<Vec<Count>>>,
}

/// Figures of all profiles for the same entities.
#[derive(Debug, Serialize)]
pub(super) struct Measured<T> {
    pub(super) entities: u32,
    pub(super) spread: Spread,
    pub(super) figures: Vec<T>,
}

/// Keeps the smaller times of both; the rest is the same in each run.
pub(super) fn keep_better(best: &mut Figures, other: &Figures) {
    let pairs = [
        (&mut best.create_ns, &other.create_ns),
        (&mut best.create_destroy_ns, &other.create_destroy_ns),
        (&mut best.iterate_ns, &other.iterate_ns),
    ];
    for (best, other) in pairs {
        for (best, other) in best.iter_mut().zip(other) {
            *best = best.min(*other);
        }
    }
}

impl ProfilesReport {
    pub(super) fn new(args: &ProfilesArgs, builds: Vec<Cost>) -> Self {
        Self {
            profiles: args.profiles.clone(),
            fields: args.fields,
            rounds: args.rounds,
            builds,
            measured: Vec::new(),
            counted: Vec::new(),
        }
    }

    /// A line of the table: the figure of each profile, and what it is to that of the first.
    fn line(&self, f: &mut fmt::Formatter<'_>, name: &str, entities: u32, values: &[f64]) -> fmt::Result {
        write!(f, "{name:<30} {entities:>9}")?;
        for (at, value) in values.iter().enumerate() {
            write!(f, " {value:>9.3}")?;
            if at > 0 {
                write!(f, " {:>6}", ratio(*value, values[0]))?;
            }
        }
        writeln!(f)
    }

    fn head(&self, f: &mut fmt::Formatter<'_>, title: &str) -> fmt::Result {
        write!(f, "\n{title:<30} {:>9}", "entities")?;
        for (at, shape) in self.profiles.iter().enumerate() {
            write!(f, " {:>9}", shape.to_string())?;
            if at > 0 {
                write!(f, " {:>6}", "ratio")?;
            }
        }
        writeln!(f)
    }

    fn times(&self, f: &mut fmt::Formatter<'_>, spread: Spread) -> fmt::Result {
        for operation in &OPERATIONS {
            for measured in self.measured.iter().filter(|measured| measured.spread == spread) {
                let values: Vec<_> = measured.figures.iter().map(operation.1).collect();
                self.line(f, operation.0, measured.entities, &values)?;
            }
        }
        Ok(())
    }

    fn counts(&self, f: &mut fmt::Formatter<'_>, spread: Spread) -> fmt::Result {
        for measured in self.counted.iter().filter(|measured| measured.spread == spread) {
            let operations = measured.figures.first().map_or(0, Vec::len);
            for at in 0..operations {
                let counts: Vec<_> = measured.figures.iter().filter_map(|counts| counts.get(at)).collect();
                for (what, event) in &EVENTS {
                    let values: Vec<_> = counts.iter().map(|count| event(count)).collect();
                    // Two columns apart from what they are of, so that a table can be cut into its parts.
                    let name = format!("{}: {what}", counts[0].operation);
                    self.line(f, &name, measured.entities, &values)?;
                }
            }
        }
        Ok(())
    }
}

/// A figure by its name.
type Named<T> = (&'static str, fn(&T) -> f64);

/// The rows of a table.
const OPERATIONS: [Named<Figures>; 11] = [
    ("create, 1 component", |figures| figures.create_ns[0]),
    ("create, 2 components", |figures| figures.create_ns[1]),
    ("create, 3 components", |figures| figures.create_ns[2]),
    ("create + destroy, 1", |figures| figures.create_destroy_ns[0]),
    ("create + destroy, 2", |figures| figures.create_destroy_ns[1]),
    ("create + destroy, 3", |figures| figures.create_destroy_ns[2]),
    ("iterate, 1 component", |figures| figures.iterate_ns[0]),
    ("iterate, 2 components", |figures| figures.iterate_ns[1]),
    ("iterate, 3 components", |figures| figures.iterate_ns[2]),
    ("bytes per entity", |figures| figures.bytes_per_entity),
    ("% of slots in use", |figures| figures.slots_used * 100.0),
];

/// What is counted of each operation.
const EVENTS: [Named<Count>; 4] = [
    ("Ir", |count| count.instructions),
    ("I1", |count| count.i1_misses),
    ("D1", |count| count.d1_misses),
    ("LLd", |count| count.lld_misses),
];

/// Two digits, or nothing that could be misread where there is nothing to compare with.
fn ratio(value: f64, first: f64) -> String {
    // What is counted almost never makes for a ratio that tells nothing.
    if first < 0.0005 { "n/a".to_owned() } else { format!("{:.2}", value / first) }
}

impl fmt::Display for ProfilesReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { profiles, fields, rounds, builds, .. } = self;
        writeln!(
            f,
            "components of {fields} fields; nanoseconds per entity, iteration per visited entity: the quickest of \
             {rounds} rounds"
        )?;
        for (shape, cost) in profiles.iter().zip(builds) {
            write!(f, "{:<30} wall, CPU seconds {cost}", format!("build of {shape}"))?;
            let cpu = cost.cpu_s.zip(builds.first().and_then(|first| first.cpu_s));
            let ratio = cpu.map_or("n/a".to_owned(), |(seconds, first)| ratio(seconds, first));
            writeln!(f, ", CPU ratio {ratio}")?;
        }
        for (spread, name) in [(Spread::Sorted, "sorted"), (Spread::Mixed, "mixed")] {
            if self.measured.iter().any(|measured| measured.spread == spread) {
                self.head(f, name)?;
                self.times(f, spread)?;
            }
            if self.counted.iter().any(|measured| measured.spread == spread) {
                self.head(f, &format!("{name}, counted per visit"))?;
                self.counts(f, spread)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(ns: f64) -> Figures {
        Figures {
            create_ns: [ns, 2.0 * ns, 3.0 * ns],
            create_destroy_ns: [4.0 * ns; 3],
            iterate_ns: [0.5 * ns; 3],
            visited: [30, 20, 10],
            bytes_per_entity: 100.0 * ns,
            slots_used: 0.25,
        }
    }

    fn count(instructions: f64, lld_misses: f64) -> Count {
        Count {
            operation: "iterate, 2 components",
            visited: 20,
            instructions,
            i1_misses: 0.0,
            d1_misses: 0.5,
            lld_misses,
        }
    }

    fn report() -> ProfilesReport {
        let shape = |components, systems| Shape { components, systems };
        let cost = |wall_s, cpu_s| Cost { wall_s, cpu_s: Some(cpu_s) };
        ProfilesReport {
            profiles: vec![shape(32, 16), shape(512, 64)],
            fields: 4,
            rounds: 3,
            builds: vec![cost(2.0, 4.0), cost(10.0, 24.0)],
            measured: vec![Measured {
                entities: 1000,
                spread: Spread::Mixed,
                figures: vec![figures(10.0), figures(15.0)],
            }],
            counted: vec![Measured {
                entities: 10_000,
                spread: Spread::Mixed,
                figures: vec![vec![count(8.0, 0.0)], vec![count(10.0, 0.25)]],
            }],
        }
    }

    #[test]
    fn the_text_has_every_figure_and_its_ratio_to_that_of_the_first_profile() {
        let text = report().to_string();
        for line in [
            "build of 512/64                wall, CPU seconds    10.00    24.00, CPU ratio 6.00",
            "mixed                           entities     32/16    512/64  ratio",
            "create, 3 components                1000    30.000    45.000   1.50",
            "create + destroy, 1                 1000    40.000    60.000   1.50",
            "iterate, 1 component                1000     5.000     7.500   1.50",
            "bytes per entity                    1000  1000.000  1500.000   1.50",
            "% of slots in use                   1000    25.000    25.000   1.00",
            "mixed, counted per visit        entities     32/16    512/64  ratio",
            "iterate, 2 components: Ir          10000     8.000    10.000   1.25",
            "iterate, 2 components: LLd         10000     0.000     0.250    n/a",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
        assert!(!text.contains("sorted"), "{text}");
    }

    #[test]
    fn the_object_has_the_figures_of_all_profiles_in_their_order() {
        let report = serde_json::to_value(report()).expect("plain data");
        assert_eq!(report["profiles"][1], serde_json::json!({ "components": 512, "systems": 64 }));
        assert_eq!(report["builds"][1]["cpu_s"], 24.0);
        let measured = &report["measured"][0];
        assert_eq!((&measured["entities"], &measured["spread"]), (&1000.into(), &"mixed".into()));
        assert_eq!(measured["figures"][1]["create_ns"][2], 45.0);
        assert_eq!(report["counted"][0]["figures"][1][0]["lld_misses"], 0.25);
    }

    #[test]
    fn of_several_rounds_the_smaller_times_count() {
        let mut best = figures(10.0);
        let mut other = figures(12.0);
        other.iterate_ns[1] = 1.0;
        keep_better(&mut best, &other);
        assert_eq!((best.create_ns[0], best.iterate_ns), (10.0, [5.0, 1.0, 5.0]));
    }
}
