//! The players of a match: bots, each with its own socket and a world that follows the server's.

use core::sync::atomic::{AtomicU64, Ordering};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use ecs_runtime::codec::Priors;
use ecs_runtime::protocol::ClientConfig;
use ecs_runtime::transport::UdpClient;
use game_state::{Bot, GameState, Map};

use super::{MatchError, UDP_IP_BYTES};
use crate::cli::MatchArgs;

/// Every player of a match.
pub(crate) struct Bots {
    players: Vec<Player>,
    map: Map,
    /// The server's tick, to tell how old what a bot sees is.
    tick: Arc<AtomicU64>,
}

/// A bot, and its connection.
struct Player {
    udp: UdpClient,
    world: GameState,
    seed: u64,
    /// There once the server has given it a number.
    bot: Option<Bot>,
    /// Everything sent, with the headers of UDP and IP.
    bytes_up: u64,
    staleness: Vec<u64>,
}

/// What is staler than this counts as this.
const MAX_STALENESS: usize = 3600;

/// What a client counted.
#[derive(Clone, Debug)]
pub(crate) struct ClientCounts {
    /// Its number on the server, if it was taken.
    pub(crate) number: Option<u16>,
    /// How many ticks it held whole.
    pub(crate) complete_views: u64,
    /// How often an entity that it showed was so many ticks older than the server's: by ticks, the last place for more.
    pub(crate) staleness: Vec<u64>,
    pub(crate) bytes_up: u64,
    /// Datagrams that it refused.
    pub(crate) refused: u64,
}

impl Bots {
    /// Opens the sockets of all bots, which then begin to connect, each to the address of the server that it knows.
    pub(crate) fn connect(
        servers: &[SocketAddr],
        args: &MatchArgs,
        priors: &Arc<Priors>,
        tick: Arc<AtomicU64>,
    ) -> io::Result<Self> {
        let seeds =
            (0..args.players).map(|number| args.seed.wrapping_mul(1 << 16).wrapping_add(number.into()));
        let players = servers.iter().zip(seeds).map(|(server, seed)| Player::connect(*server, seed, priors));
        let players = players.collect::<io::Result<_>>()?;
        Ok(Self { players, map: Map::arena(), tick })
    }

    /// One tick of every bot.
    pub(crate) fn step(&mut self) -> Result<(), MatchError> {
        let tick = self.tick.load(Ordering::Relaxed);
        self.players.iter_mut().try_for_each(|player| player.step(&self.map, tick))
    }

    /// Everybody leaves, and tells what was counted.
    pub(crate) fn disconnect(mut self) -> Result<Vec<ClientCounts>, MatchError> {
        self.players.iter_mut().map(Player::disconnect).collect()
    }
}

impl Player {
    fn connect(server: SocketAddr, seed: u64, priors: &Arc<Priors>) -> io::Result<Self> {
        let config = ClientConfig { priors: Arc::clone(priors), ..ClientConfig::default() };
        let udp = UdpClient::connect::<GameState>(server, config, seed)?;
        let staleness = vec![0; MAX_STALENESS + 1];
        Ok(Self { udp, world: GameState::default(), seed, bot: None, bytes_up: 0, staleness })
    }

    /// Follows the server, thinks, and sends what it wants to do.
    fn step(&mut self, map: &Map, tick: u64) -> Result<(), MatchError> {
        // The client counts what it refuses.
        self.udp.receive(|_| {})?;
        if let Some(refusal) = self.udp.client().refusal() {
            return Err(MatchError::Refused(Box::new(refusal)));
        }
        self.udp.client_mut().update(&mut self.world);
        for entity in self.world.entities() {
            let known = self.udp.client().entity_tick(entity.index()).map_or(0, |known| known.0);
            let stale = tick.saturating_sub(known).min(MAX_STALENESS as u64);
            self.staleness[stale as usize] += 1;
        }
        if let Some(welcome) = self.udp.client().welcome() {
            let bot = self.bot.get_or_insert_with(|| Bot::new(welcome.client, self.seed));
            let input = bot.think(&self.world, map);
            self.udp.client_mut().command::<GameState, _>(&input);
        }
        let sent = self.udp.send()?;
        if sent > 0 {
            self.bytes_up += (sent + UDP_IP_BYTES) as u64;
        }
        Ok(())
    }

    fn disconnect(&mut self) -> Result<ClientCounts, MatchError> {
        let client = self.udp.client();
        let counts = ClientCounts {
            number: client.welcome().map(|welcome| welcome.client),
            complete_views: client.complete_views(),
            bytes_up: self.bytes_up,
            refused: client.refused(),
            staleness: core::mem::take(&mut self.staleness),
        };
        self.udp.disconnect()?;
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use ecs_runtime::Tick;
    use ecs_runtime::codec::Layout;
    use ecs_runtime::snapshot::{History, Snapshot, StateHash};
    use ecs_runtime::world::GameWorld;

    use super::super::server::MatchServer;
    use super::super::{at_tick, serve};
    use super::*;

    /// The hash of a world, computed from nothing.
    fn hash(world: &mut GameState) -> Option<StateHash> {
        let mut history = History::new(Layout::new(GameState::SCHEMA), 2);
        history.capture(world, Tick(1));
        history.latest().map(Snapshot::hash)
    }

    /// Converging means something only if hashes differ when worlds do.
    #[test]
    fn a_clients_hash_is_that_of_the_servers_world_down_to_one_field() {
        let network = super::super::NetworkArgs::default();
        let args = MatchArgs { players: 2, seconds: 1, seed: 3, network, ..MatchArgs::default() };
        let mut server = MatchServer::bind(&args, &Arc::default()).expect("a free port");
        let mut bots = Bots::connect(
            &[server.udp.local_addr().expect("an address"); 2],
            &args,
            &Arc::default(),
            server.now.clone(),
        )
        .expect("free ports");
        serve(&mut server, 60, |tick| bots.step().map(|()| at_tick(tick))).expect("the match is played");

        let told =
            |bots: &Bots| bots.players.iter().map(|bot| Some(bot.udp.client().hash())).collect::<Vec<_>>();
        let holds = |server: &MatchServer| {
            let ids = server.clients.iter().map(|client| client.id);
            ids.map(|id| server.udp.server().visible_hash(id)).collect::<Vec<_>>()
        };
        assert_eq!(told(&bots), holds(&server));
        let world = &mut server.game.world;
        assert_ne!(hash(world), told(&bots)[0], "nobody is told of the ammunition of others");
        let (player, _) = world.scores.iter().next().expect("two players have scores");
        world.scores.get_mut(player).expect("just found").kills += 1;
        server.udp.server_mut().capture(world, server.tick + 1);
        assert_ne!(told(&bots)[0], holds(&server)[0]);
    }
}
