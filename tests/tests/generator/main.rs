//! What the macros write, as it is read and as it behaves: one small fixture for each feature.

// Fixtures are as public as they are in a user's library.
#![allow(unreachable_pub)]

mod behaviour;
mod data;
mod events;
mod snapshots;
mod values;
mod world;

/// Real components: what the snapshots show is what the behaviour tests run.
mod fixtures {
    pub mod accessors;
    pub mod angle;
    pub mod arrays;
    pub mod command;
    pub mod component_name;
    pub mod default;
    pub mod default_constant;
    pub mod dont_send_field;
    pub mod dont_send_struct;
    pub mod doubles;
    pub mod event;
    pub mod floats;
    pub mod integers;
    pub mod interpolate;
    pub mod marks;
    pub mod naming;
    pub mod options_and_lists;
    pub mod references;
    pub mod rotation;
    pub mod singleton;
    pub mod tag;
    pub mod text;
    pub mod tuple;
    pub mod value_enum;
    pub mod value_struct;
    pub mod visibility;
}

ecs_runtime::game_state! {
    max_entities = 64;
    commands = [fixtures::command::Input];
    events = [fixtures::event::Explosion, fixtures::event::Kill];
    fixtures::integers::Integers as integers,
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
    fixtures::value_struct::Bag,
    fixtures::value_enum::Orders as order_lists,
    fixtures::options_and_lists::Squad,
    fixtures::text::Named,
    data::Kit,
    fixtures::tuple::Ammo,
    fixtures::rotation::Pose,
    fixtures::doubles::Orbit,
    fixtures::singleton::Rules as rules,
    fixtures::component_name::ship::Hull as ship_hulls,
    fixtures::component_name::Hull,
    fixtures::marks::Stamina,
    fixtures::marks::Map,
}
