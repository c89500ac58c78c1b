//! Components and values as data: read from a file, written to one, shown to a person.
//!
//! Structs and enums tell their fields by name, one after the other; everything else follows from that.

use core::fmt;
use core::marker::PhantomData;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

use crate::schema::Form;
use crate::{Composite, Entity, List, Text, Value};

/// What has fields, and tells them one after the other. Implemented by the macros.
pub trait Fields {
    /// Shows every field, in order.
    ///
    /// # Errors
    /// The first one of `to`.
    fn read_fields<V: ReadFields>(&self, to: &mut V) -> Result<(), V::Error>;

    /// Shows every field, in order, to be changed.
    ///
    /// # Errors
    /// The first one of `from`.
    fn write_fields<V: WriteFields>(&mut self, from: &mut V) -> Result<(), V::Error>;
}

/// Is shown fields.
pub trait ReadFields {
    /// What can go wrong.
    type Error;

    /// Is shown one field.
    ///
    /// # Errors
    /// Whatever this reader has to say of it; no further field is shown.
    fn field<T: Value>(&mut self, name: &'static str, value: &T) -> Result<(), Self::Error>;
}

/// Is shown fields, to be changed.
pub trait WriteFields {
    /// What can go wrong.
    type Error;

    /// Is shown one field.
    ///
    /// # Errors
    /// Whatever this writer has to say of it; no further field is shown.
    fn field<T: Value>(&mut self, name: &'static str, value: &mut T) -> Result<(), Self::Error>;
}

/// A value that is written as data and read again, through serde.
///
/// Numbers, texts and arrays are what they are elsewhere. A struct is a map by the names of its fields, or a sequence of
/// them in order; what is missing keeps its default. An enum is the name of its variant, or a map of that name to the
/// variant's fields. An entity is the pair of its index and its generation, or null.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field",
    label = "not a type that a field may have",
    note = "write `#[value]` above the struct or enum, or use a `bool`, a number, `Entity`, `Text`, an array, `Option` or `List`",
    note = "the macro does not see what an alias stands for: write out the type"
)]
pub trait Data: Sized {
    /// Writes it.
    ///
    /// # Errors
    /// Those of the serializer.
    fn save<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error>;

    /// Reads it.
    ///
    /// # Errors
    /// Those of the deserializer, and whatever is no such value.
    fn load<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;

    /// Reads it, where fields that are left out stay as they are in `before`.
    ///
    /// # Errors
    /// As [`Data::load`].
    fn load_over<'de, D: Deserializer<'de>>(before: &Self, from: D) -> Result<Self, D::Error> {
        let _ = before;
        Self::load(from)
    }
}

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

impl<T: Composite> Data for T {
    fn save<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Form::Enum(schema) = T::FORM else { return save_fields(self, to) };
        let Some(variant) = schema.variants.get(self.variant()) else { return to.serialize_unit() };
        if variant.fields.is_empty() {
            return to.serialize_str(variant.name);
        }
        let mut map = to.serialize_map(Some(1))?;
        map.serialize_entry(variant.name, &SavedFields(self))?;
        map.end()
    }

    fn load<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match T::FORM {
            Form::Enum(_) => from.deserialize_any(Variant::<T>(PhantomData)),
            _ => load_fields(T::DEFAULT, |_, _| Ok(()), from),
        }
    }

    fn load_over<'de, D: Deserializer<'de>>(before: &Self, from: D) -> Result<Self, D::Error> {
        match T::FORM {
            Form::Enum(_) => Self::load(from),
            _ => load_fields(*before, |_, _| Ok(()), from),
        }
    }
}

/// Reads an enum.
struct Variant<T>(PhantomData<T>);

impl<T: Composite> Variant<T> {
    fn named<E: de::Error>(name: &str) -> Result<T, E> {
        let Form::Enum(schema) = T::FORM else { return Ok(T::DEFAULT) };
        let at = schema.variants.iter().position(|variant| variant.name == name);
        at.and_then(T::of_variant).ok_or_else(|| {
            let names: Vec<_> = schema.variants.iter().map(|variant| variant.name).collect();
            E::custom(format_args!("there is no `{name}`, only {}", names.join(", ")))
        })
    }
}

impl<'de, T: Composite> Visitor<'de> for Variant<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a variant, or a map of its name to its fields")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<T, E> {
        Self::named(name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<T, A::Error> {
        let name: String = from.next_key()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        let value = from.next_value_seed(LoadedFields(Self::named(&name)?, |_: &T, _: Asked<'_>| Ok(())))?;
        match from.next_key::<String>()? {
            None => Ok(value),
            Some(_) => Err(de::Error::invalid_length(2, &self)),
        }
    }
}

/// A value that serde writes.
struct Saved<'a, T>(&'a T);

impl<T: Data> Serialize for Saved<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.save(to)
    }
}

/// A value that serde reads.
struct Loaded<T>(PhantomData<T>);

impl<'de, T: Data> DeserializeSeed<'de> for Loaded<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<T, D::Error> {
        T::load(from)
    }
}

/// A value that serde reads over the one that is there.
struct LoadedOver<'a, T>(&'a T);

impl<'de, T: Data> DeserializeSeed<'de> for LoadedOver<'_, T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<T, D::Error> {
        T::load_over(self.0, from)
    }
}

/// Writes the fields of a struct: a map by their names, or a sequence if it is a tuple.
pub(crate) fn save_fields<T: Fields, S: Serializer>(of: &T, to: S) -> Result<S::Ok, S::Error> {
    struct Count(usize, bool);

    impl ReadFields for Count {
        type Error = core::convert::Infallible;

        fn field<T: Value>(&mut self, name: &'static str, _: &T) -> Result<(), Self::Error> {
            self.0 += 1;
            self.1 |= name == "0";
            Ok(())
        }
    }

    struct Map<M>(M);

    impl<M: SerializeMap> ReadFields for Map<M> {
        type Error = M::Error;

        fn field<T: Value>(&mut self, name: &'static str, value: &T) -> Result<(), M::Error> {
            self.0.serialize_entry(name, &Saved(value))
        }
    }

    struct Seq<M>(M);

    impl<M: SerializeSeq> ReadFields for Seq<M> {
        type Error = M::Error;

        fn field<T: Value>(&mut self, _: &'static str, value: &T) -> Result<(), M::Error> {
            self.0.serialize_element(&Saved(value))
        }
    }

    let mut count = Count(0, false);
    let Ok(()) = of.read_fields(&mut count);
    if count.1 {
        let mut seq = Seq(to.serialize_seq(Some(count.0))?);
        of.read_fields(&mut seq)?;
        return seq.0.end();
    }
    let mut map = Map(to.serialize_map(Some(count.0))?);
    of.read_fields(&mut map)?;
    map.0.end()
}

struct SavedFields<'a, T>(&'a T);

impl<T: Fields> Serialize for SavedFields<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        save_fields(self.0, to)
    }
}

/// What is wrong with a text in JSON, without the place, which is told apart.
pub(crate) fn json_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// What a check is asked about while fields are read.
#[derive(Clone, Copy)]
pub(crate) enum Asked<'a> {
    /// A name, before its value is read.
    Name,
    /// The field of a name, which was just read.
    Field(&'a str),
    /// A name that no field has; an error comes after this in any case.
    Unknown(&'a str),
    /// All of them: that was the last.
    All,
}

/// Reads fields over those of `into`. `check` says what is wrong with them.
pub(crate) fn load_fields<'de, T: Fields, D: Deserializer<'de>>(
    into: T,
    check: impl Fn(&T, Asked<'_>) -> Result<(), String>,
    from: D,
) -> Result<T, D::Error> {
    LoadedFields(into, check).deserialize(from)
}

/// Fields that serde reads over those that are there.
struct LoadedFields<T, F>(T, F);

impl<'de, T: Fields, F: Fn(&T, Asked<'_>) -> Result<(), String>> DeserializeSeed<'de> for LoadedFields<T, F> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<T, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, T: Fields, F: Fn(&T, Asked<'_>) -> Result<(), String>> Visitor<'de> for LoadedFields<T, F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of fields, or a sequence of them")
    }

    /// What has no fields, or keeps all of its defaults.
    fn visit_unit<E: de::Error>(self) -> Result<T, E> {
        Ok(self.0)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut from: A) -> Result<T, A::Error> {
        let mut seen: Vec<String> = Vec::new();
        while let Some(name) = from.next_key::<String>()? {
            self.1(&self.0, Asked::Name).map_err(de::Error::custom)?;
            if seen.contains(&name) {
                return Err(de::Error::custom(format_args!("the field `{name}` is there twice")));
            }
            let mut one = OneField { name: &name, from: Some(&mut from), names: Vec::new(), of: PhantomData };
            self.0.write_fields(&mut one)?;
            if one.from.is_some() {
                let names = one.names.join(", ");
                self.1(&self.0, Asked::Unknown(&name)).map_err(de::Error::custom)?;
                let only =
                    if names.is_empty() { "there are none".to_owned() } else { format!("only {names}") };
                return Err(de::Error::custom(format_args!("there is no field `{name}`, {only}")));
            }
            self.1(&self.0, Asked::Field(&name)).map_err(de::Error::custom)?;
            seen.push(name);
        }
        self.1(&self.0, Asked::All).map_err(de::Error::custom)?;
        Ok(self.0)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut from: A) -> Result<T, A::Error> {
        self.0.write_fields(&mut InOrder(&mut from, PhantomData))?;
        self.1(&self.0, Asked::All).map_err(de::Error::custom)?;
        match from.next_element::<de::IgnoredAny>()? {
            None => Ok(self.0),
            Some(_) => Err(de::Error::custom("more elements than there are fields")),
        }
    }
}

/// Reads the value of one field by its name.
struct OneField<'a, 'de, A> {
    name: &'a str,
    /// Where the value comes from, until it was read.
    from: Option<&'a mut A>,
    names: Vec<&'static str>,
    of: PhantomData<&'de ()>,
}

impl<'de, A: MapAccess<'de>> WriteFields for OneField<'_, 'de, A> {
    type Error = A::Error;

    fn field<T: Value>(&mut self, name: &'static str, value: &mut T) -> Result<(), A::Error> {
        self.names.push(name);
        if name == self.name
            && let Some(from) = self.from.take()
        {
            *value = from
                .next_value_seed(LoadedOver(value))
                .map_err(|error| de::Error::custom(format_args!("field `{name}`: {error}")))?;
        }
        Ok(())
    }
}

/// Reads the values of fields in their order.
struct InOrder<'a, 'de, A>(&'a mut A, PhantomData<&'de ()>);

impl<'de, A: SeqAccess<'de>> WriteFields for InOrder<'_, 'de, A> {
    type Error = A::Error;

    fn field<T: Value>(&mut self, name: &'static str, value: &mut T) -> Result<(), A::Error> {
        let read = self.0.next_element_seed(LoadedOver(value));
        if let Some(read) =
            read.map_err(|error| de::Error::custom(format_args!("field `{name}`: {error}")))?
        {
            *value = read;
        }
        Ok(())
    }
}
