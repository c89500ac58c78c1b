//! The schema: what a state's components look like on the wire, as constants.

mod difference;
mod document;
mod field;
mod form;
mod word;

use core::fmt;
use core::fmt::Write as _;

pub use difference::{Difference, SchemaPart, What};
pub use document::{DocumentError, FieldDocument, SchemaDocument, StructDocument};
pub use field::{Field, Motion, max_bits, row_len, row_words};
pub(crate) use form::find_references;
pub use form::{Form, Layer};
pub use word::{When, Word, WordKind, is_there};

/// The largest number of bits that one component may take in its largest encoding: what is left of the smallest
/// packet (512 bytes) after its header and the entity's own words.
pub const MAX_COMPONENT_BITS: usize = (512 - 64) * 8;

/// What is known of an enum marked `#[value]` at compile time.
#[derive(Debug, PartialEq)]
pub struct EnumSchema {
    /// The enum's name.
    pub name: &'static str,
    /// Its variants, in order, each with its fields.
    pub variants: &'static [StructSchema],
}

impl EnumSchema {
    /// How many words it takes: the number of the variant, and the words of each variant.
    #[must_use]
    pub const fn words(&self) -> usize {
        self.offset(self.variants.len())
    }

    /// Where the words of a variant begin.
    #[must_use]
    pub const fn offset(&self, variant: usize) -> usize {
        let (mut words, mut i) = (1, 0);
        while i < variant && i < self.variants.len() {
            words += self.variants[i].words.len();
            i += 1;
        }
        words
    }

    const fn tag(&self) -> Word {
        Word { kind: WordKind::Choice, ..Word::number(self.variants.len().saturating_sub(1) as u32) }
    }
}

/// What is known of one annotated struct at compile time.
#[derive(Debug, PartialEq)]
pub struct StructSchema {
    /// The struct's name, which is its name on the wire.
    pub name: &'static str,
    /// Its fields, in order.
    pub fields: &'static [Field],
    /// The words of its sent fields, in order.
    pub words: &'static [Word],
    /// `false` for a struct marked `#[dont_send]`.
    pub sent: bool,
    /// What is between the parentheses of its attribute, `singleton` or `reliable`; and `owner_only` if the whole struct
    /// is marked so.
    pub marks: &'static [&'static str],
}

impl StructSchema {
    /// The schema of a struct marked `#[value]`, or of a variant.
    #[must_use]
    pub const fn of_value(name: &'static str, fields: &'static [Field], words: &'static [Word]) -> Self {
        Self { name, fields, words, sent: true, marks: &[] }
    }

    /// Whether all of it is for the entity's owner alone, that it is there at all included.
    #[must_use]
    pub fn is_owner_only(&self) -> bool {
        self.marks.contains(&"owner_only")
    }

    /// Whether it is an event that arrives exactly once.
    #[must_use]
    pub fn is_reliable(&self) -> bool {
        self.marks.contains(&"reliable")
    }

    /// Its fields that are sent, in order.
    pub fn sent_fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.fields.iter().filter(|field| field.is_sent())
    }
}

impl fmt::Display for StructSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if !self.sent {
            f.write_str(" dont_send")?;
        }
        self.marks.iter().try_for_each(|mark| write!(f, " {mark}"))?;
        f.write_str(" {")?;
        for (i, field) in self.fields.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma} {field}")?;
        }
        f.write_str(if self.fields.is_empty() { "}" } else { " }" })
    }
}

impl fmt::Display for EnumSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [", self.name)?;
        for (i, variant) in self.variants.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{variant}")?;
        }
        f.write_str("]")
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.type_name)?;
        for layer in self.layers {
            write!(f, " {layer}")?;
        }
        write!(f, " {}", self.form)?;
        self.marks().try_for_each(|mark| write!(f, " {mark}"))
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Array(count) | Self::Lanes(count) => write!(f, "x{count}"),
            Self::List(max) => write!(f, "list of {max}"),
            Self::Option => f.write_str("option"),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsent => f.write_str("dont_send"),
            Self::Flag => f.write_str("flag"),
            Self::Range { lo, hi } => write!(f, "{lo}..={hi}"),
            Self::Step { min, step, last } => write!(f, "{min} + {step} * 0..={last}"),
            Self::Angle { bits } => write!(f, "angle of {bits} bits"),
            Self::Float { bits: 32 } => f.write_str("float"),
            Self::Float { bits } => write!(f, "float of {bits} bits"),
            Self::Rotation { bits } => write!(f, "rotation of {bits} bits"),
            Self::UnitVector { bits } => write!(f, "unit vector of {bits} bits"),
            Self::Reference { max_entities } => write!(f, "reference to {max_entities}"),
            Self::Text { max } => write!(f, "text of {max} bytes"),
            Self::Struct(schema) => write!(f, "{schema}"),
            Self::Enum(schema) => write!(f, "{schema}"),
        }
    }
}

/// FNV-1a, 64 bits, of what something prints as.
pub(crate) fn fnv(of: impl fmt::Display) -> u64 {
    struct Fnv(u64);

    impl fmt::Write for Fnv {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for byte in text.bytes() {
                self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
            Ok(())
        }
    }

    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    // `Fnv` never fails, so neither does the write.
    let _ = write!(hash, "{of}");
    hash.0
}

/// The whole schema of a state: what both sides of a connection must agree on.
#[derive(Debug, PartialEq)]
pub struct Schema {
    /// The largest number of entities that a state holds.
    pub max_entities: u32,
    /// The components, in the order of the list, which is the order on the wire.
    pub components: &'static [&'static StructSchema],
    /// The commands, in the order of the list.
    pub commands: &'static [&'static StructSchema],
    /// The events, in the order of the list.
    pub events: &'static [&'static StructSchema],
}

impl Schema {
    /// A hash over names, order, types and attributes; the same in every build and on every platform.
    ///
    /// FNV-1a, 64 bits, of the text that [`Display`](fmt::Display) prints.
    #[must_use]
    pub fn hash(&self) -> u64 {
        fnv(self)
    }

    /// How many 64-bit words a mask of the components takes.
    #[must_use]
    pub const fn mask_words(&self) -> usize {
        let words = self.components.len().div_ceil(64);
        if words == 0 { 1 } else { words }
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "max_entities {}", self.max_entities)?;
        for component in self.components {
            writeln!(f, "component {component}")?;
        }
        for command in self.commands {
            writeln!(f, "command {command}")?;
        }
        for event in self.events {
            writeln!(f, "event {event}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Range, Step};

    const FIELDS: &[Field] = &[
        Field::new("hp", "i32", &[], Range::<i32>::new(0, 1000).form()),
        Field::new("at", "[f32; 3]", &[Layer::Array(3)], Step::<f32>::new(-1.0, 1.0, 0.5).form())
            .interpolated(),
        Field::new("note", "u8", &[], Form::Unsent),
        Field::new("id", "u64", &[], Range::<u64>::FULL.form()),
    ];

    #[test]
    fn words_follow_the_fields() {
        const WORDS: [Word; row_len(FIELDS)] = row_words(FIELDS);
        let maxima: Vec<_> = WORDS.iter().map(|word| word.max).collect();
        assert_eq!(maxima, [1000, 4, 4, 4, u32::MAX, u32::MAX]);
        assert_eq!(WORDS.iter().map(|word| word.bits()).collect::<Vec<_>>(), [10, 3, 3, 3, 32, 32]);
    }

    #[test]
    fn the_hash_sees_names_order_types_and_attributes() {
        const WORDS: [Word; row_len(FIELDS)] = row_words(FIELDS);
        static A: StructSchema =
            StructSchema { name: "A", fields: FIELDS, words: &WORDS, sent: true, marks: &[] };
        static B: StructSchema = StructSchema { name: "B", fields: &[], words: &[], sent: true, marks: &[] };
        static UNSENT: StructSchema =
            StructSchema { name: "B", fields: &[], words: &[], sent: false, marks: &[] };
        let hash = |max_entities, components: [&'static StructSchema; 2]| {
            Schema { max_entities, components: Vec::from(components).leak(), commands: &[], events: &[] }
                .hash()
        };
        let base = hash(64, [&A, &B]);
        assert_eq!(base, hash(64, [&A, &B]));
        for other in [hash(65, [&A, &B]), hash(64, [&B, &A]), hash(64, [&A, &UNSENT])] {
            assert_ne!(base, other);
        }
        assert_eq!(
            A.to_string(),
            "A { hp: i32 0..=1000, at: [f32; 3] x3 -1 + 0.5 * 0..=4 interpolate, note: u8 dont_send, \
             id: u64 0..=18446744073709551615 }"
        );
    }
}
