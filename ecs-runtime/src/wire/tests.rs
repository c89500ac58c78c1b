//! Quantization at its edges, and as properties.

use super::*;
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
    let position = Step::new(-512.0, 512.0, 0.005);
    assert_eq!(round_trip(position, 512.0), (512.0, false));
    assert_eq!(round_trip(position, -512.0), (-512.0, false));
    assert_eq!(round_trip(position, 1e9), (512.0, true));
    assert_eq!(round_trip(position, f32::NEG_INFINITY), (-512.0, true));
    assert_eq!(round_trip(position, f32::NAN), (-512.0, true));
    assert!(position.contains(512.0) && !position.contains(512.01) && !position.contains(f32::NAN));
}

#[test]
fn every_nan_is_the_same_nan() {
    let mut words = [0];
    for bits in [0x7fc0_0001, 0xffff_ffff, 0x7f80_0001] {
        assert!(Float.quantize(f32::from_bits(bits), &mut words));
        assert_eq!(words, [CANONICAL_NAN]);
    }
    for value in [f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE / 2.0] {
        let (back, saturated) = round_trip(Float, value);
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
        let wire = Step::new(-512.0, 512.0, step);
        let mut words = [0];
        wire.quantize(value, &mut words);
        let first = words;
        // An f32 near 512 resolves 1/32768, far below the steps used here.
        wire.quantize(wire.dequantize(&words), &mut words);
        prop_assert_eq!(first, words);
        let angle = Angle::new(bits.min(20));
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
        Step::new(0.0, 1.0, 0.1).dequantize(&words);
        Angle::new(24).dequantize(&words);
        Reference::new(8).dequantize(&words);
    }

    #[test]
    fn arrays_keep_their_order(values in proptest::array::uniform5(any::<i16>())) {
        let wire = Each::<_, 5>(Range::<i16>::FULL);
        prop_assert_eq!(round_trip(wire, values), (values, false));
    }

    #[test]
    fn a_step_that_does_not_divide_the_range_stays_inside(
        max in 0.1f64..10.0, step in 0.01f64..20.0, value in -5.0f32..20.0,
    ) {
        let (back, saturated) = round_trip(Step::new(0.0, max, step), value);
        prop_assert!((0.0..=max as f32).contains(&back), "{}", back);
        prop_assert!(saturated || f64::from((back - value).abs()) <= step);
    }
}
