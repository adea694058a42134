//! The direction along which two solids are farthest apart, or overlap least.
//!
//! Along `n` the gap is `n.offset - h_A(n) - h_B(-n)`. If the bodies overlap, its largest value is at a normal of a
//! face or across two edges whose arcs on the sphere of normals cross: the faces of the bodies' difference. With
//! `h_B >= r_B`, the inscribed radius, a face of a cannot do better than `g - r_B`, `g` the height of b's centre over
//! it, and an edge not better than the larger `g` of its two faces times [`Edge::secant`], less `r_B`. Of near bodies few
//! faces and edges pass.

use std::cell::RefCell;

use glam::DVec3;

use super::{Placed, Solid};
use crate::hull::Edge;

/// By how much two edges must beat a face, in sizes of the pair: two that are parallel but for rounding are a face.
pub(super) const FACE_FIRST: f64 = 1e-14;

/// Sine of the angle of two edges below which they are parallel: what is lost is less than this times their length.
pub(super) const PARALLEL: f64 = 1e-11;

/// What meets along an axis.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meeting {
    FaceOfA { face: usize, corner_b: usize },
    FaceOfB { face: usize, corner_a: usize },
    Edges { a: usize, b: usize },
}

/// A direction from a to b, in axes of a, and the gap along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub n: DVec3,
    pub gap: f64,
    pub meeting: Meeting,
}

/// An edge of b that may do, in axes of a.
struct Candidate {
    edge: usize,
    along: DVec3,
    left: DVec3,
    right: DVec3,
    end: DVec3,
}

#[derive(Default)]
struct Scratch {
    heights_a: Vec<f64>,
    heights_b: Vec<f64>,
    edges_b: Vec<Candidate>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// The best axis, or one along which the gap is larger than the margin. An axis that is known only spares work.
pub(super) fn best<A: Solid, B: Solid>(placed: &Placed<A, B>, margin: f64, known: Option<Axis>) -> Axis {
    SCRATCH.with_borrow_mut(|scratch| search(placed, margin, known, scratch))
}

fn search<A: Solid, B: Solid>(placed: &Placed<A, B>, margin: f64, known: Option<Axis>, scratch: &mut Scratch) -> Axis {
    let slack = FACE_FIRST * placed.size();
    let Placed { a, b, back, offset, .. } = placed;
    let offset_b = *back * -*offset;
    let highest_a = heights(*a, *offset, &mut scratch.heights_a);
    let highest_b = heights(*b, offset_b, &mut scratch.heights_b);
    let (r_a, r_b) = (a.inradius(), b.inradius());
    // The likeliest first, so that most others need no look.
    let mut best = placed.along_face_a(highest_a);
    let see = |axis: Axis, best: &mut Axis| {
        if axis.gap > best.gap + slack {
            *best = axis;
        }
        best.gap > margin
    };
    if see(placed.along_face_b(highest_b), &mut best) || known.is_some_and(|axis| see(axis, &mut best)) {
        return best;
    }
    for (face, &height) in scratch.heights_a.iter().enumerate() {
        if height - r_b > best.gap && face != highest_a && see(placed.along_face_a(face), &mut best) {
            return best;
        }
    }
    for (face, &height) in scratch.heights_b.iter().enumerate() {
        if height - r_a > best.gap && face != highest_b && see(placed.along_face_b(face), &mut best) {
            return best;
        }
    }
    let bound = |edge: &Edge, heights: &[f64]| {
        let height = heights[edge.faces[0] as usize].max(heights[edge.faces[1] as usize]);
        if height > 0.0 { height * edge.secant } else { height }
    };
    scratch.edges_b.clear();
    for k in 0..b.edge_count() {
        let edge = b.edge(k);
        if bound(&edge, &scratch.heights_b) - r_a > best.gap {
            scratch.edges_b.push(Candidate {
                edge: k,
                along: placed.turn * edge.along,
                left: placed.turn * b.plane(edge.faces[0] as usize).0,
                right: placed.turn * b.plane(edge.faces[1] as usize).0,
                end: placed.corner_b(edge.ends[0] as usize),
            });
        }
    }
    if scratch.edges_b.is_empty() {
        return best;
    }
    for k in 0..a.edge_count() {
        let edge = a.edge(k);
        if bound(&edge, &scratch.heights_a) - r_b <= best.gap {
            continue;
        }
        let [left, right] = edge.faces.map(|face| a.plane(face as usize).0);
        let end = a.corner(edge.ends[0] as usize);
        for other in &scratch.edges_b {
            // The arcs cross if each separates the ends of the other, on one side of the sphere.
            let (lb, rb) = (other.left.dot(edge.along), other.right.dot(edge.along));
            let (la, ra) = (left.dot(other.along), right.dot(other.along));
            if lb * rb >= 0.0 || la * ra >= 0.0 || lb * ra >= 0.0 {
                continue;
            }
            let across = edge.along.cross(other.along);
            if across.length_squared() <= PARALLEL * PARALLEL {
                continue;
            }
            // Of nearly parallel edges the product is mostly rounding, which must not tilt it along them.
            let across = (across - across.dot(edge.along) * edge.along).normalize();
            let n = across * 1f64.copysign(across.dot(left + right));
            if n.dot(other.end - end) > best.gap + slack {
                let axis = Axis { n, gap: placed.gap_along(n), meeting: Meeting::Edges { a: k, b: other.edge } };
                if see(axis, &mut best) {
                    return best;
                }
            }
        }
    }
    best
}

/// Heights of a point over the faces, and the face over which it is highest.
#[inline]
fn heights(solid: &impl Solid, point: DVec3, heights: &mut Vec<f64>) -> usize {
    heights.clear();
    let (mut best, mut top) = (0, f64::NEG_INFINITY);
    for face in 0..solid.face_count() {
        let (normal, offset) = solid.plane(face);
        let height = normal.dot(point) - offset;
        if height > top {
            (best, top) = (face, height);
        }
        heights.push(height);
    }
    best
}

impl<A: Solid, B: Solid> Placed<'_, A, B> {
    /// The gap along any unit direction, at most the gap of the bodies.
    pub(super) fn gap_along(&self, n: DVec3) -> f64 {
        let n_b = self.back * n;
        n.dot(self.offset) - n.dot(self.a.corner(self.a.farthest(n))) + n_b.dot(self.b.corner(self.b.farthest(-n_b)))
    }

    /// The axis of a face of a, with the corner of b that lies deepest below it.
    #[inline]
    pub(super) fn along_face_a(&self, face: usize) -> Axis {
        self.face_a_over(face, self.b.farthest(-self.a.normal_in(face, &self.back)))
    }

    /// The axis of a face of b, with the corner of a that lies deepest below it.
    #[inline]
    pub(super) fn along_face_b(&self, face: usize) -> Axis {
        self.face_b_over(face, self.a.farthest(-self.b.normal_in(face, &self.turn)))
    }

    /// The same where the corner is known.
    #[inline]
    pub(super) fn face_a_over(&self, face: usize, corner_b: usize) -> Axis {
        let (n, offset) = self.a.plane(face);
        let n_b = self.a.normal_in(face, &self.back);
        let gap = n.dot(self.offset) + n_b.dot(self.b.corner(corner_b)) - offset;
        Axis { n, gap, meeting: Meeting::FaceOfA { face, corner_b } }
    }

    /// The same where the corner is known.
    #[inline]
    pub(super) fn face_b_over(&self, face: usize, corner_a: usize) -> Axis {
        let offset = self.b.plane(face).1;
        let n = -self.b.normal_in(face, &self.turn);
        let gap = n.dot(self.offset) - n.dot(self.a.corner(corner_a)) - offset;
        Axis { n, gap, meeting: Meeting::FaceOfB { face, corner_a } }
    }
}
