//! How often clients are sent snapshots: less often while ticks take too long.

use core::time::Duration;

/// The ticks between two snapshots.
#[derive(Debug)]
pub(super) struct Pace {
    least: u32,
    most: u32,
    now: u32,
    /// How many ticks in a row left plenty of time.
    calm: u32,
}

/// So many calm ticks make snapshots more frequent again: a second's, so that the rate does not swing.
const CALM: u32 = 60;

impl Pace {
    /// At least `least` ticks, at most `most`.
    pub(super) fn new(least: u32, most: u32) -> Self {
        let least = least.max(1);
        Self { least, most: most.max(least), now: least, calm: 0 }
    }

    pub(super) fn interval(&self) -> u32 {
        self.now
    }

    /// Whether a client is sent a snapshot after so many captures. Clients take turns, so that the load is even.
    pub(super) fn is_due(&self, captures: u64, client: u16) -> bool {
        captures.wrapping_add(u64::from(client)).is_multiple_of(u64::from(self.now))
    }

    /// A tick took `work` of the time that it has: above four fifths, snapshots are halved; below two fifths for a while,
    /// they are doubled.
    pub(super) fn report(&mut self, work: Duration, tick: Duration) {
        let (work, tick) = (work.as_nanos(), tick.as_nanos());
        if work * 5 > tick * 4 {
            self.now = self.now.saturating_mul(2).min(self.most);
            self.calm = 0;
        } else if work * 5 > tick * 2 {
            self.calm = 0;
        } else {
            self.calm += 1;
            if self.calm >= CALM {
                self.now = (self.now / 2).max(self.least);
                self.calm = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_are_fewer_under_load_and_come_back() {
        let tick = Duration::from_millis(16);
        let mut pace = Pace::new(1, 8);
        let mut after = |work, ticks| {
            (0..ticks).for_each(|_| pace.report(Duration::from_millis(work), tick));
            pace.interval()
        };
        assert_eq!([after(2, 100), after(13, 1), after(13, 1), after(15, 9)], [1, 2, 4, 8]);
        assert_eq!([after(10, 500), after(2, 59), after(2, 1), after(2, 60), after(2, 600)], [8, 8, 4, 2, 1]);
    }

    #[test]
    fn no_limit_is_a_limit_too() {
        let mut pace = Pace::new(1, u32::MAX);
        (0..50).for_each(|_| pace.report(Duration::from_secs(1), Duration::from_millis(16)));
        assert_eq!(pace.interval(), u32::MAX);
    }

    #[test]
    fn clients_take_turns() {
        let pace = Pace::new(3, 3);
        let due: Vec<_> =
            (0..6).map(|captures| (0..3).filter(|&client| pace.is_due(captures, client)).count()).collect();
        assert_eq!(due, [1; 6]);
    }
}
