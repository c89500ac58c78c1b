//! The words that values are quantized to: what they may be, and when they are there.

/// How the difference between two values of a word is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// A number: near values are likely.
    Number,
    /// A number modulo a power of two: the short way round is likely.
    Wrapping,
    /// One of several, whose numbers mean nothing.
    Choice,
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
    /// What it depends on, if it is not always there. A word that is not there is zero, and takes no bits.
    pub when: Option<When>,
}

/// A word is there while an earlier word is there and has a value in `lo..=hi`: the tag of an enum, the length of a
/// list, the presence of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    /// How many words before this one the other is.
    pub back: u16,
    /// Its smallest value.
    pub lo: u32,
    /// Its largest value.
    pub hi: u32,
}

impl Word {
    pub(crate) const fn number(max: u32) -> Self {
        Self { max, kind: WordKind::Number, when: None }
    }

    pub(crate) const fn wrapping(bits: u32) -> Self {
        Self { max: (1 << bits) - 1, kind: WordKind::Wrapping, when: None }
    }

    pub(crate) const fn pattern() -> Self {
        Self { max: u32::MAX, kind: WordKind::Pattern, when: None }
    }

    pub(super) const fn when(self, back: usize, lo: u32, hi: u32) -> Self {
        assert!(back <= u16::MAX as usize, "a component of more than 65,535 words");
        Self { when: Some(When { back: back as u16, lo, hi }), ..self }
    }

    /// How many bits its largest value has.
    #[must_use]
    pub const fn bits(self) -> u32 {
        u32::BITS - self.max.leading_zeros()
    }

    /// The most bits that plain coding takes for it: a flag and, at worst, an escape before all of its bits.
    pub(super) const fn max_bits(self) -> usize {
        if self.max == 0 { 0 } else { 1 + crate::codec::ESCAPE as usize + self.bits() as usize }
    }
}

/// Whether word number `at` of a row is there, by the words before it, and has anything to tell.
#[inline]
#[must_use]
pub fn is_there(words: &[Word], row: &[u32], at: usize) -> bool {
    let Some(word) = words.get(at).filter(|word| word.max > 0) else { return false };
    word.when.is_none() || depends_on_what_is_there(words, row, at)
}

fn depends_on_what_is_there(words: &[Word], row: &[u32], mut at: usize) -> bool {
    while let Some(when) = words.get(at).and_then(|word| word.when) {
        let Some(on) = at.checked_sub(usize::from(when.back)).filter(|&on| on < at) else { return false };
        if row.get(on).is_none_or(|value| !(when.lo..=when.hi).contains(value)) {
            return false;
        }
        at = on;
    }
    true
}
