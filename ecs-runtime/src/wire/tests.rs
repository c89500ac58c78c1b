//! Quantization at its edges, and as properties.

use super::*;
use crate::schema::{Field, Form, Layer, Word, is_there, row_len, row_words};
use crate::{Entity, List, Text};
use proptest::prelude::*;

fn round_trip<W: Wire>(wire: W, value: W::Value) -> (W::Value, bool) {
    let mut row = vec![0; wire.words()];
    let saturated = wire.quantize(value, &mut row);
    (wire.dequantize(&row), saturated)
}

#[test]
fn integers_saturate_at_both_ends() {
    let hp = Range::<i32>::new(0, 1000);
    assert_eq!(round_trip(hp, 1000), (1000, false));
    assert_eq!(round_trip(hp, 1001), (1000, true));
    assert_eq!(round_trip(hp, -1), (0, true));
    assert_eq!(round_trip(Range::<i8>::new(-100, 100), -128), (-100, true));
}

#[test]
fn wide_integers_take_two_words_and_survive_their_extremes() {
    for value in [i64::MIN, -1, 0, 1, i64::MAX] {
        assert_eq!(round_trip(Range::<i64>::FULL, value), (value, false));
    }
    assert_eq!(round_trip(Range::<u64>::FULL, u64::MAX), (u64::MAX, false));
    assert_eq!(Range::<u64>::new(5, 1000).words(), 1);
    assert_eq!(Range::<u64>::FULL.words(), Range::<u64>::FULL.form().words());
}

#[test]
fn quantized_floats_saturate_and_report_nan() {
    let position = Step::<f32>::new(-512.0, 512.0, 0.005);
    assert_eq!(round_trip(position, 512.0), (512.0, false));
    assert_eq!(round_trip(position, -512.0), (-512.0, false));
    assert_eq!(round_trip(position, 1e9), (512.0, true));
    assert_eq!(round_trip(position, f32::NEG_INFINITY), (-512.0, true));
    assert_eq!(round_trip(position, f32::NAN), (-512.0, true));
    assert!(position.contains(512.0) && !position.contains(512.01) && !position.contains(f64::NAN));
}

#[test]
fn every_nan_is_the_same_nan() {
    let mut words = [0; 2];
    for bits in [0x7fc0_0001, 0xffff_ffff, 0x7f80_0001] {
        assert!(Float::<f32>::FULL.quantize(f32::from_bits(bits), &mut words));
        assert_eq!(words, [0x7fc0_0000, 0]);
    }
    assert!(Float::<f64>::FULL.quantize(f64::from_bits(u64::MAX), &mut words));
    assert_eq!(words, [0, 0x7ff8_0000]);
    for value in [f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE / 2.0] {
        let (back, saturated) = round_trip(Float::FULL, value);
        assert_eq!((back.to_bits(), saturated), (value.to_bits(), false));
    }
    for value in [f64::MAX, -0.0, f64::MIN_POSITIVE / 2.0, core::f64::consts::PI] {
        let (back, saturated) = round_trip(Float::FULL, value);
        assert_eq!((back.to_bits(), saturated), (value.to_bits(), false));
    }
}

#[test]
fn references_keep_index_and_generation_and_refuse_foreign_ones() {
    let reference = Reference::new(4096);
    let entity = Entity::new(4095, 7).expect("odd");
    assert_eq!(round_trip(reference, entity), (entity, false));
    assert_eq!(round_trip(reference, Entity::NONE), (Entity::NONE, false));
    assert_eq!(round_trip(reference, Entity::new(4096, 7).expect("odd")), (Entity::NONE, true));
    assert_eq!(round_trip(OptionalReference(reference), None), (None, false));
    assert_eq!(round_trip(OptionalReference(reference), Some(entity)), (Some(entity), false));
}

#[test]
fn an_angle_that_is_not_finite_reads_as_zero() {
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(round_trip(Angle::new(12), value), (0.0, true));
    }
}

proptest! {
    #[test]
    fn quantizing_again_changes_nothing(value in -600.0f32..600.0, step in 0.001f64..2.0, bits in 1u32..=24) {
        let wire = Step::<f32>::new(-512.0, 512.0, step);
        let mut words = [0];
        wire.quantize(value, &mut words);
        let first = words;
        // An f32 near 512 resolves 1/32768, far below the steps used here.
        wire.quantize(wire.dequantize(&words), &mut words);
        prop_assert_eq!(first, words);
        let angle = Angle::<f32>::new(bits.min(20));
        angle.quantize(value, &mut words);
        let first = words;
        angle.quantize(angle.dequantize(&words), &mut words);
        prop_assert_eq!(first, words);
    }

    #[test]
    fn errors_stay_within_half_a_step(value in -512.0f32..512.0, yaw in -3.1f32..3.1) {
        let (back, saturated) = round_trip(Step::new(-512.0, 512.0, 0.005), value);
        prop_assert!(!saturated && (back - value).abs() <= 0.0026, "{} {}", value, back);
        let (back, saturated) = round_trip(Angle::new(12), yaw);
        prop_assert!(!saturated && (back - yaw).abs() <= core::f32::consts::PI / 4096.0 * 1.001);
    }

    #[test]
    fn no_words_make_a_value_that_panics(words in proptest::array::uniform2(any::<u32>())) {
        Range::<i64>::new(-5, i64::MAX).dequantize(&words);
        Range::<u8>::new(3, 7).dequantize(&words);
        Step::<f32>::new(0.0, 1.0, 0.1).dequantize(&words);
        Angle::<f64>::new(24).dequantize(&words);
        UnitVector::<[f32; 3]>::new(9).dequantize(&words);
        Reference::new(8).dequantize(&words);
    }

    #[test]
    fn arrays_keep_their_order(values in proptest::array::uniform5(any::<i16>())) {
        let wire = Each::<_, 5>(Range::<i16>::FULL);
        prop_assert_eq!(round_trip(wire, values), (values, false));
    }
}

const LIST_OF_OPTIONS: &[Field] = &[Field::new(
    "list",
    "List<Option<u8>, 3>",
    &[Layer::List(3), Layer::Option],
    Form::Range { lo: 0, hi: 255 },
)];

#[test]
fn words_of_what_is_not_there_are_not_there() {
    const WORDS: [Word; row_len(LIST_OF_OPTIONS)] = row_words(LIST_OF_OPTIONS);
    let mut list: List<Option<u8>, 3> = List::new();
    assert_eq!(list.extend_to_fit([Some(5), None]), 2);
    let wire = Listed::<_, 3>(Maybe(Range::<u8>::FULL));
    assert_eq!((WORDS.len(), wire.words()), (7, 7));
    let mut row = [0; 7];
    assert!(!wire.quantize(list, &mut row));
    assert_eq!(row, [2, 1, 5, 0, 0, 0, 0]);
    let there: Vec<_> = (0..7).map(|at| is_there(&WORDS, &row, at)).collect();
    assert_eq!(there, [true, true, true, true, false, false, false]);
    // An option behind the end of the list is not there, whatever its word says.
    row[5] = 1;
    assert!(!is_there(&WORDS, &row, 6));
    assert_eq!(wire.dequantize(&row), [Some(5), None]);
}

#[test]
fn a_text_of_any_bytes_is_read_as_far_as_it_is_one() {
    let wire = Utf8::<6>;
    let text: Text<6> = "h\u{e9}llo".parse().expect("six bytes");
    assert_eq!(round_trip(wire, text), (text, false));
    let mut row = [6, u32::from_le_bytes(*b"ab\xffd"), 0];
    assert_eq!(wire.dequantize(&row), "ab");
    row[0] = u32::MAX;
    row[1] = u32::from_le_bytes(*b"abcd");
    row[2] = u32::from_le_bytes(*b"efgh");
    assert_eq!(wire.dequantize(&row), "abcdef");
}

#[test]
fn no_rotation_and_the_axes_are_exact() {
    for bits in [4, 9, 24] {
        let rotation = Rotation::<[f32; 4]>::new(bits);
        for lane in 0..4 {
            let mut axis = [0.0; 4];
            axis[lane] = 1.0;
            assert_eq!(round_trip(rotation, axis), (axis, false), "{bits} bits");
        }
        let vector = UnitVector::<[f32; 3]>::new(bits);
        for lane in 0..3 {
            for end in [1.0, -1.0] {
                let mut axis = [0.0; 3];
                axis[lane] = end;
                assert_eq!(round_trip(vector, axis), (axis, false), "{bits} bits");
            }
        }
    }
}

#[test]
fn what_has_no_direction_is_reported() {
    for odd in [0.0, f32::NAN, f32::INFINITY] {
        let rotation = Rotation::<[f32; 4]>::new(10);
        assert_eq!(round_trip(rotation, [odd; 4]), ([0.0, 0.0, 0.0, 1.0], true));
        let vector = UnitVector::<[f32; 3]>::new(10);
        assert_eq!(round_trip(vector, [odd; 3]), ([1.0, 0.0, 0.0], true));
    }
}

proptest! {
    #[test]
    fn rotations_come_back_near_and_quantize_to_themselves(
        numbers in proptest::array::uniform4(-1.0f32..1.0), bits in 4u32..=16,
    ) {
        let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
        prop_assume!(length > 0.01);
        let unit = numbers.map(|number| number / length);
        let wire = Rotation::<[f32; 4]>::new(bits);
        let mut row = [0; 4];
        wire.quantize(unit, &mut row);
        let back = wire.dequantize(&row);
        let first = row;
        wire.quantize(back, &mut row);
        prop_assert_eq!(row, first, "what was read back is what was sent");
        let dot: f32 = unit.iter().zip(back).map(|(a, b)| a * b).sum();
        let step = 1.0 / ((1 << (bits - 1)) - 1) as f32;
        prop_assert!(1.0 - dot.abs() <= step * step + 1e-6, "{} off, at a step of {}", 1.0 - dot.abs(), step);
    }

    #[test]
    fn unit_vectors_come_back_near_and_quantize_to_themselves(
        numbers in proptest::array::uniform3(-1.0f32..1.0), bits in 4u32..=16,
    ) {
        let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
        prop_assume!(length > 0.01);
        let unit = numbers.map(|number| number / length);
        let wire = UnitVector::<[f32; 3]>::new(bits);
        let mut row = [0; 2];
        wire.quantize(unit, &mut row);
        let back = wire.dequantize(&row);
        let first = row;
        wire.quantize(back, &mut row);
        prop_assert_eq!(row, first, "what was read back is what was sent");
        let off = unit.iter().zip(back).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt();
        let step = 1.0 / ((1 << (bits - 1)) - 1) as f32;
        prop_assert!(off <= 2.5 * step + 1e-6, "{} off, at a step of {}", off, step);
    }

    #[test]
    fn a_step_that_does_not_divide_the_range_stays_inside(
        max in 0.1f64..10.0, step in 0.01f64..20.0, value in -5.0f32..20.0,
    ) {
        let wire = Step::<f64>::new(0.0, max, step);
        let (back, saturated) = round_trip(wire, f64::from(value));
        prop_assert!((0.0..=max).contains(&back), "{}", back);
        prop_assert!(saturated || (back - f64::from(value)).abs() <= step);
    }

    #[test]
    fn rotations_and_lists_of_any_words_are_values(words in proptest::array::uniform4(any::<u32>())) {
        let numbers = Rotation::<[f32; 4]>::new(10).dequantize(&words);
        prop_assert!(numbers.iter().all(|number| number.is_finite()));
        let list: List<u8, 3> = Listed(Range::<u8>::FULL).dequantize(&words);
        prop_assert!(list.len() <= 3);
    }
}
