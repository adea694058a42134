//! Contact by the volume that two bodies share, for pairs that know it: one point whose gap is a function of the volume.
//!
//! A law that is elastic in such a gap conserves energy whatever features meet: force and moment are the derivatives of one
//! function of the poses. The gap moves with the bodies as the manifold's gear says. See
//! `docs/adr/0008-contact-by-volume.md`.

use glam::DVec3;

use super::cylinders::{self, Couple};
use super::{CollideFn, Routine};
use crate::manifold::Gear;
use crate::{Kind, Manifold, ManifoldPoint, Pair, Shape};

/// The routine that measures the overlap of two kinds by its volume, if there is one.
pub fn routine(a: Kind, b: Kind) -> Option<Routine> {
    let collide: CollideFn = match (a, b) {
        (Kind::Cylinder, Kind::Cylinder) => two_cylinders,
        _ => return None,
    };
    Some(Routine { collide, name: "volume" })
}

/// Two cylinders: the gap is `-V/A`, with A the largest section of the smaller body, so that the overlap of two faces is
/// their depth and no contact is stiffer than that of two faces.
fn two_cylinders(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table pairs cylinders with cylinders")
    };
    let couple = Couple::new([a, b], pair.offset, [pair.orientation_a, pair.orientation_b]);
    let section = [a, b].map(|body| {
        let face = std::f64::consts::PI * body.radius * body.radius;
        face.max(4.0 * body.radius * body.half_height)
    });
    let area = section[0].min(section[1]);
    let curvature = 1.0 / a.radius + 1.0 / b.radius;
    let Some(region) = couple.region(cylinders::NODES) else {
        // Apart: the distance tells a law when the contact ended.
        let separation = couple.separation(pair.margin, pair.warm);
        manifold.iterations = separation.iterations;
        let (n, gap) = (separation.best.n, separation.best.gap.max(0.0));
        if gap <= pair.margin {
            let arm = couple.point(0, n) + 0.5 * gap * n;
            manifold.push(ManifoldPoint { arm, normal: n, gap, curvature, feature: 0 });
        } else {
            manifold.apart = Some(n);
        }
        return;
    };
    let shared = region.overlap;
    manifold.iterations = region.layers as u32;
    manifold.gear = Gear { rate: shared.push.length() / area, couple: shared.couple() * shared.push.length() / area };
    let normal: DVec3 = shared.normal();
    manifold.push(ManifoldPoint { arm: shared.point(), normal, gap: -shared.volume / area, curvature, feature: 0 });
}
