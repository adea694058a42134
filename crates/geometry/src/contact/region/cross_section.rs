//! Cross-sections of the region at x = const, and the integrals over them.
//!
//! The cross-section of the region is a convex polygon. It is not constructed: every edge of either
//! body's cross-section is clipped by the other body on its own, and every integral is a sum over
//! the clipped edges. Between two breakpoints the same edges bound every slice, so only these are
//! clipped, for four slices at a time.
//!
//! [`CrossSections`] is implemented for two cylinders (`two_rectangles`) and for a cylinder on a
//! half-space (`half_plane`).
//!
//! Edges are numbered by body and sign. A *side edge* is where the slice cuts the curved side of a
//! cylinder, a *base edge* where it cuts a base (for a half-space: the plane). K = 0, 1 are the
//! edges of the first body on its positive and negative side, K = 2, 3 those of the second.

use glam::DVec2;

use super::frame::SliceFrame;
use super::simd::F64x4;

/// Sign of the K-th edge in the axes of its body.
pub(super) const SIGNS: [f64; 4] = [1.0, -1.0, 1.0, -1.0];

/// A set of edges: bit K for the K-th side edge, bit 4 + K for the K-th base edge.
#[derive(Clone, Copy)]
pub(super) struct EdgeSet(pub u8);

impl EdgeSet {
    pub const EMPTY: Self = Self(0);

    /// Returns the edges whose clipped parts `[from, to]` have a length.
    #[inline]
    pub fn with_length(side_edges: [F64x4; 2], base_edges: [F64x4; 2]) -> Self {
        // The comparison is strict, so that an edge of length zero is left out.
        Self(side_edges[1].greater_mask(side_edges[0]) | base_edges[1].greater_mask(base_edges[0]) << 4)
    }

    /// Returns the number of edges of either body.
    #[inline]
    pub fn count_by_body(self) -> [u32; 2] {
        [0b0011_0011, 0b1100_1100].map(|body: u8| (self.0 & body).count_ones())
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether it contains all four side edges and no base edge.
    #[inline]
    pub fn is_all_side_edges(self) -> bool {
        self.0 == 0b1111
    }

    #[inline]
    pub fn has_side_edge(self, k: usize) -> bool {
        self.0 >> k & 1 == 1
    }

    #[inline]
    pub fn has_base_edge(self, k: usize) -> bool {
        self.0 >> (4 + k) & 1 == 1
    }

    /// Returns the number of the highest bit: a base edge if there is one.
    pub fn last(self) -> Option<usize> {
        self.0.checked_ilog2().map(|bit| bit as usize)
    }

    /// Returns the set of the last edge alone if this is a base edge, else the empty set.
    pub fn last_base_edge(self) -> Self {
        self.last().filter(|bit| *bit >= 4).map_or(Self::EMPTY, |bit| Self(1 << bit))
    }

    #[inline]
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}

/// Four slices.
#[derive(Clone, Copy)]
pub(super) struct Slices4 {
    /// Positions, m.
    pub x: F64x4,
    /// Weights of the quadrature, m.
    pub dx: F64x4,
    /// Half widths of the two rectangles, m. A half-plane has none: zero.
    pub w: [F64x4; 2],
}

/// The part of an edge that lies in the other body, as coordinates along the edge from its middle,
/// m.
#[derive(Clone, Copy)]
pub(super) struct EdgePart {
    pub from: F64x4,
    pub to: F64x4,
}

impl EdgePart {
    /// Returns its length; zero if the edge is outside the other body.
    #[inline(always)]
    pub fn length(self) -> F64x4 {
        // Clipping leaves `from` beyond `to` for an edge outside.
        (self.to - self.from).max(F64x4::default())
    }

    #[inline(always)]
    pub fn middle(self) -> F64x4 {
        (self.from + self.to) * 0.5
    }
}

/// An integral over the slices, as a sum over the clipped edges.
pub(super) trait SliceIntegral {
    /// True for each body whose edges contribute.
    const BODIES: [bool; 2];

    /// True if an edge contributes the triangle from the apex to it. A base edge through the apex
    /// then contributes nothing and is skipped.
    const USES_TRIANGLES: bool;

    /// Number of Gauss points that suffices in an interval far from the ends of the circles: half
    /// the degree of the integrand and a few more.
    const FEW: usize;

    /// Adds the part of the K-th side edge, which is `w` away from the axis of its body.
    fn add_side<const K: usize>(&mut self, sections: &impl CrossSections, slices: &Slices4, w: F64x4, part: EdgePart);

    /// Adds the part of the K-th base edge.
    fn add_base<const K: usize>(&mut self, sections: &impl CrossSections, slices: &Slices4, part: EdgePart);

    /// Completes the slices at x after all their edges have been added. Sums over edges alone need
    /// no such step.
    #[inline(always)]
    fn finish_slices(&mut self, _x: F64x4) {}
}

/// A point of the middle slice. Triangles from it to the clipped edges have small areas, so their
/// sums lose no digits.
pub(super) struct Apex {
    /// (y, z), m. On a base edge if one bounds the slice.
    pub point: DVec2,
    /// Centres of the two bodies from it, each in the axes of the body, m.
    pub centres: [DVec2; 2],
    /// The edges that bound the middle slice.
    pub edges: EdgeSet,
    /// The base edge on which the apex lies, if any.
    pub base_edge: EdgeSet,
}

impl Apex {
    /// An apex that is not known yet.
    pub const NONE: Self =
        Self { point: DVec2::ZERO, centres: [DVec2::ZERO; 2], edges: EdgeSet::EMPTY, base_edge: EdgeSet::EMPTY };

    #[inline(always)]
    pub fn new(point: DVec2, edges: EdgeSet, frame: &SliceFrame) -> Self {
        // The first centre is the origin of the frame.
        let to_second = frame.centre - point;
        let centres = [-point, DVec2::new(frame.wide.dot(to_second), frame.high.dot(to_second))];
        Self { point, centres, edges, base_edge: edges.last_base_edge() }
    }
}

/// The cross-sections of two bodies at x = const.
pub(super) trait CrossSections {
    /// The frame of the slices.
    fn frame(&self) -> &SliceFrame;

    /// The apex of the triangles.
    fn apex(&self) -> &Apex;

    /// Returns the interval of x in which both bodies have a cross-section, m.
    fn domain(&self) -> [f64; 2];

    /// Returns by how much the circle of either body extends beyond the lower or the upper end of
    /// the domain, m: zero for the circle that ends there. The half widths are not smooth at the
    /// ends of the circles.
    fn beyond_end(&self, is_lower: bool) -> [f64; 2];

    /// Returns four slices at x.
    fn slices(&self, x: F64x4, dx: F64x4) -> Slices4;

    /// Returns four slices at x from their distances to the nearer end of either circle. These are
    /// exact where x itself determines the width only to rounding.
    fn slices_from_ends(&self, x: F64x4, dx: F64x4, distances: [F64x4; 2]) -> Slices4;

    /// Returns the edges that bound the slice at x.
    fn edges_at(&self, x: f64) -> EdgeSet;

    /// Returns the middle of an edge of the slice at x, of a base edge if there is one; `None`
    /// without an edge.
    fn point_at(&self, x: f64) -> Option<DVec2>;

    /// Returns the height of the K-th base edge in the axes of its body, with its sign, m.
    fn base_height<const K: usize>(&self) -> f64;

    /// Adds four slices, which `edges` bound, to an integral.
    fn add<T: SliceIntegral>(&self, slices: &Slices4, edges: EdgeSet, integral: &mut T);

    /// Returns the distance of the far ends of the circles from the middle, in half lengths of the
    /// region, if the region is a lens: bounded by side edges only, from the end of one circle to
    /// the end of the other.
    fn lens_clearance(&self, _region: [f64; 2], _middle: f64) -> Option<f64> {
        None
    }

    /// Returns a direction (y, z), projected onto the base edge on which the apex lies, if there is
    /// one.
    #[inline(always)]
    fn along_base_edge(&self, direction: DVec2) -> DVec2 {
        // A base edge lies along the width of its body. Bits 4 and 5 are the bases of the first
        // body, whose axes are those of the frame.
        let wide = match self.apex().base_edge.last() {
            None => return direction,
            Some(4 | 5) => DVec2::X,
            Some(_) => self.frame().wide,
        };
        direction.dot(wide) * wide
    }
}

/// Returns the interval in which an edge is between two parallel lines: its coordinate times the
/// sine or the cosine must be within `half` of `middle`. `inverse` is one over that sine or cosine.
#[inline(always)]
pub(super) fn between_lines(middle: F64x4, half: F64x4, inverse: f64) -> [F64x4; 2] {
    [(middle - half) * inverse, (middle + half) * inverse]
}
