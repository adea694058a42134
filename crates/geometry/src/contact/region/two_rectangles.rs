//! Cross-sections of two cylinders: two rectangles, of which one is rotated by the angle of the
//! axes.

use glam::DVec2;

use super::cross_section::{Apex, CrossSections, EdgePart, EdgeSet, SIGNS, SliceIntegral, Slices4, between_lines};
use super::frame::{CylinderFrame, SliceFrame};
use super::simd::F64x4;

/// Coefficients with which the edges are clipped, apart from the half widths; one value per edge K.
///
/// The point at the coordinate l of a side edge, which is w away from its axis, lies in the other
/// rectangle (of the half width w' and the half height h') if
///
/// ```text
/// |l sin - (across + w across_rate)| <= w',    |l cos - (along + w along_rate)| <= h'
/// ```
///
/// and that of a base edge if `|l cos - base_across| <= w'` and `from <= l <= to`.
struct ClipCoefficients {
    /// Half heights of the body and of the other.
    height: F64x4,
    other_height: F64x4,
    /// Side edges against the other's side lines, m.
    across: F64x4,
    across_rate: F64x4,
    /// Side edges against the other's base lines, m.
    along: F64x4,
    along_rate: F64x4,
    /// Base edges against the other's side lines, m.
    base_across: F64x4,
    /// Base edges: intersections with the other's base lines, m.
    from: F64x4,
    to: F64x4,
}

/// The cross-sections of two cylinders.
pub(super) struct TwoRectangles<'a> {
    pub frame: &'a CylinderFrame,
    clip: ClipCoefficients,
    apex: Apex,
}

impl<'a> TwoRectangles<'a> {
    /// The cross-sections, with the apex in the slice at x.
    #[inline(always)]
    pub fn new(frame: &'a CylinderFrame, x: f64) -> Self {
        let CylinderFrame { h: [h1, h2], slice: SliceFrame { centre: c, wide, high, .. }, .. } = *frame;
        let (sin, cos) = (high.x, high.y);
        let (across, along) = (wide.dot(c), high.dot(c));
        let [first, second] = frame.crossings;
        // The order of the four values is that of the edges: two of the first body, two of the second.
        let clip = ClipCoefficients {
            height: F64x4::new([h1, h1, h2, h2]),
            other_height: F64x4::new([h2, h2, h1, h1]),
            across: F64x4::new([-across, -across, -c.x, -c.x]),
            across_rate: F64x4::new([cos, -cos, -cos, cos]),
            along: F64x4::new([along, along, -c.y, -c.y]),
            along_rate: F64x4::new([-sin, sin, sin, -sin]),
            base_across: F64x4::new([across + sin * h1, across - sin * h1, -c.x - sin * h2, -c.x + sin * h2]),
            from: F64x4::new([first[0][1], first[1][1], second[0][0], second[1][0]]),
            to: F64x4::new([first[0][0], first[1][0], second[0][1], second[1][1]]),
        };
        let mut sections = Self { frame, clip, apex: Apex::NONE };
        let [side_edges, base_edges] = sections.clipped_edges(x);
        let edges = EdgeSet::with_length(side_edges, base_edges);
        let point = sections.edge_middle(x, edges, side_edges, base_edges).unwrap_or(c);
        sections.apex = Apex::new(point, edges, &frame.slice);
        sections
    }

    /// Returns the parts `[from, to]` of the four side edges and of the four base edges at x.
    #[inline(always)]
    pub fn clipped_edges(&self, x: f64) -> [[F64x4; 2]; 2] {
        let ([w1, w2], c, inverse) = (self.frame.half_widths(x), &self.clip, self.frame.slice.inverse);
        // Four edges at once: two of each body.
        let (own, other) = (F64x4::new([w1, w1, w2, w2]), F64x4::new([w2, w2, w1, w1]));
        let across = c.across + own * c.across_rate;
        let along = c.along + own * c.along_rate;
        let side_edges = common_part(
            between_lines(across, other, inverse.x),
            between_lines(along, c.other_height, inverse.y),
            c.height,
        );
        let base_edges = common_part(between_lines(c.base_across, other, inverse.y), [c.from, c.to], own);
        [side_edges, base_edges]
    }

    /// Returns the middle of the last of `edges`, (y, z).
    fn edge_middle(&self, x: f64, edges: EdgeSet, side_edges: [F64x4; 2], base_edges: [F64x4; 2]) -> Option<DVec2> {
        let CylinderFrame { h, slice: SliceFrame { centre, wide, high, .. }, .. } = *self.frame;
        let bit = edges.last()?;
        let (k, w) = (bit % 4, self.frame.half_widths(x));
        let sign = SIGNS[k];
        // Only one of the four values is needed.
        let middle = |[from, to]: [F64x4; 2]| 0.5 * (from.get(k) + to.get(k));
        // In the axes of the edge's own body.
        let in_body = |w: f64, height: f64| match bit {
            0..4 => DVec2::new(sign * w, middle(side_edges)),
            _ => DVec2::new(middle(base_edges), sign * height),
        };
        Some(match k {
            0 | 1 => in_body(w[0], h[0]),
            _ => {
                let point = in_body(w[1], h[1]);
                centre + point.x * wide + point.y * high
            }
        })
    }

    /// Returns the part of the K-th side edge in the other rectangle.
    #[inline(always)]
    fn side_edge<const K: usize>(&self, w: [F64x4; 2]) -> EdgePart {
        let (c, inverse, i) = (&self.clip, self.frame.slice.inverse, K / 2);
        let (own, other) = (w[i], w[1 - i]);
        let across = c.across.splat_of(K) + own * c.across_rate.get(K);
        let along = c.along.splat_of(K) + own * c.along_rate.get(K);
        let by_sides = between_lines(across, other, inverse.x);
        let by_bases = between_lines(along, c.other_height.splat_of(K), inverse.y);
        let [from, to] = common_part(by_sides, by_bases, c.height.splat_of(K));
        EdgePart { from, to }
    }

    /// Returns the part of the K-th base edge in the other rectangle.
    #[inline(always)]
    fn base_edge<const K: usize>(&self, w: [F64x4; 2]) -> EdgePart {
        let (c, inverse, i) = (&self.clip, self.frame.slice.inverse, K / 2);
        let (own, other) = (w[i], w[1 - i]);
        let by_sides = between_lines(c.base_across.splat_of(K), other, inverse.y);
        let [from, to] = common_part(by_sides, [c.from.splat_of(K), c.to.splat_of(K)], own);
        EdgePart { from, to }
    }
}

impl CrossSections for TwoRectangles<'_> {
    #[inline(always)]
    fn frame(&self) -> &SliceFrame {
        &self.frame.slice
    }

    #[inline(always)]
    fn apex(&self) -> &Apex {
        &self.apex
    }

    #[inline(always)]
    fn domain(&self) -> [f64; 2] {
        self.frame.domain()
    }

    #[inline(always)]
    fn beyond_end(&self, is_lower: bool) -> [f64; 2] {
        // The circles extend over [-r1, r1] and [d - r2, d + r2].
        let ([r1, r2], d, [low, high]) = (self.frame.r, self.frame.slice.d, self.frame.domain());
        if is_lower { [low + r1, low - (d - r2)] } else { [r1 - high, d + r2 - high] }
    }

    #[inline(always)]
    fn slices(&self, x: F64x4, dx: F64x4) -> Slices4 {
        let [r1, r2] = self.frame.r.map(F64x4::splat);
        let y = x - F64x4::splat(self.frame.slice.d);
        // The product of sum and difference does not cancel near the ends of a circle, as the
        // difference of squares would.
        Slices4 { x, dx, w: [((r1 - x) * (r1 + x)).sqrt_or_zero(), ((r2 - y) * (r2 + y)).sqrt_or_zero()] }
    }

    #[inline(always)]
    fn slices_from_ends(&self, x: F64x4, dx: F64x4, distances: [F64x4; 2]) -> Slices4 {
        // At the distance s from the end of a circle w^2 = s (2 r - s).
        let half_width =
            |i: usize| (distances[i] * (F64x4::splat(2.0 * self.frame.r[i]) - distances[i])).sqrt_or_zero();
        Slices4 { x, dx, w: [half_width(0), half_width(1)] }
    }

    fn edges_at(&self, x: f64) -> EdgeSet {
        let [side_edges, base_edges] = self.clipped_edges(x);
        EdgeSet::with_length(side_edges, base_edges)
    }

    #[inline(always)]
    fn point_at(&self, x: f64) -> Option<DVec2> {
        let [side_edges, base_edges] = self.clipped_edges(x);
        self.edge_middle(x, EdgeSet::with_length(side_edges, base_edges), side_edges, base_edges)
    }

    #[inline(always)]
    fn base_height<const K: usize>(&self) -> f64 {
        SIGNS[K] * self.clip.height.get(K)
    }

    /// One branch per edge, which is the same for all slices of an interval, so the processor
    /// predicts it.
    #[inline]
    fn add<T: SliceIntegral>(&self, slices: &Slices4, edges: EdgeSet, integral: &mut T) {
        let w = slices.w;
        if T::BODIES[0] && edges.has_side_edge(0) {
            integral.add_side::<0>(self, slices, w[0], self.side_edge::<0>(w));
        }
        if T::BODIES[0] && edges.has_side_edge(1) {
            integral.add_side::<1>(self, slices, w[0], self.side_edge::<1>(w));
        }
        if T::BODIES[1] && edges.has_side_edge(2) {
            integral.add_side::<2>(self, slices, w[1], self.side_edge::<2>(w));
        }
        if T::BODIES[1] && edges.has_side_edge(3) {
            integral.add_side::<3>(self, slices, w[1], self.side_edge::<3>(w));
        }
        if T::BODIES[0] && edges.has_base_edge(0) {
            integral.add_base::<0>(self, slices, self.base_edge::<0>(w));
        }
        if T::BODIES[0] && edges.has_base_edge(1) {
            integral.add_base::<1>(self, slices, self.base_edge::<1>(w));
        }
        if T::BODIES[1] && edges.has_base_edge(2) {
            integral.add_base::<2>(self, slices, self.base_edge::<2>(w));
        }
        if T::BODIES[1] && edges.has_base_edge(3) {
            integral.add_base::<3>(self, slices, self.base_edge::<3>(w));
        }
        integral.finish_slices(slices.x);
    }

    #[inline(always)]
    fn lens_clearance(&self, [from, to]: [f64; 2], middle: f64) -> Option<f64> {
        let ([r1, r2], d, [low, high]) = (self.frame.r, self.frame.slice.d, self.frame.domain());
        // From the end of one circle to the end of the other.
        let is_whole = from == low && to == high && (low == -r1) != (high == r1);
        if !is_whole || !self.apex.edges.is_all_side_edges() {
            return None;
        }
        let sign = if high == r1 { 1.0 } else { -1.0 };
        // Distance of the far ends of the circles, where the widths are not smooth either.
        let far_end = (r1 + sign * middle).min(r2 + sign * (d - middle));
        Some(2.0 * far_end / (to - from))
    }
}

/// Returns the common part of two intervals and `[-half, half]`.
#[inline(always)]
fn common_part(a: [F64x4; 2], b: [F64x4; 2], half: F64x4) -> [F64x4; 2] {
    [a[0].max(b[0]).max(half * -1.0), a[1].min(b[1]).min(half)]
}
