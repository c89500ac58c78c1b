//! One world that does one operation, whatever the world is.

use std::hint::black_box;

use crate::timing::Least;

/// What is done to a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Take a hit point from each body.
    IterateOne(Form),
    /// Move each body by its velocity.
    IterateTwo(Form),
    /// Both at once.
    IterateThree(Form),
    /// Create bodies of three components, in a world that was full once.
    Create(Tracking),
    /// Create bodies, then destroy them one by one, the newest first.
    CreateDestroy,
    /// Destroy all at once, so that old handles are rejected.
    Reset,
    /// Read positions by handle, in random order.
    Get,
    /// Add a component to each body, then remove it from each.
    AddRemove,
    /// Take hit points from those who burn: one in ten.
    Join,
    /// Read the positions of whom bodies follow, in random order.
    JoinByReference,
    /// Copy six components, ids and the free list into a world that held the same.
    Copy(Tracking),
    /// Take a hit point from each body and end the tick: changes are told afterwards.
    Change,
    /// Clamp the hit points of each body, of which none are out of range, and end the tick: nothing has changed.
    Touch,
    /// Apply hits to random bodies, of whom some are invincible.
    Damage(DamageForm),
}

/// How ours walks over components. The others have one form, their quickest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Block,
    For,
}

/// Whether ours keeps track of changes. The others do as they always do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tracking {
    Off,
    On,
    /// On, and the tick ends within the time.
    EndTick,
}

/// How ours finds who is hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DamageForm {
    /// A `for` loop that looks up each victim.
    For,
    /// A query by reference.
    ByReference,
}

/// A side of a row.
pub(crate) trait Timed {
    /// Makes the world ready for a run, outside of the time.
    fn prepare(&mut self);

    /// Does it once, and gives a sum over what it found.
    fn run(&mut self) -> u64;

    /// A sum over all that the world holds.
    fn digest(&mut self) -> u64;
}

/// A world and what is done with it. Functions by pointer, so that each is compiled by itself.
pub(crate) struct Side<W> {
    pub(crate) world: W,
    pub(crate) prepare: fn(&mut W),
    pub(crate) run: fn(&mut W) -> u64,
    pub(crate) digest: fn(&mut W) -> u64,
}

impl<W: 'static> Side<W> {
    /// A side whose runs leave the world ready for the next.
    pub(crate) fn boxed(world: W, run: fn(&mut W) -> u64, digest: fn(&mut W) -> u64) -> Box<dyn Timed> {
        Self::prepared(world, |_| (), run, digest)
    }

    /// A side whose world is made ready before each run.
    pub(crate) fn prepared(
        world: W,
        prepare: fn(&mut W),
        run: fn(&mut W) -> u64,
        digest: fn(&mut W) -> u64,
    ) -> Box<dyn Timed> {
        Box::new(Self { world, prepare, run, digest })
    }
}

impl<W> Timed for Side<W> {
    fn prepare(&mut self) {
        (self.prepare)(&mut self.world);
    }

    fn run(&mut self) -> u64 {
        // Nothing is known of the world before, and all of it may be looked at after: no pass is merged with the next.
        let result = (self.run)(black_box(&mut self.world));
        black_box(&mut self.world);
        result
    }

    fn digest(&mut self) -> u64 {
        (self.digest)(&mut self.world)
    }
}

/// A side and its shortest time, if its world can do the operation.
pub(crate) struct Measured {
    name: &'static str,
    side: Box<dyn Timed>,
    least: Least,
}

impl Measured {
    pub(crate) fn new(name: &'static str, side: Box<dyn Timed>) -> Self {
        Self { name, side, least: Least::default() }
    }

    /// One run of some passes: what it found. A run of several has a first one that is not counted, in which the world
    /// comes back into the caches.
    pub(crate) fn run(&mut self, passes: usize) -> u64 {
        let Self { side, least, .. } = self;
        side.prepare();
        let first = if passes > 1 { side.run() } else { 0 };
        let found = least.time(|| (0..passes).map(|_| side.run()).fold(first, u64::wrapping_add));
        least.end_pass();
        found
    }

    /// Does it once and is not timed: what it found, and what the world holds then.
    pub(crate) fn check(&mut self) -> (u64, u64) {
        self.side.prepare();
        (self.side.run(), self.side.digest())
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn digest(&mut self) -> u64 {
        self.side.digest()
    }

    /// Nanoseconds for each of `count` things.
    pub(crate) fn ns_per(&self, count: usize) -> f64 {
        self.least.ns_per(count)
    }
}
