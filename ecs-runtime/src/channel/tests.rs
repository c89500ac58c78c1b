use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use proptest::prelude::*;

use super::{Channel, ChannelFull, Reader, Sender};

fn all<E: Clone>(reader: &mut Reader<E>) -> Vec<E> {
    reader.read().collect()
}

#[test]
fn each_reader_is_given_what_was_sent_since_it_began_in_the_order_of_sending() {
    let channel = Channel::new(8);
    let mut early = channel.reader("early");
    channel.send(1).expect("room");
    let mut late = channel.reader("late");
    channel.send(2).expect("room");
    channel.sender().send(3).expect("room");
    assert_eq!((early.len(), late.len()), (3, 2));
    assert_eq!(all(&mut late), [2, 3]);
    assert_eq!(all(&mut early), [1, 2, 3]);
    assert!(early.is_empty() && late.is_empty() && channel.is_empty());
}

#[test]
fn an_event_is_freed_once_all_have_read_it() {
    let channel = Channel::new(8);
    let (mut first, mut second) = (channel.reader("first"), channel.reader("second"));
    let event = Arc::new(());
    channel.send(Arc::clone(&event)).expect("room");
    channel.send(Arc::clone(&event)).expect("room");
    first.read().for_each(drop);
    assert_eq!(Arc::strong_count(&event), 3, "the second has not read");
    second.read().take(1).for_each(drop);
    assert_eq!(Arc::strong_count(&event), 2);
    second.read().for_each(drop);
    assert_eq!(Arc::strong_count(&event), 1);
}

#[test]
fn without_a_reader_an_event_is_freed_at_once() {
    let channel = Channel::new(0);
    let event = Arc::new(());
    channel.send(Arc::clone(&event)).expect("nothing is kept");
    assert_eq!((Arc::strong_count(&event), channel.len(), channel.refused()), (1, 0, 0));
    assert_eq!(channel.slowest(), None);
}

#[test]
fn a_reader_that_is_dropped_or_passes_over_holds_nothing_back() {
    let channel = Channel::new(8);
    let (gone, mut idle, mut reader) =
        (channel.reader("gone"), channel.reader("idle"), channel.reader("reader"));
    let event = Arc::new(());
    channel.send(Arc::clone(&event)).expect("room");
    channel.send(Arc::clone(&event)).expect("room");
    assert_eq!(reader.read().count(), 2);
    drop(gone);
    assert_eq!(Arc::strong_count(&event), 3);
    idle.clear();
    assert_eq!((Arc::strong_count(&event), channel.len(), idle.len()), (1, 0, 0));
    let again = channel.reader("in the place of the one that is gone");
    channel.send(Arc::clone(&event)).expect("room");
    assert_eq!((again.len(), idle.len(), reader.len()), (1, 1, 1));
    drop((again, idle, reader));
    assert_eq!(Arc::strong_count(&event), 1);
}

#[test]
fn a_full_channel_gives_the_event_back_and_names_the_slowest_reader() {
    let channel = Channel::new(2);
    let (mut quick, mut slow) = (channel.reader("quick"), channel.reader("slow"));
    channel.send('a').expect("room");
    channel.send('b').expect("room");
    assert_eq!(all(&mut quick), ['a', 'b']);
    let error = channel.send('c').expect_err("there is no room");
    assert_eq!(error, ChannelFull { event: 'c', capacity: 2, slowest: "slow" });
    assert_eq!(
        error.to_string(),
        "the channel holds 2 events, as many as it may, and `slow` has the most to read"
    );
    assert_eq!((channel.refused(), channel.slowest()), (1, Some(("slow", 2))));
    assert!(quick.is_empty(), "what was refused was not sent to anybody");
    assert_eq!(slow.read().next(), Some('a'));
    channel.send(error.event).expect("room again");
    assert_eq!((all(&mut quick), all(&mut slow)), (vec!['c'], vec!['b', 'c']));
    assert_eq!(channel.capacity(), 2);
}

#[test]
fn what_is_sent_while_reading_and_what_is_left_of_a_loop_waits_for_the_next_time() {
    let channel = Channel::new(8);
    let mut chain = channel.reader("chain");
    channel.send(3).expect("room");
    channel.send(30).expect("room");
    for event in chain.read() {
        channel.send(event - 1).expect("room");
    }
    assert_eq!(chain.read().next(), Some(2), "the loop ends here");
    assert_eq!(chain.read().len(), 1);
    assert_eq!(all(&mut chain), [29]);
}

#[test]
fn the_last_reader_is_given_the_event_itself_and_others_a_copy() {
    #[derive(Debug)]
    struct Copied(bool);
    impl Clone for Copied {
        fn clone(&self) -> Self {
            Self(true)
        }
    }
    let channel = Channel::new(1);
    let (mut first, mut last) = (channel.reader("first"), channel.reader("last"));
    channel.send(Copied(false)).expect("room");
    assert!(first.read().all(|event| event.0));
    assert!(last.read().all(|event| !event.0));
}

#[test]
fn senders_and_readers_outlive_the_channel() {
    let channel = Channel::new(1);
    let (sender, mut reader) = (channel.sender(), channel.reader("reader"));
    drop(channel);
    sender.clone().send(7).expect("room");
    assert_eq!(all(&mut reader), [7]);
}

#[test]
fn a_clone_that_panics_leaves_the_channel_as_it_was() {
    static PANICS: AtomicBool = AtomicBool::new(true);
    #[derive(Debug, PartialEq)]
    struct Fragile;
    impl Clone for Fragile {
        fn clone(&self) -> Self {
            assert!(!PANICS.load(Ordering::Relaxed), "on purpose");
            Self
        }
    }
    let channel = Channel::new(2);
    let (mut first, mut second) = (channel.reader("first"), channel.reader("second"));
    channel.send(Fragile).expect("room");
    assert!(catch_unwind(AssertUnwindSafe(|| first.read().next())).is_err());
    PANICS.store(false, Ordering::Relaxed);
    channel.send(Fragile).expect("room");
    assert_eq!((all(&mut first).len(), all(&mut second).len(), channel.len()), (2, 2, 0));
}

#[test]
fn an_event_may_use_the_channel_as_it_is_dropped() {
    struct Echo(Option<Sender<Echo>>);
    impl Drop for Echo {
        fn drop(&mut self) {
            if let Some(channel) = &self.0 {
                let _ = channel.send(Self(None));
            }
        }
    }
    let channel = Channel::new(8);
    channel.send(Echo(Some(channel.sender()))).expect("nobody reads");
    let (mut first, second) = (channel.reader("first"), channel.reader("second"));
    channel.send(Echo(Some(channel.sender()))).expect("room");
    first.clear();
    drop(second);
    assert_eq!((first.len(), channel.len()), (1, 1), "the echo");
}

#[test]
fn an_event_that_panics_as_it_is_freed_does_not_keep_others_in_the_channel() {
    #[derive(Clone)]
    struct Explosive(bool);
    impl Drop for Explosive {
        fn drop(&mut self) {
            assert!(!self.0, "on purpose");
        }
    }
    let channel = Channel::new(3);
    let (mut first, second) = (channel.reader("first"), channel.reader("second"));
    channel.send(Explosive(true)).expect("room");
    channel.send(Explosive(false)).expect("room");
    first.clear();
    assert!(catch_unwind(AssertUnwindSafe(|| drop(second))).is_err());
    channel.send(Explosive(false)).expect("room");
    assert_eq!((first.read().count(), channel.len()), (1, 0));
}

#[test]
fn what_a_debugger_shows_says_who_is_behind() {
    let channel = Channel::new(4);
    let reader = channel.reader("score");
    channel.send(()).expect("room");
    let shown = r#"Channel { len: 1, capacity: 4, refused: 0, readers: [("score", 1)] }"#;
    assert_eq!(format!("{channel:?}"), shown);
    assert_eq!(format!("{reader:?}"), r#"Reader { name: "score", len: 1 }"#);
}

#[test]
fn handles_go_to_other_threads_and_are_shared_if_events_may_go_there() {
    fn is_shared<T: Send + Sync>() {}
    // A cell may go to another thread, and must not be shared with one.
    is_shared::<(Channel<Cell<u8>>, Sender<Cell<u8>>, Reader<Cell<u8>>)>();
}

#[test]
fn from_many_threads_every_reader_is_given_every_event_once_and_each_senders_in_order() {
    const SENDERS: usize = 4;
    const READERS: usize = 3;
    const EACH: usize = 2000;
    let token = Arc::new(());
    // Far smaller than what is sent, so that it is full now and then.
    let channel = Channel::new(64);
    let readers: Vec<_> = (0..READERS).map(|_| channel.reader("reader")).collect();
    thread::scope(|scope| {
        for sender in 0..SENDERS {
            let (channel, token) = (&channel, &token);
            scope.spawn(move || {
                for number in 0..EACH {
                    let mut event = (sender, number, Arc::clone(token));
                    while let Err(full) = channel.send(event) {
                        event = full.event;
                        thread::yield_now();
                    }
                }
            });
        }
        for mut reader in readers {
            scope.spawn(move || {
                let mut next = [0; SENDERS];
                while next.iter().sum::<usize>() < SENDERS * EACH {
                    for (sender, number, _) in reader.read() {
                        assert_eq!(number, next[sender]);
                        next[sender] += 1;
                    }
                    thread::yield_now();
                }
                assert!(reader.is_empty());
            });
        }
    });
    assert_eq!((channel.len(), Arc::strong_count(&token)), (0, 1));
}

#[derive(Clone, Debug)]
enum Step {
    Send,
    Join,
    Read(usize, usize),
    Clear(usize),
    Leave(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => Just(Step::Send),
        1 => Just(Step::Join),
        3 => (any::<usize>(), 0..4_usize).prop_map(|(reader, count)| Step::Read(reader, count)),
        1 => any::<usize>().prop_map(Step::Clear),
        1 => any::<usize>().prop_map(Step::Leave),
    ]
}

proptest! {
    /// Against a channel in which every reader has a queue of its own.
    #[test]
    fn a_channel_does_what_a_queue_for_each_reader_does(
        capacity in 0..6_usize,
        steps in proptest::collection::vec(step(), 0..80),
    ) {
        let (channel, token) = (Channel::new(capacity), Arc::new(()));
        let mut readers: Vec<(Reader<_>, VecDeque<usize>)> = Vec::new();
        let mut refused = 0;
        for (number, step) in steps.into_iter().enumerate() {
            let at = |reader: usize| reader % readers.len().max(1);
            match step {
                Step::Send => {
                    let is_full = readers.iter().any(|(_, waiting)| waiting.len() >= capacity);
                    let sent = channel.send((number, Arc::clone(&token)));
                    prop_assert_eq!(sent.map_err(|full| full.event.0), if is_full { Err(number) } else { Ok(()) });
                    refused += u64::from(is_full);
                    if !is_full {
                        readers.iter_mut().for_each(|(_, waiting)| waiting.push_back(number));
                    }
                }
                Step::Join => readers.push((channel.reader("reader"), VecDeque::new())),
                Step::Read(reader, count) => {
                    let at = at(reader);
                    if let Some((reader, waiting)) = readers.get_mut(at) {
                        let count = count.min(waiting.len());
                        let read = reader.read().take(count).map(|event| event.0);
                        prop_assert!(read.eq(waiting.drain(..count)));
                    }
                }
                Step::Clear(reader) => {
                    let at = at(reader);
                    if let Some((reader, waiting)) = readers.get_mut(at) {
                        reader.clear();
                        waiting.clear();
                    }
                }
                Step::Leave(reader) if !readers.is_empty() => drop(readers.remove(at(reader))),
                Step::Leave(_) => {}
            }
            for (reader, waiting) in &readers {
                prop_assert_eq!(reader.len(), waiting.len());
            }
            let most = readers.iter().map(|(_, waiting)| waiting.len()).max();
            prop_assert_eq!(channel.slowest().map(|(_, waiting)| waiting), most);
            prop_assert_eq!(channel.len(), most.unwrap_or(0));
            prop_assert_eq!(Arc::strong_count(&token), 1 + channel.len(), "no more is kept than waits");
            prop_assert_eq!(channel.refused(), refused);
        }
    }
}
