//! The outside of a closed convex mesh, compared with the convex body that it bounds: the contacts
//! are as deep as the bodies overlap, and no deeper. `GRANUM_PAIRS=1000000` sets the number of pairs.

use glam::{DQuat, DVec3};
use granum_geometry::random::Random;
use granum_geometry::shape::{
    Box, Capsule, Cylinder, Ellipsoid, Polyhedron, Sphere, Superellipsoid, Surface, Tablet, TruncatedCone, rock,
};
use granum_geometry::surface::TriangleMesh;
use granum_geometry::surface::generate::BoxSurface;
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};

fn count(default: usize) -> usize {
    std::env::var("GRANUM_PAIRS").ok().and_then(|n| n.parse().ok()).map_or(default, |pairs: usize| pairs / 18)
}

/// Shapes of about the size of the body that they meet, or smaller by a factor.
fn shapes(scale: f64) -> Vec<(&'static str, Shape)> {
    let axes = scale * DVec3::new(0.5, 0.4, 0.3);
    let corners = rock([1.0, 0.9, 0.8], 24.0, 3.0).expect("a rock").into_iter().map(|x| scale * x).collect();
    vec![
        ("sphere", Sphere { radius: 0.4 * scale }.into()),
        ("ellipsoid", Ellipsoid { semi_axes: axes }.into()),
        ("superellipsoid", Superellipsoid { semi_axes: axes, eps: [0.8, 1.2] }.into()),
        ("flat superellipsoid", Superellipsoid { semi_axes: axes, eps: [0.1, 0.1] }.into()),
        ("cylinder", Cylinder { radius: 0.4 * scale, half_height: 0.4 * scale }.into()),
        ("capsule", Capsule { radius: 0.25 * scale, half_height: 0.3 * scale }.into()),
        ("cone", TruncatedCone { radii: [0.4 * scale, 0.2 * scale], half_height: 0.3 * scale }.into()),
        ("tablet", Tablet { radius: 0.4 * scale, cap_height: 0.1 * scale, half_height: 0.1 * scale }.into()),
        ("box", Box { half_sizes: axes }.into()),
        ("rock", Polyhedron::new(corners).expect("a rock").into()),
    ]
}

/// The outside of a box about the origin.
fn block(half_sizes: DVec3) -> Shape {
    let mesh = BoxSurface { size: (2.0 * half_sizes).to_array(), lid: true }.mesh().expect("a box").reversed();
    let centred = mesh.vertices().iter().map(|vertex| *vertex - half_sizes.z * DVec3::Z).collect();
    let mesh = TriangleMesh::new(centred, mesh.triangles().to_vec()).expect("a box");
    Surface::new(mesh, false).expect("a surface").into()
}

/// A rotation that is often that of the block, or nearly so.
fn rotation(random: &mut Random) -> DQuat {
    let quarter = std::f64::consts::FRAC_PI_2 * random.index(4) as f64;
    let tilt = random.in_cube();
    match random.index(4) {
        0 => DQuat::from_rotation_x(quarter),
        1 => DQuat::from_rotation_y(quarter) * DQuat::from_scaled_axis(1e-3 * tilt),
        2 => DQuat::from_rotation_z(quarter) * DQuat::from_scaled_axis(0.1 * tilt),
        _ => random.rotation(),
    }
}

#[test]
fn a_closed_box_of_triangles_is_met_as_deep_as_the_box_that_it_bounds() {
    let mut random = Random::new(5);
    let half_sizes = DVec3::new(0.5, 0.4, 0.3);
    let (surface, body): (Shape, Shape) = (block(half_sizes), Box { half_sizes }.into());
    let contacts = |wall: &Shape, shape: &Shape, pose: &Pose, margin: f64| {
        let mut manifold = Manifold::default();
        collide(Measure::Depth, &Pair { margin, ..Pair::new(wall, &Pose::IDENTITY, shape, pose) }, &mut manifold);
        manifold
    };
    let (mut pairs, mut shallow, mut deep, mut missed) = (0, 0, 0, 0);
    for round in 0..count(2000) {
        for (name, shape) in shapes([1.0, 0.2][round % 2]) {
            let orientation = rotation(&mut random);
            let mut pose = Pose { position: 1.5 * random.in_cube(), orientation };
            let Some(&nearest) = contacts(&body, &shape, &pose, f64::INFINITY).deepest() else { continue };
            let depth = random.log_range(1e-6, 1e-3);
            if nearest.gap < 0.0 {
                continue;
            }
            pose.position -= (nearest.gap + depth) * nearest.normal;
            let exact = contacts(&body, &shape, &pose, f64::INFINITY).deepest().expect("unlimited").gap;
            if exact > -1e-7 {
                continue;
            }
            pairs += 1;
            let found = contacts(&surface, &shape, &pose, 0.0);
            let gap = found.points().iter().map(|point| point.gap).fold(f64::INFINITY, f64::min);
            let context = || format!("{name}: {gap:e}, {exact:e} {shape:?} {pose:?} {:?}", found.points());
            if gap == f64::INFINITY {
                missed += 1;
                println!("missed {}", context());
            } else if gap < 3.0 * exact - 1e-9 {
                deep += 1;
                println!("too deep {}", context());
            } else if gap > 0.3 * exact + 1e-9 {
                shallow += 1;
            }
        }
    }
    println!("{pairs} pairs: {missed} missed, {deep} too deep, {shallow} too shallow");
    // The polygon in the place of a rounded face may lie above its lowest point.
    assert_eq!((missed, deep), (0, 0), "of {pairs} pairs");
    assert!(shallow <= pairs / 500, "{shallow} of {pairs}");
}
