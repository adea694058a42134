//! Contact points of two bodies from their overlap region: the measures `volume` and `moments`.
//!
//! A pair has one contact point with a generalised overlap, a smooth function of the poses: V/A or
//! D. Force and torque are the derivatives of its energy, so that an elastic contact conserves
//! energy for all features. The gap Jacobian of the point contains these derivatives. See
//! `docs/adr/0008-contact-by-volume.md` and `docs/adr/0010-smooth-overlap.md`.

use glam::DVec3;

use super::polytope_overlap::smooth_overlap as smooth_overlap_of_polytopes;
use super::slices::SliceCount;
use super::{MeasureGradient, OverlapRegion, SmoothOverlap, region_of_polygons, region_of_polytopes};
use crate::contact::cylinder::CylinderPair;
use crate::contact::point::GAP_NOT_COMPUTED;
use crate::contact::polytope::{Cuboid, Polytope, PolytopePair};
use crate::contact::table::PairTable;
use crate::shape::Cylinder;
use crate::{ContactPatch, ContactPoint, GapJacobian, GeneralisedOverlap, Manifold, Measure, Pair, Shape};

/// Returns the contact point of a generalised overlap from its value, m, and its gradient.
///
/// The force acts at the point of its line of action that is nearest to `near`, the centroid of the
/// overlap region. `near` is relative to the centre of a, m. `curvature` is the sum of the mean
/// curvatures of both surfaces, 1/m.
pub(super) fn point_of(value: f64, gradient: MeasureGradient, near: DVec3, curvature: f64) -> ContactPoint {
    // At a point of the line of action the wrench is a force along the normal and a torque about
    // it. Both are determined by the length of the gradient and the pitch.
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

/// Returns the contact point of a smooth overlap of body b with a solid that is fixed to body a. The
/// overlap is in the axes of a, from the centre of b.
pub(in crate::contact) fn point_of_solid(
    overlap: SmoothOverlap,
    gap: f64,
    curvature: f64,
    feature: u32,
    pair: &Pair,
) -> ContactPoint {
    let overlap = overlap.rotated(pair.orientation_a);
    let point = point_of(overlap.length, overlap.gradient, overlap.centroid, curvature);
    with_patch(ContactPoint { arm: point.arm + pair.offset, gap, feature, ..point }, overlap.patch)
}

/// Adds the contact point of the overlap V/A, with a constant area A of the pair, m².
fn point_of_volume(shared: &OverlapRegion, area: f64, curvature: f64, manifold: &mut Manifold) {
    let MeasureGradient { translation, rotation } = shared.gradient;
    let gradient = MeasureGradient { translation: translation / area, rotation: rotation / area };
    manifold.push(point_of(shared.volume / area, gradient, shared.centroid, curvature));
}

/// Adds the contact of separated bodies, from the routine for the depth. The law needs their
/// distance to find the time at which the contact ended.
fn apart_by_depth(pair: &Pair, manifold: &mut Manifold) {
    let mut apart = Manifold::default();
    PairTable::standard().collide(Measure::Depth, pair, &mut apart);
    manifold.apart = apart.apart;
    if let Some(&point) = apart.deepest() {
        // Bodies without an overlap region touch at most, so that a negative gap is a rounding
        // error. The feature is that of the overlap region, which keeps the contact history.
        manifold.push(ContactPoint { gap: point.gap.max(0.0), feature: 0, ..point });
    }
}

/// Adds the contact of two boxes or polyhedra by volume. A is the smaller of their largest
/// projected areas along the body axes. For a box this is its largest face.
pub(in crate::contact) fn volume_of_polytopes(pair: &Pair, manifold: &mut Manifold) {
    let projected_area = |shape: &Shape| match shape {
        Shape::Box(shape) => Cuboid(shape.half_sizes).largest_projected_area(),
        Shape::Polyhedron(shape) => shape.hull().largest_projected_area(),
        _ => unreachable!("the pair table calls this for polytopes"),
    };
    volume_over_area(pair, region_of_polytopes(pair), projected_area, manifold);
}

/// Adds the contact of two boxes or polyhedra by second moments.
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
    // The region of a slight overlap can be empty to rounding. Such bodies touch.
    let overlap = if gap < 0.0 { smooth_overlap_of_polytopes(&placed, n) } else { None };
    let Some(region) = overlap else { return apart_by_depth(pair, manifold) };
    let region = region.rotated(pair.orientation_a);
    // Bodies of one shape have the same curvature. Its computation needs a cube root for a box.
    let curvature_a = pair.a.as_convex().curvature(DVec3::Z);
    let curvature_b = if std::ptr::eq(pair.a, pair.b) { curvature_a } else { pair.b.as_convex().curvature(DVec3::Z) };
    let point = point_of(region.length, region.gradient, region.centroid, curvature_a + curvature_b);
    manifold.push(with_patch(point, region.patch));
}

/// Adds the contact of two polygons by volume. A is the smaller of their longest edges, times one
/// metre of thickness.
pub(in crate::contact) fn volume_of_polygons(pair: &Pair, manifold: &mut Manifold) {
    let longest_edge = |shape: &Shape| match shape {
        Shape::Polygon(shape) => shape.longest_edge(),
        _ => unreachable!("the pair table calls this for polygons"),
    };
    volume_over_area(pair, region_of_polygons(pair), longest_edge, manifold);
}

/// Adds the contact of the overlap V/A. A is the smaller area of the two bodies, m². Bodies without
/// an overlap region have a contact with their distance.
fn volume_over_area(pair: &Pair, region: Option<OverlapRegion>, area: impl Fn(&Shape) -> f64, manifold: &mut Manifold) {
    let Some(shared) = region else { return apart_by_depth(pair, manifold) };
    let curvature = [pair.a, pair.b].map(|shape| shape.as_convex().curvature(shared.gradient.normal()));
    point_of_volume(&shared, area(pair.a).min(area(pair.b)), curvature[0] + curvature[1], manifold);
}

/// Adds the contact of separated cylinders with their exact distance, from which the law finds the
/// time at which the contact ended.
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

/// Adds the contact of two cylinders by volume. A is the largest section of the smaller body. Thus
/// the overlap of two faces is their depth, and no contact is stiffer than that of two faces.
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

/// Adds the contact of two cylinders by second moments.
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
        _ => unreachable!("the pair table calls this for cylinders"),
    })
}

fn cylinder_pair(pair: &Pair) -> CylinderPair {
    CylinderPair::new(cylinders_of(pair), pair.offset, [pair.orientation_a, pair.orientation_b])
}
