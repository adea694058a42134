//! A grain that meets a surface: the contacts appear at the first touch and deepen without jumps.
//! `GRANUM_PAIRS=1000` sets the number of approaches of each shape to each surface, and
//! `GRANUM_ONLY="hills, box"` selects pairs. `GRANUM_VERBOSE=1` prints the poses that fail.

mod support;

use glam::{DQuat, DVec3};
use granum_geometry::random::Random;
use granum_geometry::shape::{
    Box, Capsule, Cylinder, Ellipsoid, Polyhedron, Sphere, Superellipsoid, Surface, Tablet, TruncatedCone, rock,
};
use granum_geometry::surface::TriangleMesh;
use granum_geometry::surface::generate::{BoxSurface, Mixer, PerforatedPlate, RandomPlane, Screw, Stairs, Terrain};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};
use support::triangle::Triangle;

/// Distance before the first touch at which an approach ends, relative to the bounding radius.
const NEAR: f64 = 1e-6;

fn count(default: usize) -> usize {
    std::env::var("GRANUM_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Shapes with a bounding radius of about 1 m.
fn shapes() -> Vec<(&'static str, Shape)> {
    let axes = DVec3::new(0.8, 0.6, 0.45);
    vec![
        ("sphere", Sphere { radius: 0.8 }.into()),
        ("ellipsoid", Ellipsoid { semi_axes: axes }.into()),
        ("superellipsoid", Superellipsoid { semi_axes: axes, eps: [0.8, 1.2] }.into()),
        ("flat superellipsoid", Superellipsoid { semi_axes: axes, eps: [0.1, 0.1] }.into()),
        ("round tablet", Superellipsoid { semi_axes: DVec3::new(0.7, 0.7, 0.4), eps: [1.0, 0.3] }.into()),
        ("cylinder", Cylinder { radius: 0.7, half_height: 0.6 }.into()),
        ("capsule", Capsule { radius: 0.4, half_height: 0.5 }.into()),
        ("cone", TruncatedCone { radii: [0.7, 0.4], half_height: 0.5 }.into()),
        ("box", Box { half_sizes: axes }.into()),
        ("rock", Polyhedron::new(rock([1.8, 1.6, 1.4], 24.0, 3.0).expect("a rock")).expect("a rock").into()),
        ("tablet", Tablet { radius: 0.7, cap_height: 0.2, half_height: 0.2 }.into()),
    ]
}

/// Surfaces with features smaller than a grain and larger ones.
fn surfaces() -> Vec<(&'static str, TriangleMesh, bool)> {
    let hills =
        |cells, height, radius| Terrain { size: [12.0; 2], cells: [cells; 2], hills: 60, height, radius, seed: 4 };
    let screw = Screw {
        radius: 3.0,
        shaft_radius: 0.8,
        length: 6.0,
        pitch: 3.0,
        thickness: 0.3,
        facets: 24,
        left_handed: false,
    };
    let mixer = Mixer {
        radius: 4.0,
        shaft_radius: 0.6,
        length: 6.0,
        rows: 3,
        paddles: 2,
        width: 1.2,
        thickness: 0.3,
        angle: 0.7,
        facets: 16,
    };
    let plate = PerforatedPlate { holes: [3, 3], spacing: 3.0, hole: 1.5, square: false, thickness: 0.4, facets: 12 };
    vec![
        ("hills", hills(20, 2.0, 0.8).mesh().expect("hills"), false),
        ("fine hills", hills(60, 2.0, 0.8).mesh().expect("hills"), false),
        ("two-sided hills", hills(20, 2.0, 0.8).mesh().expect("hills"), true),
        ("stairs", Stairs { steps: 5, rise: 0.8, run: 1.2, width: 8.0 }.mesh().expect("stairs"), false),
        ("inside", BoxSurface { size: [4.0, 4.0, 4.0], lid: true }.mesh().expect("a box"), false),
        ("outside", BoxSurface { size: [2.0, 1.5, 1.0], lid: true }.mesh().expect("a box").reversed(), false),
        ("screw", screw.mesh().expect("a screw"), false),
        ("mixer", mixer.mesh().expect("a mixer"), false),
        ("perforated", plate.mesh().expect("a plate"), false),
        ("random plane", RandomPlane { size: [8.0; 2], points: 60, seed: 2 }.mesh().expect("a plane"), false),
    ]
}

/// A surface, and each of its triangles as a body.
struct Scene {
    mesh: TriangleMesh,
    surface: Shape,
    triangles: Vec<(Shape, Pose, f64)>,
}

impl Scene {
    fn new(mesh: TriangleMesh, is_two_sided: bool) -> Self {
        let body = |corners: [DVec3; 3]| {
            let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
            let radius = corners.into_iter().map(|corner| (corner - centre).length()).fold(0.0, f64::max);
            (
                Shape::from(Triangle(corners.map(|corner| corner - centre))),
                Pose { position: centre, ..Pose::IDENTITY },
                radius,
            )
        };
        let triangles = (0..mesh.triangles().len()).map(|k| body(mesh.corners(k))).collect();
        let surface = Surface::new(mesh.clone(), is_two_sided).expect("a surface").into();
        Self { mesh, surface, triangles }
    }

    /// Returns the distance, m, and the normal to the grain of the nearest triangle within `limit`.
    fn nearest(&self, shape: &Shape, pose: &Pose, limit: f64) -> Option<(f64, DVec3, usize)> {
        let radius = shape.as_convex().bounding_radius();
        let mut best: Option<(f64, DVec3, usize)> = None;
        for (number, (body, at, reach)) in self.triangles.iter().enumerate() {
            let known = best.map_or(limit, |(gap, ..)| gap);
            if (pose.position - at.position).length() > radius + reach + known {
                continue;
            }
            let mut manifold = Manifold::default();
            collide(Measure::Depth, &Pair { margin: known, ..Pair::new(body, at, shape, pose) }, &mut manifold);
            if let Some(point) = manifold.deepest()
                && point.gap < known
            {
                best = Some((point.gap, point.normal, number));
            }
        }
        best
    }

    fn contacts(&self, shape: &Shape, pose: &Pose, margin: f64) -> Manifold {
        let mut manifold = Manifold::default();
        collide(
            Measure::Depth,
            &Pair { margin, ..Pair::new(&self.surface, &Pose::IDENTITY, shape, pose) },
            &mut manifold,
        );
        manifold
    }

    /// Returns the largest overlap of the contacts that act, m; 0 if there is none.
    fn overlap(&self, shape: &Shape, pose: &Pose, margin: f64) -> f64 {
        self.contacts(shape, pose, margin).points().iter().map(|point| -point.gap).fold(0.0, f64::max)
    }

    /// Moves a grain along a random line until it is nearly in touch. Returns its pose, the gap and
    /// the normal.
    fn approach(&self, shape: &Shape, random: &mut Random) -> Option<(Pose, f64, DVec3)> {
        let radius = shape.as_convex().bounding_radius();
        let triangle = random.index(self.triangles.len());
        let [a, b, c] = self.mesh.corners(triangle);
        let (u, v) = (random.unit(), random.unit());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        let aim = a + u * (b - a) + v * (c - a);
        let normal = self.mesh.normal(triangle)?;
        let direction = (normal + 0.5 * random.in_cube()).normalize();
        let mut pose = Pose { position: aim + 1.3 * radius * direction, orientation: rotation(random, normal) };
        let (mut gap, mut way, nearest) = self.nearest(shape, &pose, 2.0 * radius)?;
        // The grain starts in front of the surface.
        let [a, ..] = self.mesh.corners(nearest);
        if gap <= 0.0 || self.mesh.normal(nearest)?.dot(pose.position - a) <= 0.0 {
            return None;
        }
        for _ in 0..200 {
            if gap < 1.01 * NEAR * radius {
                return Some((pose, gap, way));
            }
            pose.position -= (gap - NEAR * radius) * direction;
            (gap, way, _) = self.nearest(shape, &pose, 2.0 * radius)?;
        }
        None
    }
}

/// A rotation that sometimes lays flat parts onto a plane.
fn rotation(random: &mut Random, normal: DVec3) -> DQuat {
    let quarter = DQuat::from_rotation_x(0.5 * std::f64::consts::PI * random.index(4) as f64);
    let turn = DQuat::from_rotation_arc(DVec3::Z, normal) * DQuat::from_rotation_z(random.range(-3.0, 3.0));
    match random.index(6) {
        0 => turn * quarter,
        1 => turn * quarter * DQuat::from_scaled_axis(1e-3 * random.in_cube()),
        2 => turn * quarter * DQuat::from_scaled_axis(0.05 * random.in_cube()),
        _ => random.rotation(),
    }
}

/// Calls `f` for each pair of a surface and a shape that is selected.
fn for_each(mut f: impl FnMut(&str, &Scene, &Shape, u64)) {
    let only = std::env::var("GRANUM_ONLY").unwrap_or_default();
    let mut seed = 0;
    for (surface, mesh, is_two_sided) in surfaces() {
        let scene = Scene::new(mesh, is_two_sided);
        for (kind, shape) in shapes() {
            seed += 1;
            let name = format!("{surface}, {kind}");
            if name.contains(&only) {
                f(&name, &scene, &shape, seed);
            }
        }
    }
}

/// Counts of one pair of a surface and a shape, or of all.
#[derive(Default, Debug)]
struct Tally {
    approaches: usize,
    /// Before the first touch: gaps and normals that differ from those of the nearest triangle.
    wrong_gap: usize,
    wrong_normal: usize,
    /// Beyond it, for each depth: no overlap, more than the way, and less than 0.3 of it.
    missed: [usize; 5],
    too_deep: [usize; 5],
    shallow: [usize; 5],
    /// Largest overlap that is more than the way, relative to the way.
    deepest: f64,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.approaches += other.approaches;
        self.wrong_gap += other.wrong_gap;
        self.wrong_normal += other.wrong_normal;
        for k in 0..DEPTHS.len() {
            self.missed[k] += other.missed[k];
            self.too_deep[k] += other.too_deep[k];
            self.shallow[k] += other.shallow[k];
        }
        self.deepest = self.deepest.max(other.deepest);
    }
}

/// Depths beyond the first touch, relative to the bounding radius.
const DEPTHS: [f64; 5] = [1e-6, 1e-4, 1e-3, 1e-2, 3e-2];

#[test]
fn contacts_begin_at_the_first_touch() {
    let is_verbose = std::env::var("GRANUM_VERBOSE").is_ok();
    let mut total = Tally::default();
    for_each(|name, scene, shape, seed| {
        let mut random = Random::new(seed);
        let radius = shape.as_convex().bounding_radius();
        // The force on a nearly flat face acts at a point that does not jump, and not at the lowest one.
        let first = usize::from(name.contains("flat superellipsoid"));
        let mut tally = Tally::default();
        for _ in 0..count(10) {
            let Some((pose, gap, normal)) = scene.approach(shape, &mut random) else { continue };
            tally.approaches += 1;
            let say = |what: &str, pose: &Pose, depth: f64| {
                if is_verbose {
                    let found = scene.contacts(shape, pose, 0.0);
                    println!("  {name} {what}: depth {depth:e} along {normal}, {pose:?}, {:?}", found.points());
                }
            };
            let found = scene.contacts(shape, &pose, 10.0 * gap);
            match found.deepest() {
                Some(point) if (point.gap - gap).abs() < 1e-9 * radius => {
                    if (point.normal - normal).length() > 1e-2 {
                        tally.wrong_normal += 1;
                        say("wrong normal", &pose, -gap);
                    }
                }
                _ if first > 0 => (),
                _ => {
                    tally.wrong_gap += 1;
                    say("wrong gap", &pose, -gap);
                }
            }
            for (k, depth) in DEPTHS.into_iter().enumerate().skip(first) {
                let depth = depth * radius;
                let deeper = Pose { position: pose.position - (gap + depth) * normal, ..pose };
                let overlap = scene.overlap(shape, &deeper, 0.0);
                // A corner of a face is a little deeper along the normal of a region than along that of
                // an edge, which differ by less than the tilt of a face that rests on the region.
                if overlap > depth * 1.02 + 1e-9 * radius {
                    tally.too_deep[k] += 1;
                    tally.deepest = tally.deepest.max(overlap / depth);
                    say("too deep", &deeper, depth);
                } else if overlap == 0.0 {
                    tally.missed[k] += 1;
                    say("missed", &deeper, depth);
                } else if overlap < 0.3 * depth {
                    tally.shallow[k] += 1;
                    say("shallow", &deeper, depth);
                }
            }
        }
        let of_depths = [tally.missed, tally.too_deep, tally.shallow];
        if tally.wrong_gap + tally.wrong_normal + of_depths.into_iter().flatten().sum::<usize>() > 0 {
            println!("{name}: {tally:?}");
        }
        total.add(&tally);
    });
    println!("{total:?}");
    let sum = |counts: [usize; 5]| counts.into_iter().sum::<usize>();
    assert_eq!((total.wrong_gap, total.wrong_normal, sum(total.missed)), (0, 0, 0));
    // A way along the first normal need not be the shortest way out of a second feature.
    assert!(sum(total.too_deep) <= 1 + total.approaches / 500 && total.deepest < 1.5, "{total:?}");
    assert!(sum(total.shallow) <= 2 + total.approaches / 300, "{total:?}");
}

#[test]
fn the_overlap_changes_continuously_along_paths() {
    let is_verbose = std::env::var("GRANUM_VERBOSE").is_ok();
    let (mut steps, mut jumps, mut worst) = (0, 0, 0f64);
    let (mut differences, mut difference) = (0, 0f64);
    for_each(|name, scene, shape, seed| {
        let mut random = Random::new(1000 + seed);
        let radius = shape.as_convex().bounding_radius();
        let (mut of_pair, mut worst_of_pair) = (0, 0f64);
        for _ in 0..count(10) {
            let Some((mut pose, gap, normal)) = scene.approach(shape, &mut random) else { continue };
            pose.position -= (gap + 0.01 * radius) * normal;
            let step = 1e-3 * radius;
            let (along, turn) = (step * random.in_ball(), step / radius * random.in_ball());
            // No point of the grain moves farther. The overlap can change by this and not by more.
            let reach = along.length() + turn.length() * radius;
            let mut last = scene.overlap(shape, &pose, 0.0);
            for _ in 0..60 {
                let before = pose;
                pose.position += along;
                pose.orientation = (DQuat::from_scaled_axis(turn) * pose.orientation).normalize();
                let overlap = scene.overlap(shape, &pose, 0.0);
                steps += 1;
                let with_margin = scene.overlap(shape, &pose, 0.01 * radius);
                if (with_margin - overlap).abs() > 1e-6 * radius {
                    differences += 1;
                    difference = difference.max((with_margin - overlap).abs() / radius);
                    if is_verbose {
                        println!("  {name}: {overlap:e} m, with a margin {with_margin:e} m, {pose:?}");
                    }
                }
                let excess = ((overlap - last).abs() - 1.02 * reach) / radius;
                if excess > 1e-6 {
                    of_pair += 1;
                    worst_of_pair = worst_of_pair.max(excess);
                    if is_verbose {
                        println!("  {name}: {last:e} to {overlap:e} m between\n    {before:?} and\n    {pose:?}");
                    }
                }
                if overlap > 0.05 * radius {
                    break;
                }
                last = overlap;
            }
        }
        if of_pair > 0 {
            println!("{name}: {of_pair} jumps, the largest by {worst_of_pair:.1e} radii");
        }
        (jumps, worst) = (jumps + of_pair, worst.max(worst_of_pair));
    });
    println!("{differences} overlaps differ with a margin, by {difference:.1e} radii at most");
    println!("{jumps} jumps in {steps} steps, the largest by {worst:.1e} radii");
    assert!(
        jumps <= 2 + steps / 5000 && worst < 0.1,
        "{jumps} jumps in {steps} steps, the largest by {worst:.1e} radii"
    );
    assert!(differences <= 1 + steps / 200 && difference < 0.05, "{differences} of {steps}, {difference:.1e} radii");
}
