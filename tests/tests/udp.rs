//! The protocol over real sockets on this machine.
#![allow(missing_docs)]

use std::net::UdpSocket;
use std::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::prelude::*;
use ecs_runtime::protocol::{ClientConfig, Hello, Refusal, ServerConfig};
use ecs_runtime::transport::{BindError, ClientEvent, UdpClient, UdpServer};

#[component]
pub struct Health {
    #[max(1000)]
    pub hp: i32,
}

#[command]
pub struct Heal {
    pub by: u8,
}

ecs_runtime::game_state! {
    max_entities = 256;
    commands = [Heal];
    Health,
}

fn server(config: ServerConfig) -> (UdpServer, String) {
    let server = UdpServer::bind::<GameState>("127.0.0.1:0", config).expect("a free port");
    let address = server.local_addr().expect("bound").to_string();
    (server, address)
}

/// The time of a tick; no test waits for it to pass.
fn at(tick: u64) -> Duration {
    Duration::from_millis(16 * tick)
}

#[test]
fn a_client_follows_a_server_and_leaves_it() {
    let (mut server, address) = server(ServerConfig::default());
    let mut client = UdpClient::connect::<GameState>(&address, ClientConfig::default(), 7).expect("a socket");
    let (mut world, mut shown) = (GameState::default(), GameState::default());
    let entity = world.create_entity().expect("room");
    world.entity_mut(entity).expect("alive").add_health(500);
    let mut joined = None;
    let mut healed = 0;
    // Loopback delivers at once, but nothing promises it: so there are more ticks than are needed.
    for tick in 1..200 {
        client.send().expect("sent");
        server
            .receive(at(tick), |event| {
                if let ClientEvent::Joined(id) = event {
                    joined = Some(id);
                }
            })
            .expect("received");
        while let Some(heal) = joined.and_then(|id| server.server_mut().next_command::<GameState, Heal>(id)) {
            healed += u32::from(heal.by);
        }
        world.healths.get_mut(entity).expect("there").hp = 1 + tick as i32;
        server.server_mut().capture(&mut world, Tick(tick));
        server.send(at(tick), |_, packet| assert!(packet.bytes <= 1200));
        client.receive(|received| assert!(received.is_ok(), "{received:?}")).expect("received");
        client.client_mut().update(&mut shown);
        if client.client().welcome().is_some() && tick < 100 {
            client.client_mut().command::<GameState, _>(&Heal { by: 1 });
        }
    }
    assert_eq!(shown.healths.get(entity), world.healths.get(entity));
    assert!(healed > 50, "{healed}");
    client.disconnect().expect("sent");
    let mut left = None;
    for tick in 200..300 {
        server.receive(at(tick), |event| left = Some(event)).expect("received");
    }
    assert_eq!(left, joined.map(ClientEvent::Left));
}

#[test]
fn a_greeting_overheard_and_sent_from_elsewhere_takes_nothing_over() {
    let (mut server, address) = server(ServerConfig::default());
    let hello = Hello::new(GameState::SCHEMA, 9, 1);
    let mut greeting = Vec::new();
    hello.write(&mut greeting);
    let honest = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let thief = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    thief.set_nonblocking(true).expect("set");
    honest.send_to(&greeting, &address).expect("sent");
    let mut joined = 0;
    for tick in 1..50 {
        server.receive(at(tick), |_| joined += 1).expect("received");
    }
    thief.send_to(&greeting, &address).expect("sent");
    let mut world = GameState::default();
    for tick in 50..100 {
        server.receive(at(tick), |_| joined += 1).expect("received");
        server.server_mut().capture(&mut world, Tick(tick));
        server.send(at(tick), |_, _| {});
    }
    assert_eq!(joined, 1);
    assert!(thief.recv(&mut [0; 2000]).is_err(), "the thief hears nothing");
    assert!(honest.recv(&mut [0; 2000]).is_ok());
}

#[test]
fn a_full_server_and_a_port_in_use_say_so() {
    let (mut server, address) = server(ServerConfig { max_clients: 1, ..ServerConfig::default() });
    let connect =
        |nonce| UdpClient::connect::<GameState>(&address, ClientConfig::default(), nonce).expect("a socket");
    let (mut first, mut second) = (connect(1), connect(2));
    for tick in 1..50 {
        first.send().expect("sent");
        server.receive(at(tick), |_| {}).expect("received");
        second.send().expect("sent");
        first.receive(|_| {}).expect("received");
        second.receive(|_| {}).expect("received");
    }
    assert!(first.client().welcome().is_some());
    assert_eq!(second.client().refusal(), Some(Refusal::Full));

    let again = UdpServer::bind::<GameState>(&address, ServerConfig::default());
    assert!(matches!(again, Err(BindError::Socket { .. })));
}

#[test]
fn a_client_hears_that_its_server_was_started_anew() {
    let (mut first, address) = server(ServerConfig::default());
    let mut client = UdpClient::connect::<GameState>(&address, ClientConfig::default(), 7).expect("a socket");
    let mut world = GameState::default();
    let play = |server: &mut UdpServer, client: &mut UdpClient, world: &mut GameState, tick| {
        client.send().expect("sent");
        server.receive(at(tick), |_| {}).expect("received");
        server.server_mut().capture(world, Tick(tick));
        server.send(at(tick), |_, _| {});
        client.receive(|_| {}).expect("received");
    };
    for tick in 1..100 {
        play(&mut first, &mut client, &mut world, tick);
    }
    assert!(client.client().newest_tick().is_some() && client.client().unanswered() < 5);
    drop(first);
    let mut second =
        UdpServer::bind::<GameState>(&address, ServerConfig::default()).expect("the port is free again");
    for tick in 1..100 {
        play(&mut second, &mut client, &mut world, tick);
    }
    assert!(client.client().welcome().is_none(), "the goodbye of a server that knows no such client");
    client.client_mut().reconnect(8);
    for tick in 100..200 {
        play(&mut second, &mut client, &mut world, tick);
    }
    assert!(client.client().newest_tick() > Some(Tick(100)));
}
