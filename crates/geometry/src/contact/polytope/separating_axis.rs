//! The separating axis of two polytopes: the direction of largest separation or least overlap.
//!
//! The gap along `n` is `n.offset - h_A(n) - h_B(-n)`. If the bodies overlap, it is largest along
//! the normal of a face, or along the common perpendicular of two edges whose arcs cross on the
//! Gauss sphere. These are the normals of the faces of the Minkowski difference. Bounds exclude
//! most of them. Let `r_B <= h_B` be the inscribed radius of b and `g` the height of its centre
//! above a face of a. The gap along this face is at most `g - r_B`. The gap along an edge is at
//! most the larger `g` of its two faces times [`Edge::secant`], minus `r_B`.

use std::cell::RefCell;

use glam::DVec3;

use super::{Polytope, PolytopePair};
use crate::hull::Edge;

/// Gap, relative to the size of the pair, by which two edges must exceed a face. Two edges that are
/// parallel except for rounding errors belong to a face.
pub(super) const FACE_FIRST: f64 = 1e-14;

/// Sine of the angle between two edges below which they count as parallel. The error of the gap is
/// less than this times their length.
pub(super) const PARALLEL: f64 = 1e-11;

/// The features that meet along an axis.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meeting {
    FaceOfA { face: usize, corner_b: usize },
    FaceOfB { face: usize, corner_a: usize },
    Edges { a: usize, b: usize },
}

/// A direction from a to b in axes of a, the gap along it and the features that define it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub n: DVec3,
    pub gap: f64,
    pub meeting: Meeting,
}

/// An edge of b that passed the bounds, in axes of a.
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

/// Returns the best axis, or one along which the gap exceeds the margin. A known axis only saves
/// work.
pub(super) fn best<A: Polytope, B: Polytope>(pair_in_a: &PolytopePair<A, B>, margin: f64, known: Option<Axis>) -> Axis {
    SCRATCH.with_borrow_mut(|scratch| search(pair_in_a, margin, known, scratch))
}

fn search<A: Polytope, B: Polytope>(
    pair_in_a: &PolytopePair<A, B>,
    margin: f64,
    known: Option<Axis>,
    scratch: &mut Scratch,
) -> Axis {
    let slack = FACE_FIRST * pair_in_a.size();
    let PolytopePair { a, b, back, offset, .. } = pair_in_a;
    // The height of a centre above a face of the other body, minus the inscribed radius, is an
    // upper bound of the gap along the normal of this face.
    let offset_b = *back * -*offset;
    let highest_a = heights(*a, *offset, &mut scratch.heights_a);
    let highest_b = heights(*b, offset_b, &mut scratch.heights_b);
    let (r_a, r_b) = (a.inradius(), b.inradius());
    // The most likely axes come first, so that the bounds exclude most others.
    let mut best = pair_in_a.along_face_a(highest_a);
    // An axis must be better by more than rounding; the search ends at the first one that
    // separates.
    let keep_better = |axis: Axis, best: &mut Axis| {
        if axis.gap > best.gap + slack {
            *best = axis;
        }
        best.gap > margin
    };
    if keep_better(pair_in_a.along_face_b(highest_b), &mut best)
        || known.is_some_and(|axis| keep_better(axis, &mut best))
    {
        return best;
    }
    // A face is tried only if the ball inscribed in the other body does not exclude it.
    for (face, &height) in scratch.heights_a.iter().enumerate() {
        if height - r_b > best.gap && face != highest_a && keep_better(pair_in_a.along_face_a(face), &mut best) {
            return best;
        }
    }
    for (face, &height) in scratch.heights_b.iter().enumerate() {
        if height - r_a > best.gap && face != highest_b && keep_better(pair_in_a.along_face_b(face), &mut best) {
            return best;
        }
    }
    let bound = |edge: &Edge, heights: &[f64]| {
        let height = heights[edge.faces[0] as usize].max(heights[edge.faces[1] as usize]);
        // The bound is the largest height over the arc between the two normals. The arc cannot
        // enlarge a negative height, whose bound is the height itself.
        if height > 0.0 { height * edge.secant } else { height }
    };
    scratch.edges_b.clear();
    // Edges of b that may be better than the best face. Their vectors are needed in axes of a.
    for k in 0..b.edge_count() {
        let edge = b.edge(k);
        if bound(&edge, &scratch.heights_b) - r_a > best.gap {
            scratch.edges_b.push(Candidate {
                edge: k,
                along: pair_in_a.turn * edge.along,
                left: pair_in_a.turn * b.plane(edge.faces[0] as usize).0,
                right: pair_in_a.turn * b.plane(edge.faces[1] as usize).0,
                end: pair_in_a.corner_b(edge.ends[0] as usize),
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
        // The vectors of an edge of a are computed once for all candidates of b.
        let [left, right] = edge.faces.map(|face| a.plane(face as usize).0);
        let end = a.corner(edge.ends[0] as usize);
        for other in &scratch.edges_b {
            // Two arcs cross if each separates the ends of the other in the same hemisphere.
            let (lb, rb) = (other.left.dot(edge.along), other.right.dot(edge.along));
            let (la, ra) = (left.dot(other.along), right.dot(other.along));
            if lb * rb >= 0.0 || la * ra >= 0.0 || lb * ra >= 0.0 {
                continue;
            }
            let across = edge.along.cross(other.along);
            if across.length_squared() <= PARALLEL * PARALLEL {
                continue;
            }
            // The cross product of nearly parallel edges has large rounding errors, which must not
            // tilt it along the edges.
            let across = (across - across.dot(edge.along) * edge.along).normalize();
            let n = across * 1f64.copysign(across.dot(left + right));
            // The distance of the two edge lines is at least the gap along n. The exact gap needs
            // the farthest corners and is computed only if this bound allows it.
            if n.dot(other.end - end) > best.gap + slack {
                let axis = Axis { n, gap: pair_in_a.gap_along(n), meeting: Meeting::Edges { a: k, b: other.edge } };
                if keep_better(axis, &mut best) {
                    return best;
                }
            }
        }
    }
    best
}

/// Computes the heights of a point above all faces and returns the face with the largest height.
#[inline]
fn heights(polytope: &impl Polytope, point: DVec3, heights: &mut Vec<f64>) -> usize {
    heights.clear();
    let (mut best, mut top) = (0, f64::NEG_INFINITY);
    for face in 0..polytope.face_count() {
        let (normal, offset) = polytope.plane(face);
        let height = normal.dot(point) - offset;
        if height > top {
            (best, top) = (face, height);
        }
        heights.push(height);
    }
    best
}

impl<A: Polytope, B: Polytope> PolytopePair<'_, A, B> {
    /// Returns the gap along any unit vector, which is at most the gap of the bodies, m.
    pub(super) fn gap_along(&self, n: DVec3) -> f64 {
        let n_b = self.back * n;
        n.dot(self.offset) - n.dot(self.a.corner(self.a.farthest(n))) + n_b.dot(self.b.corner(self.b.farthest(-n_b)))
    }

    /// Returns the axis of a face of a with the lowest corner of b.
    #[inline]
    pub(super) fn along_face_a(&self, face: usize) -> Axis {
        self.face_a_over(face, self.b.farthest(-self.a.normal_in(face, &self.back)))
    }

    /// Returns the axis of a face of b with the lowest corner of a.
    #[inline]
    pub(super) fn along_face_b(&self, face: usize) -> Axis {
        self.face_b_over(face, self.a.farthest(-self.b.normal_in(face, &self.turn)))
    }

    /// Returns the same axis for a known corner.
    #[inline]
    pub(super) fn face_a_over(&self, face: usize, corner_b: usize) -> Axis {
        let (n, offset) = self.a.plane(face);
        let n_b = self.a.normal_in(face, &self.back);
        let gap = n.dot(self.offset) + n_b.dot(self.b.corner(corner_b)) - offset;
        Axis { n, gap, meeting: Meeting::FaceOfA { face, corner_b } }
    }

    /// Returns the same axis for a known corner.
    #[inline]
    pub(super) fn face_b_over(&self, face: usize, corner_a: usize) -> Axis {
        let offset = self.b.plane(face).1;
        let n = -self.b.normal_in(face, &self.turn);
        let gap = n.dot(self.offset) - n.dot(self.a.corner(corner_a)) - offset;
        Axis { n, gap, meeting: Meeting::FaceOfB { face, corner_a } }
    }
}
