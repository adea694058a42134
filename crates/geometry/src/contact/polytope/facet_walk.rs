//! Walk over the facets of the Minkowski difference to the facet nearest to the origin.
//!
//! The Minkowski difference of two polytopes has a facet for each face of either body with the
//! lowest corner of the other, and for each two edges whose arcs cross on the Gauss sphere. If the
//! projection of the origin lies beyond a side of a facet, the gap grows across that side. If it
//! lies inside, the facet is a local optimum. A bound in closed form then proves that it is the
//! global one, or leaves the question open.

use glam::DVec3;

use super::separating_axis::{Axis, Meeting};
use super::{NO_EDGE, Polytope, PolytopePair};
use crate::hull::Edge;

/// Largest number of steps of a walk. Rocks with 60 corners need up to nine steps from the
/// direction of the centres.
const MAX_STEPS: usize = 24;

/// Squared sine of the angle between two edges below which a walk does not use them. The error of
/// their normal would exceed a few hundred rounding errors.
const UNCERTAIN: f64 = 1e-6;

/// Cosine of the angle (4e-3 rad) between the previous normal and the normal of a face above which
/// the walk starts on the face and not on two edges. Bodies rotate by less in a step.
const NEAR_FACE: f64 = 1.0 - 1e-5;

/// Position of the projection of the origin on a facet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    /// Distance from the nearest side, m; negative outside.
    pub inset: f64,
    /// Index of that side of the face. For two edges, 0 and 1 are the ends of the edge of a, 2 and
    /// 3 those of the edge of b.
    side: usize,
    /// For two edges, the distance of their crossing from the first end of the edge of a, m.
    pub along: f64,
}

/// The result of a walk.
pub(super) enum Walk {
    /// The gap along this direction exceeds the margin.
    Apart(DVec3),
    /// The walk ended on a facet that contains the projection of the origin.
    Arrived(Axis, Foot),
    /// The walk found no such facet. The gap was largest here.
    Lost(Axis),
}

/// Walks from the facet of `direction` to facets with larger gaps.
pub(super) fn walk<A: Polytope, B: Polytope>(pair_in_a: &PolytopePair<A, B>, direction: DVec3, margin: f64) -> Walk {
    let mut axis = pair_in_a.start(direction);
    for _ in 0..MAX_STEPS {
        if axis.gap > margin {
            return Walk::Apart(axis.n);
        }
        let foot = pair_in_a.foot(&axis);
        if foot.inset >= 0.0 {
            return Walk::Arrived(axis, foot);
        }
        match pair_in_a.across(&axis, foot.side) {
            // Only a strict increase continues the walk, so that rounding cannot make it run in a
            // circle.
            Some(next) if next.gap > axis.gap => axis = next,
            _ => break,
        }
    }
    Walk::Lost(axis)
}

impl<A: Polytope, B: Polytope> PolytopePair<'_, A, B> {
    /// Returns the facet that a direction belongs to.
    fn start(&self, n: DVec3) -> Axis {
        let (corner_a, n_b) = (self.a.farthest(n), self.back * -n);
        let corner_b = self.b.farthest(n_b);
        // The faces and edges around the support corner that are most nearly along the direction.
        let (face_a, face_b) = (self.a.face_along(corner_a, n), self.b.face_along(corner_b, n_b));
        let (along_a, along_b) = (self.a.plane(face_a).0.dot(n), self.b.plane(face_b).0.dot(n_b));
        // The direction is not that of a face, so that two edges are more likely.
        if along_a.max(along_b) < NEAR_FACE {
            let (a, b) = (self.a.most_perpendicular_edge(corner_a, n), self.b.most_perpendicular_edge(corner_b, n_b));
            if let Some(axis) = self.across_edges(a, b) {
                return axis;
            }
        }
        if along_a >= along_b {
            self.face_a_over(face_a, self.b.climb(corner_b, -(self.a.normal_in(face_a, &self.back))))
        } else {
            self.face_b_over(face_b, self.a.climb(corner_a, -(self.b.normal_in(face_b, &self.turn))))
        }
    }

    /// Returns the position of the projection of the origin on a facet.
    #[inline]
    pub(super) fn foot(&self, axis: &Axis) -> Foot {
        let on_face = |(inset, side)| Foot { inset, side, along: 0.0 };
        match axis.meeting {
            Meeting::FaceOfA { face, corner_b } => on_face(self.a.inset(face, self.corner_b(corner_b), NO_EDGE)),
            Meeting::FaceOfB { face, corner_a } => {
                let at = self.back * (self.a.corner(corner_a) - self.offset);
                on_face(self.b.inset(face, at, NO_EDGE))
            }
            Meeting::Edges { a, b } => {
                // Positions along both edges where their common perpendicular meets them.
                let (p, u, length_a) = span(self.a, &self.a.edge(a));
                let (q, _, length_b) = span(self.b, &self.b.edge(b));
                let (q, v) = (self.offset + self.turn * q, self.b.edge_in(b, &self.turn));
                let across = u.cross(v);
                let square = across.length_squared();
                let between = q - p;
                let along = [between.cross(v).dot(across) / square, between.cross(u).dot(across) / square];
                // The nearest end of either edge is the side of the facet that is crossed first.
                let (mut side, mut least) = (0, along[0]);
                for (k, inside) in [length_a - along[0], along[1], length_b - along[1]].into_iter().enumerate() {
                    if inside < least {
                        (side, least) = (k + 1, inside);
                    }
                }
                // `least` is a length along an edge. The factor is the sine of the angle between
                // the edges and gives the distance from the side of the facet.
                Foot { inset: least * square.sqrt(), side, along: along[0] }
            }
        }
    }

    /// Returns the facet beyond a side, if it can be identified with certainty.
    fn across(&self, axis: &Axis, side: usize) -> Option<Axis> {
        let (a, b) = (self.a, self.b);
        match axis.meeting {
            Meeting::FaceOfA { face, corner_b } => {
                let edge = a.ring_edges(face)[side] as usize;
                let next = beyond(&a.edge(edge), face);
                // As the normal rotates to the next face of a, the lowest corner of b remains the
                // lowest, or an edge of b becomes parallel to the facet. The first such event determines the facet beyond the side.
                match leaving(b, corner_b, self.back * axis.n, a.normal_in(next, &self.back)) {
                    None => Some(self.face_a_over(next, corner_b)),
                    Some(edge_b) => self.across_edges(edge, edge_b),
                }
            }
            Meeting::FaceOfB { face, corner_a } => {
                // The side of the facet is an edge of the face of a.
                let edge = b.ring_edges(face)[side] as usize;
                let next = beyond(&b.edge(edge), face);
                match leaving(a, corner_a, -axis.n, b.normal_in(next, &self.turn)) {
                    None => Some(self.face_b_over(next, corner_a)),
                    Some(edge_a) => self.across_edges(edge_a, edge),
                }
            }
            Meeting::Edges { a: edge_a, b: edge_b } if side < 2 => {
                let corner = a.edge(edge_a).ends[side] as usize;
                // Beyond an end of its edge a continues with another edge of the corner or, if a face
                // of b becomes parallel to the facet first, with that face.
                let outward = away(a, &a.edge(edge_a), side);
                let face = toward(b, &b.edge(edge_b), self.back * outward);
                match leaving(a, corner, -axis.n, b.normal_in(face, &self.turn)) {
                    None => Some(self.face_b_over(face, corner)),
                    Some(other) => self.across_edges(other, edge_b),
                }
            }
            Meeting::Edges { a: edge_a, b: edge_b } => {
                let corner = b.edge(edge_b).ends[side - 2] as usize;
                let outward = away(b, &b.edge(edge_b), side - 2);
                let face = toward(a, &a.edge(edge_a), self.turn * outward);
                match leaving(b, corner, self.back * axis.n, a.normal_in(face, &self.back)) {
                    None => Some(self.face_a_over(face, corner)),
                    Some(other) => self.across_edges(edge_a, other),
                }
            }
        }
    }

    /// Returns the facet of two edges, if their arcs cross clearly.
    fn across_edges(&self, a: usize, b: usize) -> Option<Axis> {
        let (edge_a, edge_b) = (self.a.edge(a), self.b.edge(b));
        let (u, v) = (edge_a.along, self.b.edge_in(b, &self.turn));
        let across = u.cross(v);
        let square = across.length_squared();
        if square < UNCERTAIN {
            return None;
        }
        let [left_a, right_a] = edge_a.faces.map(|face| self.a.plane(face as usize).0);
        let [lb, rb] = edge_b.faces.map(|face| self.b.normal_in(face as usize, &self.turn).dot(u));
        let (la, ra) = (left_a.dot(v), right_a.dot(v));
        // The arcs of the two edges on the Gauss sphere cross only if each separates the ends of
        // the other, in the same hemisphere. Other edges form no facet.
        if lb * rb >= 0.0 || la * ra >= 0.0 || lb * ra >= 0.0 {
            return None;
        }
        // The normal points out of a.
        let n = across * (1f64.copysign(across.dot(left_a + right_a)) / square.sqrt());
        let gap = n.dot(self.corner_b(edge_b.ends[0] as usize) - self.a.corner(edge_a.ends[0] as usize));
        Some(Axis { n, gap, meeting: Meeting::Edges { a, b } })
    }

    /// Returns whether this facet, which contains the projection of the origin, is certainly the
    /// nearest one.
    pub(super) fn is_nearest(&self, axis: &Axis, foot: &Foot) -> bool {
        if axis.gap > 0.0 {
            return true;
        }
        let m = axis.n.dot(self.offset);
        // Component of the offset across the normal, for the bound on other directions.
        let l = (self.offset.length_squared() - m * m).max(0.0).sqrt();
        is_sheltered(-axis.gap, foot.inset, m, l, self.a.inradius() + self.b.inradius())
    }
}

/// Returns whether a facet at depth `d` is certainly the nearest one. The projection of the origin
/// lies `s` inside its sides.
///
/// Another facet at the angle `t` has a depth of at least `d cos t + s sin t`, which is at least d
/// up to `tan(t/2) = s/d`. Beyond this angle the ball of radius `r` (sum of the inscribed radii)
/// about the centre of the difference bounds the depth. `m` and `l` are the distances of the
/// centres along and perpendicular to the normal.
pub(super) fn is_sheltered(d: f64, s: f64, m: f64, l: f64, r: f64) -> bool {
    let (dd, ss) = (d * d, s * s);
    // For `s > d` the angle exceeds 90 degrees. Beyond it both terms of the bound `m cos t + l sin
    // t` decrease, so that the test at its start covers all larger angles.
    s > d && m > 0.0 && m * (ss - dd) + (r - d) * (ss + dd) > 2.0 * d * s * l
}

/// Returns one end of an edge, the unit vector to the other end, and the length.
#[inline]
fn span(polytope: &impl Polytope, edge: &Edge) -> (DVec3, DVec3, f64) {
    let [from, to] = edge.ends.map(|end| polytope.corner(end as usize));
    (from, edge.along, edge.along.dot(to - from))
}

/// Returns the other face at an edge.
fn beyond(edge: &Edge, face: usize) -> usize {
    let [left, right] = edge.faces.map(usize::from);
    if left == face { right } else { left }
}

/// Returns the outward direction along an edge at one of its ends.
fn away(polytope: &impl Polytope, edge: &Edge, end: usize) -> DVec3 {
    let [first, last] = edge.ends.map(|end| polytope.corner(end as usize));
    if end == 0 { first - last } else { last - first }
}

/// Returns the face at an edge whose normal is most opposite to a direction.
fn toward(polytope: &impl Polytope, edge: &Edge, direction: DVec3) -> usize {
    let [left, right] = edge.faces.map(usize::from);
    if polytope.plane(left).0.dot(direction) < polytope.plane(right).0.dot(direction) { left } else { right }
}

/// Returns the edge along which a corner ceases to be the lowest one when the vertical direction
/// rotates from one vector to another, or `None` if it stays the lowest.
fn leaving(polytope: &impl Polytope, corner: usize, from: DVec3, to: DVec3) -> Option<usize> {
    let at = polytope.corner(corner);
    let mut first = None;
    // Crossings are compared as fractions of the heights before and after, without a division.
    let (mut before, mut after) = (1.0, 0.0);
    for &k in polytope.edges_at(corner) {
        let [start, end] = polytope.edge(k as usize).ends.map(usize::from);
        let run = polytope.corner(if start == corner { end } else { start }) - at;
        let (rise, fall) = (from.dot(run), -to.dot(run));
        if fall > 0.0 && rise * after < before * fall {
            first = Some(k as usize);
            (before, after) = (rise, fall);
        }
    }
    first
}
