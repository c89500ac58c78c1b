//! A rotation that turns on as it turned.

use super::fixed::{Quaternion, Unpack, after, log, of_turn, pack, turn};
use super::inputs::{COMMON, Inputs};
use super::net::{LANES, Net, REGRESSORS};
use super::{Direction, Known, STEPS, Sample, Truth, Vector, bucket, changes};
use crate::codec::contexts::{LARGEST, LARGEST_CLASSES, SECOND};
use crate::schema::Word;

/// How many inputs a lane has of its own.
const OF_LANE: usize = 5;
/// The first input behind those of the lanes.
const REST: usize = COMMON + OF_LANE * LANES;

/// What a difference of a vector is multiplied by to be about as large as a turn that it causes: rolling.
const ROLLING: i32 = 23;

/// Codes the words; `vector` is the last one of the component before it.
pub(super) fn code<D: Direction>(
    to: &mut D,
    words: &[Word],
    net: &Net,
    known: &Known,
    values: &mut [u32],
    vector: &Vector,
) -> Result<(), D::Error> {
    let ([_, word, ..], [largest_value, others @ ..]) = (words, values) else { return Ok(()) };
    let max = word.max;
    let unpack = Unpack::new(max);
    let newest = unpack.of(&known.words[0]);
    let (steps, regressors) = turns(known, &newest, vector, unpack);
    let inputs = inputs(known, &steps, vector);
    to.observe(|| {
        let now = unpack.of(&[*largest_value, others[0], others[1], others[2]]);
        Sample {
            inputs: &inputs,
            regressors: &regressors,
            truth: Truth::Turn { turn: turn(&newest, &now), now, largest: *largest_value, max },
        }
    });
    let outlook = net.run(&inputs);
    let way = |lane: usize| {
        outlook.way(lane, &regressors[lane]).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
    };
    let foretold = after(&of_turn(core::array::from_fn(way)), &newest);

    let size = foretold.map(i32::abs);
    let first = largest_of(&size, None);
    let second = largest_of(&size, Some(first));
    let mut rest = (0..4).filter(|at| *at != first && *at != second);
    let rest = [rest.next().unwrap_or(0), rest.next().unwrap_or(0)];
    let is = |at: usize, value: &u32| *value as usize == at;
    // How sure it is: by how much it is larger, against how far off that may be.
    let margin = (log(size[first] - size[second]) - 56 - (outlook.scale(0) >> 4).max(-32)) >> 3;
    let sure = (margin + 8).clamp(0, LARGEST_CLASSES as i32 - 1).cast_unsigned();
    let largest = if to.decide(LARGEST + sure, is(first, largest_value))? {
        first
    } else if to.decide(SECOND, is(second, largest_value))? {
        second
    } else {
        rest[usize::from(to.decide(SECOND + 1, is(rest[1], largest_value))?)]
    };
    *largest_value = largest as u32;

    // The number that is left out counts as positive.
    let sign = if foretold[largest] < 0 { -1 } else { 1 };
    let kept = (0..4).filter(|at| *at != largest).map(|at| foretold[at]);
    let mut errors = [0; LANES];
    for (lane, (value, number)) in others.iter_mut().zip(kept).enumerate().take(LANES) {
        let foretold = pack(sign * number, max);
        // A number that is nearly one hardly changes, whatever the turn.
        let across = log(((1 << 14) - ((number * number) >> 14)).max(0)) - 224;
        let sizes = match lane {
            0 => [0, 0, across],
            1 => [log(errors[0]), 0, across],
            _ => [log(errors[lane - 1]), log(errors[0]), across],
        };
        let scale = outlook.scale(lane) + net.beside(lane, sizes);
        *value = to.number(word, bucket(scale), foretold, *value)?;
        errors[lane] = word.signed_difference(foretold, *value);
    }
    Ok(())
}

/// The turns between the known orientations, for one tick each, and the regressors: those turns for the ticks since the
/// newest, and how far off the vector was.
fn turns(
    known: &Known,
    newest: &Quaternion,
    vector: &Vector,
    unpack: Unpack,
) -> ([[i32; STEPS]; LANES], [[i32; REGRESSORS]; LANES]) {
    let mut steps = [[0; STEPS]; LANES];
    let rolled = vector.errors.map(|error| ROLLING * error);
    let mut regressors = [[0, 0, 0, 0, 0, rolled[0], rolled[1], rolled[2]]; LANES];
    let mut newer = *newest;
    for (at, pair) in known.words.windows(2).enumerate() {
        if pair[0] == pair[1] {
            continue;
        }
        let older = unpack.of(&pair[1]);
        for (lane, step) in turn(&older, &newer).into_iter().enumerate() {
            (steps[lane][at], regressors[lane][at]) = known.rates(at, step);
        }
        newer = older;
    }
    (steps, regressors)
}

fn inputs(known: &Known, steps: &[[i32; STEPS]; LANES], vector: &Vector) -> [i16; super::net::INPUTS] {
    let mut inputs = Inputs::new(steps, &steps.map(|steps| changes(&steps)));
    for lane in 0..LANES {
        inputs.set(
            COMMON + OF_LANE * lane,
            [vector.errors[lane].abs(), 0, vector.from_middle[lane], vector.steps[lane], vector.values[lane]],
        );
    }
    inputs.set(REST, [vector.errors.iter().map(|error| error.abs()).sum()]);
    let scale = |lane: usize| (COMMON + OF_LANE * lane + 1, vector.scales[lane] >> 4);
    inputs.finish([
        scale(0),
        scale(1),
        scale(2),
        (REST + 1, 16 * i32::from(vector.changed)),
        (REST + 2, i32::from(vector.rough)),
        (REST + 3, i32::from(vector.speed)),
        (REST + 4, known.log_horizon),
    ])
}

/// The largest of four numbers but for one; the first of equal ones.
fn largest_of(numbers: &[i32; 4], but: Option<usize>) -> usize {
    let others = numbers.iter().enumerate().filter(|(at, _)| Some(*at) != but);
    others.rev().max_by_key(|(_, number)| **number).map_or(0, |(at, _)| at)
}
