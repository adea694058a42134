//! Small numerical functions that several modules share.

use glam::DVec3;

/// Returns two unit vectors that complete the unit vector `n` to a right-handed frame `(t, u, n)`.
///
/// The frame is continuous except where `n.z` changes its sign, and no small number is divided by
/// `\[Duff2017\]`.
pub fn tangent_frame(n: DVec3) -> (DVec3, DVec3) {
    let sign = 1f64.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    (DVec3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x), DVec3::new(b, sign + n.y * n.y * a, -n.y))
}

/// Returns directions on three rings about `n`. They are starting points of searches where edges of
/// bodies meet, because several local minima then lie close together.
pub fn around(n: DVec3) -> impl Iterator<Item = DVec3> {
    const ANGLES: [f64; 3] = [0.1, 0.3, 0.6];
    // Cosine and sine of the corners of a hexagon.
    const HEXAGON: [[f64; 2]; 6] =
        [[1.0, 0.0], [0.5, HEIGHT], [-0.5, HEIGHT], [-1.0, 0.0], [-0.5, -HEIGHT], [0.5, -HEIGHT]];
    const HEIGHT: f64 = 0.866_025_403_784_438_6;
    let (t, u) = tangent_frame(n);
    ANGLES.into_iter().flat_map(move |angle| HEXAGON.map(|[c, s]| (n + angle * (c * t + s * u)).normalize()))
}

/// Returns the factor that scales a vector with squared length `square` to unit length. Close to 1,
/// as after a small step of a direction, a series avoids the square root and the division. Its
/// truncation error is below rounding.
#[inline]
pub fn to_unit_length(square: f64) -> f64 {
    // Distance from 1 up to which the series is used: its first omitted term, of the third order,
    // is then below 1e-18.
    const LITTLE: f64 = 1e-6;
    let over = square - 1.0;
    if over.abs() <= LITTLE { 1.0 - over * (0.5 - 0.375 * over) } else { 1.0 / square.sqrt() }
}

/// Halves the interval until its ends are neighbouring numbers, and returns them: `is_past` is true
/// of the higher end and of all arguments beyond the one that is searched for.
pub fn bisect(mut low: f64, mut high: f64, mut is_past: impl FnMut(f64) -> bool) -> [f64; 2] {
    // From a number of the size 1 down to the smallest number there are 1074 halvings, and 53 from
    // there to the last digit. An interval that is not a number would never end.
    const MOST_HALVINGS: u32 = 1200;
    for _ in 0..MOST_HALVINGS {
        let middle = 0.5 * (low + high);
        if !(middle > low && middle < high) {
            break;
        }
        if is_past(middle) { high = middle } else { low = middle }
    }
    [low, high]
}

/// Returns abscissae and weights of Gauss-Legendre quadrature of order `n` on [-1, 1].
pub fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    // Newton's method converges quadratically from Tricomi's starting points; eight steps reach the
    // last bit.
    const NEWTON_STEPS: usize = 8;
    (0..n)
        .map(|i| {
            let mut x = libm::cos(std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5));
            let mut slope = 0.0;
            for _ in 0..NEWTON_STEPS {
                let (mut p, mut previous) = (x, 1.0);
                for k in 2..=n {
                    let k = k as f64;
                    (p, previous) = (((2.0 * k - 1.0) * x * p - (k - 1.0) * previous) / k, p);
                }
                slope = n as f64 * (x * p - previous) / (x * x - 1.0);
                x -= p / slope;
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangent_frame_is_right_handed_and_orthonormal() {
        for n in [DVec3::X, -DVec3::Z, DVec3::new(1.0, -2.0, 0.5).normalize(), DVec3::new(1e-9, 0.0, -1.0).normalize()]
        {
            let (t, u) = tangent_frame(n);
            assert!((t.cross(u) - n).length() < 1e-15);
            assert!(t.dot(u).abs() < 1e-15 && (t.length() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn the_series_for_unit_length_meets_the_root() {
        for over in [0.0, 1e-6, -1e-6, 1.1e-6, 3e-9, -2e-16, 0.5] {
            let (found, exact) = (to_unit_length(1.0 + over), 1.0 / (1.0 + over).sqrt());
            assert!((found / exact - 1.0).abs() <= 3e-16, "{over}: {found} not {exact}");
        }
    }

    #[test]
    fn gauss_legendre_is_exact_for_polynomials_of_degree_2n_minus_1() {
        let rule = gauss_legendre(6);
        let integral: f64 = rule.iter().map(|&(x, w)| w * x.powi(10)).sum();
        assert!((integral - 2.0 / 11.0).abs() < 1e-15);
        assert!((rule.iter().map(|&(_, w)| w).sum::<f64>() - 2.0).abs() < 1e-14);
    }
}
