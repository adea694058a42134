//! Bodies with flat faces: boxes and convex polyhedra.
//!
//! The direction along which two of them are farthest apart, or overlap least, is found by `facet`, which walks to it from a
//! hint and proves it in most cases, else by `axis`, which tries all (`boxes` for two boxes); `patch` finds the polygon in
//! which their faces meet along it, or `outline` the few points of it that are near. Where the nearest point of the patch is as
//! far as the axis says, each proves the other. If the bodies are apart and a corner is nearest to a corner or an edge, `apart`
//! finds it; where rounding leaves it without a proof, `general` answers.
//! See `docs/theory/polyhedra.md`.

mod apart;
mod axis;
mod boxes;
mod corners;
mod cuboid;
mod facet;
mod features;
mod hull;
mod outline;
mod patch;
mod point;
pub(super) mod polytope_polytope;
pub(super) mod polytope_round;
mod rest;
mod round;
pub(super) mod sphere_polytope;
pub(super) mod wall_polytope;

pub(crate) use corners::against_walls;
pub(crate) use cuboid::Cuboid;
pub use features::PolytopeFeatures;
pub(crate) use point::{Nearest, nearest};
pub(crate) use round::{Place, collide_round};

use glam::{DMat3, DVec3};

use super::general::general;
use crate::hull::Edge;
use crate::{ContactPoint, Manifold, Pair};
use apart::{Apart, apart};
use axis::Axis;
use facet::{Foot, Walk, walk};
use outline::Exit;
use patch::{FLUSH, Patch, Point};

/// The corners of a body, in body axes.
pub(crate) trait Corners {
    fn corner_count(&self) -> usize;
    fn corner(&self, corner: usize) -> DVec3;
    /// Distance of the farthest corner from the centre.
    fn radius(&self) -> f64;
}

/// A convex body with flat faces, in body axes.
pub(crate) trait Solid: Corners {
    fn face_count(&self) -> usize;
    /// Outward normal of a face, and the distance of its plane from the centre.
    fn plane(&self, face: usize) -> (DVec3, f64);
    /// Corners of a face, anticlockwise seen from outside.
    fn ring(&self, face: usize) -> &[u16];
    /// The edge from each corner of the ring to the next.
    fn ring_edges(&self, face: usize) -> &[u16];
    /// The face at a corner whose normal is most along `direction`.
    fn face_along(&self, corner: usize, direction: DVec3) -> usize;
    /// The edges that meet in a corner.
    fn edges_at(&self, corner: usize) -> &[u16];
    /// How far inside the sides of a face the foot of a point lies, at least, and the place of that side in the ring. One edge
    /// may be skipped, or [`NO_EDGE`].
    fn inset(&self, face: usize, point: DVec3, skipped: u16) -> (f64, usize);
    /// Where a run from a point within a face leaves its sides, one of which may be skipped. The run is in the plane of the face.
    fn exit(&self, face: usize, point: DVec3, run: DVec3, skipped: u16) -> Exit;
    /// Of the edges at a corner the one that is most across a direction.
    fn levellest(&self, corner: usize, direction: DVec3) -> usize;
    fn edge_count(&self) -> usize;
    fn edge(&self, edge: usize) -> Edge;
    /// The direction of an edge in other axes.
    #[inline]
    fn edge_in(&self, edge: usize, axes: &DMat3) -> DVec3 {
        *axes * self.edge(edge).along
    }
    /// The normal of a face in other axes.
    #[inline]
    fn normal_in(&self, face: usize, axes: &DMat3) -> DVec3 {
        *axes * self.plane(face).0
    }
    /// The corner that lies farthest along a direction.
    fn farthest(&self, direction: DVec3) -> usize;
    /// The same, sought from a corner that is near it.
    fn climb(&self, corner: usize, direction: DVec3) -> usize;
    /// Distance of the nearest face from the centre.
    fn inradius(&self) -> f64;
    /// Area of the largest of the three shadows along the body axes.
    fn shadow(&self) -> f64;
}

/// Two solids in the axes of the first.
pub(crate) struct Placed<'s, A, B> {
    pub a: &'s A,
    pub b: &'s B,
    /// Axes of b to axes of a, and back.
    pub turn: DMat3,
    pub back: DMat3,
    /// Centre of b minus centre of a, in axes of a.
    pub offset: DVec3,
    /// Sum of the two radii: the size to which tolerances are relative.
    size: f64,
}

impl<'s, A: Solid, B: Solid> Placed<'s, A, B> {
    pub fn new(a: &'s A, b: &'s B, pair: &Pair) -> Self {
        Self::of_size(a, b, pair, a.radius() + b.radius())
    }

    #[inline]
    fn of_size(a: &'s A, b: &'s B, pair: &Pair, size: f64) -> Self {
        let to_a = pair.orientation_a.inverse();
        let turn = DMat3::from_quat(to_a * pair.orientation_b);
        Self { a, b, turn, back: turn.transpose(), offset: to_a * pair.offset, size }
    }

    /// A corner of b in axes of a.
    #[inline]
    pub fn corner_b(&self, corner: usize) -> DVec3 {
        self.offset + self.turn * self.b.corner(corner)
    }

    /// Sum of the two radii: the size to which tolerances are relative.
    pub fn size(&self) -> f64 {
        self.size
    }
}

/// How much farther than the nearest point, or than touching, other points are told, in sizes of the pair: less than would
/// make a patch of what is no face, and more than bodies move in a step, which is a tenth of what they sink into each other.
const REACH: f64 = 2e-3;

/// Up to which gap points are told, where the nearest has the gap `nearest` and the bodies are so large: all within the margin,
/// where there is one. Who names one looks ahead, and each point may touch first.
pub(crate) fn told(margin: f64, nearest: f64, size: f64) -> f64 {
    if margin.is_finite() { margin } else { nearest.max(0.0) + REACH * size }
}

/// By how much the nearest point of a patch may miss the gap along the axis, in sizes of the pair: a thousand roundings.
const PROVEN: f64 = 2e-13;

/// No edge: more than a solid may have.
const NO_EDGE: u16 = u16::MAX;

/// Finds the contact of two solids. `manifold` must be clear.
pub(crate) fn collide<A: Solid, B: Solid>(a: &A, b: &B, pair: &Pair, manifold: &mut Manifold) {
    if let Some(placed) = Placed::near(a, b, pair) {
        let start = pair.warm.unwrap_or(pair.offset);
        let start = (pair.orientation_a.inverse() * start).try_normalize().unwrap_or(DVec3::X);
        placed.contact(pair, manifold, |best| axis::best(&placed, pair.margin, best), Some(start));
    }
}

/// The same for two boxes, of which all axes are tried at once where there is no hint.
pub(crate) fn collide_boxes(a: &Cuboid, b: &Cuboid, pair: &Pair, manifold: &mut Manifold) {
    if let Some(placed) = Placed::near(a, b, pair) {
        let start = pair.warm.map(|normal| pair.orientation_a.inverse() * normal);
        let slack = axis::FACE_FIRST * placed.size();
        placed.contact(pair, manifold, |_| boxes::best(&placed, pair.margin, slack), start);
    }
}

impl<'s, A: Solid, B: Solid> Placed<'s, A, B> {
    /// Two solids, unless the balls about them are farther apart than the margin.
    #[inline]
    fn near(a: &'s A, b: &'s B, pair: &Pair) -> Option<Self> {
        let size = a.radius() + b.radius();
        let far = size + pair.margin;
        (pair.offset.length_squared() <= far * far).then(|| Self::of_size(a, b, pair, size))
    }

    /// Walks from `start`, if there is one, and proves what it finds; else asks `search` for the best of all axes, which may
    /// begin with the one told.
    fn contact(
        &self,
        pair: &Pair,
        manifold: &mut Manifold,
        search: impl Fn(Option<Axis>) -> Axis,
        start: Option<DVec3>,
    ) {
        let answer = Answer { pair, manifold };
        let mut known = None;
        match start.map(|n| walk(self, n, pair.margin)) {
            Some(Walk::Apart(n)) => return answer.apart(n),
            Some(Walk::Arrived(axis, foot)) if self.is_nearest(&axis, &foot) => {
                return self.points(&axis, &foot, answer);
            }
            Some(Walk::Lost(axis)) if axis.gap > 0.0 => match apart(self, axis.n, pair.margin) {
                Apart::Far(n) => return answer.apart(n),
                Apart::Corner(n, point) => return answer.points(n, &[point]),
                Apart::Unknown => known = Some(axis),
            },
            Some(Walk::Arrived(axis, _) | Walk::Lost(axis)) => known = Some(axis),
            None => {}
        }
        let axis = search(known);
        if axis.gap > pair.margin {
            return answer.apart(axis.n);
        }
        let foot = self.foot(&axis);
        if axis.gap > 0.0 && foot.inset < 0.0 {
            match apart(self, axis.n, pair.margin) {
                Apart::Far(n) => return answer.apart(n),
                Apart::Corner(n, point) => return answer.points(n, &[point]),
                Apart::Unknown => {}
            }
        }
        self.points(&axis, &foot, answer);
    }

    /// The points along the best axis.
    fn points(&self, axis: &Axis, foot: &Foot, answer: Answer) {
        let limit = told(answer.pair.margin, axis.gap, self.size());
        Patch::with(|patch| {
            if self.outline(axis, foot, limit, patch) {
                patch.drop_straight(FLUSH * self.size());
                return answer.points(axis.n, patch.points());
            }
            patch.cut(self, axis, limit);
            if patch.least_gap() <= axis.gap + PROVEN * self.size() {
                answer.points(axis.n, patch.points());
            } else if axis.gap > 0.0 {
                // The nearest points are a corner and a corner, or a corner and an edge: farther than any axis of the list says.
                general(answer.pair, answer.manifold);
            } else {
                // Least penetration is always along a face or two edges that cross there; the patch has lost the point to
                // rounding.
                answer.points(axis.n, &[self.meeting_point(axis, foot)]);
            }
        });
    }
}

/// Where the answer goes.
struct Answer<'p, 'm> {
    pair: &'p Pair<'p>,
    manifold: &'m mut Manifold,
}

impl Answer<'_, '_> {
    /// There is no contact: the bodies are apart along `n`, in axes of a.
    fn apart(self, n: DVec3) {
        self.manifold.apart = Some(self.pair.orientation_a * n);
    }

    /// Points along the unit normal `n`, in axes of a.
    fn points(self, n: DVec3, points: &[Point]) {
        let Pair { a, b, orientation_a, .. } = self.pair;
        let curvature_a = a.as_convex().curvature(n);
        // Many bodies share a shape; a cube root is worth saving.
        let curvature_b = if std::ptr::eq(*a, *b) { curvature_a } else { b.as_convex().curvature(n) };
        let curvature = curvature_a + curvature_b;
        let normal = *orientation_a * n;
        // In the same order whichever point is nearest, and however they were found.
        let first = (0..points.len()).min_by_key(|&k| points[k].feature).unwrap_or(0);
        for &Point { at, gap, feature } in points[first..].iter().chain(&points[..first]) {
            self.manifold.push(ContactPoint { arm: *orientation_a * at, normal, gap, curvature, feature });
        }
    }
}
