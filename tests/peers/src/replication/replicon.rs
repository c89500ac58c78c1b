//! bevy_replicon: components of Bevy's world, sent when they change.
//!
//! Configured as its documentation does for a tick with every update. The messages are taken from where a messaging
//! backend would take them, so there is no socket, and no header of a backend. Messages of mutations are split at 1,200
//! bytes. Bevy runs its systems on one thread.

use std::collections::VecDeque;

use bevy::ecs::component::Mutable;
use bevy::prelude::*;
use bevy::state::app::StatesPlugin;
use bevy_replicon::bytes::Bytes;
use bevy_replicon::prelude::*;
use bevy_replicon::shared::server_entity_map::ServerEntityMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::workload::{Body, Peer};

/// How a transform is sent.
pub(crate) trait Form:
    Component<Mutability = Mutable> + Serialize + DeserializeOwned + PartialEq
{
    /// Whether making it is work of the server, not of the game.
    const QUANTIZES: bool;

    fn of(body: &Body) -> Self;
}

/// In 8 bytes.
#[derive(Component, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Quantized([u8; 8]);

/// As the game has it, in 16 bytes.
#[derive(Component, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Floats {
    position: [f32; 3],
    yaw: f32,
}

/// Hit points; one or two bytes.
#[derive(Component, Debug, PartialEq, Serialize, Deserialize)]
struct Health(u16);

impl Form for Quantized {
    const QUANTIZES: bool = true;

    fn of(body: &Body) -> Self {
        let mut bytes = [0; 8];
        for (to, word) in bytes.chunks_exact_mut(2).zip(body.quantized()) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        Self(bytes)
    }
}

impl Form for Floats {
    const QUANTIZES: bool = false;

    fn of(body: &Body) -> Self {
        Self { position: body.position, yaw: body.yaw }
    }
}

/// A server and its clients.
pub(crate) struct Replicon<F> {
    server: App,
    entities: Vec<Entity>,
    clients: Vec<Follower>,
    sent: Vec<(Entity, usize, Bytes)>,
    ack_delay: usize,
    form: core::marker::PhantomData<F>,
}

struct Follower {
    /// The server's entity for it.
    id: Entity,
    app: App,
    /// Its messages, by tick.
    acks: VecDeque<Vec<(usize, Bytes)>>,
}

impl<F: Form> Replicon<F> {
    /// A server with these bodies, to which all clients have joined.
    pub(crate) fn join(bodies: &[Body], ack_delay: usize, clients: usize) -> Self {
        let mut server = app::<F>();
        server.world_mut().resource_mut::<NextState<ServerState>>().set(ServerState::Running);
        server.update();
        let spawn = |body| server.world_mut().spawn((Replicated, F::of(body), Health(body.hp))).id();
        let entities = bodies.iter().map(spawn).collect();
        let clients = (0..clients).map(|_| {
            let id = server.world_mut().spawn(ConnectedClient { max_size: 1200 }).id();
            let mut app = app::<F>();
            app.world_mut().resource_mut::<NextState<ClientState>>().set(ClientState::Connected);
            app.update();
            Follower { id, app, acks: VecDeque::new() }
        });
        let clients = clients.collect();
        Self { server, entities, clients, sent: Vec::new(), ack_delay, form: core::marker::PhantomData }
    }
}

fn app<F: Form>() -> App {
    let mut app = App::new();
    // There is no network, so nobody has to be told apart.
    let shared = RepliconSharedPlugin { auth_method: AuthMethod::None };
    let plugins = RepliconPlugins.set(ServerPlugin::new(PostUpdate)).set(shared);
    app.add_plugins((MinimalPlugins, StatesPlugin, plugins));
    app.replicate::<F>().replicate::<Health>();
    app.finish();
    app.cleanup();
    app
}

impl<F: Form> Peer for Replicon<F> {
    const QUANTIZES: bool = F::QUANTIZES;

    fn write(&mut self, changed: &[(usize, Body)]) {
        let world = self.server.world_mut();
        for (at, body) in changed {
            let mut entity = world.entity_mut(self.entities[*at]);
            if let Some(mut form) = entity.get_mut::<F>() {
                form.set_if_neq(F::of(body));
            }
            if let Some(mut health) = entity.get_mut::<Health>() {
                health.set_if_neq(Health(body.hp));
            }
        }
    }

    fn serve(&mut self) {
        let mut messages = self.server.world_mut().resource_mut::<ServerMessages>();
        for client in &mut self.clients {
            while client.acks.len() > self.ack_delay {
                for (channel, message) in client.acks.pop_front().into_iter().flatten() {
                    messages.insert_received(client.id, channel, message);
                }
            }
        }
        self.server.update();
        self.sent.clear();
        self.sent.extend(self.server.world_mut().resource_mut::<ServerMessages>().drain_sent());
    }

    fn follow(&mut self) -> usize {
        let mut bytes = 0;
        for (at, client) in self.clients.iter_mut().enumerate() {
            let world = client.app.world_mut();
            for (_, channel, message) in self.sent.iter().filter(|(id, ..)| *id == client.id) {
                bytes += if at == 0 { message.len() } else { 0 };
                world.resource_mut::<ClientMessages>().insert_received(*channel, message.clone());
            }
            client.app.update();
            client
                .acks
                .push_back(client.app.world_mut().resource_mut::<ClientMessages>().drain_sent().collect());
        }
        bytes
    }

    fn holds(&self, bodies: &[Body]) -> bool {
        self.clients.iter().all(|client| {
            let world = client.app.world();
            let entities = world.resource::<ServerEntityMap>().to_client();
            self.entities.iter().zip(bodies).all(|(server, body)| {
                let entity = entities.get(server).map(|entity| world.entity(*entity));
                entity.is_some_and(|entity| {
                    entity.get::<F>() == Some(&F::of(body))
                        && entity.get::<Health>() == Some(&Health(body.hp))
                })
            })
        })
    }
}
