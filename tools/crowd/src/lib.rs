//! Worlds of many moving entities, to measure what the protocol costs: bytes, time, memory, and how long things wait.
#![forbid(unsafe_code)]

mod events;
mod join;
mod long;
mod overload;
mod replication;
mod stopwatch;
mod world;

pub use events::{EventCost, events};
pub use join::{Join, join};
pub use long::{LongRun, long_run, suspend};
pub use overload::{Overload, memory, overload};
pub use replication::{Replication, Workload, replication};
pub use stopwatch::Stopwatch;
pub use world::{Crowd, Health, Transform, Whisper};

ecs_runtime::game_state! {
    max_entities = 16384;
    events = [Whisper];
    Transform, Health,
}
