//! A list of bounded length, in place.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};

use super::{Leaves, Value};

/// At most `N` values in order, as a field of a component.
///
/// It lives in the table's pooled blocks, like any other field: nothing is allocated, and copying a component copies
/// its lists. It is a slice for everything that reads: indexing, searching, sorting. Only its length and the elements
/// that are there are sent.
///
/// ```
/// use ecs_runtime::List;
///
/// let mut slots: List<u16, 4> = List::new();
/// slots.push(7)?;
/// slots.push(3)?;
/// slots.sort_unstable();
/// assert_eq!(slots, [3, 7]);
/// assert_eq!(slots.binary_search(&7), Ok(1));
/// # Ok::<_, ecs_runtime::Full<u16>>(())
/// ```
#[derive(Clone, Copy)]
pub struct List<T, const N: usize> {
    len: u32,
    /// What is behind the end has the default, so that nothing old shows when the list grows again.
    items: [T; N],
}

/// A list had no room for a value, which is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the list is full")]
pub struct Full<T>(pub T);

impl<T: Value, const N: usize> List<T, N> {
    /// The most values that it can hold.
    pub const CAPACITY: usize = N;

    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self { len: 0, items: [T::DEFAULT; N] }
    }

    /// Appends a value.
    ///
    /// # Errors
    /// When there is no room.
    pub fn push(&mut self, value: T) -> Result<(), Full<T>> {
        self.insert(self.len(), value)
    }

    /// Puts a value at `at`, or at the end if that is nearer; what was there and behind moves on by one.
    ///
    /// # Errors
    /// When there is no room.
    pub fn insert(&mut self, at: usize, value: T) -> Result<(), Full<T>> {
        let (at, len) = (at.min(self.len()), self.len());
        let Some(moving) = self.items.get_mut(at..=len) else { return Err(Full(value)) };
        moving.rotate_right(1);
        moving[0] = value;
        self.len += 1;
        Ok(())
    }

    /// Takes the last value.
    pub fn pop(&mut self) -> Option<T> {
        self.remove(self.len().checked_sub(1)?)
    }

    /// Takes the value at `at`; what is behind moves up. `None` if there is none.
    pub fn remove(&mut self, at: usize) -> Option<T> {
        let rest = self.get_mut(at..).filter(|rest| !rest.is_empty())?;
        let value = core::mem::replace(&mut rest[0], T::DEFAULT);
        rest.rotate_left(1);
        self.len -= 1;
        Some(value)
    }

    /// Takes the value at `at`, whose place the last one takes. `None` if there is none.
    pub fn swap_remove(&mut self, at: usize) -> Option<T> {
        let last = self.len().checked_sub(1)?;
        if at > last {
            return None;
        }
        self.swap(at, last);
        self.pop()
    }

    /// Appends values until there is no more room, and says how many that were.
    pub fn extend_to_fit(&mut self, values: impl IntoIterator<Item = T>) -> usize {
        let room = self.items.get_mut(self.len as usize..).unwrap_or(&mut []);
        let added = room.iter_mut().zip(values).map(|(place, value)| *place = value).count();
        self.len += added as u32;
        added
    }

    /// Keeps the first `len` values.
    pub fn truncate(&mut self, len: usize) {
        if let Some(rest) = self.get_mut(len..) {
            rest.fill(T::DEFAULT);
            self.len = len as u32;
        }
    }

    /// Takes all values out.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Keeps the values for which `keep` holds, in their order.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let mut kept = 0;
        for at in 0..self.len() {
            if keep(&self.items[at]) {
                self.items[kept] = self.items[at];
                kept += 1;
            }
        }
        self.truncate(kept);
    }

    /// Whether there is no room left.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len() == N
    }
}

impl<T: Value, const N: usize> Value for List<T, N> {
    const DEFAULT: Self = Self::new();

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().zip(&**other).all(|(a, b)| a.same(b))
    }

    fn leaves(&mut self, to: &mut dyn Leaves) {
        self.iter_mut().for_each(|value| value.leaves(to));
    }
}

impl<T, const N: usize> Deref for List<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.items.get(..self.len as usize).unwrap_or(&[])
    }
}

impl<T, const N: usize> DerefMut for List<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        self.items.get_mut(..self.len as usize).unwrap_or(&mut [])
    }
}

impl<T: Value, const N: usize> Default for List<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for List<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&**self).finish()
    }
}

impl<T: PartialEq, const N: usize, const M: usize> PartialEq<List<T, M>> for List<T, N> {
    fn eq(&self, other: &List<T, M>) -> bool {
        **self == **other
    }
}

impl<T: Eq, const N: usize> Eq for List<T, N> {}

impl<T: Hash, const N: usize> Hash for List<T, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: PartialEq, const N: usize, const M: usize> PartialEq<[T; M]> for List<T, N> {
    fn eq(&self, other: &[T; M]) -> bool {
        **self == *other
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a List<T, N> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a mut List<T, N> {
    type Item = &'a mut T;
    type IntoIter = core::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_does_what_a_vector_does(steps in proptest::collection::vec((0u8..8, 0usize..6, any::<u16>()), 0..60)) {
            let (mut list, mut vector) = (List::<u16, 5>::new(), Vec::new());
            for (step, at, value) in steps {
                let room = vector.len() < 5;
                match step {
                    0 | 1 => {
                        prop_assert_eq!(list.push(value), if room { Ok(()) } else { Err(Full(value)) });
                        if room { vector.push(value) }
                    }
                    2 => {
                        prop_assert_eq!(list.insert(at, value).is_ok(), room);
                        if room { vector.insert(at.min(vector.len()), value) }
                    }
                    3 => prop_assert_eq!(list.pop(), vector.pop()),
                    4 => {
                        let there = at < vector.len();
                        prop_assert_eq!(list.remove(at), there.then(|| vector.remove(at)));
                    }
                    5 => {
                        let there = at < vector.len();
                        prop_assert_eq!(list.swap_remove(at), there.then(|| vector.swap_remove(at)));
                    }
                    6 => {
                        list.retain(|kept| kept % 3 != 0);
                        vector.retain(|kept| kept % 3 != 0);
                    }
                    _ => {
                        let added = list.extend_to_fit([value, value ^ 1]);
                        prop_assert_eq!(added, 2.min(5 - vector.len()));
                        vector.extend([value, value ^ 1].into_iter().take(added));
                    }
                }
                prop_assert_eq!(&list[..], &vector[..]);
                prop_assert!(list.items[list.len()..].iter().all(|&item| item == 0), "nothing old is left");
            }
        }
    }
}
