//! What every world holds, and what is done to it: the same on all sides.

use ecs_runtime::Random;

/// Metres, or metres a second.
pub(crate) type Vec3 = [f32; 3];

/// The length of a tick in seconds.
pub(crate) const DT: f32 = 1.0 / 60.0;

/// What is added to a body and removed again.
pub(crate) const ADDED: i32 = 7;

/// The position, velocity and hit points that body number `i` begins with; so many hit points that none runs out.
#[inline]
pub(crate) fn body(i: usize) -> (Vec3, Vec3, i32) {
    ([i as f32, 0.0, 0.0], [1.0, 0.5, 0.25], 1_000_000 + i as i32)
}

/// Where body number `i` looks, in radians.
pub(crate) fn yaw(i: usize) -> f32 {
    i as f32 * 0.001
}

/// The rounds of body number `i`.
pub(crate) fn rounds(i: usize) -> u32 {
    i as u32 % 30
}

/// Whether body number `i` burns, one in ten, and how many hit points it loses by it.
pub(crate) fn burning(i: usize) -> Option<i32> {
    i.is_multiple_of(10).then_some(1 + i as i32 % 3)
}

/// Whether damage to body number `i` is ignored: one in sixteen.
pub(crate) fn is_invincible(i: usize) -> bool {
    i % 16 == 5
}

/// The hit points that hit number `i` takes.
pub(crate) fn damage(i: usize) -> u32 {
    1 + i as u32 % 3
}

/// One step of one body.
#[inline]
pub(crate) fn step(position: &mut Vec3, velocity: &Vec3) {
    bench_worlds::slots::step(position, velocity, DT);
}

/// The hit points that are left of some after a hit.
#[inline]
pub(crate) fn after_hit(hp: i32, amount: u32) -> i32 {
    (hp - amount as i32).max(0)
}

/// The numbers below `count` in an order that no prefetcher foresees, the same each time.
pub(crate) fn shuffled(count: usize) -> Vec<usize> {
    let mut random = Random::new(0x5eed);
    let mut order: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        let other = (random.unit() * (at + 1) as f32) as usize;
        order.swap(at, other.min(at));
    }
    order
}

/// Elements in the order of [`shuffled`].
pub(crate) fn in_random_order<T: Copy>(elements: &[T]) -> Vec<T> {
    shuffled(elements.len()).into_iter().map(|at| elements[at]).collect()
}

/// What a body holds as one number. Those of all bodies are added, since worlds keep them in different orders.
pub(crate) fn digest(position: &Vec3, velocity: &Vec3, hp: i32) -> u64 {
    let floats = position.iter().chain(velocity).map(|value| value.to_bits());
    floats.chain([hp as u32]).fold(0, mixed)
}

/// The same for the other components.
pub(crate) fn digest_gear(yaw: f32, rounds: u32) -> u64 {
    mixed(mixed(1, yaw.to_bits()), rounds)
}

fn mixed(digest: u64, word: u32) -> u64 {
    (digest ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

/// What is found of a position, to be added up.
#[inline]
pub(crate) fn found(position: &Vec3) -> u64 {
    u64::from(position[0].to_bits())
}

/// The sum over what is found, which no order of it changes.
pub(crate) fn sum(found: impl Iterator<Item = u64>) -> u64 {
    found.fold(0, u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffled_order_has_each_number_once() {
        let mut order = shuffled(1000);
        assert!(order.windows(2).filter(|pair| pair[0] + 1 == pair[1]).count() < 20);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..1000));
    }
}
