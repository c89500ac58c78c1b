//! What a look-up finds: what the index believes and nobody touched, merged with what was touched.

use super::super::Table;
use super::super::block::{BLOCK, Observer, lanes, split};
use super::key::Key;
use super::sorted::{Cursor, Pair};
use crate::{Component, Entity};

/// So many touched values are found at a time.
const AHEAD: usize = 16;

/// The entities that [`Table::find_all`] or [`Table::find_range`] finds, with their components.
#[derive(Clone, Debug)]
pub struct Found<'t, C> {
    table: &'t Table<C>,
    number: usize,
    /// The highest key that is asked for.
    to: Key,
    /// What the index believes, from here on.
    cursor: Cursor,
    /// The next of them that is true, if that is known.
    settled: Option<Pair>,
    fresh: Fresh,
}

/// The next of what was touched, sorted.
#[derive(Clone, Debug)]
struct Fresh {
    pairs: [Pair; AHEAD],
    /// How many there are, and how many of them are gone.
    len: usize,
    at: usize,
    /// There may be more from here on.
    more_from: Option<Pair>,
}

impl<'t, C: Component> Found<'t, C> {
    /// What an index has from one key to another; nothing for `None`.
    pub(super) fn new(table: &'t Table<C>, number: usize, keys: Option<(Key, Key)>) -> Self {
        let (from, to) = keys.unwrap_or((Key::MAX, Key::default()));
        let first = (from, Entity::living(0, 1));
        let is_touched = table.indices().unfolded.iter().any(|blocks| *blocks != 0);
        let pairs = table.indices().pairs.get(number);
        let cursor = pairs.map_or(Cursor::default(), |pairs| pairs.sorted.seek(from));
        let more_from = (is_touched && keys.is_some()).then_some(first);
        let fresh = Fresh { pairs: [(Key::default(), Entity::NONE); AHEAD], len: 0, at: 0, more_from };
        let mut found = Self { table, number, to, cursor, settled: None, fresh };
        found.settled = found.next_settled();
        found
    }

    /// The next pair that the index believes and that nobody touched.
    #[inline]
    fn next_settled(&mut self) -> Option<Pair> {
        let sorted = &self.table.indices().pairs.get(self.number)?.sorted;
        loop {
            let pair = sorted.next(&mut self.cursor)?;
            if pair.0 > self.to {
                return None;
            }
            if self.table.is_settled(pair.1) {
                return Some(pair);
            }
        }
    }

    /// The next pair of what was touched, which stays the next.
    #[inline]
    fn peek_fresh(&mut self) -> Option<Pair> {
        if self.fresh.at == self.fresh.len {
            let from = self.fresh.more_from.take()?;
            self.refill(from);
        }
        (self.fresh.at < self.fresh.len).then(|| self.fresh.pairs[self.fresh.at])
    }

    /// Looks for the lowest pairs of what was touched, from this one on.
    #[cold]
    fn refill(&mut self, from: Pair) {
        let Some(of) = C::INDICES.get(self.number) else { return };
        let Fresh { pairs, len, at, more_from } = &mut self.fresh;
        (*len, *at) = (0, 0);
        let mut add = |pair: Pair| {
            let place = pairs[..*len].partition_point(|other| *other < pair);
            if pair < from || pair.0 > self.to || pairs[..*len].get(place) == Some(&pair) {
                return;
            }
            if *len == AHEAD {
                // The highest that is known to be left out is where the next look begins.
                let out = pairs[AHEAD - 1].max(pair);
                let lowest = more_from.map_or(out, |known| known.min(out));
                *more_from = Some(lowest);
                if place == AHEAD {
                    return;
                }
            } else {
                *len += 1;
            }
            pairs.copy_within(place..*len - 1, place + 1);
            pairs[place] = pair;
        };
        for (chunk, blocks) in self.table.indices().unfolded.iter().enumerate() {
            for at in lanes(*blocks).map(|block| chunk * 64 + block) {
                let Some(block) = self.table.blocks().get(at).and_then(Option::as_deref) else { continue };
                for lane in lanes(block.present & block.touched_since(Observer::Index)) {
                    let entity = Entity::living((at * BLOCK + lane) as u32, block.generations[lane]);
                    (of.keys)(&block.values[lane], &mut |key| add((key, entity)));
                }
            }
        }
    }
}

impl<'t, C: Component> Iterator for Found<'t, C> {
    type Item = (Entity, &'t C);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let entity = match (self.settled, self.peek_fresh()) {
            (Some(settled), fresh) if fresh.is_none_or(|fresh| settled < fresh) => {
                self.settled = self.next_settled();
                settled.1
            }
            (_, fresh) => {
                self.fresh.at += 1;
                fresh?.1
            }
        };
        let (at, lane) = split(entity.index());
        let block = self.table.blocks().get(at)?.as_deref()?;
        Some((entity, &block.values[lane]))
    }
}
