//! What a file of components or systems needs: `use ecs_runtime::prelude::*;`.

#[cfg(feature = "parallel")]
pub use crate::world::ParallelQuery;
pub use crate::world::{
    Change, ComponentId, CreateError, Deferred, GameWorld, Kind, NoSuchEntity, Query, Table,
};
pub use crate::{Entity, List, Text, command, component, event, value};
