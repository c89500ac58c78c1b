//! Time that a thread spent on the processor, which others on the machine do not lengthen much.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Duration;

use cpu_time::ThreadTime;

/// What it takes to do something, with what came of it. What the clock itself takes is taken off: a call into the system,
/// which for the shortest of what is measured would be a fifth of it.
///
/// # Panics
/// When the system has no clock of a thread's time.
pub(crate) fn timed<R>(run: impl FnOnce() -> R) -> (Duration, R) {
    static CLOCK: LazyLock<Duration> = LazyLock::new(|| {
        let all = (0..1000).map(|_| with_clock(|| ()).0);
        all.min().unwrap_or_default()
    });
    let clock = *CLOCK;
    let (took, result) = with_clock(run);
    (took.saturating_sub(clock), result)
}

fn with_clock<R>(run: impl FnOnce() -> R) -> (Duration, R) {
    let start = ThreadTime::now();
    let result = black_box(run());
    (start.elapsed(), result)
}

/// The least of some measurements, of which each is a sum over a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Least {
    least: Duration,
    pass: Duration,
}

impl Default for Least {
    fn default() -> Self {
        Self { least: Duration::MAX, pass: Duration::ZERO }
    }
}

impl Least {
    /// Does something as a part of the pass at hand, and times it.
    pub(crate) fn time<R>(&mut self, run: impl FnOnce() -> R) -> R {
        let (took, result) = timed(run);
        self.pass += took;
        result
    }

    /// Ends a pass.
    pub(crate) fn end_pass(&mut self) {
        self.least = self.least.min(core::mem::take(&mut self.pass));
    }

    /// The least of all passes in nanoseconds for each of `count` things.
    pub(crate) fn ns_per(&self, count: usize) -> f64 {
        self.least.as_secs_f64() * 1e9 / count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_pass_counts() {
        let mut least = Least::default();
        for parts in [[3, 4], [1, 2], [5, 6]] {
            parts.iter().for_each(|&part| least.pass += Duration::from_nanos(part));
            least.end_pass();
        }
        assert_eq!(least.ns_per(3), 1.0);
    }
}
