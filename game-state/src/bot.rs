//! A player that is a program. It knows what a person at a client could know: that client's world, and the map.

use ecs_runtime::Random;
use ecs_runtime::prelude::*;

use crate::math::{Vec3, add, distance, look, scale, sub, turn};
use crate::weapons::{PISTOL, RIFLE, ROCKETS};
use crate::{GameState, Map, Pickup, PlayerInput, TICK, Transform, Weapon};

/// How fast a bot turns, in radians per second.
const TURN_SPEED: f32 = 7.0;

/// How far beside its target it aims at worst, in radians.
const AIM_ERROR: f32 = 0.03;

/// It fires when its target is no farther from where it looks, in radians.
const TRIGGER_ANGLE: f32 = 0.12;

/// How long it tries on when it gets no farther, in ticks; it jumps after half of that.
const PATIENCE: u32 = 40;

/// With fewer hit points, it looks for health first.
const HURT: i32 = 50;

/// A player that is a program.
#[derive(Clone, Debug)]
pub struct Bot {
    client: u16,
    random: Random,
    yaw: f32,
    pitch: f32,
    mood: Mood,
    /// Where it walks when it sees no enemy.
    goal: Option<Vec3>,
    /// Where it was the last time, and for how many ticks it got no farther.
    place: Vec3,
    stuck: u32,
    /// The enemy that it saw last, and where.
    seen: Option<(Entity, Vec3)>,
}

/// What a bot makes up its mind about, for a short while.
#[derive(Clone, Debug, Default)]
struct Mood {
    ticks: u32,
    strafe: f32,
    jump: bool,
    /// Whether it feels like firing rockets.
    rockets: bool,
    aim_error: [f32; 2],
    /// How far into the future it aims, in seconds: a guess of what the network takes.
    lead: f32,
}

/// What a bot knows of itself.
struct Own<'w> {
    team: u8,
    transform: &'w Transform,
    weapon: &'w Weapon,
    hp: i32,
}

impl Bot {
    /// A bot that plays for a client.
    #[must_use]
    pub fn new(client: u16, seed: u64) -> Self {
        // Bots of one match usually have the same seed; they shall not all do the same.
        let random = Random::new(seed ^ (u64::from(client) << 32));
        Self {
            client,
            random,
            yaw: 0.0,
            pitch: 0.0,
            mood: Mood::default(),
            goal: None,
            place: [0.0; 3],
            stuck: 0,
            seen: None,
        }
    }

    /// What it does in the next tick, by what its client knows.
    pub fn think(&mut self, world: &GameState, map: &Map) -> PlayerInput {
        let Some(own) = self.own(world) else {
            // Dead, or not there yet. The next life begins without plans.
            (self.goal, self.seen) = (None, None);
            return PlayerInput { yaw: self.yaw, pitch: self.pitch, slot: RIFLE, ..PlayerInput::default() };
        };
        if self.goal.is_none() && self.seen.is_none() {
            // A new life: it looks to where its body is turned.
            self.yaw = own.transform.yaw;
        }
        self.change_mood();
        let input = match nearest_enemy(world, map, &own) {
            Some((enemy, transform)) => self.fight(&own, enemy, transform),
            None => self.wander(world, map, &own),
        };
        let moved = distance(own.transform.position, self.place);
        self.stuck = if moved < 0.02 { self.stuck + 1 } else { 0 };
        self.place = own.transform.position;
        PlayerInput {
            jump: input.jump || self.stuck > PATIENCE / 2,
            yaw: self.yaw,
            pitch: self.pitch,
            ..input
        }
    }

    fn own<'w>(&self, world: &'w GameState) -> Option<Own<'w>> {
        let mut players = (&world.players, &world.teams).iter();
        let (_, player, team) = players.find(|(_, player, _)| player.client == self.client)?;
        let body = (&world.transforms, &world.weapons, &world.healths);
        let (transform, weapon, health) = body.get(player.body)?;
        Some(Own { team: team.number, transform, weapon, hp: health.hp })
    }

    fn change_mood(&mut self) {
        if let Some(left) = self.mood.ticks.checked_sub(1) {
            self.mood.ticks = left;
            self.mood.jump = false;
            return;
        }
        let random = &mut self.random;
        self.mood = Mood {
            ticks: random.between(20.0, 60.0) as u32,
            strafe: random.choose(&[-1.0, -0.5, 0.5, 1.0]).copied().unwrap_or(0.0),
            jump: random.unit() < 0.2,
            rockets: random.unit() < 0.35,
            aim_error: [random.between(-AIM_ERROR, AIM_ERROR), random.between(-AIM_ERROR, AIM_ERROR)],
            lead: random.between(0.0, 0.25),
        };
    }

    /// Aims, fires, and moves so as to be hard to hit.
    fn fight(&mut self, own: &Own<'_>, enemy: Entity, transform: &Transform) -> PlayerInput {
        let velocity = match self.seen {
            Some((before, place)) if before == enemy => scale(sub(transform.position, place), 1.0 / TICK),
            _ => [0.0; 3],
        };
        self.seen = Some((enemy, transform.position));
        let away = distance(own.transform.position, transform.position);
        let slot = self.weapon_for(own.weapon, away);
        // A rocket that misses the feet still hits the floor beside them.
        let target = if slot == ROCKETS { transform.position } else { transform.chest() };
        let (yaw, pitch) = look(own.transform.eye(), add(target, scale(velocity, self.mood.lead)));
        let off = self.turn_to(yaw + self.mood.aim_error[0], pitch + self.mood.aim_error[1]);
        let ahead = if away > 12.0 {
            1.0
        } else if away < 5.0 {
            -0.5
        } else {
            0.0
        };
        PlayerInput {
            move_x: self.mood.strafe,
            move_y: ahead,
            fire: off < TRIGGER_ANGLE,
            jump: self.mood.jump,
            slot,
            ..PlayerInput::default()
        }
    }

    /// Walks from one place to the next that it sees: to where an enemy was, to what it needs, or anywhere.
    fn wander(&mut self, world: &GameState, map: &Map, own: &Own<'_>) -> PlayerInput {
        if let Some((_, place)) = self.seen.take() {
            self.goal = Some(place);
        }
        let here = own.transform.position;
        let arrived = self.goal.is_none_or(|goal| distance([goal[0], here[1], goal[2]], here) < 1.0);
        if arrived || self.stuck > PATIENCE {
            self.stuck = 0;
            self.goal = self.choose_goal(world, map, own);
        }
        let goal = self.goal.unwrap_or([0.0; 3]);
        let (yaw, _) = look(here, goal);
        let off = self.turn_to(yaw, 0.0);
        // Walking on while it turns would lead it round its goal for ever.
        let move_y = if off < 0.6 { 1.0 } else { 0.0 };
        PlayerInput { move_y, slot: RIFLE, ..PlayerInput::default() }
    }

    /// What it needs, if it sees some, or else any place that it sees.
    fn choose_goal(&mut self, world: &GameState, map: &Map, own: &Own<'_>) -> Option<Vec3> {
        // At the height of a knee: crates are in the way, and nothing lower is.
        let knee = |feet: Vec3| add(feet, [0.0, 0.5, 0.0]);
        let here = own.transform.position;
        let reachable = |place: &Vec3| distance(*place, here) > 2.0 && map.sees(knee(here), knee(*place));
        let pickups = (&world.pickups, &world.transforms).iter();
        let pickups: Vec<(u8, Vec3)> = pickups
            .filter(|(_, pickup, transform)| pickup.available && reachable(&transform.position))
            .map(|(_, pickup, transform)| (pickup.kind, transform.position))
            .collect();
        let needed = pickups.iter().find(|(kind, _)| match *kind {
            Pickup::HEALTH => own.hp < HURT,
            Pickup::AMMO => !own.weapon.is_loaded(RIFLE),
            _ => true,
        });
        if let Some(&(_, place)) = needed {
            return Some(place);
        }
        let spawns = map.spawns.iter().copied().filter(reachable);
        let places: Vec<Vec3> = spawns.chain(pickups.iter().map(|&(_, place)| place)).collect();
        self.random.choose(&places).or_else(|| self.random.choose(&map.spawns)).copied()
    }

    /// The weapon for a distance. Rockets are slow, and hurt the bot itself from nearby.
    fn weapon_for(&self, weapon: &Weapon, away: f32) -> u8 {
        if self.mood.rockets && (5.0..14.0).contains(&away) && weapon.is_loaded(ROCKETS) {
            ROCKETS
        } else if weapon.is_loaded(RIFLE) {
            RIFLE
        } else {
            PISTOL
        }
    }

    /// Turns as far as it can in one tick, and tells how far it is then from where it wants to look.
    fn turn_to(&mut self, yaw: f32, pitch: f32) -> f32 {
        let most = TURN_SPEED * TICK;
        // Measured from 0, the angle stays small however often the bot turns round.
        self.yaw = turn(0.0, self.yaw + turn(self.yaw, yaw).clamp(-most, most));
        self.pitch += turn(self.pitch, pitch).clamp(-most, most);
        turn(self.yaw, yaw).abs().max(turn(self.pitch, pitch).abs())
    }
}

/// The nearest body of the other team that the bot could see if it turned round.
fn nearest_enemy<'w>(world: &'w GameState, map: &Map, own: &Own<'_>) -> Option<(Entity, &'w Transform)> {
    let eye = own.transform.eye();
    let enemies = (&world.players, &world.teams).iter().filter(|(_, _, team)| team.number != own.team);
    enemies
        .filter_map(|(_, player, _)| Some((player.body, world.transforms.get(player.body)?)))
        .filter(|(body, _)| !world.deads.contains(*body))
        .filter(|(_, transform)| map.sees(eye, transform.chest()))
        .min_by(|(_, a), (_, b)| distance(eye, a.position).total_cmp(&distance(eye, b.position)))
}
