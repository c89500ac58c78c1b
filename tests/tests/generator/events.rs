//! Events, before anything carries them.

use ecs_runtime::event::{EventQueue, QueueFull, Recipient, Taken};
use ecs_runtime::{Entity, Tick};

use crate::GameState;
use crate::fixtures::event::{Explosion, Kill};

fn kill(index: u32) -> Kill {
    Kill(Entity::new(index, 3).expect("an odd generation"), None)
}

#[test]
fn events_of_a_type_are_taken_in_order_and_others_stay() -> Result<(), QueueFull> {
    let mut queue = EventQueue::<GameState>::new(4);
    queue.put(Recipient::All, Tick(1), &kill(1))?;
    queue.put(Recipient::SeersOf(Entity::NONE), Tick(2), &Explosion { at: [0.5, 0.0, 900.0] })?;
    queue.put(Recipient::All, Tick(3), &kill(2))?;
    assert_eq!(queue.take::<Kill>(), Some(Taken { event: kill(1), to: Recipient::All, tick: Tick(1) }));
    let explosion = Explosion { at: [0.5, 0.0, 512.0] };
    assert_eq!(
        queue.take(),
        Some(Taken { event: explosion, to: Recipient::SeersOf(Entity::NONE), tick: Tick(2) })
    );
    assert_eq!(queue.take::<Explosion>(), None);
    assert_eq!((queue.len(), queue.take::<Kill>().map(|taken| taken.event)), (1, Some(kill(2))));
    assert!(queue.is_empty());
    Ok(())
}

#[test]
fn a_full_queue_drops_what_comes_and_counts_it() {
    let mut queue = EventQueue::<GameState>::new(2);
    for index in 0..5 {
        let put = queue.put(Recipient::All, Tick(0), &kill(index));
        assert_eq!(put, if index < 2 { Ok(()) } else { Err(QueueFull(2)) });
    }
    assert_eq!((queue.len(), queue.dropped()), (2, 3));
    queue.clear();
    assert_eq!(queue.put(Recipient::All, Tick(0), &kill(9)), Ok(()));
    assert_eq!(queue.take::<Kill>().map(|taken| taken.event), Some(kill(9)), "nothing old is left");
}
