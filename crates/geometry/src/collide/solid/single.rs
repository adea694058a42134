//! A contact whose patch is a single point: then there is nothing to cut.
//!
//! Over the patch the gap grows linearly from the point that is nearest, so that the next nearest is a neighbour of it on
//! the outline: an edge away, or where the edge leaves the other face.

use glam::DVec3;

use super::axis::{Axis, Meeting};
use super::facet::Foot;
use super::patch::{CORNER_A, CORNER_B, FLUSH, Point, crossing, steepest};
use super::{NO_EDGE, Placed, Solid};

impl<A: Solid, B: Solid> Placed<'_, A, B> {
    /// The nearest point, if all others of the patch have a gap above `limit`.
    pub(super) fn single(&self, axis: &Axis, foot: &Foot, limit: f64) -> Option<Point> {
        let need = limit - axis.gap;
        if foot.inset <= FLUSH * self.size() {
            return None;
        }
        let is_single = match axis.meeting {
            Meeting::FaceOfA { face, corner_b } => {
                let stays = |run: DVec3| self.a.part_inside(face, self.corner_b(corner_b), self.turn * run, NO_EDGE);
                is_steep(self.b, corner_b, self.back * axis.n, foot.inset, need, stays)
            }
            Meeting::FaceOfB { face, corner_a } => {
                let from = self.back * (self.a.corner(corner_a) - self.offset);
                let stays = |run: DVec3| self.b.part_inside(face, from, self.back * run, NO_EDGE);
                is_steep(self.a, corner_a, -axis.n, foot.inset, need, stays)
            }
            Meeting::Edges { a, b } => {
                let (n_b, face_a, face_b) =
                    (self.back * axis.n, steepest(self.a, a, axis.n), self.lower_face(b, axis.n));
                let along_a = Along { solid: self.b, face: face_b, edge: b, from: foot.along[1], up: n_b };
                let along_b = Along { solid: self.a, face: face_a, edge: a, from: foot.along[0], up: -axis.n };
                let (edge_a, edge_b) = (self.a.edge(a), self.b.edge(b));
                along_a.rise(self.back * edge_a.along, foot.ends(0)) > need
                    && along_b.rise(self.turn * edge_b.along, foot.ends(1)) > need
            }
        };
        is_single.then(|| self.meeting_point(axis, foot))
    }

    /// The face of b at an edge that looks most against `n`.
    fn lower_face(&self, edge: usize, n: DVec3) -> usize {
        steepest(self.b, edge, self.back * -n)
    }

    /// The deepest point, from the features that make the axis.
    pub(super) fn meeting_point(&self, axis: &Axis, foot: &Foot) -> Point {
        let half = 0.5 * axis.gap * axis.n;
        let (at, feature) = match axis.meeting {
            Meeting::FaceOfA { corner_b, .. } => (self.corner_b(corner_b) - half, CORNER_B | corner_b as u32),
            Meeting::FaceOfB { corner_a, .. } => (self.a.corner(corner_a) + half, CORNER_A | corner_a as u32),
            Meeting::Edges { a, b } => {
                let edge = self.a.edge(a);
                let on_a = self.a.corner(edge.ends[0] as usize) + foot.along[0] * edge.along;
                (on_a + half, crossing(a as u16, b as u16))
            }
        };
        Point { at, gap: axis.gap, feature }
    }
}

/// Whether every edge at the lowest corner of a solid rises by more than `need` within its length and within the face below.
/// `inset` is how far the corner is inside that face, and `stays` tells which part of an edge is over it.
fn is_steep(solid: &impl Solid, corner: usize, up: DVec3, inset: f64, need: f64, stays: impl Fn(DVec3) -> f64) -> bool {
    let at = solid.corner(corner);
    solid.edges_at(corner).iter().all(|&k| {
        let [start, end] = solid.edge(k as usize).ends.map(usize::from);
        let run = solid.corner(if start == corner { end } else { start }) - at;
        let rise = up.dot(run);
        let within = rise * inset;
        rise > need && (within * within > need * need * run.length_squared() || rise * stays(run) > need)
    })
}

/// The way of the other body's edge over a face, from where it crosses an edge of the face. In axes of the face's body.
struct Along<'s, S> {
    solid: &'s S,
    face: usize,
    edge: usize,
    /// Distance of the crossing from the first end of the face's edge.
    from: f64,
    /// From the other body to this one.
    up: DVec3,
}

impl<S: Solid> Along<'_, S> {
    /// How far the face rises over the way, until the edge ends or leaves it. `along` is the direction of the edge, and `ends`
    /// are the distances of the crossing from its first and last end.
    fn rise(&self, along: DVec3, ends: [f64; 2]) -> f64 {
        let normal = self.solid.plane(self.face).0;
        let steepness = normal.dot(along);
        let (way, length) = if steepness > 0.0 { (along, ends[1]) } else { (-along, ends[0]) };
        let rate = steepness.abs() / normal.dot(self.up).abs();
        let edge = self.solid.edge(self.edge);
        let from = self.solid.corner(edge.ends[0] as usize) + self.from * edge.along;
        let run = length * (way + rate * self.up);
        rate * length * self.solid.part_inside(self.face, from, run, self.edge as u16)
    }
}
