//! The latest of what is numbered, in memory that does not grow.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

/// Keeps what has the latest numbers; a new one takes the place of what is a whole ring older.
#[derive(Debug)]
pub(super) struct Ring<T>(Vec<Option<(u64, T)>>);

impl<T: Copy> Ring<T> {
    /// An empty ring of `len` places, at least one.
    pub(super) fn new(len: usize) -> Self {
        Self(vec![None; len.max(1)])
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(None);
    }

    pub(super) fn get(&self, number: u64) -> Option<&T> {
        let (kept, value) = self.0.get(self.place(number))?.as_ref()?;
        (*kept == number).then_some(value)
    }

    pub(super) fn put(&mut self, number: u64, value: T) {
        let place = self.place(number);
        if let Some(place) = self.0.get_mut(place) {
            *place = Some((number, value));
        }
    }

    /// Everything that is kept, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten().map(|(_, value)| value)
    }

    fn place(&self, number: u64) -> usize {
        (number % self.0.len() as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_found_until_its_place_is_taken() {
        let mut ring = Ring::new(4);
        for number in 8..13 {
            ring.put(number, number * 10);
        }
        assert_eq!((ring.get(8), ring.get(12), ring.get(11)), (None, Some(&120), Some(&110)));
        assert_eq!((ring.get(4), ring.get(16), ring.iter().count()), (None, None, 4));
        ring.clear();
        assert_eq!(ring.get(12), None);
    }
}
