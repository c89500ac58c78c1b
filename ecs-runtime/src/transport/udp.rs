//! Plain UDP: neither authenticated nor encrypted, so for a trusted network or this machine alone.

use core::time::Duration;
use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};

use crate::Entity;
use crate::protocol::{
    ClientConfig, ClientId, DisconnectReason, Hello, PacketError, Received, SentPacket, ServerConfig,
    ServerError, SnapshotClient, SnapshotServer,
};
use crate::world::GameWorld;

/// The largest datagram that is read; a longer one is cut, and refused as what it then is.
const MAX_DATAGRAM: usize = 65_536;

/// The most datagrams that are read in one go, so that a flood cannot keep a tick from ending.
const MAX_RECEIVED: usize = 4096;

/// A [`SnapshotServer`] on a UDP socket.
#[derive(Debug)]
pub struct UdpServer {
    socket: UdpSocket,
    server: SnapshotServer,
    clients: HashMap<SocketAddr, ClientId>,
    addresses: HashMap<ClientId, SocketAddr>,
    buffer: Vec<u8>,
    out: Vec<u8>,
    /// Datagrams that the operating system did not take.
    unsent: u64,
}

/// What happened to a server's clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientEvent {
    /// A client has connected.
    Joined(ClientId),
    /// A client has left, or was silent for too long.
    Left(ClientId),
}

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The address is in use, or not one of this machine.
    #[error("cannot listen on {address}")]
    Socket {
        /// What was asked for.
        address: String,
        /// What the operating system says.
        source: io::Error,
    },
    /// The settings are out of range.
    #[error(transparent)]
    Config(#[from] ServerError),
}

impl UdpServer {
    /// Listens on an address, for clients of states of type `W`.
    pub fn bind<W: GameWorld>(address: &str, config: ServerConfig) -> Result<Self, BindError> {
        let failed = |source| BindError::Socket { address: address.to_owned(), source };
        let socket = UdpSocket::bind(address).map_err(failed)?;
        socket.set_nonblocking(true).map_err(failed)?;
        Ok(Self {
            socket,
            server: SnapshotServer::new::<W>(config)?,
            clients: HashMap::new(),
            addresses: HashMap::new(),
            buffer: vec![0; MAX_DATAGRAM],
            out: Vec::new(),
            unsent: 0,
        })
    }

    /// Where it listens.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// The protocol's server.
    #[must_use]
    pub fn server(&self) -> &SnapshotServer {
        &self.server
    }

    /// The protocol's server, for captures and commands.
    pub fn server_mut(&mut self) -> &mut SnapshotServer {
        &mut self.server
    }

    /// Datagrams that the operating system did not take.
    #[must_use]
    pub fn unsent(&self) -> u64 {
        self.unsent
    }

    /// Reads everything that has arrived, and tells who joined and who left. Errors of single datagrams are counted
    /// in the client's statistics.
    pub fn receive(&mut self, now: Duration, mut event: impl FnMut(ClientEvent)) -> io::Result<()> {
        for _ in 0..MAX_RECEIVED {
            let (len, from) = match self.socket.recv_from(&mut self.buffer) {
                Ok(received) => received,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // A client's port was closed: its timeout will tell.
                Err(error) if error.kind() == ErrorKind::ConnectionReset => continue,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.take(len, from, now, &mut event);
        }
        while let Some(silent) = self.server.timed_out(now) {
            self.disconnect(silent, &DisconnectReason::TimedOut);
            event(ClientEvent::Left(silent));
        }
        while let Some(slow) = self.server.overflowed() {
            self.disconnect(slow, &DisconnectReason::Overflowed);
            event(ClientEvent::Left(slow));
        }
        Ok(())
    }

    fn take(&mut self, len: usize, from: SocketAddr, now: Duration, event: &mut impl FnMut(ClientEvent)) {
        let datagram = self.buffer.get(..len).unwrap_or(&[]);
        let known = self.clients.get(&from).copied();
        if Hello::is_hello(datagram) {
            let answer = match Hello::read(datagram) {
                Ok(Ok(hello)) => {
                    let (answer, client) = self.server.connect(hello, now);
                    // The same greeting from elsewhere is somebody else's, overheard: no answer, and no packets.
                    let address = client.and_then(|client| self.addresses.get(&client));
                    if address.is_some_and(|address| *address != from) {
                        return;
                    }
                    if let Some(client) = client.filter(|&client| known != Some(client)) {
                        if let Some(before) = known {
                            self.disconnect(before, &DisconnectReason::Left);
                            event(ClientEvent::Left(before));
                        }
                        self.clients.insert(from, client);
                        self.addresses.insert(client, from);
                        event(ClientEvent::Joined(client));
                    }
                    answer
                }
                Ok(Err(refused)) => refused,
                Err(_) => return,
            };
            self.out.clear();
            answer.write(&mut self.out);
            self.unsent += u64::from(self.socket.send_to(&self.out, from).is_err());
        } else if let Some(client) = known {
            if self.server.is_goodbye(client, datagram) {
                self.disconnect(client, &DisconnectReason::Left);
                event(ClientEvent::Left(client));
            } else {
                // The server counts what it refuses.
                let _ = self.server.receive(client, now, datagram);
            }
        } else {
            self.out.clear();
            SnapshotServer::answer_stranger(datagram, &mut self.out);
            if !self.out.is_empty() {
                self.unsent += u64::from(self.socket.send_to(&self.out, from).is_err());
            }
        }
    }

    /// Sends every client what it has to hear of the latest capture, all entities of equal priority: see
    /// [`UdpServer::send_by`].
    pub fn send(&mut self, now: Duration, sent: impl FnMut(ClientId, SentPacket)) {
        self.send_by(now, |_, _| 1.0, sent);
    }

    /// Sends every client what it has to hear of the latest capture, in as many packets as are allowed and needed, and
    /// shows what each came to. `priority` is as in [`SnapshotServer::send_by`].
    pub fn send_by(
        &mut self,
        now: Duration,
        priority: impl Fn(ClientId, Entity) -> f32 + Sync,
        mut sent: impl FnMut(ClientId, SentPacket),
    ) {
        let Self { server, socket, addresses, unsent, .. } = self;
        server.send_all(now, priority, |client, packet, datagram| {
            let Some(address) = addresses.get(&client) else { return };
            *unsent += u64::from(socket.send_to(datagram, address).is_err());
            sent(client, packet);
        });
    }

    /// Ends a client's session, and tells it why.
    pub fn disconnect(&mut self, client: ClientId, reason: &DisconnectReason) {
        self.out.clear();
        self.server.disconnect(client, reason, &mut self.out);
        let Some(address) = self.addresses.remove(&client) else { return };
        if !self.out.is_empty() {
            self.unsent += u64::from(self.socket.send_to(&self.out, address).is_err());
        }
        if self.clients.get(&address) == Some(&client) {
            self.clients.remove(&address);
        }
    }
}

/// A [`SnapshotClient`] on a UDP socket.
#[derive(Debug)]
pub struct UdpClient {
    socket: UdpSocket,
    client: SnapshotClient,
    buffer: Vec<u8>,
    out: Vec<u8>,
}

impl UdpClient {
    /// A client that begins to connect to a server.
    pub fn connect<W: GameWorld>(
        server: impl ToSocketAddrs,
        config: ClientConfig,
        nonce: u64,
    ) -> io::Result<Self> {
        let server = server
            .to_socket_addrs()?
            .next()
            .ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "the address names no host"))?;
        let any: SocketAddr = if server.is_ipv4() { ([0; 4], 0).into() } else { ([0u16; 8], 0).into() };
        let socket = UdpSocket::bind(any)?;
        socket.connect(server)?;
        socket.set_nonblocking(true)?;
        let client = SnapshotClient::new::<W>(config, nonce);
        Ok(Self { socket, client, buffer: vec![0; MAX_DATAGRAM], out: Vec::new() })
    }

    /// The protocol's client.
    #[must_use]
    pub fn client(&self) -> &SnapshotClient {
        &self.client
    }

    /// The protocol's client, for commands and the world.
    pub fn client_mut(&mut self) -> &mut SnapshotClient {
        &mut self.client
    }

    /// Reads everything that has arrived, and shows what each datagram was.
    pub fn receive(&mut self, mut received: impl FnMut(Result<Received, PacketError>)) -> io::Result<()> {
        for _ in 0..MAX_RECEIVED {
            match self.socket.recv(&mut self.buffer) {
                Ok(len) => received(self.client.receive(self.buffer.get(..len).unwrap_or(&[]))),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The server is not there (yet); it is asked again with the next packet.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Sends the next packet: a greeting until it is answered, then an ack and the last commands.
    pub fn send(&mut self) -> io::Result<usize> {
        self.out.clear();
        self.client.send(&mut self.out);
        self.transmit()
    }

    /// Ends the session, and tells the server.
    pub fn disconnect(&mut self) -> io::Result<usize> {
        self.out.clear();
        self.client.disconnect(&mut self.out);
        self.transmit()
    }

    fn transmit(&mut self) -> io::Result<usize> {
        if self.out.is_empty() {
            return Ok(0);
        }
        match self.socket.send(&self.out) {
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::WouldBlock) => {
                Ok(0)
            }
            sent => sent,
        }
    }
}
