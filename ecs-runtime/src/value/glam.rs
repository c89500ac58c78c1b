//! The types of `glam` as fields.
//!
//! With an attribute such as `#[quantize]` or `#[rotation]`, their numbers are sent by its rule; without one, each is
//! sent in full.

use serde::{Deserializer, Serializer};

use super::{Composite, Lanes, Leaves, Value};
use crate::data::{Data, Fields, ReadFields, WriteFields};
use crate::schema::{Field, Form, StructSchema, Word, row_len, row_words};
use crate::wire::{Float, Nested, Range, RowReader, RowWriter, Wire};

macro_rules! lanes {
    ($($type:ty: $scalar:ty, $rule:expr, $count:literal $($lane:ident)*;)*) => {$(
        impl Lanes for $type {
            type Scalar = $scalar;

            const COUNT: usize = $count;

            #[inline]
            fn lane(&self, at: usize) -> $scalar {
                self.to_array()[at]
            }

            #[inline]
            fn from_lanes(lane: impl FnMut(usize) -> $scalar) -> Self {
                Self::from_array(core::array::from_fn(lane))
            }
        }

        impl Fields for $type {
            fn read_fields<V: ReadFields>(&self, to: &mut V) -> Result<(), V::Error> {
                $(to.field(stringify!($lane), &self.$lane)?;)*
                Ok(())
            }

            fn write_fields<V: WriteFields>(&mut self, from: &mut V) -> Result<(), V::Error> {
                $(from.field(stringify!($lane), &mut self.$lane)?;)*
                Ok(())
            }
        }

        impl Composite for $type {
            type Wire = Nested<Self>;

            const INITIAL: Self = <$type>::from_array([<$scalar>::DEFAULT; $count]);

            const FORM: Form = {
                const FIELDS: &[Field] =
                    &[$(Field::new(stringify!($lane), stringify!($scalar), &[], $rule.form())),*];
                const WORDS: [Word; row_len(FIELDS)] = row_words(FIELDS);
                Form::Struct(&StructSchema::of_value(stringify!($type), FIELDS, &WORDS))
            };

            #[inline]
            fn equals(&self, other: &Self) -> bool {
                self.to_array().same(&other.to_array())
            }

            #[inline]
            fn quantize(&self, to: &mut RowWriter<'_>) {
                self.to_array().into_iter().for_each(|number| to.put($rule, number));
            }

            #[inline]
            fn dequantize(from: &mut RowReader<'_>) -> Self {
                Self::from_lanes(|_| from.take($rule))
            }

            #[inline]
            fn interpolate(&self, to: &Self, t: f32) -> Self {
                Self::from_lanes(|lane| $rule.interpolate(self.lane(lane), to.lane(lane), t))
            }
        }
    )*};
}

lanes! {
    glam::Vec2: f32, Float::<f32>::FULL, 2 x y;
    glam::Vec3: f32, Float::<f32>::FULL, 3 x y z;
    glam::Vec3A: f32, Float::<f32>::FULL, 3 x y z;
    glam::Vec4: f32, Float::<f32>::FULL, 4 x y z w;
    glam::DVec2: f64, Float::<f64>::FULL, 2 x y;
    glam::DVec3: f64, Float::<f64>::FULL, 3 x y z;
    glam::DVec4: f64, Float::<f64>::FULL, 4 x y z w;
    glam::IVec2: i32, Range::<i32>::FULL, 2 x y;
    glam::IVec3: i32, Range::<i32>::FULL, 3 x y z;
    glam::IVec4: i32, Range::<i32>::FULL, 4 x y z w;
    glam::UVec2: u32, Range::<u32>::FULL, 2 x y;
    glam::UVec3: u32, Range::<u32>::FULL, 3 x y z;
    glam::UVec4: u32, Range::<u32>::FULL, 4 x y z w;
}

/// A rotation starts as none, not as all zeros.
impl Value for glam::Quat {
    const DEFAULT: Self = Self::IDENTITY;

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.to_array().same(&other.to_array())
    }

    fn leaves(&mut self, to: &mut dyn Leaves) {
        self.to_array().leaves(to);
    }
}

/// As the sequence `x, y, z, w`.
impl Data for glam::Quat {
    fn save<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.to_array().save(to)
    }

    fn load<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        <[f32; 4]>::load(from).map(Self::from_array)
    }
}

impl Lanes for glam::Quat {
    type Scalar = f32;

    const COUNT: usize = 4;

    #[inline]
    fn lane(&self, at: usize) -> f32 {
        self.to_array()[at]
    }

    #[inline]
    fn from_lanes(lane: impl FnMut(usize) -> f32) -> Self {
        Self::from_array(core::array::from_fn(lane))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Nested, Rotation, Step, Vector};

    #[test]
    fn vectors_are_sent_by_the_rule_of_their_numbers_or_in_full() {
        let vector = glam::Vec3::new(1.0, -2.0, 0.3);
        let wire = Vector::<glam::Vec3, _>::of(Step::<f32>::new(-2.0, 2.0, 0.5));
        let mut row = [0; 3];
        assert!(!wire.quantize(vector, &mut row));
        assert_eq!((row, wire.dequantize(&row)), ([6, 0, 5], glam::Vec3::new(1.0, -2.0, 0.5)));
        assert_eq!(wire.interpolate(vector, glam::Vec3::ZERO, 0.5), vector * 0.5);
        let full = Nested::<glam::Vec3>::VALUE;
        assert!(!full.quantize(vector, &mut row));
        assert_eq!(full.dequantize(&row), vector);
        let odd = glam::DVec2::new(f64::NAN, 1.0);
        assert!(odd.same(&odd) && Nested::<glam::DVec2>::VALUE.quantize(odd, &mut [0; 4]));
    }

    #[test]
    fn a_quaternion_is_a_rotation_that_starts_as_none() {
        assert_eq!(glam::Quat::DEFAULT, glam::Quat::IDENTITY);
        let turn = glam::Quat::from_rotation_y(1.0);
        let wire = Rotation::<glam::Quat>::new(12);
        let mut row = [0; 4];
        assert!(!wire.quantize(turn, &mut row));
        assert!(wire.dequantize(&row).angle_between(turn) < 0.002);
    }
}
