//! `tools bench`: figures of the runtime, each beside what it has to hold up to.
//!
//! What is measured in one process lives in the crate `bench-worlds`, which the library's users would write the same
//! way; here are the reports, and what needs other processes.

pub(crate) mod compile;
pub(crate) mod crowd;
mod leaf;
pub(crate) mod packets;
pub(crate) mod precision;
pub(crate) mod profiles;
pub(crate) mod tables;
