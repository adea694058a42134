//! Moments of a segment of a disc: the part beyond a chord.

use std::f64::consts::PI;

/// Number of terms of the series. With [`SHALLOW`] the first omitted term is below 1e-15.
const TERMS: usize = 14;

/// Height of a segment over the diameter up to which the series is used. The closed forms lose
/// three digits there, and more for lower segments.
const SHALLOW: f64 = 0.1;

/// Coefficients of the powers of `kappa` in the integrals over t from 0 to 1 of `t^(1/2 + ...)`: of
/// `t^(1/2) (1 - t)^k (1 - kappa t)^(1/2)` for k = 0, 1, 2, and of `t^(3/2) (1 - kappa t)^(3/2)`.
const SERIES: [[f64; TERMS]; 4] = series();

const fn series() -> [[f64; TERMS]; 4] {
    let mut all = [[0.0; TERMS]; 4];
    let (mut root, mut cube) = (1.0, 1.0);
    let mut n = 0;
    while n < TERMS {
        let k = n as f64;
        let (p, q, r) = (k + 1.5, k + 2.5, k + 3.5);
        all[0][n] = root / p;
        all[1][n] = root / (p * q);
        all[2][n] = 2.0 * root / (p * q * r);
        all[3][n] = cube / q;
        // Binomial coefficients of (1 - x)^(1/2) and (1 - x)^(3/2).
        root *= (k - 0.5) / (k + 1.0);
        cube *= (k - 1.5) / (k + 1.0);
        n += 1;
    }
    all
}

/// Integrals over the part of a disc beyond a chord. v is the distance from the chord and x the
/// coordinate along it, from its middle.
#[derive(Clone, Copy, Debug)]
pub(super) struct CircularSegment {
    /// Integrals of 1, v and v².
    pub moments: [f64; 3],
    /// Integral of x².
    pub along_chord: f64,
    /// Half length of the chord, m.
    pub half_chord: f64,
}

impl CircularSegment {
    /// The segment of the given height, m, of a disc.
    pub fn new(radius: f64, height: f64) -> Self {
        let height = height.clamp(0.0, 2.0 * radius);
        // Square of the half chord over the height.
        let other = 2.0 * radius - height;
        let half_chord = (height * other).sqrt();
        if height > 2.0 * SHALLOW * radius {
            return Self::closed_form(radius, radius - height, half_chord);
        }
        let kappa = if radius > 0.0 { 0.5 * height / radius } else { 0.0 };
        // Horner's rule, from the highest power.
        let sum = |terms: &[f64; TERMS]| terms.iter().rev().fold(0.0, |sum, term| sum * kappa + term);
        let wide = (2.0 * radius * height).sqrt();
        let area = 2.0 * height * wide;
        Self {
            moments: [
                area * sum(&SERIES[0]),
                area * height * sum(&SERIES[1]),
                area * height * height * sum(&SERIES[2]),
            ],
            along_chord: area * wide * wide / 3.0 * sum(&SERIES[3]),
            half_chord,
        }
    }

    /// The same from the distance of the chord from the centre, which is negative for more than
    /// half a disc.
    fn closed_form(radius: f64, distance: f64, half_chord: f64) -> Self {
        let (r2, m, b) = (radius * radius, distance, half_chord);
        let angle = libm::atan2(b, m);
        let area = r2 * angle - m * b;
        let first = 2.0 / 3.0 * b * b * b;
        let second = 0.25 * (r2 * r2 * angle + m * b * (r2 - 2.0 * m * m));
        Self {
            moments: [area, first - m * area, second - 2.0 * m * first + m * m * area],
            along_chord: 0.25 * r2 * r2 * angle - m * b * (5.0 * r2 - 2.0 * m * m) / 12.0,
            half_chord,
        }
    }
}

/// Returns the area of a disc.
pub(super) fn disc_area(radius: f64) -> f64 {
    PI * radius * radius
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::math::gauss_legendre;

    /// The integrals by quadrature over the angle.
    fn oracle(radius: f64, height: f64) -> [f64; 4] {
        let m = radius - height;
        let angle = (m / radius).clamp(-1.0, 1.0).acos();
        let mut sums = [0.0; 4];
        for (node, weight) in gauss_legendre(40) {
            let t = 0.5 * angle * (1.0 + node);
            // v = r cos t - m, without cancellation.
            let v = 2.0 * radius * (0.5 * (angle + t)).sin() * (0.5 * (angle - t)).sin();
            let b = radius * t.sin();
            let dv = radius * t.sin() * 0.5 * angle * weight;
            for (sum, value) in sums.iter_mut().zip([2.0 * b, 2.0 * b * v, 2.0 * b * v * v, 2.0 / 3.0 * b * b * b]) {
                *sum += value * dv;
            }
        }
        sums
    }

    #[test]
    fn the_moments_of_segments_of_all_heights_are_exact() {
        for k in 0..400 {
            let radius = 0.7;
            let height = 2.0
                * radius
                * if k < 200 { 10f64.powf(-12.0 + 0.06 * f64::from(k)) } else { f64::from(k - 199) / 201.0 };
            let found = CircularSegment::new(radius, height);
            let [a, b, c] = found.moments;
            let exact = oracle(radius, height);
            // The oracle's angle loses digits for low segments.
            let tolerance = 1e-12 + 1e-15 / height;
            for (found, exact) in [a, b, c, found.along_chord].into_iter().zip(exact) {
                assert!((found / exact - 1.0).abs() < tolerance, "{height:e}: {found:e} {exact:e}");
            }
        }
        let whole = CircularSegment::new(1.0, 2.0);
        assert!((whole.moments[0] - PI).abs() < 1e-14 && (whole.along_chord - PI / 4.0).abs() < 1e-14);
    }

    #[test]
    fn no_height_and_no_radius_have_no_moments() {
        for [radius, height] in [[1.0, 0.0], [0.0, 0.0], [1.0, -1.0]] {
            let found = CircularSegment::new(radius, height);
            assert_eq!((found.moments, found.along_chord, found.half_chord), ([0.0; 3], 0.0, 0.0));
        }
    }
}
