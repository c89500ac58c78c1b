//! Snapshots: the quantized state of a world at one tick, as integers that everything downstream shares.
//!
//! [`History::capture`] quantizes what was touched since the last capture; blocks that did not change are shared
//! between ticks. Nothing here knows what the integers mean, or who will be sent them.

mod capture;
mod hash;
mod rows;

use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::VecDeque;

pub use hash::StateHash;
pub(crate) use hash::entity_hash;
pub use rows::EntityView;

use rows::Rows;

use crate::Tick;
use crate::codec::Layout;
use crate::tick::MAX_COUNTER;
use crate::world::ComponentId;

/// The quantized state of a world at one tick.
#[derive(Debug)]
pub struct Snapshot {
    tick: Tick,
    /// By entity: its generation and the mask of its sent components.
    headers: Rows,
    /// By component and entity: its words.
    tables: Vec<Rows>,
    /// What others than the owner of an entity see, where that is less.
    public: Public,
    hash: StateHash,
}

/// The headers and the tables without what is for owners alone; none where that is nothing.
#[derive(Debug)]
struct Public {
    headers: Option<Rows>,
    tables: Vec<Option<Rows>>,
    hash: StateHash,
}

/// What somebody may see of an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sight {
    /// Not even that it is there.
    #[default]
    Nothing,
    /// All but what is for its owner alone.
    Public,
    /// Everything that is sent.
    Owner,
}

impl Snapshot {
    fn new(layout: &Layout) -> Self {
        let components = 0..layout.schema().components.len() as u16;
        let rows = |component: u16| Rows::new(layout.words(component).len());
        let public = components.clone().map(|component| {
            let any = !layout.owner_words(component).is_empty();
            any.then(|| rows(component))
        });
        Self {
            tick: Tick::default(),
            headers: Rows::new(layout.header_len()),
            tables: components.map(rows).collect(),
            public: Public {
                headers: layout.hides_components().then(|| Rows::new(layout.header_len())),
                tables: public.collect(),
                hash: StateHash::default(),
            },
            hash: StateHash::default(),
        }
    }

    /// The tick that this is the state of.
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.tick
    }

    /// The hash of the whole state: the sum of the hashes of its entities.
    #[must_use]
    pub fn hash(&self) -> StateHash {
        self.hash
    }

    /// The hash of what everybody may see of it.
    #[must_use]
    pub fn public_hash(&self) -> StateHash {
        self.public.hash
    }

    /// The whole state of the entity at an index.
    #[inline]
    #[must_use]
    pub fn entity(&self, index: u32) -> Option<EntityView<'_>> {
        self.seen(index, Sight::Owner)
    }

    /// What may be seen of the entity at an index.
    #[inline]
    #[must_use]
    pub fn seen(&self, index: u32, sight: Sight) -> Option<EntityView<'_>> {
        let public = match sight {
            Sight::Nothing => return None,
            Sight::Public => true,
            Sight::Owner => false,
        };
        let headers = self.public.headers.as_ref().filter(|_| public).unwrap_or(&self.headers);
        Some(EntityView { header: headers.row(index)?, snapshot: self, public, index })
    }

    /// The words of a component.
    #[inline]
    fn table(&self, component: u16, public: bool) -> Option<&Rows> {
        let component = usize::from(component);
        let table = if public { self.public.tables.get(component).and_then(Option::as_ref) } else { None };
        table.or_else(|| self.tables.get(component))
    }

    /// Every entity's index, upwards.
    pub fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        self.headers.indices()
    }

    /// One more than the largest index.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.headers.end()
    }

    /// Whether what may be seen of an entity is the same in both, or it is seen in neither.
    #[must_use]
    pub fn same_entity(
        &self,
        other: &Self,
        layout: &Layout,
        index: u32,
        [sight, others]: [Sight; 2],
    ) -> bool {
        let (now, then) = (self.seen(index, sight), other.seen(index, others));
        let (Some(now), Some(then)) = (now, then) else { return now.is_none() && then.is_none() };
        if now.header != then.header {
            return false;
        }
        layout.rows_of(now.header).all(|component| {
            match (self.table(component, now.public), other.table(component, then.public)) {
                (Some(a), Some(b)) => a.same_block(b, index) || a.row(index) == b.row(index),
                _ => true,
            }
        })
    }
}

/// A field whose values were out of range; see [`History::saturated`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saturated {
    /// The component.
    pub component: ComponentId,
    /// The name of its field.
    pub field: &'static str,
    /// How many values were sent as the nearest end of the range.
    pub count: u64,
}

/// States that are older foretell nothing, but for the newest that is confirmed.
const MAX_BASELINE_AGE: u8 = 64;

/// The latest snapshots of one world, oldest first, each tick at most once.
#[derive(Debug)]
pub struct History {
    /// Tells histories apart, so that a world knows who captured it last.
    id: u64,
    layout: Layout,
    ring: VecDeque<Snapshot>,
    capacity: usize,
    /// The tick at which each entity's state last changed, or it came or went, and the same before that.
    changed_at: Vec<Tick>,
    changed_before: Vec<Tick>,
    entity_hashes: Vec<StateHash>,
    /// The hashes of what everybody may see; empty where that is everything.
    public_hashes: Vec<StateHash>,
    pool: rows::Pool,
    /// By component, then by sent field: how often a value was out of range and saturated.
    saturated: Vec<Vec<u64>>,
    /// By block: the slots that changed in the capture at hand.
    changed: Vec<u64>,
}

impl History {
    /// An empty history that will keep up to `capacity` snapshots, at least two.
    #[must_use]
    pub fn new(layout: Layout, capacity: usize) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        let components = layout.schema().components;
        Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            ring: VecDeque::with_capacity(capacity.max(2)),
            capacity: capacity.max(2),
            changed_at: Vec::new(),
            changed_before: Vec::new(),
            entity_hashes: Vec::new(),
            public_hashes: Vec::new(),
            pool: rows::Pool::new(2 * (components.len() + 1)),
            saturated: components.iter().map(|component| vec![0; component.sent_fields().count()]).collect(),
            changed: Vec::new(),
            layout,
        }
    }

    /// The schema's layout.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The newest snapshot.
    #[must_use]
    pub fn latest(&self) -> Option<&Snapshot> {
        self.ring.back()
    }

    /// The snapshot of a tick, if it is still kept.
    #[must_use]
    pub fn at(&self, tick: Tick) -> Option<&Snapshot> {
        // Ticks of captures usually follow each other, so the place is mostly known.
        let newest = self.ring.back()?.tick;
        let back = usize::try_from(newest.0.checked_sub(tick.0)?).ok()?;
        let guess = self.ring.len().checked_sub(1 + back).and_then(|at| self.ring.get(at));
        if let Some(snapshot) = guess.filter(|snapshot| snapshot.tick == tick) {
            return Some(snapshot);
        }
        let at = self.ring.binary_search_by_key(&tick, |snapshot| snapshot.tick).ok()?;
        self.ring.get(at)
    }

    /// A snapshot in which an entity is as it was at a tick: of that tick, or of now if it has not changed since.
    #[inline]
    #[must_use]
    pub fn as_at(&self, index: u32, tick: Tick) -> Option<&Snapshot> {
        if self.changed_at(index) <= tick { self.latest() } else { self.at(tick) }
    }

    /// How many ticks old a state may be that foretells the next: those are kept in any case, however the ticks of the
    /// captures lie.
    #[must_use]
    pub fn baseline_age(&self) -> u8 {
        u8::try_from(self.capacity - 1).unwrap_or(u8::MAX).min(MAX_BASELINE_AGE)
    }

    /// Whether a capture of a tick would be taken: it is above the last one, and below 2^62.
    #[must_use]
    pub fn accepts(&self, tick: Tick) -> bool {
        self.ring.back().is_none_or(|latest| latest.tick < tick) && tick.0 < MAX_COUNTER
    }

    /// The snapshots, the newest first.
    pub fn backwards(&self) -> impl Iterator<Item = &Snapshot> {
        self.ring.iter().rev()
    }

    /// The snapshot before the newest, and the newest.
    pub(crate) fn last_two(&self) -> Option<(&Snapshot, &Snapshot)> {
        Some((self.ring.get(self.ring.len().checked_sub(2)?)?, self.ring.back()?))
    }

    /// The tick of the oldest snapshot.
    #[must_use]
    pub fn oldest_tick(&self) -> Option<Tick> {
        self.ring.front().map(Snapshot::tick)
    }

    /// The entities that changed with the newest snapshot: a bit each, 64 in a word, the first lowest.
    pub(crate) fn changed_words(&self) -> &[u64] {
        &self.changed
    }

    /// Whether an entity that changed with the newest snapshot was the same from a tick until then.
    #[inline]
    pub(crate) fn was_same_since(&self, index: u32, tick: Tick) -> bool {
        self.changed_before.get(index as usize).is_none_or(|changed| *changed <= tick)
    }

    /// The indices of the entities that changed with the newest snapshot, upwards.
    pub(crate) fn changed_last(&self) -> impl Iterator<Item = u32> + '_ {
        let blocks = (0u32..).step_by(64).zip(&self.changed);
        blocks.flat_map(|(first, &changed)| crate::world::lanes(changed).map(move |lane| first + lane as u32))
    }

    /// The tick at which an entity's state last changed, or it came or went.
    #[inline]
    #[must_use]
    pub fn changed_at(&self, index: u32) -> Tick {
        self.changed_at.get(index as usize).copied().unwrap_or_default()
    }

    /// The hash of what may be seen of an entity in the newest snapshot.
    #[inline]
    #[must_use]
    pub fn entity_hash(&self, index: u32, sight: Sight) -> StateHash {
        let hashes = match sight {
            Sight::Nothing => return StateHash::default(),
            Sight::Public if self.layout.has_owner_only() => &self.public_hashes,
            Sight::Public | Sight::Owner => &self.entity_hashes,
        };
        hashes.get(index as usize).copied().unwrap_or_default()
    }

    /// The fields of which values were out of range and sent saturated, and how often; none in a healthy match.
    pub fn saturated(&self) -> impl Iterator<Item = Saturated> + '_ {
        let components = (0..).map(ComponentId).zip(self.layout.schema().components);
        components.zip(&self.saturated).flat_map(|((component, schema), counts)| {
            let fields = schema.sent_fields().zip(counts).filter(|(_, count)| **count > 0);
            fields.map(move |(field, &count)| Saturated { component, field: field.name, count })
        })
    }
}
