//! Components and values as data: read from a file, written to one, shown to a person.
//!
//! Structs and enums tell their fields by name, one after the other; everything else follows from that.

mod fields;
mod leaf;

use core::fmt;
use core::marker::PhantomData;

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};

pub(crate) use self::fields::{Asked, load_fields, save_fields};
use self::fields::{LoadedFields, SavedFields};
use crate::schema::Form;
use crate::{Composite, Value};

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

/// What is wrong with a text in JSON, without the place, which is told apart.
pub(crate) fn json_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}
