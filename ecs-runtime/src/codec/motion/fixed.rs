//! Logarithms and quaternions in whole numbers, the same on every platform.
//!
//! `Q14` is a number times 2^14. A quaternion is x, y, z, w in Q14.

use std::sync::LazyLock;

pub(super) type Quaternion = [i32; 4];

/// The logarithm to base 2 of one more than the absolute value, in 16ths: linear between powers of two.
#[inline]
pub(super) fn log(x: i32) -> i32 {
    // A float has so many bits that it is exact; its exponent stands before the bits behind the highest.
    let y = (x.unsigned_abs().min(0xff_fffe) + 1) as f32;
    (y.to_bits() >> 19).cast_signed() - (127 << 4)
}

/// How rotations are unpacked whose words go to a maximum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unpack {
    max: i64,
    /// 2^38 / sqrt 2 / max: from twice a word less its maximum to Q14, with 24 bits more.
    scale: i64,
}

impl Unpack {
    pub(super) fn new(max: u32) -> Self {
        Self { max: i64::from(max), scale: 194_368_031_998 / i64::from(max.max(1)) }
    }

    /// A rotation from its words: which number is the largest and left out, and the other three in `0..=max`, which
    /// stand for -1 / sqrt 2 to 1 / sqrt 2.
    #[inline]
    pub(super) fn of(self, &[largest, a, b, c]: &[u32; 4]) -> Quaternion {
        let number = |word| (((2 * i64::from(word) - self.max) * self.scale + (1 << 23)) >> 24) as i32;
        let [a, b, c] = [a, b, c].map(number);
        let squares: u32 = [a, b, c].iter().map(|x| x.unsigned_abs().pow(2)).sum();
        // Exact, and so the same everywhere: no square has as many bits as a double.
        let rest = f64::from((1u32 << 28).saturating_sub(squares)).sqrt() as i32;
        match largest {
            0 => [rest, a, b, c],
            1 => [a, rest, b, c],
            2 => [a, b, rest, c],
            _ => [a, b, c, rest],
        }
    }
}

/// The word of a number of a quaternion.
pub(super) fn pack(number: i32, max: u32) -> u32 {
    let max = i64::from(max);
    // 2^17 sqrt 2: from Q14 to twice a word less its maximum, with 31 bits more.
    let word = (i64::from(number) * max * 185_364 + (max << 31) + (1 << 31)) >> 32;
    word.clamp(0, max) as u32
}

/// One turn, and then another.
pub(super) fn after(a: &Quaternion, b: &Quaternion) -> Quaternion {
    let [ax, ay, az, aw] = *a;
    let [bx, by, bz, bw] = *b;
    [
        rounded(aw * bx + ax * bw + ay * bz - az * by),
        rounded(aw * by - ax * bz + ay * bw + az * bx),
        rounded(aw * bz + ax * by - ay * bx + az * bw),
        rounded(aw * bw - ax * bx - ay * by - az * bz),
    ]
}

fn rounded(product: i32) -> i32 {
    (product + (1 << 13)) >> 14
}

/// The turn that leads from one orientation to another: half its angle times its axis, in Q14.
pub(super) fn turn(from: &Quaternion, to: &Quaternion) -> [i32; 3] {
    let [x, y, z, w] = *from;
    let [x, y, z, w] = after(to, &[-x, -y, -z, w]);
    let sign = if w < 0 { -1 } else { 1 };
    let square = ((x * x + y * y + z * z) >> 14).min((1 << 14) - 1);
    let factor = between(&TABLES.arc, square, 8);
    [x, y, z].map(|x| (sign * x * factor) >> 14)
}

/// The quaternion of a turn: the reverse of [`turn`].
pub(super) fn of_turn(turn: [i32; 3]) -> Quaternion {
    let turn = turn.map(|x| i64::from(x.clamp(-(1 << 15), 1 << 15)));
    let square = (turn.iter().map(|x| x * x).sum::<i64>() >> 14) as i32;
    let factor = i64::from(between(&TABLES.sine, square, 10));
    let [x, y, z] = turn.map(|x| ((x * factor) >> 14) as i32);
    [x, y, z, between(&TABLES.cosine, square, 10)]
}

/// The value of a table between two of its entries, which are `2^bits` apart.
fn between(table: &[i32], at: i32, bits: u32) -> i32 {
    let (place, rest) = ((at >> bits) as usize, at & ((1 << bits) - 1));
    match table.get(place..) {
        Some([low, high, ..]) => low + (((high - low) * rest) >> bits),
        _ => table.last().copied().unwrap_or(0),
    }
}

/// Functions of the square of a length, in Q14.
struct Tables {
    /// asin(s) / s, of s^2 from 0 to 1.
    arc: [i32; 65],
    /// cos(h) and sin(h) / h, of h^2 from 0 to 16.
    cosine: [i32; 257],
    sine: [i32; 257],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let q14 = |x: f64| libm::round(x * 16_384.0) as i32;
    // The limit of both quotients at zero is 1.
    let over = |x: f64, of: f64| if of == 0.0 { 1.0 } else { x / of };
    let arc = |s: f64| q14(over(libm::asin(s), s));
    let sine = |h: f64| q14(over(libm::sin(h), h));
    Tables {
        arc: core::array::from_fn(|at| arc(libm::sqrt(at as f64 / 64.0))),
        cosine: core::array::from_fn(|at| q14(libm::cos(libm::sqrt(at as f64 / 16.0)))),
        sine: core::array::from_fn(|at| sine(libm::sqrt(at as f64 / 16.0))),
    }
});

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_rotation_is_packed_as_it_was_unpacked(
            largest in 0u32..4, max in 15u32..=65_535, others: [u16; 3]
        ) {
            // The sum of the squares of the others is at most three quarters, as that of any rotation.
            let words = others.map(|other| max / 5 + u32::from(other) % (max * 3 / 5));
            let quaternion = Unpack::new(max).of(&[largest, words[0], words[1], words[2]]);
            let square: i64 = quaternion.iter().map(|&x| i64::from(x) * i64::from(x)).sum();
            prop_assert!((square - (1 << 28)).abs() < 1 << 17, "{square}");
            let kept = (0..4).filter(|at| *at != largest).map(|at| quaternion[at as usize]);
            for (word, number) in words.iter().zip(kept) {
                let back = pack(number, max);
                prop_assert!(back.abs_diff(*word) <= max / 16_384 + 1, "{back} {word}");
            }
        }

        #[test]
        fn a_turn_leads_from_one_orientation_to_the_other(a: [i16; 3], b: [i16; 3]) {
            let quaternion = |turn: [i16; 3]| of_turn(turn.map(|x| i32::from(x) / 6));
            let (from, to) = (quaternion(a), quaternion(b));
            let there = after(&of_turn(turn(&from, &to)), &from);
            let same = there.iter().zip(&to).all(|(x, y)| x.abs_diff(*y) < 40);
            let opposite = there.iter().zip(&to).all(|(x, y)| x.abs_diff(-*y) < 40);
            prop_assert!(same || opposite, "{there:?} {to:?}");
        }
    }

    #[test]
    fn logarithms_are_in_sixteenths() {
        assert_eq!([0, 1, -1, 3, 2, 255].map(log), [0, 16, 16, 32, 24, 128]);
        assert_eq!(log(i32::MIN), log(i32::MAX));
    }
}
