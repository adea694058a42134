//! Bounding dimensions of the region of two cylinders, from the vertices of its slices.

use glam::DVec2;

use super::simd::F64x4;
use super::two_rectangles::TwoRectangles;

/// Bounds of y, of z, and of the squared distance from the first axis; four sets that are merged at
/// the end.
pub(super) struct Bounds {
    low: [F64x4; 3],
    high: [F64x4; 3],
}

impl Bounds {
    /// The bounds of one point (y, z) of the slice at x.
    pub fn of_point(x: f64, point: DVec2) -> Self {
        let one = [point.x, point.y, x * x + point.x * point.x].map(F64x4::splat);
        Self { low: one, high: one }
    }

    /// Extends the bounds by the vertices of the slice at x: every vertex is the end of a side
    /// edge, or of a base edge of the first body.
    pub fn add_slice(&mut self, sections: &TwoRectangles, x: f64) {
        let frame = sections.frame;
        let [side_edges, base_edges] = sections.clipped_edges(x);
        let ([from, to], [base_from, base_to]) = (nan_if_empty(side_edges), nan_if_empty(base_edges));
        let ([w1, w2], [h1, _], c) = (frame.half_widths(x), frame.h, frame.slice.centre);
        let (sin, cos) = (frame.slice.high.x, frame.slice.high.y);
        let across = F64x4::new([w1, -w1, w2, -w2]);
        let (cosines, sines) = (F64x4::new([1.0, 1.0, cos, cos]), F64x4::new([0.0, 0.0, sin, sin]));
        let y = F64x4::new([0.0, 0.0, c.x, c.x]) + across * cosines;
        let z = F64x4::new([0.0, 0.0, c.y, c.y]) - across * sines;
        // Neither sine nor cosine is negative: along a side edge y and z do not decrease.
        let (low, high) = (y + from * sines, y + to * sines);
        self.extend(0, low, high);
        self.extend(1, z + from * cosines, z + to * cosines);
        // The distance from the first axis is convex along an edge, so that its largest value is at
        // an end.
        let square = F64x4::splat(x * x);
        let (low, high) = (square + low * low, square + high * high);
        self.extend(2, low, low);
        self.extend(2, high, high);
        let y = F64x4::new([base_from.get(0), base_to.get(0), base_from.get(1), base_to.get(1)]);
        // The product makes z NaN where the base edge has no part.
        let z = F64x4::new([h1, h1, -h1, -h1]) + y * 0.0;
        let square = square + y * y;
        self.extend(0, y, y);
        self.extend(1, z, z);
        self.extend(2, square, square);
    }

    /// Extends the bounds of the k-th quantity by four values; NaN is ignored.
    #[inline(always)]
    fn extend(&mut self, k: usize, low: F64x4, high: F64x4) {
        self.low[k] = low.min_ignoring_nan(self.low[k]);
        self.high[k] = high.max_ignoring_nan(self.high[k]);
    }

    /// Returns the dimensions across the common perpendicular and along the first axis, and the
    /// radial extent, m.
    pub fn extent(&self) -> (DVec2, f64) {
        let [y, z, near] = self.low.map(F64x4::min_element);
        let [high_y, high_z, far] = self.high.map(F64x4::max_element);
        (DVec2::new(high_y - y, high_z - z), far.sqrt() - near.sqrt())
    }
}

/// Returns the ends of clipped edges; NaN for edges without a part.
#[inline(always)]
fn nan_if_empty([from, to]: [F64x4; 2]) -> [F64x4; 2] {
    let nan = F64x4::splat(f64::NAN);
    [from.select_where_greater(to, from, nan), to.select_where_greater(to, from, nan)]
}
