//! Our side: the same entity as one component, captured, and coded by the public codec.

use ecs_runtime::Tick;
use ecs_runtime::codec::{
    Baselines, BitReader, BitWriter, Decoded, EntityDecoder, Layout, Limit, MAX_COST, MAX_ENTITIES, Place,
    StateView, States, Usual, encode_entity, encode_list,
};
use ecs_runtime::prelude::*;
use ecs_runtime::snapshot::{EntityView, History, Snapshot, StateHash};

use super::hand::{self, EDGE, FIELDS, HEIGHT, PITCH, SPEED};
use super::world::{ENTITIES, MAX_AMMO, MAX_FLAGS, MAX_HP, MAX_WEAPON, Unit};
use crate::GameState;

/// An entity of 44 bytes. Which one it is, the state knows by itself: its own number is not sent.
#[component]
pub(crate) struct Soldier {
    #[dont_send]
    pub(crate) id: u32,
    #[quantize(min = -EDGE, max = EDGE, step = step(2.0 * EDGE, 17))]
    pub(crate) x: f32,
    #[quantize(min = -EDGE, max = EDGE, step = step(2.0 * EDGE, 17))]
    pub(crate) y: f32,
    #[quantize(min = 0.0, max = HEIGHT, step = step(HEIGHT, 13))]
    pub(crate) z: f32,
    #[angle(bits = 12)]
    pub(crate) yaw: f32,
    #[quantize(min = -PITCH, max = PITCH, step = step(2.0 * PITCH, 11))]
    pub(crate) pitch: f32,
    #[quantize(min = -SPEED, max = SPEED, step = step(2.0 * SPEED, 11))]
    pub(crate) velocity: [f32; 3],
    #[max(MAX_HP)]
    pub(crate) hp: u16,
    #[max(MAX_WEAPON)]
    pub(crate) weapon: u16,
    #[max(MAX_AMMO)]
    pub(crate) ammo: u16,
    #[max(MAX_FLAGS)]
    pub(crate) flags: u16,
}

/// The step of a range that is told in so many bits.
const fn step(range: f32, bits: u32) -> f64 {
    range as f64 / ((1u32 << bits) - 1) as f64
}

impl From<&Unit> for Soldier {
    fn from(unit: &Unit) -> Self {
        let &Unit { id, position: [x, y, z], yaw, pitch, velocity, hp, weapon, ammo, flags } = unit;
        Self { id, x, y, z, yaw, pitch, velocity, hp, weapon, ammo, flags }
    }
}

/// What a system borrows mutably in a tick, and a capture therefore quantizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// The entities that it changes.
    Changed,
    /// All entities.
    All,
}

/// A world of soldiers that shows the units of another.
pub(crate) struct Soldiers {
    pub(crate) world: GameState,
    entities: Vec<Entity>,
    shown: Vec<Unit>,
    touch: Touch,
}

impl Soldiers {
    /// A world that shows `units`.
    pub(crate) fn new(units: &[Unit], touch: Touch) -> Self {
        let mut world = GameState::default();
        let spawn = |unit| world.spawn((Soldier::from(unit),)).expect("there is room");
        let entities = units.iter().map(spawn).collect();
        Self { world, entities, shown: units.to_vec(), touch }
    }

    /// Shows the units of another tick.
    pub(crate) fn show(&mut self, units: &[Unit]) {
        for ((entity, shown), unit) in self.entities.iter().zip(&mut self.shown).zip(units) {
            if self.touch == Touch::All || shown != unit {
                *self.world.soldiers.get_mut(*entity).expect("alive") = unit.into();
                *shown = *unit;
            }
        }
    }
}

/// Keeps the quantized ticks of a world, and encodes the newest as the difference from the one before it.
pub(crate) struct Encoder {
    history: History,
    tick: Tick,
    changed: Vec<u32>,
    writer: BitWriter,
}

impl Encoder {
    pub(crate) fn new() -> Self {
        let history = History::new(Layout::new(GameState::SCHEMA), 32);
        let (changed, writer) = Default::default();
        Self { history, tick: Tick(0), changed, writer }
    }

    /// Quantizes the world as the next tick.
    pub(crate) fn capture(&mut self, world: &mut GameState) {
        self.tick = self.tick + 1;
        assert!(self.history.capture(world, self.tick), "ticks go up");
    }

    /// Writes the states that changed with the newest tick, in as many packets as their [`Limit`] asks for.
    pub(crate) fn encode(&mut self, packets: &mut Packets) {
        let Self { history, tick, changed, writer } = self;
        let before = Tick(tick.0 - 1);
        let states = Ticks {
            before: history.at(before).expect("two ticks were captured"),
            now: history.at(*tick).expect("two ticks were captured"),
        };
        changed.clear();
        changed.extend((0..history.end()).filter(|&index| history.changed_at(index) > before));
        packets.clear();
        // All of them have the same components.
        let states_of = changed.first().and_then(|&index| states.now.entity(index));
        let cost = Limit::cost_of(history.layout(), states_of.as_ref().map_or(&[], |state| state.header()));
        for entities in changed.chunks((MAX_COST / cost.max(1)).min(MAX_ENTITIES)) {
            writer.clear();
            // Nothing comes or goes, so only values differ.
            let list = entities.iter().map(|&index| (index, Place::Values));
            encode_list(writer, Usual::default(), &list, |writer, at| {
                encode_entity(writer, history.layout(), entities[at], &states, false);
            });
            packets.push(writer.finish());
        }
    }

    /// The newest state of an entity.
    pub(crate) fn newest(&self, index: usize) -> EntityView<'_> {
        self.history.latest().and_then(|newest| newest.entity(index as u32)).expect("every entity is alive")
    }

    /// The hash of the newest tick.
    pub(crate) fn hash(&self) -> StateHash {
        self.history.latest().map(Snapshot::hash).unwrap_or_default()
    }

    /// How many values were out of range; none in this world.
    pub(crate) fn saturated(&self) -> u64 {
        self.history.saturated().map(|field| field.count).sum()
    }
}

/// The states of two ticks.
struct Ticks<'h> {
    before: Snapshot<'h>,
    now: Snapshot<'h>,
}

impl<'h> States for Ticks<'h> {
    type State<'a>
        = EntityView<'h>
    where
        Self: 'a;

    #[inline]
    fn baselines(&self, index: u32) -> Baselines<EntityView<'h>> {
        Baselines::of(1, self.before.entity(index))
    }

    #[inline]
    fn now(&self, index: u32) -> Option<EntityView<'h>> {
        self.now.entity(index)
    }
}

/// The bodies of the packets of a tick.
#[derive(Debug, Default)]
pub(crate) struct Packets {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Packets {
    /// All bytes together.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn push(&mut self, packet: &[u8]) {
        self.bytes.extend_from_slice(packet);
        self.ends.push(self.bytes.len());
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = core::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end])
    }
}

/// How many words stand before those of the fields: the generation, and the mask of components.
const HEADER: usize = 2;

/// A state as a client keeps it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept([u32; HEADER + FIELDS]);

impl Kept {
    fn of(state: &EntityView<'_>) -> Self {
        let mut kept = Self::default();
        kept.0[..HEADER].copy_from_slice(state.header());
        kept.0[HEADER..].copy_from_slice(state.row(0));
        kept
    }
}

impl StateView for Kept {
    #[inline]
    fn header(&self) -> &[u32] {
        &self.0[..HEADER]
    }

    #[inline]
    fn row(&self, _: u16) -> &[u32] {
        &self.0[HEADER..]
    }
}

/// Decodes differences over the states that it keeps. A packet is read to its end before it changes anything, as in
/// the protocol.
pub(crate) struct Decoder {
    layout: Layout,
    kept: Vec<Kept>,
    read: Vec<u32>,
    words: Vec<u32>,
}

impl Decoder {
    pub(crate) fn new() -> Self {
        let (read, words) = Default::default();
        Self { layout: Layout::new(GameState::SCHEMA), kept: vec![Kept::default(); ENTITIES], read, words }
    }

    /// Takes the newest states of the other side as they are.
    pub(crate) fn take_over(&mut self, encoder: &Encoder) {
        for (index, kept) in self.kept.iter_mut().enumerate() {
            *kept = Kept::of(&encoder.newest(index));
        }
    }

    pub(crate) fn decode(&mut self, packets: &Packets) {
        let Self { layout, kept, read, words } = self;
        for packet in packets.iter() {
            read.clear();
            words.clear();
            let mut decoder =
                EntityDecoder::new(BitReader::new(packet), layout, &[], |_| 0).expect("honest bits");
            while let Some(index) = decoder.next_index().expect("honest bits") {
                let decoded = decoder
                    .entity(&Baselines::of(1, kept.get(index as usize).copied()), words)
                    .expect("honest bits");
                assert_eq!(decoded, Decoded::State, "nothing comes or goes");
                read.push(index);
            }
            let (states, _) = words.as_chunks();
            for (&index, state) in read.iter().zip(states) {
                kept[index as usize] = Kept(*state);
            }
        }
    }

    /// Whether it keeps the newest states of the other side.
    pub(crate) fn agrees(&self, encoder: &Encoder) -> bool {
        self.kept.iter().enumerate().all(|(index, kept)| *kept == Kept::of(&encoder.newest(index)))
    }
}

/// The quantized fields of all entities in the newest tick.
pub(crate) fn rows(encoder: &Encoder, rows: &mut [hand::Row]) {
    for (index, row) in rows.iter_mut().enumerate() {
        row.copy_from_slice(encoder.newest(index).row(0));
    }
}
