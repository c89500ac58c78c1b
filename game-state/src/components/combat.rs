//! Shooting and being shot.

use ecs_runtime::prelude::*;

use crate::TICKS_PER_SECOND;
use crate::math::{Vec3, add, direction, scale};
use crate::weapons::{self, LAST_SLOT, WEAPONS, WeaponSpec};

/// The hit points of a new body.
pub const FULL_HEALTH: i32 = 100;

/// Hit points. Ten bits on the wire.
#[component]
pub struct Health {
    /// None left is death, at the end of the tick.
    #[max(1000)]
    pub hp: i32,
}

/// A hit, on an entity of its own: applied in the tick that makes it, removed at the start of the next.
///
/// So every hit is in exactly one snapshot, for clients to show.
#[component]
pub struct Damage {
    /// In hit points. The server alone needs it; clients see the health.
    #[dont_send]
    pub amount: u32,
    /// The body that was hit; it may be gone.
    pub victim: Entity,
    /// The player who is credited; may be gone, or none.
    pub source: Entity,
}

/// A tag: while an entity has it, damage is ignored.
#[component]
pub struct Invincible;

/// How long an entity is still [`Invincible`].
#[component]
#[dont_send]
pub struct Protection {
    /// In ticks.
    pub ticks: u16,
}

/// The weapon in hand and the ammunition of all.
#[component]
pub struct Weapon {
    /// Which of [`WEAPONS`] is in hand.
    #[max(LAST_SLOT)]
    pub slot: u8,
    /// How many shots are left, by slot. Nobody else's business.
    #[max(200)]
    #[owner_only]
    pub ammo: [u8; WEAPONS.len()],
    /// In ticks until the next shot.
    #[dont_send]
    pub cooldown: u16,
    /// Whether the player asks to fire.
    #[dont_send]
    pub trigger: bool,
}

impl Weapon {
    /// What is known of the weapon in hand.
    #[must_use]
    pub fn spec(&self) -> &'static WeaponSpec {
        weapons::spec(self.slot)
    }

    /// Whether the weapon of a slot has a shot left.
    #[must_use]
    pub fn is_loaded(&self, slot: u8) -> bool {
        weapons::spec(slot).magazine.is_none()
            || self.ammo.get(usize::from(slot)).is_some_and(|&ammo| ammo > 0)
    }
}

/// A rocket. It flies straight, so its whole path is sent once and nothing while it flies: clients work out where
/// it is with [`Projectile::position`].
#[component]
pub struct Projectile {
    /// The player who fired it.
    pub owner: Entity,
    /// What fired it, of [`WEAPONS`].
    #[max(LAST_SLOT)]
    pub slot: u8,
    /// Where it was fired, in metres.
    #[quantize(min = -512.0, max = 512.0, step = 0.02)]
    pub origin: [f32; 3],
    /// Its direction in the plane, in radians.
    #[angle(bits = 12)]
    pub yaw: f32,
    /// Its direction up or down, in radians.
    #[angle(bits = 12)]
    pub pitch: f32,
    /// The tick in which it was fired.
    pub fired: u32,
    /// What it takes from a body that it hits, in hit points.
    #[dont_send]
    pub damage: u32,
}

impl Projectile {
    /// Where it is at a tick, if nothing was in its way.
    #[must_use]
    pub fn position(&self, tick: u32) -> Vec3 {
        let seconds = tick.saturating_sub(self.fired) as f32 / TICKS_PER_SECOND as f32;
        let flown = weapons::spec(self.slot).projectile_speed() * seconds;
        add(self.origin, scale(direction(self.yaw, self.pitch), flown))
    }
}
