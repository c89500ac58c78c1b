//! What mostly differs and then rests: telling that it does not must not take more than there is.
#![allow(missing_docs)]

use ecs_runtime::Tick;
use ecs_runtime::codec::Coder;
use ecs_runtime::event::{EventQueue, Recipient};
use ecs_runtime::link::LinkConfig;
use ecs_runtime::prelude::*;
use ecs_runtime::protocol::{ClientConfig, ServerConfig};
use ecs_runtime::testing::Pair;

#[component]
pub struct Blink {
    pub a: bool,
    pub b: bool,
}

/// Larger than a packet of 512 bytes, together with the other.
#[component]
pub struct Left {
    pub words: [u32; 72],
}

#[component]
pub struct Right {
    pub words: [u32; 72],
}

/// As long as an event can be.
#[event(reliable)]
pub struct Speech {
    pub words: Text<96>,
}

ecs_runtime::game_state! {
    max_entities = 1024;
    events = [Speech];
    Blink, Left, Right
}

fn blinking(coder: Coder, budget: usize) -> Pair<GameState> {
    let config = ServerConfig { coder, budget, rate: None, ..ServerConfig::default() };
    let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
    pair.join(ClientConfig::default(), LinkConfig::default(), 1);
    for _ in 0..GameState::MAX_ENTITIES {
        pair.world.spawn((Blink { a: false, b: true },)).expect("room");
    }
    pair.ticks_to_converge(60).expect("converges");
    pair
}

fn blink(pair: &mut Pair<GameState>, every: usize) {
    for (_, blink) in (&mut pair.world.blinks).into_iter().step_by(every) {
        (blink.a, blink.b) = (!blink.a, !blink.b);
    }
}

#[test]
fn entities_that_stop_all_at_once_fit_a_packet_that_became_smaller() {
    for coder in [Coder::Plain, Coder::Arithmetic] {
        let mut pair = blinking(coder, 1200);
        for _ in 0..20 {
            blink(&mut pair, 1);
            pair.tick();
        }
        let id = pair.clients[0].id.expect("taken");
        pair.server.set_budget(id, 512).expect("in range");
        let mut events = EventQueue::<GameState>::new(64);
        for every in [1, 2, 7, 1, 64, 1, 3] {
            for _ in 0..8 {
                let words =
                    Text::cut("a long speech, which is longer than what events may take of a packet of 512");
                events.put(Recipient::All, pair.tick, &Speech { words }).expect("room");
                pair.server.deliver(&mut events);
                blink(&mut pair, every);
                pair.tick();
                assert!(pair.sent.iter().all(|sent| sent.bytes <= 512), "{:?}", pair.sent);
            }
        }
        assert_eq!(pair.server.stats(id).expect("connected").staged, 0, "{coder:?}");
        pair.ticks_to_converge(60).expect("converges");
        assert!(pair.clients[0].errors.is_empty(), "{coder:?}: {:?}", pair.clients[0].errors);
    }
}

#[test]
fn an_entity_that_goes_while_it_is_told_in_parts_is_known_to_both_sides() {
    for delay in 1..12 {
        let link =
            LinkConfig { delay: core::time::Duration::from_millis(8 * delay), ..LinkConfig::default() };
        let config =
            ServerConfig { coder: Coder::Arithmetic, budget: 512, rate: None, ..ServerConfig::default() };
        let mut pair = Pair::<GameState>::new(config, Tick(0)).expect("settings");
        pair.join(ClientConfig::default(), link, 1);
        for round in 0..30 {
            let entity = pair.world.spawn((Blink { a: false, b: true },)).expect("room");
            let others: Vec<_> =
                (0..4).map(|_| pair.world.spawn((Blink { a: true, b: true },)).expect("room")).collect();
            for _ in 0..4 + round % 9 {
                blink(&mut pair, 1);
                pair.tick();
            }
            // It grows beyond a packet, and is gone before the client has heard all of it.
            let words = core::array::from_fn(|at| 0x9e37_79b9_u32.wrapping_mul(at as u32 + round));
            let mut grown = pair.world.entity_mut(entity).expect("alive");
            grown.add_left(words);
            grown.add_right(words);
            blink(&mut pair, 1);
            pair.tick();
            pair.world.destroy_entity(entity).expect("alive");
            for _ in 0..6 {
                blink(&mut pair, 1);
                pair.tick();
            }
            for other in others {
                pair.world.destroy_entity(other).expect("alive");
            }
        }
        pair.ticks_to_converge(120).expect("converges");
        assert!(pair.clients[0].errors.is_empty(), "{delay}: {:?}", pair.clients[0].errors);
        let stats = pair.server.stats(pair.clients[0].id.expect("taken")).expect("connected");
        assert!(stats.disagreed == 0 && stats.staged > 10, "{stats:?}");
    }
}
