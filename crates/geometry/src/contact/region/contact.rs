//! Contact by the region that two bodies share, for pairs that know it: one point whose gap is a
//! function of the region.
//!
//! A law that is elastic in such a gap conserves energy whatever features meet: force and moment
//! are the derivatives of one function of the poses. The gap moves with the bodies as the
//! manifold's jacobian says. See `docs/adr/0008-contact-by-volume.md` and
//! `docs/adr/0010-smooth-overlap.md`.

use glam::DVec3;

use super::polytope_overlap::smooth_overlap as smooth_overlap_of_polytopes;
use super::slices::SliceCount;
use super::{MeasureGradient, OverlapRegion, region_of_polygons, region_of_polytopes};
use crate::contact::cylinder::CylinderPair;
use crate::contact::point::GAP_NOT_COMPUTED;
use crate::contact::polytope::{Cuboid, Polytope, PolytopePair};
use crate::contact::table::PairTable;
use crate::shape::Cylinder;
use crate::{ContactPatch, ContactPoint, GapJacobian, GeneralisedOverlap, Manifold, Measure, Pair, Shape};

/// Returns the contact point of a generalised overlap, m, with its gradient. The gradient and the
/// point `near`, next to which the force acts, are relative to the centre of a.
pub(super) fn point_of(value: f64, gradient: MeasureGradient, near: DVec3, curvature: f64) -> ContactPoint {
    let rate = gradient.translation.length();
    let (arm, normal) = (gradient.line_of_action(near), gradient.normal());
    let jacobian = GapJacobian { normal: rate, spin: gradient.pitch() * rate };
    let overlap = GeneralisedOverlap { value, jacobian, patch: ContactPatch::default() };
    ContactPoint { arm, normal, gap: GAP_NOT_COMPUTED, curvature, feature: 0, overlap: Some(overlap) }
}

/// Sets the patch of a generalised overlap.
pub(super) fn with_patch(point: ContactPoint, patch: ContactPatch) -> ContactPoint {
    ContactPoint { overlap: point.overlap.map(|overlap| GeneralisedOverlap { patch, ..overlap }), ..point }
}

/// The same for a volume over a constant area of the pair.
fn point_of_volume(shared: &OverlapRegion, area: f64, curvature: f64, manifold: &mut Manifold) {
    let MeasureGradient { translation, rotation } = shared.gradient;
    let gradient = MeasureGradient { translation: translation / area, rotation: rotation / area };
    manifold.push(point_of(shared.volume / area, gradient, shared.centroid, curvature));
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

/// Two boxes or polyhedra: A is the largest projected area of the smaller body along its axes, for
/// a box its largest face.
pub(in crate::contact) fn volume_of_polytopes(pair: &Pair, manifold: &mut Manifold) {
    let projected_area = |shape: &Shape| match shape {
        Shape::Box(shape) => Cuboid(shape.half_sizes).largest_projected_area(),
        Shape::Polyhedron(shape) => shape.hull().largest_projected_area(),
        _ => unreachable!("the pair table calls this for polytopes"),
    };
    volume_over_area(pair, region_of_polytopes(pair), projected_area, manifold);
}

/// Two boxes or polyhedra: the gap is minus their smooth overlap.
pub(in crate::contact) fn moments_of_polytopes(pair: &Pair, manifold: &mut Manifold) {
    match (pair.a, pair.b) {
        (Shape::Box(a), Shape::Box(b)) => {
            smooth_polytopes(&Cuboid(a.half_sizes), &Cuboid(b.half_sizes), pair, manifold)
        }
        (Shape::Box(a), Shape::Polyhedron(b)) => smooth_polytopes(&Cuboid(a.half_sizes), b.hull(), pair, manifold),
        (Shape::Polyhedron(a), Shape::Box(b)) => smooth_polytopes(a.hull(), &Cuboid(b.half_sizes), pair, manifold),
        (Shape::Polyhedron(a), Shape::Polyhedron(b)) => smooth_polytopes(a.hull(), b.hull(), pair, manifold),
        _ => unreachable!("the pair table calls this for polytopes"),
    }
}

fn smooth_polytopes<A: Polytope, B: Polytope>(a: &A, b: &B, pair: &Pair, manifold: &mut Manifold) {
    let Some(placed) = PolytopePair::near(a, b, pair) else { return };
    let (n, gap) = placed.probable_axis(pair);
    if gap > pair.margin {
        manifold.apart = Some(pair.orientation_a * n);
        return;
    }
    let overlap = if gap < 0.0 { smooth_overlap_of_polytopes(&placed, n) } else { None };
    let Some(region) = overlap else { return apart_by_depth(pair, manifold) };
    let region = region.rotated(pair.orientation_a);
    // Bodies of equal shape share the curvature, which costs a cube root for a box.
    let curvature_a = pair.a.as_convex().curvature(DVec3::Z);
    let curvature_b = if std::ptr::eq(pair.a, pair.b) { curvature_a } else { pair.b.as_convex().curvature(DVec3::Z) };
    let point = point_of(region.length, region.gradient, region.centroid, curvature_a + curvature_b);
    manifold.push(with_patch(point, region.patch));
}

/// Two polygons: A is the longest edge of the polygon where that is shorter, times a metre of
/// thickness.
pub(in crate::contact) fn volume_of_polygons(pair: &Pair, manifold: &mut Manifold) {
    let longest_edge = |shape: &Shape| match shape {
        Shape::Polygon(shape) => shape.longest_edge(),
        _ => unreachable!("the pair table calls this for polygons"),
    };
    volume_over_area(pair, region_of_polygons(pair), longest_edge, manifold);
}

/// Reports the volume of a region over the smaller of the two bodies' areas, m²; without a region,
/// the distance.
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
            overlap: None,
        });
    } else {
        manifold.apart = Some(cylinders.world(n));
    }
}

fn curvature(cylinders: &CylinderPair) -> f64 {
    1.0 / cylinders.r[0] + 1.0 / cylinders.r[1]
}

/// Two cylinders: the gap is `-V/A`, with A the largest section of the smaller body, so that the
/// overlap of two faces is their depth and no contact is stiffer than that of two faces.
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
    let point = point_of(region.length, region.gradient, region.centroid, curvature(&cylinders));
    manifold.push(with_patch(point, region.patch));
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
