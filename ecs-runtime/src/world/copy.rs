//! Copy and interpolation, table by table.

use super::block::lanes;
use super::{GameWorld, HasTable, Table, VisitPair};
use crate::Component;

pub(super) struct CopyTables;

impl<W: GameWorld> VisitPair<W> for CopyTables {
    fn table<C: Component>(&mut self, table: &mut Table<C>, other: &Table<C>)
    where
        W: HasTable<C>,
    {
        table.copy_from(other);
    }
}

/// Moves the interpolated fields of what both tables have towards the other table.
pub(super) struct InterpolateTables {
    pub(super) t: f32,
}

impl<W: GameWorld> VisitPair<W> for InterpolateTables {
    fn table<C: Component>(&mut self, table: &mut Table<C>, other: &Table<C>)
    where
        W: HasTable<C>,
    {
        if !C::SCHEMA.fields.iter().any(|field| field.interpolate) {
            return;
        }
        table.note_all_touched();
        for (block, to) in table.blocks_mut().iter_mut().zip(other.blocks()) {
            let (Some(block), Some(to)) = (block, to) else { continue };
            for lane in lanes(block.present & to.present) {
                if block.generations[lane] == to.generations[lane] {
                    let from = block.values[lane].clone();
                    block.values[lane].interpolate(&from, &to.values[lane], self.t);
                    block.touched |= 1 << lane;
                }
            }
        }
    }
}
