//! Indices: entities found by what is in a component, right after whatever changed it.
//!
//! An index holds sorted pairs of a key and an entity, as they were when it was last folded. What was touched since is
//! looked at once more by each look-up, and believed instead. So nothing that changes a component has to know of indices,
//! and a change costs nothing until then: [`fold_indices`], between systems, brings the pairs up to date.

mod found;
mod key;
mod sorted;

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Bound, RangeBounds};

pub use self::found::Found;
pub use self::key::{IndexKey, Indexed, Key};
use self::sorted::{Cursor, Pair, Sorted};
use super::block::{BLOCK, BlockOf, Observer, lanes};
use super::seen::SeenOf;
use super::{GameWorld, HasTable, Table, VisitMut};
use crate::{Component, Entity};

/// The index of a component `C` by keys `K`: a constant of the component, such as `Player::BY_TEAM` for a field
/// `#[index] team`. [`Table::find_all`] takes it.
pub struct Index<C, K> {
    number: usize,
    of: PhantomData<fn(C) -> K>,
}

impl<C, K> Clone for Index<C, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C, K> Copy for Index<C, K> {}

impl<C: Component, K> fmt::Debug for Index<C, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = C::INDICES.get(self.number).map_or("none", |of| of.name);
        write!(f, "{}::{name}", C::SCHEMA.name)
    }
}

impl<C, K: IndexKey> Index<C, K> {
    /// The one that is number so many of its component.
    #[doc(hidden)]
    #[must_use]
    pub const fn number(number: usize) -> Self {
        Self { number, of: PhantomData }
    }
}

/// What a component says of one of its indices.
#[derive(Clone, Copy, Debug)]
pub struct IndexOf<C: 'static> {
    /// The fields that it is by: `team, slot`.
    pub name: &'static str,
    /// Whether at most one entity may have a key.
    pub is_unique: bool,
    /// Shows the keys of a component.
    #[doc(hidden)]
    pub keys: fn(&C, &mut dyn FnMut(Key)),
}

/// The indices of a table.
#[derive(Clone, Debug)]
pub(super) struct Indices<C> {
    /// By block: what it was when it was last folded.
    seen: Vec<Option<Box<SeenOf<C>>>>,
    /// A bit for each block that may be touched since.
    pub(super) unfolded: Vec<u64>,
    /// By the number of the index.
    pairs: Vec<Pairs>,
}

/// What one index holds.
#[derive(Clone, Debug, Default)]
struct Pairs {
    sorted: Sorted,
    /// What is to go and to come, while it is folded.
    removed: Vec<Pair>,
    added: Vec<Pair>,
}

impl<C> Default for Indices<C> {
    fn default() -> Self {
        Self { seen: Vec::new(), unfolded: Vec::new(), pairs: Vec::new() }
    }
}

impl<C: Component> Table<C> {
    /// The first entity, by its index, whose component has a key, with the component: of a unique key, the one.
    ///
    /// ```rust,standalone_crate
    /// # use ecs_runtime::prelude::*;
    /// #[component(key(team, slot))]
    /// pub struct Player {
    ///     #[index]
    ///     pub team: u8,
    ///     pub slot: u8,
    /// }
    /// # ecs_runtime::game_state! { max_entities = 64; Player }
    /// # fn main() -> Result<(), ecs_runtime::world::CreateError> {
    /// # let mut gs = GameState::default();
    ///
    /// for (team, slot) in [(1, 1), (1, 2), (2, 1), (3, 1)] {
    ///     gs.spawn((Player { team, slot },))?;
    /// }
    /// assert_eq!(gs.players.find_all(Player::BY_TEAM, 1).count(), 2);
    /// assert_eq!(gs.players.find_range(Player::BY_TEAM, 2..).count(), 2);
    /// let (entity, player) = gs.players.find(Player::BY_TEAM_SLOT, (1, 2)).expect("is there");
    /// assert_eq!((entity.index(), player.slot), (1, 2));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn find<K: IndexKey>(&self, by: Index<C, K>, key: K) -> Option<(Entity, &C)> {
        let indices = self.indices();
        if indices.unfolded.iter().any(|blocks| *blocks != 0) {
            return self.find_all(by, key).next();
        }
        // Nothing is touched, so the index is right.
        let (key, sorted) = (Key::of(key), &indices.pairs.get(by.number)?.sorted);
        let mut cursor = sorted.seek(key);
        let (_, entity) = sorted.next(&mut cursor).filter(|(found, _)| *found == key)?;
        Some((entity, self.get(entity)?))
    }

    /// Every entity whose component has a key, with the component, in the order of indices of entities.
    ///
    /// Costs a search among the keys, and a look at each value that was touched since [`fold_indices`].
    #[must_use]
    pub fn find_all<K: IndexKey>(&self, by: Index<C, K>, key: K) -> Found<'_, C> {
        let key = Key::of(key);
        Found::new(self, by.number, Some((key, key)))
    }

    /// Every entity whose component has a key in a range, with the component, in the order of keys, then of indices.
    ///
    /// Costs what [`Table::find_all`] does, and for every 32 entities that are found by what was touched since
    /// [`fold_indices`], another look at all that was.
    pub fn find_range<K: IndexKey>(&self, by: Index<C, K>, keys: impl RangeBounds<K>) -> Found<'_, C> {
        let from = match keys.start_bound() {
            Bound::Included(key) => Some(Key::of(*key)),
            Bound::Excluded(key) => Key::of(*key).next(),
            Bound::Unbounded => Some(Key::default()),
        };
        let to = match keys.end_bound() {
            Bound::Included(key) => Some(Key::of(*key)),
            Bound::Excluded(key) => Key::of(*key).previous(),
            Bound::Unbounded => Some(Key::MAX),
        };
        Found::new(self, by.number, from.zip(to).filter(|(from, to)| from <= to))
    }

    /// Brings the indices up to date.
    pub(super) fn fold_indices(&mut self) {
        let (blocks, indices) = self.blocks_and_indices();
        if indices.unfolded.iter().all(|blocks| *blocks == 0) {
            return;
        }
        indices.pairs.resize_with(C::INDICES.len(), Pairs::default);
        for chunk in 0..indices.unfolded.len() {
            for block in lanes(core::mem::take(&mut indices.unfolded[chunk])) {
                let at = chunk * 64 + block;
                indices.fold(at, blocks.get_mut(at).and_then(Option::as_deref_mut));
            }
        }
        for (pairs, of) in indices.pairs.iter_mut().zip(C::INDICES) {
            pairs.finish(of, &indices.seen);
        }
    }

    /// The pairs that an index has of what nobody touched since it was folded, upwards.
    pub(super) fn settled_pairs(&self, number: usize) -> impl Iterator<Item = (Key, Entity)> + '_ {
        let sorted = self.indices().pairs.get(number).map(|pairs| &pairs.sorted);
        let mut cursor = Cursor::default();
        let all = core::iter::from_fn(move || sorted?.next(&mut cursor));
        all.filter(|(_, entity)| self.is_settled(*entity))
    }

    /// Whether an entity has the component, and nothing touched it since the indices were folded.
    #[inline]
    pub(super) fn is_settled(&self, entity: Entity) -> bool {
        let (at, lane) = super::block::split(entity.index());
        let Some(block) = self.blocks().get(at).and_then(Option::as_deref) else { return false };
        block.holds(lane, entity.generation()) && block.touched_since(Observer::Index) >> lane & 1 == 0
    }
}

impl<C: Component> Indices<C> {
    /// Notes what a block differs in from what it was.
    fn fold(&mut self, at: usize, mut block: Option<&mut BlockOf<C>>) {
        let touched = block.as_mut().map_or(0, |block| block.take_touched(Observer::Index));
        if self.seen.len() <= at {
            self.seen.resize_with(at + 1, || None);
        }
        let (known, block) = (&mut self.seen[at], block.as_deref());
        if known.is_none() && touched & block.map_or(0, |block| block.present) == 0 {
            return;
        }
        let known = known.get_or_insert_with(SeenOf::boxed);
        let differ = known.compare(block, touched);
        for (Pairs { removed, added, .. }, of) in self.pairs.iter_mut().zip(C::INDICES) {
            for lane in lanes(differ.removed | differ.added | differ.changed) {
                let (bit, index) = (1 << lane, (at * BLOCK + lane) as u32);
                let before = (removed.len(), added.len());
                if (differ.removed | differ.changed) & bit != 0 {
                    let entity = Entity::living(index, known.generations[lane]);
                    (of.keys)(&known.values[lane], &mut |key| removed.push((key, entity)));
                }
                if let Some(block) = block.filter(|_| (differ.added | differ.changed) & bit != 0) {
                    let entity = Entity::living(index, block.generations[lane]);
                    (of.keys)(&block.values[lane], &mut |key| added.push((key, entity)));
                }
                // Another field changed.
                if removed[before.0..] == added[before.1..] {
                    removed.truncate(before.0);
                    added.truncate(before.1);
                }
            }
        }
        known.follow(differ, block);
    }
}

impl Pairs {
    /// Takes over what is to go and to come.
    fn finish<C: Component>(&mut self, of: &IndexOf<C>, seen: &[Option<Box<SeenOf<C>>>]) {
        let Self { sorted, removed, added } = self;
        if (removed.len() + added.len()) * 8 < sorted.len() {
            removed.iter().for_each(|pair| sorted.remove(*pair));
            added.iter().for_each(|pair| sorted.insert(*pair));
        } else if !removed.is_empty() || !added.is_empty() {
            // So many are sorted anew more quickly than one by one.
            added.clear();
            for (at, block) in seen.iter().enumerate() {
                let Some(block) = block else { continue };
                for lane in lanes(block.present) {
                    let entity = Entity::living((at * BLOCK + lane) as u32, block.generations[lane]);
                    (of.keys)(&block.values[lane], &mut |key| added.push((key, entity)));
                }
            }
            sorted.fill(added);
        }
        removed.clear();
        added.clear();
    }
}

impl<C> Indices<C> {
    /// Makes room for so many blocks.
    pub(super) fn grow(&mut self, blocks: usize) {
        self.unfolded.resize(blocks.div_ceil(64), 0);
    }

    /// The memory of it, in bytes.
    pub(super) fn memory(&self) -> usize {
        let pairs = self.pairs.iter().map(|Pairs { sorted, removed, added }| {
            sorted.memory() + (removed.capacity() + added.capacity()) * size_of::<Pair>()
        });
        self.seen.iter().flatten().count() * size_of::<SeenOf<C>>()
            + self.seen.capacity() * size_of::<Option<Box<SeenOf<C>>>>()
            + self.unfolded.capacity() * size_of::<u64>()
            + pairs.sum::<usize>()
    }
}

/// Brings all indices of a state up to date, so that look-ups need not look at what was touched. Look-ups are right without
/// it as well, and slower the more was touched.
pub fn fold_indices<W: GameWorld>(world: &mut W) {
    world.visit_mut(&mut FoldIndices);
}

struct FoldIndices;

impl<W: GameWorld> VisitMut<W> for FoldIndices {
    #[inline]
    fn table<C: Component>(&mut self, table: &mut Table<C>)
    where
        W: HasTable<C>,
    {
        if !C::INDICES.is_empty() {
            table.fold_indices();
        }
    }
}
