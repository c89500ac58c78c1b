//! Nothing is allocated once everything is warm: neither on the server nor on its clients.
#![allow(missing_docs, unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use ecs_runtime::Tick;
use ecs_runtime::channel::Channel;
use ecs_runtime::prelude::*;
use ecs_runtime::protocol::{ClientConfig, ClientId, Hello, ServerConfig, SnapshotClient, SnapshotServer};
use ecs_runtime::world::Selection;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations<R>(run: impl FnOnce() -> R) -> (u64, R) {
    let before = ALLOCATIONS.get();
    let result = run();
    (ALLOCATIONS.get() - before, result)
}

#[component]
pub struct Position {
    #[quantize(min = -512.0, max = 512.0, step = 0.005)]
    #[interpolate]
    pub at: [f32; 3],
}

#[component(tracked)]
pub struct Health {
    #[max(1000)]
    #[index]
    pub hp: i32,
}

#[component]
pub struct Target {
    #[relation]
    pub of: Entity,
}

#[command]
pub struct Steer {
    pub turn: i8,
}

ecs_runtime::game_state! {
    max_entities = 1024;
    commands = [Steer];
    Position, Health, Target,
}

/// A server, its clients and everything between them, in memory that is used again.
struct Session {
    server: SnapshotServer,
    world: GameState,
    shown: GameState,
    clients: Vec<(ClientId, SnapshotClient, GameState)>,
    datagram: Vec<u8>,
    tick: u64,
    /// The oldest of the entities that come and go.
    oldest: Vec<Entity>,
    selection: Selection,
}

impl Session {
    fn new() -> Self {
        let mut session = Self {
            server: SnapshotServer::new::<GameState>(ServerConfig::default()).expect("settings"),
            world: GameState::default(),
            shown: GameState::default(),
            clients: Vec::new(),
            datagram: Vec::with_capacity(2048),
            tick: 0,
            oldest: Vec::with_capacity(64),
            selection: Selection::new(),
        };
        for _ in 0..300 {
            session.spawn();
        }
        session
    }

    fn spawn(&mut self) -> Entity {
        let entity = self.world.create_entity().expect("room");
        let mut edit = self.world.entity_mut(entity).expect("alive");
        edit.add_position([1.0, 2.0, 3.0]);
        edit.add_health(100);
        edit.add_target(entity);
        entity
    }

    fn join(&mut self) {
        let mut client =
            SnapshotClient::new::<GameState>(ClientConfig::default(), self.clients.len() as u64 + 1);
        let id = self.greet(&mut client);
        self.clients.push((id, client, GameState::default()));
    }

    fn greet(&mut self, client: &mut SnapshotClient) -> ClientId {
        self.datagram.clear();
        client.send(&mut self.datagram);
        let hello = Hello::read(&self.datagram).expect("a greeting").expect("this version");
        let (answer, id) = self.server.connect(hello, Duration::ZERO);
        self.datagram.clear();
        answer.write(&mut self.datagram);
        client.receive(&self.datagram).expect("welcome");
        id.expect("taken")
    }

    fn rejoin(&mut self, at: usize) {
        let (id, mut client, world) = self.clients.remove(at);
        self.datagram.clear();
        self.server.disconnect(id, &ecs_runtime::protocol::DisconnectReason::Left, &mut self.datagram);
        client.reconnect(1000 + self.tick);
        let id = self.greet(&mut client);
        self.clients.insert(at, (id, client, world));
    }

    fn tick(&mut self) {
        self.tick += 1;
        let now = Duration::from_millis(self.tick * 16);
        for (entity, position) in &mut self.world.positions {
            if u64::from(entity.index()) % 3 == self.tick % 3 {
                position.at[0] = (position.at[0] + 0.1) % 500.0;
            }
        }
        self.world.positions.iter().filter(|(entity, _)| self.world.healths.contains(*entity)).count();
        let spawned = self.spawn();
        self.oldest.push(spawned);
        self.query(spawned);
        self.find(spawned);
        if self.oldest.len() > 20 {
            let gone = self.oldest.remove(0);
            self.world.destroy_entity(gone).expect("alive");
        }
        self.shown.copy_from(&self.world);
        assert_eq!(self.world.diff(&self.shown).count(), 0);
        self.server.capture(&mut self.world, Tick(self.tick));
        self.world.end_tick();
        for (id, client, world) in &mut self.clients {
            self.datagram.clear();
            self.server.send(*id, now, &mut self.datagram).expect("connected");
            client.receive(&self.datagram).expect("an honest packet");
            client.update(world);
            client.command::<GameState, _>(&Steer { turn: 1 });
            self.datagram.clear();
            client.send(&mut self.datagram);
            self.server.receive(*id, now, &self.datagram).expect("an honest ack");
            self.server.next_command::<GameState, Steer>(*id).expect("a command");
            self.server.verdicts(*id).for_each(|verdict| assert!(verdict.agrees));
        }
    }

    /// Asks what has changed, and changes what was found.
    fn query(&mut self, spawned: Entity) {
        let world = &mut self.world;
        let since = Tick(world.ids.tick().0.saturating_sub(3));
        let (healths, ids) = (&world.healths, &world.ids);
        let told = healths.added(since).expect("remembered") | healths.changed(since).expect("remembered");
        let gone = healths.removed(ids, since).expect("remembered") | healths.disabled();
        let new = ids.created(since).expect("remembered");
        self.selection.select((&world.positions,).filter((told | gone) & !new));
        assert!(healths.removed_values(since).expect("remembered").count() < 100);
        let count = self.selection.entered().count() + self.selection.left().count();
        assert!(count <= 2 * self.selection.len() + 64);
        world.remove_all::<Target>(&self.selection);
        world.add_all(&self.selection, Target { of: spawned });
        world.entity_mut(spawned).expect("alive").disable::<Health>();
        if let Some(earlier) = self.oldest.iter().rev().nth(2) {
            world.entity_mut(*earlier).expect("alive").enable::<Health>();
        }
    }

    /// Finds entities by what is in their components, folded and not.
    fn find(&mut self, spawned: Entity) {
        let world = &mut self.world;
        if self.tick.is_multiple_of(2) {
            world.fold_indices();
        }
        if let Some(health) = self.oldest.first().and_then(|oldest| world.healths.get_mut(*oldest)) {
            health.hp = (health.hp + 7) % 900;
        }
        assert!(world.healths.find_all(Health::BY_HP, 100).count() > 100);
        assert!(world.healths.find_range(Health::BY_HP, 50..=100).all(|(_, health)| health.hp <= 100));
        assert!(world.targets.find(Target::BY_OF, spawned).is_some());
    }

    fn ticks(&mut self, count: usize) {
        for _ in 0..count {
            self.tick();
        }
    }
}

#[test]
fn a_thousand_warm_ticks_with_create_and_destroy_allocate_nothing() {
    let mut session = Session::new();
    for _ in 0..3 {
        session.join();
    }
    session.ticks(600);
    let (count, ()) = allocations(|| session.ticks(1000));
    assert_eq!(count, 0);
}

#[test]
fn a_client_that_rejoins_a_warm_place_allocates_nothing() {
    let mut session = Session::new();
    session.join();
    session.join();
    session.ticks(600);
    session.rejoin(1);
    session.ticks(600);
    let (count, ()) = allocations(|| {
        session.rejoin(1);
        session.ticks(60);
    });
    assert_eq!(count, 0);
    // A first join is another matter: its memory is not there yet.
    let (first, ()) = allocations(|| session.join());
    println!("allocations of a first join, with 300 entities in the world: {first}");
    assert!(first > 0);
}

#[test]
fn a_warm_channel_allocates_nothing_even_when_it_is_full_or_readers_come_and_go() {
    let channel = Channel::new(16);
    let (sender, mut first, mut second) =
        (channel.sender(), channel.reader("first"), channel.reader("second"));
    let mut guest = channel.reader("guest");
    let mut read = 0;
    let (count, ()) = allocations(|| {
        for round in 0..1000_u32 {
            for number in 0..20 {
                assert_eq!(sender.send((round, number)).is_ok(), number < 16);
            }
            read += first.read().count() + second.read().take(9).count();
            second.clear();
            guest = channel.reader("guest");
        }
    });
    assert_eq!((count, read, channel.refused()), (0, 1000 * 25, 4000));
    assert!(guest.is_empty());
}

#[test]
fn notes_of_a_warm_walk_on_several_threads_allocate_nothing() {
    let mut world = GameState::default();
    for number in 0..600 {
        world.spawn((Health { hp: number },)).expect("room");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    let mut later = Deferred::new();
    let mut walks = |count: usize| {
        for _ in 0..count {
            (&mut world.healths,).par_for_each_deferred(&mut later, |later, entity, (health,)| {
                health.hp = (health.hp + 1) % 1000;
                if health.hp % 7 == 0 {
                    let created = later.create();
                    later.add(created, Position { at: [1.0; 3] });
                    later.add(entity, Target { of: entity });
                    later.destroy(created);
                }
            });
            later.apply(&mut world).expect("room");
        }
    };
    // Of both threads: whoever has walked a piece.
    let counted = || pool.broadcast(|_| ALLOCATIONS.get()).iter().sum::<u64>();
    pool.install(|| walks(1100));
    let before = counted();
    pool.install(|| walks(1000));
    assert_eq!(counted() - before, 0);
}
