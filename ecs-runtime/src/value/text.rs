//! A text of bounded length, in place.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Deref;

use super::Value;

/// A text of at most `N` bytes of UTF-8, as a field of a component: a name, a line of chat.
///
/// It lives in the table's pooled blocks and allocates nothing. It is a `str` for everything that reads; only its length
/// and the bytes that are there are sent.
///
/// ```
/// use ecs_runtime::Text;
///
/// let name: Text<16> = "Ada".parse()?;
/// assert!(name.starts_with("A") && name == "Ada");
/// assert!("far too long a name".parse::<Text<16>>().is_err());
/// assert_eq!(Text::<16>::cut("far too long a name"), "far too long a n");
/// # Ok::<_, ecs_runtime::TooLong>(())
/// ```
#[derive(Clone, Copy)]
pub struct Text<const N: usize> {
    len: u32,
    /// UTF-8 up to `len`, then zeros.
    bytes: [u8; N],
}

/// A text does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a text of {len} bytes does not fit {max}")]
pub struct TooLong {
    /// How long it would be, in bytes.
    pub len: usize,
    /// How long it may be.
    pub max: usize,
}

impl<const N: usize> Text<N> {
    /// The most bytes that it can hold.
    pub const CAPACITY: usize = N;

    /// An empty text.
    #[must_use]
    pub const fn new() -> Self {
        Self { len: 0, bytes: [0; N] }
    }

    /// As much of the start of `text` as fits, in whole characters.
    #[must_use]
    pub fn cut(text: &str) -> Self {
        Self::from_utf8_start(text.as_bytes().get(..N).unwrap_or(text.as_bytes()))
    }

    /// Appends a text.
    ///
    /// # Errors
    /// When it does not fit; then nothing is appended.
    pub fn push_str(&mut self, text: &str) -> Result<(), TooLong> {
        let len = self.len() + text.len();
        let room = self.bytes.get_mut(self.len as usize..len).ok_or(TooLong { len, max: N })?;
        room.copy_from_slice(text.as_bytes());
        self.len = len as u32;
        Ok(())
    }

    /// Takes all characters out.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// The longest start of `bytes`, at most `N` of them, that is UTF-8.
    pub(crate) fn from_utf8_start(bytes: &[u8]) -> Self {
        let valid = match core::str::from_utf8(bytes) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let mut text = Self::new();
        let kept = text.bytes.iter_mut().zip(&bytes[..valid]).map(|(to, from)| *to = *from).count();
        text.len = kept as u32;
        text
    }
}

impl<const N: usize> Value for Text<N> {
    const DEFAULT: Self = Self::new();

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

impl<const N: usize> Deref for Text<N> {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        let bytes = self.bytes.get(..self.len as usize).unwrap_or(&[]);
        // It always is: checking again is what forbidding unsafe code costs.
        core::str::from_utf8(bytes).unwrap_or("")
    }
}

impl<const N: usize> core::str::FromStr for Text<N> {
    type Err = TooLong;

    fn from_str(from: &str) -> Result<Self, TooLong> {
        let mut text = Self::new();
        text.push_str(from)?;
        Ok(text)
    }
}

impl<const N: usize> Default for Text<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<const N: usize> fmt::Display for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl<const N: usize> fmt::Write for Text<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text).map_err(|_| fmt::Error)
    }
}

impl<const N: usize, const M: usize> PartialEq<Text<M>> for Text<N> {
    fn eq(&self, other: &Text<M>) -> bool {
        self.bytes.get(..self.len as usize) == other.bytes.get(..other.len as usize)
    }
}

impl<const N: usize> Eq for Text<N> {}

impl<const N: usize> Hash for Text<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<const N: usize> PartialEq<str> for Text<N> {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl<const N: usize> PartialEq<&str> for Text<N> {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_an_error_and_changes_nothing() {
        let mut text: Text<5> = "abc".parse().expect("it fits");
        assert_eq!(text.push_str("def"), Err(TooLong { len: 6, max: 5 }));
        assert_eq!(text, "abc");
        assert_eq!(text.push_str("de"), Ok(()));
        assert_eq!(text, "abcde");
        text.clear();
        assert!(text.is_empty() && text.bytes == [0; 5]);
    }

    #[test]
    fn a_character_is_never_cut_in_two() {
        assert_eq!(Text::<3>::cut("aéé"), "aé");
        assert_eq!(Text::<2>::cut("aé"), "a");
        assert_eq!(Text::<4>::from_utf8_start(&[b'a', 0xff, b'b']), "a");
    }
}
