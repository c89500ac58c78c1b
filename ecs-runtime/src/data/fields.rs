//! Fields as data: a map by their names, or a sequence of them.

use core::fmt;
use core::marker::PhantomData;

use serde::Serialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq, Serializer};

use super::{Data, Fields, ReadFields, WriteFields};
use crate::Value;

/// A value that serde writes.
pub(super) struct Saved<'a, T>(pub(super) &'a T);

impl<T: Data> Serialize for Saved<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.save(to)
    }
}

/// A value that serde reads.
pub(super) struct Loaded<T>(pub(super) PhantomData<T>);

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

pub(super) struct SavedFields<'a, T>(pub(super) &'a T);

impl<T: Fields> Serialize for SavedFields<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        save_fields(self.0, to)
    }
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
pub(super) struct LoadedFields<T, F>(pub(super) T, pub(super) F);

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
