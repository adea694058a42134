//! Cylinders: the contact theorems (G5), impact on a plane (N1), a slope (P7), and equilibria (N8).

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use granum_engine::{Damping, EndRule, Motion, Simulation, Tangential};
use granum_geometry::shape::Cylinder;
use granum_geometry::{Pair, Pose, Shape, overlap_region};
use granum_reference::axisymmetric::{Axis, contact_normal, contact_point};

use super::n1_impact::until_parted;
use super::worst::Worst;
use crate::ground::Ground;
use crate::laboratory::{GRAVITY, Laboratory, Random, damped_spring};
use crate::{Case, Report};

/// The contact theorems.
pub const G5: Case =
    Case { name: "G5", tier: 1, about: "normal forces of cylinders have no moment about the axes", run: theorems };

/// Impact of a cylinder on a plane.
pub const N1: Case = Case { name: "N1-cylinder", tier: 1, about: "a cylinder hits a frictionless plane", run: impact };

/// The same on triangles.
pub const N1_TRIANGLES: Case = Case {
    name: "N1-cylinder-triangles",
    tier: 1,
    about: "N1-cylinder on 1,000 random triangles",
    run: impact_on_triangles,
};

/// Side of the triangulated ground, m: many times the size of the cylinders.
const SIDE: f64 = 20.0;

/// A cylinder on a slope.
pub const P7: Case =
    Case { name: "P7-cylinder", tier: 1, about: "a lying cylinder on a slope rolls and slips", run: slope };

/// The same on triangles.
pub const P7_TRIANGLES: Case = Case {
    name: "P7-cylinder-triangles",
    tier: 1,
    about: "P7-cylinder on 1,000 random triangles",
    run: slope_on_triangles,
};

/// Equilibria of cylinders.
pub const N8: Case =
    Case { name: "N8-cylinder", tier: 1, about: "dropped cylinders end on a side or a face", run: rest };

/// Number of overlapping pairs in G5.
const PAIRS: usize = 100_000;

fn theorems(report: &mut Report) {
    let mut random = Random::new(5);
    let (mut normals, mut points, mut seen) = (0f64, 0f64, 0);
    while seen < PAIRS {
        let mut body = || {
            let shape: Shape = Cylinder { radius: 0.2 + random.unit(), half_height: 0.2 + random.unit() }.into();
            let orientation = DQuat::from_scaled_axis(PI * random.vector());
            (shape, Pose { position: random.vector(), orientation })
        };
        let ((a, pose_a), (b, pose_b)) = (body(), body());
        let Some(shared) = overlap_region(&Pair::new(&a, &pose_a, &b, &pose_b)) else { continue };
        let axis = |pose: &Pose| Axis { centre: pose.position, direction: pose.orientation * DVec3::Z };
        let axes = [axis(&pose_a), axis(&pose_b)];
        let p = pose_a.position + shared.centroid;
        let turns = |p: DVec3, n: DVec3| axes.iter().map(|axis| axis.moment(p, n).abs()).fold(0.0, f64::max);
        if let Some(n) = contact_normal(p, axes[0], axes[1], shared.gradient.translation) {
            normals = normals.max(turns(p, n));
        }
        let n = shared.gradient.normal();
        if let Some(q) = contact_point(p, n, axes[0], axes[1]).filter(|&q| (q - p).length() < 1.0) {
            points = points.max(turns(q, n));
        }
        seen += 1;
    }
    report.at_most("largest moment about an axis, normal theorem, m", normals, 1e-12);
    report.at_most("largest moment about an axis, point theorem, m", points, 1e-12);
}

/// The cylinder of N1: 1 kg, radius 1 m, half height 2 m.
const CYLINDER: Cylinder = Cylinder { radius: 1.0, half_height: 2.0 };

/// Stiffness, N/m, as in N1 for ellipsoids.
const STIFF: f64 = 1e8;
/// Largest error of a velocity (m/s, rad/s), as in N1 for ellipsoids: the contact is not rigid.
const LIMIT: f64 = 5e-5;

/// Steps per contact of a ball of the same mass.
const STEPS_PER_CONTACT: f64 = 1000.0;

fn impact(report: &mut Report) {
    impact_on(Ground::HalfSpace, report);
}

fn impact_on_triangles(report: &mut Report) {
    impact_on(Ground::Triangles(SIDE), report);
}

fn impact_on(ground: Ground, report: &mut Report) {
    let Cylinder { radius, half_height } = CYLINDER;
    let moment = radius * radius / 4.0 + half_height * half_height / 3.0;
    for tilt in [10.0, 30.0, 50.0, 70.0] {
        // Tilt of the axis from the plane.
        let (sin, cos) = f64::to_radians(tilt).sin_cos();
        let lever = half_height * cos - radius * sin;
        for e in [1.0, 0.5] {
            let impulse = (1.0 + e) / (1.0 + lever * lever / moment);
            let (velocity, spin) =
                hit(ground, f64::to_radians(90.0 - tilt), e, radius * cos + half_height * sin, moment);
            let what = format!("at {tilt} degrees, e = {e}");
            report.absolute(format!("{what}: v+"), impulse - 1.0, velocity.z, LIMIT);
            report.absolute(format!("{what}: spin"), impulse * lever.abs() / moment, spin.length(), LIMIT);
        }
    }
}

/// Returns velocity and spin after the impact of the cylinder. Its axis is inclined from the
/// vertical by `lean`.
fn hit(ground: Ground, lean: f64, restitution: f64, height: f64, moment: f64) -> (DVec3, DVec3) {
    let mut lab = Laboratory::new(damped_spring(STIFF, Damping::Restitution(restitution), EndRule::NoTension));
    let shape = lab.world.add_shape(CYLINDER).expect("a valid cylinder");
    let mut spec = lab.of_shape(shape, 1.0, DVec3::new(moment, moment, 0.5));
    spec.pose = Pose { position: DVec3::Z * (height + 1e-6), orientation: DQuat::from_rotation_y(lean) };
    spec.velocity = DVec3::NEG_Z;
    let body = lab.add(spec);
    lab.ground(ground);
    until_parted(lab.start(PI / STIFF.sqrt() / STEPS_PER_CONTACT), body)
}

/// Angle of the slope, degrees.
const TILT: f64 = 30.0;

/// Duration of each half of a run down the slope, s.
const DURATION: f64 = 0.15;

/// Moment of inertia of a cylinder about its axis, in units of `m r²`.
const BETA: f64 = 0.5;

fn slope(report: &mut Report) {
    slope_on(Ground::HalfSpace, report);
}

fn slope_on_triangles(report: &mut Report) {
    slope_on(Ground::Triangles(SIDE), report);
}

fn slope_on(ground: Ground, report: &mut Report) {
    let (sin, cos) = TILT.to_radians().sin_cos();
    let least = BETA / (1.0 + BETA) * sin / cos;
    let [mut rolling, mut slipping, mut spinning] = [(); 3].map(|()| Worst::relative());
    for factor in [1.05, 2.0] {
        let mu = factor * least;
        rolling.see(format!("mu {mu:.4}"), GRAVITY * sin / (1.0 + BETA), down_the_slope(ground, mu).0);
    }
    for factor in [0.25, 0.95] {
        let mu = factor * least;
        let (a, turning) = down_the_slope(ground, mu);
        slipping.see(format!("mu {mu:.4}"), GRAVITY * (sin - mu * cos), a);
        spinning.see(format!("mu {mu:.4}"), mu * GRAVITY * cos / (BETA * 0.1), turning);
    }
    rolling.row(report, "acceleration when rolling, m/s2", 1e-3, "");
    slipping.row(report, "acceleration when slipping, m/s2", 1e-3, "");
    spinning.row(report, "angular acceleration when slipping, rad/s2", 1e-3, "");
}

/// Returns acceleration and angular acceleration of a lying cylinder (1 kg, radius 0.1 m) on the
/// slope.
fn down_the_slope(ground: Ground, mu: f64) -> (f64, f64) {
    // With this stiffness (N/m) the cylinder sinks by 1e-4 of its radius on three points.
    let stiffness = 3e5;
    let mut lab = Laboratory::new(damped_spring(stiffness, Damping::Restitution(0.8), EndRule::NoTension));
    lab.change_law(|law| law.tangential = Tangential::Linear { friction: mu, ratio: 2.0 / 7.0, zeta: 0.05 });
    let (sin, cos) = TILT.to_radians().sin_cos();
    lab.world.set_gravity(GRAVITY * DVec3::new(sin, 0.0, -cos)).expect("a valid value");
    let cylinder = Cylinder { radius: 0.1, half_height: 0.15 };
    let shape = lab.world.add_shape(cylinder).expect("a valid cylinder");
    let across = 0.1 * 0.1 / 4.0 + 0.15 * 0.15 / 3.0;
    let mut spec = lab.of_shape(shape, 1.0, DVec3::new(across, across, 0.5 * 0.1 * 0.1));
    let depth = GRAVITY * cos / (3.0 * stiffness);
    spec.pose = Pose { position: DVec3::Z * (0.1 - depth), orientation: DQuat::from_rotation_x(PI / 2.0) };
    let body = lab.add(spec);
    lab.ground(ground);
    let dt = PI / (3.0 * stiffness).sqrt() / 50.0;
    let mut simulation = lab.start(dt);
    let steps = (DURATION / dt) as u64;
    let motion = |simulation: &Simulation| {
        let twist = simulation.world().twist(body);
        (twist.velocity.x, twist.spin.y)
    };
    simulation.run(steps);
    let (velocity, spin) = motion(&simulation);
    simulation.run(steps);
    let (later, turned) = motion(&simulation);
    let t = steps as f64 * dt;
    ((later - velocity) / t, (turned - spin) / t)
}

/// Number of drops of each shape in N8.
const DROPS: usize = 12;

fn rest(report: &mut Report) {
    for (name, half_height) in [("coin", 0.0025), ("short cylinder", 0.05), ("can", 0.15), ("rod", 0.5)] {
        let cylinder = Cylinder { radius: 0.1, half_height };
        let mut random = Random::new(8);
        let worst = (0..DROPS).map(|_| lean_at_rest(cylinder, &mut random)).fold(0.0, f64::max);
        report.at_most(format!("{name}: axis from upright or level, rad"), worst, 1e-4);
    }
}

/// Number of steps between two samples of a dropped cylinder.
const SAMPLE_STEPS: u64 = 50_000;
/// Largest number of samples: 63 s.
const MOST_SAMPLES: u32 = 20;

/// Spin below which it is at rest, rad/s.
const STILL: f64 = 1e-6;

/// Returns the angle of the axis to the nearer of vertical and horizontal after a drop, rad.
fn lean_at_rest(cylinder: Cylinder, random: &mut Random) -> f64 {
    let stiffness = 1e6;
    let mut lab =
        Laboratory::new(damped_spring(stiffness, Damping::Restitution(0.3), EndRule::NoTension)).with_gravity();
    lab.change_law(|law| law.tangential = Tangential::Linear { friction: 0.4, ratio: 2.0 / 7.0, zeta: 0.3 });
    let Cylinder { radius, half_height } = cylinder;
    let shape = lab.world.add_shape(cylinder).expect("a valid cylinder");
    let across = radius * radius / 4.0 + half_height * half_height / 3.0;
    let mut spec = lab.of_shape(shape, 1.0, DVec3::new(across, across, 0.5 * radius * radius));
    spec.pose = Pose {
        position: DVec3::Z * 1.5 * radius.hypot(half_height),
        orientation: DQuat::from_scaled_axis(PI * random.vector()),
    };
    let body = lab.add(spec);
    lab.wall(DVec3::Z, DVec3::ZERO, Motion::Fixed);
    let mut simulation = lab.start(PI / stiffness.sqrt() / 50.0);
    // A cylinder that lands upright rocks for a long time.
    for _ in 0..MOST_SAMPLES {
        simulation.run(SAMPLE_STEPS);
        if simulation.world().twist(body).spin.length() < STILL {
            break;
        }
    }
    let axis = simulation.world().orientation(body) * DVec3::Z;
    let upright = axis.cross(DVec3::Z).length();
    upright.min(axis.z.abs())
}
