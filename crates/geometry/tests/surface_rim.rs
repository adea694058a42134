//! Grains at the open rim of a plate with one side: the depth is that along the normal.

use glam::DVec3;
use granum_geometry::random::Random;
use granum_geometry::shape::{Capsule, Cylinder, Ellipsoid, Sphere, Superellipsoid, Surface};
use granum_geometry::surface::generate::Plate;
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};

/// Half the width of the plate, m: its rim is the line x = RIM, z = 0.
const RIM: f64 = 4.0;
/// Depth of the grains behind the plane x = RIM, m.
const DEPTH: f64 = 0.02;
/// Step of the finite differences, m.
const STEP: f64 = 1e-6;
/// Largest error of a slope of round shapes, and of those with straight lines or flat faces. Lines
/// and faces that are nearly parallel to the plane of a contact act in their lowest points, and the
/// rim of a cylinder acts as a polygon.
const SLOPE: f64 = 1e-3;
const SLOPE_OF_FACES: f64 = 2e-2;

fn contacts(plate: &Shape, shape: &Shape, pose: &Pose) -> Manifold {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &Pair::new(plate, &Pose::IDENTITY, shape, pose), &mut manifold);
    manifold
}

#[test]
fn the_depth_at_an_open_rim_grows_along_the_normal() {
    let plate = Plate { size: [2.0 * RIM; 2], cells: [2; 2] }.mesh().expect("a plate");
    let plate: Shape = Surface::new(plate, false).expect("a surface").into();
    let axes = DVec3::new(0.8, 0.6, 0.45);
    let shapes: [(&str, Shape); 5] = [
        ("sphere", Sphere { radius: 0.8 }.into()),
        ("ellipsoid", Ellipsoid { semi_axes: axes }.into()),
        ("superellipsoid", Superellipsoid { semi_axes: axes, eps: [0.8, 1.2] }.into()),
        ("capsule", Capsule { radius: 0.4, half_height: 0.5 }.into()),
        ("cylinder", Cylinder { radius: 0.7, half_height: 0.6 }.into()),
    ];
    let mut random = Random::new(3);
    for (name, shape) in shapes {
        let limit = if matches!(name, "capsule" | "cylinder") { SLOPE_OF_FACES } else { SLOPE };
        let mut checked = 0;
        for _ in 0..400 {
            let mut pose = Pose { position: DVec3::ZERO, orientation: random.rotation() };
            let body = shape.as_convex();
            let support = pose.orientation * body.support(pose.orientation.conjugate() * DVec3::NEG_X);
            // The centre is in front of the plate. The point that is farthest along -x may be
            // behind it.
            let z = random.range(0.0, 0.5);
            pose.position = DVec3::new(RIM - DEPTH - support.x, random.range(-1.0, 1.0), z);
            let here = contacts(&plate, &shape, &pose);
            let Some(deepest) = here.deepest().filter(|point| point.gap < 0.0) else { continue };
            checked += 1;
            // Where another point becomes the deepest, the depth is smooth on one side only.
            let follows = |axis: &DVec3| {
                [STEP, -STEP].iter().any(|&step| {
                    let moved = Pose { position: pose.position + step * axis, ..pose };
                    let slope = contacts(&plate, &shape, &moved).deepest().map(|next| (next.gap - deepest.gap) / step);
                    slope.is_none_or(|slope| (slope - deepest.normal.dot(*axis)).abs() < limit)
                })
            };
            assert!(DVec3::AXES.iter().all(follows), "{name} at {pose:?}: {deepest:?}");
        }
        assert!(checked > 50, "{name}: {checked} contacts");
    }
}
