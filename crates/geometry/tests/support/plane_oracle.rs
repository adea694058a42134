//! A slow oracle for the gap of two planar bodies: directions are sampled and refined by golden
//! section search. It has its own support functions.

use std::f64::consts::TAU;

/// A planar body of the tests: semi-axes (m), exponent, and angle of the first axis (rad).
#[derive(Clone, Copy, Debug)]
pub struct Oval {
    pub a: f64,
    pub b: f64,
    pub n: f64,
    pub angle: f64,
}

impl Oval {
    /// Returns the support function for the normal at the angle `phi`, m.
    pub fn support(&self, phi: f64) -> f64 {
        let (sin, cos) = (phi - self.angle).sin_cos();
        if self.n == 2.0 {
            return ((self.a * cos).powi(2) + (self.b * sin).powi(2)).sqrt();
        }
        let q = self.n / (self.n - 1.0);
        let (x, y) = ((self.a * cos).abs(), (self.b * sin).abs());
        let (small, large) = (x.min(y), x.max(y));
        large * (1.0 + (small / large).powf(q)).powf(1.0 / q)
    }

    /// Returns the angles of the normals at equal steps of the parameter of the ellipse, rad. They
    /// are dense where the curvature is large.
    fn normals(&self, count: usize) -> impl Iterator<Item = f64> + '_ {
        (0..count).map(move |k| {
            let (sin, cos) = (TAU * k as f64 / count as f64).sin_cos();
            ((sin / self.b).atan2(cos / self.a) + self.angle).rem_euclid(TAU)
        })
    }
}

/// Returns the largest gap over all directions, m, and the angle of the direction, rad.
pub fn gap(a: &Oval, b: &Oval, offset: [f64; 2], samples: usize) -> (f64, f64) {
    let value = |phi: f64| {
        let (sin, cos) = phi.sin_cos();
        offset[0] * cos + offset[1] * sin - a.support(phi) - b.support(phi)
    };
    let even = (0..samples).map(|k| TAU * k as f64 / samples as f64);
    let mut angles: Vec<f64> = even.chain(a.normals(samples)).chain(b.normals(samples)).collect();
    angles.sort_unstable_by(f64::total_cmp);
    let values: Vec<f64> = angles.iter().map(|&phi| value(phi)).collect();
    let count = angles.len();
    let mut tops: Vec<usize> = (0..count)
        .filter(|&k| values[k] >= values[(k + count - 1) % count] && values[k] >= values[(k + 1) % count])
        .collect();
    tops.sort_unstable_by(|&i, &j| values[j].total_cmp(&values[i]));
    let refined = tops.iter().take(6).map(|&k| {
        let low = if k == 0 { angles[count - 1] - TAU } else { angles[k - 1] };
        let high = if k + 1 == count { angles[0] + TAU } else { angles[k + 1] };
        golden(value, low, high)
    });
    refined.max_by(|p, q| p.0.total_cmp(&q.0)).expect("a periodic function has a maximum")
}

/// Returns the maximum of a function with one maximum between `low` and `high`, and its position.
fn golden(value: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> (f64, f64) {
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut x, mut y) = (high - golden * (high - low), low + golden * (high - low));
    let (mut fx, mut fy) = (value(x), value(y));
    while high - low > 1e-15 * high.abs().max(1.0) && x < y {
        if fx > fy {
            (high, y, fy) = (y, x, fx);
            x = high - golden * (high - low);
            fx = value(x);
        } else {
            (low, x, fx) = (x, y, fy);
            y = low + golden * (high - low);
            fy = value(y);
        }
    }
    if fx > fy { (fx, x) } else { (fy, y) }
}
