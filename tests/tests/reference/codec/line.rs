//! What symbols are written to and read from; and plain bits.

use super::Refused;

/// One end of a line: who writes is told each symbol, who reads is not. Both give it back.
pub(crate) trait Line {
    /// Whether decisions are modelled.
    fn is_modelled(&self) -> bool;

    /// A decision in a context.
    fn decide(&mut self, context: usize, told: Option<bool>) -> Result<bool, Refused>;

    /// So many bits, at most 32, of which all values are as likely.
    fn bits(&mut self, count: u32, told: Option<u32>) -> Result<u32, Refused>;
}

/// Why a writer stops: this is a mistake of whoever uses it.
pub(super) const NOT_TOLD: &str = "who writes is told what";

/// Writes bits.
#[derive(Debug, Default)]
pub(crate) struct PlainWriter {
    bits: Vec<bool>,
}

impl PlainWriter {
    /// The bytes, of which each has its first bit lowest; zeros fill the last.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| (0..8).filter(|at| bits.get(*at) == Some(&true)).map(|at| 1 << at).sum();
        self.bits.chunks(8).map(byte).collect()
    }
}

impl Line for PlainWriter {
    fn is_modelled(&self) -> bool {
        false
    }

    fn decide(&mut self, _context: usize, told: Option<bool>) -> Result<bool, Refused> {
        let value = told.expect(NOT_TOLD);
        self.bits.push(value);
        Ok(value)
    }

    fn bits(&mut self, count: u32, told: Option<u32>) -> Result<u32, Refused> {
        let value = told.expect(NOT_TOLD);
        for at in 0..count {
            self.bits.push(value >> at & 1 == 1);
        }
        Ok(value)
    }
}

/// Reads bits.
#[derive(Debug)]
pub(crate) struct PlainReader {
    bits: Vec<bool>,
    at: usize,
}

impl PlainReader {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let mut bits = Vec::new();
        for byte in bytes {
            for at in 0..8 {
                bits.push(byte >> at & 1 == 1);
            }
        }
        Self { bits, at: 0 }
    }

    /// How many bits were read.
    pub(crate) fn position(&self) -> usize {
        self.at
    }
}

impl Line for PlainReader {
    fn is_modelled(&self) -> bool {
        false
    }

    fn decide(&mut self, _context: usize, _told: Option<bool>) -> Result<bool, Refused> {
        let bit = *self.bits.get(self.at).ok_or(Refused::Wrong)?;
        self.at += 1;
        Ok(bit)
    }

    fn bits(&mut self, count: u32, _told: Option<u32>) -> Result<u32, Refused> {
        let mut value = 0;
        for at in 0..count {
            value |= u32::from(self.decide(0, None)?) << at;
        }
        Ok(value)
    }
}
