//! Handles, kinds and generations at their edges.

use super::*;

#[test]
fn a_stale_handle_is_never_taken_for_a_new_entity() {
    let mut ids = Entities::new(1);
    let old = ids.create(64, Kind(0)).expect("room");
    ids.destroy(old);
    let new = ids.create(64, Kind(0)).expect("room");
    assert_eq!(old.index(), new.index());
    assert!(!ids.contains(old) && ids.contains(new));
    ids.reset();
    assert!(!ids.contains(new) && !ids.contains(old));
}

#[test]
fn more_than_the_maximum_is_a_typed_error() {
    let mut ids = Entities::new(1);
    for _ in 0..70 {
        ids.create(70, Kind(0)).expect("room");
    }
    let error = ids.create(70, Kind(0)).expect_err("full");
    assert_eq!(error, CreateError::Full { kind: Kind(0), max_entities: 70, alive: 70 });
    assert_eq!(ids.iter().count(), 70);
}

#[test]
fn kinds_have_blocks_of_their_own_and_fill_their_own_holes_first() {
    let mut ids = Entities::new(1);
    let a = ids.create(256, Kind(0)).expect("room");
    let b = ids.create(256, Kind(3)).expect("room");
    let c = ids.create(256, Kind(0)).expect("room");
    assert_eq!((a.index(), b.index(), c.index()), (0, 64, 1));
    ids.destroy(a);
    assert_eq!(ids.create(256, Kind(3)).map(Entity::index), Ok(65));
    assert_eq!(ids.create(256, Kind(0)).map(Entity::index), Ok(0));
}

#[test]
fn a_kind_takes_over_a_block_that_is_empty() {
    let mut ids = Entities::new(1);
    let a = ids.create(64, Kind(0)).expect("room");
    assert!(ids.create(64, Kind(1)).is_err());
    ids.destroy(a);
    let b = ids.create(64, Kind(1)).expect("the block is empty");
    assert_eq!(b.index(), 0);
    assert!(ids.create(64, Kind(0)).is_err());
}

#[test]
fn a_slot_that_spent_its_generations_is_retired() {
    let mut ids = Entities::new(1);
    let last = Entity::new(0, u32::MAX).expect("odd");
    assert!(ids.create_at(64, last));
    ids.destroy(last);
    assert_eq!(ids.create(64, Kind(0)).map(Entity::index), Ok(1));
    let last = Entity::new(2, u32::MAX).expect("odd");
    assert!(ids.create_at(64, last));
    ids.reset();
    let taken: Vec<_> = (0..62).map(|_| ids.create(64, Kind(0)).expect("room").index()).collect();
    assert!(!taken.contains(&0) && !taken.contains(&2));
    assert!(ids.create(64, Kind(0)).is_err());
}

#[test]
fn a_copy_goes_on_like_its_original_whatever_was_there_before() {
    let mut original = Entities::new(1);
    for _ in 0..70 {
        original.create(256, Kind(0)).expect("room");
    }
    original.destroy(original.at(3).expect("alive"));
    let mut copy = Entities::new(1);
    for _ in 0..200 {
        copy.create(256, Kind(2)).expect("room");
    }
    copy.copy_from(&original);
    for kind in [Kind(0), Kind(1), Kind(0), Kind(0)] {
        assert_eq!(copy.create(256, kind), original.create(256, kind));
    }
    assert!(copy.iter().eq(original.iter()));
}

#[test]
fn following_another_state_takes_its_handles() {
    let mut ids = Entities::new(1);
    let entity = Entity::new(130, 9).expect("odd");
    assert!(ids.create_at(256, entity) && ids.contains(entity));
    assert!(!ids.create_at(256, Entity::new(130, 11).expect("odd")), "the slot is alive");
    assert!(!ids.create_at(256, Entity::new(256, 1).expect("odd")), "beyond the maximum");
    assert_eq!(ids.iter().collect::<Vec<_>>(), [entity]);
}
