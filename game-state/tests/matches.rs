//! Whole matches among bots.

use std::collections::{BTreeSet, VecDeque};

use ecs_runtime::Tick;
use ecs_runtime::codec::Layout;
use ecs_runtime::prelude::*;
use ecs_runtime::snapshot::History;
use game_state::{Bot, GameState, Match, TICKS_PER_SECOND};

const BOTS: u16 = 10;
const TWENTY_SECONDS: u32 = 20 * TICKS_PER_SECOND;

/// A match among bots that see the world as it was `delay` ticks ago, for 20 seconds.
fn play(seed: u64, delay: usize, mut after_tick: impl FnMut(&mut Match)) -> Match {
    let mut game = Match::new(seed);
    let mut bots: Vec<_> = (0..BOTS).map(|client| (client, Bot::new(client, seed))).collect();
    for &(client, _) in &bots {
        game.join(client);
    }
    let mut seen = VecDeque::from(vec![GameState::default(); delay]);
    for _ in 0..TWENTY_SECONDS {
        seen.push_back(game.world.clone());
        let view = seen.pop_front().unwrap_or_default();
        for (client, bot) in &mut bots {
            let input = bot.think(&view, &game.context.map);
            game.input(*client, input);
        }
        game.step();
        after_tick(&mut game);
    }
    game
}

#[test]
fn the_same_seed_and_inputs_give_the_same_match() {
    let (a, b) = (play(1, 0, |_| ()), play(1, 0, |_| ()));
    assert!(a.world == b.world, "{:?}", a.world.diff(&b.world).next());
    assert_eq!((a.deaths(), a.shots(), a.context.random), (b.deaths(), b.shots(), b.context.random));
    assert!(a.world != play(2, 0, |_| ()).world, "another seed is another match");
}

#[test]
fn fights_are_lively_whatever_the_seed() {
    for seed in 0..10 {
        let game = play(seed, 0, |_| ());
        assert!(game.deaths() >= 30, "seed {seed}: {} deaths", game.deaths());
    }
}

#[test]
fn fights_are_lively_over_a_slow_network_too() {
    for seed in 0..10 {
        let game = play(seed, 9, |_| ());
        assert!(game.deaths() >= 20, "seed {seed}: {} deaths at 150 ms", game.deaths());
    }
}

#[test]
fn values_stay_inside_their_ranges() {
    let mut history = History::new(Layout::new(GameState::SCHEMA), 2);
    play(3, 0, |game| {
        let tick = Tick(u64::from(game.tick()));
        assert!(history.capture(&mut game.world, tick));
    });
    assert_eq!(history.saturated().collect::<Vec<_>>(), []);
}

#[test]
fn every_hit_is_there_after_exactly_one_tick() {
    let mut hits = BTreeSet::new();
    play(6, 0, |game| {
        for (hit, _) in &game.world.damages {
            assert!(hits.insert(hit), "{hit:?} would be shown twice");
        }
    });
    assert!(hits.len() > 100, "{} hits", hits.len());
}

#[test]
fn bodies_stay_in_the_arena_and_out_of_its_boxes() {
    play(4, 0, |game| {
        for (_, _, transform) in (&game.world.bodies, &game.world.transforms).iter() {
            let bounds = transform.bounds();
            assert!(!game.context.map.boxes.iter().any(|solid| solid.overlaps(&bounds)), "{transform:?}");
            assert!(transform.position.iter().all(|place| place.abs() < 23.0), "{transform:?}");
        }
    });
}

#[test]
fn no_entity_is_left_over() {
    let mut game = play(5, 0, |_| ());
    for client in 0..BOTS {
        game.leave(client);
    }
    // As long as the last rocket flies.
    for _ in 0..=game_state::systems::projectiles::LIFETIME {
        game.step();
    }
    assert_eq!(game.world.entity_count(), Match::new(5).world.entity_count());
}
