//! A transport in memory, which loses nothing and delays what clients send by whole ticks.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use naia_client::transport as client;
use naia_server::transport as server;
use naia_shared::IdentityToken;

/// What is under way between a server and its clients. A handle; all of them are of the same.
#[derive(Clone, Default)]
pub(super) struct Wire(Arc<Mutex<UnderWay>>);

#[derive(Default)]
struct UnderWay {
    tick: usize,
    /// How many ticks late what clients send arrives.
    delay: usize,
    /// The clients that ask to be taken.
    asking: VecDeque<SocketAddr>,
    /// By client, the token that it was given.
    tokens: Vec<Option<IdentityToken>>,
    /// By client, what the server sent.
    to_clients: Vec<VecDeque<Vec<u8>>>,
    /// The tick at which it arrives, who sent it, and what.
    to_server: VecDeque<(usize, SocketAddr, Vec<u8>)>,
    /// What the server sent to the first client, since it was last asked.
    bytes: usize,
}

/// Names a client; nothing is ever sent there.
const FIRST_PORT: u16 = 10_000;

const SERVER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), FIRST_PORT - 1);

fn address(client: usize) -> SocketAddr {
    SocketAddr::new(Ipv4Addr::LOCALHOST.into(), FIRST_PORT + client as u16)
}

fn client(address: &SocketAddr) -> usize {
    usize::from(address.port() - FIRST_PORT)
}

impl Wire {
    /// What clients send arrives `delay` ticks later than in the next.
    pub(super) fn new(delay: usize) -> Self {
        let wire = Self::default();
        wire.lock().delay = delay;
        wire
    }

    /// The server's end.
    pub(super) fn server(&self) -> Box<dyn server::Socket> {
        Box::new(ServerEnd { wire: self.clone(), last: Vec::new() })
    }

    /// The end of one more client.
    pub(super) fn client(&self) -> Box<dyn client::Socket> {
        let mut wire = self.lock();
        wire.to_clients.push(VecDeque::new());
        wire.tokens.push(None);
        Box::new(ClientEnd { wire: self.clone(), client: wire.tokens.len() - 1, last: Vec::new() })
    }

    /// Begins the next tick.
    pub(super) fn next_tick(&self) {
        self.lock().tick += 1;
    }

    /// Takes the number of bytes that were sent to the first client.
    pub(super) fn take_bytes(&self) -> usize {
        core::mem::take(&mut self.lock().bytes)
    }

    fn lock(&self) -> MutexGuard<'_, UnderWay> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The server's end, in each of the four roles that naia wants.
#[derive(Clone)]
struct ServerEnd {
    wire: Wire,
    /// What was received last.
    last: Vec<u8>,
}

impl server::Socket for ServerEnd {
    fn listen(self: Box<Self>) -> server::ListenResult {
        (self.clone(), self.clone(), self.clone(), self)
    }
}

impl server::AuthReceiver for ServerEnd {
    fn receive(&mut self) -> Result<Option<(SocketAddr, &[u8])>, server::RecvError> {
        let asking = self.wire.lock().asking.pop_front();
        Ok(asking.map(|address| (address, &[][..])))
    }
}

impl server::AuthSender for ServerEnd {
    fn accept(&self, address: &SocketAddr, token: &IdentityToken) -> Result<(), server::SendError> {
        self.wire.lock().tokens[client(address)] = Some(token.clone());
        Ok(())
    }

    fn reject(&self, _: &SocketAddr) -> Result<(), server::SendError> {
        Err(server::SendError)
    }
}

impl server::PacketSender for ServerEnd {
    fn send(&self, address: &SocketAddr, payload: &[u8]) -> Result<(), server::SendError> {
        let (mut wire, client) = (self.wire.lock(), client(address));
        wire.bytes += if client == 0 { payload.len() } else { 0 };
        wire.to_clients[client].push_back(payload.to_vec());
        Ok(())
    }
}

impl server::PacketReceiver for ServerEnd {
    fn receive(&mut self) -> Result<Option<(SocketAddr, &[u8])>, server::RecvError> {
        let mut wire = self.wire.lock();
        let tick = wire.tick;
        let next = wire.to_server.pop_front_if(|(due, ..)| *due <= tick);
        drop(wire);
        Ok(next.map(|(_, address, packet)| {
            self.last = packet;
            (address, self.last.as_slice())
        }))
    }
}

/// A client's end, in each of the three roles that naia wants.
#[derive(Clone)]
struct ClientEnd {
    wire: Wire,
    client: usize,
    /// What was received last.
    last: Vec<u8>,
}

type ClientRoles =
    (Box<dyn client::IdentityReceiver>, Box<dyn client::PacketSender>, Box<dyn client::PacketReceiver>);

impl client::Socket for ClientEnd {
    fn connect(self: Box<Self>) -> ClientRoles {
        self.wire.lock().asking.push_back(address(self.client));
        (self.clone(), self.clone(), self)
    }

    fn connect_with_auth(self: Box<Self>, _: Vec<u8>) -> ClientRoles {
        self.connect()
    }

    fn connect_with_auth_headers(self: Box<Self>, _: Vec<(String, String)>) -> ClientRoles {
        self.connect()
    }

    fn connect_with_auth_and_headers(self: Box<Self>, _: Vec<u8>, _: Vec<(String, String)>) -> ClientRoles {
        self.connect()
    }
}

impl client::IdentityReceiver for ClientEnd {
    fn receive(&mut self) -> client::IdentityReceiverResult {
        match self.wire.lock().tokens[self.client].take() {
            Some(token) => client::IdentityReceiverResult::Success(token),
            None => client::IdentityReceiverResult::Waiting,
        }
    }
}

impl client::PacketSender for ClientEnd {
    fn send(&self, payload: &[u8]) -> Result<(), client::SendError> {
        let mut wire = self.wire.lock();
        let due = wire.tick + 1 + wire.delay;
        wire.to_server.push_back((due, address(self.client), payload.to_vec()));
        Ok(())
    }

    fn server_addr(&self) -> client::ServerAddr {
        client::ServerAddr::Found(SERVER)
    }
}

impl client::PacketReceiver for ClientEnd {
    fn receive(&mut self) -> Result<Option<&[u8]>, client::RecvError> {
        let next = self.wire.lock().to_clients[self.client].pop_front();
        Ok(next.map(|packet| {
            self.last = packet;
            self.last.as_slice()
        }))
    }

    fn server_addr(&self) -> client::ServerAddr {
        client::ServerAddr::Found(SERVER)
    }
}
