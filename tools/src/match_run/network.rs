//! A bad network between the server and the bots: a relay on this machine, with real sockets on both sides.

use core::str::FromStr;
use core::time::Duration;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

use clap::Args;
use ecs_runtime::link::{Link, LinkConfig};

/// What the network does, in both directions.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Network, in both directions")]
pub(crate) struct NetworkArgs {
    /// How long a datagram takes, such as `60ms`.
    #[arg(long, value_parser = duration, default_value = "0ms")]
    delay: Duration,
    /// By how much it may be earlier or later, such as `20ms`.
    #[arg(long, value_parser = duration, default_value = "0ms")]
    jitter: Duration,
    /// The share of datagrams that are lost, such as `5%`.
    #[arg(long, value_parser = share, default_value = "0%")]
    loss: f64,
    /// The share of datagrams with which a burst begins, in which all are lost.
    #[arg(long, value_parser = share, default_value = "0%")]
    burst: f64,
    /// How long a burst lasts.
    #[arg(long, value_parser = duration, default_value = "200ms")]
    burst_length: Duration,
    /// The share of datagrams that later ones overtake.
    #[arg(long, value_parser = share, default_value = "0%")]
    reorder: f64,
    /// The share of datagrams that come twice.
    #[arg(long, value_parser = share, default_value = "0%")]
    duplicate: f64,
    /// The share of datagrams in which a bit is flipped.
    #[arg(long, value_parser = share, default_value = "0%")]
    corrupt: f64,
    /// The most that each bot's link carries, such as `256kbit`, a second.
    #[arg(long, value_parser = rate)]
    cap: Option<u64>,
}

impl NetworkArgs {
    /// What a link does; `None` if it does nothing.
    pub(crate) fn link(&self) -> Option<LinkConfig> {
        let link = LinkConfig {
            delay: self.delay,
            jitter: self.jitter,
            loss: self.loss,
            burst: self.burst,
            burst_length: self.burst_length,
            duplicate: self.duplicate,
            reorder: self.reorder,
            corrupt: self.corrupt,
            cap: self.cap,
        };
        let nothing = LinkConfig { burst_length: self.burst_length, ..LinkConfig::default() };
        Some(link).filter(|link| *link != nothing)
    }
}

/// The number before a unit.
fn number<T: FromStr>(text: &str, unit: &str) -> Option<T> {
    text.strip_suffix(unit)?.trim().parse().ok()
}

/// A percentage as a share.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let percent: f64 = number(text, "%").ok_or("write a share as a percentage, such as `5%`")?;
    if (0.0..=100.0).contains(&percent) { Ok(percent / 100.0) } else { Err("a share is 0% to 100%".into()) }
}

fn duration(text: &str) -> Result<Duration, String> {
    let seconds = match number::<f64>(text, "ms") {
        Some(ms) => Some(ms / 1000.0),
        None => number::<f64>(text, "s"),
    };
    let seconds = seconds.ok_or("write a time with its unit, such as `60ms` or `1.5s`")?;
    if (0.0..=60.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("a time is 0 to 60 s".into())
    }
}

fn rate(text: &str) -> Result<u64, String> {
    let mbit = number::<f64>(text, "mbit").map(|rate| rate * 1e6);
    let bits = mbit.or_else(|| number::<f64>(text, "kbit").map(|rate| rate * 1e3));
    let bits = bits.ok_or("write a rate with its unit, such as `256kbit` or `2mbit`")?;
    if (8e3..=1e10).contains(&bits) { Ok(bits as u64) } else { Err("a rate is 8kbit to 10000mbit".into()) }
}

/// Hands on datagrams between bots and a server, as late, twice, damaged or not at all as the links have it.
pub(crate) struct Relay {
    lines: Vec<Line>,
    buffer: Vec<u8>,
}

/// What is between one bot and the server.
struct Line {
    /// Where the bot sends to.
    to_bot: UdpSocket,
    /// Where the server sends to.
    to_server: UdpSocket,
    bot: Option<SocketAddr>,
    up: Link,
    down: Link,
}

impl Relay {
    /// A line to the server for each of `bots`.
    pub(crate) fn open(server: SocketAddr, bots: u16, link: LinkConfig, seed: u64) -> io::Result<Self> {
        let lines = (0..u64::from(bots)).map(|bot| {
            let seed = seed.wrapping_mul(1 << 20).wrapping_add(2 * bot);
            let to_bot = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            let to_server = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            to_server.connect(server)?;
            to_bot.set_nonblocking(true)?;
            to_server.set_nonblocking(true)?;
            Ok(Line {
                to_bot,
                to_server,
                bot: None,
                up: Link::new(link, seed),
                down: Link::new(link, seed + 1),
            })
        });
        Ok(Self { lines: lines.collect::<io::Result<_>>()?, buffer: vec![0; 65_536] })
    }

    /// Where each bot has to send to.
    pub(crate) fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        self.lines.iter().map(|line| line.to_bot.local_addr()).collect()
    }

    /// Takes what has come, and sends on what is due.
    pub(crate) fn pump(&mut self, now: Duration) -> io::Result<()> {
        let Self { lines, buffer } = self;
        for line in lines {
            while let Some((len, bot)) = received(line.to_bot.recv_from(buffer))? {
                line.bot = Some(bot);
                line.up.send(now, buffer.get(..len).unwrap_or(&[]));
            }
            while let Some(len) = received(line.to_server.recv(buffer))? {
                line.down.send(now, buffer.get(..len).unwrap_or(&[]));
            }
            let mut datagram = Vec::new();
            while line.up.receive(now, &mut datagram) {
                received(line.to_server.send(&datagram))?;
                datagram.clear();
            }
            while line.down.receive(now, &mut datagram) {
                if let Some(bot) = line.bot {
                    received(line.to_bot.send_to(&datagram, bot))?;
                }
                datagram.clear();
            }
        }
        Ok(())
    }
}

/// Nothing there, or nobody there, is no fault.
fn received<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    let harmless = [
        ErrorKind::WouldBlock,
        ErrorKind::ConnectionRefused,
        ErrorKind::ConnectionReset,
        ErrorKind::Interrupted,
    ];
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if harmless.contains(&error.kind()) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_units_and_ranges() {
        assert_eq!((share("5%"), share("0.5 %")), (Ok(0.05), Ok(0.005)));
        assert_eq!(
            (duration("60ms"), duration("1.5s")),
            (Ok(Duration::from_millis(60)), Ok(Duration::from_millis(1500)))
        );
        assert_eq!((rate("256kbit"), rate("2mbit")), (Ok(256_000), Ok(2_000_000)));
        assert_eq!(share("150%"), Err("a share is 0% to 100%".into()));
        for wrong in ["5", "-1%", "NaN%", "many%", ""] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
        for wrong in ["60", "-1ms", "inf s", "2h", "100s"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert!(rate("1kbit").is_err() && rate("256").is_err() && rate("NaNmbit").is_err());
    }

    #[test]
    fn a_relay_hands_on_both_ways_when_it_is_time() -> io::Result<()> {
        let server = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        let bot = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        server.set_nonblocking(true)?;
        bot.set_nonblocking(true)?;
        let link = LinkConfig { delay: Duration::from_millis(50), ..LinkConfig::default() };
        let mut relay = Relay::open(server.local_addr()?, 1, link, 1)?;
        bot.send_to(b"hello", relay.addresses()?[0])?;
        let mut buffer = [0; 16];
        relay.pump(Duration::ZERO)?;
        relay.pump(Duration::from_millis(49))?;
        assert!(received(server.recv_from(&mut buffer))?.is_none(), "it is under way");
        relay.pump(Duration::from_millis(50))?;
        let (len, line) = server.recv_from(&mut buffer)?;
        assert_eq!(&buffer[..len], b"hello");
        server.send_to(b"welcome", line)?;
        relay.pump(Duration::from_millis(60))?;
        relay.pump(Duration::from_millis(110))?;
        let len = bot.recv(&mut buffer)?;
        assert_eq!(&buffer[..len], b"welcome");
        Ok(())
    }
}
