//! What is around elements: arrays, vector types, options, lists; and values that have fields of their own.

use core::marker::PhantomData;

use super::{RowReader, RowWriter, Wire};
use crate::{Composite, Lanes, List};

/// How many words an element takes; one where it takes none, of which there are none then.
#[inline]
fn chunk(element: &impl Wire) -> usize {
    element.words().max(1)
}

/// An array, element after element by the same rule.
#[derive(Clone, Copy, Debug)]
pub struct Each<W, const N: usize>(pub W);

impl<W: Wire, const N: usize> Wire for Each<W, N> {
    type Value = [W::Value; N];

    #[inline]
    fn words(&self) -> usize {
        N * self.0.words()
    }

    #[inline]
    fn quantize(&self, value: [W::Value; N], row: &mut [u32]) -> bool {
        let mut saturated = false;
        for (element, words) in value.into_iter().zip(row.chunks_exact_mut(chunk(&self.0))) {
            saturated |= self.0.quantize(element, words);
        }
        saturated
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> [W::Value; N] {
        let words = self.0.words();
        core::array::from_fn(|i| self.0.dequantize(&row[i * words..][..words]))
    }

    #[inline]
    fn interpolate(&self, from: Self::Value, to: Self::Value, t: f32) -> Self::Value {
        core::array::from_fn(|i| self.0.interpolate(from[i], to[i], t))
    }
}

/// A vector type, each of its numbers by the same rule.
#[derive(Clone, Copy, Debug)]
pub struct Vector<T, W>(W, PhantomData<T>);

impl<T, W> Vector<T, W> {
    /// Vectors whose numbers are sent by the rule `wire`.
    #[must_use]
    pub const fn of(wire: W) -> Self {
        Self(wire, PhantomData)
    }

    /// The rule of each number.
    #[must_use]
    pub const fn element(&self) -> &W {
        &self.0
    }
}

impl<T: Lanes, W: Wire<Value = T::Scalar>> Wire for Vector<T, W> {
    type Value = T;

    #[inline]
    fn words(&self) -> usize {
        T::COUNT * self.0.words()
    }

    #[inline]
    fn quantize(&self, value: T, row: &mut [u32]) -> bool {
        let mut saturated = false;
        for (lane, words) in row.chunks_exact_mut(chunk(&self.0)).take(T::COUNT).enumerate() {
            saturated |= self.0.quantize(value.lane(lane), words);
        }
        saturated
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> T {
        let words = self.0.words();
        T::from_lanes(|lane| self.0.dequantize(&row[lane * words..][..words]))
    }

    #[inline]
    fn interpolate(&self, from: T, to: T, t: f32) -> T {
        T::from_lanes(|lane| self.0.interpolate(from.lane(lane), to.lane(lane), t))
    }
}

/// An `Option`: whether it is there, and the value or zeros.
#[derive(Clone, Copy, Debug)]
pub struct Maybe<W>(pub W);

impl<W: Wire> Wire for Maybe<W> {
    type Value = Option<W::Value>;

    #[inline]
    fn words(&self) -> usize {
        1 + self.0.words()
    }

    #[inline]
    fn quantize(&self, value: Self::Value, row: &mut [u32]) -> bool {
        row[0] = u32::from(value.is_some());
        match value {
            Some(value) => self.0.quantize(value, &mut row[1..]),
            None => {
                row[1..=self.0.words()].fill(0);
                false
            }
        }
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> Self::Value {
        (row[0] != 0).then(|| self.0.dequantize(&row[1..]))
    }

    /// Between two values; as in `from` where one is absent.
    #[inline]
    fn interpolate(&self, from: Self::Value, to: Self::Value, t: f32) -> Self::Value {
        match (from, to) {
            (Some(from), Some(to)) => Some(self.0.interpolate(from, to, t)),
            _ => from,
        }
    }
}

/// A [`List`]: its length, and an element after the other; zeros behind its end.
#[derive(Clone, Copy, Debug)]
pub struct Listed<W, const N: usize>(pub W);

impl<W: Wire, const N: usize> Wire for Listed<W, N> {
    type Value = List<W::Value, N>;

    #[inline]
    fn words(&self) -> usize {
        1 + N * self.0.words()
    }

    #[inline]
    fn quantize(&self, value: Self::Value, row: &mut [u32]) -> bool {
        row[0] = value.len() as u32;
        let mut saturated = false;
        let (rows, mut elements) = (row[1..].chunks_exact_mut(chunk(&self.0)), value.iter());
        for words in rows.take(N) {
            match elements.next() {
                Some(&element) => saturated |= self.0.quantize(element, words),
                None => words.fill(0),
            }
        }
        saturated
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> Self::Value {
        let (mut list, words) = (List::new(), self.0.words());
        for at in 0..N.min(row[0] as usize) {
            // There is room for `N`.
            let _ = list.push(self.0.dequantize(&row[1 + at * words..][..words]));
        }
        list
    }

    /// Element by element, as far as both reach; otherwise as in `from`.
    #[inline]
    fn interpolate(&self, mut from: Self::Value, to: Self::Value, t: f32) -> Self::Value {
        for (from, to) in from.iter_mut().zip(&to) {
            *from = self.0.interpolate(*from, *to, t);
        }
        from
    }
}

/// A value with fields of its own, marked `#[value]`.
#[derive(Clone, Copy, Debug)]
pub struct Nested<T>(PhantomData<T>);

impl<T> Nested<T> {
    /// Values of the type. Without a bound, so that a type that is none is one mistake less.
    pub const VALUE: Self = Self(PhantomData);
}

impl<T: Composite> Wire for Nested<T> {
    type Value = T;

    #[inline]
    fn words(&self) -> usize {
        const { T::FORM.words() }
    }

    #[inline]
    fn quantize(&self, value: T, row: &mut [u32]) -> bool {
        let words = self.words();
        let mut to = RowWriter::new(&mut row[..words], &mut []);
        value.quantize(&mut to);
        to.saturated()
    }

    #[inline]
    fn dequantize(&self, row: &[u32]) -> T {
        T::dequantize(&mut RowReader::new(&row[..self.words()]))
    }

    #[inline]
    fn interpolate(&self, from: T, to: T, t: f32) -> T {
        from.interpolate(&to, t)
    }
}
