//! What may be a field of a component: a plain value with a default and an exact equality.

#[cfg(feature = "glam")]
mod glam;
mod list;
mod text;

pub use list::{Full, List};
pub use text::{Text, TooLong};

use crate::Entity;
use crate::data::{Data, Fields, ReadFields, WriteFields};
use crate::schema::Form;
use crate::wire::{RowReader, RowWriter, Wire};

/// A type that a field of a component may have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field",
    label = "not a type that a field may have",
    note = "write `#[value]` above the struct or enum, or use a `bool`, a number, `Entity`, `Text`, an array, `Option` or `List`",
    note = "the macro does not see what an alias stands for: write out the type"
)]
pub trait Value: Copy + Data + Send + Sync + 'static {
    /// What a field holds before anything was written to it: zero, `false`, no entity.
    const DEFAULT: Self;

    /// Exact equality: floats by their bits, so that a NaN is equal to itself.
    fn same(&self, other: &Self) -> bool;

    /// Shows the references and floats inside it, in order.
    #[doc(hidden)]
    fn leaves(&mut self, to: &mut dyn Leaves) {
        let _ = to;
    }
}

/// Is shown what a value consists of, as far as anybody wants to know.
#[doc(hidden)]
pub trait Leaves {
    /// Is shown a reference, which it may change.
    fn entity(&mut self, entity: &mut Entity);

    /// Is shown a float.
    fn float(&mut self, float: f64);
}

/// A value with fields of its own, implemented by `#[value]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field",
    label = "not a type that a field may have",
    note = "write `#[value]` above the struct or enum, or use a `bool`, a number, `Entity`, `Text`, an array, `Option` or `List`",
    note = "the macro does not see what an alias stands for: write out the type"
)]
pub trait Composite: Fields + Copy + Send + Sync + 'static {
    /// How a field of this type is sent: always [`Nested`](crate::wire::Nested).
    type Wire: Wire<Value = Self>;

    /// What a field holds before anything was written to it: [`Value::DEFAULT`].
    const INITIAL: Self;

    /// What the schema says of it.
    const FORM: Form;

    /// Exact equality: [`Value::same`].
    fn equals(&self, other: &Self) -> bool;

    /// Shows it to `to`, as the field `name` of something.
    ///
    /// # Errors
    /// Those of `to`.
    fn read_as<V: ReadFields>(&self, name: &'static str, to: &mut V) -> Result<(), V::Error> {
        to.field(name, self)
    }

    /// Shows it to `from`, as the field `name` of something, to be changed.
    ///
    /// # Errors
    /// Those of `from`.
    fn write_as<V: WriteFields>(&mut self, name: &'static str, from: &mut V) -> Result<(), V::Error> {
        from.field(name, self)
    }

    /// The number of the variant that an enum is; 0 for a struct.
    fn variant(&self) -> usize {
        0
    }

    /// The enum as its variant number `variant`, with the defaults of its fields; a struct for 0.
    #[must_use]
    fn of_variant(variant: usize) -> Option<Self> {
        (variant == 0).then_some(Self::INITIAL)
    }

    /// Writes its fields, in order.
    fn quantize(&self, to: &mut RowWriter<'_>);

    /// Reads its fields, in order.
    fn dequantize(from: &mut RowReader<'_>) -> Self;

    /// The value between this (`t = 0`) and `to` (`t = 1`): fields that are marked `#[interpolate]` are between
    /// theirs, the others as in this.
    #[must_use]
    fn interpolate(&self, to: &Self, t: f32) -> Self;
}

impl<T: Composite> Value for T {
    const DEFAULT: Self = T::INITIAL;

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.equals(other)
    }

    fn leaves(&mut self, to: &mut dyn Leaves) {
        struct OfFields<'a>(&'a mut dyn Leaves);

        impl WriteFields for OfFields<'_> {
            type Error = core::convert::Infallible;

            fn field<T: Value>(&mut self, _: &'static str, value: &mut T) -> Result<(), Self::Error> {
                value.leaves(self.0);
                Ok(())
            }
        }

        let Ok(()) = self.write_fields(&mut OfFields(to));
    }
}

/// A type that stands for a few numbers of one type: `[f32; 3]`, or a vector of a mathematics library.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a vector of numbers",
    label = "not a vector",
    note = "this attribute is for floats, arrays of them, and the vectors of `glam` behind the feature `glam`"
)]
pub trait Lanes: Value {
    /// The type of each number.
    type Scalar: Value;

    /// How many there are.
    const COUNT: usize;

    /// Number `at`, which is below [`Lanes::COUNT`].
    fn lane(&self, at: usize) -> Self::Scalar;

    /// The value of these numbers, of which `lane` is asked once for each, in order.
    fn from_lanes(lane: impl FnMut(usize) -> Self::Scalar) -> Self;
}

impl<T: Value, const N: usize> Lanes for [T; N] {
    type Scalar = T;

    const COUNT: usize = N;

    #[inline]
    fn lane(&self, at: usize) -> T {
        self[at]
    }

    #[inline]
    fn from_lanes(lane: impl FnMut(usize) -> T) -> Self {
        core::array::from_fn(lane)
    }
}

macro_rules! values {
    ($default:expr, $($type:ty),*) => {$(
        impl Value for $type {
            const DEFAULT: Self = $default;

            #[inline]
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )*};
}

values!(0, u8, u16, u32, u64, i8, i16, i32, i64);
values!(false, bool);

impl Value for Entity {
    const DEFAULT: Self = Self::NONE;

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn leaves(&mut self, to: &mut dyn Leaves) {
        to.entity(self);
    }
}

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl Value for $type {
            const DEFAULT: Self = 0.0;

            #[inline]
            fn same(&self, other: &Self) -> bool {
                self.to_bits() == other.to_bits()
            }

            fn leaves(&mut self, to: &mut dyn Leaves) {
                to.float(f64::from(*self));
            }
        }
    )*};
}

floats!(f32, f64);

impl<T: Value> Value for Option<T> {
    const DEFAULT: Self = None;

    #[inline]
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.same(b),
            (None, None) => true,
            _ => false,
        }
    }

    fn leaves(&mut self, to: &mut dyn Leaves) {
        if let Some(value) = self {
            value.leaves(to);
        }
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    const DEFAULT: Self = [T::DEFAULT; N];

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(a, b)| a.same(b))
    }

    fn leaves(&mut self, to: &mut dyn Leaves) {
        self.iter_mut().for_each(|value| value.leaves(to));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_equal_to_itself_and_zeros_differ() {
        assert!(f32::NAN.same(&f32::NAN));
        assert!(!0.0f32.same(&-0.0));
        assert!([1.0, f32::NAN].same(&[1.0, f32::NAN]));
    }

    #[test]
    fn options_are_equal_where_their_values_are() {
        assert!(Some(f32::NAN).same(&Some(f32::NAN)) && None::<u8>.same(&None));
        assert!(!Some(1).same(&None) && !Some(1).same(&Some(2)));
    }
}
