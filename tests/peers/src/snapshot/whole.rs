//! Serializers: the whole state of every tick, floats as they are, into memory that is used again.
//!
//! Of the ways that each documents, the quickest for a list of plain structs: its own derive rather than serde where it has
//! one, no integers of variable length where that is a choice, and its means to use memory again.

use rkyv::rancor::Error;
use rkyv::util::AlignedVec;

use super::world::Unit;

/// A serializer, with the memory that it uses again.
pub(crate) trait Whole {
    /// Its name and version.
    const NAME: &'static str;

    /// Encodes a world; the bytes are kept until the next.
    #[expect(clippy::ptr_arg, reason = "rkyv archives lists, not slices")]
    fn encode(&mut self, units: &Vec<Unit>);

    /// The bytes of the last world.
    fn len(&self) -> usize;

    /// Decodes the last world.
    fn decode(&mut self) -> Vec<Unit>;
}

/// bitcode by its own derive, which is quicker than by serde, with a [`bitcode::Buffer`].
#[derive(Default)]
pub(crate) struct Bitcode {
    buffer: bitcode::Buffer,
    decoding: bitcode::Buffer,
    bytes: Vec<u8>,
}

impl Whole for Bitcode {
    const NAME: &'static str = "bitcode 0.6";

    fn encode(&mut self, units: &Vec<Unit>) {
        // The buffer lends its bytes; to send them, they are copied to a packet.
        let bytes = self.buffer.encode(units);
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
    }

    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn decode(&mut self) -> Vec<Unit> {
        self.decoding.decode(&self.bytes).expect("its own bytes")
    }
}

/// bincode by its own derive, with integers of fixed size, into a slice.
#[derive(Default)]
pub(crate) struct Bincode {
    bytes: Vec<u8>,
    len: usize,
}

/// What fixes the size of integers, so that nothing branches on their values.
const BINCODE: bincode::config::Configuration<bincode::config::LittleEndian, bincode::config::Fixint> =
    bincode::config::standard().with_fixed_int_encoding();

impl Whole for Bincode {
    const NAME: &'static str = "bincode 2";

    fn encode(&mut self, units: &Vec<Unit>) {
        self.bytes.resize(room(units), 0);
        self.len = bincode::encode_into_slice(units, &mut self.bytes, BINCODE).expect("there is room");
    }

    fn len(&self) -> usize {
        self.len
    }

    fn decode(&mut self) -> Vec<Unit> {
        bincode::decode_from_slice(&self.bytes[..self.len], BINCODE).expect("its own bytes").0
    }
}

/// postcard by serde, the only way that it has, into a slice.
#[derive(Default)]
pub(crate) struct Postcard {
    bytes: Vec<u8>,
    len: usize,
}

impl Whole for Postcard {
    const NAME: &'static str = "postcard 1";

    fn encode(&mut self, units: &Vec<Unit>) {
        self.bytes.resize(room(units), 0);
        self.len = postcard::to_slice(units, &mut self.bytes).expect("there is room").len();
    }

    fn len(&self) -> usize {
        self.len
    }

    fn decode(&mut self) -> Vec<Unit> {
        postcard::from_bytes(&self.bytes[..self.len]).expect("its own bytes")
    }
}

/// rkyv into an aligned buffer. A unit's archived form is laid out as the unit is (`repr(C)`, little endian), so that a
/// list of them is copied as a whole. Decoding checks the bytes and makes units of them, as the others do; to look at
/// them in place is what it is made for, and takes less.
#[derive(Default)]
pub(crate) struct Rkyv {
    bytes: AlignedVec,
}

impl Whole for Rkyv {
    const NAME: &'static str = "rkyv 0.8";

    fn encode(&mut self, units: &Vec<Unit>) {
        let mut bytes = core::mem::take(&mut self.bytes);
        bytes.clear();
        self.bytes = rkyv::api::high::to_bytes_in::<_, Error>(units, bytes).expect("a list of plain values");
    }

    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn decode(&mut self) -> Vec<Unit> {
        rkyv::from_bytes::<Vec<Unit>, Error>(&self.bytes).expect("its own bytes")
    }
}

/// More bytes than any of them needs: no field takes more than half again its size, nor a length more than ten bytes.
fn room(units: &[Unit]) -> usize {
    10 + size_of_val(units) * 3 / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::world::Simulation;

    fn comes_back<W: Whole + Default>() {
        let (mut whole, worlds) = (W::default(), Simulation::pass());
        for units in &worlds {
            whole.encode(units);
            assert_eq!(whole.decode(), *units, "{}", W::NAME);
        }
    }

    #[test]
    fn every_world_comes_back() {
        comes_back::<Bitcode>();
        comes_back::<Bincode>();
        comes_back::<Postcard>();
        comes_back::<Rkyv>();
    }
}
