//! A rotation that turns on as it turned. A quaternion is x, y, z, w in 16384ths.

use core::array;

use ecs_runtime::codec::Weights;
use ecs_runtime::schema::Word;

use super::Refused;
use super::contexts::{LARGEST, LARGEST_CLASSES, SECOND};
use super::line::Line;
use super::model::Model;
use super::motion::{Inputs, LANES, OWN, Outlook, Past, STEPS, code_sized, log, shifted};
use super::number::signed_difference;
use super::vector::Vector;

type Quaternion = [i128; 4];

const ONE: i128 = 1 << 14;

/// What rolls turns by about so much for each unit of its way.
const ROLLING: i128 = 23;

/// Codes the words: which of the four numbers is the largest, and the other three.
pub(super) fn code(
    line: &mut impl Line,
    model: &Model,
    weights: &Weights,
    words: &[Word],
    past: &Past,
    told: Option<&[u32]>,
    vector: &Vector,
) -> Result<Vec<u32>, Refused> {
    let word = &words[1];
    let max = i128::from(word.max);
    let known: Vec<Quaternion> = past.words.iter().map(|words| unpack(words, max)).collect();
    let mut steps = [[0; STEPS]; LANES];
    // What the coefficients multiply: the turns, and how far off the vector was.
    let mut goes_by = [[0; STEPS + LANES]; LANES];
    for at in 0..STEPS {
        let turn = turn(&known[at + 1], &known[at]);
        for lane in 0..LANES {
            steps[lane][at] = past.per_tick(at, turn[lane]);
            goes_by[lane][at] = past.until_now(at, turn[lane]);
        }
    }
    for lane in &mut goes_by {
        for (at, error) in vector.errors.iter().enumerate() {
            lane[STEPS + at] = ROLLING * error;
        }
    }
    let outlook = Outlook::new(weights, &inputs(past, &steps, vector));
    let foretold = after(&of_turn(array::from_fn(|lane| outlook.way(lane, &goes_by[lane]))), &known[0]);

    let largest = code_largest(line, &foretold, outlook.size(0), told.map(|told| told[0] as usize))?;
    // The number that is left out counts as positive.
    let sign = if foretold[largest] < 0 { -1 } else { 1 };
    let others: Vec<_> = (0..4).filter(|at| *at != largest).map(|at| sign * foretold[at]).collect();
    let mut values = vec![largest as u32];
    let mut errors = [0; LANES];
    for (lane, number) in others.into_iter().enumerate() {
        let foretold = pack(number, max);
        // A number that is nearly one hardly changes, whatever the turn.
        let across = log((ONE - shifted(number * number, 14)).max(0)) - 224;
        let beside = match lane {
            0 => [0, 0, across],
            1 => [log(errors[0]), 0, across],
            _ => [log(errors[1]), log(errors[0]), across],
        };
        let size = outlook.size_beside(weights, lane, beside);
        let value = code_sized(line, model, word, size, foretold, told.map(|told| told[lane + 1]))?;
        errors[lane] = signed_difference(word, foretold, value).into();
        values.push(value);
    }
    Ok(values)
}

/// Codes which number is the largest: mostly the largest of those that are foretold.
fn code_largest(
    line: &mut impl Line,
    foretold: &Quaternion,
    size: i128,
    told: Option<usize>,
) -> Result<usize, Refused> {
    // By size, and the first of equal ones first: sorting keeps their order.
    let mut by_size = [0, 1, 2, 3];
    by_size.sort_by_key(|at| -foretold[*at].abs());
    let [first, second, third, fourth] = by_size;
    let [third, fourth] = [third.min(fourth), third.max(fourth)];
    // How sure it is: by how much it is larger, against how far off that may be.
    let lead = log(foretold[first].abs() - foretold[second].abs());
    let margin = shifted(lead - 56 - shifted(size, 4).max(-32), 3);
    let sure = (margin + 8).clamp(0, LARGEST_CLASSES as i128 - 1) as usize;
    let is = |at: usize| told.map(|told| told == at);
    Ok(if line.decide(LARGEST + sure, is(first))? {
        first
    } else if line.decide(SECOND, is(second))? {
        second
    } else if line.decide(SECOND + 1, is(fourth))? {
        fourth
    } else {
        third
    })
}

fn inputs(past: &Past, steps: &[[i128; STEPS]; LANES], vector: &Vector) -> Inputs {
    let mut inputs = Inputs::new(steps);
    for lane in 0..LANES {
        let first = OWN + 5 * lane;
        inputs.number(first, vector.errors[lane].abs());
        inputs.logarithm(first + 1, shifted(vector.sizes[lane], 4));
        inputs.number(first + 2, vector.from_middle[lane]);
        inputs.number(first + 3, vector.steps[lane]);
        inputs.number(first + 4, vector.values[lane]);
    }
    let rest = OWN + 5 * LANES;
    inputs.number(rest, vector.errors.iter().map(|error| error.abs()).sum());
    inputs.logarithm(rest + 1, if vector.changed { 16 } else { 0 });
    inputs.logarithm(rest + 2, vector.rough);
    inputs.logarithm(rest + 3, vector.speed);
    inputs.logarithm(rest + 4, past.log_horizon());
    inputs
}

/// A rotation from its words. Each of three numbers is in `0..=max`, which stands for -1 / sqrt 2 to 1 / sqrt 2.
fn unpack(words: &[u32], max: i128) -> Quaternion {
    // 2^38 / sqrt 2.
    let scale = 194_368_031_998 / max;
    let (largest, mut others) = (words[0] as usize, words[1..].iter());
    let mut quaternion = [0; 4];
    for at in (0..4).filter(|at| *at != largest) {
        let word = i128::from(*others.next().expect("three others"));
        quaternion[at] = shifted((2 * word - max) * scale + (1 << 23), 24);
    }
    let squares: i128 = quaternion.iter().map(|x| x * x).sum();
    quaternion[largest] = root(ONE * ONE - squares);
    quaternion
}

/// The largest whole number whose square is at most `x`; 0 if there is none.
fn root(x: i128) -> i128 {
    let (mut low, mut high) = (0, ONE + 1);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if middle * middle <= x {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// The word of a number of a quaternion.
fn pack(number: i128, max: i128) -> u32 {
    // 185364 is 2^17 sqrt 2.
    shifted(number * max * 185_364 + (max << 31) + (1 << 31), 32).clamp(0, max) as u32
}

/// The turn `b`, and then `a`: the product of quaternions.
fn after(a: &Quaternion, b: &Quaternion) -> Quaternion {
    let [ax, ay, az, aw] = *a;
    let [bx, by, bz, bw] = *b;
    let product = [
        aw * bx + bw * ax + (ay * bz - az * by),
        aw * by + bw * ay + (az * bx - ax * bz),
        aw * bz + bw * az + (ax * by - ay * bx),
        aw * bw - (ax * bx + ay * by + az * bz),
    ];
    product.map(|x| shifted(x + ONE / 2, 14))
}

/// The turn from one orientation to another: half its angle times its axis, in 16384ths.
fn turn(from: &Quaternion, to: &Quaternion) -> [i128; 3] {
    let [x, y, z, w] = *from;
    let [x, y, z, w] = after(to, &[-x, -y, -z, w]);
    let square = shifted(x * x + y * y + z * z, 14).min(ONE - 1);
    // asin(s) / s, of s^2 by 64ths.
    let factor = between(square, 8, |at| {
        let sine = libm::sqrt(at as f64 / 64.0);
        if at == 0 { 1.0 } else { libm::asin(sine) / sine }
    });
    let sign = if w < 0 { -1 } else { 1 };
    [x, y, z].map(|x| shifted(sign * x * factor, 14))
}

/// The quaternion of a turn.
fn of_turn(turn: [i128; 3]) -> Quaternion {
    let turn = turn.map(|x| x.clamp(-2 * ONE, 2 * ONE));
    let square = shifted(turn.iter().map(|x| x * x).sum(), 14);
    // sin(h) / h and cos(h), of h^2 by 16ths.
    let sine = between(square, 10, |at| {
        let angle = libm::sqrt(at as f64 / 16.0);
        if at == 0 { 1.0 } else { libm::sin(angle) / angle }
    });
    let cosine = between(square, 10, |at| libm::cos(libm::sqrt(at as f64 / 16.0)));
    let [x, y, z] = turn.map(|x| shifted(x * sine, 14));
    [x, y, z, cosine]
}

/// The value of a function of a number in 16384ths, linear between whole multiples of 2^`bits`.
fn between(at: i128, bits: u32, of: impl Fn(i128) -> f64) -> i128 {
    let value = |place: i128| libm::round(of(place) * ONE as f64) as i128;
    let place = shifted(at, bits);
    let (low, high) = (value(place), value(place + 1));
    low + shifted((high - low) * (at - (place << bits)), bits)
}
