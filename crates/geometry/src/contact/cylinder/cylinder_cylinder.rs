//! The pair routine of two cylinders: exact gap, and patches of contact points on faces and lines.

use glam::DVec3;

use crate::contact::cylinder::{Class, CylinderPair, Direction, report};
use crate::contact::general::general;
use crate::{Manifold, Pair, Shape};

/// Overlap, relative to the least size of the two bodies, from which an unproven result is compared
/// with that of `general`.
const VERY_DEEP: f64 = 0.2;

/// Relative difference of depths that is a rounding error: another direction must be better by
/// more.
const ROUNDING: f64 = 1e-12;

/// Writes the contact points of two cylinders. See [`crate::contact::cylinder`].
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table pairs cylinders with cylinders")
    };
    let cylinders = CylinderPair::new([a, b], pair.offset, [pair.orientation_a, pair.orientation_b]);
    let separation = cylinders.separation(pair.margin, pair.warm);
    manifold.iterations = separation.iterations;
    let mut best = separation.best;
    // Overlapping bodies may have several maxima. A comparison with an independent search costs too
    // much for every unproven pair, so that it is limited to deep ones.
    let is_unproven = !separation.is_proven && best.gap < -VERY_DEEP * cylinders.least_size();
    if is_unproven || !separation.is_maximum {
        best = best_of_all_searches(&cylinders, best, pair, &mut manifold.iterations);
    }
    if best.gap <= pair.margin {
        report(&cylinders, &best, pair.margin, manifold);
    } else if best.gap > 0.0 {
        manifold.apart = Some(cylinders.world(best.n));
    }
}

/// Returns the best of the given direction, of the same search with the bodies exchanged, and of
/// `general` from either body. Near a common centre there are many maxima, and the result must not
/// depend on the order of the bodies. A search that found no maximum is completed here, too.
fn best_of_all_searches(cylinders: &CylinderPair, mut best: Direction, pair: &Pair, iterations: &mut u32) -> Direction {
    let size = best.gap.abs();
    let swapped = pair.swapped();
    let mut consider = |n: DVec3, class: Class| {
        let n = cylinders.local(n);
        // g is exact for any direction, so that results of different searches are comparable.
        let gap = cylinders.g(n);
        if gap > best.gap + ROUNDING * size {
            best = Direction { n, gap, class };
        }
    };
    if let (Shape::Cylinder(a), Shape::Cylinder(b)) = (swapped.a, swapped.b) {
        let other = CylinderPair::new([a, b], swapped.offset, [swapped.orientation_a, swapped.orientation_b]);
        let found = other.separation(pair.margin, swapped.warm);
        *iterations += found.iterations;
        consider(-other.world(found.best.n), found.best.class.swapped());
    }
    for (pair, sign) in [(pair, 1.0), (&swapped, -1.0)] {
        // An infinite margin: a pair that `general` finds separated must not be left out.
        let mut manifold = Manifold::default();
        general(&Pair { margin: f64::INFINITY, ..*pair }, &mut manifold);
        *iterations += manifold.iterations;
        if let Some(point) = manifold.points().first() {
            consider(sign * point.normal, Class::Rims);
        }
    }
    best
}

/// Returns the step of the search that proved that two cylinders are separated by more than the
/// margin; `None` if they are not, or if the shapes are not cylinders.
pub fn excluded_by(pair: &Pair) -> Option<crate::contact::cylinder::Step> {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { return None };
    let cylinders = CylinderPair::new([a, b], pair.offset, [pair.orientation_a, pair.orientation_b]);
    let separation = cylinders.separation(pair.margin, pair.warm);
    (separation.best.gap > pair.margin).then_some(separation.step)
}
