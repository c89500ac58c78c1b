//! Where the bits go.

use super::encode::{Encode, Symbol};

/// Counts bits by what they say, as plain bits would write them.
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

impl Encode for Account {
    fn bits(&mut self, symbol: Symbol, _value: u32, count: u32) {
        let counter = match symbol {
            Symbol::Gap => Some(&mut self.gaps),
            Symbol::Entity => Some(&mut self.entities),
            Symbol::Extra => Some(&mut self.extras),
            Symbol::Component(component) => self.components.get_mut(usize::from(component)),
        };
        if let Some(counter) = counter {
            *counter += u64::from(count);
        }
    }
}
