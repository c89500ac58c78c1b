//! A cap on bandwidth.

use core::time::Duration;

/// The headers of IPv4 (20) and UDP (8), which count as well.
const UDP_IP_BYTES: usize = 28;

/// For how long what was not used may be used later.
const BURST: Duration = Duration::from_millis(100);

/// A token bucket: what may be sent accrues with time, and a packet may be sent while there is any of it. A packet that
/// takes more than there is makes the next ones wait, so that the rate holds over time.
#[derive(Debug, Default)]
pub(in crate::protocol) struct Bucket {
    /// Bytes per second; without a cap if `None`.
    pub(in crate::protocol) rate: Option<u32>,
    /// In bytes times seconds, so that nothing is rounded: a billionth of a byte.
    tokens: i128,
    at: Duration,
}

impl Bucket {
    /// A bucket that is full.
    pub(super) fn begin(&mut self, rate: Option<u32>, now: Duration) {
        *self = Self { rate, tokens: 0, at: now };
        self.tokens = self.most();
    }

    fn most(&self) -> i128 {
        i128::from(self.rate.unwrap_or(0)) * BURST.as_nanos() as i128
    }

    /// Whether a packet may be sent.
    pub(in crate::protocol) fn is_open(&mut self, now: Duration) -> bool {
        let Some(rate) = self.rate else {
            self.at = now;
            self.tokens = 0;
            return true;
        };
        let passed = now.saturating_sub(self.at).min(Duration::from_secs(60));
        self.at = self.at.max(now);
        self.tokens = (self.tokens + i128::from(rate) * passed.as_nanos() as i128).min(self.most());
        self.tokens > 0
    }

    /// Takes note of a packet with a payload of `bytes`.
    pub(in crate::protocol) fn take(&mut self, bytes: usize) {
        self.tokens -= (bytes + UDP_IP_BYTES) as i128 * 1_000_000_000;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_time_no_more_is_sent_than_the_rate_allows() {
        let mut bucket = Bucket::default();
        bucket.begin(Some(10_000), Duration::ZERO);
        let (mut sent, mut longest, mut since) = (0, 0, 0);
        for tick in 0..6000 {
            if bucket.is_open(Duration::from_millis(tick * 10)) {
                bucket.take(1172);
                sent += 1200;
                longest = longest.max(tick - since);
                since = tick;
            }
        }
        assert!((599_000..=602_000).contains(&sent), "{sent} bytes in a minute");
        assert!(longest <= 13, "{longest} hundredths of a second between two packets");
    }

    #[test]
    fn what_was_sent_without_a_cap_is_not_held_against_one() {
        let mut bucket = Bucket::default();
        bucket.begin(None, Duration::ZERO);
        for ms in 0..1000 {
            assert!(bucket.is_open(Duration::from_millis(ms)));
            bucket.take(1200);
        }
        bucket.rate = Some(10_000);
        assert!(bucket.is_open(Duration::from_millis(1200)));
    }

    #[test]
    fn a_long_silence_is_not_made_up_for() {
        let mut bucket = Bucket::default();
        bucket.begin(Some(10_000), Duration::ZERO);
        let hour = Duration::from_secs(3600);
        let mut sent = 0;
        while bucket.is_open(hour) {
            bucket.take(172);
            sent += 1;
        }
        assert_eq!(sent, 5, "a tenth of a second's worth");
    }
}
