//! Which component of two schemas differs: short hashes of their parts, for a greeting and its answer.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

use super::PacketError;
use super::header::{read_u8, read_u16, read_u32};
use crate::codec::BitReader;
use crate::schema::{Schema, StructSchema, fnv};
use crate::{Text, TooLong};

/// A name as it travels; longer ones are cut.
pub(super) type Name = Text<48>;

/// How many hashes a greeting has room for. Of more parts, several share one.
const MAX_HASHES: usize = 96;

/// How many fields an answer tells of.
const MAX_FIELDS: usize = 32;

/// Hashes of the parts of a schema: components, commands and events, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    /// How many parts there are.
    parts: u16,
    hashes: [u32; MAX_HASHES],
}

/// What a server says of the first part that is not the client's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Which part, in order; of a group that shares a hash, the first.
    at: u16,
    /// The server's name of it; empty if it has fewer parts, or none differs.
    pub(super) name: Name,
    /// The hashes of its fields.
    fields: [u32; MAX_FIELDS],
    count: u8,
}

fn parts(schema: &Schema) -> impl Iterator<Item = &'static StructSchema> {
    schema.components.iter().chain(schema.commands).chain(schema.events).copied()
}

/// The lower half of a hash of what a part prints as.
fn hash_of(part: impl core::fmt::Display) -> u32 {
    fnv(part) as u32
}

/// A name, cut to what travels.
pub(super) fn name(text: &str) -> Name {
    Name::cut(text)
}

impl Digest {
    pub(super) fn of(schema: &Schema) -> Self {
        let mut digest = Self { parts: parts(schema).count() as u16, hashes: [0; MAX_HASHES] };
        let group = digest.group();
        for (at, part) in parts(schema).enumerate() {
            if let Some(hash) = digest.hashes.get_mut(at / group) {
                *hash = hash.rotate_left(5) ^ hash_of(part);
            }
        }
        digest
    }

    /// How many parts share a hash.
    fn group(&self) -> usize {
        usize::from(self.parts).div_ceil(MAX_HASHES).max(1)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.parts.to_le_bytes());
        out.extend(self.hashes.iter().flat_map(|hash| hash.to_le_bytes()));
    }

    pub(super) fn read(reader: &mut BitReader<'_>) -> Result<Self, PacketError> {
        let mut digest = Self { parts: read_u16(reader)?, hashes: [0; MAX_HASHES] };
        for hash in &mut digest.hashes {
            *hash = read_u32(reader)?;
        }
        Ok(digest)
    }
}

impl Mismatch {
    /// What a server with a schema says to a client's digest.
    pub(super) fn between(ours: &Schema, theirs: &Digest) -> Self {
        let digest = Digest::of(ours);
        let differs = digest.hashes.iter().zip(&theirs.hashes).position(|(ours, theirs)| ours != theirs);
        let count = usize::from(digest.parts.max(theirs.parts));
        let at = if digest.group() == theirs.group() {
            differs.map_or(count, |at| at * digest.group())
        } else {
            0
        };
        let part = parts(ours).nth(at);
        let mut difference = Self {
            at: at as u16,
            name: part.map(|part| name(part.name)).unwrap_or_default(),
            fields: [0; MAX_FIELDS],
            count: part.map_or(0, |part| part.fields.len().min(MAX_FIELDS)) as u8,
        };
        for (hash, field) in difference.fields.iter_mut().zip(part.into_iter().flat_map(|part| part.fields)) {
            *hash = hash_of(field);
        }
        difference
    }

    /// The client's own part in its place, and the first field that differs if both are of one name; nothing where there is
    /// none.
    pub(super) fn of_client(&self, ours: &Schema) -> (Name, Name) {
        let Some(part) = parts(ours).nth(usize::from(self.at)) else { return Default::default() };
        let own = name(part.name);
        if own != self.name {
            return (own, Name::default());
        }
        let theirs = self.fields.get(..usize::from(self.count)).unwrap_or(&[]);
        let differs =
            part.fields.iter().enumerate().find(|(at, field)| theirs.get(*at) != Some(&hash_of(field)));
        (own, differs.map(|(_, field)| name(field.name)).unwrap_or_default())
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.at.to_le_bytes());
        write_text(&self.name, out);
        out.push(self.count);
        out.extend(self.fields.iter().take(usize::from(self.count)).flat_map(|hash| hash.to_le_bytes()));
    }

    pub(super) fn read(reader: &mut BitReader<'_>) -> Result<Self, PacketError> {
        let (at, name) = (read_u16(reader)?, read_text(reader)?);
        let mut difference = Self { at, name, fields: [0; MAX_FIELDS], count: 0 };
        let at_bit = reader.position();
        difference.count = read_u8(reader)?;
        if usize::from(difference.count) > MAX_FIELDS {
            return Err(PacketError::Trailing(at_bit));
        }
        for hash in difference.fields.iter_mut().take(usize::from(difference.count)) {
            *hash = read_u32(reader)?;
        }
        Ok(difference)
    }
}

/// A text with its length before it.
pub(super) fn write_text<const N: usize>(text: &Text<N>, out: &mut Vec<u8>) {
    out.push(text.len() as u8);
    out.extend_from_slice(text.as_bytes());
}

pub(super) fn read_text<const N: usize>(reader: &mut BitReader<'_>) -> Result<Text<N>, PacketError> {
    let at_bit = reader.position();
    let mut bytes = Vec::new();
    for _ in 0..read_u8(reader)? {
        bytes.push(read_u8(reader)?);
    }
    let text = core::str::from_utf8(&bytes).map_err(|_| PacketError::Text(at_bit))?;
    text.parse().map_err(|_: TooLong| PacketError::Text(at_bit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Field, Word, row_len, row_words};
    use crate::wire::Range;

    const HP: Field = Field::new("hp", "u16", &[], Range::<u16>::new(0, 1000).form());
    const MORE_HP: Field = Field::new("hp", "u16", &[], Range::<u16>::new(0, 2000).form());
    const AMMO: Field = Field::new("ammo", "u8", &[], Range::<u8>::FULL.form());

    fn part(name: &'static str, fields: &'static [Field]) -> &'static StructSchema {
        let words: Vec<Word> =
            fields.iter().flat_map(|field| row_words::<1>(core::slice::from_ref(field))).collect();
        assert_eq!(words.len(), row_len(fields));
        Box::leak(Box::new(StructSchema::of_value(name, fields, words.leak())))
    }

    fn schema(max_entities: u32, components: &[&'static StructSchema]) -> Schema {
        Schema { max_entities, components: Vec::from(components).leak(), commands: &[], events: &[] }
    }

    /// What the client is told, over the wire.
    fn told(server: &Schema, client: &Schema) -> (String, String, String) {
        let mut greeting = Vec::new();
        Digest::of(client).write(&mut greeting);
        let digest = Digest::read(&mut BitReader::new(&greeting)).expect("a digest");
        let mut answer = Vec::new();
        Mismatch::between(server, &digest).write(&mut answer);
        let mismatch = Mismatch::read(&mut BitReader::new(&answer)).expect("an answer");
        let (ours, field) = mismatch.of_client(client);
        (mismatch.name.to_string(), ours.to_string(), field.to_string())
    }

    #[test]
    fn a_client_is_told_which_component_and_which_field_differs() {
        let (health, tag) = (part("Health", &[AMMO, HP]), part("Tag", &[]));
        let server = schema(64, &[health, tag]);
        let told = |client: &Schema| told(&server, client);
        let texts = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(
            told(&schema(64, &[part("Health", &[AMMO, MORE_HP]), tag])),
            texts("Health", "Health", "hp")
        );
        assert_eq!(told(&schema(64, &[part("Health", &[AMMO]), tag])), texts("Health", "Health", ""));
        assert_eq!(
            told(&schema(64, &[part("Health", &[AMMO, HP, HP]), tag])),
            texts("Health", "Health", "hp")
        );
        assert_eq!(told(&schema(64, &[tag, health])), texts("Health", "Tag", ""));
        assert_eq!(told(&schema(64, &[health])), texts("Tag", "", ""));
        assert_eq!(told(&schema(64, &[health, tag, part("New", &[])])), texts("", "New", ""));
        assert_eq!(told(&schema(65, &[health, tag])), texts("", "", ""));
    }

    #[test]
    fn of_more_parts_than_hashes_the_first_of_a_group_is_told() {
        let names: Vec<&'static str> = (0..300).map(|at| &*format!("C{at}").leak()).collect();
        let of = |names: &[&'static str]| names.iter().map(|name| part(name, &[])).collect::<Vec<_>>();
        let mut other = names.clone();
        other[201] = "Changed";
        assert_eq!(told(&schema(64, &of(&names)), &schema(64, &of(&other))).0, "C200");
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        for noise in [&[0, 0][..], &[0, 0, 200, 1, 2], &[0, 0, 1, 0xff, 0], &[0, 0, 0, 33]] {
            assert!(Mismatch::read(&mut BitReader::new(noise)).is_err(), "{noise:?}");
        }
    }
}
