//! Exact integrals over a polyhedron, and its principal axes.

use glam::{DMat3, DVec3};

/// Volume, centre of mass and inertia about it, for density 1, of the solid bounded by triangles.
pub(super) struct Integrals {
    pub volume: f64,
    pub centre: DVec3,
    pub inertia: DMat3,
}

impl Integrals {
    /// Sums over the tetrahedra from the point `inside` to every triangle.
    pub fn of(triangles: impl Iterator<Item = [DVec3; 3]>, inside: DVec3) -> Self {
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for triangle in triangles {
            let [a, b, c] = triangle.map(|corner| corner - inside);
            // Six times the signed volume of the tetrahedron from `inside`.
            let six_fold = a.dot(b.cross(c));
            let sum = a + b + c;
            volume += six_fold / 6.0;
            first += six_fold / 24.0 * sum;
            // Exact integral of x x' over a tetrahedron with one corner at the origin.
            second += (outer(a) + outer(b) + outer(c) + outer(sum)) * (six_fold / 120.0);
        }
        // Parallel axes: from the point `inside` to the centre of mass.
        let arm = first / volume;
        let about_centre = second - outer(arm) * volume;
        let trace = about_centre.x_axis.x + about_centre.y_axis.y + about_centre.z_axis.z;
        Self { volume, centre: inside + arm, inertia: DMat3::from_diagonal(DVec3::splat(trace)) - about_centre }
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// Product of inertia, relative to the largest moment, that counts as a rounding error. Axes that
/// are principal to this tolerance are kept.
const ROUNDING: f64 = 1e-14;

/// Largest number of Jacobi sweeps. The method converges quadratically and needs about four.
const MAX_SWEEPS: usize = 30;

/// Returns the principal moments of a symmetric tensor and the rotation from its principal axes to
/// its own axes. Jacobi's method is used because it rotates the axes no farther than needed.
pub(crate) fn principal_axes(inertia: DMat3) -> (DVec3, DMat3) {
    let mut m = inertia.to_cols_array_2d();
    let mut axes = DMat3::IDENTITY;
    let largest = (0..3).map(|k| m[k][k].abs()).fold(0.0, f64::max);
    for _ in 0..MAX_SWEEPS {
        let mut is_done = true;
        for [p, q] in [[0, 1], [0, 2], [1, 2]] {
            if m[p][q].abs() <= ROUNDING * largest {
                continue;
            }
            is_done = false;
            // Tangent of the rotation that removes the element (p, q), the smaller one of two.
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = 1f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for row in &mut m {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            let (row_p, row_q) = (m[p], m[q]);
            for k in 0..3 {
                (m[p][k], m[q][k]) = (c * row_p[k] - s * row_q[k], s * row_p[k] + c * row_q[k]);
            }
            let (axis_p, axis_q) = (axes.col(p), axes.col(q));
            *axes.col_mut(p) = c * axis_p - s * axis_q;
            *axes.col_mut(q) = s * axis_p + c * axis_q;
        }
        if is_done {
            break;
        }
    }
    (DVec3::new(m[0][0], m[1][1], m[2][2]), axes)
}
