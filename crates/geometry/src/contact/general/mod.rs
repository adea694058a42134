//! Contact of any two bounded convex bodies, from their support points alone.
//!
//! The gap is the maximum of `n.offset - h_A(n) - h_B(-n)` over the unit vectors `n`. It is the
//! distance of separated bodies, or minus the least translation that separates overlapping ones.
//! `gjk` computes the distance, `epa` the depth, and `polish` refines both on smooth surfaces to
//! the last digits. See `docs/theory/contact.md`.

mod difference;
mod epa;
mod gjk;
mod polish;
mod polytope;
mod ridge;
mod simplex;

pub use difference::Placed;

use glam::DVec3;

use crate::{ContactPoint, Manifold, Pair, Status};
use difference::{Difference, Vertex};
use gjk::Distance;

/// Length of the component of `p_b - p_a` perpendicular to the normal up to which a contact counts
/// as exact, relative to the size of the pair. It allows a thousand rounding errors, because a
/// surface point moves by the radius of curvature times the error of the normal.
const SHARED_NORMAL: f64 = 3e-13;

/// Difference below which two depths count as equal, in units of the pair's size: a few rounding
/// errors of a sum of order 1.
const SAME_DEPTH: f64 = 1e-14;

/// A contact in units of the pair's size, relative to the centre of a.
#[derive(Clone, Copy, Debug)]
struct Contact {
    normal: DVec3,
    /// `h(normal)`: minus the gap.
    depth: f64,
    /// The middle of the two surface points.
    middle: DVec3,
    /// Deviation of the two surface points from `p_b - p_a = gap normal`.
    residual: f64,
    /// Upper bound of the amount by which another direction may be less deep; 0 if that is ruled
    /// out.
    slack: f64,
}

impl Contact {
    /// Creates the contact along `normal` at a point of `Z` that is a weighted mean of support
    /// points.
    fn of_mean(difference: &Difference, normal: DVec3, mean: Vertex) -> Self {
        // On a curved surface the mean of support points lies on a chord, slightly inside. The
        // depth is therefore taken from the support function, and the residual shows the
        // difference.
        let depth = normal.dot(difference.support(normal).z);
        let middle = 0.5 * (mean.a + mean.b());
        Self { normal, depth, middle, residual: (mean.z - depth * normal).length(), slack: 0.0 }
    }

    /// Returns whether the two surface points share the normal.
    fn is_exact(&self) -> bool {
        self.residual <= SHARED_NORMAL * self.depth.abs().max(1.0)
    }

    /// Returns the better of two contacts: an exact one before an inexact one, else the less deep
    /// one.
    fn or(self, other: Self) -> Self {
        let other_is_better = match (self.is_exact(), other.is_exact()) {
            // Two equal depths keep the first contact, so that rounding does not change the normal.
            (true, true) => other.depth < self.depth - SAME_DEPTH,
            (false, false) => other.residual < self.residual,
            (_, other_is_exact) => other_is_exact,
        };
        if other_is_better { other } else { self }
    }
}

impl<'a> Placed<'a> {
    fn of(pair: &Pair<'a>) -> Self {
        Self {
            a: pair.a.as_convex(),
            b: pair.b.as_convex(),
            offset: pair.offset,
            orientation_a: pair.orientation_a,
            orientation_b: pair.orientation_b,
        }
    }
}

/// Finds the closest points of two separated bodies, or the least penetration of two overlapping
/// ones.
pub fn general(pair: &Pair, manifold: &mut Manifold) {
    convex_convex(&Placed::of(pair), pair.margin, pair.warm, manifold);
}

/// Returns whether two bounded bodies are certainly separated. It may return `false` for bodies
/// that nearly touch. It does not compute the depth, which may cost a thousand times as much.
pub fn are_apart(pair: &Pair) -> bool {
    !overlap_from(&Placed::of(pair), pair.warm.unwrap_or(pair.offset))
}

/// Returns whether two convex bodies overlap or touch, except for rounding.
pub(crate) fn overlap(placed: &Placed) -> bool {
    overlap_from(placed, placed.offset)
}

fn overlap_from(placed: &Placed, start: DVec3) -> bool {
    let difference = Difference::new(placed);
    // With the margin zero the search ends at the first separating direction.
    matches!(gjk::distance(&difference, start.normalize_or(DVec3::X), 0.0, &mut 0), Distance::Overlap(_))
}

/// Finds the contact of two convex bodies that need not be in the list of shapes. `manifold` must
/// be clear.
///
/// `margin` is the largest gap that is reported, m. `warm` is the normal of the previous step.
pub fn convex_convex(placed: &Placed, margin: f64, warm: Option<DVec3>, manifold: &mut Manifold) {
    let difference = Difference::new(placed);
    // Without a previous normal the line of centres is a good start for round bodies. Concentric
    // bodies have no such line, and any direction will do.
    let start = warm.unwrap_or(placed.offset).normalize_or(DVec3::X);
    let mut iterations = 0;
    let contact = match gjk::distance(&difference, start, margin / difference.unit, &mut iterations) {
        Distance::Beyond(n) => {
            manifold.apart = Some(n);
            None
        }
        Distance::Apart(contact) => Some(contact),
        Distance::Overlap(n) => Some(epa::depth(&difference, n, &mut iterations)),
    };
    manifold.iterations = iterations;
    let Some(contact) = contact else { return };
    let Contact { normal, depth, middle, residual, slack } = contact;
    let gap = -depth * difference.unit;
    // GJK excludes a pair by a lower bound of the gap. The refined gap can exceed the margin
    // although that bound did not.
    if gap > margin {
        manifold.apart = Some(normal);
        return;
    }
    // A contact that did not converge needs no statement about other minima, so that its residual
    // is reported first.
    if !contact.is_exact() {
        manifold.status = Status::NotConverged { residual: residual * difference.unit };
    } else if slack > 0.0 {
        manifold.status = Status::NotProven { slack: slack * difference.unit };
    }
    let arm = middle * difference.unit;
    manifold.push(ContactPoint {
        arm,
        normal,
        gap,
        curvature: difference.curvature(normal),
        feature: 0,
        overlap: None,
    });
}
