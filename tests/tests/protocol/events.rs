//! Events: at most once, or exactly once and in order; and what lives so short that a client may miss it.

use std::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::event::{EventQueue, Recipient};
use ecs_runtime::link::LinkConfig;
use ecs_runtime::protocol::{ChangeKind, ClientConfig, ServerConfig};
use ecs_runtime::testing::Pair;
use ecs_runtime::world::HasTable;

use crate::GameState;
use crate::world::{Bang, Guard, Say, Tag};

fn bad() -> LinkConfig {
    LinkConfig {
        delay: Duration::from_millis(40),
        jitter: Duration::from_millis(30),
        loss: 0.25,
        duplicate: 0.2,
        reorder: 0.1,
        ..LinkConfig::default()
    }
}

fn pair(config: ServerConfig, links: &[LinkConfig]) -> Pair<GameState> {
    let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
    for (seed, link) in (1..).zip(links) {
        pair.join(ClientConfig::default(), *link, seed);
    }
    pair.ticks(60);
    assert!(pair.clients.iter().all(|client| client.id.is_some()));
    pair
}

#[test]
fn reliable_events_arrive_once_and_in_order_and_others_at_most_once() {
    let mut pair = pair(ServerConfig::default(), &[bad(), bad()]);
    let (mut queue, mut inboxes) =
        (EventQueue::<GameState>::new(64), [EventQueue::<GameState>::new(4096), EventQueue::new(4096)]);
    let first = pair.clients[0].id.expect("taken");
    for number in 0..600u32 {
        queue.put(Recipient::All, pair.tick, &Say { number }).expect("room");
        queue.put(Recipient::Client(first), pair.tick, &Say { number: 1_000_000 + number }).expect("room");
        queue.put(Recipient::All, pair.tick, &Bang { number }).expect("room");
        pair.server.deliver(&mut queue);
        pair.tick();
        for (client, inbox) in pair.clients.iter_mut().zip(&mut inboxes) {
            client.client.receive_events(inbox);
        }
    }
    pair.ticks(120);
    for (at, (client, inbox)) in pair.clients.iter_mut().zip(&mut inboxes).enumerate() {
        client.client.receive_events(inbox);
        let said = core::iter::from_fn(|| inbox.take::<Say>()).map(|say| say.event.number);
        let expected =
            (0..600).flat_map(|number| [number].into_iter().chain((at == 0).then_some(1_000_000 + number)));
        assert!(said.eq(expected), "client {at}");
        let mut bangs: Vec<_> = core::iter::from_fn(|| inbox.take::<Bang>()).collect();
        assert!((300..600).contains(&bangs.len()), "{} of 600 over a link that loses a quarter", bangs.len());
        assert!(
            bangs.iter().all(|bang| bang.tick.0 >= 60 && bang.tick <= pair.tick),
            "with the tick of each"
        );
        bangs.sort_by_key(|bang| bang.event.number);
        assert!(bangs.windows(2).all(|pair| pair[0].event.number < pair[1].event.number), "none twice");
    }
}

#[test]
fn events_for_the_seers_of_an_entity_go_to_nobody_else() {
    let mut pair = pair(ServerConfig::default(), &[LinkConfig::default(); 2]);
    let entity = pair.world.spawn((Tag,)).expect("room");
    let blind = pair.clients[1].id.expect("taken");
    pair.server.view_mut(blind).expect("connected").clear();
    let mut queue = EventQueue::<GameState>::new(4);
    queue.put(Recipient::SeersOf(entity), pair.tick, &Bang { number: 7 }).expect("room");
    pair.server.deliver(&mut queue);
    pair.ticks(3);
    let came = pair.clients.iter_mut().map(|client| {
        let mut inbox = EventQueue::<GameState>::new(4);
        client.client.receive_events(&mut inbox);
        inbox.len()
    });
    assert_eq!(came.collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn a_flood_of_events_starves_no_state_and_stays_in_the_budget() {
    let config =
        ServerConfig { budget: 512, packets_per_tick: 1, event_queue: 2000, ..ServerConfig::default() };
    let mut pair = pair(config, &[LinkConfig::default()]);
    let entity = pair.world.spawn((Tag,)).expect("room");
    pair.world.entity_mut(entity).expect("alive").add_health(1000, 0);
    let mut queue = EventQueue::<GameState>::new(2000);
    for number in 0..1900 {
        queue.put(Recipient::All, pair.tick, &Say { number }).expect("room");
    }
    pair.server.deliver(&mut queue);
    let mut inbox = EventQueue::<GameState>::new(2000);
    let mut said = 0;
    for hp in (0..100).rev() {
        pair.world.healths.get_mut(entity).expect("there").hp = hp;
        pair.tick();
        let seen = pair.clients[0].world.healths.get(entity).map(|health| health.hp);
        assert_eq!(seen, Some(hp), "state goes out in its tick");
        pair.clients[0].client.receive_events(&mut inbox);
        said += core::iter::from_fn(|| inbox.take::<Say>()).count();
    }
    assert!(said > 1000, "{said} events beside it");
    assert!(pair.max_packet_bytes <= 512);
}

#[test]
fn a_client_that_cannot_be_told_everything_is_found() {
    let dead = LinkConfig { loss: 1.0, ..LinkConfig::default() };
    let config = ServerConfig { event_queue: 10, ..ServerConfig::default() };
    let mut pair = pair(config, &[LinkConfig::default()]);
    pair.clients[0].up.set_config(dead);
    let mut queue = EventQueue::<GameState>::new(16);
    for number in 0..11 {
        assert_eq!(pair.server.overflowed(), None);
        queue.put(Recipient::All, pair.tick, &Say { number }).expect("room");
        queue.put(Recipient::All, pair.tick, &Bang { number }).expect("room");
        pair.server.deliver(&mut queue);
    }
    assert_eq!(pair.server.overflowed(), pair.clients[0].id);
    let id = pair.clients[0].id.expect("taken");
    assert_eq!(pair.server.waiting_events(id), 10);
    assert_eq!(
        pair.server.stats(id).expect("connected").events_dropped,
        1,
        "of those that may be lost, the oldest"
    );
}

#[test]
fn a_client_that_takes_no_events_loses_none_that_is_reliable() {
    let config = ServerConfig { event_queue: 4000, ..ServerConfig::default() };
    let mut pair = pair(config, &[LinkConfig::default()]);
    let mut queue = EventQueue::<GameState>::new(3000);
    (0..3000).for_each(|number| queue.put(Recipient::All, pair.tick, &Say { number }).expect("room"));
    pair.server.deliver(&mut queue);
    pair.ticks(300);
    let mut inbox = EventQueue::<GameState>::new(4000);
    let mut said = Vec::new();
    for _ in 0..400 {
        pair.clients[0].client.receive_events(&mut inbox);
        said.extend(core::iter::from_fn(|| inbox.take::<Say>()).map(|say| say.event.number));
        pair.tick();
    }
    assert!(said.iter().copied().eq(0..3000), "{} came", said.len());
}

#[test]
fn a_component_that_lives_for_one_tick_is_seen_or_declared_missed() {
    let guard = <GameState as HasTable<Guard>>::ID;
    for (ticks_per_snapshot, loss) in [(1, 0.0), (1, 0.3), (3, 0.1)] {
        let link = LinkConfig {
            delay: Duration::from_millis(30),
            jitter: Duration::from_millis(25),
            loss,
            ..LinkConfig::default()
        };
        let config = ServerConfig { ticks_per_snapshot, history: 64, ..ServerConfig::default() };
        let mut pair = pair(config, &[link]);
        let entity = pair.world.create_entity().expect("room");
        pair.world.entity_mut(entity).expect("alive").add_health(5, 0);
        pair.ticks(60);
        let id = pair.clients[0].id.expect("taken");
        let (mut lived, mut seen, mut missed) = (0, 0, 0);
        for tick in 0..600 {
            if tick % 5 == 0 {
                pair.world.entity_mut(entity).expect("alive").add_guard(tick);
                lived += 1;
            }
            pair.tick();
            pair.world.entity_mut(entity).expect("alive").del_guard();
            let shown = |what| {
                [ChangeKind::Added(guard), ChangeKind::Changed(guard), ChangeKind::Passed(guard)]
                    .contains(&what)
            };
            seen += pair.clients[0].client.changes().filter(|change| shown(change.what)).count();
            missed += pair
                .server
                .missed(id)
                .filter(|missed| missed.entity == entity && missed.component == guard)
                .count();
        }
        pair.ticks(120);
        let shown = |what| {
            [ChangeKind::Added(guard), ChangeKind::Changed(guard), ChangeKind::Passed(guard)].contains(&what)
        };
        seen += pair.clients[0].client.changes().filter(|change| shown(change.what)).count();
        missed += pair.server.missed(id).count();
        assert!(seen + missed >= lived, "{lived} lived, {seen} seen, {missed} missed");
        assert!(
            seen + missed <= lived + lived / 10,
            "{lived} lived, {seen} seen, {missed} missed: few are both"
        );
        assert_eq!(missed == 0, loss == 0.0, "{missed} missed");
    }
}
