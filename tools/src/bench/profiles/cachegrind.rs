//! What valgrind counts of a program: instructions, and how often a simulated cache lacks what is asked for.
//!
//! Making the world is no part of it: the program runs without and with what is counted, and the difference counts.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use bench_worlds::{Counted, PARTS, Request, Spread, Task};
use serde::Serialize;

use super::{ProfilesError, ask};

/// How often a program runs for all counts of one size: without, and with each number of components, by the systems;
/// and without and with, for each number of components, creation.
pub(super) const RUNS: usize = 1 + PARTS + 2 * PARTS;

/// How often what is counted is done. The same each time, so few are enough.
const PASSES: u32 = 5;

/// What is counted of an operation, per entity that it visits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Count {
    pub(super) operation: &'static str,
    pub(super) visited: u64,
    pub(super) instructions: f64,
    /// Misses of the first cache of instructions.
    pub(super) i1_misses: f64,
    /// Misses of the first cache of data, by reading or by writing.
    pub(super) d1_misses: f64,
    /// Misses of the last cache by data.
    pub(super) lld_misses: f64,
}

/// Whether there is a valgrind.
pub(super) fn expect_installed() -> Result<(), ProfilesError> {
    let mut valgrind = Command::new("valgrind");
    match valgrind.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(ProfilesError::NoValgrind),
        Err(source) => Err(ProfilesError::Start { program: "valgrind".into(), source }),
    }
}

/// Counts every operation of a program. `folder` is for what valgrind writes.
pub(super) fn count(
    program: &Path,
    folder: &Path,
    entities: u32,
    spread: Spread,
    advance: impl Fn(),
) -> Result<Vec<Count>, ProfilesError> {
    let run = |task| {
        let events = events(program, folder, Request { entities, spread, task });
        advance();
        events
    };
    let iterate = ["iterate, 1 component", "iterate, 2 components", "iterate, 3 components"];
    let create = ["create + destroy, 1", "create + destroy, 2", "create + destroy, 3"];
    let mut counts = Vec::new();
    let (_, without) = run(Task::Iterate { parts: 1, passes: 0 })?;
    for (operation, parts) in iterate.into_iter().zip(1..) {
        let (counted, with) = run(Task::Iterate { parts, passes: PASSES })?;
        counts.push(with.since(without).per_visit(operation, counted.visited));
    }
    for (operation, parts) in create.into_iter().zip(1..) {
        let (_, without) = run(Task::Create { parts, passes: 0 })?;
        let (counted, with) = run(Task::Create { parts, passes: PASSES })?;
        counts.push(with.since(without).per_visit(operation, counted.visited));
    }
    Ok(counts)
}

/// What a program answers, and what happened meanwhile.
fn events(program: &Path, folder: &Path, request: Request) -> Result<(Counted, Events), ProfilesError> {
    let path = folder.join("cachegrind.out");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=cachegrind", "--cache-sim=yes", "--quiet"]);
    valgrind.arg(format!("--cachegrind-out-file={}", path.display())).arg(program);
    let counted = ask(valgrind, program, request)?;
    let text = fs::read_to_string(&path).map_err(|source| ProfilesError::Counts { path, source })?;
    Ok((counted, Events::read(&text)?))
}

/// What happened in a whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Events {
    instructions: u64,
    i1: u64,
    d1: u64,
    lld: u64,
}

impl Events {
    /// The sums of a file that cachegrind wrote: one line names the events, another has their numbers.
    fn read(text: &str) -> Result<Self, ProfilesError> {
        let line = |start| text.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_default();
        let (names, sums) = (line("events:"), line("summary:"));
        let sum = |name: &'static str| {
            let mut both = names.split_whitespace().zip(sums.split_whitespace());
            let found = both.find(|(other, _)| *other == name).and_then(|(_, sum)| sum.parse::<u64>().ok());
            found.ok_or(ProfilesError::NoCount(name))
        };
        Ok(Self {
            instructions: sum("Ir")?,
            i1: sum("I1mr")?,
            d1: sum("D1mr")? + sum("D1mw")?,
            lld: sum("DLmr")? + sum("DLmw")?,
        })
    }

    fn since(self, without: Self) -> Self {
        Self {
            instructions: self.instructions.saturating_sub(without.instructions),
            i1: self.i1.saturating_sub(without.i1),
            d1: self.d1.saturating_sub(without.d1),
            lld: self.lld.saturating_sub(without.lld),
        }
    }

    fn per_visit(self, operation: &'static str, visited: u64) -> Count {
        let per_visit = |events: u64| events as f64 / (visited * u64::from(PASSES)).max(1) as f64;
        Count {
            operation,
            visited,
            instructions: per_visit(self.instructions),
            i1_misses: per_visit(self.i1),
            d1_misses: per_visit(self.d1),
            lld_misses: per_visit(self.lld),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "desc: I1 cache: 32768 B\nevents: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\nfn=main\n\
                        1 2 3\nsummary: 9000 80 7 600 50 4 300 20 1\n";

    #[test]
    fn the_sums_of_a_file_are_found_by_their_names() {
        let events = Events::read(TEXT).expect("a file");
        assert_eq!(events, Events { instructions: 9000, i1: 80, d1: 70, lld: 5 });
        let missing = Events::read("events: Ir\nsummary: 9000\n");
        assert!(matches!(missing, Err(ProfilesError::NoCount("I1mr"))));
    }

    #[test]
    fn what_happens_without_does_not_count_and_the_rest_is_told_per_visit() {
        let with = Events { instructions: 5000, i1: 15, d1: 110, lld: 30 };
        let without = Events { instructions: 1000, i1: 20, d1: 10, lld: 5 };
        let count = with.since(without).per_visit("iterate", 100);
        assert_eq!((count.operation, count.visited), ("iterate", 100));
        assert_eq!(
            (count.instructions, count.i1_misses, count.d1_misses, count.lld_misses),
            (8.0, 0.0, 0.2, 0.05)
        );
    }
}
