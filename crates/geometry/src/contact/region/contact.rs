//! Contact by the region that two bodies share, for pairs that know it: one point whose gap is a
//! function of the region.
//!
//! A law that is elastic in such a gap conserves energy whatever features meet: force and moment
//! are the derivatives of one function of the poses. The gap moves with the bodies as the
//! manifold's jacobian says. See `docs/adr/0008-contact-by-volume.md` and
//! `docs/adr/0010-smooth-overlap.md`.

use glam::DVec3;

use super::half_plane::smooth_overlap_on_plane;
use super::slices::SliceCount;
use super::{MeasureGradient, OverlapRegion, region_of_polygons, region_of_polytopes};
use crate::contact::container::cylinder_rims::View;
use crate::contact::container::inside_convex::CAPS;
use crate::contact::cylinder::CylinderPair;
use crate::contact::half_space;
use crate::contact::manifold::GapJacobian;
use crate::contact::polytope::{Cuboid, Polytope};
use crate::contact::table::PairTable;
use crate::shape::Cylinder;
use crate::{ContactPatch, ContactPoint, Convex, Manifold, Measure, Pair, Shape};

/// The contact of a region: its gap is minus a length that grows so. The slope and the place `near`
/// are from the centre of a.
fn point_of(length: f64, gradient: MeasureGradient, near: DVec3, curvature: f64) -> (ContactPoint, GapJacobian) {
    let rate = gradient.translation.length();
    let (arm, normal) = (gradient.line_of_action(near), gradient.normal());
    let point = ContactPoint { arm, normal, gap: -length, curvature, feature: 0 };
    (point, GapJacobian { normal: rate, spin: gradient.pitch() * rate })
}

/// The same for a volume over a constant area of the pair.
fn point_of_volume(shared: &OverlapRegion, area: f64, curvature: f64, manifold: &mut Manifold) {
    let MeasureGradient { translation, rotation } = shared.gradient;
    let gradient = MeasureGradient { translation: translation / area, rotation: rotation / area };
    let (point, jacobian) = point_of(shared.volume / area, gradient, shared.centroid, curvature);
    manifold.push_overlap(point, jacobian, ContactPatch::default());
}

/// Reports separated bodies by the routine for the depth. The law needs their distance to find the
/// time at which the contact ended.
fn apart_by_depth(pair: &Pair, manifold: &mut Manifold) {
    let mut apart = Manifold::default();
    PairTable::standard().collide(Measure::Depth, pair, &mut apart);
    manifold.apart = apart.apart;
    if let Some(&point) = apart.deepest() {
        manifold.push(ContactPoint { gap: point.gap.max(0.0), feature: 0, ..point });
    }
}

/// Two boxes or polyhedra: A is the largest projected area of the smaller body along its axes, for a box its largest face.
pub(in crate::contact) fn volume_of_polytopes(pair: &Pair, manifold: &mut Manifold) {
    let projected_area = |shape: &Shape| match shape {
        Shape::Box(shape) => Cuboid(shape.half_sizes).largest_projected_area(),
        Shape::Polyhedron(shape) => shape.hull().largest_projected_area(),
        _ => unreachable!("the pair table calls this for polytopes"),
    };
    volume_over_area(pair, region_of_polytopes(pair), projected_area, manifold);
}

/// Two polygons: A is the longest edge of the polygon where that is shorter, times a metre of thickness.
pub(in crate::contact) fn volume_of_polygons(pair: &Pair, manifold: &mut Manifold) {
    let longest_edge = |shape: &Shape| match shape {
        Shape::Polygon(shape) => shape.longest_edge(),
        _ => unreachable!("the pair table calls this for polygons"),
    };
    volume_over_area(pair, region_of_polygons(pair), longest_edge, manifold);
}

/// Reports the volume of a region over the smaller of the two bodies' areas, m²; without a region, the distance.
fn volume_over_area(pair: &Pair, region: Option<OverlapRegion>, area: impl Fn(&Shape) -> f64, manifold: &mut Manifold) {
    let Some(shared) = region else { return apart_by_depth(pair, manifold) };
    let curvature = [pair.a, pair.b].map(|shape| shape.as_convex().curvature(shared.gradient.normal()));
    point_of_volume(&shared, area(pair.a).min(area(pair.b)), curvature[0] + curvature[1], manifold);
}

/// Reports separated bodies. The law needs their distance to find the time at which the contact
/// ended.
fn apart(cylinders: &CylinderPair, pair: &Pair, manifold: &mut Manifold) {
    let separation = cylinders.separation(pair.margin, pair.warm);
    manifold.iterations = separation.iterations;
    let (n, gap) = (separation.best.n, separation.best.gap.max(0.0));
    if gap <= pair.margin {
        let arm = cylinders.world(cylinders.point(0, n) + 0.5 * gap * n);
        manifold.push(ContactPoint {
            arm,
            normal: cylinders.world(n),
            gap,
            curvature: curvature(cylinders),
            feature: 0,
        });
    } else {
        manifold.apart = Some(cylinders.world(n));
    }
}

fn curvature(cylinders: &CylinderPair) -> f64 {
    1.0 / cylinders.r[0] + 1.0 / cylinders.r[1]
}

/// Two cylinders: the gap is `-V/A`, with A the largest section of the smaller body, so that the overlap of two faces is
/// their depth and no contact is stiffer than that of two faces.
pub(in crate::contact) fn volume_of_cylinders(pair: &Pair, manifold: &mut Manifold) {
    let section = cylinders_of(pair).map(|body| {
        let face = std::f64::consts::PI * body.radius * body.radius;
        face.max(4.0 * body.radius * body.half_height)
    });
    let cylinders = cylinder_pair(pair);
    let Some((shared, layers)) = cylinders.overlap_region(SliceCount::Adaptive) else {
        return apart(&cylinders, pair, manifold);
    };
    manifold.iterations = layers as u32;
    point_of_volume(&shared, section[0].min(section[1]), curvature(&cylinders), manifold);
}

/// Two cylinders: the gap is minus their smooth overlap.
pub(in crate::contact) fn moments_of_cylinders(pair: &Pair, manifold: &mut Manifold) {
    let cylinders = cylinder_pair(pair);
    let Some(region) = cylinders.smooth_overlap(SliceCount::Adaptive) else {
        return apart(&cylinders, pair, manifold);
    };
    manifold.iterations = region.evaluations as u32;
    let (point, jacobian) = point_of(region.length, region.gradient, region.centroid, curvature(&cylinders));
    manifold.push_overlap(point, jacobian, region.patch);
}

/// A cylinder on a plane.
pub(in crate::contact) fn moments_on_plane(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::HalfSpace(plane), Shape::Cylinder(grain)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table puts the half-space first")
    };
    let up = pair.orientation_a * plane.normal();
    on_plane(grain, up, up.dot(pair.offset), 0, pair, manifold);
}

/// A cylinder in a hollow one. The ends of the container are planes; its side is reached by rims alone.
pub(in crate::contact) fn moments_in_cylinder(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::InsideCylinder(room), Shape::Cylinder(grain)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table puts the container first")
    };
    let axis = pair.orientation_a * DVec3::Z;
    for (feature, up) in CAPS.into_iter().zip([-axis, axis]) {
        on_plane(grain, up, room.half_height + up.dot(pair.offset), feature, pair, manifold);
    }
    let Some(view) = View::new(room, grain, axis, pair) else { return };
    for rim in 0..2 {
        let feature = rim as u32;
        if let Some(region) = view.smooth_overlap(rim, pair) {
            manifold.iterations += region.evaluations as u32;
            let (point, jacobian) = point_of(region.length, region.gradient, region.centroid, view.curvature());
            let patch = rolling(region.patch, point.normal, pair);
            manifold.push_overlap(ContactPoint { feature, ..point }, jacobian, patch);
        } else if let Some(nearest) = view.nearest(rim).filter(|nearest| nearest.gap <= pair.margin) {
            push_apart(nearest.between(feature, pair), manifold);
        }
    }
}

/// Reports separated bodies. The law needs their distance to find the time at which the contact
/// ended.
fn push_apart(point: ContactPoint, manifold: &mut Manifold) {
    manifold.push_overlap(
        ContactPoint { gap: point.gap.max(0.0), ..point },
        GapJacobian::PLAIN,
        ContactPatch::default(),
    );
}

/// The patch of a cylinder, the second body, on a wall: a turn about its own axis does not rock the
/// grain, which rolls freely.
fn rolling(patch: ContactPatch, normal: DVec3, pair: &Pair) -> ContactPatch {
    let aside = normal.cross(pair.orientation_b * DVec3::Z);
    ContactPatch(patch.0.map(|arm| arm - arm.dot(aside) * aside))
}

/// Finds the contact of a cylinder with a half-space by moments. `up` is the outward normal of the
/// plane, and `height` is the height of the centre of the cylinder above it, m.
fn on_plane(grain: &Cylinder, up: DVec3, height: f64, feature: u32, pair: &Pair, manifold: &mut Manifold) {
    let gap = height - grain.support_value(pair.orientation_b.inverse() * -up);
    if gap > pair.margin {
        return;
    }
    let overlap = || smooth_overlap_on_plane(grain, up, height, pair.orientation_b);
    let Some(region) = (gap < 0.0).then(overlap).flatten() else {
        let mut apart = Manifold::default();
        half_space::collide(-up, height, feature, pair, &mut apart);
        if let Some(&point) = apart.deepest() {
            push_apart(ContactPoint { feature, ..point }, manifold);
        }
        return;
    };
    manifold.iterations += region.evaluations as u32;
    let (point, jacobian) = point_of(region.length, region.gradient, region.centroid, 1.0 / grain.radius);
    // The overlap is given from the foot of the grain's centre on the plane.
    let foot = pair.offset - height * up;
    let point = ContactPoint { arm: point.arm + foot, feature, ..point };
    manifold.push_overlap(point, jacobian, rolling(region.patch, up, pair));
}

fn cylinders_of<'a>(pair: &Pair<'a>) -> [&'a Cylinder; 2] {
    [pair.a, pair.b].map(|shape| match shape {
        Shape::Cylinder(cylinder) => cylinder,
        _ => unreachable!("the dispatch table pairs cylinders with cylinders"),
    })
}

fn cylinder_pair(pair: &Pair) -> CylinderPair {
    CylinderPair::new(cylinders_of(pair), pair.offset, [pair.orientation_a, pair.orientation_b])
}
