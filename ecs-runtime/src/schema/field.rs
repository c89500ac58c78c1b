//! The fields of a struct.

use super::Word;
use super::form::{self, Form, Layer};

/// One field of a struct.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// The field's name; for a tuple's field its number.
    pub name: &'static str,
    /// The field's type as it stands in the source.
    pub type_name: &'static str,
    /// What is around its elements, the outermost first.
    pub layers: &'static [Layer],
    /// How an element of it is sent.
    pub form: Form,
    /// Whether it is marked `#[interpolate]`.
    pub interpolate: bool,
    /// Whether it is marked `#[snap]`.
    pub snap: bool,
    /// Whether it is marked `#[owner_only]`.
    pub owner_only: bool,
    /// Whether it is marked `#[owned]`.
    pub owned: bool,
}

impl Field {
    /// A field whose elements are sent as `form`.
    #[must_use]
    pub const fn new(
        name: &'static str,
        type_name: &'static str,
        layers: &'static [Layer],
        form: Form,
    ) -> Self {
        Self {
            name,
            type_name,
            layers,
            form,
            interpolate: false,
            snap: false,
            owner_only: false,
            owned: false,
        }
    }

    /// The same field, marked `#[interpolate]`.
    #[must_use]
    pub const fn interpolated(self) -> Self {
        Self { interpolate: true, ..self }
    }

    /// The same field, marked `#[snap]`.
    #[must_use]
    pub const fn snapped(self) -> Self {
        Self { snap: true, ..self }
    }

    /// The same field, marked `#[owner_only]`.
    #[must_use]
    pub const fn for_owner_only(self) -> Self {
        Self { owner_only: true, ..self }
    }

    /// The same field, marked `#[owned]`.
    #[must_use]
    pub const fn of_owned(self) -> Self {
        Self { owned: true, ..self }
    }

    /// Whether it is sent.
    #[must_use]
    pub const fn is_sent(&self) -> bool {
        !matches!(self.form, Form::Unsent)
    }

    /// The names of its marks.
    pub fn marks(&self) -> impl Iterator<Item = &'static str> + use<> {
        let marks = [
            (self.interpolate, "interpolate"),
            (self.snap, "snap"),
            (self.owner_only, "owner_only"),
            (self.owned, "owned"),
        ];
        marks.into_iter().filter(|(marked, _)| *marked).map(|(_, name)| name)
    }

    /// How many words it takes.
    #[must_use]
    pub const fn words(&self) -> usize {
        form::field_words(self.layers, self.form)
    }
}

/// How many words a struct of these fields has.
#[must_use]
pub const fn row_len(fields: &[Field]) -> usize {
    let (mut words, mut i) = (0_usize, 0);
    while i < fields.len() {
        words = words.saturating_add(fields[i].words());
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
        at = form::push_field(&mut words, at, fields[i].layers, fields[i].form);
        i += 1;
    }
    words
}

/// An upper bound of the bits that a row of these fields takes, whatever the values.
#[must_use]
pub const fn max_bits(fields: &[Field]) -> usize {
    let (mut bits, mut i) = (0, 0);
    while i < fields.len() {
        bits += form::field_bits(fields[i].layers, fields[i].form);
        i += 1;
    }
    bits
}
