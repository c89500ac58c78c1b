//! Values without fields as data: numbers, texts, references, and what holds several values.

use core::fmt;
use core::marker::PhantomData;

use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::Data;
use super::fields::{Loaded, Saved};
use crate::{Entity, List, Text, Value};

macro_rules! as_serde_does {
    ($($type:ty),*) => {$(
        impl Data for $type {
            fn save<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                self.serialize(to)
            }

            fn load<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                Self::deserialize(from)
            }
        }
    )*};
}

as_serde_does!(bool, u8, u16, u32, u64, i8, i16, i32, i64);

/// The names of the floats that are no number in JSON.
const NOT_FINITE: [(&str, f64); 3] = [("NaN", f64::NAN), ("inf", f64::INFINITY), ("-inf", f64::NEG_INFINITY)];

/// What a float that is no number is called in a text format; `None` for numbers, and for binary formats.
fn not_finite(value: f64, is_text: bool) -> Option<&'static str> {
    let same = |other: f64| other == value || other.is_nan() && value.is_nan();
    let named = NOT_FINITE.into_iter().find(|(_, other)| same(*other));
    named.filter(|_| is_text).map(|(name, _)| name)
}

fn load_float<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    struct Visit;

    impl Visitor<'_> for Visit {
        type Value = f64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number, \"NaN\", \"inf\" or \"-inf\"")
        }

        fn visit_f64<E: de::Error>(self, value: f64) -> Result<f64, E> {
            Ok(value)
        }

        fn visit_i64<E: de::Error>(self, value: i64) -> Result<f64, E> {
            Ok(value as f64)
        }

        fn visit_u64<E: de::Error>(self, value: u64) -> Result<f64, E> {
            Ok(value as f64)
        }

        fn visit_str<E: de::Error>(self, name: &str) -> Result<f64, E> {
            let named = NOT_FINITE.into_iter().find(|(other, _)| *other == name);
            named.map(|(_, value)| value).ok_or_else(|| E::invalid_value(de::Unexpected::Str(name), &self))
        }
    }

    if from.is_human_readable() { from.deserialize_any(Visit) } else { from.deserialize_f64(Visit) }
}

impl Data for f64 {
    fn save<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match not_finite(*self, to.is_human_readable()) {
            Some(name) => to.serialize_str(name),
            None => to.serialize_f64(*self),
        }
    }

    fn load<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        load_float(from)
    }
}

impl Data for f32 {
    fn save<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match not_finite(f64::from(*self), to.is_human_readable()) {
            Some(name) => to.serialize_str(name),
            None => to.serialize_f32(*self),
        }
    }

    fn load<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if !from.is_human_readable() {
            return Self::deserialize(from);
        }
        let wide = load_float(from)?;
        let value = wide as Self;
        if wide.is_finite() && value.is_infinite() {
            return Err(de::Error::custom(format_args!("{wide} is beyond what an `f32` can be")));
        }
        Ok(value)
    }
}

impl Data for Entity {
    fn save<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let parts = (!self.is_none()).then(|| (self.index(), self.generation()));
        parts.serialize(to)
    }

    fn load<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Some((index, generation)) = Option::<(u32, u32)>::deserialize(from)? else {
            return Ok(Self::NONE);
        };
        Self::new(index, generation).ok_or_else(|| de::Error::custom("an entity's generation must be odd"))
    }
}

impl<T: Value> Data for Option<T> {
    fn save<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => to.serialize_some(&Saved(value)),
            None => to.serialize_none(),
        }
    }

    fn load<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visit<T>(PhantomData<T>);

        impl<'de, T: Value> Visitor<'de> for Visit<T> {
            type Value = Option<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or null")
            }

            fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
                T::load(from).map(Some)
            }
        }

        from.deserialize_option(Visit(PhantomData))
    }
}

impl<T: Value, const N: usize> Data for [T; N] {
    fn save<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(Saved))
    }

    fn load<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let list: List<T, N> = load_list(from)?;
        list.as_array()
            .copied()
            .ok_or_else(|| de::Error::invalid_length(list.len(), &&*format!("{N} elements")))
    }
}

impl<T: Value, const N: usize> Data for List<T, N> {
    fn save<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(Saved))
    }

    fn load<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        load_list(from)
    }
}

fn load_list<'de, D: Deserializer<'de>, T: Value, const N: usize>(from: D) -> Result<List<T, N>, D::Error> {
    struct Visit<T, const N: usize>(PhantomData<T>);

    impl<'de, T: Value, const N: usize> Visitor<'de> for Visit<T, N> {
        type Value = List<T, N>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {N} elements")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
            let mut list = List::new();
            while let Some(value) = from.next_element_seed(Loaded(PhantomData))? {
                if list.push(value).is_err() {
                    return Err(de::Error::invalid_length(N + 1, &self));
                }
            }
            Ok(list)
        }
    }

    from.deserialize_seq(Visit(PhantomData))
}

impl<const N: usize> Data for Text<N> {
    fn save<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self)
    }

    fn load<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visit<const N: usize>;

        impl<const N: usize> Visitor<'_> for Visit<N> {
            type Value = Text<N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a text of at most {N} bytes")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<N>, E> {
                text.parse().map_err(E::custom)
            }
        }

        from.deserialize_str(Visit)
    }
}
