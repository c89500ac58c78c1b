//! Queries that all threads of a pool walk together.
//!
//! A query is cut at blocks of 64 slots, and cut again, until there are some pieces for each thread. Whatever a visit
//! writes lies in a block, touched bits included, so the pieces have nothing in common and nothing is locked.

use core::ops::Range;

use super::fetch::Fetch;
use super::join::{Block, Query, visit_lanes, while_blocks_of};
use super::{Deferred, GameWorld, lanes};
use crate::Entity;

/// So many pieces for each thread: who has had easy ones takes over what waits for another thread.
const PIECES_PER_THREAD: usize = 4;

/// With so many blocks for each thread, 32,768 slots, cuts are made between chunks of 64 blocks. The threads' shares
/// differ by a chunk then, which is an eighth at most.
const BLOCKS_FOR_CHUNKS: usize = 8 * 64;

/// The forms of a [`Query`] that visit on all threads of the current pool of `rayon` at once. Behind the feature
/// `parallel`.
///
/// Every match is visited once, as by [`Query::for_each`], in no particular order. A visit is shown its own entity alone
/// and can change nothing else, so what the tables hold afterwards is the same with any number of threads. What visits
/// write by locks and atomics is another matter: the order of that is open.
///
/// Handing work to other threads costs some microseconds. It pays where the visits take many times as long together:
/// thousands of entities, or a body that does more than move numbers about. With one thread, or one block of 64 slots to
/// be visited, everything happens on the calling thread.
///
/// # Panics
/// If a visit panics, so does the call, once no thread is at it any more. The other matches were visited or were not;
/// nothing is left half done but what the visit itself was at.
pub trait ParallelQuery: Query {
    /// Calls `visit` for every match.
    fn par_for_each(self, visit: impl Fn(Entity, Self::Item) + Sync) {
        let all = Span::all(self.fetch());
        in_pieces(all, |span| {
            span.walk(|mask| mask, |block, slices| visit_lanes::<Self::Fetch>(block, slices, &visit));
        });
    }

    /// Calls `visit` for every block of 64 slots with a match, as [`Query::for_each_block`].
    fn par_for_each_block(self, visit: impl Fn(Block<'_>, <Self::Fetch as Fetch>::Slices) + Sync) {
        let all = Span::all(self.fetch());
        in_pieces(all, |span| span.walk(|_| u64::MAX, &visit));
    }

    /// Calls `visit` for every match, with something to note changes of structure in.
    ///
    /// Afterwards `later` holds, behind what it held, what was noted in the order of the indices of the entities visited:
    /// to apply it does exactly what it would after [`Query::for_each`], down to the handles of the entities that it
    /// creates. What `visit` has created in it stands for an entity within that visit alone; what was created in `later`
    /// before can be used in every visit. If a visit panics, nothing of the walk is in `later`.
    ///
    /// ```rust,standalone_crate
    /// # use ecs_runtime::prelude::*;
    /// # #[component] pub struct Fuse { pub ticks: u16 }
    /// # #[component] pub struct Smoke { pub of: Entity }
    /// # ecs_runtime::game_state! { max_entities = 64; Fuse, Smoke }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut gs = GameState::default();
    /// # let bomb = gs.spawn((Fuse { ticks: 1 },))?;
    /// let mut later = Deferred::new(); // kept from tick to tick, as always
    /// (&mut gs.fuses,).par_for_each_deferred(&mut later, |later, entity, (fuse,)| {
    ///     fuse.ticks -= 1;
    ///     if fuse.ticks == 0 {
    ///         let smoke = later.create();
    ///         later.add(smoke, Smoke { of: entity });
    ///         later.destroy(entity);
    ///     }
    /// });
    /// later.apply(&mut gs)?;
    /// assert!(!gs.contains(bomb) && gs.smokes.len() == 1);
    /// # Ok(())
    /// # }
    /// ```
    fn par_for_each_deferred<W: GameWorld>(
        self,
        later: &mut Deferred<W>,
        visit: impl Fn(&mut Deferred<W>, Entity, Self::Item) + Sync,
    ) {
        let all = Span::all(self.fetch());
        later.note_in_pieces(all.pieces(), |pieces| {
            with_notes(all, pieces, &|span, later| {
                span.walk(
                    |mask| mask,
                    |block, slices| {
                        visit_lanes::<Self::Fetch>(block, slices, |entity, item| visit(later, entity, item));
                    },
                );
            });
        });
    }
}

impl<Q: Query> ParallelQuery for Q {}

/// Has all of a span walked, by pieces.
fn in_pieces<F: Fetch>(all: Span<F>, walk: impl Fn(Span<F>) + Sync) {
    // Of no size: this allocates nothing.
    let mut nothing = vec![(); all.pieces()];
    with_notes(all, &mut nothing, &|span, ()| walk(span));
}

/// Has a span walked in as many pieces as there are notes, each with its own; their order is that of the slots.
fn with_notes<F: Fetch, N: Send>(span: Span<F>, notes: &mut [N], walk: &(impl Fn(Span<F>, &mut N) + Sync)) {
    let half = notes.len() / 2;
    if half > 0
        && let Some(cut) = span.cut(span.count * half / notes.len())
    {
        let (below, from) = span.split(cut);
        let (notes_below, notes_from) = notes.split_at_mut(half);
        rayon::join(|| with_notes(below, notes_below, walk), || with_notes(from, notes_from, walk));
    } else if let Some(notes) = notes.first_mut() {
        walk(span, notes);
    }
}

/// A run of blocks that are to be visited.
struct Span<F> {
    fetch: F,
    blocks: Range<usize>,
    /// How many of them may have a match: the measure of work.
    count: usize,
    threads: usize,
    /// Whether it is cut between chunks only.
    by_chunks: bool,
}

/// Where a span is cut: the first block of the upper part, and how many that may have a match are below.
#[derive(Clone, Copy)]
struct Cut {
    block: usize,
    below: usize,
}

impl<F: Fetch> Span<F> {
    fn all(fetch: F) -> Self {
        let chunks = fetch.chunks();
        let count = (0..chunks).map(|chunk| fetch.nonempty(chunk).count_ones() as usize).sum();
        let threads = rayon::current_num_threads();
        let by_chunks = count >= BLOCKS_FOR_CHUNKS * threads;
        Self { fetch, blocks: 0..chunks * 64, count, threads, by_chunks }
    }

    /// In how many pieces it is walked. Depends on what is there and on the number of threads, not on how they get on, so
    /// that the same work needs the same memory.
    fn pieces(&self) -> usize {
        if self.threads == 1 { 1 } else { self.count.clamp(1, self.threads * PIECES_PER_THREAD) }
    }

    fn chunks(&self) -> Range<usize> {
        self.blocks.start / 64..self.blocks.end.div_ceil(64)
    }

    /// The blocks of one of its chunks that may have a match.
    fn of_chunk(&self, chunk: usize) -> u64 {
        let above = self.blocks.start.saturating_sub(chunk * 64);
        let beyond = ((chunk + 1) * 64).saturating_sub(self.blocks.end);
        self.fetch.nonempty(chunk) & u64::MAX << above & u64::MAX >> beyond
    }

    /// Where about `wanted` blocks with a match lie below, and some above.
    fn cut(&self, wanted: usize) -> Option<Cut> {
        let mut below = 0;
        for chunk in self.chunks() {
            let blocks = self.of_chunk(chunk);
            let (here, left) = (blocks.count_ones() as usize, wanted - below);
            if left < here {
                let cut = if !self.by_chunks {
                    Cut { block: chunk * 64 + lanes(blocks).nth(left)?, below: wanted }
                } else if left < here - left {
                    Cut { block: chunk * 64, below }
                } else {
                    Cut { block: (chunk + 1) * 64, below: below + here }
                };
                return (0 < cut.below && cut.below < self.count).then_some(cut);
            }
            below += here;
        }
        None
    }

    fn split(self, at: Cut) -> (Self, Self) {
        let Self { fetch, blocks, count, threads, by_chunks } = self;
        let (below, from) = fetch.split(at.block);
        (
            Self { fetch: below, blocks: blocks.start..at.block, count: at.below, threads, by_chunks },
            Self { fetch: from, blocks: at.block..blocks.end, count: count - at.below, threads, by_chunks },
        )
    }

    fn walk(mut self, touched: impl Fn(u64) -> u64, mut visit: impl FnMut(Block<'_>, F::Slices)) {
        for chunk in self.chunks() {
            let blocks = self.of_chunk(chunk);
            while_blocks_of(&mut self.fetch, chunk, blocks, &touched, &mut visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Entities, Kind};

    /// The pieces in which so many entities are walked, which are all of them.
    fn pieces(entities: u32, threads: usize) -> Vec<(Range<usize>, usize)> {
        let mut ids = Entities::new(1);
        (0..entities).for_each(|_| _ = ids.create(entities, Kind(0)).expect("room"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let all = || Span::all(&ids);
        let mut pieces = vec![(0..0, 0); pool.install(|| all().pieces())];
        pool.install(|| {
            with_notes(all(), &mut pieces, &|span, piece| {
                *piece = (span.blocks.clone(), span.count);
                let mut visited = 0;
                span.walk(|mask| mask, |block, ()| visited += usize::from(block.mask() != 0));
                assert_eq!(visited, piece.1);
            });
        });
        assert!(pieces.is_sorted_by(|(one, _), (other, _)| one.end == other.start));
        assert_eq!(pieces.iter().map(|(_, count)| count).sum::<usize>(), entities.div_ceil(64) as usize);
        pieces
    }

    #[test]
    fn a_world_of_4096_entities_has_something_for_eight_threads() {
        let pieces = pieces(4096, 8);
        assert_eq!(pieces.len(), 32);
        assert!(pieces.iter().all(|(blocks, count)| blocks.len() == 2 && *count == 2));
    }

    #[test]
    fn a_large_world_is_cut_between_chunks() {
        for threads in [2, 3] {
            let pieces = pieces(150_000, threads);
            assert_eq!(pieces.len(), 4 * threads);
            let mean = 150_000 / 64 / pieces.len();
            assert!(
                pieces.iter().all(|(blocks, count)| blocks.start % 64 == 0 && count.abs_diff(mean) <= 64)
            );
        }
    }

    #[test]
    fn a_single_thread_or_block_makes_a_single_piece() {
        assert_eq!([pieces(1000, 1).len(), pieces(64, 8).len(), pieces(0, 8).len()], [1; 3]);
    }
}
