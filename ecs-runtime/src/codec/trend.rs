//! How the words of a row are expected to change, from those before them: the part that both directions share.
//!
//! Words of one component tend to change by alike amounts, so the order of a difference's exp-Golomb code follows the
//! differences before it. A row in which nearly all numbers change is *dense*: there "not changed" is a difference of
//! zero. In others it is a flag before each number.

use super::ESCAPE;
use super::forecast::Forecasts;
use crate::schema::{Word, WordKind, is_there};

/// What the words so far say of the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trend {
    /// About how many bits differences have lately.
    order: u32,
    dense: bool,
    none_yet: bool,
}

/// The order of the first difference of a dense row, and of another. Orders around them cost about the same in all
/// that was measured: tumbling bodies, and players at walking pace, a few snapshots after their confirmed state.
const FIRST_ORDER: (u32, u32) = (5, 3);

/// The order after a choice between few values came out otherwise: what follows is as likely to be anything.
const JUMP: u32 = u32::BITS;

impl Trend {
    pub(super) const fn new(dense: bool) -> Self {
        Self { order: if dense { FIRST_ORDER.0 } else { FIRST_ORDER.1 }, dense, none_yet: true }
    }

    /// Whether a row of these words is written as dense or not by a flag: not worth it for a single number.
    pub(super) fn may_be_dense(words: &[Word]) -> bool {
        words.iter().filter(|word| !word.is_plain()).nth(1).is_some()
    }

    /// Whether a change is written as dense: all numbers but one in six change.
    pub(super) fn is_dense(words: &[Word], forecasts: &Forecasts, before: &[u32], new: &[u32]) -> bool {
        let (mut numbers, mut same) = (0, 0);
        for (at, (word, (&before, &value))) in words.iter().zip(before.iter().zip(new)).enumerate() {
            if !word.is_plain() && is_there(words, new, at) {
                numbers += 1;
                same += usize::from(forecasts.at(at, word, before).0 == value);
            }
        }
        same * 6 <= numbers
    }

    /// Whether no word has changed so far.
    pub(super) const fn none_yet(&self) -> bool {
        self.none_yet
    }

    /// Whether numbers that do not change are differences of zero.
    pub(super) const fn dense(&self) -> bool {
        self.dense
    }

    /// The order for the next word's difference.
    pub(super) fn order(&self, word: &Word) -> u32 {
        self.order.min(word.bits())
    }

    /// Takes note of a word.
    #[inline]
    pub(super) fn follow(&mut self, word: &Word, before: u32, new: u32) {
        self.none_yet &= before == new;
        if word.max == 1 || word.kind == WordKind::Pattern {
            return;
        }
        let bits = u32::BITS - word.signed_difference(before, new).unsigned_abs().leading_zeros();
        if !word.is_plain() {
            self.order = bits.max(self.order(word).saturating_sub(1));
        } else if bits > 0 && (bits + 1 >= word.bits() || word.kind == WordKind::Choice) {
            self.order = JUMP;
        }
    }
}

impl Word {
    /// How far one value is from another, the short way round where there are two.
    #[inline]
    pub(super) fn signed_difference(&self, before: u32, new: u32) -> i32 {
        let unused = match self.kind {
            WordKind::Wrapping => self.max.leading_zeros(),
            WordKind::Number | WordKind::Choice | WordKind::Pattern => 0,
        };
        // Shifted up and down again, a difference modulo 2^bits gets the sign of the short way round.
        (new.wrapping_sub(before) << unused).cast_signed() >> unused
    }

    /// Whether its changes are written by a flag and the value: flags, a few values, and patterns.
    pub(super) const fn is_plain(&self) -> bool {
        self.bits() <= 3 || matches!(self.kind, WordKind::Choice | WordKind::Pattern)
    }
}

/// The order of the difference of a number that is likely to have so many bits.
pub(super) fn noisy_order(word: &Word, bits: u32) -> u32 {
    bits.min(word.bits())
}

/// The unary prefix from which on a difference of so many bits is written as the value itself; `None` if it always
/// is, because the code of the order is not shorter.
pub(super) const fn escape(bits: u32, order: u32) -> Option<u32> {
    if order + 1 >= bits {
        return None;
    }
    let longest = bits + 1 - order;
    Some(if longest > ESCAPE { ESCAPE } else { longest })
}

/// The difference of two values as a number, small ones first: 0, +1, -1, +2, -2, ...
#[inline]
pub(super) fn difference(word: &Word, before: u32, new: u32) -> u32 {
    let signed = word.signed_difference(before, new);
    // Doubled, the largest differences of words of 32 bits lose their highest bit; zigzag keeps them apart.
    match signed {
        // Half of all values away, either way: the last number that no other difference has.
        i32::MIN => u32::MAX,
        1.. => (signed.cast_unsigned() << 1) - 1,
        _ => signed.wrapping_neg().cast_unsigned() << 1,
    }
}

/// The value that is `difference` away.
#[inline]
pub(super) fn apart(before: u32, difference: u32) -> u32 {
    let magnitude = difference / 2 + difference % 2;
    if difference % 2 == 1 { before.wrapping_add(magnitude) } else { before.wrapping_sub(magnitude) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_values_that_are_half_of_all_apart_are_not_the_same() {
        let word = Word::number(u32::MAX);
        for before in [0, 1, 1 << 31, u32::MAX, 0x1234_5678] {
            for new in
                [before ^ 1 << 31, before.wrapping_add((1 << 31) - 1), before.wrapping_add((1 << 31) + 1)]
            {
                let difference = difference(&word, before, new);
                assert_ne!(difference, 0);
                assert_eq!(apart(before, difference), new, "{before} {new}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_difference_leads_back(before: u32, new: u32, bits in 4u32..=31) {
            let full = Word::number(u32::MAX);
            prop_assert_eq!(apart(before, difference(&full, before, new)), new);
            let angle = Word::wrapping(bits);
            let (before, new) = (before & angle.max, new & angle.max);
            prop_assert_eq!(apart(before, difference(&angle, before, new)) & angle.max, new);
            prop_assert!(difference(&angle, before, new) <= angle.max + 1, "the short way round");
        }
    }

    #[test]
    fn small_differences_come_first() {
        let word = Word::number(1000);
        let near: Vec<_> = [500, 501, 499, 502, 498].map(|new| difference(&word, 500, new)).into();
        assert_eq!(near, [0, 1, 2, 3, 4]);
    }
}
