//! What a match came to.

use core::fmt;
use core::time::Duration;

use ecs_runtime::Tick;
use serde::Serialize;

use super::bots::ClientCounts;
use super::server::{Client, MatchServer};
use super::{MatchError, TICKS_PER_SECOND};
use crate::cli::MatchArgs;
use crate::report::{BitRows, CodedBy};

/// The report of `tools match`. Lists are by client number. Bytes and bits per second count the time from joining to
/// the end, and the headers of UDP and IPv4: 28 bytes a datagram.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MatchReport {
    pub(crate) players: u16,
    pub(crate) seconds: u64,
    pub(crate) seed: u64,
    #[serde(flatten)]
    pub(crate) coded: CodedBy,
    pub(crate) ticks: u64,
    /// Whether every complete view's hash was the server's, with one in each second of the match at least.
    pub(crate) converged: Vec<bool>,
    /// The smallest of the shares below.
    pub(crate) complete_share: f64,
    /// How many of the ticks that a client could hold it held whole at some time.
    pub(crate) complete_share_by_client: Vec<f64>,
    /// How much older than the server's tick what a client shows of an entity is: the median over all entities, clients and
    /// ticks, the 99th percentile, and the worst.
    pub(crate) staleness_ticks_median: u64,
    pub(crate) staleness_ticks_p99: u64,
    pub(crate) staleness_ticks_worst: u64,
    /// The largest payload that the server sent.
    pub(crate) max_packet_bytes: usize,
    /// Down, the mean over the clients.
    pub(crate) bytes_per_second_per_client: f64,
    pub(crate) bytes_per_second_by_client: Vec<f64>,
    /// Down, the mean over the clients.
    pub(crate) kbit_per_second_per_client: f64,
    /// Up, the mean over the clients.
    pub(crate) bytes_per_second_up_per_client: f64,
    /// The server's work for a tick: receiving, inputs, the systems, quantizing, and the packets of all clients,
    /// with the account of their bits.
    pub(crate) tick_us_p50: f64,
    pub(crate) tick_us_p99: f64,
    pub(crate) tick_us_max: f64,
    pub(crate) deaths: u64,
    pub(crate) shots: u64,
    pub(crate) entities_max: usize,
    /// Values that were out of their range, and sent saturated.
    pub(crate) saturated: u64,
    /// Packets to clients that were presumed lost.
    pub(crate) lost_packets: u64,
    /// Datagrams that either side refused.
    pub(crate) refused_datagrams: u64,
    /// The payloads sent to all clients; the rows below add up to it.
    pub(crate) bits_sent: u64,
    pub(crate) bits_by_component: BitRows,
}

impl MatchReport {
    pub(super) fn new(
        args: &MatchArgs,
        mut server: MatchServer,
        counts: &[ClientCounts],
    ) -> Result<Self, MatchError> {
        let players = usize::from(args.players);
        let end = server.tick;
        let mut clients: Vec<_> =
            server.clients.iter().filter_map(|client| Share::new(client, counts, end)).collect();
        if clients.len() != players {
            return Err(MatchError::Joined { joined: clients.len(), players });
        }
        clients.sort_by_key(|share| share.client.id);
        let seconds = |share: &Share<'_>| share.ticks / TICKS_PER_SECOND as f64;
        let by_client = |value: &dyn Fn(&Share<'_>) -> f64| clients.iter().map(value).collect::<Vec<_>>();
        let down = by_client(&|share| share.client.bytes_down as f64 / seconds(share));
        let up = by_client(&|share| share.counts.bytes_up as f64 / seconds(share));
        let complete = by_client(&|share| share.counts.complete_views as f64 / share.ticks);
        server.work.sort_unstable();
        let staleness = Histogram::of(counts);
        Ok(Self {
            staleness_ticks_median: staleness.rank(0.5),
            staleness_ticks_p99: staleness.rank(0.99),
            staleness_ticks_worst: staleness.rank(1.0),
            players: args.players,
            seconds: args.seconds,
            seed: args.seed,
            coded: CodedBy::new(args.coder, args.priors.as_deref()),
            ticks: end.0,
            converged: clients.iter().map(|share| share.client.convergence.holds(end)).collect(),
            complete_share: complete.iter().copied().fold(1.0, f64::min),
            complete_share_by_client: complete,
            max_packet_bytes: server.max_packet_bytes,
            bytes_per_second_per_client: mean(&down),
            kbit_per_second_per_client: mean(&down) * 8.0 / 1000.0,
            bytes_per_second_by_client: down,
            bytes_per_second_up_per_client: mean(&up),
            tick_us_p50: percentile_us(&server.work, 50),
            tick_us_p99: percentile_us(&server.work, 99),
            tick_us_max: percentile_us(&server.work, 100),
            deaths: server.game.deaths(),
            shots: server.game.shots(),
            entities_max: server.entities_max,
            saturated: server.saturated(),
            lost_packets: server.totals.lost,
            refused_datagrams: server.totals.refused
                + counts.iter().map(|counts| counts.refused).sum::<u64>(),
            bits_sent: server.totals.bytes_sent * 8,
            bits_by_component: server.totals.bits.clone(),
        })
    }
}

/// One client, as the server and it itself saw it.
struct Share<'a> {
    client: &'a Client,
    counts: &'a ClientCounts,
    /// How many ticks the client could be sent.
    ticks: f64,
}

impl<'a> Share<'a> {
    fn new(client: &'a Client, counts: &'a [ClientCounts], end: Tick) -> Option<Self> {
        let counts = counts.iter().find(|counts| counts.number == Some(client.id.number()))?;
        Some(Self { client, counts, ticks: (end.0 + 1 - client.joined.0) as f64 })
    }
}

/// How often something was so many ticks old, by ticks.
struct Histogram(Vec<u64>);

impl Histogram {
    fn of(counts: &[ClientCounts]) -> Self {
        let mut all = Vec::new();
        for client in counts {
            all.resize(client.staleness.len().max(all.len()), 0);
            all.iter_mut().zip(&client.staleness).for_each(|(all, one)| *all += one);
        }
        Self(all)
    }

    /// The ticks that a share of all do not exceed.
    fn rank(&self, share: f64) -> u64 {
        let all: u64 = self.0.iter().sum();
        let mut left = (all as f64 * share).ceil() as u64;
        let at = self.0.iter().position(|&count| {
            left = left.saturating_sub(count);
            left == 0
        });
        at.unwrap_or(0) as u64
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The smallest value that `percent` of all values do not exceed, in microseconds.
fn percentile_us(sorted: &[Duration], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).map_or(0.0, |work| work.as_secs_f64() * 1e6)
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} bots, {} s, seed {}, {} ticks", self.players, self.seconds, self.seed, self.ticks)?;
        writeln!(f, "{}", self.coded)?;
        let converged = self.converged.iter().filter(|&&converged| converged).count();
        writeln!(
            f,
            "converged: {converged} of {} clients, which held at least {:.2} % of their ticks whole",
            self.players,
            self.complete_share * 100.0
        )?;
        writeln!(
            f,
            "a client: {:.2} kbit/s down, {:.2} kbit/s up, with UDP and IP; the largest packet has {} bytes",
            self.kbit_per_second_per_client,
            self.bytes_per_second_up_per_client * 8.0 / 1000.0,
            self.max_packet_bytes
        )?;
        writeln!(
            f,
            "a tick of the server: {:.0} us, 1 in 100 above {:.0} us, at most {:.0} us",
            self.tick_us_p50, self.tick_us_p99, self.tick_us_max
        )?;
        writeln!(
            f,
            "what a client shows is {} ticks old in the median, 1 in 100 above {}, at most {}",
            self.staleness_ticks_median, self.staleness_ticks_p99, self.staleness_ticks_worst
        )?;
        writeln!(f, "{} shots, {} deaths, {} entities at most", self.shots, self.deaths, self.entities_max)?;
        writeln!(
            f,
            "{} packets lost, {} datagrams refused, {} values out of range",
            self.lost_packets, self.refused_datagrams, self.saturated
        )?;
        writeln!(f, "where the bits went:")?;
        write!(f, "{}", self.bits_by_component)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_a_histogram_are_ticks_that_were_counted() {
        let histogram = Histogram(vec![0, 5, 4, 0, 1, 0]);
        assert_eq!([0.5, 0.9, 0.99, 1.0].map(|share| histogram.rank(share)), [1, 2, 4, 4]);
        assert_eq!(Histogram(Vec::new()).rank(0.5), 0);
    }

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let work: Vec<_> = (1..=200).map(Duration::from_micros).collect();
        let figures = [50, 99, 100].map(|percent| percentile_us(&work, percent).round());
        assert_eq!(figures, [100.0, 198.0, 200.0]);
        assert_eq!(percentile_us(&[], 50), 0.0);
    }
}
