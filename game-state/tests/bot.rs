//! One bot: what it sees, and what it does about it.

use ecs_runtime::prelude::*;
use game_state::map::Aabb;
use game_state::{Bot, GameState, Map, Match, Pickup, TICKS_PER_SECOND};

/// A match of a bot, client 0, and an enemy who stands 12 metres away, with what is between them.
fn duel(between: &[Aabb]) -> (Match, Bot) {
    let floor = Aabb { min: [-30.0, -1.0, -30.0], max: [30.0, 0.0, 30.0] };
    let boxes = between.iter().copied().chain([floor]).collect();
    let mut game = Match::on(Map { boxes, spawns: vec![[-6.0, 0.0, 0.0]], pickups: Vec::new() }, 1);
    game.join(0);
    game.step();
    game.context.map.spawns = vec![[6.0, 0.0, 0.0]];
    game.join(1);
    game.step();
    (game, Bot::new(0, 1))
}

fn play(game: &mut Match, bot: &mut Bot, seconds: u32) {
    for _ in 0..seconds * TICKS_PER_SECOND {
        let input = bot.think(&game.world, &game.context.map);
        game.input(0, input);
        game.step();
    }
}

#[test]
fn a_bot_kills_an_enemy_that_it_sees() {
    let (mut game, mut bot) = duel(&[]);
    play(&mut game, &mut bot, 5);
    assert!(game.kills(0) >= 1, "{} shots", game.shots());
}

#[test]
fn a_bot_does_not_see_through_walls() {
    let wall = Aabb { min: [-0.5, 0.0, -30.0], max: [0.5, 4.0, 30.0] };
    let (mut game, mut bot) = duel(&[wall]);
    play(&mut game, &mut bot, 5);
    assert_eq!(game.shots(), 0);
}

#[test]
fn a_bot_does_not_shoot_its_friends() {
    let (mut game, mut bot) = duel(&[]);
    for (_, team) in &mut game.world.teams {
        team.number = 0;
    }
    play(&mut game, &mut bot, 5);
    assert_eq!(game.shots(), 0);
}

#[test]
fn a_bot_whose_client_knows_nothing_yet_does_nothing() {
    let input = Bot::new(3, 1).think(&GameState::default(), &Map::arena());
    assert_eq!((input.move_x, input.move_y, input.fire, input.jump), (0.0, 0.0, false, false));
}

#[test]
fn a_bot_that_is_hurt_goes_for_health() {
    let (mut game, mut bot) = duel(&[]);
    game.leave(1);
    let player = game.player(0).expect("the bot");
    let body = game.world.players.get(player).expect("the bot").body;
    game.world.healths.get_mut(body).expect("alive").hp = 40;
    let pickup = game.world.create_entity().expect("room");
    let mut pickup = game.world.entity_mut(pickup).expect("alive");
    pickup.add_transform([0.0, 0.0, 9.0], 0.0, 0.0);
    pickup.add_pickup(Pickup::HEALTH, true, 0);
    play(&mut game, &mut bot, 5);
    assert!(game.world.healths.get(body).expect("alive").hp > 50);
}

#[test]
fn bots_get_around_in_the_arena() {
    let mut game = Match::new(3);
    let mut bot = Bot::new(0, 3);
    game.join(0);
    let mut quarters = [false; 4];
    for _ in 0..60 * TICKS_PER_SECOND {
        let input = bot.think(&game.world, &game.context.map);
        game.input(0, input);
        game.step();
        for (_, _, transform) in (&game.world.bodies, &game.world.transforms).iter() {
            let [x, _, z] = transform.position;
            quarters[usize::from(x > 0.0) + 2 * usize::from(z > 0.0)] = true;
        }
    }
    assert_eq!(quarters, [true; 4]);
}
