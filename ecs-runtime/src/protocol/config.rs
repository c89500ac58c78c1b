//! What can be set on each side.

use core::time::Duration;

/// Settings of a server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The largest payload of a packet, in bytes: at least 512, at most 8,192. 1,200 by default, which fits the
    /// smallest MTU of the internet with IP and UDP headers and some encryption around.
    pub budget: usize,
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
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            budget: 1200,
            max_clients: 64,
            history: 128,
            repeat: false,
            timeout: Duration::from_secs(10),
            first_packet: 1,
            account: false,
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
    /// The number of the first ack and the first command, below 2^62; for tests of the wrap.
    pub first_number: u64,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self { budget: 1200, repeated_commands: 4, report_hashes: true, first_number: 1 }
    }
}
