//! What running a program costs.

use core::fmt;
use std::fs;

use serde::Serialize;

/// What running cargo once cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Cost {
    pub(crate) wall_s: f64,
    /// Of cargo and all compilers, on all cores; `None` where the system does not tell.
    pub(crate) cpu_s: Option<f64>,
}

impl Cost {
    /// What anything is better than.
    pub(crate) const WORST: Self = Self { wall_s: f64::INFINITY, cpu_s: None };

    /// Keeps the smaller figures of both.
    pub(crate) fn keep_better(&mut self, other: Self) {
        self.wall_s = self.wall_s.min(other.wall_s);
        self.cpu_s = match (self.cpu_s, other.cpu_s) {
            (Some(kept), Some(new)) => Some(kept.min(new)),
            (kept, new) => kept.or(new),
        };
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>8.2}", self.wall_s)?;
        match self.cpu_s {
            Some(seconds) => write!(f, " {seconds:>8.2}"),
            None => write!(f, " {:>8}", "n/a"),
        }
    }
}

/// How many ticks a second `/proc` counts in: `USER_HZ`, which is 100 on every platform that rustc runs on.
const TICKS_PER_SECOND: f64 = 100.0;

/// The CPU time in seconds of all processes that this one started and waited for, and that they waited for in turn;
/// `None` where there is no `/proc`.
pub(super) fn cpu_of_children() -> Option<f64> {
    seconds(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// The fields `cutime` and `cstime`, the 16th and 17th, of a line of `/proc/<pid>/stat`.
fn seconds(stat: &str) -> Option<f64> {
    // The second field, a name in parentheses, may have spaces and parentheses itself; the third follows.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(16 - 3);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some((ticks()? + ticks()?) as f64 / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_system_time_of_children_are_found_behind_any_name() {
        let stat = "4242 (a ) b) S 1 4242 4242 0 -1 4194560 9 8 7 6 11 12 1250 75 20 0 1 0 99 1000 10\n";
        assert_eq!(seconds(stat), Some(13.25));
        assert_eq!(seconds("4242 (a) S 1"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells_the_time_of_children() {
        assert!(cpu_of_children().is_some_and(|seconds| seconds >= 0.0));
    }

    #[test]
    fn of_several_runs_the_smaller_figures_count() {
        let mut best = Cost::WORST;
        for (wall_s, cpu_s) in [(3.0, Some(5.0)), (2.0, Some(6.0)), (4.0, None)] {
            best.keep_better(Cost { wall_s, cpu_s });
        }
        assert_eq!(best, Cost { wall_s: 2.0, cpu_s: Some(5.0) });
    }
}
