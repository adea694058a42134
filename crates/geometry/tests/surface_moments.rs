//! The overlap of boxes and rocks with the solid behind a surface: equal to that of two polytopes
//! where the solid is convex, with derivatives equal to finite differences, and continuous along
//! random paths. `GRANUM_PAIRS=100000` sets the number of poses.

use glam::{DQuat, DVec3};
use granum_geometry::random::Random;
use granum_geometry::shape::{Box, Polyhedron, Surface, rock};
use granum_geometry::surface::TriangleMesh;
use granum_geometry::surface::generate::{BoxSurface, Stairs, Terrain};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};

fn count(default: usize) -> usize {
    std::env::var("GRANUM_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn contacts(measure: Measure, wall: &Shape, grain: &Shape, pose: &Pose) -> Manifold {
    let mut manifold = Manifold::default();
    collide(measure, &Pair { margin: 0.0, ..Pair::new(wall, &Pose::IDENTITY, grain, pose) }, &mut manifold);
    manifold
}

/// The energy of a linear law with the stiffness 2, and the force and torque that the contacts exert
/// on the grain, about its centre.
fn energy(wall: &Shape, grain: &Shape, pose: &Pose) -> (f64, DVec3, DVec3) {
    let (mut energy, mut force, mut torque) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for point in contacts(Measure::Moments, wall, grain, pose).points() {
        let overlap = point.law_overlap().max(0.0);
        let jacobian = point.jacobian();
        let push = 2.0 * overlap * jacobian.normal * point.normal;
        energy += overlap * overlap;
        force += push;
        torque += (point.arm - pose.position).cross(push) + 2.0 * overlap * jacobian.spin * point.normal;
    }
    (energy, force, torque)
}

fn grain(random: &mut Random, size: f64) -> Shape {
    if random.unit() < 0.5 {
        let mut half = || size * random.range(0.2, 0.6);
        return Box { half_sizes: DVec3::new(half(), half(), half()) }.into();
    }
    let corners = rock([1.1, 0.9, 0.8], 10.0 + random.index(15) as f64, random.index(1000) as f64).expect("a rock");
    Polyhedron::new(corners.into_iter().map(|corner| size * corner).collect()).expect("a rock").into()
}

/// A rotation that often lays flat faces onto those of a surface in the axes.
fn rotation(random: &mut Random) -> DQuat {
    let turn = DQuat::from_rotation_z(random.range(-3.0, 3.0));
    match random.index(4) {
        0 => DQuat::from_scaled_axis(1e-3 * random.in_cube()),
        1 => DQuat::from_scaled_axis(0.02 * random.in_cube()) * turn,
        _ => random.rotation(),
    }
}

/// Moves a grain towards a place on a wall until it overlaps by about a depth. Returns `None` if it
/// does not reach the wall.
fn touching(random: &mut Random, wall: &Shape, grain: &Shape, target: DVec3, from: DVec3, depth: f64) -> Option<Pose> {
    let orientation = rotation(random);
    let at = |t: f64| Pose { position: target + t * from, orientation };
    let touches = |t: f64| contacts(Measure::Depth, wall, grain, &at(t)).points().iter().any(|point| point.gap < 0.0);
    // The first contact on the way in.
    let (mut far, mut near) = (3.0, 3.0);
    while near > 0.0 && !touches(near) {
        far = near;
        near -= 0.05;
    }
    if near <= 0.0 || far == near {
        return None;
    }
    for _ in 0..40 {
        let middle = 0.5 * (far + near);
        if touches(middle) { near = middle } else { far = middle }
    }
    Some(at(near - depth))
}

fn block(half_sizes: DVec3) -> Shape {
    let mesh = BoxSurface { size: (2.0 * half_sizes).to_array(), lid: true }.mesh().expect("a box").reversed();
    let centred = mesh.vertices().iter().map(|vertex| *vertex - half_sizes.z * DVec3::Z).collect();
    let mesh = TriangleMesh::new(centred, mesh.triangles().to_vec()).expect("a box");
    Surface::new(mesh, false).expect("a surface").into()
}

/// The convex hull of points as a surface, and as a body.
fn hull(corners: Vec<DVec3>) -> (Shape, Shape) {
    let body = Shape::from(Polyhedron::new(corners).expect("a solid"));
    let Shape::Polyhedron(polyhedron) = &body else { unreachable!("it is a polyhedron") };
    let hull = polyhedron.hull();
    let mut triangles = Vec::new();
    for face in 0..hull.faces().len() {
        let ring = hull.ring(face);
        triangles.extend(ring.windows(2).skip(1).map(|edge| [ring[0], edge[0], edge[1]].map(u32::from)));
    }
    let mesh = TriangleMesh::new(hull.corners().to_vec(), triangles).expect("a mesh");
    (Surface::new(mesh, false).expect("a surface").into(), body)
}

/// Largest relative difference of overlaps with a mesh of a polytope and with the polytope.
const SAME: f64 = 1e-9;

#[test]
fn a_closed_convex_mesh_is_met_as_the_polytope_that_it_bounds() {
    let mut random = Random::new(11);
    let half = DVec3::new(0.5, 0.4, 0.3);
    let walls = [
        (block(half), Shape::from(Box { half_sizes: half })),
        hull(rock([1.2, 1.0, 0.9], 20.0, 5.0).expect("a rock")),
        hull(rock([1.2, 1.0, 0.9], 60.0, 7.0).expect("a rock")),
    ];
    let (mut compared, mut worst) = (0, 0f64);
    for round in 0..count(1_000) {
        let (mesh, body) = &walls[round % 3];
        let size = random.log_range(0.2, 1.5);
        let grain = grain(&mut random, size);
        let (from, target) = (random.direction(), 0.3 * random.in_cube());
        let depth = random.log_range(1e-6, 1e-2) * size;
        let Some(pose) = touching(&mut random, body, &grain, target, from, depth) else { continue };
        let expected = contacts(Measure::Moments, body, &grain, &pose);
        let found = contacts(Measure::Moments, mesh, &grain, &pose);
        let expected = expected.points()[0];
        if expected.law_overlap() < 1e-6 * size {
            continue;
        }
        compared += 1;
        let context = || format!("{round} {grain:?} {pose:?}\n{:?}\n{expected:?}", found.points());
        assert_eq!(found.points().len(), 1, "{}", context());
        let point = found.points()[0];
        let rounding = SAME + 1e-14 * size / expected.law_overlap();
        let error = (point.law_overlap() / expected.law_overlap() - 1.0).abs();
        worst = worst.max(error / rounding);
        assert!(error < rounding, "{error:e} {}", context());
        assert!((point.normal - expected.normal).length() < 1e-6, "{}", context());
        assert!((point.jacobian().normal - expected.jacobian().normal).abs() < 1e-6, "{}", context());
        assert!((point.jacobian().spin - expected.jacobian().spin).abs() < 1e-6 * size, "{}", context());
        let lever = (point.arm - expected.arm).cross(point.normal);
        assert!(lever.length() < 1e-6 * size, "{}", context());
        assert!((point.patch().square() / expected.patch().square() - 1.0).abs() < 1e-5, "{}", context());
    }
    println!("{compared} poses, worst {worst:e} of the tolerance");
    assert!(compared > count(1_000) / 2, "{compared}");
}

fn ridge() -> Shape {
    let v = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let first = [v(-0.3, -4.0, -3.0), v(0.0, -4.0, 0.0), v(0.2, -4.0, -3.0)];
    let all = first.iter().copied().chain(first.iter().map(|p| *p + v(0.0, 8.0, 0.0))).collect();
    let mesh = TriangleMesh::new(all, vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]).expect("a ridge");
    Surface::new(mesh, false).expect("a surface").into()
}

/// Surfaces with a direction out of the solid.
fn walls() -> Vec<(&'static str, DVec3, Shape)> {
    let hills = |seed, height| {
        let terrain = Terrain { size: [6.0; 2], cells: [20; 2], hills: 60, height, radius: 0.4, seed };
        let mesh = terrain.mesh().expect("a terrain");
        let centre = mesh.vertices().iter().sum::<DVec3>() / mesh.vertices().len() as f64;
        let vertices = mesh.vertices().iter().map(|vertex| *vertex - centre).collect();
        let mesh = TriangleMesh::new(vertices, mesh.triangles().to_vec()).expect("a terrain");
        Shape::from(Surface::new(mesh, false).expect("a surface"))
    };
    let stairs = Stairs { steps: 8, rise: 0.6, run: 0.8, width: 8.0 }.mesh().expect("stairs");
    let moved = stairs.vertices().iter().map(|vertex| *vertex - DVec3::new(3.2, 0.0, 2.4)).collect();
    let stairs = TriangleMesh::new(moved, stairs.triangles().to_vec()).expect("stairs");
    vec![
        ("box", DVec3::Z, block(DVec3::new(0.5, 0.4, 0.3))),
        ("ridge", DVec3::Z, ridge()),
        ("stairs", DVec3::new(-0.6, 0.0, 0.8), Surface::new(stairs, false).expect("a surface").into()),
        ("hills", DVec3::Z, hills(4, 1.0)),
        ("steep hills", DVec3::Z, hills(9, 3.0)),
    ]
}

/// Steps of a path.
const STEPS: usize = 200;

/// Error of the work of a step relative to the energy that counts as a jump. Gauss's rule has at most
/// a hundredth of it.
const JUMP: f64 = 1e-2;

#[test]
fn the_force_is_the_gradient_of_a_continuous_energy_at_edges_and_corners() {
    let mut random = Random::new(12);
    for (name, out, wall) in walls() {
        let (mut steps, mut jumps, mut several, mut worst) = (0, 0, 0, 0f64);
        for _ in 0..count(100) {
            let grain = grain(&mut random, 1.0);
            let mut from = random.direction();
            if from.dot(out) < 0.3 {
                from = (from + 2.0 * out).normalize();
            }
            let target = random.in_cube() * DVec3::new(1.0, 1.0, 0.2);
            let depth = random.log_range(1e-4, 1e-2);
            let Some(pose) = touching(&mut random, &wall, &grain, target, from, depth) else { continue };
            let (start, ..) = energy(&wall, &grain, &pose);
            // The grain may have come from behind.
            if start == 0.0 || start > 16.0 * depth * depth {
                continue;
            }
            several += usize::from(contacts(Measure::Moments, &wall, &grain, &pose).points().len() > 1);
            // A path of a few overlaps, as in an impact with a slide.
            let (along, about) = (5.0 * depth * random.in_cube(), 5.0 * depth * random.in_cube());
            let at = |t: f64| Pose {
                position: pose.position + t * along,
                orientation: DQuat::from_scaled_axis(t * about) * pose.orientation,
            };
            let rate = |t: f64| {
                let (_, force, torque) = energy(&wall, &grain, &at(t));
                -(force.dot(along) + torque.dot(about))
            };
            let step = 1.0 / STEPS as f64;
            let mut before = start;
            for k in 0..STEPS {
                let middle = (k as f64 + 0.5) * step;
                // Gauss's rule with two points, exact up to degree 3.
                let off = 0.5 * step / 3f64.sqrt();
                let work = 0.5 * step * (rate(middle - off) + rate(middle + off));
                let (after, ..) = energy(&wall, &grain, &at(middle + 0.5 * step));
                let error = (after - before - work).abs() / before.max(depth * depth);
                worst = worst.max(error);
                steps += 1;
                jumps += usize::from(error > JUMP);
                before = after;
            }
        }
        println!("{name}: {steps} steps, {several} paths from several points, worst {worst:.1e}, {jumps} jumps");
        // At a vertex with convex and concave edges the planes that act may change.
        let is_rough = name.ends_with("hills");
        let allowed = if is_rough { steps / 2_000 } else { 0 };
        assert!(steps > 20 * count(100) && jumps <= allowed, "{name}: {jumps} jumps in {steps} steps");
        assert!(is_rough || worst < 1e-3, "{name}: {worst:e}");
    }
}
