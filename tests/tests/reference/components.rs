//! Components with words of every kind, in more than one word of a mask.

use ecs_runtime::prelude::*;

/// A vector, and an angle beside it.
#[component]
pub struct Position {
    #[quantize(min = -512.0, max = 512.0, step = 0.005)]
    #[predict(linear)]
    pub at: [f32; 3],
    #[angle(bits = 12)]
    pub yaw: f32,
}

/// A body that rolls: a rotation behind a vector, another vector, and a flag.
#[component]
pub struct Body {
    #[quantize(min = -100.0, max = 100.0, step = 0.01)]
    #[predict(linear)]
    pub at: [f32; 3],
    #[rotation(bits = 9)]
    #[default([0.0, 0.0, 0.0, 1.0])]
    pub turn: [f32; 4],
    #[predict(linear)]
    pub spin: [i8; 2],
    pub rests: bool,
}

/// A rotation before any vector, and an angle as one; nothing beside them.
#[component]
pub struct Turret {
    #[rotation(bits = 4)]
    #[default([0.0, 0.0, 0.0, 1.0])]
    pub base: [f32; 4],
    #[angle(bits = 10)]
    #[predict(linear)]
    pub yaw: f32,
    #[rotation(bits = 16)]
    #[default([0.0, 0.0, 0.0, 1.0])]
    pub aim: [f32; 4],
}

/// A rotation in numbers that do not fill their bits.
#[value]
pub struct Quarters {
    #[max(3)]
    pub largest: u8,
    #[max(1000)]
    pub a: u16,
    #[max(1000)]
    pub b: u16,
    #[max(1000)]
    pub c: u16,
}

#[component]
pub struct Head {
    pub hat: u8,
    #[predict(rotation)]
    pub turn: Quarters,
}

/// The widest numbers that move together, and the narrowest.
#[component]
pub struct Spot {
    #[max(16_777_215)]
    #[predict(linear)]
    pub far: [u32; 2],
    #[max(1)]
    #[predict(linear)]
    pub near: u8,
}

#[component]
pub struct Health {
    #[max(1000)]
    pub hp: i32,
    #[dont_send]
    pub armor: u32,
}

#[component]
pub struct Tag;

/// References: patterns of bits.
#[component]
pub struct Link {
    pub target: Entity,
    pub other: Option<Entity>,
}

/// Words of 32 bits, and floats.
#[component]
pub struct Wide {
    pub wide: u64,
    pub signed: i64,
    pub exact: f32,
    pub double: f64,
}

/// Numbers of many widths.
#[component]
pub struct Widths {
    #[max(1)]
    pub one: u8,
    #[max(2)]
    pub two: u8,
    #[max(3)]
    pub three: u8,
    #[max(4)]
    pub four: u8,
    #[max(7)]
    pub seven: u8,
    #[max(8)]
    pub eight: u8,
    #[max(15)]
    pub fifteen: u8,
    #[max(16)]
    pub sixteen: u8,
    #[max(100)]
    pub hundred: u8,
    pub byte: u8,
    #[max(4096)]
    pub page: u16,
    pub half: u16,
    #[max(1_000_000)]
    pub million: u32,
    #[max(1_073_741_824)]
    pub most: u32,
    pub whole: u32,
}

/// Angles of many widths.
#[component]
pub struct Angles {
    #[angle(bits = 2)]
    pub quarter: f32,
    #[angle(bits = 4)]
    pub coarse: f32,
    #[angle(bits = 9)]
    pub fine: f32,
    #[angle(bits = 16)]
    pub exact: f32,
}

#[component]
pub struct Inventory {
    #[range(-5..=5)]
    pub slots: [i8; 6],
    pub open: bool,
}

/// Never leaves the server.
#[component]
#[dont_send]
pub struct Note {
    pub text: [u8; 8],
}

#[value]
pub enum Task {
    Wait,
    Walk {
        #[quantize(min = -10.0, max = 10.0, step = 0.01)]
        by: f32,
    },
    Fire(Option<Entity>, #[max(3)] u8),
}

/// Everything of which parts may not be there.
#[component]
pub struct Unit {
    pub orders: List<Task, 3>,
    pub name: Text<9>,
    #[max(600)]
    pub rank: Option<u16>,
}

#[value]
pub enum Only {
    One { x: u8 },
}

#[value]
pub struct Empty;

/// A choice of one, of two and of many, and values without words.
#[component]
pub struct Mode {
    pub only: Only,
    pub none: [Empty; 2],
    pub now: Many,
    pub last: Option<Only>,
}

#[value]
pub enum Many {
    A,
    B,
    C(u16),
    D,
    E,
    F,
    G,
    H,
    I,
}

#[component]
pub struct Flags {
    pub all: [bool; 9],
}

/// More words than are foretold.
#[component]
pub struct Crowd {
    #[max(5000)]
    pub numbers: [u16; 70],
}

/// Rows that change as a whole.
#[component]
pub struct Heap {
    #[max(4000)]
    pub numbers: [i32; 12],
    pub open: bool,
    #[range(-100_000..=100_000)]
    pub last: [i32; 3],
}

#[component]
pub struct Single {
    pub level: u32,
}

#[component]
pub struct Aim {
    #[unit_vector(bits = 8)]
    #[default([0.0, 0.0, 1.0])]
    pub at: [f32; 3],
    #[rotation(bits = 6)]
    #[default([[0.0, 0.0, 0.0, 1.0]; 2])]
    pub arms: [[f32; 4]; 2],
}

/// Others see how it looks, its owner alone what is in it.
#[component]
pub struct Purse {
    #[owner_only]
    #[default(5)]
    pub coins: u16,
    pub seen: u16,
}

/// Others do not know that it is there.
#[component]
#[owner_only]
pub struct Diary {
    pub page: u16,
    #[owner_only]
    #[predict(linear)]
    pub place: [i16; 2],
}

/// Components without words, so many that a mask takes more than one word.
pub(crate) mod marks {
    use super::component;

    macro_rules! marks {
        ($($name:ident)*) => {$(
            #[component]
            pub struct $name;
        )*};
    }

    marks! { Red Green Blue Hot Cold Wet Dry Loud Mute }
}
