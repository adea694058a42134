//! The smooth overlap of a half-space with a capsule, a truncated cone, a box or a polyhedron.

use glam::{DMat3, DQuat, DVec3};

use super::cut_by_plane::{PlaneOverlap, SectionMoments, VolumeMoments, outer, smooth_overlap};
use super::polytope_on_plane::below_plane;
use super::revolution_on_plane::{BelowPlane, RevolutionOnPlane};
use super::{MeasureGradient, POINT_EXTENT, SmoothOverlap};
use crate::contact::cylinder::{axis_of, common_perpendicular};
use crate::contact::polytope::{Cuboid, Polytope};
use crate::numeric::math::tangent_frame;
use crate::{ContactPatch, Shape};

/// The factor of the smooth overlap of a capsule: a low cap of a ball has D = sqrt(8/3) times its
/// depth, and a capsule on its round end has the overlap of a ball, the depth. On its side it has
/// 1.11 times the depth.
const OF_CAP: f64 = 0.612_372_435_695_794_5;

/// Part of the product of the spreads along x and y that their correlation leaves, below which the
/// axes are oblique to a long region. The integrals then lose more than four of their 16 digits.
const OBLIQUE: f64 = 1e-4;

/// A body in the frame of the plane, whose origin is the foot of the body's centre.
struct Integrals {
    volume: VolumeMoments,
    section: SectionMoments,
    /// Origin of the integrals in the frame, m.
    origin: DVec3,
    /// Directions of x, y and z in world axes.
    axes: DMat3,
    /// Factor of the overlap.
    factor: f64,
    /// True if the patch is a line along y; false for a cap, whose patch has no extent.
    is_line: bool,
}

/// Returns the smooth overlap of a half-space, body a, and another body, whose centre is at
/// `height` over the plane with the outward unit normal `up`. Positions are from the foot of the
/// body's centre on the plane. `None` if the body is above the plane, if the overlap is of the size
/// of rounding, or if there is no such routine for the body.
pub(super) fn body_on_plane(body: &Shape, up: DVec3, height: f64, orientation: DQuat) -> Option<SmoothOverlap> {
    let integrals = match body {
        Shape::Capsule(shape) => {
            let (axes, tilt) = along_axis(up, orientation);
            of_revolution(RevolutionOnPlane::capsule(shape, height, tilt).below_plane(), axes, OF_CAP, true)
        }
        Shape::TruncatedCone(shape) => {
            let (axes, tilt) = along_axis(up, orientation);
            of_revolution(RevolutionOnPlane::cone(shape, height, tilt).below_plane(), axes, 1.0, false)
        }
        Shape::Box(shape) => of_polytope(&Cuboid(shape.half_sizes), up, height, orientation),
        Shape::Polyhedron(shape) => of_polytope(shape.hull(), up, height, orientation),
        _ => return None,
    };
    let Integrals { volume, section, origin, axes, factor, is_line } = integrals;
    let size = body.as_convex().bounding_radius();
    let PlaneOverlap { length, rate, point, centroid, spread } = smooth_overlap(&volume, &section, size)?;
    let point = axes * (point.extend(0.0) + origin);
    let patch = if is_line {
        // A cap of a ball rolls, and its region is as wide as long. Only what exceeds this width
        // resists rocking.
        let line = (spread.y_axis.y - spread.x_axis.x).max(0.0).sqrt().max(POINT_EXTENT * size);
        ContactPatch([line * axes.y_axis, DVec3::ZERO])
    } else {
        let in_world = axes * spread * axes.transpose();
        ContactPatch::of(in_world, up)
    };
    let overlap = SmoothOverlap {
        length: factor * length,
        centroid: axes * (centroid + origin),
        gradient: of_point(factor * rate, up, point),
        patch,
        evaluations: 1,
    };
    Some(if section.area > 0.0 { overlap } else { beyond_whole(overlap, body, up, height, orientation) })
}

/// The overlap of a body that lies below the plane as a whole: its second moments no longer change.
/// The depth of its highest point is added, so that the force still lifts the body and remains the
/// gradient of a continuous function.
fn beyond_whole(overlap: SmoothOverlap, body: &Shape, up: DVec3, height: f64, orientation: DQuat) -> SmoothOverlap {
    let highest = orientation * body.as_convex().support(orientation.inverse() * up);
    let depth = -(height + up.dot(highest));
    let point = highest - up.dot(highest) * up;
    SmoothOverlap { length: overlap.length + depth.max(0.0), gradient: of_point(1.0, up, point), ..overlap }
}

/// Returns the gradient of an overlap that grows by `rate` times the sinking of a point.
pub(super) fn of_point(rate: f64, up: DVec3, point: DVec3) -> MeasureGradient {
    let translation = rate * up;
    MeasureGradient { translation, rotation: point.cross(translation) }
}

/// Returns the axes of the frame of a body of revolution, and the sine and cosine of the angle of
/// its axis to the plane.
pub(super) fn along_axis(up: DVec3, orientation: DQuat) -> (DMat3, [f64; 2]) {
    // For an upright body every direction in the plane is across both axes.
    let axis = axis_of(orientation);
    let (across, inverse_length) = common_perpendicular(up, axis, || tangent_frame(up).0);
    let x = -inverse_length * across;
    let y = up.cross(x);
    // y is along the projection of the axis, so that a negative cosine is a rounding error.
    (DMat3::from_cols(x, y, up), [axis.dot(up), axis.dot(y).max(0.0)])
}

fn of_revolution(below: BelowPlane, axes: DMat3, factor: f64, is_line: bool) -> Integrals {
    let BelowPlane { volume, section, origin } = below;
    Integrals { volume, section, origin: DVec3::new(0.0, origin, 0.0), axes, factor, is_line }
}

fn of_polytope(polytope: &impl Polytope, up: DVec3, height: f64, orientation: DQuat) -> Integrals {
    let in_axes = |axes: DMat3| {
        let in_frame = axes.transpose() * DMat3::from_quat(orientation);
        let (volume, section, origin) = below_plane(polytope, &in_frame, DVec3::new(0.0, 0.0, height));
        Integrals { volume, section, origin, axes, factor: 1.0, is_line: false }
    };
    let (t, u) = tangent_frame(up);
    let integrals = in_axes(DMat3::from_cols(t, u, up));
    match along_needle(&integrals.volume) {
        Some(turn) => in_axes(integrals.axes * turn),
        None => integrals,
    }
}

/// Returns the rotation about z after which x is along a region that is much longer than wide and
/// oblique to the axes; `None` for other regions.
///
/// In oblique axes the width is a small difference of large moments, and rounding loses the square
/// of length over width. A rotation of the moments would keep their rounding errors, so that the
/// integrals are to be computed again.
fn along_needle(volume: &VolumeMoments) -> Option<DMat3> {
    let centroid = volume.first / volume.volume;
    let spread = volume.second * (1.0 / volume.volume) - outer(centroid);
    let (xx, xy, yy) = (spread.x_axis.x, spread.x_axis.y, spread.y_axis.y);
    if xx * yy - xy * xy >= OBLIQUE * xx * yy {
        return None;
    }
    // The matrix of a line has columns along the line.
    let along = DVec3::new(if xx > yy { xx } else { xy }, if xx > yy { xy } else { yy }, 0.0).try_normalize()?;
    Some(DMat3::from_cols(along, DVec3::Z.cross(along), DVec3::Z))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;
    use crate::contact::region::half_plane;
    use crate::random::Random;
    use crate::shape::{Box, Capsule, Cylinder, Polyhedron, TruncatedCone, rock};

    /// Returns the height of the centre of a body at which its lowest point has the given depth.
    fn dipped(body: &Shape, orientation: DQuat, up: DVec3, depth: f64) -> f64 {
        -(orientation * body.as_convex().support(orientation.inverse() * -up)).dot(up) - depth
    }

    /// Returns an orientation with the axis nearly across the plane, nearly along it, or random.
    fn random_orientation(rng: &mut Random, up: DVec3) -> DQuat {
        let tilt = DQuat::from_scaled_axis(rng.log_range(1e-11, 1.0) * rng.direction());
        match rng.index(4) {
            0 => tilt * DQuat::from_rotation_arc(DVec3::Z, up),
            1 => tilt * DQuat::from_rotation_arc(-DVec3::Z, up),
            2 => tilt * DQuat::from_rotation_arc(DVec3::X, up),
            _ => rng.rotation(),
        }
    }

    /// Largest relative difference between a cone of equal radii and a cylinder: the sum of the
    /// quadrature errors of both.
    const OF_QUADRATURE: f64 = 1e-6;

    #[test]
    fn a_cone_of_equal_radii_is_a_cylinder() {
        let mut rng = Random::new(81);
        let mut worst = 0f64;
        for _ in 0..10_000 {
            let (radius, half_height) = (rng.log_range(0.1, 1.0), rng.log_range(0.1, 1.0));
            let cylinder = Cylinder { radius, half_height };
            let cone = TruncatedCone { radii: [radius; 2], half_height }.into();
            let up = rng.direction();
            let orientation = random_orientation(&mut rng, up);
            let depth = radius.min(half_height) * rng.log_range(1e-6, 0.5);
            let height = dipped(&cone, orientation, up, depth);
            let found = body_on_plane(&cone, up, height, orientation).expect("an overlap");
            let exact = half_plane::smooth_overlap_on_plane(&cylinder, up, height, orientation).expect("an overlap");
            let rate = exact.gradient.translation.length();
            let errors = [
                found.length / exact.length - 1.0,
                (found.gradient.translation - exact.gradient.translation).length() / rate,
                (found.gradient.rotation - exact.gradient.rotation).length() / rate,
                found.patch.square() / exact.patch.square() - 1.0,
            ];
            worst = errors.into_iter().map(f64::abs).fold(worst, f64::max);
        }
        assert!(worst < OF_QUADRATURE, "{worst:e}");
    }

    /// Returns a polyhedron with the corners of a surface of revolution: rings of the given radii
    /// and heights.
    fn of_rings(rings: &[[f64; 2]], sectors: usize) -> Polyhedron {
        let ring = |&[radius, z]: &[f64; 2]| {
            (0..sectors).map(move |k| {
                let (sin, cos) = (2.0 * PI * k as f64 / sectors as f64).sin_cos();
                DVec3::new(radius * cos, radius * sin, z)
            })
        };
        Polyhedron::new(rings.iter().flat_map(ring).collect()).expect("a polyhedron")
    }

    #[test]
    fn capsules_and_cones_are_limits_of_polyhedra() {
        let (radius, half_height) = (0.4, 0.5);
        let frustum = TruncatedCone { radii: [0.5, 0.2], half_height: 0.4 };
        let [low, high] = frustum.heights();
        let quarter = (0..24).map(|k| {
            let (sin, cos) = (FRAC_PI_2 * (f64::from(k) + 0.01) / 24.0).sin_cos();
            [radius * cos, half_height + radius * sin]
        });
        let rings: Vec<_> = quarter.flat_map(|[r, z]| [[r, z], [r, -z]]).collect();
        let pairs = [
            (Capsule { radius, half_height }.into(), of_rings(&rings, 100), OF_CAP),
            (frustum.into(), of_rings(&[[0.5, low], [0.2, high]], 200), 1.0),
        ];
        let (mut rng, mut compared) = (Random::new(82), 0);
        for (body, polyhedron, factor) in pairs {
            let body: Shape = body;
            for k in 0..200 {
                let up = rng.direction();
                let orientation = random_orientation(&mut rng, up);
                let depth = if k % 2 == 0 { rng.range(0.2, 0.6) } else { rng.range(0.1, 1.5) };
                let height = dipped(&body, orientation, up, depth);
                let found = body_on_plane(&body, up, height, orientation).expect("an overlap");
                let Integrals { volume, section, .. } = of_polytope(polyhedron.hull(), up, height, orientation);
                if section.area == 0.0 {
                    continue;
                }
                let other = smooth_overlap(&volume, &section, 1.0).expect("an overlap");
                compared += 1;
                let error = (found.length / (factor * other.length) - 1.0).abs();
                let rate = found.gradient.translation.length() / factor - other.rate;
                assert!(error < 2e-3 && rate.abs() < 1e-2, "{body:?} {depth}: {found:?} {other:?}");
            }
        }
        assert!(compared > 300, "{compared}");
    }

    #[test]
    fn a_box_on_its_face_and_on_an_edge_has_closed_forms() {
        let half = DVec3::new(0.5, 0.3, 0.2);
        let body = Box { half_sizes: half }.into();
        for depth in [1e-9, 1e-3, 0.1, 0.39] {
            let found = body_on_plane(&body, DVec3::Z, half.z - depth, DQuat::IDENTITY).expect("an overlap");
            let sizes = DVec3::new(1.0, 0.6, depth);
            let exact = 2.0 / (1.0 / (sizes * sizes)).element_sum().sqrt();
            assert!((found.length / exact - 1.0).abs() < 1e-7, "{depth}: {} {exact}", found.length);
            let rate = 2.0 * (0.5 * exact / depth).powi(3);
            assert!((found.gradient.translation - rate * DVec3::Z).length() < 1e-6, "{depth}: {found:?}");
        }
        // On an edge along y: a triangular prism with the height 0.05.
        let turn = DQuat::from_rotation_y(0.25 * PI);
        let height = dipped(&body, turn, DVec3::Z, 0.05);
        let found = body_on_plane(&body, DVec3::Z, height, turn).expect("an overlap");
        let exact = (48.0 / (24.0 / 0.1f64.powi(2) + 18.0 / 0.05f64.powi(2) + 12.0 / 0.36)).sqrt();
        assert!((found.length / exact - 1.0).abs() < 1e-12, "{} {exact}", found.length);
    }

    #[test]
    fn an_edge_that_enters_a_plane_slightly_has_its_closed_form_in_any_direction() {
        let body = Box { half_sizes: DVec3::new(0.5, 0.3, 0.2) }.into();
        let depth = 1e-6;
        let edge = DQuat::from_rotation_y(0.25 * PI);
        let height = dipped(&body, edge, DVec3::Z, depth);
        let exact = (48.0 / (24.0 / (2.0 * depth).powi(2) + 18.0 / depth.powi(2) + 12.0 / 0.36)).sqrt();
        let expected = body_on_plane(&body, DVec3::Z, height, edge).expect("an overlap");
        let mut rng = Random::new(84);
        for _ in 0..100 {
            let turn = rng.rotation();
            let found = body_on_plane(&body, turn * DVec3::Z, height, turn * edge).expect("an overlap");
            // Heights are exact to 1e-16, 1e-10 of the depth.
            assert!((found.length / exact - 1.0).abs() < 1e-9, "{} {exact}", found.length);
            let arm = turn.inverse() * found.gradient.rotation - expected.gradient.rotation;
            assert!(arm.length() < 1e-9, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn a_capsule_on_its_end_has_the_overlap_of_a_ball() {
        let body = Capsule { radius: 0.4, half_height: 0.5 }.into();
        for depth in [1e-10, 1e-6, 1e-3] {
            let turn = DQuat::from_rotation_x(0.7);
            let height = dipped(&body, turn, DVec3::Z, depth);
            let found = body_on_plane(&body, DVec3::Z, height, turn).expect("an overlap");
            // The finite width of the cap lowers it by 2 d/15 r.
            assert!((found.length / (depth * (1.0 - depth / 3.0)) - 1.0).abs() < 1e-5, "{depth:e} {}", found.length);
            assert!(found.patch.square() < 1e-17);
        }
    }

    #[test]
    fn a_body_below_the_plane_is_lifted() {
        for body in [
            Capsule { radius: 0.4, half_height: 0.5 }.into(),
            TruncatedCone { radii: [0.5, 0.2], half_height: 0.4 }.into(),
            Shape::from(Box { half_sizes: DVec3::new(0.5, 0.3, 0.2) }),
        ] {
            let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -0.8, 0.5));
            let lowest = dipped(&body, turn, DVec3::Z, 0.0);
            let length = |height: f64| body_on_plane(&body, DVec3::Z, height, turn).expect("an overlap").length;
            // At this height the highest point is in the plane. The overlap is continuous there,
            // and its rate is one below.
            let below = -(turn * body.as_convex().support(turn.inverse() * DVec3::Z)).z;
            assert!(below < lowest);
            assert!((length(below + 1e-9) - length(below - 1e-9)).abs() < 1e-8);
            assert!((length(below - 0.3) - length(below - 0.1) - 0.2).abs() < 1e-12);
        }
    }

    /// Step of the differences, relative to the overlap.
    const STEP: f64 = 1e-4;

    /// Largest difference of a derivative and its finite difference, in 99 % of the cases and in
    /// all.
    const SLOPE: f64 = 1e-6;
    const SLOPE_AT_WORST: f64 = 1e-4;

    fn random_body(rng: &mut Random, kind: usize) -> Shape {
        let length = |rng: &mut Random| rng.log_range(0.1, 1.0);
        match kind {
            0 => Capsule { radius: length(rng), half_height: length(rng) }.into(),
            1 => TruncatedCone { radii: [length(rng), length(rng)], half_height: length(rng) }.into(),
            2 => TruncatedCone { radii: [0.0, length(rng)], half_height: length(rng) }.into(),
            3 => Box { half_sizes: DVec3::new(length(rng), length(rng), length(rng)) }.into(),
            _ => {
                let (corners, seed) = (8.0 + rng.index(40) as f64, rng.index(1000) as f64);
                let lengths = [0; 3].map(|_| rng.range(0.5, 1.0));
                Polyhedron::new(rock(lengths, corners, seed).expect("a rock")).expect("a polyhedron").into()
            }
        }
    }

    #[test]
    fn the_gradient_is_the_derivative_of_the_overlap() {
        let mut rng = Random::new(83);
        // Rates of capsules, truncated cones, full cones with a tip, boxes and rocks.
        let bounds = [[0.7, 1.2], [0.3, 2.0], [0.1, 2.0], [1.0, 2.0], [0.8, 2.0]];
        for (kind, bounds) in bounds.into_iter().enumerate() {
            let mut errors = Vec::new();
            for k in 0..2_000 {
                let body = random_body(&mut rng, kind);
                let up = rng.direction();
                let orientation = random_orientation(&mut rng, up);
                let size = body.as_convex().bounding_radius();
                let is_deep = k % 4 == 0;
                let depth = size * if is_deep { rng.range(0.1, 0.4) } else { rng.log_range(1e-5, 0.1) };
                let at =
                    |height: f64, orientation| body_on_plane(&body, up, height, orientation).map(|found| found.length);
                let height = dipped(&body, orientation, up, depth);
                let found = body_on_plane(&body, up, height, orientation).expect("an overlap");
                let highest = orientation * body.as_convex().support(orientation.inverse() * up);
                if height + highest.dot(up) < 0.1 * size {
                    continue;
                }
                let step = STEP * found.length.min(0.1 * size);
                let MeasureGradient { translation, rotation } = found.gradient;
                let slope = |[plus, minus]: [Option<f64>; 2]| {
                    (plus.expect("an overlap") - minus.expect("an overlap")) / (2.0 * step)
                };
                let sinking = slope([-step, step].map(|step| at(height + step, orientation)));
                let mut worst = (sinking - translation.dot(up)).abs();
                for axis in DVec3::AXES {
                    let angles = [step / size, -step / size];
                    let turning =
                        slope(angles.map(|angle| at(height, DQuat::from_scaled_axis(angle * axis) * orientation)));
                    // A rotation of the body about its centre is one of the plane about the foot.
                    worst = worst.max((turning + rotation.dot(axis) / size).abs());
                }
                errors.push(worst);
                let rate = translation.length();
                assert!(is_deep || rate > bounds[0] && rate < bounds[1], "{rate} {body:?}");
            }
            errors.sort_by(f64::total_cmp);
            let [nearly_all, worst] = [errors.len() * 99 / 100, errors.len() - 1].map(|k| errors[k]);
            eprintln!("{kind}: {} slopes to {nearly_all:.1e} (99 %), {worst:.1e} (worst)", errors.len());
            assert!(
                errors.len() > 1_500 && nearly_all < SLOPE && worst < SLOPE_AT_WORST,
                "{kind}: {nearly_all:e} {worst:e}"
            );
        }
    }
}
