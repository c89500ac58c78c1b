//! Sockets for the protocol. The protocol itself knows none; another transport takes its datagrams elsewhere.

mod udp;

pub use udp::{BindError, ClientEvent, UdpClient, UdpServer};
