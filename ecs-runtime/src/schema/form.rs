//! What the wire knows of a field: the form of its elements, and the layers around them.

use super::{EnumSchema, StructSchema, Word};

/// How an element of a field is sent.
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
    Float {
        /// 32 or 64.
        bits: u32,
    },
    /// A rotation: which of four numbers is the largest, and the other three in so many bits each.
    Rotation {
        /// The bits of each of the three.
        bits: u32,
    },
    /// A direction in space, by two coordinates on an octahedron.
    UnitVector {
        /// The bits of each coordinate.
        bits: u32,
    },
    /// A reference to an entity.
    Reference {
        /// The largest number of entities of the state.
        max_entities: u32,
    },
    /// A text of at most `max` bytes of UTF-8.
    Text {
        /// The most bytes.
        max: u32,
    },
    /// A struct marked `#[value]`.
    Struct(&'static StructSchema),
    /// An enum marked `#[value]`.
    Enum(&'static EnumSchema),
}

/// What is around the elements of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// An array: so many.
    Array(usize),
    /// A [`List`](crate::List): at most so many.
    List(usize),
    /// An `Option`.
    Option,
    /// A vector type, which stands for an array of so many.
    Lanes(usize),
}

impl Form {
    /// How many words one value of this form takes.
    #[must_use]
    pub const fn words(self) -> usize {
        match self {
            Self::Unsent => 0,
            Self::Range { lo, hi } if hi - lo > u32::MAX as i128 => 2,
            Self::Float { bits: 64 } | Self::Reference { .. } | Self::UnitVector { .. } => 2,
            Self::Flag | Self::Range { .. } | Self::Step { .. } | Self::Angle { .. } | Self::Float { .. } => {
                1
            }
            Self::Rotation { .. } => 4,
            Self::Text { max } => 1 + max.div_ceil(4) as usize,
            Self::Struct(schema) => schema.words.len(),
            Self::Enum(schema) => schema.words(),
        }
    }

    /// The most bits that a value of this form may take from a coder of plain bits.
    pub(super) const fn max_bits(self) -> usize {
        match self {
            Self::Struct(schema) => super::max_bits(schema.fields),
            Self::Enum(schema) => {
                let (mut largest, mut i) = (0, 0);
                while i < schema.variants.len() {
                    let bits = super::max_bits(schema.variants[i].fields);
                    largest = if bits > largest { bits } else { largest };
                    i += 1;
                }
                largest + schema.tag().max_bits()
            }
            _ => {
                let (mut bits, mut i) = (0, 0);
                while i < self.words() {
                    bits += self.scalar_word(i).max_bits();
                    i += 1;
                }
                bits
            }
        }
    }

    /// Word number `at` of a form that is neither struct nor enum.
    const fn scalar_word(self, at: usize) -> Word {
        match self {
            Self::Range { lo, hi } => {
                let span = (hi - lo) as u128;
                if at == 1 {
                    Word::number((span >> 32) as u32)
                } else if span > u32::MAX as u128 {
                    Word::number(u32::MAX)
                } else {
                    Word::number(span as u32)
                }
            }
            Self::Step { last, .. } => Word::number(last),
            Self::Angle { bits } => Word::wrapping(bits),
            Self::Float { .. } => Word::pattern(),
            Self::Rotation { .. } if at == 0 => Word::number(3),
            Self::Rotation { bits } => Word::number((1 << bits) - 2),
            Self::UnitVector { bits } => Word::number((1 << bits) - 2),
            Self::Reference { max_entities } if at == 0 => Word::number(max_entities),
            Self::Reference { .. } => Word::number(u32::MAX >> 1),
            Self::Text { max } if at == 0 => Word::number(max),
            // Four bytes, as long as the text reaches that far.
            Self::Text { max } => Word::pattern().when(at, 4 * (at as u32 - 1) + 1, max),
            Self::Unsent | Self::Flag | Self::Struct(_) | Self::Enum(_) => Word::number(1),
        }
    }
}

/// How many words a field takes, its layers included.
pub(super) const fn field_words(layers: &[Layer], form: Form) -> usize {
    let mut words = form.words();
    let mut i = layers.len();
    while i > 0 {
        i -= 1;
        words = match layers[i] {
            Layer::Array(count) | Layer::Lanes(count) => count.saturating_mul(words),
            Layer::List(max) => max.saturating_mul(words).saturating_add(1),
            Layer::Option => words.saturating_add(1),
        };
    }
    words
}

/// The most bits that a field may take, its layers included.
pub(super) const fn field_bits(layers: &[Layer], form: Form) -> usize {
    let mut bits = form.max_bits();
    let mut i = layers.len();
    while i > 0 {
        i -= 1;
        bits = match layers[i] {
            Layer::Array(count) | Layer::Lanes(count) => count * bits,
            Layer::List(max) => Word::number(max as u32).max_bits() + max * bits,
            Layer::Option => Word::number(1).max_bits() + bits,
        };
    }
    bits
}

/// Appends the words of a field at `at`, and gives the place behind them.
pub(super) const fn push_field<const N: usize>(
    words: &mut [Word; N],
    at: usize,
    layers: &[Layer],
    form: Form,
) -> usize {
    let Some((layer, inner)) = layers.split_first() else { return push_form(words, at, form) };
    let step = field_words(inner, form);
    let (mut next, mut i) = (at, 0);
    match *layer {
        Layer::Array(count) | Layer::Lanes(count) => {
            while i < count {
                next = push_field(words, next, inner, form);
                i += 1;
            }
        }
        Layer::List(max) => {
            words[at] = Word::number(max as u32);
            next += 1;
            while i < max {
                push_field(words, next, inner, form);
                depend(words, next, step, at, i as u32 + 1, max as u32);
                next += step;
                i += 1;
            }
        }
        Layer::Option => {
            words[at] = Word::number(1);
            next = push_field(words, at + 1, inner, form);
            depend(words, at + 1, step, at, 1, 1);
        }
    }
    next
}

/// Collects where the words of references begin in a field at `at`; gives the place behind the field.
pub(crate) fn find_references(layers: &[Layer], form: Form, at: usize, found: &mut Vec<usize>) -> usize {
    let fields = |fields: &[super::Field], at: usize, found: &mut Vec<usize>| {
        fields.iter().fold(at, |at, field| find_references(field.layers, field.form, at, found))
    };
    match (layers.split_first(), form) {
        (Some((Layer::Array(count) | Layer::Lanes(count), inner)), _) => {
            (0..*count).fold(at, |at, _| find_references(inner, form, at, found))
        }
        (Some((Layer::List(max), inner)), _) => {
            (0..*max).fold(at + 1, |at, _| find_references(inner, form, at, found))
        }
        (Some((Layer::Option, inner)), _) => find_references(inner, form, at + 1, found),
        (None, Form::Struct(schema)) => fields(schema.fields, at, found),
        (None, Form::Enum(schema)) => {
            schema.variants.iter().fold(at + 1, |at, variant| fields(variant.fields, at, found))
        }
        (None, Form::Reference { .. }) => {
            found.push(at);
            at + form.words()
        }
        (None, _) => at + form.words(),
    }
}

const fn push_form<const N: usize>(words: &mut [Word; N], at: usize, form: Form) -> usize {
    match form {
        Form::Struct(schema) => copy(words, at, schema.words),
        Form::Enum(schema) => {
            words[at] = schema.tag();
            let (mut next, mut variant) = (at + 1, 0);
            while variant < schema.variants.len() {
                let variant_words = schema.variants[variant].words;
                copy(words, next, variant_words);
                depend(words, next, variant_words.len(), at, variant as u32, variant as u32);
                next += variant_words.len();
                variant += 1;
            }
            next
        }
        _ => {
            let mut i = 0;
            while i < form.words() {
                words[at + i] = form.scalar_word(i);
                i += 1;
            }
            at + i
        }
    }
}

const fn copy<const N: usize>(words: &mut [Word; N], at: usize, from: &[Word]) -> usize {
    let mut i = 0;
    while i < from.len() {
        words[at + i] = from[i];
        i += 1;
    }
    at + i
}

/// Makes the words that depend on none yet depend on word `on`: they are there while it is in `lo..=hi`.
const fn depend<const N: usize>(
    words: &mut [Word; N],
    first: usize,
    count: usize,
    on: usize,
    lo: u32,
    hi: u32,
) {
    let mut i = first;
    while i < first + count {
        if words[i].when.is_none() {
            words[i] = words[i].when(i - on, lo, hi);
        }
        i += 1;
    }
}
