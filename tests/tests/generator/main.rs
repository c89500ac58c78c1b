//! What the macros write, as it is read and as it behaves: one small fixture for each feature.

// Fixtures are as public as they are in a user's library.
#![allow(unreachable_pub)]

mod behaviour;
mod snapshots;

/// Real components: what the snapshots show is what the behaviour tests run.
mod fixtures {
    pub mod accessors;
    pub mod angle;
    pub mod arrays;
    pub mod command;
    pub mod default;
    pub mod default_constant;
    pub mod dont_send_field;
    pub mod dont_send_struct;
    pub mod floats;
    pub mod integers;
    pub mod interpolate;
    pub mod naming;
    pub mod references;
    pub mod tag;
    pub mod visibility;
}

ecs_runtime::game_state! {
    max_entities = 64;
    commands = [fixtures::command::Input];
    fixtures::integers::Integers,
    fixtures::floats::Floats,
    fixtures::angle::Angle,
    fixtures::interpolate::Moving,
    fixtures::references::References,
    fixtures::arrays::Arrays,
    fixtures::tag::Invincible,
    fixtures::accessors::Weapon,
    fixtures::dont_send_field::Hit,
    fixtures::dont_send_struct::Plan,
    fixtures::default::Defaults,
    fixtures::default_constant::ConstantDefaults,
    pub(crate) fixtures::visibility::Secret,
    fixtures::naming::HTTPAbility,
    fixtures::naming::Mouse as mice,
    fixtures::naming::Type,
}
