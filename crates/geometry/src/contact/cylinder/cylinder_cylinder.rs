//! Two cylinders: the exact gap, and patches of contact points on faces and lines.

use glam::DVec3;

use crate::contact::cylinder::{Class, CylinderPair, Direction, report};
use crate::contact::general::general;
use crate::{Manifold, Pair, Shape};

/// Overlap, in the least size of the two, from which `general` is asked too.
const VERY_DEEP: f64 = 0.2;

/// Part of the depth by which another direction must be better.
const ROUNDING: f64 = 1e-12;

/// See [`crate::contact::cylinder`].
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table pairs cylinders with cylinders")
    };
    let cylinders = CylinderPair::new([a, b], pair.offset, [pair.orientation_a, pair.orientation_b]);
    let separation = cylinders.separation(pair.margin, pair.warm);
    manifold.iterations = separation.iterations;
    let mut best = separation.best;
    let is_unproven = !separation.is_proven && best.gap < -VERY_DEEP * cylinders.least_size();
    if is_unproven || !separation.is_sure {
        best = better_known(&cylinders, best, pair, &mut manifold.iterations);
    }
    if best.gap <= pair.margin {
        report(&cylinders, &best, pair.margin, manifold);
    } else if best.gap > 0.0 {
        manifold.apart = Some(cylinders.world(best.n));
    }
}

/// The best of what this search and `general` find from either body: near a common centre there are many maxima, and
/// the answer should not depend on which body comes first. A search that came to no maximum has its last word there, too.
fn better_known(cylinders: &CylinderPair, mut best: Direction, pair: &Pair, iterations: &mut u32) -> Direction {
    let size = best.gap.abs();
    let swapped = pair.swapped();
    let mut consider = |n: DVec3, class: Class| {
        let n = cylinders.local(n);
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
        let mut manifold = Manifold::default();
        general(&Pair { margin: f64::INFINITY, ..*pair }, &mut manifold);
        *iterations += manifold.iterations;
        if let Some(point) = manifold.points().first() {
            consider(sign * point.normal, Class::Rims);
        }
    }
    best
}

/// Which step of the search told that two cylinders are apart by more than the margin; none if they are not, or if the
/// pair is not one of cylinders.
pub fn excluded_by(pair: &Pair) -> Option<crate::contact::cylinder::Step> {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { return None };
    let cylinders = CylinderPair::new([a, b], pair.offset, [pair.orientation_a, pair.orientation_b]);
    let separation = cylinders.separation(pair.margin, pair.warm);
    (separation.best.gap > pair.margin).then_some(separation.step)
}
