//! Components called like what generated code uses.

use ::renamed_runtime::component;

macro_rules! components {
    ($($name:ident),*) => {$(
        /// A component with the name of something else.
        #[component]
        pub struct $name {
            /// Any value.
            pub value: u8,
        }
    )*};
}

components!(Option, Result, Ok, Vec, Default, Iterator, String, Component, Entities);

/// Its accessor hides a method of the prelude's trait.
#[component]
pub struct Clone {
    /// Any value.
    pub value: u8,
}

/// Its accessor is a keyword.
#[component]
pub struct Type {
    /// Any value.
    pub value: u8,
}

/// Its accessor sounds like a question.
#[component]
pub struct IsDead;

/// Its accessor sounds like a conversion.
#[component]
pub struct AsTarget;

/// Its accessor sounds like a constructor.
#[component]
pub struct FromPortal;

/// Its accessor sounds as if it consumed the entity.
#[component]
pub struct IntoBattle;

/// Its accessor sounds like an operator.
#[component]
pub struct Not;

/// A tag, which is a value too.
#[component]
pub struct Some;

/// A tag, which is a pattern too.
#[component]
pub struct None;
