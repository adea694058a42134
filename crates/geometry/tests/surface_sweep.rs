//! Sweeps of grains over the features of a surface in small displacements: jumps of force and
//! energy of the contacts, with a linear force by depth. `GRANUM_SWEEP=10000` sets the number of displacements and adds
//! shapes with flat parts, which do have jumps at edges: they are printed.

use glam::{DQuat, DVec3};
use granum_geometry::random::Random;
use granum_geometry::shape::{
    Box, Capsule, Cylinder, Ellipsoid, Polyhedron, Sphere, Superellipsoid, Surface, TruncatedCone, rock,
};
use granum_geometry::surface::TriangleMesh;
use granum_geometry::surface::generate::{BoxSurface, CylinderSurface, Plate};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};

fn shapes() -> Vec<(&'static str, Shape)> {
    let axes = DVec3::new(0.5, 0.4, 0.3);
    vec![
        ("sphere", Sphere { radius: 0.4 }.into()),
        ("ellipsoid", Ellipsoid { semi_axes: axes }.into()),
        ("superellipsoid", Superellipsoid { semi_axes: axes, eps: [0.8, 1.2] }.into()),
        ("flat superellipsoid", Superellipsoid { semi_axes: axes, eps: [0.1, 0.1] }.into()),
        ("cylinder", Cylinder { radius: 0.4, half_height: 0.4 }.into()),
        ("capsule", Capsule { radius: 0.25, half_height: 0.3 }.into()),
        ("cone", TruncatedCone { radii: [0.4, 0.2], half_height: 0.3 }.into()),
        ("box", Box { half_sizes: axes }.into()),
        ("rock", Polyhedron::new(rock([1.0, 0.9, 0.8], 24.0, 3.0).expect("a rock")).expect("a rock").into()),
    ]
}

fn two_planes(slope: f64) -> TriangleMesh {
    // A ridge along y at x = 0: the left half is level, the right one has this slope.
    let v = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let vertices = vec![
        v(-3.0, -3.0, 0.0),
        v(0.0, -3.0, 0.0),
        v(3.0, -3.0, 3.0 * slope),
        v(-3.0, 3.0, 0.0),
        v(0.0, 3.0, 0.0),
        v(3.0, 3.0, 3.0 * slope),
    ];
    TriangleMesh::new(vertices, vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]).expect("a ridge")
}

fn surfaces() -> Vec<(&'static str, Shape)> {
    let one = |mesh: TriangleMesh| -> Shape { Surface::new(mesh, false).expect("a surface").into() };
    let block = BoxSurface { size: [4.0, 4.0, 2.0], lid: true }.mesh().expect("a box").reversed();
    let block = TriangleMesh::new(
        block.vertices().iter().map(|v| *v - DVec3::new(2.0, 0.0, 2.0)).collect(),
        block.triangles().to_vec(),
    );
    vec![
        ("ridge of 10 degrees", one(two_planes(-f64::to_radians(10.0).tan()))),
        ("ridge of 45 degrees", one(two_planes(-1.0))),
        ("ridge of 84 degrees", one(two_planes(-10.0))),
        ("valley of 1 degree", one(two_planes(f64::to_radians(1.0).tan()))),
        ("valley of 45 degrees", one(two_planes(1.0))),
        ("box from outside", one(block.expect("a box"))),
        ("thin plate", {
            let plate = Plate { size: [4.0, 4.0], cells: [2, 2] }.mesh().expect("a plate");
            let moved = plate.vertices().iter().map(|v| *v - DVec3::new(2.0, 0.0, 0.0)).collect();
            Surface::new(TriangleMesh::new(moved, plate.triangles().to_vec()).expect("a plate"), true)
                .expect("a surface")
                .into()
        }),
        ("drum of 200 facets", {
            let drum = CylinderSurface { radius: 2.0, length: 4.0, facets: 200, divisions: 1, ends: false };
            let drum = drum.mesh().expect("a drum");
            // The lowest line is the x-z plane at z = 0, along y.
            let turned = drum.vertices().iter().map(|v| DVec3::new(v.x, v.z, v.y + 2.0)).collect();
            one(TriangleMesh::new(turned, drum.triangles().to_vec()).expect("a drum").reversed())
        }),
    ]
}

/// Jumps along one sweep, relative to the largest force and energy.
#[derive(Default, Debug)]
struct Jumps {
    count: usize,
    /// The largest jump.
    force: f64,
    energy: f64,
    at: f64,
    from_to: [usize; 2],
    points: Vec<usize>,
}

/// Force and energy of the contacts at one pose.
#[derive(Clone, Copy, Debug)]
struct State {
    pose: Pose,
    force: DVec3,
    energy: f64,
    points: usize,
}

fn state(surface: &Shape, shape: &Shape, pose: Pose) -> State {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &Pair { margin: 0.0, ..Pair::new(surface, &Pose::IDENTITY, shape, &pose) }, &mut manifold);
    let (mut force, mut energy) = (DVec3::ZERO, 0.0);
    for point in manifold.points() {
        let overlap = (-point.gap).max(0.0);
        force += overlap * point.normal;
        energy += 0.5 * overlap * overlap;
    }
    State { pose, force, energy, points: manifold.points().len() }
}

/// Change of the energy between two poses that is not the work of the force.
fn mismatch(a: &State, b: &State) -> f64 {
    (b.energy - a.energy + 0.5 * (a.force + b.force).dot(b.pose.position - a.pose.position)).abs()
}

fn sweep(surface: &Shape, shape: &Shape, path: &[Pose], depth: f64) -> Jumps {
    let states: Vec<State> = path.iter().map(|pose| state(surface, shape, *pose)).collect();
    let scale = 0.5 * depth * depth;
    let mut jumps = Jumps::default();
    for (a, b) in states.iter().zip(&states[1..]) {
        if jumps.points.last() != Some(&b.points) {
            jumps.points.push(b.points);
        }
        if mismatch(a, b) < 1e-3 * scale {
            continue;
        }
        // A jump remains however close the two poses are.
        let (mut a, mut b) = (*a, *b);
        for _ in 0..30 {
            let position = a.pose.position.midpoint(b.pose.position);
            let middle = state(surface, shape, Pose { position, ..a.pose });
            if mismatch(&a, &middle) > mismatch(&middle, &b) { b = middle } else { a = middle }
        }
        let force = (b.force - a.force).length() / depth;
        let energy = (b.energy - a.energy) / scale;
        if force > 1e-3 {
            jumps.count += 1;
        }
        if force > jumps.force {
            jumps = Jumps { force, energy, at: a.pose.position.x, from_to: [a.points, b.points], ..jumps };
        }
    }
    jumps
}

fn touches(surface: &Shape, shape: &Shape, pose: &Pose) -> bool {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &Pair { margin: 0.0, ..Pair::new(surface, &Pose::IDENTITY, shape, pose) }, &mut manifold);
    manifold.points().iter().any(|point| point.gap < 0.0)
}

/// A path along x at `depth` below the height at which the grain touches the surface. It ends where
/// the grain falls off.
fn path(surface: &Shape, shape: &Shape, orientation: DQuat, depth: f64, count: usize) -> Vec<Pose> {
    let mut last = 1.0;
    let mut path = Vec::new();
    for k in 0..=count {
        let at = |z: f64| Pose { position: DVec3::new(-0.9 + 1.8 * k as f64 / count as f64, 0.13, z), orientation };
        let mut high: f64 = if k == 0 { 3.0 } else { last + 0.01 };
        while touches(surface, shape, &at(high)) {
            high += 0.01;
        }
        let mut low = high;
        while !touches(surface, shape, &at(low)) {
            low -= 0.01;
            if low < last - 0.1 && k > 0 || low < -0.5 {
                return path;
            }
        }
        high = high.min(low + 0.01);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if touches(surface, shape, &at(middle)) { low = middle } else { high = middle }
        }
        last = high;
        path.push(at(high - depth));
    }
    path
}

#[test]
fn force_and_energy_of_round_grains_have_no_jumps_over_edges() {
    let wanted: Option<usize> = std::env::var("GRANUM_SWEEP").ok().and_then(|n| n.parse().ok());
    let count = wanted.unwrap_or(200);
    for (name, surface) in surfaces() {
        let mut random = Random::new(4);
        for (kind, shape) in shapes() {
            let is_round = ["sphere", "ellipsoid", "superellipsoid"].contains(&kind);
            if !is_round && wanted.is_none() {
                continue;
            }
            for (pose, orientation) in
                [("level", DQuat::IDENTITY), ("at 0.3 rad", DQuat::from_rotation_y(0.3)), ("random", random.rotation())]
            {
                let jumps = sweep(&surface, &shape, &path(&surface, &shape, orientation, 1e-3, count), 1e-3);
                println!(
                    "{name:22} {kind:20} {pose:10} {:3} jumps, force {:.1e}, energy {:+.1e}, at {:+.3}, points {:?}",
                    jumps.count, jumps.force, jumps.energy, jumps.at, jumps.from_to
                );
                assert!(jumps.count == 0 || !is_round, "{name} {kind} {pose}: {jumps:?}");
            }
        }
    }
}
