//! The weapons, as plain data: balancing happens here.

/// A weapon that is always there and never empty.
pub const PISTOL: u8 = 0;
/// Hits at once, many times a second.
pub const RIFLE: u8 = 1;
/// Slow, and hurts all around.
pub const ROCKETS: u8 = 2;

/// What is known of a weapon.
#[derive(Debug)]
pub struct WeaponSpec {
    /// For people.
    pub name: &'static str,
    /// What a shot takes from a body that it hits, in hit points.
    pub damage: u32,
    /// From one shot to the next, in ticks.
    pub cooldown: u16,
    /// How many shots there are; `None` for no end of them.
    pub magazine: Option<u8>,
    /// How far a shot may go astray, in radians.
    pub spread: f32,
    /// What comes out.
    pub shot: Shot,
}

/// What comes out of a weapon.
#[derive(Debug)]
pub enum Shot {
    /// A ray that hits in the tick in which it is fired.
    Ray {
        /// How far it goes, in metres.
        range: f32,
    },
    /// A projectile that takes its time and explodes where it hits.
    Rocket {
        /// In metres per second.
        speed: f32,
        /// How far from the explosion a body is still hurt, in metres; the less, the farther away.
        splash: f32,
    },
}

/// The weapons, by slot.
pub const WEAPONS: [WeaponSpec; 3] = [
    WeaponSpec {
        name: "pistol",
        damage: 14,
        cooldown: 18,
        magazine: None,
        spread: 0.008,
        shot: Shot::Ray { range: 60.0 },
    },
    WeaponSpec {
        name: "rifle",
        damage: 20,
        cooldown: 6,
        magazine: Some(40),
        spread: 0.015,
        shot: Shot::Ray { range: 80.0 },
    },
    WeaponSpec {
        name: "rocket launcher",
        damage: 80,
        cooldown: 54,
        magazine: Some(6),
        spread: 0.0,
        shot: Shot::Rocket { speed: 24.0, splash: 3.0 },
    },
];

/// The slot of the last weapon.
pub const LAST_SLOT: u8 = WEAPONS.len() as u8 - 1;

/// The weapon of a slot; a slot that does not exist holds the first.
#[must_use]
pub fn spec(slot: u8) -> &'static WeaponSpec {
    static TABLE: [WeaponSpec; WEAPONS.len()] = WEAPONS;
    TABLE.get(usize::from(slot)).unwrap_or(&TABLE[0])
}

/// Full magazines, by slot.
#[must_use]
pub fn full_ammo() -> [u8; WEAPONS.len()] {
    WEAPONS.map(|weapon| weapon.magazine.unwrap_or(0))
}

impl WeaponSpec {
    /// How fast its projectiles fly, in metres per second.
    #[must_use]
    pub fn projectile_speed(&self) -> f32 {
        match self.shot {
            Shot::Ray { .. } => 0.0,
            Shot::Rocket { speed, .. } => speed,
        }
    }
}
