//! The delta codec: how the states of entities become bits and states again.
//!
//! `encode` and `decode` are mirror images, function by function. They speak in symbols to a coder, so that how a
//! symbol becomes bits is the coder's affair: [`BitWriter`] writes plain bits, [`Account`] only counts them. What a
//! field means was settled before, by its quantization; here everything is a word below a maximum.

mod account;
mod bits;
mod decode;
mod encode;
mod layout;

pub use account::Account;
pub use bits::{BitReader, BitWriter, Mark, OutOfBits};
pub use decode::{DecodeError, Decoded, EntityDecoder};
pub use encode::{Encode, Symbol, encode_end, encode_entity, gap_order};
pub(crate) use encode::encode_struct;
pub use layout::{Layout, StateView};
pub(crate) use decode::decode_struct;
pub(crate) use layout::has;

/// The longest unary prefix of a difference. A longer one gives way to the value itself.
pub(crate) const ESCAPE: u32 = 12;

/// The orders of exp-Golomb codes that the differences of one component choose from, by a symbol of two bits.
const ORDERS: [u32; 4] = [0, 2, 4, 6];

/// How an entity in a packet differs from its confirmed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    /// Values differ.
    Values,
    /// It has other components; values may differ too.
    Components,
    /// It is gone.
    Removed,
    /// It is told from nothing.
    Fresh,
    /// Nothing differs.
    Same,
}

impl Op {
    /// The most frequent first: each costs one bit more, up to the last two.
    const BY_FREQUENCY: [Self; 5] = [Self::Values, Self::Components, Self::Removed, Self::Fresh, Self::Same];
}

/// The unary prefix beyond which a difference of this word is written as the value itself.
const fn escape(bits: u32, order: u32) -> u32 {
    let longest = (bits + 1).saturating_sub(order);
    if longest < 1 {
        1
    } else if longest > ESCAPE {
        ESCAPE
    } else {
        longest
    }
}
