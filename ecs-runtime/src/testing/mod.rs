//! What tests of a game are written with: [`TestWorld`] for its systems, [`Pair`] for its networking.

mod pair;
mod test_world;

pub use pair::{Pair, PairClient};
pub use test_world::TestWorld;
