//! Queries that are walked on several threads find, write and note what the serial ones do.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LazyLock, Mutex};

use ecs_runtime::Tick;
use ecs_runtime::prelude::*;
use ecs_runtime::world::Target;
use proptest::prelude::*;
use rand_pcg::Pcg32;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::model::{Both, KINDS, actions};
use crate::{GameState, Health, IsDead, Place, Shield, Stun};

static POOLS: LazyLock<[ThreadPool; 4]> = LazyLock::new(|| [1, 2, 3, 8].map(pool));

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

/// How a query is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Serial,
    Parallel,
}

/// Walks a query with something to note changes in.
macro_rules! walk {
    ($how:expr, $query:expr, $later:expr, $visit:expr) => {{
        let visit = $visit;
        match $how {
            How::Serial => $query.for_each(|entity, item| visit(&mut *$later, entity, item)),
            How::Parallel => $query.par_for_each_deferred($later, visit),
        }
    }};
}

/// Notes of every kind, told by the entity alone, and of those that are created on the way.
fn note(later: &mut Deferred<GameState>, entity: Entity, leader: Target) {
    let number = entity.index();
    match number % 7 {
        0 => {
            let first = later.create_of(Kind((number % u32::from(KINDS)) as u8));
            let second = later.create();
            later.add(second, Place { x: number as i32 });
            later.add(first, Shield { left: number as u8 });
            later.add(first, Place { x: -1 });
            if number.is_multiple_of(2) {
                later.destroy(second);
            }
        }
        1 => later.destroy(entity),
        2 => later.add(entity, Stun),
        3 => {
            later.remove::<Health>(entity);
            later.disable::<Shield>(entity);
        }
        4 => later.enable::<Shield>(entity),
        5 => later.add(leader, Health { hp: (number % 1000) as u16 }),
        _ => later.add(entity, Place { x: 7 }),
    }
}

/// Does something with a world by queries of many shapes; tells who was visited.
fn run(gs: &mut GameState, later: &mut Deferred<GameState>, how: How) -> [BTreeSet<Entity>; 6] {
    let seen: [Mutex<BTreeSet<Entity>>; 6] = Default::default();
    let see = |at: usize, entity| assert!(seen[at].lock().expect("sound").insert(entity), "visited twice");
    let leader = later.create_of(Kind(2));
    let since = Tick(gs.ids.tick().0.saturating_sub(1));
    let GameState { places, healths, shields, stuns, is_deads, ids, .. } = gs;

    walk!(
        how,
        (&mut *places, &*healths),
        later,
        |later: &mut _, entity, (place, health): (&mut Place, &Health)| {
            see(0, entity);
            place.x = place.x.wrapping_mul(3).wrapping_add(i32::from(health.hp));
            note(later, entity, leader);
        }
    );
    // Between two walks, and of the leader as well.
    later.add(leader, IsDead);

    let (shielded, stunned, dead) = (shields.present(), stuns.present(), is_deads.present());
    let fighters = ids.of_kinds([Kind(1), Kind(3)]);
    let query = (&mut *places, &*ids).filter(!dead & (stunned | !shielded) & fighters);
    walk!(how, query, later, |later: &mut _, entity, (place, ()): (&mut Place, ())| {
        see(1, entity);
        place.x ^= 5;
        note(later, entity, leader);
    });

    let query = ((&mut *healths, (&*places, &*ids)).without(is_deads), (&mut *shields,));
    walk!(how, query, later, |later: &mut _,
                              entity,
                              ((health, (place, ())), (shield,)): (
        (&mut Health, (&Place, ())),
        (&mut Shield,)
    )| {
        see(2, entity);
        health.hp = (place.x.unsigned_abs() % 1001) as u16;
        shield.left = shield.left.wrapping_add(1);
        note(later, entity, leader);
    });

    let told = healths.changed(since).expect("known") | ids.created(since).expect("known");
    let lost = shields.removed(ids, since).expect("known") & !healths.added(since).expect("known");
    let query = (&*ids,).filter(told | lost | shields.disabled());
    walk!(how, query, later, |later: &mut _, entity, _: ((),)| {
        see(3, entity);
        note(later, entity, leader);
    });

    let query = (&mut *places, &*stuns);
    let visit = |entity: Entity, (place, _): (&mut Place, &Stun)| {
        see(4, entity);
        place.x = place.x.wrapping_sub(entity.index() as i32);
    };
    match how {
        How::Serial => query.for_each(visit),
        How::Parallel => query.par_for_each(visit),
    }

    let query = (&mut *places,).filter(!is_deads.present());
    let visit = |block: ecs_runtime::world::Block<'_>, (places,): (&mut [Place; 64],)| {
        for lane in block.lanes() {
            see(5, block.entity(lane).expect("it matches"));
            places[lane].x = places[lane].x.wrapping_add(lane as i32);
        }
    };
    match how {
        How::Serial => query.for_each_block(visit),
        How::Parallel => query.par_for_each_block(visit),
    }
    seen.map(|seen| seen.into_inner().expect("sound"))
}

/// Creates so many entities, as far as there is room, and gives components to them and to those that are there: the rarer,
/// the fewer. Whole blocks lack one, too.
fn populate(gs: &mut GameState, more: u16, seed: u64, rarity: u32) {
    let mut random = Pcg32::new(seed, 1);
    for number in 0..more {
        let _ = gs.create_entity_of(Kind((number / 100) as u8 % KINDS));
    }
    let mut block = 0;
    for (number, entity) in gs.entities().collect::<Vec<_>>().into_iter().enumerate() {
        if number % 64 == 0 {
            block = random.next_u32();
        }
        // Each bit is set in half, a quarter, ... of all.
        let mut some = block | block >> 7;
        (0..=rarity).for_each(|_| some &= random.next_u32());
        let mut entity = gs.entity_mut(entity).expect("alive");
        if some & 1 != 0 {
            entity.add_place(number as i32);
        }
        if some & 2 != 0 {
            entity.add_health((number % 1000) as u16);
        }
        if some & 4 != 0 {
            entity.add_shield(number as u8);
        }
        if some & 24 == 24 {
            entity.disable::<Shield>();
        }
        if some & 32 != 0 {
            entity.add_stun();
        }
        if some & 64 != 0 {
            entity.add_is_dead();
        }
    }
}

/// A copy, which counts ticks of its own and in which everything is touched; and then two ticks that end, so that there is
/// something to tell of the last one and nothing of the one that runs.
fn with_ticks(world: &GameState) -> GameState {
    let mut gs = world.clone();
    gs.end_tick();
    for (entity, health) in &mut gs.healths {
        health.hp ^= u16::from(entity.index() % 3 == 0);
    }
    let shielded: Vec<_> = gs.shields.iter().map(|(entity, _)| entity).step_by(5).collect();
    for entity in shielded {
        gs.entity_mut(entity).expect("alive").del_shield();
    }
    gs.end_tick();
    gs
}

/// Whom a tracked table tells of, which shows what was touched.
fn told(gs: &GameState) -> [Vec<Entity>; 3] {
    let since = gs.ids.tick();
    let (healths, shields) = (&gs.healths, &gs.shields);
    [
        healths
            .filter(healths.changed(since).expect("known"))
            .into_iter()
            .map(|(entity, _)| entity)
            .collect(),
        shields.filter(shields.added(since).expect("known")).into_iter().map(|(entity, _)| entity).collect(),
        shields
            .filter(shields.changed(since).expect("known"))
            .into_iter()
            .map(|(entity, _)| entity)
            .collect(),
    ]
}

/// What came of a run.
struct Outcome {
    visited: [BTreeSet<Entity>; 6],
    /// The world before and after what was noted was applied, and what it told of.
    walked: GameState,
    applied: Result<(), CreateError>,
    world: GameState,
    told: [[Vec<Entity>; 3]; 2],
}

/// Two runs, one after the other, the second in the memory of the first.
fn twice(world: &GameState, how: How) -> [Outcome; 2] {
    let (mut gs, mut later) = (with_ticks(world), Deferred::new());
    [(); 2].map(|()| {
        let visited = run(&mut gs, &mut later, how);
        let (walked, before) = (gs.clone(), told(&gs));
        let applied = later.apply(&mut gs);
        Outcome { visited, walked, applied, world: gs.clone(), told: [before, told(&gs)] }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn walks_on_any_number_of_threads_do_what_the_serial_walk_does(
        actions in actions(),
        more in 0u16..6000,
        seed: u64,
        rarity in 0u32..4,
    ) {
        let mut both = Both::default();
        for action in actions {
            both.act(action);
        }
        let mut world = both.world;
        populate(&mut world, more, seed, rarity);
        let serial = twice(&world, How::Serial);
        for pool in &*POOLS {
            let parallel = pool.install(|| twice(&world, How::Parallel));
            for (parallel, serial) in parallel.iter().zip(&serial) {
                prop_assert_eq!(&parallel.visited, &serial.visited);
                prop_assert_eq!(&parallel.told, &serial.told);
                prop_assert_eq!(parallel.applied, serial.applied);
                prop_assert!(parallel.walked == serial.walked, "with {} threads", pool.current_num_threads());
                prop_assert!(parallel.world == serial.world, "with {} threads", pool.current_num_threads());
            }
        }
    }
}

/// A world of places, some of which are missing.
fn places(count: i32) -> GameState {
    let mut gs = GameState::default();
    for x in 0..count {
        let entity = gs.spawn((Place { x },)).expect("room");
        if x % 5 == 0 {
            gs.entity_mut(entity).expect("alive").del_place();
        }
    }
    gs
}

#[test]
fn a_visit_that_panics_leaves_tables_and_notes_sound() {
    for pool in &*POOLS {
        let mut gs = places(4096);
        let mut later = Deferred::new();
        let before = later.create();
        later.add(before, Place { x: -9 });
        let stumble = catch_unwind(AssertUnwindSafe(|| {
            pool.install(|| {
                (&mut gs.places,).par_for_each_deferred(&mut later, |later, entity, (place,)| {
                    place.x = -1;
                    later.destroy(entity);
                    assert!(entity.index() != 2222, "stumbled");
                });
            });
        }));
        let message = stumble.expect_err("it panics");
        assert_eq!(message.downcast_ref::<&str>(), Some(&"stumbled"));

        assert_eq!(gs.places.len(), 3276);
        pool.install(|| (&mut gs.places,).par_for_each(|_, (place,)| place.x = 1));
        assert_eq!(gs.places.iter().map(|(_, place)| place.x).sum::<i32>(), 3276);
        pool.install(|| {
            (&gs.places,).par_for_each_deferred(&mut later, |later, entity, _| {
                if entity.index() < 64 {
                    later.destroy(entity);
                }
            });
        });
        later.apply(&mut gs).expect("room");
        assert_eq!(gs.places.len(), 3276 - 51 + 1, "what was noted before the panic and behind it");
    }
}

#[test]
fn every_thread_has_a_share_of_a_world_of_4096() {
    let mut gs = places(4096);
    let pool = pool(2);
    // Each of the two waits for the other: one alone would never come to an end.
    let barrier = std::sync::Barrier::new(2);
    let met = Mutex::new(BTreeSet::new());
    pool.install(|| {
        (&mut gs.places,).par_for_each(|_, _| {
            let thread = rayon::current_thread_index();
            if met.lock().expect("sound").insert(thread) {
                barrier.wait();
            }
        });
    });
    assert_eq!(met.lock().expect("sound").len(), 2);
}

#[test]
fn what_one_visit_has_created_is_nobody_to_another() {
    let mut gs = places(2048);
    let mut later: Deferred<GameState> = Deferred::new();
    let stolen = Mutex::new(None);
    pool(3).install(|| {
        (&gs.places,).par_for_each_deferred(&mut later, |later, entity, _| {
            let created = later.create();
            if entity.index() == 1001 {
                *stolen.lock().expect("sound") = Some(created);
            }
        });
    });
    let stolen = stolen.into_inner().expect("sound").expect("visited");
    later.add(stolen, Stun);
    later.apply(&mut gs).expect("room");
    assert!(gs.stuns.is_empty());
}

#[test]
fn what_several_threads_write_is_found_by_the_next_look_up() {
    let mut gs = GameState::default();
    for x in 0..5000 {
        gs.spawn((Place { x },)).expect("room");
    }
    gs.fold_indices();
    pool(4).install(|| (&mut gs.places,).par_for_each(|_, (place,)| place.x /= 1000));
    assert_eq!(gs.places.find_all(Place::BY_X, 3).count(), 1000);
    gs.fold_indices();
    assert_eq!(gs.places.find_all(Place::BY_X, 3).count(), 1000);
    assert_eq!(gs.places.find(Place::BY_X, 3000), None);
}
