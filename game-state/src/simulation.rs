//! A match, as the server runs it.

use ecs_runtime::Schedule;
use ecs_runtime::prelude::*;

use crate::systems::{self, despawn, spawn};
use crate::{Context, GameState, MAX_CLIENT, Map, MatchSettings, PlayerInput, TICKS_PER_SECOND};

/// The systems of one tick, in order.
#[must_use]
pub fn schedule() -> Schedule<GameState, Context> {
    Schedule::new()
        .then("remove_damage", systems::remove_damage)
        .then("request_respawns", systems::request_respawns)
        .then("respawn", systems::respawn)
        .then("inputs", systems::inputs)
        .then("movement", systems::movement)
        .then("firing", systems::firing)
        .then("projectiles", systems::projectiles)
        .then("pickups", systems::pickups)
        .then("damage", systems::damage)
        .then("score", systems::score)
        .then("death", systems::death)
        .then("protection", systems::protection)
}

/// A match: the world, what the systems need beside it, and the systems.
///
/// It is the same for the same seed and the same calls, on every platform.
#[derive(Debug)]
pub struct Match {
    /// What clients are sent.
    pub world: GameState,
    /// What the server alone knows.
    pub context: Context,
    schedule: Schedule<GameState, Context>,
}

impl Match {
    /// A match in the arena, without players.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self::on(Map::arena(), seed)
    }

    /// A match on another map.
    #[must_use]
    pub fn on(map: Map, seed: u64) -> Self {
        let mut world = GameState::default();
        // In an empty world there is room.
        let _ = world.spawn((MatchSettings::default(),));
        for &(position, kind) in &map.pickups {
            spawn(&mut world, |pickup| {
                pickup.add_transform(position, 0.0, 0.0);
                pickup.add_pickup(kind, true, 0);
            });
        }
        Self { world, context: Context::new(map, seed), schedule: schedule() }
    }

    /// Lets a client take part, on the smaller team, and gives its player; its first body comes with the next tick.
    ///
    /// A client that takes part already stays as it is. Nothing happens, and the handle is [`Entity::NONE`], in a full
    /// world and for a number above [`MAX_CLIENT`].
    pub fn join(&mut self, client: u16) -> Entity {
        if let Some(player) = self.player(client) {
            return player;
        }
        if client > MAX_CLIENT {
            return Entity::NONE;
        }
        let on_team = |number| self.world.teams.iter().filter(|(_, team)| team.number == number).count();
        let team = u8::from(on_team(1) < on_team(0));
        let player = spawn(&mut self.world, |player| {
            player.add_player(client, Entity::NONE);
            player.add_team(team);
            player.add_score(0, 0);
        });
        let Some(player) = player else { return Entity::NONE };
        spawn(&mut self.world, |request| {
            request.add_respawn(player);
        });
        player
    }

    /// Takes a client out of the match, with its body. Nothing happens if it takes no part.
    pub fn leave(&mut self, client: u16) {
        self.context.inputs.remove(&client);
        let Some(player) = self.player(client) else { return };
        let body = self.world.players.get(player).map_or(Entity::NONE, |player| player.body);
        despawn(&mut self.world, body);
        despawn(&mut self.world, player);
    }

    /// Takes what a client asks for, which holds until it asks for something else. Ignored if it takes no part.
    pub fn input(&mut self, client: u16, input: PlayerInput) {
        if self.player(client).is_some() {
            self.context.inputs.insert(client, input);
        }
    }

    /// Runs one tick.
    pub fn step(&mut self) {
        self.context.tick += 1;
        self.schedule.run(&mut self.world, &mut self.context);
    }

    /// What each client owns: its player, and the body that this has. Clients are told more of that than others are.
    pub fn owners(&self) -> impl Iterator<Item = (u16, Entity)> + '_ {
        let players = self.world.players.iter();
        players.flat_map(|(entity, player)| [entity, player.body].map(|owned| (player.client, owned)))
    }

    /// The player of a client, if it takes part.
    #[must_use]
    pub fn player(&self, client: u16) -> Option<Entity> {
        self.world.players.iter().find(|(_, player)| player.client == client).map(|(entity, _)| entity)
    }

    /// How many ticks were run.
    #[must_use]
    pub fn tick(&self) -> u32 {
        self.context.tick
    }

    /// How many lives were lost.
    #[must_use]
    pub fn deaths(&self) -> u64 {
        self.context.deaths
    }

    /// How many shots were fired.
    #[must_use]
    pub fn shots(&self) -> u64 {
        self.context.shots
    }

    /// Whether a limit of the [`MatchSettings`] is reached. The match goes on: what comes next, the server decides.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let seconds = self.context.tick / TICKS_PER_SECOND;
        let kills = [0, 1].map(|number| self.kills(number));
        self.world.match_settings().is_some_and(|rules| {
            let time = rules.time_limit != 0 && seconds >= u32::from(rules.time_limit);
            time || rules.score_limit != 0 && kills.iter().any(|&kills| kills >= u32::from(rules.score_limit))
        })
    }

    /// How many kills a team has.
    #[must_use]
    pub fn kills(&self, team: u8) -> u32 {
        let scores = (&self.world.scores, &self.world.teams).iter();
        scores.filter(|(_, _, of)| of.number == team).map(|(_, score, _)| u32::from(score.kills)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::death::RESPAWN_DELAY;

    #[test]
    fn joining_fills_the_smaller_team_and_gives_a_body_with_the_next_tick() {
        let mut game = Match::new(1);
        let players: Vec<_> = (0..4).map(|client| game.join(client)).collect();
        let teams: Vec<_> = game.world.teams.iter().map(|(_, team)| team.number).collect();
        assert_eq!(teams, [0, 1, 0, 1]);
        game.step();
        for player in players {
            let body = game.world.players.get(player).expect("a player").body;
            assert!(game.world.bodies.contains(body));
        }
    }

    #[test]
    fn a_client_takes_part_once() {
        let mut game = Match::new(1);
        let player = game.join(5);
        assert_eq!((game.join(5), game.world.players.len()), (player, 1));
        assert_eq!((game.player(5), game.player(6)), (Some(player), None));
        assert_eq!(game.join(MAX_CLIENT + 1), Entity::NONE);
    }

    #[test]
    fn leaving_takes_everything_of_the_client_away() {
        let mut game = Match::new(1);
        let before = game.world.entity_count();
        // Before the first life, in it, and as a corpse.
        for ticks in [0, 10, 20] {
            let player = game.join(5);
            for _ in 0..ticks {
                game.step();
            }
            if ticks == 20 {
                let body = game.world.players.get(player).expect("a player").body;
                game.world.healths.get_mut(body).expect("alive").hp = 0;
                game.step();
                assert!(game.world.deads.contains(body));
            }
            game.input(5, PlayerInput::default());
            game.leave(5);
            game.step();
            assert_eq!((game.world.entity_count(), game.context.inputs.len()), (before, 0));
        }
        game.leave(5);
    }

    #[test]
    fn inputs_of_strangers_are_ignored() {
        let mut game = Match::new(1);
        game.input(9, PlayerInput::default());
        assert!(game.context.inputs.is_empty());
    }

    #[test]
    fn who_dies_is_back_after_the_delay() {
        let mut game = Match::new(1);
        let player = game.join(0);
        game.step();
        let body = |game: &Match| game.world.players.get(player).expect("a player").body;
        let first = body(&game);
        game.world.healths.get_mut(first).expect("alive").hp = 0;
        for _ in 0..=RESPAWN_DELAY {
            game.step();
        }
        assert_ne!(body(&game), first);
        assert!(game.world.bodies.contains(body(&game)));
        assert_eq!(game.deaths(), 1);
    }

    #[test]
    fn a_match_is_over_when_a_limit_is_reached() {
        let mut game = Match::new(1);
        let player = game.join(0);
        assert!(!game.is_over());
        game.world.scores.get_mut(player).expect("a score").kills = 50;
        assert!(game.is_over());
        game.world.match_settings_mut().expect("the rules").score_limit = 0;
        assert!(!game.is_over());
        game.context.tick = 600 * TICKS_PER_SECOND;
        assert!(game.is_over());
    }
}
