//! The arena: boxes, where players appear, and where pickups lie. Both sides have it, so it is not sent.

use crate::components::Pickup;
use crate::math::{Vec3, distance, scale, sub};

/// Where a match takes place. `y` points up.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// What is solid.
    pub boxes: Vec<Aabb>,
    /// Where players appear: the middle between the feet.
    pub spawns: Vec<Vec3>,
    /// What lies around: where, and the kind of [`Pickup`].
    pub pickups: Vec<(Vec3, u8)>,
}

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: Vec3,
    /// The corner with the largest.
    pub max: Vec3,
}

impl Map {
    /// How far it is from `origin` along `direction`, a vector of length 1, to what is solid; at most `range`.
    #[must_use]
    pub fn raycast(&self, origin: Vec3, direction: Vec3, range: f32) -> Option<f32> {
        let hits = self.boxes.iter().filter_map(|solid| solid.raycast(origin, direction));
        hits.filter(|&hit| hit <= range).min_by(f32::total_cmp)
    }

    /// Whether nothing solid is between two points.
    #[must_use]
    pub fn sees(&self, from: Vec3, to: Vec3) -> bool {
        let range = distance(from, to);
        range == 0.0 || self.raycast(from, scale(sub(to, from), 1.0 / range), range).is_none()
    }

    /// The arena: 44 by 44 metres with a tower in the middle, walls to hide behind, and crates to jump on.
    #[must_use]
    pub fn arena() -> Self {
        let mut boxes = vec![
            solid([-23.0, -1.0, -23.0], [23.0, 0.0, 23.0]),
            solid([-23.0, 0.0, -23.0], [-22.0, 6.0, 23.0]),
            solid([22.0, 0.0, -23.0], [23.0, 6.0, 23.0]),
            solid([-22.0, 0.0, -23.0], [22.0, 6.0, -22.0]),
            solid([-22.0, 0.0, 22.0], [22.0, 6.0, 23.0]),
            solid([-3.0, 0.0, -3.0], [3.0, 4.0, 3.0]),
        ];
        let (mut spawns, mut pickups) = (Vec::new(), Vec::new());
        // A quarter of the arena, and the same in the other three: no side is better than the other.
        for (x, z) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
            let mut add = |from: Vec3, to: Vec3| boxes.push(mirrored(from, to, x, z));
            add([8.0, 0.0, 6.0], [9.0, 3.0, 13.0]);
            add([12.0, 0.0, 15.0], [18.0, 3.0, 16.0]);
            add([14.0, 0.0, 3.0], [16.0, 1.0, 5.0]);
            add([4.0, 0.0, 16.0], [5.5, 1.0, 17.5]);
            spawns.extend([[20.0 * x, 0.0, 20.0 * z], [12.0 * x, 0.0, 9.0 * z], [5.0 * x, 0.0, 10.0 * z]]);
            pickups.extend([
                ([18.5 * x, 0.0, 9.0 * z], Pickup::HEALTH),
                ([8.0 * x, 0.0, 19.0 * z], Pickup::AMMO),
            ]);
        }
        pickups.extend([([0.0, 0.0, 6.0], Pickup::SHIELD), ([0.0, 0.0, -6.0], Pickup::SHIELD)]);
        Self { boxes, spawns, pickups }
    }
}

impl Aabb {
    /// Whether two boxes share any space; those that merely touch do not.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.min[axis] < other.max[axis] && other.min[axis] < self.max[axis])
    }

    /// How far it is from `origin` along `direction`, a vector of length 1, to this box; 0 from inside.
    #[must_use]
    pub fn raycast(&self, origin: Vec3, direction: Vec3) -> Option<f32> {
        let (mut enter, mut leave) = (0.0f32, f32::INFINITY);
        for axis in 0..3 {
            let (low, high) = (self.min[axis] - origin[axis], self.max[axis] - origin[axis]);
            if direction[axis] == 0.0 {
                // Never crosses these two planes, so it has to start between them.
                if low > 0.0 || high < 0.0 {
                    return None;
                }
            } else {
                let (a, b) = (low / direction[axis], high / direction[axis]);
                enter = enter.max(a.min(b));
                leave = leave.min(a.max(b));
            }
        }
        (enter <= leave).then_some(enter)
    }
}

fn solid(min: Vec3, max: Vec3) -> Aabb {
    Aabb { min, max }
}

/// A box of the first quarter, moved to the quarter of these signs.
fn mirrored(from: Vec3, to: Vec3, x: f32, z: f32) -> Aabb {
    let (x, z) = ([from[0] * x, to[0] * x], [from[2] * z, to[2] * z]);
    solid([x[0].min(x[1]), from[1], z[0].min(z[1])], [x[0].max(x[1]), to[1], z[0].max(z[1])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Transform, math::add};

    #[test]
    fn rays_end_at_the_nearest_box() {
        let near = Aabb { min: [4.0, -1.0, -1.0], max: [5.0, 1.0, 1.0] };
        let far = Aabb { min: [8.0, -1.0, -1.0], max: [9.0, 1.0, 1.0] };
        let map = Map { boxes: vec![far, near], spawns: Vec::new(), pickups: Vec::new() };
        let ahead = [1.0, 0.0, 0.0];
        assert_eq!(map.raycast([0.0; 3], ahead, 100.0), Some(4.0));
        assert_eq!(map.raycast([0.0; 3], ahead, 3.0), None);
        assert_eq!(map.raycast([6.0, 0.0, 0.0], ahead, 100.0), Some(2.0));
        assert_eq!(map.raycast([0.0, 2.0, 0.0], ahead, 100.0), None);
        assert_eq!(map.raycast([4.5, 0.0, 0.0], ahead, 100.0), Some(0.0), "from inside");
        assert!(map.sees([0.0; 3], [3.9, 0.0, 0.0]) && !map.sees([0.0; 3], [6.0, 0.0, 0.0]));
        assert!(map.sees([0.0; 3], [0.0; 3]));
    }

    #[test]
    fn boxes_that_touch_do_not_overlap() {
        let left = Aabb { min: [0.0; 3], max: [1.0; 3] };
        let right = Aabb { min: [1.0, 0.0, 0.0], max: [2.0, 1.0, 1.0] };
        assert!(!left.overlaps(&right));
        assert!(left.overlaps(&Aabb { min: [0.9, 0.0, 0.0], ..right }));
    }

    #[test]
    fn the_places_of_the_arena_are_on_its_floor_and_free() {
        let map = Map::arena();
        let places = map.spawns.iter().copied().chain(map.pickups.iter().map(|&(place, _)| place));
        for place in places {
            let body = Transform { position: place, ..Transform::default() }.bounds();
            assert!(!map.boxes.iter().any(|solid| solid.overlaps(&body)), "{place:?} is inside something");
            assert_eq!(
                map.raycast(add(place, [0.0, 1.0, 0.0]), [0.0, -1.0, 0.0], 2.0),
                Some(1.0),
                "{place:?}"
            );
        }
    }
}
