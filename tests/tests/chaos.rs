//! Random worlds over the worst networks: a part of what `tools chaos` plays.
#![allow(missing_docs)]

use chaos::Scenario;

#[test]
fn whatever_the_network_does_clients_come_to_hold_what_they_may_see() {
    for seed in 0..24 {
        let outcome = Scenario::of(seed).run().unwrap_or_else(|failure| panic!("{failure}"));
        assert!(
            outcome.entities_per_tick > 0.0 && outcome.lost > 0 && outcome.agreed > 0,
            "seed {seed}: {outcome:?}"
        );
    }
}
