//! Any two bounded convex bodies, through their support points alone.
//!
//! The gap is the largest of `n.offset - h_A(n) - h_B(-n)` over the unit vectors `n`: the distance of separated
//! bodies, or minus the least translation that parts overlapping ones. `gjk` finds the first, `epa` the second,
//! `polish` brings smooth surfaces to the last digits. See `docs/theory/contact.md`.

mod difference;
mod epa;
mod gjk;
mod polish;
mod polytope;
mod ridge;
mod simplex;

pub use difference::Placed;

use glam::DVec3;

use crate::{Manifold, ManifoldPoint, Pair, Status};
use difference::{Difference, Vertex};
use gjk::Distance;

/// Length of the part of `p_b - p_a` off the normal up to which an answer counts as exact, in units of the pair's
/// size: a thousand roundings, for surfaces whose curvature radius is that many times their size.
const SHARED_NORMAL: f64 = 3e-13;

/// Depths that differ by less are equal, units: a few roundings of a sum of size 1.
const SAME_DEPTH: f64 = 1e-14;

/// A contact in units of the pair's size, from the centre of a.
#[derive(Clone, Copy, Debug)]
struct Contact {
    normal: DVec3,
    /// `h(normal)`: minus the gap.
    depth: f64,
    /// The middle of the two surface points.
    middle: DVec3,
    /// How far the two surface points are from `p_b - p_a = gap normal`.
    residual: f64,
    /// By how much another direction may be less deep; 0 where it has been ruled out.
    slack: f64,
}

impl Contact {
    /// The contact along `normal` at a point of `Z` that is a mean of support points.
    fn of_mean(difference: &Difference, normal: DVec3, mean: Vertex) -> Self {
        let depth = normal.dot(difference.support(normal).z);
        let middle = 0.5 * (mean.a + mean.b());
        Self { normal, depth, middle, residual: (mean.z - depth * normal).length(), slack: 0.0 }
    }

    /// Whether the two surface points share the normal.
    fn is_exact(&self) -> bool {
        self.residual <= SHARED_NORMAL * self.depth.abs().max(1.0)
    }

    /// The better of two contacts: an exact one, and of two exact ones the less deep.
    fn or(self, other: Self) -> Self {
        let other_is_better = match (self.is_exact(), other.is_exact()) {
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

/// The closest points of two separated bodies, or the least penetration of two overlapping ones.
pub fn general(pair: &Pair, manifold: &mut Manifold) {
    convex_convex(&Placed::of(pair), pair.margin, pair.warm, manifold);
}

/// Whether two bounded bodies are apart for sure: a few that nearly touch are not told apart. How deep an overlap is may cost a
/// thousand times as much.
pub fn are_apart(pair: &Pair) -> bool {
    let difference = Difference::new(&Placed::of(pair));
    let start = pair.warm.unwrap_or(pair.offset).normalize_or(DVec3::X);
    !matches!(gjk::distance(&difference, start, 0.0, &mut 0), Distance::Overlap(_))
}

/// The same for bodies that need not be in the list of shapes. `manifold` must be clear.
///
/// `margin` is the largest gap reported, m; `warm` the normal one step ago.
pub fn convex_convex(placed: &Placed, margin: f64, warm: Option<DVec3>, manifold: &mut Manifold) {
    let difference = Difference::new(placed);
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
    if gap > margin {
        manifold.apart = Some(normal);
        return;
    }
    if !contact.is_exact() {
        manifold.status = Status::NotConverged { residual: residual * difference.unit };
    } else if slack > 0.0 {
        manifold.status = Status::NotProven { slack: slack * difference.unit };
    }
    let arm = middle * difference.unit;
    manifold.push(ManifoldPoint { arm, normal, gap, curvature: difference.curvature(normal), feature: 0 });
}
