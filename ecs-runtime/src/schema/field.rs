//! The fields of a struct.

use serde::{Deserialize, Serialize};

use super::form::{self, Form, Layer};
use super::{Word, WordKind};

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
    /// How it moves, if that is known: by `#[predict]`, or because it is a rotation.
    pub motion: Option<Motion>,
}

/// How the numbers of a field move together. It says what is expected of them, and changes nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Motion {
    /// One to three numbers that go on as they went: `#[predict(linear)]`.
    Linear,
    /// The words of a rotation, which turns on as it turned: `#[predict(rotation)]` and `#[rotation]`.
    Rotation,
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
            motion: match (form, layers) {
                (Form::Rotation { bits: 4..=16 }, []) => Some(Motion::Rotation),
                _ => None,
            },
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

    /// The same field, marked `#[predict(..)]`.
    #[must_use]
    pub const fn predicted(self, motion: Motion) -> Self {
        Self { motion: Some(motion), ..self }
    }

    /// Whether its words can move as it says: one to three numbers of at most 24 bits, or a number in `0..=3` and three
    /// equal ones of 4 to 16 bits.
    #[must_use]
    pub const fn can_move(&self) -> bool {
        let (words, mut i) = (self.first_words(), 0);
        match self.motion {
            None => true,
            Some(Motion::Linear) => {
                let mut fits = 0 < self.words() && self.words() <= 3;
                while fits && i < self.words() {
                    let number = matches!(words[i].kind, WordKind::Number | WordKind::Wrapping);
                    fits = number && words[i].bits() <= 24 && words[i].when.is_none();
                    i += 1;
                }
                fits
            }
            Some(Motion::Rotation) => {
                let max = words[1].max;
                let alike = max == words[2].max && max == words[3].max;
                while i < 4 && matches!(words[i].kind, WordKind::Number) && words[i].when.is_none() {
                    i += 1;
                }
                i == 4 && self.words() == 4 && words[0].max == 3 && alike && 15 <= max && max <= 65_535
            }
        }
    }

    /// Its first words, if it has no more than these.
    const fn first_words(&self) -> [Word; 4] {
        let mut words = [Word::number(0); 4];
        if self.words() <= 4 {
            form::push_field(&mut words, 0, self.layers, self.form);
        }
        words
    }

    /// Whether it is sent.
    #[must_use]
    pub const fn is_sent(&self) -> bool {
        !matches!(self.form, Form::Unsent)
    }

    /// The names of its marks.
    pub fn marks(&self) -> impl Iterator<Item = &'static str> + use<> {
        let predicted = !matches!(self.form, Form::Rotation { .. });
        let marks = [
            (self.interpolate, "interpolate"),
            (self.snap, "snap"),
            (self.owner_only, "owner_only"),
            (self.owned, "owned"),
            (self.motion == Some(Motion::Linear), "predict(linear)"),
            (self.motion == Some(Motion::Rotation) && predicted, "predict(rotation)"),
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
