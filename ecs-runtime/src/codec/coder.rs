//! How symbols become bits: two coders for the same symbols.

use std::sync::LazyLock;

use super::contexts::{BITS, LEAST};
use super::encode::{Encode, Symbol};
use super::limit::MAX_DECISIONS;
use super::list::{Place, Usual, encode_list, plain_list_bits};
use super::range::RangeWriter;

/// A way to turn symbols into bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Coder {
    /// Whole bits: the quickest.
    #[default]
    Plain,
    /// An arithmetic coder with a fixed probability for each decision: the smallest. It takes about half as long again.
    Arithmetic,
}

impl Coder {
    /// Its number on the wire.
    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Plain => 0,
            Self::Arithmetic => 1,
        }
    }

    /// The coder of a number on the wire.
    pub(crate) fn of(byte: u8) -> Option<Self> {
        [Self::Plain, Self::Arithmetic].into_iter().find(|coder| coder.byte() == byte)
    }

    /// At most so many bits tell which entities are in a packet, beside what is told of each, and so many decisions.
    pub(crate) fn list_price(
        self,
        table: &[u16],
        usual: Usual<'_>,
        entities: impl Iterator<Item = (u32, Place)> + Clone,
    ) -> (usize, u32) {
        match self {
            Self::Plain => (plain_list_bits(usual, entities), 0),
            Self::Arithmetic => {
                let mut price = Price::new(table, None);
                encode_list(&mut price, usual, &entities, |_, _| {});
                (price.bits() + RANGE_END, price.decisions())
            }
        }
    }
}

/// The most bits that an arithmetic coder's end takes.
const RANGE_END: usize = 10;

/// The most decisions of an entity that is alone in a packet; what tells which one it is takes fewer than the rest.
pub(crate) const MAX_ENTITY_DECISIONS: u32 = MAX_DECISIONS - 100;

/// The price of one bit.
pub(super) const BIT: u32 = 1024;

/// By a probability's highest ten bits: the most that a decision of it costs, in 1024ths of a bit, what the coder loses by
/// its short numbers included.
static PRICES: LazyLock<[u32; 1 << 10]> = LazyLock::new(|| {
    core::array::from_fn(|at| {
        let least = (at << (BITS - 10)).max(usize::from(LEAST));
        let bits = f64::from(BITS) - libm::log2(least as f64);
        libm::ceil(bits * f64::from(BIT)) as u32 + 3
    })
});

/// The probability of a decision to be true, and the price of how it came out.
#[inline]
pub(super) fn price(table: &[u16], context: u32, value: bool) -> (u16, u32) {
    let probability = table.get(context as usize).copied().unwrap_or(1 << (BITS - 1));
    let of_it = if value { probability } else { (1 << BITS) - probability };
    (probability, PRICES.get(usize::from(of_it >> (BITS - 10))).copied().unwrap_or(0))
}

/// Counts what symbols cost an arithmetic coder at most, and may keep them for it.
pub(crate) struct Price<'t, 'k> {
    table: &'t [u16],
    kept: Option<&'k mut Vec<u16>>,
    price: u64,
    decisions: u32,
}

impl<'t, 'k> Price<'t, 'k> {
    /// No symbols so far, of a table of probabilities; they are kept behind what there is.
    pub(crate) fn new(table: &'t [u16], kept: Option<&'k mut Vec<u16>>) -> Self {
        Self { table, kept, price: 0, decisions: 0 }
    }

    /// The bits of all of them, rounded up.
    pub(crate) fn bits(&self) -> usize {
        self.price.div_ceil(u64::from(BIT)) as usize
    }

    /// How many decisions they are.
    pub(crate) fn decisions(&self) -> u32 {
        self.decisions
    }

    /// A few bits of which all values are as likely.
    fn raw(&mut self, value: u32, count: u32) {
        self.price += u64::from(count * BIT + 8);
        self.decisions += 1;
        if let Some(kept) = &mut self.kept {
            // No probability is so small.
            kept.extend([count as u16, value as u16]);
        }
    }
}

impl Encode for Price<'_, '_> {
    const MODELLED: bool = true;

    #[inline]
    fn bits(&mut self, _symbol: Symbol, value: u32, count: u32) {
        if count > 16 {
            self.raw(value >> 16, count - 16);
            self.raw(value & 0xffff, 16);
        } else {
            self.raw(value, count);
        }
    }

    #[inline]
    fn decide(&mut self, _symbol: Symbol, context: u32, value: bool) {
        let (probability, price) = price(self.table, context, value);
        self.price += u64::from(price);
        self.decisions += 1;
        if let Some(kept) = &mut self.kept {
            kept.push(probability | u16::from(value) << BITS);
        }
    }
}

/// Writes symbols that were kept.
pub(crate) fn write_kept(kept: &[u16], to: &mut RangeWriter<'_>) {
    let mut kept = kept.iter();
    while let Some(&symbol) = kept.next() {
        if symbol < LEAST {
            to.raw(kept.next().copied().map_or(0, u32::from), u32::from(symbol));
        } else {
            to.decide(symbol & ((1 << BITS) - 1), symbol >> BITS == 1);
        }
    }
}
