//! N1 and N2 in the plane: frictionless impacts of ellipses, compared with the closed form for
//! rigid bodies.

use glam::{DQuat, DVec2, DVec3};
use granum_engine::{BodyId, Damping, EndRule, Motion, Simulation};
use granum_geometry::Pose;
use granum_geometry::shape::Ellipse;

use super::worst::Worst;
use crate::laboratory::{Laboratory, damped_spring};
use crate::{Case, Report};

/// An ellipse on a plane.
pub const N1: Case = Case { name: "N1", tier: 1, about: "ellipse hits a plane without friction, any tilt", run: plane };
/// Two ellipses.
pub const N2: Case = Case { name: "N2", tier: 1, about: "two ellipses collide without friction", run: pair };

const AXES: DVec2 = DVec2::new(2.0, 1.0);
/// Moment of inertia of an ellipse of 1 kg, kg m²: (a² + b²)/4.
const MOMENT: f64 = 1.25;
/// Stiffness at which elastic contacts are compared with rigid ones, N/m. The error decreases as
/// k^-1/2. At some tilts it is ten times that at 45 degrees, for which the limit holds at 1e8 N/m.
const STIFF: f64 = 1e10;
/// Largest error of a velocity, m/s and rad/s.
const LIMIT: f64 = 5e-5;
/// Number of steps in a contact of reduced mass 1 kg.
const STEPS: f64 = 500.0;

/// Creates a planar laboratory with stiffness `k` and restitution `e`.
pub(super) fn laboratory(k: f64, e: f64) -> Laboratory {
    Laboratory::planar(damped_spring(k, Damping::Restitution(e), EndRule::NoTension))
}

/// Adds the ellipse of 1 kg.
pub(super) fn add_ellipse(lab: &mut Laboratory, position: DVec2, angle: f64, velocity: DVec2) -> BodyId {
    let shape = lab.world.add_shape(Ellipse { semi_axes: AXES }).expect("a valid ellipse");
    let spec = lab.of_shape(shape, 1.0, DVec3::new(1.0, 1.0, MOMENT));
    let pose = Pose { position: position.extend(0.0), orientation: DQuat::from_rotation_z(angle) };
    lab.add(granum_engine::BodySpec { pose, velocity: velocity.extend(0.0), ..spec })
}

/// Runs until the first contact has ended.
fn through_impact(simulation: &mut Simulation) {
    let holds = |simulation: &Simulation| simulation.world().contacts().any(|c| c.is_loaded());
    // The gap at the start is the path of one step.
    for _ in 0..20 {
        simulation.run(1);
        if holds(simulation) {
            break;
        }
    }
    while holds(simulation) {
        simulation.run(1);
    }
}

/// Returns the velocities after an ellipse tilted by `tilt` has hit the plane at speed 1.
fn hit_plane(tilt: f64, k: f64, e: f64) -> granum_engine::Twist {
    let mut lab = laboratory(k, e);
    lab.wall(DVec3::Y, DVec3::ZERO, Motion::Fixed);
    let dt = std::f64::consts::PI / k.sqrt() / STEPS;
    let height = (AXES.x * tilt.sin()).hypot(AXES.y * tilt.cos()) + dt;
    let id = add_ellipse(&mut lab, DVec2::new(0.0, height), tilt, DVec2::NEG_Y);
    let mut simulation = lab.start(dt);
    through_impact(&mut simulation);
    simulation.world().twist(id)
}

/// Returns the lever arm of the contact about the centre.
fn lever(tilt: f64) -> f64 {
    let (sin, cos) = tilt.sin_cos();
    (AXES.x.powi(2) - AXES.y.powi(2)) * sin * cos / (AXES.x * sin).hypot(AXES.y * cos)
}

fn plane(report: &mut Report) {
    let (mut speed, mut spin) = (Worst::absolute(), Worst::absolute());
    for degrees in [15.0, 30.0, 45.0, 60.0, 75.0f64] {
        for e in [1.0, 0.5] {
            let tilt = degrees.to_radians();
            let r = lever(tilt);
            let impulse = (1.0 + e) / (1.0 + r * r / MOMENT);
            let after = hit_plane(tilt, STIFF, e);
            let place = format!("{degrees} degrees, e {e}");
            speed.see(&place, impulse - 1.0, after.velocity.y);
            spin.see(&place, r * impulse / MOMENT, after.spin.z.abs());
        }
    }
    speed.row(report, "velocity after the impact, m/s, k 1e10", LIMIT, "");
    spin.row(report, "spin after the impact, rad/s, k 1e10", LIMIT, "");
    let tilt = std::f64::consts::FRAC_PI_4;
    let exact = 2.0 / (1.0 + lever(tilt).powi(2) / MOMENT) - 1.0;
    let error = |k: f64| (hit_plane(tilt, k, 1.0).velocity.y - exact).abs();
    let (soft, stiff) = (error(1e4), error(1e8));
    report.at_most("error of the velocity at 45 degrees, m/s, k 1e8", stiff, LIMIT);
    report.absolute("slope of the error over the stiffness, 45 degrees", -0.5, (stiff / soft).log10() / 4.0, 0.05);
    report.note(format!("error {soft:.2e} at k 1e4, {stiff:.2e} at 1e8"));
}

fn pair(report: &mut Report) {
    let normal = DVec2::from_angle(30f64.to_radians());
    let contact = DVec2::new(1.921537846, 0.277350098);
    let centre_b = DVec2::new(3.417123174, 1.585144587);
    let dt = std::f64::consts::PI / STIFF.sqrt() / STEPS;
    for e in [1.0, 0.5] {
        let (lever_a, lever_b) = (contact.perp_dot(normal), (contact - centre_b).perp_dot(normal));
        let approach = 2.0 * normal.x;
        let impulse = (1.0 + e) * approach / (2.0 + (lever_a * lever_a + lever_b * lever_b) / MOMENT);
        let mut lab = laboratory(STIFF, e);
        let a = add_ellipse(&mut lab, DVec2::ZERO, 0.0, DVec2::X);
        let apart = centre_b + dt * DVec2::X;
        let b = add_ellipse(&mut lab, apart, std::f64::consts::FRAC_PI_4, DVec2::NEG_X);
        let mut simulation = lab.start(dt);
        through_impact(&mut simulation);
        let mut worst = Worst::absolute();
        let expected = [
            (a, DVec2::X - impulse * normal, -impulse * lever_a / MOMENT),
            (b, DVec2::NEG_X + impulse * normal, impulse * lever_b / MOMENT),
        ];
        for (id, velocity, spin) in expected {
            let after = simulation.world().twist(id);
            worst.see("velocity along x", velocity.x, after.velocity.x);
            worst.see("velocity along y", velocity.y, after.velocity.y);
            worst.see("spin", spin, after.spin.z);
        }
        worst.row(report, format!("velocities and spins after the collision, e {e}, k 1e10"), LIMIT, "");
    }
}
