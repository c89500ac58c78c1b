//! A small stage on which the tests of systems play: a floor, one wall, and who a test puts there.

use ecs_runtime::prelude::*;

use super::respawn::add_body;
use super::spawn;
use crate::map::Aabb;
use crate::math::Vec3;
use crate::{Context, GameState, Map, Player, PlayerInput};

pub(super) struct Stage {
    pub(super) world: GameState,
    pub(super) context: Context,
}

/// The near side of the wall, which goes along `z`, 2 metres high.
pub(super) const WALL: f32 = 10.0;

impl Stage {
    pub(super) fn new() -> Self {
        let boxes = vec![
            Aabb { min: [-50.0, -1.0, -50.0], max: [50.0, 0.0, 50.0] },
            Aabb { min: [WALL, 0.0, -5.0], max: [WALL + 1.0, 2.0, 5.0] },
        ];
        let map = Map { boxes, spawns: vec![[-20.0, 0.0, -20.0]], pickups: Vec::new() };
        Self { world: GameState::default(), context: Context::new(map, 1) }
    }

    /// A player of a team, with a body that looks along `x`; gives both.
    pub(super) fn player(&mut self, team: u8, position: Vec3) -> (Entity, Entity) {
        let client = self.world.players.len() as u16;
        let player = self.spawn(|player| {
            player.add_player(client, Entity::NONE);
            player.add_team(team);
            player.add_score(0, 0);
        });
        let body = self.spawn(|body| add_body(body, player, position, 0.0));
        if let Some(player) = self.world.players.get_mut(player) {
            player.body = body;
        }
        (player, body)
    }

    pub(super) fn spawn(&mut self, components: impl FnOnce(&mut crate::EntityMut<'_>)) -> Entity {
        spawn(&mut self.world, components).expect("room on the stage")
    }

    /// A hit by `source`.
    pub(super) fn hit(&mut self, victim: Entity, source: Entity, amount: u32) -> Entity {
        self.spawn(|hit| {
            hit.add_damage(amount, victim, source);
        })
    }

    pub(super) fn input(&mut self, player: Entity, input: PlayerInput) {
        let client = self.world.players.get(player).map_or(0, |player: &Player| player.client);
        self.context.inputs.insert(client, input);
    }

    /// Runs a system for some ticks.
    pub(super) fn run(&mut self, ticks: u32, system: fn(&mut GameState, &mut Context)) {
        for _ in 0..ticks {
            self.context.tick += 1;
            system(&mut self.world, &mut self.context);
        }
    }

    pub(super) fn position(&self, body: Entity) -> Vec3 {
        self.world.transforms.get(body).expect("a body on the stage").position
    }

    pub(super) fn hp(&self, body: Entity) -> Option<i32> {
        self.world.healths.get(body).map(|health| health.hp)
    }
}
