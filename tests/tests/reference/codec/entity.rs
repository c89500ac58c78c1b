//! What is told of one entity.

use std::collections::BTreeMap;

use ecs_runtime::schema::Motion;

use super::contexts::{COMES, Code, HAS, OP, VALUES};
use super::line::Line;
use super::model::Model;
use super::number::{code_exactly, code_unary};
use super::row::{self, Expected};
use super::vector::Vector;
use super::{Entry, Refused, State, motion};

/// What happened to an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happened {
    /// Only values differ.
    Values,
    /// It has other components.
    Components,
    Removed,
    /// It is told from nothing.
    Fresh,
    Hidden,
    /// Nothing differs.
    Same,
}

impl Happened {
    /// Those that are told by a unary number, in its order.
    const TOLD: [Self; 5] = [Self::Components, Self::Removed, Self::Fresh, Self::Hidden, Self::Same];

    pub(crate) fn to(entry: &Entry) -> Self {
        let Some(now) = &entry.now else {
            return if entry.is_hidden { Self::Hidden } else { Self::Removed };
        };
        match entry.confirmed() {
            Some(confirmed) if confirmed.generation == now.generation => {
                if !confirmed.rows.keys().eq(now.rows.keys()) {
                    Self::Components
                } else if confirmed.rows != now.rows {
                    Self::Values
                } else {
                    Self::Same
                }
            }
            _ => Self::Fresh,
        }
    }
}

/// What was told of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    State(State),
    /// The same, told from nothing.
    Fresh(State),
    Removed,
    Hidden,
}

impl Outcome {
    /// What is told of an entity.
    pub(crate) fn of(entry: &Entry) -> Self {
        match (&entry.now, Happened::to(entry)) {
            (Some(now), Happened::Fresh) => Self::Fresh(now.clone()),
            (Some(now), _) => Self::State(now.clone()),
            (None, Happened::Hidden) => Self::Hidden,
            (None, _) => Self::Removed,
        }
    }
}

/// Whether an entity of which values differ does so as what moves mostly does: all groups differ, and in the components
/// that have groups nothing else.
pub(super) fn moves_on(model: &Model, entry: &Entry) -> bool {
    let (Some(confirmed), Some(now)) = (entry.confirmed(), &entry.now) else { return false };
    now.rows.iter().all(|(number, now)| {
        let (component, before) = (&model.components[usize::from(*number)], &confirmed.rows[number]);
        let mut groups = component.groups.iter();
        component.groups.is_empty()
            || groups.all(|group| before[group.words.clone()] != now[group.words.clone()])
                && component.others_are_same(before, now)
    })
}

/// Codes an entity of which only values differ.
pub(super) fn code_values(
    line: &mut impl Line,
    model: &Model,
    entry: &Entry,
    moves_on: bool,
    told: Option<&State>,
) -> Result<Outcome, Refused> {
    let confirmed = entry.confirmed().ok_or(Refused::Wrong)?;
    let kept: Vec<u16> = confirmed.rows.keys().copied().collect();
    let rows = code_kept(line, model, entry, &kept, moves_on, told)?;
    Ok(Outcome::State(State { generation: confirmed.generation, rows }))
}

/// Codes an entity of which something else is told.
pub(super) fn code_other(
    line: &mut impl Line,
    model: &Model,
    entry: &Entry,
    happened: Option<Happened>,
) -> Result<Outcome, Refused> {
    // Only who writes knows what happened.
    let told = happened.and(entry.now.as_ref());
    let place = happened.and_then(|happened| Happened::TOLD.iter().position(|other| *other == happened));
    let place = code_unary(line, |before| OP + before as usize, 4, place.map(|place| place as u32))?;
    Ok(match Happened::TOLD[place as usize] {
        Happened::Removed => Outcome::Removed,
        Happened::Hidden => Outcome::Hidden,
        Happened::Fresh => Outcome::Fresh(code_fresh(line, model, told)?),
        Happened::Components => Outcome::State(code_components(line, model, entry, told)?),
        Happened::Values | Happened::Same => Outcome::State(entry.confirmed().ok_or(Refused::Wrong)?.clone()),
    })
}

/// Codes a state from nothing: its generation, which components it has, and their rows.
pub(crate) fn code_fresh(
    line: &mut impl Line,
    model: &Model,
    told: Option<&State>,
) -> Result<State, Refused> {
    // A generation is odd.
    let half = code_exactly(line, Code::GENERATION, 2, told.map(|told| told.generation / 2))?;
    let generation = half.checked_mul(2).ok_or(Refused::Wrong)? + 1;
    let mut components = Vec::new();
    for component in &model.sent {
        if line.decide(HAS, told.map(|told| told.rows.contains_key(component)))? {
            components.push(*component);
        }
    }
    let rows = code_new_rows(line, model, &components, told)?;
    Ok(State { generation, rows })
}

fn code_new_rows(
    line: &mut impl Line,
    model: &Model,
    components: &[u16],
    told: Option<&State>,
) -> Result<BTreeMap<u16, Vec<u32>>, Refused> {
    let mut rows = BTreeMap::new();
    for number in components {
        let told = told.map(|told| &told.rows[number][..]);
        rows.insert(*number, row::code_new(line, &model.components[usize::from(*number)], told)?);
    }
    Ok(rows)
}

/// Which components came and went, what differs in those that stayed, and the rows of those that came.
fn code_components(
    line: &mut impl Line,
    model: &Model,
    entry: &Entry,
    told: Option<&State>,
) -> Result<State, Refused> {
    let confirmed = entry.confirmed().ok_or(Refused::Wrong)?;
    let (mut kept, mut came) = (Vec::new(), Vec::new());
    for component in &model.sent {
        let was = confirmed.rows.contains_key(component);
        let turned = line.decide(COMES, told.map(|told| told.rows.contains_key(component) != was))?;
        match (was, turned) {
            (true, false) => kept.push(*component),
            (false, true) => came.push(*component),
            _ => {}
        }
    }
    let differ = told.map(|told| kept.iter().any(|kept| told.rows[kept] != confirmed.rows[kept]));
    let mut rows = if line.decide(VALUES, differ)? {
        code_kept(line, model, entry, &kept, false, told)?
    } else {
        kept.iter().map(|kept| (*kept, confirmed.rows[kept].clone())).collect()
    };
    rows.extend(code_new_rows(line, model, &came, told)?);
    Ok(State { generation: confirmed.generation, rows })
}

/// The rows of components that stayed, at least one of which differs.
fn code_kept(
    line: &mut impl Line,
    model: &Model,
    entry: &Entry,
    kept: &[u16],
    moves_on: bool,
    told: Option<&State>,
) -> Result<BTreeMap<u16, Vec<u32>>, Refused> {
    let mut left: usize = kept.iter().map(|kept| model.components[usize::from(*kept)].parts()).sum();
    let mut none_yet = true;
    let mut rows = BTreeMap::new();
    for number in kept {
        let component = &model.components[usize::from(*number)];
        let told = told.map(|told| &told.rows[number][..]);
        let past = entry.past(*number);
        let confirmed = past[0].1;
        let mut row = confirmed.to_vec();
        let mut vector = Vector::none();
        for group in &component.groups {
            left -= 1;
            let (at, words) = (group.words.clone(), &component.words[group.words.clone()]);
            let before = &confirmed[at.clone()];
            // If none before the last part differs, that does.
            let is_known = moves_on || left == 0 && none_yet;
            let rested = past.len() > 1 && past[1].1[at.clone()] == *before;
            let told = told.map(|told| &told[at.clone()]);
            let differs = told.map(|told| told != before);
            if is_known || line.decide(component.word(at.start, rested), differs)? {
                none_yet = false;
                let past: Vec<_> = past.iter().map(|(age, row)| (*age, &row[at.clone()])).collect();
                let values = motion::code(line, model, group, words, &past, told, &mut vector)?;
                row[at].copy_from_slice(&values);
            } else if group.motion == Motion::Linear {
                vector = Vector::at_rest(words, before);
            }
        }
        if component.has_others() {
            left -= 1;
            let is_known_to_stay = moves_on && !component.groups.is_empty();
            if !is_known_to_stay {
                let expected = Expected::new(component, &past);
                let is_known = left == 0 && none_yet && expected.rests;
                row::code(line, component, &expected, &mut row, told, is_known)?;
                none_yet &= component.others_are_same(&row, confirmed);
            }
        }
        rows.insert(*number, row);
    }
    Ok(rows)
}
