//! The systems of a simulation, run in the order in which they were added.

use core::fmt;

/// A function with one job that reads and writes a world and a context.
pub type System<W, C> = fn(&mut W, &mut C);

/// Systems in the order in which they run, each with a name.
///
/// `C` is the context: whatever the systems need beside the world, such as the map, inputs or random numbers.
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
///
/// let schedule = Schedule::new().then("double", double).then("add", add);
/// let mut world = 20;
/// schedule.run(&mut world, &mut ());
/// assert_eq!(world, 41);
/// ```
pub struct Schedule<W, C> {
    systems: Vec<(&'static str, System<W, C>)>,
}

impl<W, C> Schedule<W, C> {
    /// No systems.
    #[must_use]
    pub const fn new() -> Self {
        Self { systems: Vec::new() }
    }

    /// Adds a system that runs after all that were added before.
    #[must_use]
    pub fn then(mut self, name: &'static str, system: System<W, C>) -> Self {
        self.systems.push((name, system));
        self
    }

    /// Runs every system once.
    pub fn run(&self, world: &mut W, context: &mut C) {
        for (_, system) in &self.systems {
            system(world, context);
        }
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.systems.iter().map(|(name, _)| *name)
    }
}

impl<W, C> Default for Schedule<W, C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W, C> fmt::Debug for Schedule<W, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
