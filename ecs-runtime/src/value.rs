//! What may be a field of a component: a plain value with a default and an exact equality.

use crate::Entity;

/// A type that a field of a component may have.
pub trait Value: Copy + 'static {
    /// What a field holds before anything was written to it: zero, `false`, no entity.
    const DEFAULT: Self;

    /// Exact equality: floats by their bits, so that a NaN is equal to itself.
    fn same(&self, other: &Self) -> bool;
}

/// A value between two values, for fields marked `#[interpolate]`.
pub trait Interpolate: Value {
    /// `from` at `t = 0`, `to` at `t = 1`; integers are rounded to the nearest.
    #[must_use]
    fn interpolate(from: Self, to: Self, t: f32) -> Self;
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
values!(Entity::NONE, Entity);
values!(None, Option<Entity>);

impl Value for f32 {
    const DEFAULT: Self = 0.0;

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    const DEFAULT: Self = [T::DEFAULT; N];

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(a, b)| a.same(b))
    }
}

impl Interpolate for f32 {
    #[inline]
    fn interpolate(from: Self, to: Self, t: f32) -> Self {
        from + (to - from) * t
    }
}

macro_rules! interpolated_integers {
    ($($type:ty),*) => {$(
        impl Interpolate for $type {
            #[inline]
            fn interpolate(from: Self, to: Self, t: f32) -> Self {
                let (from, to) = (from as f64, to as f64);
                // The cast saturates, so an endpoint at the type's end cannot wrap.
                (from + (to - from) * f64::from(t)).round() as Self
            }
        }
    )*};
}

interpolated_integers!(u8, u16, u32, u64, i8, i16, i32, i64);

impl<T: Interpolate, const N: usize> Interpolate for [T; N] {
    #[inline]
    fn interpolate(from: Self, to: Self, t: f32) -> Self {
        core::array::from_fn(|i| T::interpolate(from[i], to[i], t))
    }
}

/// Angles in radians, one or an array of them, interpolated the short way round.
pub trait InterpolateAngle: Value {
    /// Like [`Interpolate::interpolate`], across the wrap where that is nearer.
    #[must_use]
    fn interpolate_angle(from: Self, to: Self, t: f32) -> Self;
}

impl InterpolateAngle for f32 {
    #[inline]
    fn interpolate_angle(from: Self, to: Self, t: f32) -> Self {
        use core::f32::consts::{PI, TAU};
        let mut step = (to - from) % TAU;
        if step > PI {
            step -= TAU;
        } else if step < -PI {
            step += TAU;
        }
        from + step * t
    }
}

impl<T: InterpolateAngle, const N: usize> InterpolateAngle for [T; N] {
    #[inline]
    fn interpolate_angle(from: Self, to: Self, t: f32) -> Self {
        core::array::from_fn(|i| T::interpolate_angle(from[i], to[i], t))
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
    fn angles_take_the_short_way() {
        let middle = f32::interpolate_angle(3.0, -3.0, 0.5);
        assert!((middle - core::f32::consts::PI).abs() < 1e-5, "{middle}");
        assert!((f32::interpolate_angle(0.2, 0.4, 0.5) - 0.3).abs() < 1e-6);
    }

    #[test]
    fn integers_round_and_do_not_wrap() {
        assert_eq!(u8::interpolate(0, 255, 0.5), 128);
        assert_eq!(i64::interpolate(i64::MIN, i64::MAX, 1.0), i64::MAX);
        assert_eq!(u8::interpolate(10, 0, 2.0), 0);
    }
}
