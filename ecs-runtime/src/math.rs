//! Functions that give the same result on every platform, bit by bit: what a simulation may use that must run the same
//! on a server and its clients.
//!
//! `+ - * /`, `sqrt`, `abs`, `floor`, `round`, `min` and `max` of the standard library are exact everywhere. Its `sin`,
//! `exp` and the like are whatever the platform has; these come from `libm`. A `clippy.toml` that disallows the others,
//! as the one of the template shooter does, keeps a team from using them by mistake.

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($argument:ident),+) = $libm:ident;)*) => {$(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name($($argument: f32),+) -> f32 {
            libm::$libm($($argument),+)
        }
    )*};
}

functions! {
    /// The sine of an angle in radians.
    sin(angle) = sinf;
    /// The cosine of an angle in radians.
    cos(angle) = cosf;
    /// The tangent of an angle in radians.
    tan(angle) = tanf;
    /// The angle in radians, `-PI / 2` to `PI / 2`, of a sine; NaN outside of -1 to 1.
    asin(sine) = asinf;
    /// The angle in radians, 0 to `PI`, of a cosine; NaN outside of -1 to 1.
    acos(cosine) = acosf;
    /// The angle in radians, `-PI / 2` to `PI / 2`, of a tangent.
    atan(tangent) = atanf;
    /// The angle in radians, `-PI` to `PI`, from the axis of `x` to the point `x, y`.
    atan2(y, x) = atan2f;
    /// The length of the vector `x, y`.
    hypot(x, y) = hypotf;
    /// `e` to the power of a number.
    exp(power) = expf;
    /// The natural logarithm; NaN below zero.
    ln(number) = logf;
    /// A number to the power of another.
    pow(base, power) = powf;
}

/// The sine and the cosine of an angle in radians.
#[inline]
#[must_use]
pub fn sin_cos(angle: f32) -> (f32, f32) {
    libm::sincosf(angle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_these_bits_everywhere() {
        let bits = [
            sin(1.0),
            cos(1.0),
            tan(1.0),
            atan2(1.0, -2.0),
            exp(1.5),
            ln(10.0),
            pow(2.5, 0.3),
            hypot(3.0, 4.1),
        ]
        .map(f32::to_bits);
        assert_eq!(bits, BITS);
        assert_eq!(sin_cos(1.0), (sin(1.0), cos(1.0)));
    }

    const BITS: [u32; 8] = [
        1_062_693_540,
        1_057_640_768,
        1_070_029_091,
        1_076_585_332,
        1_083_140_607,
        1_075_010_958,
        1_068_007_222,
        1_084_396_099,
    ];
}
