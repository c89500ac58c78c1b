//! Random worlds: what is known of entities, what they are now, and which of them a packet tells of.

use std::collections::BTreeMap;

use crate::behaviour::{Behaviour, any_row};
use crate::chance::Chance;
use crate::codec::list::UsualOnes;
use crate::codec::model::Model;
use crate::codec::{Entry, State};

#[derive(Debug)]
pub(crate) struct World {
    entries: BTreeMap<u32, Entry>,
    /// What is known of all others.
    nothing: Entry,
    /// Those that a packet tells of, upwards.
    pub(crate) told: Vec<u32>,
    pub(crate) usual: UsualOnes,
    /// So many of the usual ones are taken to be among those that are told.
    pub(crate) among: usize,
}

impl World {
    pub(crate) fn random(chance: &mut Chance, model: &Model) -> Self {
        // Now and then more than a packet may tell: of large ones, or of many small ones.
        let (count, are_small) = match chance.below(1000) {
            0 => (chance.within(200, 1100), false),
            1 => (chance.within(1500, 3500), true),
            2..50 => (chance.within(20, 60), false),
            _ => (chance.within(0, 10), false),
        };
        let max = model.schema.max_entities;
        let reach = chance.pick(&[count as u32 + 2, 64 + 3 * count as u32, max]).min(max);
        let likes: Vec<_> = (0..3).map(|_| likes(chance, model, are_small)).collect();
        let mut entries = BTreeMap::new();
        for _ in 0..count {
            let likes = &likes[chance.below(3) as usize];
            entries.insert(chance.below(reach), random_entry(chance, model, likes));
        }
        Self::of(chance, model, entries)
    }

    /// That of these entities, of which a packet tells of any.
    pub(crate) fn of(chance: &mut Chance, model: &Model, entries: BTreeMap<u32, Entry>) -> Self {
        let every = chance.pick(&[1, 1, 1, 2, 5]);
        let told: Vec<u32> =
            entries.keys().copied().filter(|_| every == 1 || !chance.one_in(every)).collect();
        let (usual, among) = random_usual(chance, model, &entries, &told);
        Self { entries, nothing: Entry::default(), told, usual, among }
    }

    pub(crate) fn entry(&self, index: u32) -> &Entry {
        self.entries.get(&index).unwrap_or(&self.nothing)
    }

    /// The pace of a usual entity, as both sides take it.
    pub(crate) fn pace(&self, index: u32) -> u8 {
        let at = self.usual.indices.iter().position(|usual| *usual == index);
        at.and_then(|at| self.usual.paces.get(at).copied()).unwrap_or(0)
    }
}

/// Some components that entities have together; the last of the schema are small.
fn likes(chance: &mut Chance, model: &Model, are_small: bool) -> Vec<u16> {
    if are_small {
        return model.sent.last().copied().into_iter().collect();
    }
    let count = chance.below(5);
    (0..=count).map(|_| any_component(chance, model)).collect()
}

/// Any component that is sent, rather one that has words.
fn any_component(chance: &mut Chance, model: &Model) -> u16 {
    loop {
        let component = chance.pick(&model.sent);
        if !model.components[usize::from(component)].words.is_empty() || chance.one_in(4) {
            return component;
        }
    }
}

fn random_entry(chance: &mut Chance, model: &Model, likes: &[u16]) -> Entry {
    let mut entry = Entry::default();
    let mut ages = random_ages(chance);
    let generation = match chance.below(20) {
        0 => chance.any() | 1,
        _ => 2 * chance.below(40) + 1,
    };
    let mut state = State { generation, rows: BTreeMap::new() };
    let mut behaviours = BTreeMap::new();
    for component in likes {
        come(chance, model, *component, &mut state, &mut behaviours);
    }
    let is_stable = chance.one_in(2);
    let mut tick = 0;
    while let Some(age) = ages.pop() {
        entry.known.insert(0, (age, state.clone()));
        let ticks = i64::from(age - ages.last().copied().unwrap_or(0));
        for (component, row) in &mut state.rows {
            let words = model.components[usize::from(*component)].words;
            *row = behaviours[component].next(chance, words, row, (tick, ticks));
        }
        tick += ticks;
        if !is_stable && chance.one_in(8) {
            come_and_go(chance, model, likes, &mut state, &mut behaviours);
        }
    }
    surprise(chance, model, &mut state, &mut entry);
    entry
}

/// The ages of known states, the newest first.
fn random_ages(chance: &mut Chance) -> Vec<u32> {
    let (mut ages, mut age) = (Vec::new(), 0);
    let every = chance.pick(&[1, 1, 2, 3, 4, 0]);
    for _ in 0..chance.pick(&[0, 1, 2, 3, 4, 5, 6, 6, 6, 8]) {
        age += match every {
            0 if chance.one_in(10) => chance.below(100) + 1,
            0 => chance.below(6) + 1,
            every => every,
        };
        ages.push(age);
    }
    ages
}

/// What an entity is now, which is mostly what it would be anyway.
fn surprise(chance: &mut Chance, model: &Model, state: &mut State, entry: &mut Entry) {
    let is_gone = chance.one_in(12);
    if chance.one_in(16) {
        state.generation = state.generation.wrapping_add(2);
    }
    if let (Some(confirmed), true) = (entry.confirmed(), chance.one_in(3)) {
        // Some of it does not change after all, or to anything.
        for (component, row) in &mut state.rows {
            let words = model.components[usize::from(*component)].words;
            match (chance.below(4), confirmed.rows.get(component)) {
                (0, Some(before)) => row.clone_from(before),
                (1, _) => *row = any_row(chance, words),
                (2, Some(before)) => {
                    for group in &model.components[usize::from(*component)].groups {
                        if chance.one_in(2) {
                            row[group.words.clone()].copy_from_slice(&before[group.words.clone()]);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    if is_gone {
        entry.is_hidden = chance.one_in(2);
    } else {
        entry.now = Some(state.clone());
    }
}

fn come(
    chance: &mut Chance,
    model: &Model,
    component: u16,
    state: &mut State,
    behaviours: &mut BTreeMap<u16, Behaviour>,
) {
    let of = &model.components[usize::from(component)];
    state.rows.insert(component, any_row(chance, of.words));
    behaviours.insert(component, Behaviour::random(chance, of));
}

fn come_and_go(
    chance: &mut Chance,
    model: &Model,
    likes: &[u16],
    state: &mut State,
    behaviours: &mut BTreeMap<u16, Behaviour>,
) {
    let component = if chance.one_in(2) { chance.pick(likes) } else { any_component(chance, model) };
    if state.rows.remove(&component).is_none() {
        come(chance, model, component, state, behaviours);
    }
}

/// Usual ones: some of those that are known, and some others.
fn random_usual(
    chance: &mut Chance,
    model: &Model,
    entries: &BTreeMap<u32, Entry>,
    told: &[u32],
) -> (UsualOnes, usize) {
    if chance.one_in(4) {
        return (UsualOnes::default(), 0);
    }
    let every = chance.pick(&[1, 2, 6]);
    let known = entries.iter().filter(|(_, entry)| entry.confirmed().is_some());
    let mut indices: Vec<u32> = known.map(|(index, _)| *index).filter(|_| chance.one_in(every)).collect();
    if chance.one_in(3) {
        indices.extend((0..3).map(|_| chance.below(model.schema.max_entities)));
        indices.sort_unstable();
        indices.dedup();
    }
    let among = match chance.below(6) {
        0 => 0,
        1 => indices.len(),
        _ => indices.iter().filter(|index| told.contains(index)).count(),
    };
    let paces = match chance.below(3) {
        0 => Vec::new(),
        1 => indices.iter().map(|_| (chance.any() % 256) as u8).collect(),
        _ => {
            let pace = |index: &u32| entries.get(index).map_or(0, |entry| entry.pace(model));
            indices.iter().map(pace).collect()
        }
    };
    let treated = !indices.is_empty() && 2 * among >= indices.len();
    (UsualOnes { indices, paces, treated }, among)
}
