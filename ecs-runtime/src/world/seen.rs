//! What a table's slots were when somebody last looked, and how they differ from that now.

use super::block::{BLOCK, BlockOf, lanes};
use crate::Component;

/// One block as it was seen.
#[derive(Clone, Debug)]
pub(super) struct SeenOf<C> {
    /// The slots that had the component.
    pub(super) present: u64,
    /// Of whoever was the last that had it.
    pub(super) generations: [u32; BLOCK],
    pub(super) values: [C; BLOCK],
}

/// The slots of a block to which something happened, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Differences {
    pub(super) added: u64,
    pub(super) removed: u64,
    pub(super) changed: u64,
    /// Of those that were added: where another entity was the last that had it.
    pub(super) replaced: u64,
}

impl Differences {
    pub(super) fn is_empty(&self) -> bool {
        self.added | self.removed | self.changed == 0
    }
}

impl<C: Component> SeenOf<C> {
    pub(super) fn boxed() -> Box<Self> {
        Box::new(Self { present: 0, generations: [0; BLOCK], values: core::array::from_fn(|_| C::default()) })
    }

    /// What a block differs in, given the slots that were touched since it was seen.
    pub(super) fn compare(&self, block: Option<&BlockOf<C>>, touched: u64) -> Differences {
        let mut differ = Differences::default();
        let present = block.map_or(0, |block| block.present);
        // A block that is empty may be used elsewhere, and takes with it what was touched.
        for lane in lanes(touched & (present | self.present) | self.present & !present) {
            let bit = 1 << lane;
            let was = self.present & bit != 0;
            match block.filter(|_| present & bit != 0) {
                Some(now) if now.generations[lane] == self.generations[lane] => match was {
                    true if self.values[lane].same(&now.values[lane]) => {}
                    true => differ.changed |= bit,
                    false => differ.added |= bit,
                },
                Some(_) => {
                    differ.removed |= self.present & bit;
                    differ.added |= bit;
                    differ.replaced |= bit;
                }
                None => differ.removed |= bit,
            }
        }
        differ
    }

    /// Becomes what a block is now.
    pub(super) fn follow(&mut self, differ: Differences, block: Option<&BlockOf<C>>) {
        self.present = self.present & !differ.removed | differ.added;
        if let Some(block) = block {
            for lane in lanes(differ.added | differ.changed) {
                self.generations[lane] = block.generations[lane];
                self.values[lane].clone_from(&block.values[lane]);
            }
        }
    }
}
