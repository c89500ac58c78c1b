//! Counts the allocations of a thread.
//!
//! Every call goes on to the system's allocator as it is, growing in place and zeroed memory included, so that peers
//! which allocate pay no more than the count. That is why this is no crate: those at hand let each growth copy.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The number of allocations that `run` makes on this thread, and its result.
pub(crate) fn allocations<R>(run: impl FnOnce() -> R) -> (u64, R) {
    let before = ALLOCATIONS.get();
    let result = run();
    (ALLOCATIONS.get() - before, result)
}

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Counting;

// SAFETY: every call is passed on to the system's allocator unchanged; counting touches no memory of it, and does not
// allocate: the count is a constant at first and has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn allocations_and_growth_are_counted_and_nothing_else() {
        let (count, list) = allocations(|| {
            let mut list = black_box(Vec::<u64>::with_capacity(1));
            list.reserve_exact(100);
            list
        });
        assert_eq!((count, list.capacity()), (2, 100));
        assert_eq!(allocations(|| black_box(&list).len()), (0, 0));
    }
}
