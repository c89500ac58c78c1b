//! Functions that are called when components come and go, and relations, where they meet what one would not think of.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_runtime::prelude::*;
use ecs_runtime::world::{Deferred, Selection};

/// Balanced by its functions.
#[component(on_add = count_up, on_remove = count_down)]
pub struct Counted {
    /// Added up.
    pub weight: i32,
    /// To whom it belongs.
    #[relation]
    pub of: Entity,
}

/// The sum of what is counted.
#[component(singleton)]
#[dont_send]
pub struct Sum {
    /// Of weights.
    pub weight: i32,
    /// Of calls.
    pub calls: u32,
}

/// At most one has it, and whoever loses it wants it back.
#[component(singleton, on_remove = want_back)]
pub struct Crown;

/// Goes with another.
#[component]
pub struct Child {
    /// With whom.
    #[relation(destroy)]
    pub of: Entity,
}

/// Belongs to one, until it is handed to the next.
#[component(on_remove = hand_over)]
pub struct Held {
    /// By whom.
    #[relation(remove)]
    pub by: Entity,
    /// Who takes over another who is held, and who that is.
    pub next: Entity,
    /// Whom it hands over.
    pub other: Entity,
}

/// Somebody new refers to whoever loses it.
#[component(on_remove = haunt)]
pub struct Ghost;

/// Is not removed without noise.
#[component(on_remove = panic)]
pub struct Bomb;

ecs_runtime::game_state! {
    max_entities = 512;
    Counted as counted,
    Sum,
    Crown,
    Child as children,
    Held as held,
    Ghost,
    Bomb,
}

fn count(gs: &mut GameState, by: i32) {
    if let Some(sum) = gs.sum_mut() {
        sum.weight += by;
        sum.calls += 1;
    }
}

fn count_up(gs: &mut GameState, entity: Entity) {
    let counted = gs.counted.get(entity).or_else(|| gs.counted.get_disabled(entity));
    let weight = counted.map_or(0, |counted| counted.weight);
    count(gs, weight);
}

fn count_down(gs: &mut GameState, _: Entity, removed: Counted) {
    count(gs, -removed.weight);
}

fn want_back(gs: &mut GameState, entity: Entity, _: Crown) {
    if let Ok(mut entity) = gs.entity_mut(entity) {
        entity.add_crown();
    }
}

fn hand_over(gs: &mut GameState, _: Entity, removed: Held) {
    if let Some(held) = gs.held.get_mut(removed.other) {
        held.by = removed.next;
    }
}

fn haunt(gs: &mut GameState, entity: Entity, _: Ghost) {
    let _ = gs.spawn((Counted { weight: 1, of: entity },));
}

fn panic(_: &mut GameState, _: Entity, _: Bomb) {
    panic!("as it should");
}

fn counting() -> GameState {
    let mut gs = GameState::default();
    gs.spawn((Sum::default(),)).expect("room");
    gs
}

fn sum(gs: &GameState) -> i32 {
    gs.sum().expect("it is there").weight
}

#[test]
fn what_is_told_of_clones_and_of_what_is_disabled_or_replaced_is_balanced() {
    let mut gs = counting();
    let entity = gs.spawn((Counted { weight: 3, of: Entity::NONE },)).expect("room");
    gs.entity_mut(entity).expect("alive").disable::<Counted>();
    let clone = gs.clone_entity(entity).expect("room");
    let deep = gs.clone_deep(entity).expect("room");
    assert_eq!(sum(&gs), 9);
    for one in [entity, clone] {
        gs.destroy_entity(one).expect("alive");
    }
    gs.entity_mut(deep).expect("alive").enable::<Counted>();
    gs.entity_mut(deep).expect("alive").add_counted(5, Entity::NONE);
    assert_eq!(sum(&gs), 5);
    gs.entity_mut(deep).expect("alive").del_counted();
    assert_eq!(sum(&gs), 0);
}

#[test]
fn whoever_is_told_of_links_is_told_when_one_is_cut() {
    let mut gs = counting();
    let owner = gs.create_entity().expect("room");
    let entity = gs.spawn((Counted { weight: 2, of: owner },)).expect("room");
    gs.destroy_entity(owner).expect("alive");
    assert_eq!(gs.counted.get(entity).map(|counted| counted.of), Some(Entity::NONE));
    assert_eq!(gs.sum().map(|sum| (sum.weight, sum.calls)), Some((2, 3)), "one goes, and another comes");
}

#[test]
fn a_singleton_that_is_wanted_back_is_there_once() {
    let mut gs = counting();
    let [first, second] = [(); 2].map(|()| gs.create_entity().expect("room"));
    gs.entity_mut(first).expect("alive").add_crown();
    gs.entity_mut(second).expect("alive").add_crown();
    assert!(gs.crowns.contains(second) && !gs.crowns.contains(first));
    assert_eq!(gs.check_integrity(), []);
    let third = gs.spawn((Crown,)).expect("room");
    assert_eq!(gs.crowns.iter().map(|(entity, _)| entity).collect::<Vec<_>>(), [third]);
    gs.entity_mut(third).expect("alive").add_crown();
    assert_eq!(gs.check_integrity(), []);
}

#[test]
fn relations_hold_where_they_are_disabled() {
    let mut gs = counting();
    let parent = gs.create_entity().expect("room");
    let child = gs.spawn((Child { of: parent },)).expect("room");
    let counted = gs.spawn((Counted { weight: 1, of: parent },)).expect("room");
    let held = Held { by: parent, ..Held::default() };
    let held = gs.spawn((held,)).expect("room");
    gs.entity_mut(child).expect("alive").disable::<Child>();
    gs.entity_mut(counted).expect("alive").disable::<Counted>();
    gs.entity_mut(held).expect("alive").disable::<Held>();
    let copy = gs.clone_deep(parent).expect("room");
    assert_eq!(gs.entity_count(), 7, "the child goes along, the others do not");
    gs.destroy_entity(parent).expect("alive");
    assert!(!gs.contains(child) && gs.contains(held));
    assert_eq!(gs.counted.get_disabled(counted).map(|counted| counted.of), Some(Entity::NONE));
    assert_eq!(gs.held.get_disabled(held), None);
    assert_eq!(gs.check_integrity(), []);
    gs.destroy_entity(copy).expect("alive");
    assert_eq!(gs.entity_count(), 3);
}

#[test]
fn who_refers_to_somebody_else_by_then_is_left_alone() {
    let mut gs = counting();
    let [dying, living] = [(); 2].map(|()| gs.create_entity().expect("room"));
    let second = gs.create_entity().expect("room");
    let first = gs.spawn((Held { by: dying, next: living, other: second },)).expect("room");
    gs.entity_mut(second).expect("alive").add_held(dying, living, first);
    gs.destroy_entity(dying).expect("alive");
    let left: Vec<_> = gs.held.iter().map(|(_, held)| held.by).collect();
    assert_eq!(left, [living], "the one that was removed first handed the other over");
    assert_eq!(gs.check_integrity(), []);
}

#[test]
fn who_begins_to_refer_to_an_entity_that_is_being_destroyed_is_parted_as_well() {
    let mut gs = counting();
    let entity = gs.spawn((Ghost,)).expect("room");
    gs.destroy_entity(entity).expect("alive");
    assert_eq!(gs.counted.iter().map(|(_, counted)| counted.of).collect::<Vec<_>>(), [Entity::NONE]);
    assert_eq!(gs.check_integrity(), []);
}

#[test]
fn all_that_were_selected_count_as_destroyed_whoever_took_them_along() {
    let mut gs = counting();
    let parent = gs.create_entity().expect("room");
    (0..2).for_each(|_| _ = gs.spawn((Child { of: parent },)).expect("room"));
    let mut all = Selection::new();
    all.select((&gs.ids,).filter(!gs.sums.present()));
    assert_eq!(gs.destroy_all(&all), 3);
    assert_eq!((gs.entity_count(), gs.destroy_all(&all)), (1, 0));
}

#[test]
fn a_copy_is_of_the_kind_of_its_original() {
    let mut gs = counting();
    let unit = gs.spawn_of(Kind(3), (Bomb,)).expect("room");
    for copy in [gs.clone_entity(unit).expect("room"), gs.clone_deep(unit).expect("room")] {
        assert_eq!(gs.ids.kind_of(copy), Kind(3));
    }
}

#[test]
fn changes_after_a_panic_are_those_that_were_asked_for() {
    let mut gs = counting();
    let bomb = gs.spawn((Bomb,)).expect("room");
    let mut later = Deferred::new();
    later.remove::<Bomb>(bomb);
    later.add(bomb, Child { of: bomb });
    let panicked = catch_unwind(AssertUnwindSafe(|| later.apply(&mut gs)));
    assert!(panicked.is_err() && later.is_empty());
    let parent = gs.create_entity().expect("room");
    later.add(bomb, Child { of: parent });
    later.apply(&mut gs).expect("room");
    assert_eq!(gs.children.get(bomb).map(|child| child.of), Some(parent));
}
