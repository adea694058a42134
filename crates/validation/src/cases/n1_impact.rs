//! N1: a body of any convex shape hits a frictionless plane. With `r` the arm from its centre to
//! the contact, `J = (1+e) v / (1/m + (r x n).I^-1.(r x n))`, `v+ = J/m - v` and `w+ = I^-1 (r x n)
//! J`.
//!
//! A contact of finite stiffness lets the body rotate during the contact. The error decreases with
//! the square root of the stiffness.

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodySpec, Damping, EndRule, MaterialId, Simulation};
use granum_geometry::shape::Ellipsoid;

use crate::ground::Ground;
use crate::laboratory::{Laboratory, damped_spring};
use crate::{Case, Report};

/// Impact of ellipsoids on a plane.
pub const N1: Case = Case { name: "N1-space", tier: 1, about: "ellipsoids hit a frictionless plane", run };

/// The same on triangles.
pub const N1_TRIANGLES: Case =
    Case { name: "N1-triangles", tier: 1, about: "N1-space on 1,000 random triangles", run: on_triangles };

/// Stiffness of the comparison, N/m. The body has a mass of 1 kg and a speed of 1 m/s.
const STIFF: f64 = 1e8;
/// Largest error of a velocity (m/s, rad/s) at that stiffness.
const LIMIT: f64 = 5e-5;
/// Steps per contact. The error of the step is far below that of the stiffness.
const STEPS_PER_CONTACT: f64 = 1000.0;

/// Side of the triangulated ground, m: many times the size of the bodies.
const SIDE: f64 = 20.0;

fn run(report: &mut Report) {
    on(Ground::HalfSpace, report);
}

fn on_triangles(report: &mut Report) {
    on(Ground::Triangles(SIDE), report);
}

fn on(ground: Ground, report: &mut Report) {
    let spheroid = DVec3::new(2.0, 1.0, 1.0);
    // Tilt of the long axis from the plane, degrees; velocity and spin after an elastic impact.
    for (tilt, v, w) in [
        (15.0, 0.362050, 0.932159),
        (30.0, 0.018182, 0.999835),
        (45.0, 0.052632, 0.998614),
        (60.0, 0.316456, 0.948607),
        (75.0, 0.742063, 0.670330),
    ] {
        let turn = DQuat::from_rotation_y(f64::to_radians(-tilt));
        let (velocity, spin) = hit(ground, spheroid, turn, 1.0, STIFF);
        report.absolute(format!("spheroid 2:1:1 at {tilt} degrees: v+"), v, velocity.z, LIMIT);
        if tilt == 15.0 {
            report.note(
                "an error of the stiffness alone: 7.5e-4 at 1e6 N/m, 7.5e-5 at 1e8, 7.5e-6 at 1e10; at 45 degrees it is a \
                 quarter of that",
            );
        }
        report.absolute(format!("spheroid 2:1:1 at {tilt} degrees: spin"), w, spin.length(), LIMIT);
    }
    let axes = DVec3::new(1.0, 2.0, 3.0);
    let turn = DQuat::from_rotation_x(40f64.to_radians()) * DQuat::from_rotation_y(25f64.to_radians());
    for (e, v, w) in [
        (1.0, 0.217059534, DVec3::new(0.253358068, 0.633712733, -0.065741493)),
        (0.5, -0.087205350, DVec3::new(0.190018551, 0.475284549, -0.049306120)),
    ] {
        let (velocity, spin) = hit(ground, axes, turn, e, STIFF);
        report.absolute(format!("ellipsoid (1,2,3), e = {e}: v+"), v, velocity.z, LIMIT);
        report.at_most(format!("ellipsoid (1,2,3), e = {e}: spin"), (spin - w).length(), LIMIT);
    }
    let turn = DQuat::from_rotation_y(f64::to_radians(-45.0));
    let [soft, stiff] = [1e4, 1e6].map(|k| (hit(ground, spheroid, turn, 1.0, k).0.z - 2.0 / 38.0).abs());
    report.absolute("error against stiffness: exponent", 0.5, (soft / stiff).log10() / 2.0, 0.05);
}

/// Returns velocity and spin of a body of 1 kg after it has hit the plane z = 0 at 1 m/s.
fn hit(ground: Ground, semi_axes: DVec3, turn: DQuat, restitution: f64, stiffness: f64) -> (DVec3, DVec3) {
    let law = damped_spring(stiffness, Damping::Restitution(restitution), EndRule::NoTension);
    let mut lab = Laboratory::new(law);
    let squares = semi_axes * semi_axes;
    let moments = DVec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y) / 5.0;
    let down = turn.inverse() * DVec3::Z;
    let height = (semi_axes * down).length();
    // The body starts close to the plane but without contact.
    let shape = lab.world.add_shape(Ellipsoid { semi_axes }).expect("valid semi-axes");
    let mut spec = BodySpec::at(shape, MaterialId(0), DVec3::Z * (height + 1e-6));
    spec.pose.orientation = turn;
    spec.velocity = DVec3::NEG_Z;
    spec.mass = Some((1.0, moments));
    let body = lab.add(spec);
    lab.ground(ground);
    let step = std::f64::consts::PI / stiffness.sqrt() / STEPS_PER_CONTACT;
    until_parted(lab.start(step), body)
}

/// Returns velocity and spin of the body after the contact has ended.
pub fn until_parted(mut simulation: Simulation, body: BodyId) -> (DVec3, DVec3) {
    // Largest number of steps: the time until the contact, and several contact times of a ball.
    const MOST_STEPS: usize = 200_000;
    let touches = |simulation: &Simulation| simulation.world().contacts().any(|c| c.carries_force());
    let mut touched = false;
    for _ in 0..MOST_STEPS {
        simulation.run(1);
        match (touched, touches(&simulation)) {
            (true, false) => {
                let twist = simulation.world().twist(body);
                return (twist.velocity, twist.spin);
            }
            (_, now) => touched = now,
        }
    }
    (DVec3::NAN, DVec3::NAN)
}
