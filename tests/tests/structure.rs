//! What happens when entities and components come and go: functions that are called, relations, and what is found to be
//! wrong with a state.

use ecs_runtime::link::LinkConfig;
use ecs_runtime::prelude::*;
use ecs_runtime::protocol::{ClientConfig, ServerConfig};
use ecs_runtime::testing::Pair;
use ecs_runtime::world::{Deferred, Fault, Finding, Selection, Template};
use ecs_runtime::{List, Tick};

/// Who is asked to do something.
#[component(on_add = begin, on_remove = end)]
pub struct Task {
    /// What.
    pub number: u8,
}

/// What was heard of tasks: even when they began, odd when they ended.
#[component(singleton)]
#[dont_send]
pub struct Heard {
    /// Twice the number, and one more at the end.
    pub tasks: List<u16, 24>,
}

/// Ends with the first task that is begun beside it.
#[component(on_remove = take_along)]
pub struct Fuse;

/// A weapon of somebody.
#[component(key(owner, slot))]
pub struct Weapon {
    /// Whose.
    #[relation(destroy)]
    pub owner: Entity,
    /// In which hand.
    #[max(3)]
    pub slot: u8,
    /// How warm it is.
    #[quantize(min = 0.0, max = 1.0, step = 0.1)]
    pub heat: f32,
    /// At what it points.
    pub targets: [Option<Entity>; 2],
}

/// A place on a map, as coarse as it is sent.
#[component]
pub struct Field {
    /// Which one.
    #[index]
    #[snap]
    #[quantize(min = 0.0, max = 100.0, step = 1.0)]
    pub x: f32,
}

/// The captain of somebody, of one at most.
#[component(on_remove = mutiny)]
pub struct CaptainOf {
    /// Of whom.
    #[unique]
    #[relation(remove)]
    pub ship: Entity,
}

ecs_runtime::game_state! {
    max_entities = 256;
    Task,
    Heard as heard,
    Fuse,
    Weapon,
    CaptainOf as captains,
    Field,
}

fn hear(gs: &mut GameState, what: u16) {
    if let Some(heard) = gs.heard_mut() {
        heard.tasks.push(what).expect("there is room");
    }
}

fn begin(gs: &mut GameState, entity: Entity) {
    let number = gs.tasks.get(entity).map_or(99, |task| task.number);
    hear(gs, 2 * u16::from(number));
}

fn end(gs: &mut GameState, entity: Entity, task: Task) {
    hear(gs, 2 * u16::from(task.number) + 1);
    if task.number == 9 {
        // It does not let go.
        if let Ok(mut entity) = gs.entity_mut(entity) {
            entity.add_task(9);
        }
    }
}

fn take_along(gs: &mut GameState, entity: Entity, _: Fuse) {
    let _ = gs.destroy_entity(entity);
}

fn mutiny(gs: &mut GameState, _: Entity, was: CaptainOf) {
    hear(gs, if gs.contains(was.ship) { 500 } else { 600 });
}

/// A state that hears.
fn listening() -> GameState {
    let mut gs = GameState::default();
    gs.spawn((Heard::default(),)).expect("room");
    gs
}

fn heard(gs: &mut GameState) -> Vec<u16> {
    let heard = gs.heard_mut().expect("it is there");
    let tasks = heard.tasks.to_vec();
    heard.tasks.clear();
    tasks
}

#[test]
fn every_way_of_adding_and_removing_calls_who_asked() {
    let mut gs = listening();
    let entity = gs.spawn((Task { number: 1 }, Weapon::default())).expect("room");
    assert_eq!(heard(&mut gs), [2]);
    gs.entity_mut(entity).expect("alive").add_task(2);
    assert_eq!(heard(&mut gs), [3, 4], "what is replaced ends");
    gs.entity_mut(entity).expect("alive").del_task();
    assert_eq!(heard(&mut gs), [5]);
    gs.entity_mut(entity).expect("alive").del_task();
    gs.entity_mut(entity).expect("alive").add_weapon(entity, 1, 0.5, [None; 2]);
    assert!(heard(&mut gs).is_empty(), "nothing that asked came or went");

    let other = Template::new().with(Task { number: 3 }).spawn(&mut gs).expect("room");
    let clone = gs.clone_entity(other).expect("room");
    gs.copy_component::<Task>(other, entity).expect("alive");
    assert_eq!(heard(&mut gs), [6, 6, 6]);

    let mut later = Deferred::new();
    later.remove::<Task>(entity);
    later.add(clone, Task { number: 4 });
    later.destroy(other);
    later.apply(&mut gs).expect("room");
    assert_eq!(heard(&mut gs), [7, 7, 8, 7]);

    let mut all = Selection::new();
    all.select((&gs.ids,));
    assert_eq!(gs.add_all(&all, Task { number: 5 }), 3);
    assert_eq!(heard(&mut gs), [10, 10, 9, 10], "one of the three had one");
    gs.entity_mut(entity).expect("alive").disable::<Task>();
    assert_eq!(gs.remove_all::<Task>(&all), 3);
    assert_eq!(heard(&mut gs), [11, 11, 11]);
    gs.entity_mut(entity).expect("alive").add_task(6);
    gs.entity_mut(entity).expect("alive").clear();
    assert_eq!(heard(&mut gs), [12, 13]);
}

#[test]
fn a_state_that_becomes_another_calls_nobody() {
    let (mut gs, mut other) = (listening(), listening());
    other.spawn((Task { number: 1 },)).expect("room");
    heard(&mut other);
    gs.copy_from(&other);
    assert!(heard(&mut gs).is_empty());
    gs.reset();
    assert_eq!(gs.heard(), None);
}

#[test]
fn what_is_called_may_destroy_the_entity_or_cling_to_it() {
    let mut gs = listening();
    let fused = gs.spawn((Fuse, Task { number: 1 })).expect("room");
    gs.destroy_entity(fused).expect("alive");
    assert_eq!(heard(&mut gs), [2, 3], "its task ends once");

    let other = gs.spawn((Fuse, Weapon::default())).expect("room");
    let mut entity = gs.entity_mut(other).expect("alive");
    entity.del_fuse();
    assert_eq!(entity.add_task(1), None);
    assert!(!gs.contains(other) && gs.tasks.is_empty(), "nothing is added to who is gone");

    let clinging = gs.spawn((Task { number: 9 },)).expect("room");
    gs.destroy_entity(clinging).expect("alive");
    assert!(!gs.contains(clinging) && gs.tasks.is_empty());
    assert_eq!(gs.check_integrity(), []);
}

#[test]
fn those_who_refer_to_an_entity_that_is_destroyed_are_seen_to() {
    let mut gs = listening();
    let ship = gs.create_entity().expect("room");
    let weapon = |slot| Weapon { owner: ship, slot, ..Weapon::default() };
    let weapons = [0, 1].map(|slot| gs.spawn((weapon(slot),)).expect("room"));
    let captain = gs.spawn((CaptainOf { ship },)).expect("room");
    let found = gs.weapons.find_all(Weapon::BY_OWNER, ship).map(|(entity, _)| entity);
    assert_eq!(found.collect::<Vec<_>>(), weapons, "from the other side");

    let copy = gs.clone_deep(ship).expect("room");
    assert_eq!(gs.weapons.find_all(Weapon::BY_OWNER, copy).count(), 2);
    assert_eq!(gs.captains.find(CaptainOf::BY_SHIP, copy), None, "who does not belong to it is not copied");

    gs.destroy_entity(ship).expect("alive");
    assert!(weapons.iter().all(|weapon| !gs.contains(*weapon)));
    assert!(gs.contains(captain) && !gs.captains.contains(captain));
    assert_eq!(heard(&mut gs), [500], "who is parted from it is told while it is there");
    assert_eq!(gs.check_integrity(), []);
}

#[test]
fn what_is_wrong_with_a_state_is_told_with_entity_and_field() {
    let mut gs = listening();
    let [ship, gone] = [(); 2].map(|()| gs.create_entity().expect("room"));
    let captains = [(); 2].map(|()| gs.spawn((CaptainOf { ship },)).expect("room"));
    let broken = Weapon { owner: gone, slot: 7, heat: f32::NAN, targets: [None, Some(gone)] };
    let weapon = gs.spawn((broken,)).expect("room");
    let cold = gs.spawn((Weapon { heat: -0.5, slot: 1, ..Weapon::default() },)).expect("room");
    assert!(!gs.check_integrity().iter().any(|finding| matches!(finding.fault, Fault::Dangling { .. })));
    // Without its end being told, as a server's word would have it.
    gs.fold_indices();
    gs.weapons.get_mut(weapon).expect("it is there").owner = Entity::NONE;
    gs.destroy_entity(gone).expect("alive");
    gs.weapons.get_mut(weapon).expect("it is there").owner = gone;

    let of = |entity, fault| Finding { entity, component: "Weapon", fault };
    let duplicate = Fault::Duplicate { key: "ship", other: captains[0] };
    assert_eq!(
        gs.check_integrity(),
        [
            of(weapon, Fault::Dangling { field: "owner", to: gone }),
            of(weapon, Fault::NotANumber { field: "heat" }),
            of(weapon, Fault::Dangling { field: "targets", to: gone }),
            of(weapon, Fault::OutOfRange { field: "slot" }),
            of(cold, Fault::OutOfRange { field: "heat" }),
            Finding { entity: captains[1], component: "CaptainOf", fault: duplicate },
        ]
    );
    assert_eq!(
        gs.check_integrity()[5].to_string(),
        format!("CaptainOf of {:?} has the same ship as that of {:?}", captains[1], captains[0])
    );
}

#[test]
fn indices_know_what_a_capture_rounds_and_what_a_client_is_sent() {
    let mut pair = Pair::<GameState>::new(ServerConfig::default(), Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), LinkConfig::default(), 1);
    let entity = pair.world.spawn((Field { x: 7.4 }, Task { number: 1 })).expect("room");
    let weapon = pair.world.spawn((Weapon { owner: entity, ..Weapon::default() },)).expect("room");
    pair.world.fold_indices();
    let found = |world: &GameState, x| world.fields.find(Field::BY_X, x).map(|(entity, _)| entity);
    assert_eq!(found(&pair.world, 7.4), Some(entity));
    pair.tick();
    assert_eq!((found(&pair.world, 7.4), found(&pair.world, 7.0)), (None, Some(entity)));
    pair.ticks_to_converge(60).expect("converges");
    for x in [7.0, 8.0, 3.0] {
        pair.world.fields.get_mut(entity).expect("it is there").x = x;
        pair.ticks(20);
        let world = &mut pair.clients[0].world;
        assert_eq!((found(world, x), found(world, 7.0).is_some()), (Some(entity), x == 7.0));
        assert_eq!(world.weapons.find(Weapon::BY_OWNER, entity).map(|(weapon, _)| weapon), Some(weapon));
        assert_eq!(world.check_integrity(), []);
        world.fold_indices();
    }
    pair.world.destroy_entity(entity).expect("alive");
    pair.ticks(20);
    assert_eq!(
        pair.clients[0].world.entity_count(),
        0,
        "what belongs to it goes with it, by the server's word"
    );
}

#[test]
fn a_table_of_another_state_is_told() {
    let (mut gs, mut other) = (listening(), listening());
    let one = gs.spawn((Task { number: 1 },)).expect("room");
    other.create_entity().expect("room");
    let two = other.spawn((Task { number: 2 },)).expect("room");
    core::mem::swap(&mut gs.tasks, &mut other.tasks);
    let of = |entity, fault| Finding { entity, component: "Task", fault };
    assert_eq!(gs.check_integrity(), [of(two, Fault::ForeignTable), of(one, Fault::MissingComponent)]);
}
