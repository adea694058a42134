//! G6: the gap of boxes by separating axes, compared with the general routine, and patches by
//! construction.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, SQRT_2};

use glam::{DQuat, DVec3};
use granum_geometry::contact::general::general;
use granum_geometry::shape::Box;
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, Status, collide};

use crate::laboratory::Random;
use crate::{Case, Report};

/// The case.
pub const G6: Case = Case { name: "G6", tier: 1, about: "gap and contact points of boxes", run };

/// Number of random pairs.
const PAIRS: usize = 100_000;
/// Largest error of a length, m. The bodies are about 1 m large, and `general` is accurate to 1e-10
/// of their size.
const LIMIT: f64 = 1e-9;

fn run(report: &mut Report) {
    random_pairs(report);
    corner_on_face(report);
    crossed_edges(report);
    face_on_face(report);
}

fn brick(x: f64, y: f64, z: f64) -> Shape {
    Box { half_sizes: DVec3::new(x, y, z) }.into()
}

fn contacts(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Manifold {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &Pair { margin: 0.0, ..Pair::new(a, pose_a, b, pose_b) }, &mut manifold);
    manifold
}

fn random_pairs(report: &mut Report) {
    let mut random = Random::new(6);
    let (mut worst, mut wrong, mut unresolved) = (0f64, 0, 0);
    for _ in 0..PAIRS {
        let mut size = || 0.1 + 0.9 * random.unit();
        let (a, b) = (brick(size(), size(), size()), brick(size(), size(), size()));
        let turned = |random: &mut Random| DQuat::from_scaled_axis(PI * random.vector());
        let pose_a = Pose { position: DVec3::ZERO, orientation: turned(&mut random) };
        let pose_b = Pose { position: 1.5 * random.vector(), orientation: turned(&mut random) };
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        let (mut ours, mut theirs) = (Manifold::default(), Manifold::default());
        collide(Measure::Depth, &pair, &mut ours);
        general(&pair, &mut theirs);
        let (Some(p), Some(q)) = (ours.deepest(), theirs.deepest()) else { continue };
        if matches!(theirs.status, Status::NotConverged { .. }) {
            unresolved += 1;
            continue;
        }
        worst = worst.max((p.gap - q.gap).abs());
        wrong += usize::from((p.gap > 0.0) != (q.gap > 0.0) && q.gap.abs() > LIMIT);
    }
    report.at_most(format!("{PAIRS} random pairs: greatest difference of gaps, m"), worst, LIMIT);
    report.note(format!("the support routine returned no result for {unresolved} pairs"));
    report.at_most(format!("{PAIRS} random pairs: wrong verdicts"), wrong as f64, 0.0);
}

/// Compares the contact of a cube that stands on its corner.
fn corner_on_face(report: &mut Report) {
    let (slab, cube) = (brick(2.0, 2.0, 0.5), brick(0.5, 0.5, 0.5));
    // The diagonal of the cube is along z.
    let upright = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::NEG_Z);
    let depth = 1e-2;
    let height = 0.5 + 0.5 * 3f64.sqrt() - depth;
    let pose = Pose { position: DVec3::new(0.1, 0.2, height), orientation: upright };
    let manifold = contacts(&slab, &Pose::IDENTITY, &cube, &pose);
    report.absolute("corner on face: contact points", 1.0, manifold.points().len() as f64, 0.0);
    let point = manifold.deepest().copied().unwrap_or_default();
    report.absolute("corner on face: depth, m", depth, -point.gap, LIMIT);
    report.at_most(
        "corner on face: error of the point, m",
        (point.arm - DVec3::new(0.1, 0.2, 0.5 - 0.5 * depth)).length(),
        LIMIT,
    );
}

/// Compares the contact of two bars on their edges, crossed at a right angle.
fn crossed_edges(report: &mut Report) {
    let bar = brick(1.0, 0.2, 0.2);
    let roof = DQuat::from_rotation_x(FRAC_PI_4);
    let depth = 1e-2;
    let lower = Pose { position: DVec3::ZERO, orientation: roof };
    let height = 2.0 * 0.2 * SQRT_2 - depth;
    let upper = Pose { position: DVec3::Z * height, orientation: DQuat::from_rotation_z(FRAC_PI_2) * roof };
    let manifold = contacts(&bar, &lower, &bar, &upper);
    report.absolute("crossed edges: contact points", 1.0, manifold.points().len() as f64, 0.0);
    let point = manifold.deepest().copied().unwrap_or_default();
    report.absolute("crossed edges: depth, m", depth, -point.gap, LIMIT);
    report.at_most("crossed edges: direction off the vertical", (point.normal - DVec3::Z).length(), LIMIT);
}

/// Compares the contact of two square slabs, one rotated by 45 degrees. Their common part is a
/// regular octagon.
fn face_on_face(report: &mut Report) {
    let slab = brick(1.0, 1.0, 0.5);
    let depth = 1e-3;
    let pose = Pose { position: DVec3::Z * (1.0 - depth), orientation: DQuat::from_rotation_z(FRAC_PI_4) };
    let manifold = contacts(&slab, &Pose::IDENTITY, &slab, &pose);
    let p: Vec<DVec3> = manifold.points().iter().map(|point| point.arm).collect();
    let area = (2..p.len()).map(|k| 0.5 * (p[k - 1] - p[0]).cross(p[k] - p[0])).sum::<DVec3>().length();
    report.absolute("face on face: area of the octagon, m2", 8.0 * (PI / 8.0).tan(), area, LIMIT);
    let off = manifold.points().iter().map(|point| (point.gap + depth).abs()).fold(0.0, f64::max);
    report.at_most("face on face: depth of all points, m", off, LIMIT);
}
