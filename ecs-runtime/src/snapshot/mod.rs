//! Snapshots: the quantized state of a world at one tick, as integers that everything downstream shares.
//!
//! [`History::capture`] quantizes what was touched since the last capture, and keeps what changed beside what it was
//! before: the states of one entity are what an encoder asks for. Nothing here knows what the integers mean, or who will
//! be sent them.

mod capture;
mod hash;
mod rows;

use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::VecDeque;

pub use hash::StateHash;
pub(crate) use hash::entity_hash;
use rows::Rows;

use crate::Tick;
use crate::codec::{Layout, StateView};
use crate::tick::MAX_COUNTER;
use crate::world::ComponentId;

/// The quantized state of a world at one tick: a view of its history.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'h> {
    history: &'h History,
    captured: Captured,
}

/// The state of one entity in a snapshot, or what may be seen of it.
#[derive(Clone, Copy, Debug)]
pub struct EntityView<'h> {
    header: &'h [u32],
    tables: &'h [Table],
    /// Whether it is what everybody may see.
    public: bool,
    index: u32,
    tick: Tick,
}

/// What is known of a tick beside the words of its entities.
#[derive(Clone, Copy, Debug)]
struct Captured {
    tick: Tick,
    hash: StateHash,
    /// The hash of what everybody may see.
    public_hash: StateHash,
}

/// The words of one component, or the headers, by entity and tick.
#[derive(Debug)]
struct Table {
    all: Rows,
    /// What others than the owner of an entity see, where that is less.
    public: Option<Rows>,
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

impl Sight {
    /// The one whose number are the two lowest bits.
    pub(crate) fn of(bits: u32) -> Self {
        match bits & 3 {
            0 => Self::Nothing,
            1 => Self::Public,
            _ => Self::Owner,
        }
    }
}

impl Table {
    fn new(words: usize, has_public: bool) -> Self {
        Self { all: Rows::new(words), public: has_public.then(|| Rows::new(words)) }
    }

    #[inline]
    fn seen(&self, public: bool) -> &Rows {
        self.public.as_ref().filter(|_| public).unwrap_or(&self.all)
    }
}

impl<'h> Snapshot<'h> {
    /// The tick that this is the state of.
    #[must_use]
    pub fn tick(self) -> Tick {
        self.captured.tick
    }

    /// The hash of the whole state: the sum of the hashes of its entities.
    #[must_use]
    pub fn hash(self) -> StateHash {
        self.captured.hash
    }

    /// The hash of what everybody may see of it.
    #[must_use]
    pub fn public_hash(self) -> StateHash {
        self.captured.public_hash
    }

    /// The whole state of the entity at an index.
    #[inline]
    #[must_use]
    pub fn entity(self, index: u32) -> Option<EntityView<'h>> {
        self.seen(index, Sight::Owner)
    }

    /// What may be seen of the entity at an index.
    #[inline]
    #[must_use]
    pub fn seen(self, index: u32, sight: Sight) -> Option<EntityView<'h>> {
        self.history.seen(index, sight, self.captured.tick)
    }

    /// Whether what may be seen of an entity is the same in both, or it is seen in neither.
    #[must_use]
    pub fn same_entity(self, other: Self, index: u32, [sight, others]: [Sight; 2]) -> bool {
        let (now, then) = (self.seen(index, sight), other.seen(index, others));
        let (Some(now), Some(then)) = (now, then) else { return now.is_none() && then.is_none() };
        let layout = &self.history.layout;
        now.header == then.header
            && layout.rows_of(now.header).all(|component| {
                let (now, then) = (now.row(component), then.row(component));
                core::ptr::eq(now, then) || now == then
            })
    }
}

impl<'h> EntityView<'h> {
    /// The entity's generation.
    #[inline]
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.header.first().copied().unwrap_or(0)
    }

    /// The tick that it is the state of.
    #[inline]
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.tick
    }

    /// Whether it is what everybody may see.
    #[inline]
    pub(crate) fn is_public(&self) -> bool {
        self.public
    }

    /// Finds the words of a component at this tick and others before it, each before the last, back to the first at which
    /// the entity did not have it; tells how many there are.
    #[inline]
    pub(crate) fn column_at(
        &self,
        component: u16,
        ticks: impl Iterator<Item = Tick>,
        rows: &mut [&'h [u32]],
    ) -> usize {
        let table = self.tables.get(usize::from(component));
        table.map_or(0, |table| table.seen(self.public).column(self.index, ticks, rows))
    }
}

impl StateView for EntityView<'_> {
    #[inline]
    fn header(&self) -> &[u32] {
        self.header
    }

    #[inline]
    fn row(&self, component: u16) -> &[u32] {
        let table = self.tables.get(usize::from(component));
        table.and_then(|table| table.seen(self.public).at(self.index, self.tick)).unwrap_or(&[])
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
    /// The ticks that are kept, oldest first.
    captured: VecDeque<Captured>,
    capacity: usize,
    /// By entity: its generation and the mask of its sent components.
    headers: Table,
    /// By component and entity: its words.
    tables: Vec<Table>,
    /// The tick at which each entity's state last changed, or it came or went, and the same before that.
    changed_at: Vec<Tick>,
    changed_before: Vec<Tick>,
    entity_hashes: Vec<StateHash>,
    /// The hashes of what everybody may see; empty where that is everything.
    public_hashes: Vec<StateHash>,
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
        let table = |component: u16| {
            let has_public = !layout.owner_words(component).is_empty();
            Table::new(layout.words(component).len(), has_public)
        };
        Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            captured: VecDeque::with_capacity(capacity.max(2)),
            capacity: capacity.max(2),
            headers: Table::new(layout.header_len(), layout.hides_components()),
            tables: (0..components.len() as u16).map(table).collect(),
            changed_at: Vec::new(),
            changed_before: Vec::new(),
            entity_hashes: Vec::new(),
            public_hashes: Vec::new(),
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

    fn snapshot(&self, captured: Option<&Captured>) -> Option<Snapshot<'_>> {
        captured.map(|&captured| Snapshot { history: self, captured })
    }

    /// What may be seen of an entity at a tick that is kept.
    #[inline]
    fn seen(&self, index: u32, sight: Sight, tick: Tick) -> Option<EntityView<'_>> {
        let public = match sight {
            Sight::Nothing => return None,
            Sight::Public => true,
            Sight::Owner => false,
        };
        let header = self.headers.seen(public).at(index, tick)?;
        Some(EntityView { header, tables: &self.tables, public, index, tick })
    }

    /// The newest snapshot.
    #[must_use]
    pub fn latest(&self) -> Option<Snapshot<'_>> {
        self.snapshot(self.captured.back())
    }

    /// The snapshot of a tick, if it is still kept.
    #[must_use]
    pub fn at(&self, tick: Tick) -> Option<Snapshot<'_>> {
        // Ticks of captures usually follow each other, so the place is mostly known.
        let newest = self.captured.back()?.tick;
        let back = usize::try_from(newest.0.checked_sub(tick.0)?).ok()?;
        let guess = self.captured.len().checked_sub(1 + back).and_then(|at| self.captured.get(at));
        if let Some(captured) = guess.filter(|captured| captured.tick == tick) {
            return self.snapshot(Some(captured));
        }
        let at = self.captured.binary_search_by_key(&tick, |captured| captured.tick).ok()?;
        self.snapshot(self.captured.get(at))
    }

    /// A snapshot in which an entity is as it was at a tick: of that tick, or of now if it has not changed since.
    #[inline]
    #[must_use]
    pub fn as_at(&self, index: u32, tick: Tick) -> Option<Snapshot<'_>> {
        if self.changed_at(index) <= tick { self.latest() } else { self.at(tick) }
    }

    /// The index of every entity that is alive, upwards.
    pub fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        self.headers.all.indices()
    }

    /// One more than the largest index of an entity that is alive.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.headers.all.end()
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
        self.captured.back().is_none_or(|latest| latest.tick < tick) && tick.0 < MAX_COUNTER
    }

    /// The snapshots, the newest first.
    pub fn backwards(&self) -> impl Iterator<Item = Snapshot<'_>> {
        self.captured.iter().rev().filter_map(|captured| self.snapshot(Some(captured)))
    }

    /// The snapshot before the newest, and the newest.
    pub(crate) fn last_two(&self) -> Option<(Snapshot<'_>, Snapshot<'_>)> {
        let mut back = self.backwards();
        let newest = back.next()?;
        Some((back.next()?, newest))
    }

    /// The tick of the oldest snapshot.
    #[must_use]
    pub fn oldest_tick(&self) -> Option<Tick> {
        self.captured.front().map(|captured| captured.tick)
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

    /// Whether an entity, as its owner sees it, changed with the newest snapshot and was the same from a tick until then: so
    /// it is not as at that tick.
    #[inline]
    pub(crate) fn has_just_changed(&self, index: u32, since: Tick) -> bool {
        let now = self.captured.back().map(|newest| newest.tick);
        now == Some(self.changed_at(index)) && self.was_same_since(index, since)
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
