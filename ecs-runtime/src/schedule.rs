//! The systems of a simulation, run in the order in which they were added.

use core::fmt;

/// A function with one job that reads and writes a world and a context.
pub type System<W, C> = fn(&mut W, &mut C);

/// A function that shows a world, and cannot write it: `P` is whatever it draws to.
pub type Presentation<W, C, P> = fn(&W, &C, &mut P);

/// Systems in the order in which they run, each with a name.
///
/// `C` is the context: whatever the systems need beside the world, such as the map, inputs or random numbers. `P` is
/// what presentations write to. Groups of systems are switched off and on by name.
///
/// ```
/// use ecs_runtime::Schedule;
///
/// fn double(world: &mut i32, _: &mut ()) {
///     *world *= 2;
/// }
/// fn add(world: &mut i32, _: &mut ()) {
///     *world += 1;
/// }
/// fn show(world: &i32, _: &(), screen: &mut String) {
///     *screen = format!("{world}");
/// }
///
/// let mut schedule = Schedule::presenting()
///     .then("double", double)
///     .group("growth", |growth| growth.then("add", add))
///     .present("show", show);
/// let (mut world, mut screen) = (20, String::new());
/// schedule.run(&mut world, &mut ());
/// schedule.show(&world, &(), &mut screen);
/// assert_eq!(screen, "41");
///
/// schedule.switch("growth", false)?;
/// schedule.run(&mut world, &mut ());
/// assert_eq!(world, 82);
/// # Ok::<_, ecs_runtime::NoSuchGroup>(())
/// ```
pub struct Schedule<W, C, P = ()> {
    systems: Vec<Entry<System<W, C>>>,
    starts: Vec<Entry<System<W, C>>>,
    stops: Vec<Entry<System<W, C>>>,
    presentations: Vec<Entry<Presentation<W, C, P>>>,
    groups: Vec<Group>,
    after_each: Option<fn(&mut W)>,
    /// The groups that are being filled, the outermost first.
    filling: Vec<usize>,
}

struct Entry<F> {
    name: &'static str,
    /// The groups that it is in.
    groups: Vec<usize>,
    function: F,
}

struct Group {
    name: &'static str,
    is_on: bool,
}

/// No group of a schedule is called so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no group of systems is called `{0}`")]
pub struct NoSuchGroup(pub String);

impl<W, C> Schedule<W, C> {
    /// No systems, and nothing to show.
    #[must_use]
    pub const fn new() -> Self {
        Self::presenting()
    }
}

impl<W, C, P> Schedule<W, C, P> {
    /// No systems, and presentations that write to a `P`.
    #[must_use]
    pub const fn presenting() -> Self {
        Self {
            systems: Vec::new(),
            starts: Vec::new(),
            stops: Vec::new(),
            presentations: Vec::new(),
            groups: Vec::new(),
            after_each: None,
            filling: Vec::new(),
        }
    }

    /// Adds a system that runs after all that were added before.
    #[must_use]
    pub fn then(mut self, name: &'static str, system: System<W, C>) -> Self {
        self.systems.push(Entry { name, groups: self.filling.clone(), function: system });
        self
    }

    /// Adds a system that runs once, when the schedule is started.
    #[must_use]
    pub fn on_start(mut self, name: &'static str, system: System<W, C>) -> Self {
        self.starts.push(Entry { name, groups: self.filling.clone(), function: system });
        self
    }

    /// Adds a system that runs once, when the schedule is stopped; the last one added runs first.
    #[must_use]
    pub fn on_stop(mut self, name: &'static str, system: System<W, C>) -> Self {
        self.stops.push(Entry { name, groups: self.filling.clone(), function: system });
        self
    }

    /// Has a function called after each system that runs: a state with indices brings them up to date by
    /// `.after_each(GameState::fold_indices)`.
    #[must_use]
    pub fn after_each(mut self, function: fn(&mut W)) -> Self {
        self.after_each = Some(function);
        self
    }

    /// Adds a function that shows the world, after all that were added before.
    #[must_use]
    pub fn present(mut self, name: &'static str, presentation: Presentation<W, C, P>) -> Self {
        self.presentations.push(Entry { name, groups: self.filling.clone(), function: presentation });
        self
    }

    /// Adds what `fill` adds to a group, which can be switched off and on. A name that is there names the same group.
    /// Groups may be inside groups: a system runs while all groups are on in which it was added.
    #[must_use]
    pub fn group(mut self, name: &'static str, fill: impl FnOnce(Self) -> Self) -> Self {
        let group = self.groups.iter().position(|group| group.name == name).unwrap_or_else(|| {
            self.groups.push(Group { name, is_on: true });
            self.groups.len() - 1
        });
        self.filling.push(group);
        let mut filled = fill(self);
        filled.filling.pop();
        filled
    }

    /// Switches a group on or off. All are on at first. What is inside a group that is off does not run.
    ///
    /// # Errors
    /// When no group is called so.
    pub fn switch(&mut self, group: &str, on: bool) -> Result<(), NoSuchGroup> {
        let group =
            self.groups.iter_mut().find(|other| other.name == group).ok_or(NoSuchGroup(group.into()))?;
        group.is_on = on;
        Ok(())
    }

    /// Runs the systems of [`Schedule::on_start`], in order.
    pub fn start(&self, world: &mut W, context: &mut C) {
        self.on(&self.starts).for_each(|system| system(world, context));
    }

    /// Runs every system once, in order.
    pub fn run(&self, world: &mut W, context: &mut C) {
        for system in self.on(&self.systems) {
            system(world, context);
            if let Some(after) = self.after_each {
                after(world);
            }
        }
    }

    /// Runs the systems of [`Schedule::on_stop`], backwards.
    pub fn stop(&self, world: &mut W, context: &mut C) {
        self.on(&self.stops).rev().for_each(|system| system(world, context));
    }

    /// Runs every presentation once, in order.
    pub fn show(&self, world: &W, context: &C, to: &mut P) {
        self.on(&self.presentations).for_each(|presentation| presentation(world, context, to));
    }

    /// The names of the systems that run, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.systems.iter().filter(|entry| self.is_on(&entry.groups)).map(|entry| entry.name)
    }

    fn on<'a, F: Copy>(&'a self, entries: &'a [Entry<F>]) -> impl DoubleEndedIterator<Item = F> + 'a {
        entries.iter().filter(|entry| self.is_on(&entry.groups)).map(|entry| entry.function)
    }

    fn is_on(&self, groups: &[usize]) -> bool {
        groups.iter().all(|&group| self.groups.get(group).is_none_or(|group| group.is_on))
    }
}

impl<W, C, P> Default for Schedule<W, C, P> {
    fn default() -> Self {
        Self::presenting()
    }
}

impl<W, C, P> fmt::Debug for Schedule<W, C, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Log = Vec<&'static str>;

    fn schedule() -> Schedule<Log, ()> {
        Schedule::<Log, ()>::new()
            .on_start("open", |log, ()| log.push("open"))
            .on_stop("close", |log, ()| log.push("close"))
            .then("first", |log, ()| log.push("first"))
            .group("outer", |outer| {
                outer
                    .on_stop("flush", |log, ()| log.push("flush"))
                    .then("second", |log, ()| log.push("second"))
                    .group("inner", |inner| inner.then("third", |log, ()| log.push("third")))
            })
            .then("fourth", |log, ()| log.push("fourth"))
            .group("inner", |inner| inner.then("fifth", |log, ()| log.push("fifth")))
    }

    fn ran(schedule: &Schedule<Log, ()>) -> Log {
        let mut log = Log::new();
        schedule.run(&mut log, &mut ());
        assert_eq!(schedule.names().collect::<Log>(), log);
        log
    }

    #[test]
    fn a_group_that_is_off_takes_along_what_is_inside() {
        let mut schedule = schedule();
        assert_eq!(ran(&schedule), ["first", "second", "third", "fourth", "fifth"]);
        schedule.switch("inner", false).expect("a group");
        assert_eq!(ran(&schedule), ["first", "second", "fourth"]);
        schedule.switch("inner", true).expect("a group");
        schedule.switch("outer", false).expect("a group");
        assert_eq!(
            ran(&schedule),
            ["first", "fourth", "fifth"],
            "the last one is not inside the outer group"
        );
        assert_eq!(schedule.switch("none", true), Err(NoSuchGroup("none".into())));
    }

    #[test]
    fn what_follows_each_system_follows_only_those_that_run() {
        let mut schedule = schedule().after_each(|log| log.push("."));
        schedule.switch("inner", false).expect("a group");
        let mut log = Log::new();
        schedule.run(&mut log, &mut ());
        assert_eq!(log, ["first", ".", "second", ".", "fourth", "."]);
    }

    #[test]
    fn a_group_that_is_filled_again_inside_another_is_off_with_either() {
        let mut schedule = Schedule::<Log, ()>::new()
            .group("inner", |inner| inner.then("alone", |log, ()| log.push("alone")))
            .group("outer", |outer| {
                outer.group("inner", |inner| inner.then("both", |log, ()| log.push("both")))
            });
        schedule.switch("outer", false).expect("a group");
        assert_eq!(ran(&schedule), ["alone"]);
    }

    #[test]
    fn a_schedule_starts_forwards_and_stops_backwards() {
        let schedule = schedule();
        let mut log = Log::new();
        schedule.start(&mut log, &mut ());
        schedule.stop(&mut log, &mut ());
        assert_eq!(log, ["open", "flush", "close"]);
    }
}
