//! `tools match`: a match of bots over real sockets, and what it costs.
//!
//! The server and the bots share nothing but UDP on this machine: each bot has a socket, a client and a world of its
//! own, and sees only what was sent to it.

mod bots;
mod convergence;
mod network;
mod report;
mod server;

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use ecs_runtime::codec::{Lessons, Priors};
use ecs_runtime::protocol::Refusal;
use ecs_runtime::schema::Schema;
use ecs_runtime::transport::BindError;
use ecs_runtime::world::GameWorld as _;
use game_state::GameState;

use crate::cli::MatchArgs;
use crate::priors::{self, PriorsFileError};
use crate::progress::Progress;
use bots::{Bots, ClientCounts};
use network::Relay;
pub(crate) use network::{NetworkArgs, share};
use report::MatchReport;
use server::MatchServer;

/// The schema of the shooter.
pub(crate) const SCHEMA: &Schema = GameState::SCHEMA;

/// The shooter's tick rate, wide enough to count with.
const TICKS_PER_SECOND: u64 = game_state::TICKS_PER_SECOND as u64;

/// The time between two ticks.
const TICK: Duration = Duration::from_nanos(1_000_000_000 / TICKS_PER_SECOND);

/// The headers of UDP (8) and IPv4 (20) around each datagram.
const UDP_IP_BYTES: usize = 28;

/// How long the server waits after the last tick for clients to tell that they hold it.
const LINGER_TICKS: u64 = TICKS_PER_SECOND;

/// Why a match was not played to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MatchError {
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error("a socket failed")]
    Socket(#[from] io::Error),
    #[error("the server does not take a bot")]
    Refused(#[source] Box<Refusal>),
    #[error(transparent)]
    Priors(#[from] PriorsFileError),
    #[error("only {joined} of {players} bots joined the match")]
    Joined { joined: usize, players: usize },
    #[error("the bots stopped before the match was over")]
    BotsStopped,
}

/// Runs the subcommand: the server on this thread, all bots on another, and between them a relay on a third if the network
/// is to be bad.
pub(crate) fn run(args: &MatchArgs) -> Result<MatchReport, MatchError> {
    let priors = priors::load(args.priors.as_deref(), GameState::SCHEMA)?;
    let (server, counts) = play(args, &priors, None)?;
    MatchReport::new(args, server, &counts)
}

/// Plays a match, and learns from it.
pub(crate) fn learn(args: &MatchArgs, priors: &Arc<Priors>) -> Result<Lessons, MatchError> {
    let lessons = Lessons::new(GameState::SCHEMA);
    let (mut server, _) = play(args, priors, Some(lessons.clone()))?;
    Ok(server.udp.server_mut().learn(None).unwrap_or(lessons))
}

/// Plays a match to its end.
fn play(
    args: &MatchArgs,
    priors: &Arc<Priors>,
    lessons: Option<Lessons>,
) -> Result<(MatchServer, Vec<ClientCounts>), MatchError> {
    let mut server = MatchServer::bind(args, priors)?;
    server.udp.server_mut().learn(lessons);
    server.in_real_time = true;
    let address = server.udp.local_addr()?;
    let relay =
        args.network.link().map(|link| Relay::open(address, args.players, link, args.seed)).transpose()?;
    let addresses = match &relay {
        Some(relay) => relay.addresses()?,
        None => vec![address; usize::from(args.players)],
    };
    let bots = Bots::connect(&addresses, args, priors, server.now.clone())?;
    let progress = Progress::of("ticks", args.ticks());
    let over = AtomicBool::new(false);
    let start = Instant::now();
    let (served, counts) = thread::scope(|scope| {
        let relay = relay.map(|relay| scope.spawn(|| play_network(relay, start, &over)));
        let bots = scope.spawn(|| {
            let counts = play_bots(bots, &over);
            over.store(true, Ordering::Relaxed);
            counts
        });
        let served = serve(&mut server, args.ticks(), |tick| {
            sleep_until(start + at_tick(tick));
            progress.advance();
            if over.load(Ordering::Relaxed) { Err(MatchError::BotsStopped) } else { Ok(start.elapsed()) }
        });
        over.store(true, Ordering::Relaxed);
        let counts = bots.join().unwrap_or(Err(MatchError::BotsStopped));
        if let Some(relay) = relay {
            let relayed = relay.join().unwrap_or(Err(MatchError::BotsStopped));
            return (served, relayed.and(counts));
        }
        (served, counts)
    });
    // When the bots failed, that is why the server stopped.
    let counts = counts?;
    served?;
    Ok((server, counts))
}

/// Runs the match, then sends its last tick until every client has told that it holds it, or does not.
///
/// `clock` waits for the time of a tick, and tells the time.
fn serve(
    server: &mut MatchServer,
    ticks: u64,
    mut clock: impl FnMut(u64) -> Result<Duration, MatchError>,
) -> Result<(), MatchError> {
    for tick in 0..ticks {
        server.step(clock(tick)?)?;
    }
    server.finish();
    let mut linger = ticks..ticks + LINGER_TICKS;
    while !server.is_settled()
        && let Some(tick) = linger.next()
    {
        server.linger(clock(tick)?)?;
    }
    Ok(())
}

/// Hands on datagrams until the match is over, a thousand times a second.
fn play_network(mut relay: Relay, start: Instant, over: &AtomicBool) -> Result<(), MatchError> {
    while !over.load(Ordering::Relaxed) {
        relay.pump(start.elapsed())?;
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Plays until the match is over. Bots tick halfway between two ticks of the server, as nobody's clocks are the same.
fn play_bots(mut bots: Bots, over: &AtomicBool) -> Result<Vec<ClientCounts>, MatchError> {
    let start = Instant::now() + TICK / 2;
    for tick in 0.. {
        sleep_until(start + at_tick(tick));
        if over.load(Ordering::Relaxed) {
            break;
        }
        bots.step()?;
    }
    bots.disconnect()
}

/// When a tick begins, after the first.
fn at_tick(tick: u64) -> Duration {
    Duration::from_nanos(tick.saturating_mul(1_000_000_000) / TICKS_PER_SECOND)
}

/// Returns at once when that time is over: who is late catches up.
fn sleep_until(deadline: Instant) {
    thread::sleep(deadline.saturating_duration_since(Instant::now()));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A match over real sockets, as fast as it goes: the bots take their turn when the server waits for its next.
    fn played(args: &MatchArgs) -> MatchReport {
        let mut server = MatchServer::bind(args, &Arc::default()).expect("a free port");
        let address = server.udp.local_addr().expect("an address");
        let mut bots =
            Bots::connect(&[address; 4], args, &Arc::default(), server.now.clone()).expect("free ports");
        let clock = |tick| bots.step().map(|()| at_tick(tick));
        serve(&mut server, args.ticks(), clock).expect("the match is played");
        let counts = bots.disconnect().expect("the sockets are still there");
        MatchReport::new(args, server, &counts).expect("everybody joined")
    }

    fn args() -> MatchArgs {
        MatchArgs { players: 4, seconds: 2, seed: 7, ..MatchArgs::default() }
    }

    #[test]
    fn every_client_of_a_match_follows_the_server() {
        let report = played(&args());
        assert_eq!((report.ticks, report.players), (120, 4));
        assert_eq!(report.converged, [true; 4]);
        assert_eq!(report.complete_share_by_client.len(), 4);
        assert!((0.9..=1.0).contains(&report.complete_share), "{}", report.complete_share);
        assert!((1..=1200).contains(&report.max_packet_bytes));
        assert!(report.bytes_per_second_by_client.iter().all(|&bytes| bytes > 60.0 * UDP_IP_BYTES as f64));
        assert!(report.bytes_per_second_up_per_client > 60.0 * UDP_IP_BYTES as f64);
        assert!(report.shots > 0);
        assert_eq!((report.saturated, report.refused_datagrams), (0, 0));
    }

    #[test]
    fn the_rows_of_the_account_add_up_to_the_bits_sent() {
        let report = played(&args());
        assert!(report.bits_sent > 0);
        assert_eq!(report.bits_by_component.sum(), report.bits_sent);
    }

    #[test]
    fn a_port_in_use_is_told_as_such() {
        let server = MatchServer::bind(&args(), &Arc::default()).expect("a free port");
        let port = server.udp.local_addr().expect("an address").port();
        let error = run(&MatchArgs { port, ..args() }).expect_err("the port is taken").to_string();
        assert!(error.contains(&format!("cannot listen on 127.0.0.1:{port}")), "{error}");
    }

    #[test]
    fn a_match_that_a_bot_did_not_join_has_no_report() {
        let mut server = MatchServer::bind(&args(), &Arc::default()).expect("a free port");
        serve(&mut server, 1, |tick| Ok(at_tick(tick))).expect("nobody disturbs it");
        let error = MatchReport::new(&args(), server, &[]).expect_err("nobody is there");
        assert!(matches!(error, MatchError::Joined { joined: 0, players: 4 }), "{error}");
    }
}
