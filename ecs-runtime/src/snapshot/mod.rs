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
use crate::world::ComponentId;

/// The quantized state of a world at one tick.
#[derive(Debug)]
pub struct Snapshot {
    tick: Tick,
    /// By entity: its generation and the mask of its sent components.
    headers: Rows,
    /// By component and entity: its words.
    tables: Vec<Rows>,
    hash: StateHash,
}

impl Snapshot {
    fn new(layout: &Layout) -> Self {
        let tables = 0..layout.schema().components.len();
        Self {
            tick: Tick::default(),
            headers: Rows::new(layout.header_len()),
            tables: tables.map(|component| Rows::new(layout.words(component as u16).len())).collect(),
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

    /// The state of the entity at an index.
    #[inline]
    #[must_use]
    pub fn entity(&self, index: u32) -> Option<EntityView<'_>> {
        let header = self.headers.row(index)?;
        Some(EntityView { header, tables: &self.tables, index })
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

    /// Whether an entity's state is the same in both, or it is in neither.
    #[must_use]
    pub fn same_entity(&self, other: &Self, layout: &Layout, index: u32) -> bool {
        let differs = |a: &Rows, b: &Rows| !a.same_block(b, index) && a.row(index) != b.row(index);
        if differs(&self.headers, &other.headers) {
            return false;
        }
        let Some(entity) = self.entity(index) else { return true };
        let sent = layout.sent().iter().filter(|&&component| crate::codec::has(entity.header, component));
        sent.map(|&component| usize::from(component))
            .all(|component| !differs(&self.tables[component], &other.tables[component]))
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

/// The latest snapshots of one world, oldest first, each tick at most once.
#[derive(Debug)]
pub struct History {
    /// Tells histories apart, so that a world knows who captured it last.
    id: u64,
    layout: Layout,
    ring: VecDeque<Snapshot>,
    capacity: usize,
    /// The tick at which each entity's state last changed, or it came or went.
    changed_at: Vec<Tick>,
    entity_hashes: Vec<StateHash>,
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
            entity_hashes: Vec::new(),
            pool: rows::Pool::new(components.len() + 1),
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

    /// The oldest snapshot, which the next capture drops, and the one after it; `None` while there is room.
    #[must_use]
    pub fn expiring(&self) -> Option<(&Snapshot, &Snapshot)> {
        if self.ring.len() < self.capacity {
            return None;
        }
        Some((self.ring.front()?, self.ring.get(1)?))
    }

    /// The tick at which an entity's state last changed, or it came or went.
    #[inline]
    #[must_use]
    pub fn changed_at(&self, index: u32) -> Tick {
        self.changed_at.get(index as usize).copied().unwrap_or_default()
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
