//! The smooth overlap of a half-space and any body, from integrals over the part of the body below
//! the plane and over the plane's section of the body.
//!
//! The frame has its origin in the plane and z along the outward normal of the half-space, so that
//! the overlap region is the part z < 0 of the body. If the plane moves, the moving surface of the
//! region is the section alone. The force is therefore along the normal, and it acts at one point
//! of the plane: the gradient has no torque about the normal.

use glam::{DMat3, DVec2, DVec3};

/// Smallest smooth overlap, relative to the size of the body: a hundred times the rounding errors
/// of heights, below which they dominate the second moments.
const THINNEST: f64 = 1e-12;

/// Upper bound of the rate of the overlap. A slab has 2, other regions have less; a larger value is
/// due to rounding in a very thin region.
const STEEPEST: f64 = 4.0;

/// Volume of the part of a body below a plane, and its first and second moments about the origin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VolumeMoments {
    /// Volume, m³.
    pub volume: f64,
    /// Integral of x, m⁴.
    pub first: DVec3,
    /// Integral of x x', m⁵.
    pub second: DMat3,
}

impl VolumeMoments {
    /// The moments of nothing.
    pub const ZERO: Self = Self { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    /// Adds the tetrahedron from the origin to a triangle. Its volume is positive if the triangle
    /// is anticlockwise as seen from outside.
    pub fn add_tetrahedron(&mut self, [p, q, r]: [DVec3; 3]) {
        let volume = p.dot(q.cross(r)) / 6.0;
        let sum = p + q + r;
        self.volume += volume;
        self.first += 0.25 * volume * sum;
        // The mean of x x' over a tetrahedron with the vertices v is (sum of v v' + s s')/20 with
        // the sum s of the vertices.
        let squares = outer(p) + outer(q) + outer(r) + outer(sum);
        self.second += squares * (volume / 20.0);
    }

    /// Adds a volume, its centroid and its second moments about the centroid over the volume.
    pub fn add_part(&mut self, volume: f64, centroid: DVec3, spread: DMat3) {
        self.volume += volume;
        self.first += volume * centroid;
        self.second += (outer(centroid) + spread) * volume;
    }
}

/// Returns `v v'`.
pub(super) fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v.x * v, v.y * v, v.z * v)
}

/// Integrals over the section of a body by a plane: of 1, of x, y, of their products and of the
/// products of three of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SectionMoments {
    /// Area, m².
    pub area: f64,
    /// Integrals of x and y, m³.
    pub first: DVec2,
    /// Integrals of xx, xy and yy, m⁴.
    pub second: [f64; 3],
    /// Integrals of xxx, xxy, xyy and yyy, m⁵.
    pub third: [f64; 4],
}

impl SectionMoments {
    /// Adds the triangle from the origin to an edge of the section. The section is on the left of
    /// the edge.
    pub fn add_edge(&mut self, p: DVec2, q: DVec2) {
        let area = 0.5 * p.perp_dot(q);
        self.area += area;
        self.first += area / 3.0 * (p + q);
        // A monomial of the degree k has the integral 2 area/(k + 2) times its mean over the edge,
        // which Simpson's rule gives exactly up to the degree 3.
        let middle = 0.5 * (p + q);
        for (v, weight) in [(p, 1.0 / 6.0), (middle, 4.0 / 6.0), (q, 1.0 / 6.0)] {
            let (square, cube) = (0.5 * area * weight, 0.4 * area * weight);
            let [xx, xy, yy] = [v.x * v.x, v.x * v.y, v.y * v.y];
            add(&mut self.second, [xx, xy, yy], square);
            add(&mut self.third, [xx * v.x, xx * v.y, v.x * yy, yy * v.y], cube);
        }
    }

    /// Adds a strip of the width dy at y, from -b to b along x.
    pub fn add_strip(&mut self, y: f64, b: f64, dy: f64) {
        // The strip is symmetric about x = 0, so that integrals of odd powers of x vanish.
        let (length, square) = (2.0 * b * dy, 2.0 / 3.0 * b * b * b * dy);
        self.area += length;
        self.first.y += length * y;
        add(&mut self.second, [square, 0.0, length * y * y], 1.0);
        add(&mut self.third, [0.0, square * y, 0.0, length * y * y * y], 1.0);
    }
}

fn add<const N: usize>(sum: &mut [f64; N], terms: [f64; N], weight: f64) {
    for (sum, term) in sum.iter_mut().zip(terms) {
        *sum += weight * term;
    }
}

/// The smooth overlap D of a half-space and a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaneOverlap {
    /// The length D, m.
    pub length: f64,
    /// Growth of D as the body sinks by a unit length.
    pub rate: f64,
    /// Point of the plane at which the force acts, m. D grows by `rate` times the sinking of this
    /// point as the body moves and rotates.
    pub point: DVec2,
    /// Centroid of the part below the plane, m.
    pub centroid: DVec3,
    /// Second moments of this part about its centroid, over its volume, m².
    pub spread: DMat3,
}

/// Returns the smooth overlap of a body of the given size, m; `None` if the overlap is of the size
/// of rounding, or if the region has no volume. A body below the plane has no section and the rate
/// zero.
pub(super) fn smooth_overlap(volume: &VolumeMoments, section: &SectionMoments, size: f64) -> Option<PlaneOverlap> {
    if volume.volume <= 0.0 {
        return None;
    }
    let centroid = volume.first / volume.volume;
    let spread = volume.second * (1.0 / volume.volume) - outer(centroid);
    // The matrix is scaled to a diagonal of ones before it is inverted: thin regions have entries
    // of very different sizes.
    let diagonal = DVec3::new(spread.x_axis.x, spread.y_axis.y, spread.z_axis.z);
    if diagonal.min_element() <= 0.0 {
        return None;
    }
    let scale = 1.0 / DVec3::new(diagonal.x.sqrt(), diagonal.y.sqrt(), diagonal.z.sqrt());
    let scales = DMat3::from_diagonal(scale);
    let correlation = scales * spread * scales;
    if correlation.determinant() <= 0.0 {
        return None;
    }
    let inverse = scales * correlation.inverse() * scales;
    let trace = inverse.x_axis.x + inverse.y_axis.y + inverse.z_axis.z;
    let square = 48.0 / trace;
    let length = square.sqrt();
    if length.is_nan() || length < THINNEST * size {
        return None;
    }
    // dD = (D^3/96 V) integral of (x' C^-2 x - tr C^-1) dz dA over the section, x from the
    // centroid. With the dimensionless K = D^2 C^-1 and tr C^-1 = 48/D^2 the weight is
    // (x' K^2 x - 48 D^2)/(96 V D).
    let k = inverse * square;
    let form = k * k;
    let shift = -centroid;
    let of_shift = form * shift;
    let constant = shift.dot(of_shift) - 48.0 * square;
    let linear = 2.0 * of_shift.truncate();
    let (xx, xy, yy) = (form.x_axis.x, 2.0 * form.x_axis.y, form.y_axis.y);
    let SectionMoments { area, first, second: [sxx, sxy, syy], third: [sxxx, sxxy, sxyy, syyy] } = *section;
    let total = constant * area + linear.dot(first) + xx * sxx + xy * sxy + yy * syy;
    let moment = constant * first
        + DVec2::new(linear.x * sxx + linear.y * sxy, linear.x * sxy + linear.y * syy)
        + DVec2::new(xx * sxxx + xy * sxxy + yy * sxyy, xx * sxxy + xy * sxyy + yy * syyy);
    let rate = total / (96.0 * volume.volume * length);
    if rate > STEEPEST || rate.is_nan() {
        return None;
    }
    let point = if total > 0.0 { moment / total } else { centroid.truncate() };
    Some(PlaneOverlap { length, rate, point, centroid, spread })
}
