//! Texts of bounded length.

use super::Wire;
use crate::Text;
use crate::schema::Form;

/// A [`Text`] of at most `N` bytes: its length, and four bytes in each word; zeros behind its end.
#[derive(Clone, Copy, Debug)]
pub struct Utf8<const N: usize>;

impl<const N: usize> Utf8<N> {
    /// What the schema says of it.
    #[must_use]
    pub const fn form(&self) -> Form {
        Form::Text { max: N as u32 }
    }
}

impl<const N: usize> Wire for Utf8<N> {
    type Value = Text<N>;

    #[inline]
    fn words(&self) -> usize {
        1 + N.div_ceil(4)
    }

    fn quantize(&self, value: Text<N>, row: &mut [u32]) -> bool {
        row[0] = value.len() as u32;
        let bytes = value.as_bytes();
        for (at, word) in row[1..self.words()].iter_mut().enumerate() {
            let mut four = [0; 4];
            let rest = bytes.get(at * 4..).unwrap_or(&[]);
            four.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            *word = u32::from_le_bytes(four);
        }
        false
    }

    /// Whatever the bytes are: the longest start of them that is UTF-8.
    fn dequantize(&self, row: &[u32]) -> Text<N> {
        let mut bytes = [0; N];
        for (four, word) in bytes.chunks_mut(4).zip(&row[1..self.words()]) {
            four.iter_mut().zip(word.to_le_bytes()).for_each(|(to, from)| *to = from);
        }
        Text::from_utf8_start(&bytes[..N.min(row[0] as usize)])
    }
}
