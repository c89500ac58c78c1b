//! The delta codec: how the states of entities become bits and states again.
//!
//! `encode` and `decode` are mirror images, function by function. They speak in symbols to a coder, so that how a
//! symbol becomes bits is the coder's affair: [`BitWriter`] writes plain bits, [`Modelled`] the decisions of an arithmetic
//! coder, [`Account`] only counts them, and [`Lessons`] learns from them. What a field means was settled before, by its
//! quantization; here everything is a word below a maximum.

mod account;
mod baselines;
mod bits;
mod coder;
mod contexts;
mod decode;
mod decode_row;
mod encode;
mod encode_row;
mod forecast;
mod layout;
mod lessons;
mod limit;
mod list;
mod motion;
mod priors;
mod range;
mod read;
mod trend;

pub use account::Account;
pub use baselines::{BASELINE_SPAN, BASELINES, Baselines, PACE_STATES, pace};
pub use bits::{BitReader, BitWriter, OutOfBits};
pub use coder::Coder;
pub(crate) use coder::{MAX_ENTITY_DECISIONS, Price, write_kept};
pub use decode::{DecodeError, Decoded, EntityDecoder, decode_whole};
pub(crate) use decode_row::{decode_struct, golomb};
pub use encode::{Encode, Number, States, Symbol, encode_entity, encode_whole};
pub(crate) use encode_row::encode_struct;
pub use layout::{Layout, StateView};
pub(crate) use layout::{column_by_rows, has};
pub use lessons::{Lessons, MotionLessons};
pub use limit::{Limit, MAX_COST, MAX_DECISIONS, MAX_ENTITIES};
pub use list::{Place, Usual, encode_list};
pub use motion::net::WeightsError;
pub use motion::weights::Weights;
pub use motion::{Sample, Truth};
pub use priors::{BUCKETS, Priors, PriorsError};
pub use range::{Modelled, RangeReader, RangeWriter};
pub use read::Decode;

/// The longest unary prefix of a difference. A longer one gives way to the value itself.
pub(crate) const ESCAPE: u32 = 12;

/// How the state of an entity differs from its confirmed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    /// Only values differ.
    Values,
    /// It has other components; values may differ too.
    Components,
    /// It is gone.
    Removed,
    /// It is out of view.
    Hidden,
    /// It is told from nothing.
    Fresh,
    /// Nothing differs.
    Same,
}

impl Op {
    /// All but the most frequent, which has a list of its own. Each costs one bit more, up to the last two.
    const OTHERS: [Self; 5] = [Self::Components, Self::Removed, Self::Fresh, Self::Hidden, Self::Same];
}
