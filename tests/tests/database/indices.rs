//! What indices and relations find, against a look at everything.

use core::ops::Bound;
use std::collections::BTreeMap;

use ecs_runtime::prelude::*;
use ecs_runtime::world::{CloneError, Found, Kind};

use crate::model::{Both, Row};
use crate::{Aim, ChildOf, GameState, Member, Mind, Place};

fn entities<C: ecs_runtime::Component>(found: Found<'_, C>) -> Vec<Entity> {
    found.map(|(entity, _)| entity).collect()
}

impl Both {
    /// All indices find what the model has, by keys around this one.
    pub(crate) fn check_indices(&self, key: i32) {
        let GameState { places, members, children, minds, aims, .. } = &self.world;
        let x = |row: &Row| row.place.map(|place| place.x);
        assert_eq!(entities(places.find_all(Place::BY_X, key)), self.those(|row| x(row) == Some(key)));
        assert_eq!(places.find(Place::BY_X, key).map(|(_, place)| place.x), self.first(x, key));
        // By key, then by index: both sorts are stable.
        let mut all = self.those(|row| row.place.is_some());
        let x_of = |entity: &Entity| self.model[&entity.index()].place.map_or(0, |place| place.x);
        all.sort_by_key(x_of);
        assert_eq!(entities(places.find_range(Place::BY_X, ..)), all);
        let within = |from: Bound<i32>, to: Bound<i32>| {
            let those = all
                .iter()
                .copied()
                .filter(|entity| core::ops::RangeBounds::contains(&(from, to), &x_of(entity)));
            assert_eq!(entities(places.find_range(Place::BY_X, (from, to))), those.collect::<Vec<_>>());
        };
        within(Bound::Included(key), Bound::Unbounded);
        within(Bound::Excluded(key), Bound::Included(key + 2));
        within(Bound::Unbounded, Bound::Excluded(key));
        within(Bound::Included(key), Bound::Excluded(key));

        let (team, slot) = (key.rem_euclid(4) as u8, (key / 2) as i8);
        let member = |row: &Row| row.member.map(|member| (member.team, member.slot));
        let of_team = self.those(|row| member(row).is_some_and(|(of, _)| of == team));
        assert_eq!(entities(members.find_all(Member::BY_TEAM, team)), of_team);
        let at = self.those(|row| member(row) == Some((team, slot)));
        assert_eq!(entities(members.find_all(Member::BY_TEAM_SLOT, (team, slot))), at);
        let mut above = self.those(|row| member(row) >= Some((team, slot)));
        above.sort_by_key(|entity| member(&self.model[&entity.index()]));
        assert_eq!(entities(members.find_range(Member::BY_TEAM_SLOT, (team, slot)..)), above);

        let gone = Entity::new(key.unsigned_abs(), 1).expect("an odd generation");
        for target in self.somebody(key.unsigned_abs() as usize).into_iter().chain([gone]) {
            let of = self.those(|row| row.child_of.is_some_and(|child_of| child_of.parent == target));
            assert_eq!(entities(children.find_all(ChildOf::BY_PARENT, target)), of);
            let of = self.those(|row| row.mind.is_some_and(|mind| mind.leader == Some(target)));
            assert_eq!(entities(minds.find_all(Mind::BY_LEADER, target)), of);
            let of = self.those(|row| row.mind.is_some_and(|mind| mind.feared.contains(&target)));
            assert_eq!(entities(minds.find_all(Mind::BY_FEARED, target)), of);
            let of = self.those(|row| row.aim.is_some_and(|aim| aim.target == target));
            assert_eq!(entities(aims.find_all(Aim::BY_TARGET, target)), of);
        }
    }

    fn first<K: PartialEq + Copy>(&self, key: impl Fn(&Row) -> Option<K>, wanted: K) -> Option<K> {
        self.model.values().find_map(|row| key(row).filter(|key| *key == wanted))
    }

    /// Clones an entity with all that go with it.
    pub(crate) fn clone_deep(&mut self, who: usize) {
        let Some(entity) = self.somebody(who) else { return };
        let mut of = vec![entity];
        let mut at = 0;
        while let Some(parent) = of.get(at).copied() {
            let children = self.those(|row| row.child_of.is_some_and(|child_of| child_of.parent == parent));
            for child in children {
                if !of.contains(&child) {
                    of.push(child);
                }
            }
            at += 1;
        }
        if of.len() > 64 {
            return;
        }
        let before = self.world.entities().collect::<Vec<_>>();
        // Slots are given by what is there alone, so this tells which ones the copies get.
        let mut probe = self.world.clone();
        let given = of.iter().map_while(|of| probe.create_entity_of(Kind(self.model[&of.index()].kind)).ok());
        let given: Vec<_> = given.collect();
        let copy = match self.world.clone_deep(entity) {
            Ok(copy) => copy,
            Err(CloneError::Create(_)) => {
                assert_eq!(self.world.entities().collect::<Vec<_>>(), before, "nothing is half made");
                return;
            }
            Err(error) => panic!("{error}"),
        };
        let mut copies: BTreeMap<Entity, Entity> = of.iter().copied().zip(given).collect();
        assert_eq!((copies.len(), copies.get(&entity)), (of.len(), Some(&copy)));
        let mut refer = |entity: Entity| *copies.entry(entity).or_insert(entity);
        for original in of {
            let row = self.model[&original.index()];
            let copy = refer(original);
            let mut copied = Row { generation: copy.generation(), ..row };
            if let Some(child_of) = &mut copied.child_of {
                child_of.parent = refer(child_of.parent);
            }
            if let Some(mind) = &mut copied.mind {
                mind.leader = mind.leader.map(&mut refer);
                mind.feared.iter_mut().for_each(|feared| *feared = refer(*feared));
            }
            if let Some(aim) = &mut copied.aim {
                aim.target = refer(aim.target);
            }
            assert!(self.model.insert(copy.index(), copied).is_none());
        }
    }
}

#[test]
fn what_is_written_by_a_system_is_found_by_the_next_look_up() {
    let mut gs = GameState::default();
    let entities: Vec<_> = (0..200).map(|x| gs.spawn((Place { x },)).expect("room")).collect();
    gs.fold_indices();
    for (_, place) in &mut gs.places {
        place.x /= 10;
    }
    assert_eq!(gs.places.find_all(Place::BY_X, 3).count(), 10);
    assert_eq!(gs.places.find(Place::BY_X, 150), None);
    // More than are found ahead at a time, in order of keys, each once.
    let found: Vec<_> = gs.places.find_range(Place::BY_X, 2..18).map(|(_, place)| place.x).collect();
    assert_eq!(found, (20..180).map(|at| at / 10).collect::<Vec<_>>());
    gs.fold_indices();
    gs.places.get_mut(entities[0]).expect("it is there").x = 3;
    let three: Vec<_> = gs.places.find_all(Place::BY_X, 3).map(|(entity, _)| entity.index()).collect();
    assert_eq!(three, [0].into_iter().chain(30..40).collect::<Vec<_>>());
}

#[test]
fn entities_that_go_with_each_other_in_a_circle_are_destroyed_once() {
    let mut gs = GameState::default();
    let [a, b, c] = [(); 3].map(|()| gs.create_entity().expect("room"));
    for (child, parent) in [(a, b), (b, c), (c, a)] {
        gs.entity_mut(child).expect("alive").add_child_of(parent);
    }
    let alone = gs.create_entity().expect("room");
    let copy = gs.clone_deep(b).expect("alive");
    assert_eq!(gs.entity_count(), 7);
    gs.destroy_entity(a).expect("alive");
    assert_eq!(gs.entity_count(), 4, "of the circle, the copies are left");
    gs.destroy_entity(copy).expect("alive");
    assert_eq!(gs.entities().collect::<Vec<_>>(), [alone]);
}

#[test]
fn a_copy_that_does_not_fit_leaves_nothing_behind() {
    let mut gs = GameState::default();
    let root = gs.create_entity().expect("room");
    for _ in 0..5000 {
        gs.spawn((ChildOf { parent: root },)).expect("room");
    }
    assert!(matches!(gs.clone_deep(root), Err(CloneError::Create(_))));
    assert_eq!((gs.entity_count(), gs.children.len()), (5001, 5000));
    assert!(gs.create_entity_of(Kind(0)).is_ok());
}
