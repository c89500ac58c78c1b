//! Changes that wait.

use ecs_runtime::prelude::*;

use crate::{GameState, Place, Stun};

#[test]
fn appended_notes_are_done_behind_what_was_there() -> Result<(), CreateError> {
    let mut gs = GameState::default();
    let [mut later, mut other] = [Deferred::new(), Deferred::new()];
    for round in 0..2 {
        let first = later.create();
        let (second, third) = (other.create(), other.create());
        other.add(third, Place { x: 3 });
        other.add(first, Place { x: 1 });
        later.append(&mut other);
        assert!(other.is_empty());
        other.add(second, Stun);
        let fourth = later.create();
        later.add(fourth, Place { x: 4 });
        later.append(&mut other);
        later.apply(&mut gs)?;
        let found: Vec<_> = gs.places.iter().map(|(entity, place)| (entity.index() % 4, place.x)).collect();
        assert_eq!(found[round * 3..], [(0, 1), (2, 3), (3, 4)]);
        assert!(gs.stuns.is_empty(), "what the other promised is over");
    }
    Ok(())
}
