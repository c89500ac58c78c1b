//! A constructor with more arguments than clippy accepts.

use ::renamed_runtime::component;

/// Eight fields.
#[component]
pub struct Many {
    /// The first.
    pub a: u8,
    /// The second.
    pub b: u16,
    /// The third.
    pub c: u32,
    /// The fourth.
    pub d: u64,
    /// The fifth.
    pub e: i8,
    /// The sixth.
    pub f: i16,
    /// The seventh.
    pub g: i32,
    /// The eighth.
    #[dont_send]
    pub h: i64,
}
