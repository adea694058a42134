//! Bodies with flat faces: boxes and convex polyhedra.
//!
//! `axis` finds the direction along which two of them are farthest apart, or overlap least; `patch` the polygon in
//! which their faces meet along it. Where the nearest point of the patch is as far as the axis says, each proves the
//! other. If the bodies are apart and a corner is nearest to a corner or an edge, `apart` finds it; where rounding leaves it
//! without a proof, `general` answers.
//! See `docs/theory/polyhedra.md`.

mod apart;
mod axis;
mod corners;
mod cuboid;
mod patch;
mod point;

pub(crate) use corners::against_walls;
pub(crate) use cuboid::Cuboid;
pub(crate) use point::{Nearest, nearest};

use glam::{DMat3, DVec3};

use super::general::general;
use crate::hull::{Edge, Hull};
use crate::{Manifold, ManifoldPoint, Pair};
use axis::{Axis, Found, Meeting};
use patch::Patch;

/// A convex body with flat faces, in body axes.
pub(crate) trait Solid {
    fn face_count(&self) -> usize;
    /// Outward normal of a face, and the distance of its plane from the centre.
    fn plane(&self, face: usize) -> (DVec3, f64);
    /// Corners of a face, anticlockwise seen from outside.
    fn ring(&self, face: usize) -> &[u16];
    /// The edge from each corner of the ring to the next.
    fn ring_edges(&self, face: usize) -> &[u16];
    fn corner_count(&self) -> usize;
    fn corner(&self, corner: usize) -> DVec3;
    /// The face at a corner whose normal is most along `direction`.
    fn face_along(&self, corner: usize, direction: DVec3) -> usize;
    fn edge_count(&self) -> usize;
    fn edge(&self, edge: usize) -> Edge;
    /// The corner that lies farthest along a direction.
    fn farthest(&self, direction: DVec3) -> usize;
    /// Distance of the nearest face from the centre.
    fn inradius(&self) -> f64;
    /// Distance of the farthest corner from the centre.
    fn radius(&self) -> f64;
}

impl Solid for Hull {
    fn face_count(&self) -> usize {
        self.faces().len()
    }

    #[inline]
    fn plane(&self, face: usize) -> (DVec3, f64) {
        let face = &self.faces()[face];
        (face.normal, face.offset)
    }

    #[inline]
    fn ring(&self, face: usize) -> &[u16] {
        Hull::ring(self, face)
    }

    #[inline]
    fn ring_edges(&self, face: usize) -> &[u16] {
        Hull::ring_edges(self, face)
    }

    fn corner_count(&self) -> usize {
        self.corners().len()
    }

    #[inline]
    fn corner(&self, corner: usize) -> DVec3 {
        self.corners()[corner]
    }

    fn face_along(&self, corner: usize, direction: DVec3) -> usize {
        let (mut best, mut cosine) = (0, f64::NEG_INFINITY);
        for &face in self.faces_at(corner) {
            let here = self.faces()[face as usize].normal.dot(direction);
            if here > cosine {
                (best, cosine) = (face as usize, here);
            }
        }
        best
    }

    fn edge_count(&self) -> usize {
        self.edges().len()
    }

    #[inline]
    fn edge(&self, edge: usize) -> Edge {
        self.edges()[edge]
    }

    #[inline]
    fn farthest(&self, direction: DVec3) -> usize {
        Hull::farthest(self, direction)
    }

    fn inradius(&self) -> f64 {
        Hull::inradius(self)
    }

    fn radius(&self) -> f64 {
        Hull::radius(self)
    }
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
}

impl<'s, A: Solid, B: Solid> Placed<'s, A, B> {
    pub fn new(a: &'s A, b: &'s B, pair: &Pair) -> Self {
        let to_a = pair.orientation_a.inverse();
        let turn = DMat3::from_quat(to_a * pair.orientation_b);
        Self { a, b, turn, back: turn.transpose(), offset: to_a * pair.offset }
    }

    /// A corner of b in axes of a.
    #[inline]
    pub fn corner_b(&self, corner: usize) -> DVec3 {
        self.offset + self.turn * self.b.corner(corner)
    }

    /// Sum of the two radii: the size to which tolerances are relative.
    pub fn size(&self) -> f64 {
        self.a.radius() + self.b.radius()
    }
}

/// How much farther than the nearest point, or than touching, other points are told, in sizes of the pair: more than bodies
/// move in a step, less than would make a patch of what is no face.
const REACH: f64 = 1e-2;

/// By how much the nearest point of a patch may miss the gap along the axis, in sizes of the pair: a thousand roundings.
const PROVEN: f64 = 2e-13;

/// Finds the contact of two solids. `manifold` must be clear.
pub(crate) fn collide<A: Solid, B: Solid>(a: &A, b: &B, pair: &Pair, manifold: &mut Manifold) {
    let reach = a.radius() + b.radius();
    let far = reach + pair.margin;
    if pair.offset.length_squared() > far * far {
        return;
    }
    let placed = Placed::new(a, b, pair);
    let warm = pair.warm.map(|normal| pair.orientation_a.inverse() * normal);
    let found = axis::best(&placed, pair.margin, warm);
    let n = match &found {
        Found::Apart => return,
        Found::Corner(n, _) => *n,
        Found::Axis(axis) => axis.n,
    };
    let normal = pair.orientation_a * n;
    let curvature = pair.a.as_convex().curvature(n) + pair.b.as_convex().curvature(n);
    let mut push = |point: &patch::Point| {
        let arm = pair.orientation_a * point.at;
        manifold.push(ManifoldPoint { arm, normal, gap: point.gap, curvature, feature: point.feature });
    };
    let axis = match found {
        Found::Axis(axis) => axis,
        Found::Corner(_, point) => return push(&point),
        Found::Apart => return,
    };
    let tolerance = PROVEN * placed.size();
    let proven = Patch::with(|patch| {
        patch.cut(&placed, &axis);
        let is_proven = patch.least_gap() <= axis.gap + tolerance;
        if is_proven {
            patch.select(axis.gap, pair.margin, placed.size(), &mut push);
        }
        is_proven
    });
    if proven {
        return;
    }
    if axis.gap > 0.0 {
        // The nearest points are a corner and a corner, or a corner and an edge: farther than any axis of the list says.
        general(pair, manifold);
    } else {
        // Least penetration is always along a face or two edges that cross there; the patch has lost the point to rounding.
        push(&meeting_point(&placed, &axis));
    }
}

/// The deepest point of an overlap, from the features that make the axis.
fn meeting_point<A: Solid, B: Solid>(placed: &Placed<A, B>, axis: &Axis) -> patch::Point {
    let half = 0.5 * axis.gap * axis.n;
    match axis.meeting {
        Meeting::FaceOfA { corner_b, .. } => patch::Point {
            at: placed.corner_b(corner_b) - half,
            gap: axis.gap,
            feature: patch::CORNER_B | corner_b as u32,
        },
        Meeting::FaceOfB { corner_a, .. } => patch::Point {
            at: placed.a.corner(corner_a) + half,
            gap: axis.gap,
            feature: patch::CORNER_A | corner_a as u32,
        },
        Meeting::Edges { a, b } => {
            let (edge_a, edge_b) = (placed.a.edge(a), placed.b.edge(b));
            let (p, q) = (placed.a.corner(edge_a.ends[0] as usize), placed.corner_b(edge_b.ends[0] as usize));
            let (u, v) = (edge_a.along, placed.turn * edge_b.along);
            let across = u.cross(v);
            let s = (q - p).cross(v).dot(across) / across.length_squared();
            patch::Point { at: p + s * u + half, gap: axis.gap, feature: patch::crossing(a as u16, b as u16) }
        }
    }
}
