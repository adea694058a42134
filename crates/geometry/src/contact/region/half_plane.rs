//! Cross-sections of a cylinder on a half-space: a rectangle on a half-plane.
//!
//! The origin is the foot of the cylinder's centre on the plane, z is along the outward normal of
//! the half-space, and x is along the common perpendicular of z and the axis. A slice cuts the
//! half-space in the half-plane z <= 0 and the cylinder in a rectangle of the half width `w =
//! sqrt(r^2 - x^2)` and the half height h, rotated by the angle of the axis. The half-plane has one
//! edge, z = 0, without ends; it is the base edge K = 0.

use glam::{DQuat, DVec2, DVec3};

use super::SmoothOverlap;
use super::breakpoints::Breakpoints;
use super::cross_section::{Apex, CrossSections, EdgePart, EdgeSet, SIGNS, SliceIntegral, Slices4, between_lines};
use super::frame::{ENLARGEMENT, SliceFrame};
use super::simd::F64x4;
use super::slices::{SliceCount, SliceQuadrature};
use crate::contact::cylinder::{axis_of, common_perpendicular};
use crate::numeric::math::tangent_frame;
use crate::shape::Cylinder;

/// Bits of the edges that can bound a slice, see [`EdgeSet`]: the rectangle's side edges, the
/// plane, the rectangle's base edges.
const EDGES: [usize; 5] = [2, 3, 4, 6, 7];

/// A cylinder on a half-space, in the frame of the slices.
pub(super) struct HalfSpaceFrame {
    slice: SliceFrame,
    r: f64,
    h: f64,
    /// Enlargement of the cylinder, m. See [`ENLARGEMENT`].
    rounding: f64,
    /// Intersections of the upper and of the lower base line of the rectangle with z = 0, m: as y,
    /// and as the coordinate along the base from its middle. Each is computed once, so that both
    /// edges end at the same point.
    on_plane: [f64; 2],
    on_base: [f64; 2],
}

impl HalfSpaceFrame {
    /// The frame of a cylinder whose centre is at `height` over the plane with the normal `up`.
    #[inline(always)]
    fn new(grain: &Cylinder, up: DVec3, height: f64, orientation: DQuat) -> Self {
        let axis = axis_of(orientation);
        let (across, inverse_length) = common_perpendicular(up, axis, || tangent_frame(up).0);
        let beside = up.cross(across);
        let axes = [inverse_length * across, inverse_length * beside, up];
        let components = DVec2::new(inverse_length * axis.dot(beside), axis.dot(up));
        let slice = SliceFrame::new(axes, DVec3::new(0.0, 0.0, height), components);
        let rounding = ENLARGEMENT * (grain.radius + grain.half_height);
        let (r, h) = (grain.radius + rounding, grain.half_height + rounding);
        let SliceFrame { centre, wide, high, inverse, .. } = slice;
        // A point (y, 0) is on the base of the sign t if high . ((y, 0) - centre) = t h.
        let on_plane = [1.0, -1.0].map(|t| (high.dot(centre) + t * h) * inverse.x);
        let on_base = on_plane.map(|y| wide.dot(DVec2::new(y, 0.0) - centre));
        Self { slice, r, h, rounding, on_plane, on_base }
    }

    /// Returns the interval of x in which the rectangle extends below the plane: its lowest vertex
    /// is at `height - w sin - h cos`.
    fn range(&self) -> Option<[f64; 2]> {
        let (sin, cos) = (self.slice.high.x, self.slice.high.y);
        // If the middle of the lower base is below the plane, every slice extends below it.
        let missing = self.slice.centre.y - cos * self.h;
        if missing <= 0.0 {
            return Some([-self.r, self.r]);
        }
        // The lowest vertex is below the plane if w sin >= missing.
        let w = missing / sin;
        // The product does not cancel near the end of the circle, as r² - w² would.
        let half = ((self.r - w) * (self.r + w)).max(0.0).sqrt();
        (missing <= sin * self.r && half > 0.0).then_some([-half, half])
    }

    /// Adds the positions at which a vertex of the rectangle crosses the plane: there the half
    /// width is the coordinate of the intersection along the base.
    fn add_breakpoints(&self, breakpoints: &mut Breakpoints) {
        for w in self.on_base.map(f64::abs).into_iter().filter(|&w| w <= self.r) {
            let x = ((self.r - w) * (self.r + w)).sqrt();
            breakpoints.add(-x);
            breakpoints.add(x);
        }
    }
}

/// The cross-sections of a cylinder and a half-space.
pub(super) struct RectangleOnHalfPlane<'a> {
    frame: &'a HalfSpaceFrame,
    apex: Apex,
    /// Half height of the rectangle, m.
    h: F64x4,
    /// Height of the rectangle's centre over the plane, m.
    height: F64x4,
    /// The plane between the rectangle's side lines: `|y cos - across| <= w`, m.
    across: F64x4,
}

impl<'a> RectangleOnHalfPlane<'a> {
    /// The cross-sections, with the apex in the slice at x.
    #[inline(always)]
    pub fn new(frame: &'a HalfSpaceFrame, x: f64) -> Self {
        let SliceFrame { centre, wide, .. } = frame.slice;
        let (h, height) = (F64x4::splat(frame.h), F64x4::splat(centre.y));
        let across = F64x4::splat(wide.dot(centre));
        let mut sections = Self { frame, apex: Apex::NONE, h, height, across };
        let parts = sections.parts_at(x);
        let edges = edges_of(&parts);
        // Without an edge in this slice any point serves as the apex.
        let point = sections.edge_middle(x, edges, &parts).unwrap_or(centre);
        sections.apex = Apex::new(point, edges, &frame.slice);
        sections
    }

    /// Returns the part of the K-th side edge, K = 2 or 3, below the plane: `height - sign w sin +
    /// l cos <= 0`.
    #[inline(always)]
    fn side_edge<const K: usize>(&self, w: F64x4) -> EdgePart {
        let sin = SIGNS[K] * self.frame.slice.high.x;
        let to = (w * sin - self.height) * self.frame.slice.inverse.y;
        EdgePart { from: self.h * -1.0, to: to.min(self.h) }
    }

    /// Returns the part of the plane in the rectangle.
    #[inline(always)]
    fn plane_edge(&self, w: F64x4) -> EdgePart {
        let [from, to] = between_lines(self.across, w, self.frame.slice.inverse.y);
        let [upper, lower] = self.frame.on_plane;
        EdgePart { from: from.max(F64x4::splat(lower)), to: to.min(F64x4::splat(upper)) }
    }

    /// Returns the part of the K-th base edge, K = 2 or 3, below the plane: z decreases along the
    /// width.
    #[inline(always)]
    fn base_edge<const K: usize>(&self, w: F64x4) -> EdgePart {
        EdgePart { from: F64x4::splat(self.frame.on_base[K - 2]).max(w * -1.0), to: w }
    }

    /// Returns the half width at x, m.
    fn half_width(&self, x: f64) -> f64 {
        ((self.frame.r - x) * (self.frame.r + x)).max(0.0).sqrt()
    }

    /// Returns the parts of all edges at x, in the order of [`EDGES`].
    #[inline(always)]
    fn parts_at(&self, x: f64) -> [[f64; 2]; 5] {
        let w = F64x4::splat(self.half_width(x));
        let parts = [
            self.side_edge::<2>(w),
            self.side_edge::<3>(w),
            self.plane_edge(w),
            self.base_edge::<2>(w),
            self.base_edge::<3>(w),
        ];
        parts.map(|part| [part.from.get(0), part.to.get(0)])
    }

    /// Returns the middle of the last of `edges`, (y, z).
    fn edge_middle(&self, x: f64, edges: EdgeSet, parts: &[[f64; 2]; 5]) -> Option<DVec2> {
        let bit = edges.last()?;
        let [from, to] = parts[EDGES.iter().position(|&edge| edge == bit)?];
        let (middle, sign) = (0.5 * (from + to), SIGNS[bit % 4]);
        // In the axes of the rectangle, except for the plane itself (bit 4).
        let point = match bit {
            4 => return Some(DVec2::new(middle, 0.0)),
            0..4 => DVec2::new(sign * self.half_width(x), middle),
            _ => DVec2::new(middle, sign * self.frame.h),
        };
        let SliceFrame { centre, wide, high, .. } = self.frame.slice;
        Some(centre + point.x * wide + point.y * high)
    }
}

/// Returns the edges whose parts have a length.
#[inline(always)]
fn edges_of(parts: &[[f64; 2]; 5]) -> EdgeSet {
    let bits = EDGES.iter().zip(parts).map(|(&bit, [from, to])| u8::from(to > from) << bit);
    EdgeSet(bits.fold(0, |set, bit| set | bit))
}

impl CrossSections for RectangleOnHalfPlane<'_> {
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
        [-self.frame.r, self.frame.r]
    }

    #[inline(always)]
    fn beyond_end(&self, _is_lower: bool) -> [f64; 2] {
        // The edge of a half-plane is unbounded: no vertex lies beyond an end.
        [f64::INFINITY, 0.0]
    }

    #[inline(always)]
    fn slices(&self, x: F64x4, dx: F64x4) -> Slices4 {
        let r = F64x4::splat(self.frame.r);
        Slices4 { x, dx, w: [F64x4::default(), ((r - x) * (r + x)).sqrt_or_zero()] }
    }

    #[inline(always)]
    fn slices_from_ends(&self, x: F64x4, dx: F64x4, [_, distance]: [F64x4; 2]) -> Slices4 {
        let w = (distance * (F64x4::splat(2.0 * self.frame.r) - distance)).sqrt_or_zero();
        Slices4 { x, dx, w: [F64x4::default(), w] }
    }

    fn edges_at(&self, x: f64) -> EdgeSet {
        edges_of(&self.parts_at(x))
    }

    #[inline(always)]
    fn point_at(&self, x: f64) -> Option<DVec2> {
        let parts = self.parts_at(x);
        self.edge_middle(x, edges_of(&parts), &parts)
    }

    #[inline(always)]
    fn base_height<const K: usize>(&self) -> f64 {
        // The plane passes through the origin of its own body.
        if K < 2 { 0.0 } else { SIGNS[K] * self.frame.h }
    }

    #[inline]
    fn add<T: SliceIntegral>(&self, slices: &Slices4, edges: EdgeSet, integral: &mut T) {
        let w = slices.w[1];
        if T::BODIES[1] && edges.has_side_edge(2) {
            integral.add_side::<2>(self, slices, w, self.side_edge::<2>(w));
        }
        if T::BODIES[1] && edges.has_side_edge(3) {
            integral.add_side::<3>(self, slices, w, self.side_edge::<3>(w));
        }
        if T::BODIES[0] && edges.has_base_edge(0) {
            integral.add_base::<0>(self, slices, self.plane_edge(w));
        }
        if T::BODIES[1] && edges.has_base_edge(2) {
            integral.add_base::<2>(self, slices, self.base_edge::<2>(w));
        }
        if T::BODIES[1] && edges.has_base_edge(3) {
            integral.add_base::<3>(self, slices, self.base_edge::<3>(w));
        }
        integral.finish_slices(slices.x);
    }
}

/// Returns the smooth overlap of a half-space, body a, and a cylinder, body b, whose centre is at
/// `height` over the plane with the outward unit normal `up`. Positions are from the foot of the
/// cylinder's centre on the plane. `None` if the cylinder is above the plane, or if the overlap is
/// of the size of rounding.
pub(super) fn smooth_overlap_on_plane(
    grain: &Cylinder,
    up: DVec3,
    height: f64,
    orientation: DQuat,
) -> Option<SmoothOverlap> {
    let frame = HalfSpaceFrame::new(grain, up, height, orientation);
    let mut breakpoints = Breakpoints::new(frame.range()?, [-frame.r, frame.r]);
    frame.add_breakpoints(&mut breakpoints);
    breakpoints.sort();
    let sections = RectangleOnHalfPlane::new(&frame, breakpoints.middle());
    SliceQuadrature::new(sections, &breakpoints, SliceCount::Adaptive).smooth_overlap(frame.rounding)
}
