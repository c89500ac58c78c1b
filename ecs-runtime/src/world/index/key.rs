//! What may be a key of an index, in a form that sorts as the values do.

use core::cmp::Ordering;

use crate::{Entity, List, Text};

/// A key as a number: it sorts as the values do.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Key([u64; 2]);

// As one number: a comparison without a branch, unlike that of two.
impl Ord for Key {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.bits().cmp(&other.bits())
    }
}

impl PartialOrd for Key {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Key {
    pub(super) const MAX: Self = Self([u64::MAX; 2]);

    /// The key of a value of at most 128 bits.
    #[inline]
    pub fn of<K: IndexKey>(value: K) -> Self {
        Self::from_bits(value.bits())
    }

    #[inline]
    fn from_bits(bits: u128) -> Self {
        Self([(bits >> 64) as u64, bits as u64])
    }

    #[inline]
    fn bits(self) -> u128 {
        u128::from(self.0[0]) << 64 | u128::from(self.0[1])
    }

    /// The next higher one, if there is one.
    pub(super) fn next(self) -> Option<Self> {
        self.bits().checked_add(1).map(Self::from_bits)
    }

    /// The next lower one, if there is one.
    pub(super) fn previous(self) -> Option<Self> {
        self.bits().checked_sub(1).map(Self::from_bits)
    }
}

/// A value that an index may have as its key: integers, `bool`, floats, [`Entity`], [`Text`] of at most 15 bytes, enums
/// without fields that are marked `#[value]`, and options, arrays and tuples of these; of at most 128 bits in all.
///
/// Floats sort as numbers do: the two zeros are the same key, and so is every NaN, above all numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of an index",
    label = "not a key",
    note = "keys are integers, `bool`, floats, `Entity`, `Text`, enums without fields, options and arrays of these, and \
            each element of a `List`; write `#[component(index(a, b))]` for several fields"
)]
pub trait IndexKey: Copy {
    /// How many bits it has.
    const BITS: u32;

    /// Those bits, which sort as the values do.
    fn bits(self) -> u128;
}

macro_rules! unsigned {
    ($($type:ty),*) => {$(
        impl IndexKey for $type {
            const BITS: u32 = <$type>::BITS;

            #[inline]
            fn bits(self) -> u128 {
                u128::from(self)
            }
        }
    )*};
}

unsigned!(u8, u16, u32, u64);

macro_rules! signed {
    ($($type:ty as $unsigned:ty),*) => {$(
        impl IndexKey for $type {
            const BITS: u32 = <$type>::BITS;

            #[inline]
            fn bits(self) -> u128 {
                // The lowest one becomes 0.
                u128::from(self.wrapping_sub(<$type>::MIN) as $unsigned)
            }
        }
    )*};
}

signed!(i8 as u8, i16 as u16, i32 as u32, i64 as u64);

macro_rules! floats {
    ($($type:ty as $unsigned:ty),*) => {$(
        impl IndexKey for $type {
            const BITS: u32 = <$unsigned>::BITS;

            #[inline]
            fn bits(self) -> u128 {
                const SIGN: $unsigned = 1 << (<$unsigned>::BITS - 1);
                let bits = if self.is_nan() { <$type>::NAN.to_bits() & !SIGN } else { (self + 0.0).to_bits() };
                u128::from(if bits & SIGN == 0 { bits | SIGN } else { !bits })
            }
        }
    )*};
}

floats!(f32 as u32, f64 as u64);

impl IndexKey for bool {
    const BITS: u32 = 1;

    #[inline]
    fn bits(self) -> u128 {
        u128::from(self)
    }
}

impl IndexKey for Entity {
    const BITS: u32 = 64;

    #[inline]
    fn bits(self) -> u128 {
        u128::from(self.index()) << 32 | u128::from(self.generation())
    }
}

impl<K: IndexKey> IndexKey for Option<K> {
    const BITS: u32 = K::BITS + 1;

    #[inline]
    fn bits(self) -> u128 {
        self.map_or(0, |key| 1 << K::BITS | key.bits())
    }
}

impl<K: IndexKey, const N: usize> IndexKey for [K; N] {
    const BITS: u32 = K::BITS * N as u32;

    #[inline]
    fn bits(self) -> u128 {
        self.into_iter().fold(0, |bits, key| above::<K>(bits) | key.bits())
    }
}

impl<const N: usize> IndexKey for Text<N> {
    // Its length tells "a" from what ends with a zero byte.
    const BITS: u32 = 8 * (N as u32 + 1);

    fn bits(self) -> u128 {
        let bytes = self.as_bytes();
        let padded = (0..N).fold(0, |bits, at| bits << 8 | u128::from(bytes.get(at).copied().unwrap_or(0)));
        padded << 8 | bytes.len() as u128
    }
}

/// Bits that stand above those of a key. There are none where the key takes all.
#[inline]
fn above<K: IndexKey>(bits: u128) -> u128 {
    bits.checked_shl(K::BITS).unwrap_or(0)
}

macro_rules! tuples {
    ($($key:ident $at:tt),*) => {
        impl<$($key: IndexKey),*> IndexKey for ($($key,)*) {
            const BITS: u32 = 0 $(+ $key::BITS)*;

            #[inline]
            fn bits(self) -> u128 {
                let bits = 0;
                $(let bits = above::<$key>(bits) | self.$at.bits();)*
                bits
            }
        }
    };
}

tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);

/// A field that is indexed: a key, or a [`List`] of keys, each of which finds the entity.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of an index",
    label = "not a key",
    note = "keys are integers, `bool`, floats, `Entity`, `Text`, enums without fields, options and arrays of these, and \
            each element of a `List`; write `#[component(index(a, b))]` for several fields"
)]
pub trait Indexed {
    type Key: IndexKey;

    fn keys(&self, found: &mut dyn FnMut(Key));
}

impl<K: IndexKey> Indexed for K {
    type Key = K;

    #[inline]
    fn keys(&self, found: &mut dyn FnMut(Key)) {
        found(Key::of(*self));
    }
}

impl<K: IndexKey + crate::Value, const N: usize> Indexed for List<K, N> {
    type Key = K;

    fn keys(&self, found: &mut dyn FnMut(Key)) {
        self.iter().for_each(|key| found(Key::of(*key)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ascends<K: IndexKey + core::fmt::Debug>(keys: &[K]) {
        for pair in keys.windows(2) {
            assert!(Key::of(pair[0]) < Key::of(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn keys_sort_as_the_values_do() {
        ascends(&[i64::MIN, -1, 0, 1, i64::MAX]);
        ascends(&[i8::MIN, -1, 0, 1, i8::MAX]);
        ascends(&[u64::MIN, 1, u64::MAX]);
        ascends(&[f32::NEG_INFINITY, -2.0, -1.0e-40, 0.0, 1.0e-40, 2.0, f32::INFINITY, f32::NAN]);
        ascends(&[f64::NEG_INFINITY, -2.0, 0.0, 2.0, f64::INFINITY, f64::NAN]);
        ascends(&[None, Some(i16::MIN), Some(0), Some(i16::MAX)]);
        ascends(&[(0, -1i8), (0, 1), (1, -1), (2, i8::MIN)].map(|(a, b): (u8, i8)| (a, b, false)));
        ascends(&[[0u16, 5], [1, 0], [1, 9]]);
        ascends(&["", "a", "a\0", "ab", "b"].map(|text| text.parse::<Text<15>>().expect("short enough")));
        let entity = |index, generation| Entity::new(index, generation).expect("odd");
        ascends(&[entity(0, 9), entity(1, 1), entity(1, 3), Entity::NONE]);
    }

    #[test]
    fn a_key_may_take_all_bits_by_itself() {
        ascends(&[[[0, 1]], [[1, 0]], [[u64::MAX, 0]]]);
        ascends(&["a", "b"].map(|text| [text.parse::<Text<15>>().expect("short enough")]));
    }

    #[test]
    fn zeros_are_one_key_and_so_are_all_that_are_no_number() {
        assert_eq!(Key::of(0.0f32), Key::of(-0.0f32));
        assert_eq!(Key::of(f64::NAN), Key::of(-f64::NAN));
    }

    #[test]
    fn a_key_has_neighbours_as_far_as_there_are_any() {
        assert_eq!(Key::of(u64::MAX).next(), Some(Key([1, 0])));
        assert_eq!(Key([1, 0]).previous(), Some(Key::of(u64::MAX)));
        assert_eq!((Key::default().previous(), Key::MAX.next()), (None, None));
    }
}
