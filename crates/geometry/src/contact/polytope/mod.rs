//! Contact of polytopes: boxes and convex polyhedra.
//!
//! 1. `facet_walk` walks from a hint to the separating axis, the direction of largest separation or
//!    least overlap, and proves the result in most cases. Otherwise `separating_axis` tries all
//!    axes (`box_axes` for two boxes).
//! 2. `patch` intersects the two faces that meet along this axis. `outline` finds only those points
//!    of the intersection that are near. If the nearest point of the patch has the gap of the axis,
//!    each proves the other.
//! 3. If the bodies are separated and a corner is nearest to a corner or an edge, `corner_distance`
//!    finds it. If rounding prevents a proof, `general` is used.
//!
//! See `docs/theory/polyhedra.md`.

mod box_axes;
mod corner_distance;
mod corners;
mod cuboid;
mod facet_walk;
mod features;
mod hull;
mod nearest_point;
mod outline;
mod patch;
pub(super) mod polytope_polytope;
pub(super) mod polytope_round;
mod resting_patch;
mod round_body;
mod separating_axis;
pub(super) mod sphere_polytope;
pub(super) mod wall_polytope;

pub(crate) use corners::against_walls;
pub(crate) use cuboid::Cuboid;
pub use features::PolytopeFeatures;
pub(crate) use nearest_point::{Nearest, NearestFeature, nearest, nearest_feature};
pub(crate) use round_body::{RoundContact, collide_round};

use glam::{DMat3, DVec3};

use super::general::general;
use crate::hull::Edge;
use crate::{ContactPoint, Manifold, Pair};
use corner_distance::{Apart, apart};
use facet_walk::{Foot, Walk, walk};
use outline::Exit;
use patch::{FLUSH, Patch, Point};
use separating_axis::Axis;

/// Gap beyond that of the nearest point, or beyond zero, up to which other points are reported,
/// relative to the size of the pair. It is too small to make a patch of features that are not
/// faces, and larger than the motion in a step, which is a tenth of a typical overlap.
const REPORTED_BEYOND: f64 = 2e-3;

/// Difference between the gap of the nearest point of a patch and the gap along the axis, relative
/// to the size of the pair, up to which they prove each other: a thousand rounding errors.
const PROVEN: f64 = 2e-13;

/// Marks the absence of an edge. The number of edges of a polytope is limited to less than this.
const NO_EDGE: u16 = u16::MAX;

/// The corners of a body, in body axes.
pub(crate) trait Corners {
    /// Returns the number of corners.
    fn corner_count(&self) -> usize;
    /// Returns the position of a corner, m.
    fn corner(&self, corner: usize) -> DVec3;
    /// Returns the distance of the farthest corner from the centre, m.
    fn radius(&self) -> f64;
}

/// A convex body with flat faces, in body axes.
pub(crate) trait Polytope: Corners {
    /// Returns the number of faces.
    fn face_count(&self) -> usize;
    /// Returns the outward normal of a face and the distance of its plane from the centre, m.
    fn plane(&self, face: usize) -> (DVec3, f64);
    /// Returns the corners of a face, anticlockwise as seen from outside.
    fn ring(&self, face: usize) -> &[u16];
    /// Returns the edge from each corner of a face to the next.
    fn ring_edges(&self, face: usize) -> &[u16];
    /// Returns the face at a corner whose normal is closest to `direction`.
    fn face_along(&self, corner: usize, direction: DVec3) -> usize;
    /// Returns the edges that meet in a corner.
    fn edges_at(&self, corner: usize) -> &[u16];
    /// Returns the least distance of the projection of a point from the sides of a face, positive
    /// inside, and the index of that side. One edge may be skipped, or [`NO_EDGE`].
    fn inset(&self, face: usize, point: DVec3, skipped: u16) -> (f64, usize);
    /// Returns where a displacement from a point within a face leaves the face. One side may be
    /// skipped. The displacement lies in the plane of the face.
    fn exit(&self, face: usize, point: DVec3, run: DVec3, skipped: u16) -> Exit;
    /// Returns the edge at a corner that is most nearly perpendicular to a direction.
    fn most_perpendicular_edge(&self, corner: usize, direction: DVec3) -> usize;
    /// Returns the number of edges.
    fn edge_count(&self) -> usize;
    /// Returns an edge.
    fn edge(&self, edge: usize) -> Edge;
    /// Returns the direction of an edge in other axes.
    #[inline]
    fn edge_in(&self, edge: usize, axes: &DMat3) -> DVec3 {
        *axes * self.edge(edge).along
    }
    /// Returns the normal of a face in other axes.
    #[inline]
    fn normal_in(&self, face: usize, axes: &DMat3) -> DVec3 {
        *axes * self.plane(face).0
    }
    /// Returns the corner that lies farthest along a direction.
    fn farthest(&self, direction: DVec3) -> usize;
    /// Returns the same corner by climbing from a corner near it.
    fn climb(&self, corner: usize, direction: DVec3) -> usize;
    /// Returns the distance of the nearest face from the centre, m.
    fn inradius(&self) -> f64;
    /// Returns the largest of the three projected areas along the body axes, m².
    fn largest_projected_area(&self) -> f64;
}

/// Two polytopes in the axes of the first.
pub(crate) struct PolytopePair<'s, A, B> {
    pub a: &'s A,
    pub b: &'s B,
    /// Rotation from axes of b to axes of a.
    pub turn: DMat3,
    /// Rotation from axes of a to axes of b.
    pub back: DMat3,
    /// Centre of b minus centre of a, in axes of a.
    pub offset: DVec3,
    /// Sum of the two bounding radii, m. Tolerances are relative to it.
    size: f64,
}

impl<'s, A: Polytope, B: Polytope> PolytopePair<'s, A, B> {
    pub fn new(a: &'s A, b: &'s B, pair: &Pair) -> Self {
        Self::of_size(a, b, pair, a.radius() + b.radius())
    }

    #[inline]
    fn of_size(a: &'s A, b: &'s B, pair: &Pair, size: f64) -> Self {
        let to_a = pair.orientation_a.inverse();
        let turn = DMat3::from_quat(to_a * pair.orientation_b);
        Self { a, b, turn, back: turn.transpose(), offset: to_a * pair.offset, size }
    }

    /// Returns a corner of b in axes of a, relative to the centre of a.
    #[inline]
    pub fn corner_b(&self, corner: usize) -> DVec3 {
        self.offset + self.turn * self.b.corner(corner)
    }

    /// Returns the sum of the two bounding radii, m. Tolerances are relative to it.
    pub fn size(&self) -> f64 {
        self.size
    }
}

/// Returns the gap up to which points are reported, m. `nearest` is the gap of the nearest point
/// and `size` the size of the pair. With a positive margin all points within it are reported,
/// because the caller looks ahead and any of them may touch first.
pub(crate) fn report_limit(margin: f64, nearest: f64, size: f64) -> f64 {
    if margin.is_finite() { margin } else { nearest.max(0.0) + REPORTED_BEYOND * size }
}

/// Finds the contacts of two polytopes. `manifold` must be clear.
pub(crate) fn collide<A: Polytope, B: Polytope>(a: &A, b: &B, pair: &Pair, manifold: &mut Manifold) {
    if let Some(pair_in_a) = PolytopePair::near(a, b, pair) {
        let start = pair.warm.unwrap_or(pair.offset);
        let start = (pair.orientation_a.inverse() * start).try_normalize().unwrap_or(DVec3::X);
        pair_in_a.contact(pair, manifold, |best| separating_axis::best(&pair_in_a, pair.margin, best), Some(start));
    }
}

/// Finds the contacts of two boxes. Without a hint all fifteen axes are tried.
pub(crate) fn collide_boxes(a: &Cuboid, b: &Cuboid, pair: &Pair, manifold: &mut Manifold) {
    if let Some(pair_in_a) = PolytopePair::near(a, b, pair) {
        let start = pair.warm.map(|normal| pair.orientation_a.inverse() * normal);
        let slack = separating_axis::FACE_FIRST * pair_in_a.size();
        pair_in_a.contact(pair, manifold, |_| box_axes::best(&pair_in_a, pair.margin, slack), start);
    }
}

impl<'s, A: Polytope, B: Polytope> PolytopePair<'s, A, B> {
    /// Returns a direction from a to b, in axes of a, along which the bodies probably overlap least
    /// or are separated most, and the gap along it, m. Every gap along a direction is a lower bound
    /// of the gap of the bodies.
    pub(crate) fn probable_axis(&self, pair: &Pair) -> (DVec3, f64) {
        let start = pair.orientation_a.inverse() * pair.warm.unwrap_or(pair.offset);
        match walk(self, start.try_normalize().unwrap_or(DVec3::X), pair.margin) {
            Walk::Apart(n) => (n, f64::INFINITY),
            Walk::Arrived(Axis { n, gap, .. }, _) | Walk::Lost(Axis { n, gap, .. }) => (n, gap),
        }
    }

    /// Creates the pair, or returns `None` if the bounding balls are farther apart than the margin.
    #[inline]
    pub(crate) fn near(a: &'s A, b: &'s B, pair: &Pair) -> Option<Self> {
        let size = a.radius() + b.radius();
        let far = size + pair.margin;
        (pair.offset.length_squared() <= far * far).then(|| Self::of_size(a, b, pair, size))
    }

    /// Walks from `start`, if it is given, and proves the result. Otherwise `search` finds the best
    /// of all axes; it may begin with the given axis.
    fn contact(
        &self,
        pair: &Pair,
        manifold: &mut Manifold,
        search: impl Fn(Option<Axis>) -> Axis,
        start: Option<DVec3>,
    ) {
        let report = Report { pair, manifold };
        let mut known = None;
        match start.map(|n| walk(self, n, pair.margin)) {
            Some(Walk::Apart(n)) => return report.apart(n),
            Some(Walk::Arrived(axis, foot)) if self.is_nearest(&axis, &foot) => {
                return self.points(&axis, &foot, report);
            }
            // A separated pair whose walk ends at no facet has a corner as its nearest feature.
            Some(Walk::Lost(axis)) if axis.gap > 0.0 => match apart(self, axis.n, pair.margin) {
                Apart::Far(n) => return report.apart(n),
                Apart::Corner(n, point) => return report.points(n, &[point]),
                Apart::Unknown => known = Some(axis),
            },
            Some(Walk::Arrived(axis, _) | Walk::Lost(axis)) => known = Some(axis),
            None => {}
        }
        // The walk gave no proof, so that all axes are tried.
        let axis = search(known);
        if axis.gap > pair.margin {
            return report.apart(axis.n);
        }
        let foot = self.foot(&axis);
        if axis.gap > 0.0 && foot.inset < 0.0 {
            match apart(self, axis.n, pair.margin) {
                Apart::Far(n) => return report.apart(n),
                Apart::Corner(n, point) => return report.points(n, &[point]),
                Apart::Unknown => {}
            }
        }
        self.points(&axis, &foot, report);
    }

    /// Reports the contact points along the best axis.
    fn points(&self, axis: &Axis, foot: &Foot, report: Report) {
        let limit = report_limit(report.pair.margin, axis.gap, self.size());
        Patch::with(|patch| {
            if self.outline(axis, foot, limit, patch) {
                patch.drop_straight(FLUSH * self.size());
                return report.points(axis.n, patch.points());
            }
            patch.cut(self, axis, limit);
            // A patch point with the gap of the axis shows that the axis is best, because no gap
            // along an axis exceeds the distance of two points.
            if patch.least_gap() <= axis.gap + PROVEN * self.size() {
                report.points(axis.n, patch.points());
            } else if axis.gap > 0.0 {
                // A corner is nearest to a corner or an edge, so that the distance exceeds that
                // along any face or edge axis.
                general(report.pair, report.manifold);
            } else {
                // The least penetration is always along a face or two crossing edges. Rounding has
                // lost the point of the patch.
                report.points(axis.n, &[self.meeting_point(axis, foot)]);
            }
        });
    }
}

/// The pair and the manifold that receives the result.
struct Report<'p, 'm> {
    pair: &'p Pair<'p>,
    manifold: &'m mut Manifold,
}

impl Report<'_, '_> {
    /// Reports that the bodies are separated along `n`, in axes of a.
    fn apart(self, n: DVec3) {
        self.manifold.apart = Some(self.pair.orientation_a * n);
    }

    /// Reports points with the unit normal `n`, in axes of a.
    fn points(self, n: DVec3, points: &[Point]) {
        let Pair { a, b, orientation_a, .. } = self.pair;
        let curvature_a = a.as_convex().curvature(n);
        // The curvature of a polytope costs a cube root; bodies of equal shape share it.
        let curvature_b = if std::ptr::eq(*a, *b) { curvature_a } else { b.as_convex().curvature(n) };
        let curvature = curvature_a + curvature_b;
        let normal = *orientation_a * n;
        // Sort by feature, so that the order does not depend on the search.
        let first = (0..points.len()).min_by_key(|&k| points[k].feature).unwrap_or(0);
        for &Point { at, gap, feature } in points[first..].iter().chain(&points[..first]) {
            self.manifold.push(ContactPoint {
                arm: *orientation_a * at,
                normal,
                gap,
                curvature,
                feature,
                overlap: None,
            });
        }
    }
}
