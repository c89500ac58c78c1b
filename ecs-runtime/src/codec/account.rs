//! Where the bits go.

use super::coder::{BIT, price};
use super::encode::{Encode, Symbol};

/// Counts bits by what they say. Those of an arithmetic coder are what it takes at most, so that they may come to a little
/// more than was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Headers of packets.
    pub headers: u64,
    /// Bits that fill the last byte of a packet.
    pub padding: u64,
    /// Which entities: the gaps between their indices.
    pub gaps: u64,
    /// What happened to entities, generations, and which components they have.
    pub entities: u64,
    /// Events, and parts of staged entities.
    pub extras: u64,
    /// By component: which fields differ, and how.
    pub components: Vec<u64>,
}

impl Account {
    /// An empty account of `components` components.
    #[must_use]
    pub fn new(components: usize) -> Self {
        Self { components: vec![0; components], ..Self::default() }
    }

    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self, components: usize) {
        let mut counters = core::mem::take(&mut self.components);
        counters.clear();
        counters.resize(components, 0);
        *self = Self { components: counters, ..Self::default() };
    }

    /// All bits together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.headers + self.padding + self.extras + self.body()
    }

    /// All bits of entities.
    #[must_use]
    pub fn body(&self) -> u64 {
        self.gaps + self.entities + self.components.iter().sum::<u64>()
    }
}

impl Account {
    /// Counts what an arithmetic coder takes for the symbols that `write` writes.
    pub(crate) fn add_modelled(&mut self, table: &[u16], write: impl FnOnce(&mut Prices<'_>)) {
        let mut prices = Prices { table, account: Self::new(self.components.len()) };
        write(&mut prices);
        let of = prices.account;
        let bits = |price: u64| price / u64::from(BIT);
        self.gaps += bits(of.gaps);
        self.entities += bits(of.entities);
        self.components.iter_mut().zip(of.components).for_each(|(to, of)| *to += bits(of));
    }

    fn counter(&mut self, symbol: Symbol) -> Option<&mut u64> {
        match symbol {
            Symbol::Gap => Some(&mut self.gaps),
            Symbol::Entity => Some(&mut self.entities),
            Symbol::Extra => Some(&mut self.extras),
            Symbol::Component(component) => self.components.get_mut(usize::from(component)),
        }
    }
}

impl Encode for Account {
    fn bits(&mut self, symbol: Symbol, _value: u32, count: u32) {
        if let Some(counter) = self.counter(symbol) {
            *counter += u64::from(count);
        }
    }
}

/// Counts what decisions cost, in 1024ths of a bit.
pub(crate) struct Prices<'t> {
    table: &'t [u16],
    account: Account,
}

impl Encode for Prices<'_> {
    const MODELLED: bool = true;

    fn bits(&mut self, symbol: Symbol, _value: u32, count: u32) {
        if let Some(counter) = self.account.counter(symbol) {
            *counter += u64::from(count * BIT);
        }
    }

    fn decide(&mut self, symbol: Symbol, context: u32, value: bool) {
        let (_, price) = price(self.table, context, value);
        if let Some(counter) = self.account.counter(symbol) {
            *counter += u64::from(price);
        }
    }
}
