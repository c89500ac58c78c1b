//! A bad network in memory: delay, jitter, loss, bursts, reorder, duplication, corruption, blackouts and a cap on
//! bandwidth, by a seed and a virtual clock.

use core::time::Duration;
use std::collections::BTreeMap;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

/// What a link does to datagrams in one direction. The default delivers all of them at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkConfig {
    /// How long a datagram takes.
    pub delay: Duration,
    /// By how much a datagram may be earlier or later, uniformly; never before it was sent.
    pub jitter: Duration,
    /// The share of datagrams that are lost, 0 to 1.
    pub loss: f64,
    /// The share of datagrams with which a burst begins, in which everything is lost, 0 to 1.
    pub burst: f64,
    /// How long a burst lasts.
    pub burst_length: Duration,
    /// The share of datagrams that come twice, 0 to 1.
    pub duplicate: f64,
    /// The share of datagrams that are held back by another delay, so that later ones overtake them, 0 to 1.
    pub reorder: f64,
    /// The share of datagrams in which one bit is flipped, 0 to 1.
    pub corrupt: f64,
    /// The most that the link carries, in bits per second, with the 28 bytes that IPv4 and UDP put around each
    /// datagram. What comes quicker waits, and is lost when it would wait for longer than [`MAX_WAIT`].
    pub cap: Option<u64>,
}

/// The most that a datagram waits for its turn on a capped link: what the buffer of a home router holds.
pub const MAX_WAIT: Duration = Duration::from_millis(250);

/// The headers of IPv4 (20) and UDP (8) around each datagram.
const UDP_IP_BYTES: usize = 28;

/// One direction of a link.
#[derive(Debug)]
pub struct Link {
    config: LinkConfig,
    random: Pcg32,
    /// Datagrams under way, by when they arrive and the order in which they were sent.
    under_way: BTreeMap<(Duration, u64), Vec<u8>>,
    spare: Vec<Vec<u8>>,
    /// Until when nothing gets through.
    black_until: Duration,
    /// Until when a capped link is busy with what was sent before.
    busy_until: Duration,
    sent: u64,
    lost: u64,
}

impl Link {
    /// A link whose faults follow from `seed` alone.
    #[must_use]
    pub fn new(config: LinkConfig, seed: u64) -> Self {
        Self {
            config,
            random: Pcg32::seed_from_u64(seed),
            under_way: BTreeMap::new(),
            spare: Vec::new(),
            black_until: Duration::ZERO,
            busy_until: Duration::ZERO,
            sent: 0,
            lost: 0,
        }
    }

    /// Behaves differently from now on; what is under way arrives as planned.
    pub fn set_config(&mut self, config: LinkConfig) {
        self.config = config;
    }

    /// Loses everything that is sent before `until`.
    pub fn black_out(&mut self, until: Duration) {
        self.black_until = self.black_until.max(until);
    }

    /// Sends a datagram at `now`.
    pub fn send(&mut self, now: Duration, datagram: &[u8]) {
        let copies = 1 + u32::from(self.happens(self.config.duplicate));
        for _ in 0..copies {
            if self.happens(self.config.burst) {
                self.black_out(now + self.config.burst_length);
            }
            let lost = self.happens(self.config.loss) || now < self.black_until;
            let Some(sent) = self.when_sent(now, datagram.len()).filter(|_| !lost) else {
                self.lost += 1;
                continue;
            };
            let mut copy = self.spare.pop().unwrap_or_default();
            copy.clear();
            copy.extend_from_slice(datagram);
            if self.happens(self.config.corrupt) && !copy.is_empty() {
                let bit = self.random.next_u32() as usize % (copy.len() * 8);
                copy[bit / 8] ^= 1 << (bit % 8);
            }
            let swing = self.config.jitter.mul_f64(2.0 * self.uniform());
            let mut arrival = (sent + self.config.delay + swing).saturating_sub(self.config.jitter).max(sent);
            if self.happens(self.config.reorder) {
                arrival += self.config.delay.max(Duration::from_millis(20));
            }
            self.under_way.insert((arrival, self.sent), copy);
            self.sent += 1;
        }
    }

    /// When the last bit of a datagram has left; `None` if there are too many before it.
    fn when_sent(&mut self, now: Duration, len: usize) -> Option<Duration> {
        let Some(cap) = self.config.cap else { return Some(now) };
        let start = self.busy_until.max(now);
        if start - now > MAX_WAIT {
            return None;
        }
        let bits = (len + UDP_IP_BYTES) as f64 * 8.0;
        self.busy_until = start + Duration::from_secs_f64(bits / cap.max(1) as f64);
        Some(self.busy_until)
    }

    /// Appends the next datagram that has arrived by `now` to `out`; `false` if there is none.
    pub fn receive(&mut self, now: Duration, out: &mut Vec<u8>) -> bool {
        let Some(first) = self.under_way.first_entry().filter(|first| first.key().0 <= now) else {
            return false;
        };
        let datagram = first.remove();
        out.extend_from_slice(&datagram);
        self.spare.push(datagram);
        true
    }

    /// How many datagrams were lost.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    fn happens(&mut self, share: f64) -> bool {
        share > 0.0 && self.uniform() < share
    }

    /// A number from 0 up to, but not including, 1.
    fn uniform(&mut self) -> f64 {
        f64::from(self.random.next_u32()) / (f64::from(u32::MAX) + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deliveries(config: LinkConfig, seed: u64) -> Vec<(u64, u8)> {
        let mut link = Link::new(config, seed);
        let mut deliveries = Vec::new();
        let mut datagram = Vec::new();
        for at in 0..200u64 {
            let now = Duration::from_millis(at);
            if at < 100 {
                link.send(now, &[at as u8]);
            }
            while link.receive(now, &mut datagram) {
                deliveries.push((at, datagram[0]));
                datagram.clear();
            }
        }
        deliveries
    }

    #[test]
    fn a_good_link_keeps_order_and_time() {
        let config = LinkConfig { delay: Duration::from_millis(5), ..LinkConfig::default() };
        let all = deliveries(config, 1);
        assert_eq!(all.len(), 100);
        assert!(all.iter().all(|&(at, sent)| at == u64::from(sent) + 5));
    }

    #[test]
    fn faults_happen_at_their_rates_and_repeat_with_the_seed() {
        let delay = Duration::from_millis(10);
        let config = LinkConfig {
            delay,
            jitter: Duration::from_millis(4),
            loss: 0.2,
            duplicate: 0.1,
            reorder: 0.1,
            ..LinkConfig::default()
        };
        let first = deliveries(config, 7);
        assert_eq!(first, deliveries(config, 7));
        assert_ne!(first, deliveries(config, 8));
        assert!((70..105).contains(&first.len()), "{}", first.len());
        assert!(first.windows(2).any(|pair| pair[0].1 > pair[1].1), "something was overtaken");
        assert!(first.iter().all(|&(at, sent)| at >= u64::from(sent) + 6));
    }

    #[test]
    fn bursts_and_blackouts_lose_everything_for_their_time() {
        let burst_length = Duration::from_millis(10);
        let config = LinkConfig { burst: 0.05, burst_length, ..LinkConfig::default() };
        let arrived: Vec<_> = deliveries(config, 5).into_iter().map(|(at, _)| at).collect();
        let gaps = arrived.windows(2).map(|pair| pair[1] - pair[0]).filter(|&gap| gap > 1);
        assert!(
            gaps.clone().count() > 1 && gaps.clone().all(|gap| gap > 10),
            "{:?}",
            gaps.collect::<Vec<_>>()
        );

        let mut link = Link::new(LinkConfig::default(), 1);
        link.black_out(Duration::from_millis(5));
        link.send(Duration::from_millis(4), &[1]);
        link.send(Duration::from_millis(5), &[2]);
        let mut datagram = Vec::new();
        assert!(link.receive(Duration::from_secs(1), &mut datagram) && datagram == [2]);
        assert_eq!((link.lost(), link.receive(Duration::from_secs(9), &mut datagram)), (1, false));
    }

    #[test]
    fn a_capped_link_delays_what_comes_too_quick_and_loses_what_would_wait_for_long() {
        // 128 bytes with their headers take 16 ms.
        let mut link = Link::new(LinkConfig { cap: Some(64_000), ..LinkConfig::default() }, 1);
        for _ in 0..40 {
            link.send(Duration::ZERO, &[0; 100]);
        }
        let mut arrivals = Vec::new();
        for at in 0..1000 {
            let mut datagram = Vec::new();
            while link.receive(Duration::from_millis(at), &mut datagram) {
                arrivals.push(at);
            }
        }
        assert_eq!(arrivals[..3], [16, 32, 48]);
        assert_eq!((arrivals.len(), link.lost()), (16, 24), "a quarter of a second of them");
    }

    #[test]
    fn corruption_flips_one_bit() {
        let mut link = Link::new(LinkConfig { corrupt: 1.0, ..LinkConfig::default() }, 3);
        link.send(Duration::ZERO, &[0; 8]);
        let mut datagram = Vec::new();
        assert!(link.receive(Duration::ZERO, &mut datagram));
        assert_eq!(datagram.iter().map(|byte| byte.count_ones()).sum::<u32>(), 1);
    }
}
