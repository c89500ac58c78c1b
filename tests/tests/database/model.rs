//! A random sequence of everything that changes a world, done to it and to the plain model.

use std::collections::{BTreeMap, BTreeSet};

use ecs_runtime::prelude::*;
use ecs_runtime::world::{self, Kind, Selection};
use proptest::prelude::*;

use crate::{Aim, ChildOf, GameState, Health, IsDead, Member, Mind, Place, Shield, Stun};

/// The kinds that are used.
pub(crate) const KINDS: u8 = 4;

/// What the model knows of an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) generation: u32,
    pub(crate) kind: u8,
    pub(crate) place: Option<Place>,
    pub(crate) health: Option<Health>,
    pub(crate) shield: Option<Shield>,
    /// Whether that is disabled.
    pub(crate) is_down: bool,
    pub(crate) stun: Option<Stun>,
    pub(crate) is_dead: Option<IsDead>,
    pub(crate) member: Option<Member>,
    pub(crate) child_of: Option<ChildOf>,
    pub(crate) mind: Option<Mind>,
    pub(crate) aim: Option<Aim>,
}

impl Row {
    /// Whether it has a shield that is not disabled.
    pub(crate) fn is_shielded(&self) -> bool {
        self.shield.is_some() && !self.is_down
    }
}

/// A world, and what it should hold: by index.
#[derive(Clone, Default)]
pub(crate) struct Both {
    pub(crate) world: GameState,
    pub(crate) model: BTreeMap<u32, Row>,
    /// What was remembered.
    saved: GameState,
    saved_model: BTreeMap<u32, Row>,
    /// Who was selected, and who the time before.
    selection: Selection,
    selected: [BTreeSet<Entity>; 2],
    /// What the model was when each tick ended; before the first, nothing.
    pub(crate) ends: Vec<BTreeMap<u32, Row>>,
}

/// Something that is done. Entities are chosen by their number among those that are there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// So many are created, of a kind.
    Create(u8, u16),
    Destroy(usize),
    Place(usize, i32),
    Health(usize, u16),
    Shield(usize, u8),
    Stun(usize),
    Die(usize),
    /// The shield is enabled, or disabled.
    Enable(usize, bool),
    /// The entity is cloned.
    Clone(usize),
    /// A place in a team.
    Join(usize, u8, i8),
    /// The first goes with the second.
    Attach(usize, usize),
    /// The first thinks of the others.
    Think(usize, [usize; 3]),
    Aim(usize, usize),
    /// The entity is cloned with all that go with it.
    CloneDeep(usize),
    /// Indices are folded.
    Fold,
    /// What indices find is compared.
    Find(i32),
    /// A component is removed, by its number.
    Remove(usize, u8),
    /// All that have a place are moved, by iteration.
    MoveAll(i32),
    /// Everything is destroyed.
    Reset,
    /// The world is replaced by a copy of itself into one that held something else.
    Copy,
    /// The world is remembered.
    Save,
    /// The world becomes what was remembered.
    Rollback,
    /// A tick ends.
    EndTick,
    /// Who has health and is not dead, or is stunned, is selected.
    Select,
    /// Something is done to all who were selected: see [`Both::change_selected`].
    ChangeSelected(u8),
}

pub(crate) fn actions() -> impl Strategy<Value = Vec<Action>> {
    let who = 0usize..10_000;
    let action = prop_oneof![
        4 => (0..KINDS, prop_oneof![9 => 1u16..5, 1 => 60..3000u16]).prop_map(|(kind, many)| Action::Create(kind, many)),
        3 => who.clone().prop_map(Action::Destroy),
        4 => (who.clone(), -4..4).prop_map(|(who, x)| Action::Place(who, x)),
        4 => (who.clone(), 0..3u8, -2..2i8).prop_map(|(who, team, slot)| Action::Join(who, team, slot)),
        6 => (who.clone(), who.clone()).prop_map(|(who, parent)| Action::Attach(who, parent)),
        4 => (who.clone(), [(); 3].map(|()| who.clone())).prop_map(|(who, others)| Action::Think(who, others)),
        3 => (who.clone(), who.clone()).prop_map(|(who, target)| Action::Aim(who, target)),
        1 => who.clone().prop_map(Action::CloneDeep),
        3 => Just(Action::Fold),
        4 => (-5..5).prop_map(Action::Find),
        4 => (who.clone(), 0..1000u16).prop_map(|(who, hp)| Action::Health(who, hp)),
        3 => (who.clone(), any::<u8>()).prop_map(|(who, left)| Action::Shield(who, left)),
        6 => (who.clone(), any::<bool>()).prop_map(|(who, enabled)| Action::Enable(who, enabled)),
        1 => who.clone().prop_map(Action::Clone),
        2 => who.clone().prop_map(Action::Stun),
        2 => who.clone().prop_map(Action::Die),
        4 => (who, 0u8..9).prop_map(|(who, component)| Action::Remove(who, component)),
        1 => (-2..2).prop_map(Action::MoveAll),
        1 => Just(Action::Copy),
        1 => Just(Action::Save),
        1 => Just(Action::Rollback),
        8 => Just(Action::EndTick),
        3 => Just(Action::Select),
        3 => (0u8..5).prop_map(Action::ChangeSelected),
    ];
    let last = prop_oneof![9 => Just(None), 1 => Just(Some(Action::Reset))];
    (proptest::collection::vec(action, 1..120), last).prop_map(|(mut all, last)| {
        let middle = all.len() / 2;
        all.splice(middle..middle, last);
        all
    })
}

impl Both {
    pub(crate) fn act(&mut self, action: Action) {
        match action {
            Action::Create(kind, many) => (0..many).for_each(|_| self.create(kind)),
            Action::Destroy(who) => {
                if let Some(entity) = self.somebody(who) {
                    self.world.destroy_entity(entity).expect("it is alive");
                    destroy(&mut self.model, entity);
                    assert!(self.world.entity(entity).is_err());
                }
            }
            Action::Place(who, x) => self.with(who, |mut entity, row| {
                assert_eq!(entity.add(Place { x }), row.place.replace(Place { x }));
            }),
            Action::Health(who, hp) => self.with(who, |mut entity, row| {
                assert_eq!(entity.add(Health { hp }), row.health.replace(Health { hp }));
            }),
            Action::Shield(who, left) => self.with(who, |mut entity, row| {
                assert_eq!(entity.add(Shield { left }), row.shield.replace(Shield { left }));
                row.is_down = false;
            }),
            Action::Stun(who) => self.with(who, |mut entity, row| {
                assert_eq!(entity.add(Stun), row.stun.replace(Stun));
            }),
            Action::Die(who) => self.with(who, |mut entity, row| {
                assert_eq!(entity.add(IsDead), row.is_dead.replace(IsDead));
            }),
            Action::Remove(who, component) => self.with(who, |mut entity, row| match component {
                0 => assert_eq!(entity.remove::<Place>(), row.place.take()),
                1 => assert_eq!(entity.remove::<Health>(), row.health.take()),
                2 => {
                    assert_eq!(entity.remove::<Shield>(), row.shield.take());
                    row.is_down = false;
                }
                3 => assert_eq!(entity.remove::<Stun>(), row.stun.take()),
                4 => assert_eq!(entity.remove::<Member>(), row.member.take()),
                5 => assert_eq!(entity.remove::<ChildOf>(), row.child_of.take()),
                6 => assert_eq!(entity.remove::<Mind>(), row.mind.take()),
                7 => assert_eq!(entity.remove::<Aim>(), row.aim.take()),
                _ => assert_eq!(entity.remove::<IsDead>(), row.is_dead.take()),
            }),
            Action::Enable(who, enabled) => self.with(who, |mut entity, row| {
                let changes = row.shield.is_some() && row.is_down == enabled;
                row.is_down ^= changes;
                let changed = if enabled { entity.enable::<Shield>() } else { entity.disable::<Shield>() };
                assert_eq!(changed, changes);
            }),
            Action::Clone(who) => {
                let Some(entity) = self.somebody(who) else { return };
                if let Ok(clone) = world::clone_entity(&mut self.world, entity) {
                    let row = Row { generation: clone.generation(), ..self.model[&entity.index()] };
                    assert!(self.model.insert(clone.index(), row).is_none());
                }
            }
            Action::Join(who, team, slot) => self.with(who, |mut entity, row| {
                let member = Member { team, slot };
                assert_eq!(entity.add(member), row.member.replace(member));
            }),
            Action::Attach(who, parent) => {
                let child_of = ChildOf { parent: self.somebody(parent).unwrap_or_default() };
                self.with(who, |mut entity, row| {
                    assert_eq!(entity.add(child_of), row.child_of.replace(child_of));
                });
            }
            Action::Think(who, others) => {
                let others = others.map(|other| self.somebody(other).unwrap_or_default());
                let mut mind = Mind { leader: Some(others[0]), ..Mind::default() };
                mind.feared.extend_to_fit(others);
                self.with(who, |mut entity, row| assert_eq!(entity.add(mind), row.mind.replace(mind)));
            }
            Action::Aim(who, target) => {
                let aim = Aim { target: self.somebody(target).unwrap_or_default() };
                self.with(who, |mut entity, row| assert_eq!(entity.add(aim), row.aim.replace(aim)));
            }
            Action::CloneDeep(who) => self.clone_deep(who),
            Action::Fold => self.world.fold_indices(),
            Action::Find(key) => self.check_indices(key),
            Action::MoveAll(by) => {
                for (_, place) in &mut self.world.places {
                    place.x = place.x.wrapping_add(by);
                }
                for place in self.model.values_mut().filter_map(|row| row.place.as_mut()) {
                    place.x = place.x.wrapping_add(by);
                }
            }
            Action::Reset => {
                self.world.reset();
                self.model.clear();
            }
            Action::Save => {
                self.saved.copy_from(&self.world);
                self.saved_model.clone_from(&self.model);
            }
            Action::Rollback => {
                self.world.copy_from(&self.saved);
                self.model.clone_from(&self.saved_model);
            }
            Action::EndTick => {
                self.world.end_tick();
                self.ends.push(self.model.clone());
                assert_eq!(self.world.ids.tick().0, self.ends.len() as u64);
            }
            Action::Select => self.select(),
            Action::ChangeSelected(how) => self.change_selected(how),
            Action::Copy => {
                let mut other = GameState::default();
                for kind in 0..KINDS {
                    world::spawn(&mut other, Kind(kind), (Place { x: 1 }, Stun)).expect("room");
                }
                other.copy_from(&self.world);
                self.world = other;
                // Which counts ticks of its own.
                self.ends.clear();
            }
        }
    }

    fn select(&mut self) {
        let GameState { healths, is_deads, stuns, ids, .. } = &mut self.world;
        let is_selected = (healths.present() & !is_deads.present()) | stuns.present();
        self.selection.select((&*ids,).filter(is_selected));
        self.selected.swap(0, 1);
        self.selected[0] = self
            .those(|row| row.health.is_some() && row.is_dead.is_none() || row.stun.is_some())
            .into_iter()
            .collect();
        let [now, before] = &self.selected;
        assert!(self.selection.iter().eq(now.iter().copied()));
        assert!(self.selection.entered().eq(now.difference(before).copied()));
        assert!(self.selection.left().eq(before.difference(now).copied()));
        assert_eq!((self.selection.len(), self.selection.is_empty()), (now.len(), now.is_empty()));
    }

    fn change_selected(&mut self, how: u8) {
        let Self { world, model, selection, selected: [selected, _], .. } = self;
        let generation = |model: &BTreeMap<u32, Row>, index: u32| model.get(&index).map(|row| row.generation);
        let is_alive = |entity: &&Entity| generation(model, entity.index()) == Some(entity.generation());
        let living: Vec<_> = selected.iter().filter(is_alive).copied().collect();
        let mut had = 0;
        for entity in &living {
            if how == 0 {
                // One may have gone with another.
                destroy(model, *entity);
                continue;
            }
            let Some(row) = model.get_mut(&entity.index()) else { continue };
            match how {
                1 => row.stun = Some(Stun),
                2 => (row.shield, row.is_down) = (Some(Shield { left: 7 }), false),
                3 => {
                    had += usize::from(row.shield.take().is_some());
                    row.is_down = false;
                }
                _ => had += usize::from(row.health.take().is_some()),
            }
        }
        let (count, wanted) = match how {
            0 => (world.destroy_all(selection), living.len()),
            1 => (world.add_all(selection, Stun), living.len()),
            2 => (world.add_all(selection, Shield { left: 7 }), living.len()),
            3 => (world.remove_all::<Shield>(selection), had),
            _ => (world.remove_all::<Health>(selection), had),
        };
        assert_eq!(count, wanted);
    }

    fn create(&mut self, kind: u8) {
        match self.world.create_entity_of(Kind(kind)) {
            Ok(entity) => {
                let row = Row { generation: entity.generation(), kind, ..Row::default() };
                assert!(self.model.insert(entity.index(), row).is_none());
            }
            // Blocks belong to kinds, so there may be free slots; but none that this kind could have.
            Err(_) => assert!(self.model.len() >= 9000 - 64 * usize::from(KINDS)),
        }
    }

    /// An entity by its number among all.
    pub(crate) fn somebody(&self, who: usize) -> Option<Entity> {
        let who = who % self.model.len().max(1);
        let (index, row) = self.model.iter().nth(who)?;
        Entity::new(*index, row.generation)
    }

    fn with(&mut self, who: usize, change: impl FnOnce(world::EntityMut<'_, GameState>, &mut Row)) {
        let Some(entity) = self.somebody(who) else { return };
        let row = self.model.get_mut(&entity.index()).expect("it is there");
        change(world::EntityMut::new(&mut self.world, entity).expect("it is alive"), row);
    }

    /// The entities of the model that are as asked.
    pub(crate) fn those(&self, is: impl Fn(&Row) -> bool) -> Vec<Entity> {
        let those = self.model.iter().filter(|(_, row)| is(row));
        those.filter_map(|(index, row)| Entity::new(*index, row.generation)).collect()
    }

    /// Every value is as in the model, and nothing else is there.
    pub(crate) fn check(&self) {
        assert_eq!(self.world.entities().collect::<Vec<_>>(), self.those(|_| true));
        for (index, row) in &self.model {
            let entity = Entity::new(*index, row.generation).expect("alive");
            assert_eq!(self.world.places.get(entity), row.place.as_ref());
            assert_eq!(self.world.healths.get(entity), row.health.as_ref());
            let shield = row.shield.as_ref();
            assert_eq!(self.world.shields.get(entity), shield.filter(|_| !row.is_down));
            assert_eq!(self.world.shields.get_disabled(entity), shield.filter(|_| row.is_down));
            let components = self.world.entity(entity).expect("alive").components().count();
            let tags = usize::from(row.stun.is_some()) + usize::from(row.is_dead.is_some());
            let others =
                [row.place.is_some(), row.health.is_some(), row.member.is_some(), row.child_of.is_some()];
            let others = others.into_iter().chain([row.mind.is_some(), row.aim.is_some()]);
            let others: usize = others.map(usize::from).sum();
            assert_eq!(components, tags + others + usize::from(row.shield.is_some() && !row.is_down));
            assert_eq!(self.world.members.get(entity), row.member.as_ref());
            assert_eq!(self.world.children.get(entity), row.child_of.as_ref());
            assert_eq!(self.world.minds.get(entity), row.mind.as_ref());
            assert_eq!(self.world.aims.get(entity), row.aim.as_ref());
            assert_eq!(self.world.stuns.get(entity), row.stun.as_ref());
            assert_eq!(self.world.is_deads.get(entity), row.is_dead.as_ref());
        }
        let count = |has: fn(&Row) -> bool| self.model.values().filter(|row| has(row)).count();
        assert_eq!(self.world.places.len(), count(|row| row.place.is_some()));
        assert_eq!(self.world.is_deads.len(), count(|row| row.is_dead.is_some()));
    }
}

/// Destroys an entity of the model, and sees to whoever refers to it; `false` if it is gone.
fn destroy(model: &mut BTreeMap<u32, Row>, entity: Entity) -> bool {
    if model.get(&entity.index()).is_none_or(|row| row.generation != entity.generation()) {
        return false;
    }
    model.remove(&entity.index());
    let mut children = Vec::new();
    for (index, row) in &mut *model {
        row.aim = row.aim.filter(|aim| aim.target != entity);
        if let Some(mind) = &mut row.mind {
            mind.leader = mind.leader.filter(|leader| *leader != entity);
            mind.feared.retain(|feared| *feared != entity);
        }
        if row.child_of.is_some_and(|child_of| child_of.parent == entity) {
            children.extend(Entity::new(*index, row.generation));
        }
    }
    for child in children {
        destroy(model, child);
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_world_holds_what_the_plainest_model_holds(actions in actions()) {
        let mut both = Both::default();
        for action in actions {
            both.act(action);
        }
        both.check();
        (-4..4).for_each(|key| both.check_indices(key));
    }
}
