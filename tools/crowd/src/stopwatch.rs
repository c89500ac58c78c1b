//! How long work takes a processor.

use core::time::Duration;

/// Measures the time that this thread computes, so that other work on the machine counts as little as can be; on a system
/// that does not tell, the time that passes.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    #[cfg(unix)]
    start: Duration,
    #[cfg(not(unix))]
    start: std::time::Instant,
}

#[cfg(unix)]
impl Stopwatch {
    /// Begins to measure.
    #[must_use]
    pub fn start() -> Self {
        Self { start: Self::now() }
    }

    /// How long this thread has computed since.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Self::now().saturating_sub(self.start)
    }

    fn now() -> Duration {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
    }
}

#[cfg(not(unix))]
impl Stopwatch {
    /// Begins to measure.
    #[must_use]
    pub fn start() -> Self {
        Self { start: std::time::Instant::now() }
    }

    /// How long it is since.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.start.elapsed()
    }
}
