//! Which entities are near: a grid that answers for many viewers, to fill what each client may see.

use std::collections::HashMap;

use crate::Entity;
use crate::protocol::IndexSet;

/// A grid over two coordinates, filled anew each tick; a cell holds the entities in it.
///
/// Finding what is near costs a look at the cells around, whatever else there is. Entities come into view at one distance
/// and leave it at a larger one, so that nobody flickers at the edge.
///
/// ```rust,standalone_crate
/// # use ecs_runtime::prelude::*;
/// # #[component] pub struct Position { #[quantize(min = -512.0, max = 512.0, step = 0.1)] pub at: [f32; 3] }
/// # ecs_runtime::game_state! { max_entities = 64; Position }
/// use ecs_runtime::interest::InterestGrid;
/// use ecs_runtime::protocol::IndexSet;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut gs = GameState::default();
/// let near = gs.spawn((Position { at: [3.0, 0.0, 4.0] },))?;
/// let far = gs.spawn((Position { at: [300.0, 0.0, 0.0] },))?;
///
/// let mut grid = InterestGrid::new(50.0, 60.0);
/// grid.fill(gs.positions.iter().map(|(entity, position)| (entity, [position.at[0], position.at[2]])));
/// // On a server, this is `server.view_mut(client)`.
/// let mut view = IndexSet::new();
/// grid.see(&mut view, [0.0, 0.0]);
/// assert!(view.contains(near.index()) && !view.contains(far.index()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct InterestGrid {
    enter: f32,
    leave: f32,
    cells: HashMap<(i32, i32), Vec<Seen>>,
    /// What is seen from everywhere.
    everywhere: Vec<u32>,
    spare: IndexSet,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    index: u32,
    at: [f32; 2],
}

impl InterestGrid {
    /// A grid in which entities come into view at a distance of `enter` and leave it at one of `leave`, in the unit of the
    /// coordinates. What is no distance counts as 1, and `leave` is at least `enter`.
    #[must_use]
    pub fn new(enter: f32, leave: f32) -> Self {
        let enter = if enter.is_finite() && enter > 0.0 { enter } else { 1.0 };
        let leave = if leave.is_finite() { leave.max(enter) } else { enter };
        Self { enter, leave, cells: HashMap::new(), everywhere: Vec::new(), spare: IndexSet::new() }
    }

    /// Takes in where all entities are; what was in the grid is forgotten, and its memory kept. What has no place, a NaN or
    /// an infinity, is seen from everywhere.
    pub fn fill(&mut self, entities: impl IntoIterator<Item = (Entity, [f32; 2])>) {
        self.cells.values_mut().for_each(Vec::clear);
        self.everywhere.clear();
        for (entity, at) in entities {
            if at.iter().all(|at| at.is_finite()) {
                self.cells.entry(self.cell(at)).or_default().push(Seen { index: entity.index(), at });
            } else {
                self.everywhere.push(entity.index());
            }
        }
    }

    /// Makes an entity seen from everywhere until the grid is filled again.
    pub fn show_everywhere(&mut self, entity: Entity) {
        self.everywhere.push(entity.index());
    }

    /// Brings what a viewer at a place sees up to date.
    pub fn see(&mut self, view: &mut IndexSet, from: [f32; 2]) {
        let mut now = core::mem::take(&mut self.spare);
        now.clear();
        now.extend(self.everywhere.iter().copied());
        if from.iter().all(|from| from.is_finite()) {
            let (x, y) = self.cell(from);
            for cell in
                (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (x.saturating_add(dx), y.saturating_add(dy))))
            {
                for seen in self.cells.get(&cell).into_iter().flatten() {
                    let [dx, dy] = [seen.at[0] - from[0], seen.at[1] - from[1]];
                    let reach = if view.contains(seen.index) { self.leave } else { self.enter };
                    if dx * dx + dy * dy <= reach * reach {
                        now.insert(seen.index);
                    }
                }
            }
        }
        view.copy_from(&now);
        self.spare = now;
    }

    /// Cells are as wide as the larger distance, so that what is near is in one of nine.
    fn cell(&self, at: [f32; 2]) -> (i32, i32) {
        // Casts saturate: what is far beyond shares the outermost cells.
        let [x, y] = at.map(|at| (at / self.leave).floor() as i32);
        (x, y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entity(index: u32) -> Entity {
        Entity::new(index, 1).expect("odd")
    }

    #[test]
    fn whoever_is_at_the_edge_does_not_flicker() {
        let mut grid = InterestGrid::new(10.0, 12.0);
        let mut view = IndexSet::new();
        let mut sees = |distance: f32| {
            grid.fill([(entity(3), [distance, 0.0])]);
            grid.see(&mut view, [0.0, 0.0]);
            view.contains(3)
        };
        assert_eq!(
            [11.0, 9.9, 11.0, 11.9, 12.1, 11.0].map(&mut sees),
            [false, true, true, true, false, false]
        );
    }

    #[test]
    fn odd_places_and_distances_do_no_harm() {
        let mut grid = InterestGrid::new(f32::NAN, -5.0);
        let places = [[f32::NAN, 0.0], [f32::INFINITY, 0.0], [f32::MAX, f32::MIN], [0.0, 0.5]];
        grid.fill((0..).map(entity).zip(places));
        grid.show_everywhere(entity(9));
        let mut view = IndexSet::new();
        grid.see(&mut view, [0.0, 0.0]);
        assert_eq!(view.iter().collect::<Vec<_>>(), [0, 1, 3, 9]);
        grid.see(&mut view, [f32::NAN, f32::MAX]);
        assert_eq!(view.iter().collect::<Vec<_>>(), [0, 1, 9]);
    }

    proptest! {
        #[test]
        fn it_sees_what_a_look_at_everything_sees(
            places in proptest::collection::vec((-100.0f32..100.0, -100.0f32..100.0), 0..100),
            from in (-100.0f32..100.0, -100.0f32..100.0),
        ) {
            let mut grid = InterestGrid::new(25.0, 30.0);
            grid.fill(places.iter().enumerate().map(|(at, &(x, y))| (entity(at as u32), [x, y])));
            let mut view = IndexSet::new();
            grid.see(&mut view, [from.0, from.1]);
            for (at, &(x, y)) in places.iter().enumerate() {
                let (dx, dy) = (x - from.0, y - from.1);
                prop_assert_eq!(view.contains(at as u32), dx * dx + dy * dy <= 625.0);
            }
        }
    }
}
