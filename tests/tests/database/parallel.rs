//! Queries that are walked on several threads find, write and note what the serial ones do.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LazyLock, Mutex};

use ecs_runtime::Tick;
use ecs_runtime::prelude::*;
use ecs_runtime::world::Target;
use proptest::prelude::*;
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
    let since = Tick(gs.ids.tick().0.saturating_sub(2));
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

/// Whom a tracked table tells of, which shows what was touched.
fn told(gs: &GameState) -> [Vec<Entity>; 3] {
    let since = Tick(gs.ids.tick().0.saturating_sub(1));
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn walks_on_any_number_of_threads_do_what_the_serial_walk_does(actions in actions()) {
        let mut both = Both::default();
        for action in actions {
            both.act(action);
        }
        let mut serial = both.world.clone();
        let mut later = Deferred::new();
        let visited = run(&mut serial, &mut later, How::Serial);
        let walked = serial.clone();
        let applied = later.apply(&mut serial);
        for pool in &*POOLS {
            let mut gs = both.world.clone();
            let mut later = Deferred::new();
            prop_assert_eq!(&pool.install(|| run(&mut gs, &mut later, How::Parallel)), &visited);
            prop_assert!(gs == walked);
            prop_assert_eq!(told(&gs), told(&walked));
            prop_assert_eq!(later.apply(&mut gs), applied);
            prop_assert!(gs == serial, "with {} threads", pool.current_num_threads());
            prop_assert_eq!(told(&gs), told(&serial));
            // The memory of the first walk is used again.
            let mut again = serial.clone();
            let visited = run(&mut again, &mut Deferred::new(), How::Serial);
            prop_assert_eq!(pool.install(|| run(&mut gs, &mut later, How::Parallel)), visited);
            prop_assert!(gs == again);
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
