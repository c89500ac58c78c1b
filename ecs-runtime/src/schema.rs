//! The schema: what a state's components look like on the wire, as constants.

use core::fmt;
use core::fmt::Write as _;

/// The largest number of bits that one component may take in its largest encoding: what is left of the smallest
/// packet (512 bytes) after its header and the entity's own words.
pub const MAX_COMPONENT_BITS: usize = (512 - 64) * 8;

/// What the wire knows of a field's element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// Marked `#[dont_send]`: no bit of it leaves the process.
    Unsent,
    /// A `bool`.
    Flag,
    /// An integer in `lo..=hi`.
    Range {
        /// The smallest value.
        lo: i128,
        /// The largest value.
        hi: i128,
    },
    /// A float as one of `0..=last` steps above `min`.
    Step {
        /// The value of step 0.
        min: f64,
        /// The distance between two values.
        step: f64,
        /// The number of the largest value's step.
        last: u32,
    },
    /// An angle as one of `2^bits` directions.
    Angle {
        /// How many bits a direction has.
        bits: u32,
    },
    /// A float bit by bit.
    Float,
    /// A reference to an entity.
    Reference {
        /// The largest number of entities of the state.
        max_entities: u32,
    },
}

/// How the difference between two values of a word is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// A number: near values are likely.
    Number,
    /// A number modulo a power of two: the short way round is likely.
    Wrapping,
    /// A pattern of bits whose differences mean nothing.
    Pattern,
}

/// One word of a row: a number from 0 to `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The largest value.
    pub max: u32,
    /// How its differences behave.
    pub kind: WordKind,
}

impl Word {
    pub(crate) const fn number(max: u32) -> Self {
        Self { max, kind: WordKind::Number }
    }

    pub(crate) const fn wrapping(bits: u32) -> Self {
        Self { max: (1 << bits) - 1, kind: WordKind::Wrapping }
    }

    pub(crate) const fn pattern() -> Self {
        Self { max: u32::MAX, kind: WordKind::Pattern }
    }

    /// How many bits its largest value has.
    #[must_use]
    pub const fn bits(self) -> u32 {
        u32::BITS - self.max.leading_zeros()
    }
}

/// One field of a struct.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// The field's name; for a tuple's field its number.
    pub name: &'static str,
    /// The field's type as it stands in the source.
    pub type_name: &'static str,
    /// How an element of it is sent.
    pub form: Form,
    /// How many elements it has: 1, or the length of its array.
    pub count: usize,
    /// Whether it is marked `#[interpolate]`.
    pub interpolate: bool,
}

impl Field {
    /// A field of `count` elements, each sent as `form`.
    #[must_use]
    pub const fn new(name: &'static str, type_name: &'static str, form: Form, count: usize) -> Self {
        Self { name, type_name, form, count, interpolate: false }
    }

    /// The same field, marked `#[interpolate]`.
    #[must_use]
    pub const fn interpolated(self) -> Self {
        Self { interpolate: true, ..self }
    }

    /// Whether it is sent.
    #[must_use]
    pub const fn is_sent(&self) -> bool {
        !matches!(self.form, Form::Unsent)
    }
}

/// How many words a struct of these fields has.
#[must_use]
pub const fn row_len(fields: &[Field]) -> usize {
    let (mut words, mut i) = (0, 0);
    while i < fields.len() {
        words += fields[i].count * fields[i].form.words();
        i += 1;
    }
    words
}

/// The words of a struct of these fields, where `N` is [`row_len`] of them.
#[must_use]
pub const fn row_words<const N: usize>(fields: &[Field]) -> [Word; N] {
    let mut words = [Word::number(0); N];
    let (mut at, mut i) = (0, 0);
    while i < fields.len() {
        let form = fields[i].form;
        let mut element = 0;
        while element < fields[i].count {
            let mut word = 0;
            while word < form.words() {
                words[at] = form.word(word);
                at += 1;
                word += 1;
            }
            element += 1;
        }
        i += 1;
    }
    words
}

/// An upper bound of the bits that a row of these words takes, whatever the values.
#[must_use]
pub const fn max_row_bits(words: &[Word]) -> usize {
    let (mut bits, mut i) = (0, 0);
    while i < words.len() {
        // A changed word costs its flag and, at worst, an escape before all of its bits.
        bits += 1 + crate::codec::ESCAPE as usize + words[i].bits() as usize;
        i += 1;
    }
    bits
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
}

impl StructSchema {
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
        f.write_str(" {")?;
        for (i, field) in self.fields.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma} {field}")?;
        }
        f.write_str(if self.fields.is_empty() { "}" } else { " }" })
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.type_name)?;
        if self.count != 1 {
            write!(f, " x{}", self.count)?;
        }
        write!(f, " {}", self.form)?;
        if self.interpolate {
            f.write_str(" interpolate")?;
        }
        Ok(())
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
            Self::Float => f.write_str("float"),
            Self::Reference { max_entities } => write!(f, "reference to {max_entities}"),
        }
    }
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
}

impl Schema {
    /// A hash over names, order, types and attributes; the same in every build and on every platform.
    ///
    /// FNV-1a, 64 bits, of the text that [`Display`](fmt::Display) prints.
    #[must_use]
    pub fn hash(&self) -> u64 {
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
        let _ = write!(hash, "{self}");
        hash.0
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
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Range, Step};

    const FIELDS: &[Field] = &[
        Field::new("hp", "i32", Range::<i32>::new(0, 1000).form(), 1),
        Field::new("at", "[f32; 3]", Step::new(-1.0, 1.0, 0.5).form(), 3).interpolated(),
        Field::new("note", "u8", Form::Unsent, 1),
        Field::new("id", "u64", Range::<u64>::FULL.form(), 1),
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
        static A: StructSchema = StructSchema { name: "A", fields: FIELDS, words: &WORDS, sent: true };
        static B: StructSchema = StructSchema { name: "B", fields: &[], words: &[], sent: true };
        static UNSENT: StructSchema = StructSchema { name: "B", fields: &[], words: &[], sent: false };
        let hash = |max_entities, components: [&'static StructSchema; 2]| {
            Schema { max_entities, components: Vec::from(components).leak(), commands: &[] }.hash()
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
