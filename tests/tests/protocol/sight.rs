//! What a client may see: entities in its view, and all of those that it owns.

use std::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::event::{EventQueue, Recipient};
use ecs_runtime::link::LinkConfig;
use ecs_runtime::prelude::*;
use ecs_runtime::protocol::{
    Change, ChangeKind, ClientConfig, ClientId, Hello, IndexSet, ServerConfig, SnapshotClient,
    SnapshotServer, Vanished,
};
use ecs_runtime::testing::Pair;

use crate::GameState;
use crate::world::{Bang, Health, Purse, Tag};

fn pair(clients: u64, link: LinkConfig) -> (Pair<GameState>, Vec<ClientId>) {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
    for seed in 0..clients {
        pair.join(ClientConfig::default(), link, seed);
    }
    pair.ticks(20);
    let ids = pair.clients.iter().map(|client| client.id.expect("taken")).collect();
    (pair, ids)
}

fn show(server: &mut SnapshotServer, client: ClientId, entities: &[Entity]) {
    let view = server.view_mut(client).expect("connected");
    view.clear();
    view.extend(entities.iter().map(|entity| entity.index()));
}

#[test]
fn an_entity_out_of_view_is_not_there_and_comes_back_with_all_its_values() {
    // O8: a hundred toggles while values change.
    let link = LinkConfig { delay: Duration::from_millis(40), loss: 0.1, ..LinkConfig::default() };
    let (mut pair, ids) = pair(2, link);
    let entity = pair.world.spawn((Health { hp: 1000, armor: 0 }, Tag)).expect("room");
    let other = pair.world.spawn((Tag,)).expect("room");
    for toggle in 0..100 {
        pair.world.healths.get_mut(entity).expect("there").hp -= 7;
        let both = [other, entity];
        show(&mut pair.server, ids[0], &both[..1 + toggle % 2]);
        pair.ticks(1 + toggle % 5);
    }
    pair.clients.iter_mut().for_each(|client| client.down.set_config(LinkConfig::default()));
    pair.ticks_to_converge(60).expect("converges");
    for client in &pair.clients {
        let health = client.world.healths.get(entity).map(|health| health.hp);
        assert_eq!((health, client.world.tags.len()), (Some(300), 2));
    }
    show(&mut pair.server, ids[0], &[]);
    pair.tick();
    pair.ticks_to_converge(60).expect("converges");
    assert_eq!(pair.clients[0].world.entity_count(), 0);
    assert_eq!(pair.clients[1].world.entity_count(), 2, "the other client did not notice");
    pair.server.show_everything(ids[0]);
    pair.tick();
    pair.ticks_to_converge(60).expect("converges");
    assert_eq!(pair.clients[0].world.entity_count(), 2);
    let stats = ids.iter().map(|id| pair.server.stats(*id).expect("connected").disagreed);
    assert_eq!(stats.sum::<u64>(), 0);
}

#[test]
fn a_client_that_comes_between_a_capture_and_sending_is_told_nothing_that_it_may_not_see() {
    let mut server = SnapshotServer::new::<GameState>(ServerConfig::default()).expect("settings");
    let mut client = SnapshotClient::new::<GameState>(ClientConfig::default(), 1);
    let (mut world, mut followed) = (GameState::default(), GameState::default());
    let hidden = world.spawn((Health { hp: 5, armor: 0 },)).expect("room");
    let shown = world.spawn((Tag,)).expect("room");
    assert!(server.capture(&mut world, Tick(1)));
    let mut datagram = Vec::new();
    client.send(&mut datagram);
    let hello = Hello::read(&datagram).expect("intact").expect("a greeting");
    let (answer, id) = server.connect(hello, Duration::ZERO);
    let id = id.expect("taken");
    datagram.clear();
    answer.write(&mut datagram);
    client.receive(&datagram).expect("an answer");
    // It is no seer of anything yet, and will never be told of this.
    let mut queue = EventQueue::<GameState>::new(4);
    queue.put(Recipient::SeersOf(hidden), Tick(1), &Bang { number: 7 }).expect("room");
    server.deliver(&mut queue);
    show(&mut server, id, &[shown]);
    datagram.clear();
    assert_eq!(server.send(id, Duration::ZERO, &mut datagram), None, "what it may see is not settled");
    assert!(datagram.is_empty());
    for tick in 2..6 {
        assert!(server.capture(&mut world, Tick(tick)));
        datagram.clear();
        server.send(id, Duration::ZERO, &mut datagram).expect("a packet");
        client.receive(&datagram).expect("intact");
        client.update(&mut followed);
        let seen: Vec<_> = followed.entities().collect();
        assert!(!seen.contains(&hidden) && seen.contains(&shown), "{seen:?}");
    }
    let mut inbox = EventQueue::<GameState>::new(4);
    client.receive_events(&mut inbox);
    assert!(inbox.take::<Bang>().is_none());
}

#[test]
fn a_client_is_told_why_an_entity_is_not_there_any_more() {
    let (mut pair, ids) = pair(1, LinkConfig::default());
    let [a, b] = [0, 1].map(|_| pair.world.spawn((Tag,)).expect("room"));
    show(&mut pair.server, ids[0], &[a, b]);
    pair.ticks(3);
    let tag = <GameState as ecs_runtime::world::HasTable<Tag>>::ID;
    let told = |pair: &mut Pair<GameState>| {
        pair.clients[0].client.changes().map(|Change { entity, what, .. }| (entity, what)).collect::<Vec<_>>()
    };
    let appeared = |entity| [(entity, ChangeKind::Appeared), (entity, ChangeKind::Added(tag))];
    assert_eq!(told(&mut pair), [appeared(a), appeared(b)].concat());
    pair.world.entity_mut(a).expect("alive").add_health(3, 0);
    show(&mut pair.server, ids[0], &[a]);
    pair.ticks(3);
    let health = <GameState as ecs_runtime::world::HasTable<Health>>::ID;
    let mut changes = told(&mut pair);
    changes.sort_by_key(|(entity, _)| *entity);
    let out_of_view = ChangeKind::Vanished(Vanished::OutOfView);
    assert_eq!(changes, [(a, ChangeKind::Added(health)), (b, out_of_view)]);
    pair.world.healths.get_mut(a).expect("there").hp = 4;
    pair.world.entity_mut(a).expect("alive").del_tag();
    pair.ticks(3);
    assert_eq!(told(&mut pair), [(a, ChangeKind::Removed(tag)), (a, ChangeKind::Changed(health))]);
    pair.world.destroy_entity(a).expect("alive");
    let c = pair.world.spawn((Tag,)).expect("room");
    assert_eq!(c.index(), a.index(), "another in its place");
    pair.ticks(3);
    let destroyed = [(a, ChangeKind::Vanished(Vanished::Destroyed))];
    assert_eq!(told(&mut pair), [&destroyed[..], &appeared(c)].concat());
    pair.clients[0].client.reconnect(99);
    assert_eq!(told(&mut pair), [(c, ChangeKind::Vanished(Vanished::Disconnected))]);
}

#[test]
fn what_is_for_owners_alone_is_handed_over_while_values_change() {
    let link = LinkConfig { delay: Duration::from_millis(30), loss: 0.1, ..LinkConfig::default() };
    let (mut pair, ids) = pair(2, link);
    let entity = pair.world.spawn((Purse { coins: 1, seen: 1 },)).expect("room");
    for round in 0..60u16 {
        let purse = pair.world.purses.get_mut(entity).expect("there");
        (purse.coins, purse.seen) = (round, round);
        pair.world.entity_mut(entity).expect("alive").add_diary(round);
        pair.server.set_owner(entity, ids.get(usize::from(round) % 3).copied());
        pair.ticks(1 + usize::from(round) % 4);
    }
    for owner in [Some(0), Some(1), None, Some(0)] {
        let owner_id = owner.map(|owner: usize| ids[owner]);
        pair.server.set_owner(entity, owner_id);
        assert_eq!(pair.server.owner(entity), owner_id);
        pair.tick();
        pair.ticks_to_converge(90).expect("converges");
        for (at, client) in pair.clients.iter().enumerate() {
            let purse = client.world.purses.get(entity).expect("there");
            let secret = client.world.diaries.get(entity).map(|diary| diary.page);
            let expected = if owner == Some(at) { (59, 59, Some(59)) } else { (5, 59, None) };
            assert_eq!((purse.coins, purse.seen, secret), expected, "client {at}, owner {owner:?}");
        }
    }
    for id in &ids {
        assert_eq!(pair.server.stats(*id).expect("connected").disagreed, 0);
    }
}

#[test]
fn no_bit_of_a_packet_depends_on_what_is_for_others() {
    let bytes = |secret: u16| {
        let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
        pair.join(ClientConfig::default(), LinkConfig::default(), 1);
        pair.join(ClientConfig::default(), LinkConfig::default(), 2);
        let entity = pair.world.spawn((Purse { coins: 0, seen: 0 },)).expect("room");
        let hidden = pair.world.spawn((Health { hp: 1, armor: 0 },)).expect("room");
        let mut all = Vec::new();
        for tick in 0..80u16 {
            let purse = pair.world.purses.get_mut(entity).expect("there");
            (purse.coins, purse.seen) = (secret.wrapping_mul(tick), tick / 7);
            pair.world.healths.get_mut(hidden).expect("there").hp = i32::from(secret % 1000);
            if tick % 3 == 0 && secret > 0 {
                pair.world.entity_mut(entity).expect("alive").add_diary(secret + tick);
            } else if tick % 3 == 1 {
                pair.world.entity_mut(entity).expect("alive").del_diary();
            }
            if let Some(other) = pair.clients[1].id {
                pair.server.set_owner(entity, Some(other));
            }
            if let Some(first) = pair.clients[0].id {
                show(&mut pair.server, first, &[entity]);
                let mut datagram = Vec::new();
                pair.server.send(first, pair.now, &mut datagram);
                all.extend(datagram);
            }
            pair.tick();
        }
        all
    };
    assert!(bytes(0) == bytes(777), "what a client may not see is in no bit");
}

#[test]
fn a_view_is_a_set_that_may_name_what_is_not_there() {
    let (mut pair, ids) = pair(1, LinkConfig::default());
    let entity = pair.world.spawn((Tag,)).expect("room");
    *pair.server.view_mut(ids[0]).expect("connected") = (0..5000).collect::<IndexSet>();
    pair.tick();
    pair.ticks_to_converge(10).expect("converges");
    assert_eq!(pair.clients[0].world.entities().collect::<Vec<_>>(), [entity]);
}

#[test]
fn a_disabled_component_is_not_there_for_clients_and_comes_back_with_its_value() {
    let (mut pair, _) = pair(1, LinkConfig::default());
    let entity = pair.world.spawn((Health { hp: 700, armor: 3 }, Tag)).expect("room");
    pair.ticks(1);
    pair.ticks_to_converge(60).expect("converges");
    let seen = |pair: &Pair<GameState>| pair.clients[0].world.healths.get(entity).map(|health| health.hp);
    assert_eq!(seen(&pair), Some(700));
    assert!(pair.world.entity_mut(entity).expect("alive").disable::<Health>());
    pair.ticks(1);
    pair.ticks_to_converge(60).expect("converges");
    assert_eq!((seen(&pair), pair.clients[0].world.tags.len()), (None, 1));
    assert!(pair.world.entity_mut(entity).expect("alive").enable::<Health>());
    pair.ticks(1);
    pair.ticks_to_converge(60).expect("converges");
    assert_eq!(seen(&pair), Some(700));
    // What a client disables in its own world is the server's to tell.
    assert!(pair.clients[0].world.entity_mut(entity).expect("alive").disable::<Health>());
    pair.world.healths.get_mut(entity).expect("there").hp = 600;
    pair.ticks(1);
    pair.ticks_to_converge(60).expect("converges");
    assert_eq!(seen(&pair), Some(600));
}
