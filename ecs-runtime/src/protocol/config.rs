//! What can be set on each side.

use core::time::Duration;
use std::sync::Arc;

use crate::codec::{Coder, Priors};

/// Settings of a server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The largest payload of a packet, in bytes: at least 512, at most 8,192. 1,200 by default, which fits the
    /// smallest MTU of the internet with IP and UDP headers and some encryption around.
    pub budget: usize,
    /// The most bytes per second to each client, with 28 for IPv4 and UDP around each packet; without a cap if `None`.
    /// What does not fit waits. 131,072 by default, a megabit.
    pub rate: Option<u32>,
    /// How many packets a client is sent in a tick at most, while there is more to tell than one holds; at least 1.
    pub packets_per_tick: usize,
    /// On how many threads [`SnapshotServer::send_all`](super::SnapshotServer::send_all) makes packets: on the caller's alone
    /// by default, at most on 256. Each is begun anew in every tick, which allocates, and works out for itself what its clients
    /// share: it pays where packets take milliseconds and cores are idle.
    pub threads: usize,
    /// How many ticks there are between two snapshots to a client, 1 by default: 60 ticks and 20 snapshots a second are 3.
    pub ticks_per_snapshot: u32,
    /// How many that may become while ticks take too long, see
    /// [`SnapshotServer::report_load`](super::SnapshotServer::report_load).
    pub max_ticks_per_snapshot: u32,
    /// How many events of either kind may wait for each client. One that has no room makes the oldest that is not reliable
    /// give way; a client that cannot be told what is reliable is [overflowed](super::SnapshotServer::overflowed).
    pub event_queue: usize,
    /// How many clients there may be at once.
    pub max_clients: usize,
    /// How many snapshots are kept, at least 2: a state older than that is no baseline, unless it has not changed since.
    pub history: usize,
    /// Send what differs from the confirmed state again with every packet, although the same is in flight.
    pub repeat: bool,
    /// A client that is silent for longer is taken for gone.
    pub timeout: Duration,
    /// The number of the first packet, below 2^62; for tests of the wrap.
    pub first_packet: u64,
    /// Count the bits that each component takes. Costs a second pass over what is sent.
    pub account: bool,
    /// How packets are coded; another one may be chosen for a client, see
    /// [`SnapshotServer::connect_by`](super::SnapshotServer::connect_by).
    pub coder: Coder,
    /// What is known of the data beforehand; the same as the clients'.
    pub priors: Arc<Priors>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            budget: 1200,
            rate: Some(131_072),
            packets_per_tick: 4,
            threads: 1,
            ticks_per_snapshot: 1,
            max_ticks_per_snapshot: 8,
            event_queue: 1024,
            max_clients: 64,
            history: 128,
            repeat: false,
            timeout: Duration::from_secs(10),
            first_packet: 1,
            account: false,
            coder: Coder::default(),
            priors: Arc::default(),
        }
    }
}

/// Settings of a client.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// The largest payload of a packet, in bytes.
    pub budget: usize,
    /// How many of the last commands each packet repeats.
    pub repeated_commands: usize,
    /// Tell the server the hash of each complete view, so that it can check it.
    pub report_hashes: bool,
    /// Take note of what happens to entities, for [`SnapshotClient::changes`](super::SnapshotClient::changes).
    pub report_changes: bool,
    /// The number of the first ack and the first command, below 2^62; for tests of the wrap.
    pub first_number: u64,
    /// What is known of the data beforehand; the same as the server's.
    pub priors: Arc<Priors>,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            budget: 1200,
            repeated_commands: 4,
            report_hashes: true,
            report_changes: true,
            first_number: 1,
            priors: Arc::default(),
        }
    }
}
