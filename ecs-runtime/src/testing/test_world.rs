//! A world and its systems, for tests.

use crate::world::{Bundle, GameWorld, HasTable, Kind};
use crate::{Component, Entity, Schedule};

/// A world, the systems that run on it, and their context: spawn, step, look.
///
/// ```rust,standalone_crate
/// use ecs_runtime::Schedule;
/// use ecs_runtime::prelude::*;
/// use ecs_runtime::testing::TestWorld;
///
/// #[component]
/// pub struct Fuel {
///     pub litres: u16,
/// }
///
/// ecs_runtime::game_state! {
///     max_entities = 64;
///     Fuel
/// }
///
/// fn burn(gs: &mut GameState, rate: &mut u16) {
///     for (_, fuel) in &mut gs.fuels {
///         fuel.litres = fuel.litres.saturating_sub(*rate);
///     }
/// }
///
/// fn main() {
///     let mut test = TestWorld::new(Schedule::new().then("burn", burn), 3);
///     let car = test.spawn((Fuel { litres: 10 },));
///     test.step(2);
///     assert_eq!(test.get::<Fuel>(car), Some(&Fuel { litres: 4 }));
///     test.step(2);
///     assert_eq!(test.get::<Fuel>(car), Some(&Fuel { litres: 0 }));
/// }
/// ```
#[derive(Debug)]
pub struct TestWorld<W, C = (), P = ()> {
    /// The world.
    pub world: W,
    /// What the systems need beside it.
    pub context: C,
    /// The systems.
    pub schedule: Schedule<W, C, P>,
    /// How often they ran.
    pub ticks: u64,
}

impl<W: GameWorld, C, P> TestWorld<W, C, P> {
    /// A world in which the systems of [`Schedule::on_start`] have run, and nothing else.
    #[must_use]
    pub fn new(schedule: Schedule<W, C, P>, mut context: C) -> Self {
        let mut world = W::default();
        schedule.start(&mut world, &mut context);
        Self { world, context, schedule, ticks: 0 }
    }

    /// Creates an entity with components.
    ///
    /// # Panics
    /// When the world is full: this is for tests.
    pub fn spawn(&mut self, components: impl Bundle<W>) -> Entity {
        crate::world::spawn(&mut self.world, Kind::default(), components).expect("a test's world has room")
    }

    /// Runs all systems `ticks` times.
    pub fn step(&mut self, ticks: u64) {
        for _ in 0..ticks {
            self.schedule.run(&mut self.world, &mut self.context);
            self.ticks += 1;
        }
    }

    /// Runs all presentations once.
    pub fn show(&self, to: &mut P) {
        self.schedule.show(&self.world, &self.context, to);
    }

    /// A component of an entity; `None` if the entity is gone, too.
    #[must_use]
    pub fn get<T: Component>(&self, entity: Entity) -> Option<&T>
    where
        W: HasTable<T>,
    {
        self.world.table().get(entity)
    }
}
