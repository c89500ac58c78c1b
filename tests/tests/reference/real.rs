//! The codec that is held against the reference, on the same worlds.

use std::collections::BTreeMap;

use ecs_runtime::codec::{
    Baselines, BitReader, BitWriter, Coder, Decode, DecodeError, Decoded, Encode, EntityDecoder, Layout,
    Limit, Modelled, RangeReader, RangeWriter, StateView, States, Usual, decode_whole, encode_entity,
    encode_list, encode_whole, pace,
};

use crate::codec::State;
use crate::codec::entity::Outcome;
use crate::codec::list::Told;
use crate::world::World;

/// A state as the codec sees it.
pub(crate) struct View<'w> {
    header: Vec<u32>,
    state: &'w State,
}

impl<'w> View<'w> {
    fn new(layout: &Layout, state: &'w State) -> Self {
        let mut header = vec![0; layout.header_len()];
        header[0] = state.generation;
        for component in state.rows.keys() {
            header[1 + usize::from(component / 32)] |= 1 << (component % 32);
        }
        Self { header, state }
    }
}

impl StateView for View<'_> {
    fn header(&self) -> &[u32] {
        &self.header
    }

    fn row(&self, component: u16) -> &[u32] {
        self.state.rows.get(&component).map_or(&[], Vec::as_slice)
    }
}

/// The entities of a world as the codec sees them.
pub(crate) struct Entities<'w> {
    pub(crate) layout: &'w Layout,
    pub(crate) world: &'w World,
}

impl States for Entities<'_> {
    type State<'a>
        = View<'a>
    where
        Self: 'a;

    fn baselines(&self, index: u32) -> Baselines<View<'_>> {
        let mut baselines = Baselines::default();
        for (age, state) in &self.world.entry(index).known {
            baselines.push(*age, View::new(self.layout, state));
        }
        baselines
    }

    fn now(&self, index: u32) -> Option<View<'_>> {
        self.world.entry(index).now.as_ref().map(|state| View::new(self.layout, state))
    }

    fn is_hidden(&self, index: u32) -> bool {
        self.world.entry(index).is_hidden
    }
}

/// How fast an entity is.
pub(crate) fn pace_of(layout: &Layout, states: &impl States, index: u32) -> u8 {
    pace(layout, &states.baselines(index))
}

/// What a state costs of what a packet may tell.
pub(crate) fn cost_of(layout: &Layout, state: &State) -> usize {
    Limit::cost_of(layout, View::new(layout, state).header())
}

/// The bytes of a world by a coder.
pub(crate) fn write(coder: Coder, layout: &Layout, states: &impl States, world: &World) -> Vec<u8> {
    if coder == Coder::Plain {
        let mut writer = BitWriter::default();
        write_list(&mut writer, layout, states, world);
        return writer.finish().to_vec();
    }
    // They come behind others, which stay as they are.
    let mut bytes = vec![0; 2];
    let mut writer = Modelled::new(RangeWriter::new(&mut bytes), layout);
    write_list(&mut writer, layout, states, world);
    writer.finish();
    assert_eq!(bytes[..2], [0, 0]);
    bytes.split_off(2)
}

fn write_list(out: &mut impl Encode, layout: &Layout, states: &impl States, world: &World) {
    let usual = Usual::new(&world.usual.indices, world.among).with_paces(&world.usual.paces);
    assert_eq!(usual.are_treated(), world.usual.treated);
    let mut alone = BitWriter::default();
    let mut places = Vec::new();
    for &index in &world.told {
        places.push((index, encode_entity(&mut alone, layout, index, states, usual.treats(index))));
    }
    encode_list(out, usual, &places.iter().copied(), |out, at| {
        let index = world.told[at];
        encode_entity(out, layout, index, states, usual.treats(index));
    });
}

/// The plain bits of one state by itself.
pub(crate) fn write_whole(layout: &Layout, state: &State) -> Vec<u8> {
    let mut writer = BitWriter::default();
    encode_whole(&mut writer, layout, &View::new(layout, state));
    writer.finish().to_vec()
}

/// The state that is in these bits, if they are one that a packet may tell.
pub(crate) fn read_whole(layout: &Layout, bytes: &[u8]) -> Option<State> {
    let mut words = Vec::new();
    decode_whole(&mut BitReader::new(bytes), layout, &mut words).ok()?;
    Some(state(layout, &words))
}

/// What was read before the end or an error, and how many bits were needed.
pub(crate) type Read = (Told, Result<usize, DecodeError>);

/// Reads bytes of a world by a coder.
pub(crate) fn read(coder: Coder, layout: &Layout, states: &impl States, world: &World, bytes: &[u8]) -> Read {
    let mut told = Vec::new();
    let result = match coder {
        Coder::Plain => read_list(BitReader::new(bytes), layout, states, world, &mut told),
        Coder::Arithmetic => read_list(RangeReader::new(bytes, layout), layout, states, world, &mut told),
    };
    (told, result)
}

fn read_list(
    reader: impl Decode,
    layout: &Layout,
    states: &impl States,
    world: &World,
    told: &mut Told,
) -> Result<usize, DecodeError> {
    let mut decoder = EntityDecoder::new(reader, layout, &world.usual.indices, |index| world.pace(index))?;
    decoder = decoder.reusing(vec![0, 1, 2]);
    while let Some(index) = decoder.next_index()? {
        let mut words = Vec::new();
        let outcome = match decoder.entity(&states.baselines(index), &mut words)? {
            Decoded::State => Outcome::State(state(layout, &words)),
            Decoded::Fresh => Outcome::Fresh(state(layout, &words)),
            Decoded::Removed => Outcome::Removed,
            Decoded::Hidden => Outcome::Hidden,
        };
        told.push((index, outcome));
    }
    Ok(decoder.into_parts().0.position())
}

/// A state from its words.
fn state(layout: &Layout, words: &[u32]) -> State {
    let (header, mut left) = words.split_at(layout.header_len());
    let mut rows = BTreeMap::new();
    for component in layout.rows_of(header) {
        let (row, rest) = left.split_at(layout.words(component).len());
        rows.insert(component, row.to_vec());
        left = rest;
    }
    assert!(left.is_empty(), "no words but those of its components");
    State { generation: header[0], rows }
}
