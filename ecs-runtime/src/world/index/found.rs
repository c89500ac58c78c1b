//! What a look-up finds: what the index believes and nobody touched, merged with what was touched.

use super::super::Table;
use super::super::block::{BLOCK, Observer, lanes, split};
use super::key::Key;
use super::sorted::{Cursor, Pair};
use crate::{Component, Entity};

/// In a range of keys, so many touched values are found at a time.
const AHEAD: usize = 32;

/// The entities that [`Table::find_all`] or [`Table::find_range`] finds, with their components.
#[derive(Clone, Debug)]
pub struct Found<'t, C> {
    table: &'t Table<C>,
    number: usize,
    /// The lowest and the highest key that is asked for.
    keys: (Key, Key),
    /// What the index believes, from here on.
    cursor: Cursor,
    /// The next of them that is true, if that is known.
    settled: Option<Pair>,
    fresh: Fresh,
}

/// What was touched and has a key that is asked for, in order.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a look-up allocates nothing")]
enum Fresh {
    /// Nothing, or nothing more.
    None,
    /// Of one key: the order is that of the slots. The next, if it is known, and where to go on.
    Walk { next: Option<Pair>, block: usize, slots: u64 },
    /// Of several keys: the lowest, sorted.
    Ahead(Ahead),
}

#[derive(Clone, Debug)]
struct Ahead {
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
        let keys = keys.unwrap_or((Key::MAX, Key::default()));
        let is_touched = table.indices().unfolded.iter().any(|blocks| *blocks != 0);
        let pairs = table.indices().pairs.get(number);
        let cursor = pairs.map_or(Cursor::default(), |pairs| pairs.sorted.seek(keys.0));
        let fresh = if !is_touched || keys.0 > keys.1 {
            Fresh::None
        } else if keys.0 == keys.1 {
            Fresh::Walk { next: None, block: 0, slots: touched_in(table, 0) }
        } else {
            let first = (keys.0, Entity::living(0, 1));
            let pairs = [(Key::default(), Entity::NONE); AHEAD];
            Fresh::Ahead(Ahead { pairs, len: 0, at: 0, more_from: Some(first) })
        };
        let mut found = Self { table, number, keys, cursor, settled: None, fresh };
        found.settled = found.next_settled();
        found
    }

    /// The next pair that the index believes and that nobody touched.
    #[inline]
    fn next_settled(&mut self) -> Option<Pair> {
        let sorted = &self.table.indices().pairs.get(self.number)?.sorted;
        loop {
            let pair = sorted.next(&mut self.cursor)?;
            if pair.0 > self.keys.1 {
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
        match &mut self.fresh {
            Fresh::None => None,
            Fresh::Walk { next, block, slots } => {
                if next.is_none() {
                    *next = walk(self.table, self.number, self.keys.0, block, slots);
                    if next.is_none() {
                        self.fresh = Fresh::None;
                        return None;
                    }
                }
                *next
            }
            Fresh::Ahead(ahead) => {
                if ahead.at == ahead.len {
                    let from = ahead.more_from.take()?;
                    ahead.refill(self.table, self.number, from, self.keys.1);
                }
                (ahead.at < ahead.len).then(|| ahead.pairs[ahead.at])
            }
        }
    }

    /// Goes on behind the pair that was the next.
    #[inline]
    fn pass_fresh(&mut self) {
        match &mut self.fresh {
            Fresh::None => {}
            Fresh::Walk { next, .. } => *next = None,
            Fresh::Ahead(ahead) => ahead.at += 1,
        }
    }
}

/// The slots of a block that were touched since the index was folded, and have the component.
#[inline]
fn touched_in<C: Component>(table: &Table<C>, block: usize) -> u64 {
    if table.indices().unfolded.get(block / 64).is_none_or(|blocks| blocks >> (block % 64) & 1 == 0) {
        return 0;
    }
    let block = table.blocks().get(block).and_then(Option::as_deref);
    block.map_or(0, |block| block.present & block.touched_since(Observer::Index))
}

/// The next touched slot, from the rest of a block on, that has a key.
fn walk<C: Component>(
    table: &Table<C>,
    number: usize,
    key: Key,
    block: &mut usize,
    slots: &mut u64,
) -> Option<Pair> {
    let of = C::INDICES.get(number)?;
    loop {
        while *slots == 0 {
            *block += 1;
            // Sixty-four blocks at a time, where none of them was touched.
            let chunk = *block / 64;
            let rest = table.indices().unfolded.get(chunk)? >> (*block % 64);
            if rest == 0 {
                *block = chunk * 64 + 63;
                continue;
            }
            *block += rest.trailing_zeros() as usize;
            *slots = touched_in(table, *block);
        }
        let lane = slots.trailing_zeros() as usize;
        *slots &= *slots - 1;
        let here = table.blocks().get(*block)?.as_deref()?;
        let mut has_key = false;
        (of.keys)(&here.values[lane], &mut |other| has_key |= other == key);
        if has_key {
            return Some((key, Entity::living((*block * BLOCK + lane) as u32, here.generations[lane])));
        }
    }
}

impl Ahead {
    /// Looks for the lowest pairs of what was touched, from this one on.
    #[cold]
    fn refill<C: Component>(&mut self, table: &Table<C>, number: usize, from: Pair, to: Key) {
        let Some(of) = C::INDICES.get(number) else { return };
        let Self { pairs, len, at, more_from } = self;
        (*len, *at) = (0, 0);
        let mut add = |pair: Pair| {
            if pair < from || pair.0 > to {
                return;
            }
            // The lowest that is left out is where the next look begins.
            let mut leave_out = |out: Pair| *more_from = Some(more_from.map_or(out, |known| known.min(out)));
            if *len == AHEAD && pair > pairs[AHEAD - 1] {
                leave_out(pair);
                return;
            }
            let place = pairs[..*len].partition_point(|other| *other < pair);
            if pairs[..*len].get(place) == Some(&pair) {
                return;
            }
            if *len == AHEAD {
                leave_out(pairs[AHEAD - 1]);
            } else {
                *len += 1;
            }
            pairs.copy_within(place..*len - 1, place + 1);
            pairs[place] = pair;
        };
        for (chunk, blocks) in table.indices().unfolded.iter().enumerate() {
            for at in lanes(*blocks).map(|block| chunk * 64 + block) {
                let Some(block) = table.blocks().get(at).and_then(Option::as_deref) else { continue };
                for lane in lanes(touched_in(table, at)) {
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
                self.pass_fresh();
                fresh?.1
            }
        };
        let (at, lane) = split(entity.index());
        let block = self.table.blocks().get(at)?.as_deref()?;
        Some((entity, &block.values[lane]))
    }
}
