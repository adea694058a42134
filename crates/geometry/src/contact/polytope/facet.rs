//! Walking over the facets of the bodies' difference to the one that is nearest to the origin.
//!
//! The difference of two solids has a facet for each face of either with the corner of the other that lies deepest below
//! it, and for each two edges whose arcs cross on the sphere of normals. Where the foot of the origin lies beyond a side of
//! a facet, the gap grows across that side. Where it lies inside, the facet is the nearest around; that it is the nearest
//! of all is then proven in closed form, or not at all.

use glam::DVec3;

use super::axis::{Axis, Meeting};
use super::{NO_EDGE, Placed, Solid};
use crate::hull::Edge;

/// Most steps of a walk: from a start along the centres, stones of 60 corners take up to nine.
const MAX_STEPS: usize = 24;

/// Square of the sine of the angle of two edges below which a walk does not cross them: their normal would be uncertain by
/// more than a few hundred roundings.
const UNCERTAIN: f64 = 1e-6;

/// Cosine between a hint and the normal of a face above which the hint is taken to mean the face, not two edges: bodies turn
/// by less than this tilt, 4e-3, from step to step.
const MEANS_FACE: f64 = 1.0 - 1e-5;

/// Where the origin's foot lies on a facet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    /// Distance from the nearest side; negative outside.
    pub inset: f64,
    /// That side: its place in the ring of the face; or of two edges 0 and 1 for the ends of a's, 2 and 3 for those of b's.
    side: usize,
    /// Of two edges: distance of the place where they cross from the first end of a's.
    pub along: f64,
}

/// How a walk ends.
pub(super) enum Walk {
    /// Along this direction the gap is larger than the margin.
    Apart(DVec3),
    /// On a facet that has the foot inside.
    Arrived(Axis, Foot),
    /// Without one; here the gap was largest.
    Lost(Axis),
}

/// Walks uphill from the facet about `direction`.
pub(super) fn walk<A: Solid, B: Solid>(placed: &Placed<A, B>, direction: DVec3, margin: f64) -> Walk {
    let mut axis = placed.start(direction);
    for _ in 0..MAX_STEPS {
        if axis.gap > margin {
            return Walk::Apart(axis.n);
        }
        let foot = placed.foot(&axis);
        if foot.inset >= 0.0 {
            return Walk::Arrived(axis, foot);
        }
        match placed.across(&axis, foot.side) {
            Some(next) if next.gap > axis.gap => axis = next,
            _ => break,
        }
    }
    Walk::Lost(axis)
}

impl<A: Solid, B: Solid> Placed<'_, A, B> {
    /// The facet that a direction means.
    fn start(&self, n: DVec3) -> Axis {
        let (corner_a, n_b) = (self.a.farthest(n), self.back * -n);
        let corner_b = self.b.farthest(n_b);
        let (face_a, face_b) = (self.a.face_along(corner_a, n), self.b.face_along(corner_b, n_b));
        let (along_a, along_b) = (self.a.plane(face_a).0.dot(n), self.b.plane(face_b).0.dot(n_b));
        if along_a.max(along_b) < MEANS_FACE {
            let (a, b) = (self.a.levellest(corner_a, n), self.b.levellest(corner_b, n_b));
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

    /// Where the origin's foot lies on a facet.
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
                let (p, u, length_a) = span(self.a, &self.a.edge(a));
                let (q, _, length_b) = span(self.b, &self.b.edge(b));
                let (q, v) = (self.offset + self.turn * q, self.b.edge_in(b, &self.turn));
                let across = u.cross(v);
                let square = across.length_squared();
                let between = q - p;
                let along = [between.cross(v).dot(across) / square, between.cross(u).dot(across) / square];
                let (mut side, mut least) = (0, along[0]);
                for (k, inside) in [length_a - along[0], along[1], length_b - along[1]].into_iter().enumerate() {
                    if inside < least {
                        (side, least) = (k + 1, inside);
                    }
                }
                Foot { inset: least * square.sqrt(), side, along: along[0] }
            }
        }
    }

    /// The facet beyond a side, if it is certain which.
    fn across(&self, axis: &Axis, side: usize) -> Option<Axis> {
        let (a, b) = (self.a, self.b);
        match axis.meeting {
            Meeting::FaceOfA { face, corner_b } => {
                let edge = a.ring_edges(face)[side] as usize;
                let next = beyond(&a.edge(edge), face);
                match leaving(b, corner_b, self.back * axis.n, a.normal_in(next, &self.back)) {
                    None => Some(self.face_a_over(next, corner_b)),
                    Some(edge_b) => self.across_edges(edge, edge_b),
                }
            }
            Meeting::FaceOfB { face, corner_a } => {
                let edge = b.ring_edges(face)[side] as usize;
                let next = beyond(&b.edge(edge), face);
                match leaving(a, corner_a, -axis.n, b.normal_in(next, &self.turn)) {
                    None => Some(self.face_b_over(next, corner_a)),
                    Some(edge_a) => self.across_edges(edge_a, edge),
                }
            }
            Meeting::Edges { a: edge_a, b: edge_b } if side < 2 => {
                let corner = a.edge(edge_a).ends[side] as usize;
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

    /// The facet of two edges, if their arcs cross clearly.
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
        if lb * rb >= 0.0 || la * ra >= 0.0 || lb * ra >= 0.0 {
            return None;
        }
        let n = across * (1f64.copysign(across.dot(left_a + right_a)) / square.sqrt());
        let gap = n.dot(self.corner_b(edge_b.ends[0] as usize) - self.a.corner(edge_a.ends[0] as usize));
        Some(Axis { n, gap, meeting: Meeting::Edges { a, b } })
    }

    /// Whether no facet is nearer to the origin than this one with the foot inside.
    pub(super) fn is_nearest(&self, axis: &Axis, foot: &Foot) -> bool {
        if axis.gap > 0.0 {
            return true;
        }
        let m = axis.n.dot(self.offset);
        let l = (self.offset.length_squared() - m * m).max(0.0).sqrt();
        is_sheltered(-axis.gap, foot.inset, m, l, self.a.inradius() + self.b.inradius())
    }
}

/// Whether a facet at depth `d`, with the foot of the origin `s` inside its sides, leaves no room for a nearer one.
///
/// Another facet at the angle `t` has a depth of at least `d cos t + s sin t`: no less than d up to `tan(t/2) = s/d`. Beyond
/// that the ball of radius `r`, the sum of the inscribed radii, about the centre of the difference keeps it away: `m` along the
/// normal and `l` across it are how far the bodies' centres are from each other.
pub(super) fn is_sheltered(d: f64, s: f64, m: f64, l: f64, r: f64) -> bool {
    let (dd, ss) = (d * d, s * s);
    s > d && m > 0.0 && m * (ss - dd) + (r - d) * (ss + dd) > 2.0 * d * s * l
}

/// One end of an edge, the direction to the other, and its length.
#[inline]
fn span(solid: &impl Solid, edge: &Edge) -> (DVec3, DVec3, f64) {
    let [from, to] = edge.ends.map(|end| solid.corner(end as usize));
    (from, edge.along, edge.along.dot(to - from))
}

/// The other face at an edge.
fn beyond(edge: &Edge, face: usize) -> usize {
    let [left, right] = edge.faces.map(usize::from);
    if left == face { right } else { left }
}

/// Outward along an edge at one of its ends.
fn away(solid: &impl Solid, edge: &Edge, end: usize) -> DVec3 {
    let [first, last] = edge.ends.map(|end| solid.corner(end as usize));
    if end == 0 { first - last } else { last - first }
}

/// Of the faces at an edge the one that looks most against a direction.
fn toward(solid: &impl Solid, edge: &Edge, direction: DVec3) -> usize {
    let [left, right] = edge.faces.map(usize::from);
    if solid.plane(left).0.dot(direction) < solid.plane(right).0.dot(direction) { left } else { right }
}

/// The edge over which a corner ceases to be the lowest of its body as the direction of height turns from one to another;
/// none if it still is at the end.
fn leaving(solid: &impl Solid, corner: usize, from: DVec3, to: DVec3) -> Option<usize> {
    let at = solid.corner(corner);
    let mut first = None;
    // Crossings are compared as fractions: the rises before and after.
    let (mut before, mut after) = (1.0, 0.0);
    for &k in solid.edges_at(corner) {
        let [start, end] = solid.edge(k as usize).ends.map(usize::from);
        let run = solid.corner(if start == corner { end } else { start }) - at;
        let (rise, fall) = (from.dot(run), -to.dot(run));
        if fall > 0.0 && rise * after < before * fall {
            first = Some(k as usize);
            (before, after) = (rise, fall);
        }
    }
    first
}
