//! How much time processes spent computing.

use std::fs;

/// How many ticks a second `/proc` counts in: `USER_HZ`, which is 100 on every platform that rustc runs on.
const TICKS_PER_SECOND: f64 = 100.0;

/// The CPU time in seconds of all processes that this one started and waited for, and that they waited for in turn;
/// `None` where there is no `/proc`.
pub(super) fn of_children() -> Option<f64> {
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
        assert!(of_children().is_some_and(|seconds| seconds >= 0.0));
    }
}
