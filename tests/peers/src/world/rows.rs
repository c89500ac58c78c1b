//! The rows: what is done, with how many entities, and how quick ours has to be.

use super::side::{DamageForm, Form, Operation, Tracking};

/// One row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) operation: Operation,
    /// How many entities the world has.
    pub(crate) entities: usize,
    /// How many of what the time is told for each of.
    pub(crate) counted: usize,
    /// How often it is done in one run, so that a run is long enough for the clock.
    pub(crate) passes: usize,
    pub(crate) goal: Goal,
}

/// How quick ours has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    /// The largest ratio to slots that is good enough.
    Slots(f64),
    /// The same, and no peer may be quicker.
    SlotsAndPeers(f64),
    /// None is set; the figure is for whoever wants to know.
    None,
}

impl Case {
    /// Whether its name has a part that is asked for.
    pub(crate) fn matches(&self, only: Option<&str>) -> bool {
        only.is_none_or(|only| self.name.contains(only))
    }
}

/// Every row, in the order in which they are shown.
pub(crate) fn cases() -> impl Iterator<Item = Case> {
    let iterate = [10_000, 100_000].into_iter().flat_map(iterate);
    iterate.chain(structure()).chain(look_ups()).chain(whole_worlds()).chain(changes()).chain(damage())
}

fn iterate(entities: usize) -> [Case; 6] {
    use Form::{Block, For};
    let passes = 200_000 / entities;
    let row = |name, operation, goal| Case { name, operation, entities, counted: entities, passes, goal };
    [
        row("iterate 1 component, block", Operation::IterateOne(Block), Goal::Slots(1.1)),
        row("iterate 1 component, `for`", Operation::IterateOne(For), Goal::None),
        row("iterate 2 components, block", Operation::IterateTwo(Block), Goal::Slots(1.0)),
        row("iterate 2 components, `for`", Operation::IterateTwo(For), Goal::Slots(1.5)),
        row("iterate 3 components, block", Operation::IterateThree(Block), Goal::Slots(1.0)),
        row("iterate 3 components, `for`", Operation::IterateThree(For), Goal::Slots(1.5)),
    ]
}

fn structure() -> [Case; 6] {
    let row = |name, operation, passes, goal| {
        let entities = 10_000;
        Case { name, operation, entities, counted: entities, passes, goal }
    };
    let create = Operation::Create;
    [
        row("create with 3 components", create(Tracking::Off), 1, Goal::Slots(1.3)),
        row("create with 3 components, tracked", create(Tracking::On), 1, Goal::Slots(1.3)),
        row("create, tracked, and end the tick", create(Tracking::EndTick), 1, Goal::None),
        row("create and destroy, 3 components", Operation::CreateDestroy, 2, Goal::Slots(1.3)),
        row("reset a full world", Operation::Reset, 1, Goal::Slots(1.2)),
        row("add then remove 1 component", Operation::AddRemove, 4, Goal::Slots(1.5)),
    ]
}

fn look_ups() -> [Case; 4] {
    let get = |entities| Case {
        name: "get by handle, random",
        operation: Operation::Get,
        entities,
        counted: entities,
        passes: 40_000_usize.div_ceil(entities).max(2),
        goal: Goal::SlotsAndPeers(1.2),
    };
    let join = |name, operation, counted, goal| {
        let entities = 10_000;
        Case { name, operation, entities, counted, passes: 10, goal }
    };
    [
        get(10_000),
        get(100_000),
        join("join with 1k of them, per match", Operation::Join, 1000, Goal::Slots(1.0)),
        join("join by reference", Operation::JoinByReference, 10_000, Goal::Slots(1.2)),
    ]
}

fn whole_worlds() -> [Case; 3] {
    let row = |name, tracking, goal| {
        let operation = Operation::Copy(tracking);
        Case { name, operation, entities: 2000, counted: 2000, passes: 10, goal }
    };
    [
        row("copy 6 components and ids", Tracking::Off, Goal::Slots(1.2)),
        row("copy, tracked", Tracking::On, Goal::None),
        row("copy, tracked, and end the tick", Tracking::EndTick, Goal::None),
    ]
}

/// What it costs to be told of changes: slots keep a copy by hand, and compare with it.
fn changes() -> [Case; 2] {
    let row = |name, operation| Case {
        name,
        operation,
        entities: 10_000,
        counted: 10_000,
        passes: 10,
        goal: Goal::None,
    };
    [
        row("change 1 component of all, end the tick", Operation::Change),
        row("touch 1 component of all, end the tick", Operation::Touch),
    ]
}

fn damage() -> [Case; 2] {
    let row = |name, form| Case {
        name,
        operation: Operation::Damage(form),
        entities: 10_000,
        counted: 10_000,
        passes: 5,
        goal: Goal::None,
    };
    [
        row("damage, `for` and get_mut", DamageForm::For),
        row("damage, by_reference_mut", DamageForm::ByReference),
    ]
}
