//! A bad network in memory: delay, jitter, loss, reorder, duplication and corruption, by a seed and a virtual clock.

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
    /// The share of datagrams that come twice, 0 to 1.
    pub duplicate: f64,
    /// The share of datagrams that are held back by another delay, so that later ones overtake them, 0 to 1.
    pub reorder: f64,
    /// The share of datagrams in which one bit is flipped, 0 to 1.
    pub corrupt: f64,
}

/// One direction of a link.
#[derive(Debug)]
pub struct Link {
    config: LinkConfig,
    random: Pcg32,
    /// Datagrams under way, by when they arrive and the order in which they were sent.
    under_way: BTreeMap<(Duration, u64), Vec<u8>>,
    spare: Vec<Vec<u8>>,
    sent: u64,
    lost: u64,
}

impl Link {
    /// A link whose faults follow from `seed` alone.
    #[must_use]
    pub fn new(config: LinkConfig, seed: u64) -> Self {
        let random = Pcg32::seed_from_u64(seed);
        Self { config, random, under_way: BTreeMap::new(), spare: Vec::new(), sent: 0, lost: 0 }
    }

    /// Behaves differently from now on; what is under way arrives as planned.
    pub fn set_config(&mut self, config: LinkConfig) {
        self.config = config;
    }

    /// Sends a datagram at `now`.
    pub fn send(&mut self, now: Duration, datagram: &[u8]) {
        let copies = 1 + u32::from(self.happens(self.config.duplicate));
        for _ in 0..copies {
            if self.happens(self.config.loss) {
                self.lost += 1;
                continue;
            }
            let mut copy = self.spare.pop().unwrap_or_default();
            copy.clear();
            copy.extend_from_slice(datagram);
            if self.happens(self.config.corrupt) && !copy.is_empty() {
                let bit = self.random.next_u32() as usize % (copy.len() * 8);
                copy[bit / 8] ^= 1 << (bit % 8);
            }
            let swing = self.config.jitter.mul_f64(2.0 * self.uniform());
            let mut arrival = (now + self.config.delay + swing).saturating_sub(self.config.jitter).max(now);
            if self.happens(self.config.reorder) {
                arrival += self.config.delay.max(Duration::from_millis(20));
            }
            self.under_way.insert((arrival, self.sent), copy);
            self.sent += 1;
        }
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
            corrupt: 0.0,
        };
        let first = deliveries(config, 7);
        assert_eq!(first, deliveries(config, 7));
        assert_ne!(first, deliveries(config, 8));
        assert!((70..105).contains(&first.len()), "{}", first.len());
        assert!(first.windows(2).any(|pair| pair[0].1 > pair[1].1), "something was overtaken");
        assert!(first.iter().all(|&(at, sent)| at >= u64::from(sent) + 6));
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
