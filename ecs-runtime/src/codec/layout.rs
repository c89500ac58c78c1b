//! What the codec needs to know of a schema, worked out once.

use core::iter::repeat_n;

use super::baselines::BASELINES;
use super::contexts::{ComponentContexts, OF_COMPONENT, OF_WORD, SHARED};
use super::motion::{Group, groups};
use super::priors::{BUCKETS, Priors};
use crate::Entity;
use crate::schema::{Schema, StructSchema, Word, find_references};
use crate::wire::{Reference, Wire as _};
use crate::world::lanes;

/// The components of a schema as the wire sees them.
#[derive(Debug)]
pub struct Layout {
    schema: &'static Schema,
    /// The numbers of the components that are sent.
    sent: Vec<u16>,
    /// By component: how many words it has; none if it is not sent.
    lens: Vec<usize>,
    /// By component: what a state with it costs of a packet's [`Limit`](super::Limit).
    costs: Vec<usize>,
    /// By component: the words that move together, and all others; empty if none do.
    groups: Vec<Vec<Group>>,
    others: Vec<Vec<Word>>,
    /// By component: which of its words are for the entity's owner alone; empty if none is.
    owner_words: Vec<Vec<bool>>,
    /// By component: the sent fields that refer to entities, and where the words of each reference begin.
    references: Vec<Vec<(&'static str, usize)>>,
    /// By command: where the words of the entities begin that must be the sender's own.
    owned: Vec<Vec<usize>>,
    /// The components that are sent, and those of them that others than the owner may know of: 32 in each word.
    sent_masks: Vec<u32>,
    public_masks: Vec<u32>,
    has_owner_only: bool,
    /// The orders of exp-Golomb codes, by the class of the expected size.
    orders: [u8; BUCKETS],
    /// By component: the contexts of its decisions.
    contexts: Vec<ComponentContexts>,
    /// The probabilities of all decisions, by context.
    table: Vec<u16>,
}

impl Layout {
    /// The layout of a schema of which nothing else is known.
    #[must_use]
    pub fn new(schema: &'static Schema) -> Self {
        Self::with_priors(schema, &Priors::default())
    }

    /// The layout of a schema whose fields are foretold by priors.
    #[must_use]
    pub fn with_priors(schema: &'static Schema, priors: &Priors) -> Self {
        let sent = (0u16..).zip(schema.components).filter(|(_, component)| component.sent);
        let owner_words = schema.components.iter().map(|component| {
            let words = component.sent_fields().flat_map(|field| repeat_n(field.owner_only, field.words()));
            let words: Vec<_> = words.collect();
            if words.contains(&true) { words } else { Vec::new() }
        });
        let references = schema.components.iter().map(|component| {
            let (mut all, mut at) = (Vec::new(), 0);
            for field in component.sent_fields() {
                let mut found = Vec::new();
                at = find_references(field.layers, field.form, at, &mut found);
                all.extend(found.into_iter().map(|at| (field.name, at)));
            }
            all
        });
        let owner_words: Vec<_> = owner_words.collect();
        let groups: Vec<_> = schema.components.iter().map(|component| groups(component, priors)).collect();
        let others =
            schema.components.iter().zip(&groups).map(|(component, groups)| others(component, groups));
        let lens =
            schema.components.iter().map(|component| if component.sent { component.words.len() } else { 0 });
        let costs = schema.components.iter().zip(&groups).map(|(component, groups)| {
            let words = component.words.iter().map(|word| if word.is_plain() { 1 } else { 2 });
            1 + words.sum::<usize>() + groups.iter().map(Group::cost).sum::<usize>()
        });
        let contexts = contexts(schema);
        let sent_masks = masks(schema, |component| component.sent);
        let public_masks = masks(schema, |component| component.sent && !component.is_owner_only());
        Self {
            schema,
            sent: sent.map(|(id, _)| id).collect(),
            has_owner_only: public_masks != sent_masks || owner_words.iter().any(|words| !words.is_empty()),
            lens: lens.collect(),
            costs: costs.collect(),
            others: others.collect(),
            groups,
            sent_masks,
            public_masks,
            owner_words,
            references: references.collect(),
            orders: priors.orders(),
            table: priors.table(schema, &contexts),
            contexts,
            owned: schema.commands.iter().map(|command| owned_words(command)).collect(),
        }
    }

    /// The entities in a row of a command that must be the sender's own.
    pub(crate) fn owned<'r>(
        &self,
        command: u16,
        row: &'r [u32],
    ) -> impl Iterator<Item = Entity> + use<'_, 'r> {
        let owned = self.owned.get(usize::from(command)).map_or(&[][..], Vec::as_slice);
        owned.iter().map(|&at| entity_at(row, at))
    }

    /// The references to entities in a row of a component, as far as they refer to something: the name of the field, and
    /// the entity.
    pub fn references<'r>(
        &self,
        component: u16,
        row: &'r [u32],
    ) -> impl Iterator<Item = (&'static str, Entity)> + use<'_, 'r> {
        let references = self.references.get(usize::from(component)).map_or(&[][..], Vec::as_slice);
        let all = references.iter().map(|&(field, at)| (field, entity_at(row, at)));
        all.filter(|(_, entity)| !entity.is_none())
    }

    /// Which words of a component are for the entity's owner alone; empty if none is.
    #[must_use]
    pub fn owner_words(&self, component: u16) -> &[bool] {
        self.owner_words.get(usize::from(component)).map_or(&[], Vec::as_slice)
    }

    /// Whether there are components of which others than the owner must not even know that they are there.
    #[must_use]
    pub fn hides_components(&self) -> bool {
        self.public_masks != self.sent_masks
    }

    /// Whether the owner of an entity may see more of it than others.
    #[must_use]
    pub fn has_owner_only(&self) -> bool {
        self.has_owner_only
    }

    /// The schema that this is the layout of.
    #[must_use]
    pub fn schema(&self) -> &'static Schema {
        self.schema
    }

    /// The numbers of the components that are sent, upwards.
    #[must_use]
    pub fn sent(&self) -> &[u16] {
        &self.sent
    }

    /// The words of a component; none if it is not sent.
    #[inline]
    #[must_use]
    pub fn words(&self, component: u16) -> &'static [Word] {
        let component = self.schema.components.get(usize::from(component));
        component.filter(|component| component.sent).map_or(&[], |component| component.words)
    }

    /// What a state with a component costs for it.
    #[inline]
    pub(super) fn cost(&self, component: u16) -> usize {
        self.costs.get(usize::from(component)).copied().unwrap_or(0)
    }

    /// How many words the components of a mask have, from one until before another.
    #[inline]
    pub(crate) fn words_between(&self, header: &[u32], from: u16, until: u16) -> usize {
        let skipped = usize::from(from / 32);
        let masks = (from / 32 * 32..until).step_by(32).zip(header.iter().skip(1 + skipped));
        let lens = masks.flat_map(|(first, &mask)| {
            let of_both = mask & (u32::MAX << from.saturating_sub(first));
            lanes(u64::from(of_both)).map(move |bit| first + bit as u16)
        });
        let len = |component: u16| self.lens.get(usize::from(component)).copied().unwrap_or(0);
        lens.take_while(|&component| component < until).map(len).sum()
    }

    /// The orders of exp-Golomb codes, by the class of the expected size.
    #[inline]
    pub(super) fn orders(&self) -> &[u8; BUCKETS] {
        &self.orders
    }

    /// The contexts of a component's decisions.
    #[inline]
    pub(super) fn contexts(&self, component: u16) -> ComponentContexts {
        self.contexts.get(usize::from(component)).copied().unwrap_or_default()
    }

    /// The probabilities of all decisions, by context.
    #[must_use]
    pub(crate) fn table(&self) -> &[u16] {
        &self.table
    }

    #[cfg(test)]
    pub(super) fn set_table(&mut self, table: Vec<u16>) {
        self.table = table;
    }

    /// The words of a component that move together.
    #[inline]
    pub(super) fn groups(&self, component: u16) -> &[Group] {
        self.groups.get(usize::from(component)).map_or(&[], Vec::as_slice)
    }

    /// The words of a component; those that are in groups have nothing to tell.
    #[inline]
    pub(super) fn others(&self, component: u16) -> &[Word] {
        match self.groups(component) {
            [] => self.words(component),
            _ => self.others.get(usize::from(component)).map_or(&[], Vec::as_slice),
        }
    }

    /// How many parts of a component can differ by themselves: its groups, and all else if there is any.
    #[inline]
    pub(super) fn parts(&self, component: u16) -> usize {
        match self.groups(component) {
            [] => 1,
            groups => groups.len() + usize::from(self.others(component).iter().any(|word| word.max > 0)),
        }
    }

    /// The components that the mask of a header names, upwards.
    #[inline]
    pub fn rows_of<'h>(&self, header: &'h [u32]) -> impl Iterator<Item = u16> + use<'h> {
        let masks = (0..).step_by(32).zip(header.iter().skip(1));
        masks.flat_map(|(first, &mask)| lanes(u64::from(mask)).map(move |bit| first + bit as u16))
    }

    /// Which components are sent: a bit each, 32 in a word, the first lowest.
    #[must_use]
    pub fn sent_masks(&self) -> &[u32] {
        &self.sent_masks
    }

    /// Which components are sent to others than the owner of an entity: a bit each, 32 in a word, the first lowest.
    #[must_use]
    pub fn public_masks(&self) -> &[u32] {
        &self.public_masks
    }

    /// How many words the mask of an entity has, 32 components each.
    #[must_use]
    pub fn mask_len(&self) -> usize {
        self.sent_masks.len()
    }

    /// How many words, before those of its components, the state of an entity has: generation and mask.
    #[must_use]
    pub fn header_len(&self) -> usize {
        1 + self.mask_len()
    }
}

/// The contexts of each component, behind those that all schemas share.
pub(super) fn contexts(schema: &Schema) -> Vec<ComponentContexts> {
    let mut next = SHARED as u32;
    let contexts = schema.components.iter().map(|component| {
        let contexts = ComponentContexts { own: next, words: next + OF_COMPONENT };
        next = contexts.words + OF_WORD * component.words.len() as u32;
        contexts
    });
    contexts.collect()
}

/// The words of a component without those that are in groups; none if there are no groups.
fn others(component: &StructSchema, groups: &[Group]) -> Vec<Word> {
    let mut words = if groups.is_empty() { Vec::new() } else { component.words.to_vec() };
    for group in groups {
        group.of_mut(&mut words).fill(Word::number(0));
    }
    words
}

/// The components that are as asked, 32 in each word.
fn masks(schema: &Schema, is_in: impl Fn(&StructSchema) -> bool) -> Vec<u32> {
    let mask = |components: &[&StructSchema]| {
        let bits = (0..).zip(components).filter(|(_, component)| is_in(component));
        bits.fold(0, |mask, (bit, _)| mask | 1 << bit)
    };
    schema.components.chunks(32).map(mask).collect()
}

/// The entity that the two words from `at` on refer to; [`Entity::NONE`] past the end.
fn entity_at(row: &[u32], at: usize) -> Entity {
    row.get(at..at + 2).map_or(Entity::NONE, |words| Reference::new(u32::MAX).dequantize(words))
}

fn owned_words(command: &StructSchema) -> Vec<usize> {
    let mut at = 0;
    let fields = command.sent_fields().map(|field| {
        at += field.words();
        (field, at - field.words())
    });
    fields.filter(|(field, _)| field.owned).map(|(_, at)| at).collect()
}

/// The state of one entity, wherever its words are kept.
pub trait StateView {
    /// The generation, then the mask of the components that are sent, 32 each.
    fn header(&self) -> &[u32];

    /// The words of a component that the mask names.
    fn row(&self, component: u16) -> &[u32];

    /// Finds the words of a component in states of one entity, the newest first, back to the first that does not have it;
    /// tells how many have it.
    fn column<'a>(states: &'a [Option<Self>], component: u16, rows: &mut [&'a [u32]; BASELINES]) -> usize
    where
        Self: Sized,
    {
        column_by_rows(states, component, rows)
    }

    /// The components that the mask names, upwards, with their words.
    fn rows<'a>(&'a self, layout: &'a Layout) -> impl Iterator<Item = (u16, &'a [u32])> {
        layout.rows_of(self.header()).map(|component| (component, self.row(component)))
    }
}

/// What [`StateView::column`] finds, one state after the other.
pub(crate) fn column_by_rows<'a, S: StateView>(
    states: &'a [Option<S>],
    component: u16,
    rows: &mut [&'a [u32]; BASELINES],
) -> usize {
    let known = states.iter().flatten().take_while(|state| has(state.header(), component));
    rows.iter_mut().zip(known).map(|(place, state)| *place = state.row(component)).count()
}

/// Whether a mask names a component.
#[inline]
pub(crate) fn has(header: &[u32], component: u16) -> bool {
    let word = header.get(1 + usize::from(component) / 32).copied().unwrap_or(0);
    word >> (component % 32) & 1 == 1
}

/// Adds a component to a mask that does not name it, and takes it out of one that does.
#[inline]
pub(crate) fn toggle(header: &mut [u32], component: u16) {
    if let Some(word) = header.get_mut(1 + usize::from(component) / 32) {
        *word ^= 1 << (component % 32);
    }
}
