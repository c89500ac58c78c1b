//! The arithmetic coder alone, on decisions that have nothing to do with a world.

use ecs_runtime::codec::{Decode as _, Encode as _, Layout, Modelled, Symbol};

use crate::chance::Chance;
use crate::codec::contexts::SHARED;
use crate::codec::line::Line as _;
use crate::codec::{model, range};

/// A decision in a context, or so many bits.
#[derive(Clone, Copy, Debug)]
enum Item {
    Decision(usize, bool),
    Bits(u32, u32),
}

/// Decisions that come out as is likely, or mostly not.
fn random_items(chance: &mut Chance, probabilities: &[u16]) -> Vec<Item> {
    let (unlikely, bits_in) = (chance.one_in(3), chance.pick(&[2, 10, 1000]));
    let item = |chance: &mut Chance| {
        if chance.one_in(bits_in) {
            let count = chance.below(33);
            return Item::Bits(count, (u64::from(chance.any()) % (1 << count)) as u32);
        }
        let context = chance.below(SHARED as u32) as usize;
        let is_likely = chance.below(1 << 15) < u32::from(probabilities[context]);
        Item::Decision(context, is_likely != unlikely)
    };
    (0..chance.below(300)).map(|_| item(chance)).collect()
}

/// Writes random items, and reads them again.
pub(crate) fn try_items(chance: &mut Chance, layout: &Layout, model: &model::Model) {
    let items = random_items(chance, &model.probabilities);
    let mut bytes = Vec::new();
    let mut real = Modelled::new(ecs_runtime::codec::RangeWriter::new(&mut bytes), layout);
    let mut reference = range::RangeWriter::new(&model.probabilities);
    for item in &items {
        let written = match *item {
            Item::Decision(context, value) => {
                real.decide(Symbol::Extra, context as u32, value);
                reference.decide(context, Some(value)).map(|_| ())
            }
            Item::Bits(count, value) => {
                real.bits(Symbol::Extra, value, count);
                reference.bits(count, Some(value)).map(|_| ())
            }
        };
        assert_eq!(written, Ok(()), "nothing refuses to be written");
    }
    real.finish();
    assert_eq!(reference.bytes(), bytes, "{items:?}");
    let mut real = ecs_runtime::codec::RangeReader::new(&bytes, layout);
    let mut reference = range::RangeReader::new(&bytes, &model.probabilities);
    for item in &items {
        match *item {
            Item::Decision(context, value) => {
                let read = (real.decide(context as u32), reference.decide(context, None));
                assert_eq!(read, (Ok(value), Ok(value)), "{items:?}");
            }
            Item::Bits(count, value) => {
                let read = (real.bits(count), reference.bits(count, None));
                assert_eq!(read, (Ok(value), Ok(value)), "{items:?}");
            }
        }
    }
}

/// Reads bytes that nobody wrote, up to the most decisions that a packet may have.
pub(crate) fn try_bytes(chance: &mut Chance, layout: &Layout, model: &model::Model) {
    let mut bytes: Vec<u8> = (0..chance.below(600)).map(|_| chance.any() as u8).collect();
    if chance.one_in(2) {
        bytes.iter_mut().take(5).for_each(|byte| *byte = u8::MAX);
    }
    let mut real = ecs_runtime::codec::RangeReader::new(&bytes, layout);
    let mut reference = range::RangeReader::new(&bytes, &model.probabilities);
    loop {
        let (is_bits, count, context) = (chance.one_in(4), chance.below(33), chance.below(SHARED as u32));
        let (real, reference) = if is_bits {
            (real.bits(count).ok(), reference.bits(count, None))
        } else {
            (
                real.decide(context).map(u32::from).ok(),
                reference.decide(context as usize, None).map(u32::from),
            )
        };
        assert_eq!(real, reference.ok(), "{bytes:?}");
        if reference.is_err() {
            break;
        }
    }
}
