//! Ticks of a fixed length, whatever the frame rate.

use core::time::Duration;

/// Says how many ticks are due. Time is an argument, so that a test needs no clock.
///
/// ```
/// use std::time::Duration;
/// use ecs_runtime::FixedStep;
///
/// let mut steps = FixedStep::new(Duration::from_millis(10), 5);
/// let ms = Duration::from_millis;
/// assert_eq!(steps.advance(ms(1000)).count, 0); // where time begins
/// let due = steps.advance(ms(1025));
/// assert_eq!((due.count, due.into_next), (2, 0.5));
/// // After a stall it catches up by five ticks, and lets go of the rest.
/// let due = steps.advance(ms(2025));
/// assert_eq!((due.count, due.skipped), (5, ms(950)));
/// ```
#[derive(Clone, Debug)]
pub struct FixedStep {
    step: Duration,
    max_steps: u32,
    last: Option<Duration>,
    /// Time that passed and was not simulated, less than a step between calls.
    behind: Duration,
}

/// The ticks that are due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// How many.
    pub count: u32,
    /// How far the time is into the tick after them, from 0 to, but not quite, 1: for interpolation.
    pub into_next: f32,
    /// Time that is let go of, because there would be too many to catch up: the simulation is late by so much for good.
    pub skipped: Duration,
}

impl FixedStep {
    /// Ticks of `step`, of which at most `max_steps`, at least one, are due at once. A step of zero is a nanosecond.
    #[must_use]
    pub fn new(step: Duration, max_steps: u32) -> Self {
        let step = step.max(Duration::from_nanos(1));
        Self { step, max_steps: max_steps.max(1), last: None, behind: Duration::ZERO }
    }

    /// The ticks that are due at a time. The first call only says where time begins; a time before the last one counts as
    /// the last.
    pub fn advance(&mut self, now: Duration) -> Steps {
        let passed = self.last.map_or(Duration::ZERO, |last| now.saturating_sub(last));
        self.last = Some(self.last.map_or(now, |last| last.max(now)));
        self.behind = self.behind.saturating_add(passed);
        let due = self.behind.as_nanos() / self.step.as_nanos();
        let count = u32::try_from(due).unwrap_or(u32::MAX).min(self.max_steps);
        self.behind -= self.step * count;
        let mut skipped = Duration::ZERO;
        if due > u128::from(count) {
            let left = self.behind.as_nanos() % self.step.as_nanos();
            // Less than a step, which is a `Duration`.
            let left = Duration::from_nanos_u128(left);
            skipped = self.behind - left;
            self.behind = left;
        }
        let into_next = (self.behind.as_secs_f64() / self.step.as_secs_f64()) as f32;
        Steps { count, into_next: into_next.min(1.0 - f32::EPSILON), skipped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_add_up_whatever_the_frames_are() {
        let mut steps = FixedStep::new(Duration::from_nanos(1_000_000_000 / 60), 10);
        let mut now = Duration::from_secs(3);
        steps.advance(now);
        let mut count = 0;
        for frame in 0..1000u64 {
            now += Duration::from_micros(3000 + frame * 37 % 14_000);
            let due = steps.advance(now);
            assert_eq!(due.skipped, Duration::ZERO);
            assert!((0.0..1.0).contains(&due.into_next));
            count += u64::from(due.count);
        }
        let passed = (now - Duration::from_secs(3)).as_nanos() * 60 / 1_000_000_000;
        assert!(u128::from(count).abs_diff(passed) <= 1, "{count} of {passed}");
    }

    #[test]
    fn a_clock_that_goes_back_or_jumps_does_no_harm() {
        let mut steps = FixedStep::new(Duration::from_millis(10), 3);
        steps.advance(Duration::from_secs(100));
        assert_eq!(steps.advance(Duration::from_secs(1)).count, 0);
        assert_eq!(steps.advance(Duration::from_millis(100_010)).count, 1);
        let due = steps.advance(Duration::MAX);
        assert_eq!(due.count, 3);
        assert_eq!(steps.advance(Duration::MAX).count, 0);
    }
}
