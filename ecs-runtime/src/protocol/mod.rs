//! The snapshot protocol, without sockets and clocks: packets and time are arguments, packets are return values.
//!
//! A [`SnapshotServer`] captures a world each tick and makes packets for each client; a [`SnapshotClient`] reads
//! them and keeps a world that follows. What each promises under loss, delay, reorder and duplication:
//!
//! - A packet builds only on state that the client has confirmed, so any packet may be lost.
//! - What the client holds of an entity is the server's state of that entity at one tick, never a mixture.
//! - An entity that is as it was last sent is not sent again while that packet is in flight.
//! - A packet never exceeds the budget; what does not fit waits, and the longer it waits the sooner it goes.
//!
//! The client numbers its acks. An ack lists the packets received since an earlier ack that the server has named;
//! *the view of an ack* is the view of that earlier one and the listed packets, by entity the newest tick. Each
//! packet names the ack that it builds on. Ack 0 is the empty world.

mod ack;
mod apply;
mod changes;
mod choose;
mod client;
mod coded;
mod command;
mod config;
mod digest;
mod error;
mod fit;
mod handshake;
mod header;
mod inbox;
mod index_set;
mod pace;
mod parts;
mod peer;
mod ring;
mod seal;
mod send;
mod server;
mod views;

pub use changes::{Change, ChangeKind, Vanished};
pub use client::{Received, SnapshotClient, Unresolved, Update};
pub use config::{ClientConfig, ServerConfig};
pub use digest::{Digest, Mismatch};
pub use error::PacketError;
pub use handshake::{Answer, DisconnectReason, Hello, Refusal, Welcome};
pub use index_set::IndexSet;
pub use peer::{Missed, PeerStats, Verdict};
pub use send::{Finding, SentPacket};
pub use server::{ClientId, ServerError, SnapshotServer};

/// How many packets back an ack can list; what lies beyond counts as lost.
pub const ACK_WINDOW: u64 = 256;

/// The smallest budget of a packet, in bytes.
pub const MIN_BUDGET: usize = 512;

/// The largest budget of a packet, in bytes: what fits a jumbo frame. Nothing longer is read.
pub const MAX_BUDGET: usize = 8192;
