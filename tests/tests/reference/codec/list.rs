//! The list of a packet's entities: first the usual ones that move on, then those of which only values differ, and last
//! all others. Who was told in an earlier list is not counted in the gaps of a later one.

use std::collections::BTreeSet;

use ecs_runtime::codec::{MAX_COST, MAX_ENTITIES};

use super::contexts::{Code, ORDER, OTHERS, TREATED, USUAL};
use super::entity::{Happened, Outcome, code_other, code_values, moves_on};
use super::line::Line;
use super::model::Model;
use super::number::{code_gap, code_unary};
use super::{Entry, Refused};

/// The entities that mostly differ, upwards.
#[derive(Clone, Debug, Default)]
pub(crate) struct UsualOnes {
    pub(crate) indices: Vec<u32>,
    /// How fast each is; slow, where that is missing.
    pub(crate) paces: Vec<u8>,
    /// Whether they are told apart.
    pub(crate) treated: bool,
}

/// The largest order of a list.
const MAX_ORDER: u32 = 7;

/// Writes entities, by index upwards.
pub(crate) fn write(line: &mut impl Line, model: &Model, usual: &UsualOnes, entities: &[(u32, &Entry)]) {
    let Ok(()) = try_write(line, model, usual, entities) else {
        unreachable!("nothing refuses to be written")
    };
}

fn try_write(
    line: &mut impl Line,
    model: &Model,
    usual: &UsualOnes,
    entities: &[(u32, &Entry)],
) -> Result<(), Refused> {
    let (mut moving, mut values, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (index, entry) in entities {
        let only_values = Happened::to(entry) == Happened::Values;
        if only_values && usual.treated && usual.indices.contains(index) && moves_on(model, entry) {
            moving.push((*index, *entry));
        } else if only_values {
            values.push((*index, *entry));
        } else {
            others.push((*index, *entry));
        }
    }
    if !usual.indices.is_empty() {
        line.decide(TREATED, Some(usual.treated))?;
    }
    if usual.treated && line.is_modelled() {
        for (at, index) in usual.indices.iter().enumerate() {
            let entry = moving.iter().find(|(moving, _)| moving == index);
            line.decide(usual_context(usual.paces.get(at).copied()), Some(entry.is_some()))?;
            if let Some((_, entry)) = entry {
                code_values(line, model, entry, true, entry.now.as_ref())?;
            }
        }
    } else if usual.treated {
        let runs = runs(usual, &moving);
        let order = cheapest(&runs.iter().map(|run| run.len() as u32).collect::<Vec<_>>());
        code_order(line, Some(order))?;
        for run in runs {
            code_gap(line, Code::run(order), order, Some(run.len() as u32))?;
            for entry in run {
                code_values(line, model, entry, true, entry.now.as_ref())?;
            }
        }
    }
    let told: BTreeSet<u32> = moving.iter().map(|(index, _)| *index).collect();
    let mut both: Vec<u32> = values.iter().chain(&others).map(|(index, _)| *index).collect();
    both.sort_unstable();
    let order = cheapest(&gaps(&both, &told));
    code_order(line, Some(order))?;
    for (list, is_last) in [(values, false), (others, true)] {
        let indices: Vec<u32> = list.iter().map(|(index, _)| *index).collect();
        let mut before = None;
        for (gap, (_, entry)) in gaps(&indices, &told).into_iter().zip(&list) {
            code_gap(line, Code::gap(order, before), order, Some(gap))?;
            before = Some(gap);
            if is_last {
                code_other(line, model, entry, Some(Happened::to(entry)))?;
            } else {
                code_values(line, model, entry, false, entry.now.as_ref())?;
            }
        }
        code_gap(line, Code::gap(order, before), order, Some(0))?;
        if !is_last && !line.decide(OTHERS, Some(both.len() > list.len()))? {
            break;
        }
    }
    Ok(())
}

/// The usual ones that move on, in runs: each up to one that does not, or the end.
fn runs<'e>(usual: &UsualOnes, moving: &[(u32, &'e Entry)]) -> Vec<Vec<&'e Entry>> {
    let (mut runs, mut run) = (Vec::new(), Vec::new());
    for index in &usual.indices {
        match moving.iter().find(|(moving, _)| moving == index) {
            Some((_, entry)) => run.push(*entry),
            None => runs.push(core::mem::take(&mut run)),
        }
    }
    if !run.is_empty() {
        runs.push(run);
    }
    runs
}

/// The gaps before indices: to each from the one before, without those that were told.
fn gaps(indices: &[u32], told: &BTreeSet<u32>) -> Vec<u32> {
    let (mut gaps, mut next) = (Vec::new(), 0);
    for index in indices {
        gaps.push((next..=*index).filter(|index| !told.contains(index)).count() as u32);
        next = index + 1;
    }
    gaps
}

/// The order in which numbers take the fewest bits: the smallest of equal ones.
fn cheapest(numbers: &[u32]) -> u32 {
    let bits = |order: u32| {
        let bits = |number: u32| {
            let mut class = 0;
            while u64::from(number) + (1 << order) >= 2 << (order + class) {
                class += 1;
            }
            // The prefix with its end, and the place.
            class + 1 + order + class
        };
        numbers.iter().map(|number| bits(*number)).sum::<u32>()
    };
    let mut cheapest = 0;
    for order in 1..=MAX_ORDER {
        if bits(order) < bits(cheapest) {
            cheapest = order;
        }
    }
    cheapest
}

fn code_order(line: &mut impl Line, told: Option<u32>) -> Result<u32, Refused> {
    if line.is_modelled() {
        code_unary(line, |before| ORDER + before as usize, MAX_ORDER, told)
    } else {
        line.bits(3, told)
    }
}

fn usual_context(pace: Option<u8>) -> usize {
    USUAL + usize::from(pace.unwrap_or(0).min(7))
}

/// What a packet tells: entities in the order in which they were told.
pub(crate) type Told = Vec<(u32, Outcome)>;

/// Reads entities; `entry` is what is known of one, and `pace` how fast a usual one is. Those before an error are read
/// nevertheless.
pub(crate) fn read<'e>(
    line: &mut impl Line,
    model: &Model,
    usual: &[u32],
    entry: &impl Fn(u32) -> &'e Entry,
    pace: &impl Fn(u32) -> u8,
) -> (Told, Result<(), Refused>) {
    let mut reading = Reading { model, told: Vec::new(), cost: 0 };
    let result = reading.read(line, usual, entry, pace);
    (reading.told, result)
}

struct Reading<'m> {
    model: &'m Model,
    told: Told,
    /// What they cost together.
    cost: usize,
}

impl Reading<'_> {
    fn read<'e>(
        &mut self,
        line: &mut impl Line,
        usual: &[u32],
        entry: &impl Fn(u32) -> &'e Entry,
        pace: &impl Fn(u32) -> u8,
    ) -> Result<(), Refused> {
        let model = self.model;
        if !usual.is_empty() && line.decide(TREATED, None)? {
            self.read_usual(line, usual, entry, pace)?;
        }
        let moving: BTreeSet<u32> = self.told.iter().map(|(index, _)| *index).collect();
        let order = code_order(line, None)?;
        for is_last in [false, true] {
            let (mut next, mut before) = (0, None);
            loop {
                let gap = code_gap(line, Code::gap(order, before), order, None)?;
                if gap == 0 {
                    break;
                }
                let mut left = (next..model.schema.max_entities).filter(|index| !moving.contains(index));
                let index = left.nth(gap as usize - 1).ok_or(Refused::Wrong)?;
                (next, before) = (index + 1, Some(gap));
                let outcome = if is_last {
                    code_other(line, model, entry(index), None)?
                } else {
                    code_values(line, model, entry(index), false, None)?
                };
                self.take(index, outcome)?;
            }
            if !is_last && !line.decide(OTHERS, None)? {
                break;
            }
        }
        Ok(())
    }

    fn read_usual<'e>(
        &mut self,
        line: &mut impl Line,
        usual: &[u32],
        entry: &impl Fn(u32) -> &'e Entry,
        pace: &impl Fn(u32) -> u8,
    ) -> Result<(), Refused> {
        if line.is_modelled() {
            for index in usual {
                if line.decide(usual_context(Some(pace(*index))), None)? {
                    let outcome = code_values(line, self.model, entry(*index), true, None)?;
                    self.take(*index, outcome)?;
                }
            }
            return Ok(());
        }
        let order = code_order(line, None)?;
        let mut left = usual.iter();
        while left.len() > 0 {
            let run = code_gap(line, Code::run(order), order, None)? as usize;
            if run > left.len() {
                return Err(Refused::Wrong);
            }
            for index in left.by_ref().take(run) {
                let outcome = code_values(line, self.model, entry(*index), true, None)?;
                self.take(*index, outcome)?;
            }
            // The one that does not move on.
            left.next();
        }
        Ok(())
    }

    /// Takes an entity, if a packet may tell of one more.
    fn take(&mut self, index: u32, outcome: Outcome) -> Result<(), Refused> {
        if let Outcome::State(state) | Outcome::Fresh(state) = &outcome {
            self.cost += self.model.cost(state);
        }
        if self.cost > MAX_COST || self.told.len() == MAX_ENTITIES {
            return Err(Refused::TooMuch);
        }
        self.told.push((index, outcome));
        Ok(())
    }
}
