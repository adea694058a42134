//! N3: a spheroid rocks on a plane about its equilibrium, which combines curvature, friction and
//! rolling.
//!
//! Small oscillations: `w² = g (a²/b - b) / (I/m + b²)` rolling, `/ (I/m)` without friction.

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodySpec, ContactLaw, MaterialId, Simulation, Tangential};
use granum_geometry::shape::Ellipsoid;

use crate::ground::Ground;
use crate::laboratory::{Laboratory, spring};
use crate::{Case, Report};

/// Rocking of a spheroid.
pub const N3: Case = Case { name: "N3-space", tier: 1, about: "a spheroid rocks on a plane", run };

/// The same on triangles.
pub const N3_TRIANGLES: Case =
    Case { name: "N3-triangles", tier: 1, about: "N3-space on 1,000 random triangles", run: on_triangles };

/// Relative error of a period.
const LIMIT: f64 = 2e-3;
/// Stiffness, N/m. The body of 1 kg sinks by a millionth of its size.
const STIFFNESS: f64 = 1e7;
/// Time step, s: forty steps per period of the contact.
const STEP: f64 = 5e-5;

/// Side of the triangulated ground, m: many times the size of the body.
const SIDE: f64 = 20.0;

fn run(report: &mut Report) {
    on(Ground::HalfSpace, report);
}

fn on_triangles(report: &mut Report) {
    on(Ground::Triangles(SIDE), report);
}

fn on(ground: Ground, report: &mut Report) {
    // Amplitude in degrees, and periods in s for rolling and without friction. The smallest
    // amplitude approximates the limit of small oscillations.
    for (amplitude, rolling, slipping) in
        [(0.5, 1.637947, 1.158203), (10.0, 1.747190, 1.257432), (30.0, 2.399774, 1.759384)]
    {
        report.relative(
            format!("rolling, {amplitude} degrees: period, s"),
            rolling,
            period(ground, amplitude, true),
            LIMIT,
        );
        report.relative(
            format!("slipping, {amplitude} degrees: period, s"),
            slipping,
            period(ground, amplitude, false),
            LIMIT,
        );
    }
}

/// Returns the period of a spheroid 2:1:1 that is released at an angle, s.
fn period(ground: Ground, amplitude: f64, rough: bool) -> f64 {
    let elastic = spring(STIFFNESS);
    // Friction is high enough to prevent slip, and the tangential spring is as stiff as the normal
    // one.
    let tangential = Tangential::Linear { friction: 100.0, ratio: 1.0, zeta: 0.0 };
    let law = ContactLaw { tangential: if rough { tangential } else { Tangential::None }, ..elastic };
    let mut lab = Laboratory::new(law).with_gravity();
    let semi_axes = DVec3::new(2.0, 1.0, 1.0);
    let turn = DQuat::from_rotation_y(-amplitude.to_radians());
    let height = (semi_axes * (turn.inverse() * DVec3::Z)).length();
    let shape = lab.world.add_shape(Ellipsoid { semi_axes }).expect("valid semi-axes");
    // The body starts at its equilibrium overlap.
    let sunk = crate::laboratory::GRAVITY / STIFFNESS;
    let mut spec = BodySpec::at(shape, MaterialId(0), DVec3::Z * (height - sunk));
    spec.pose.orientation = turn;
    spec.mass = Some((1.0, DVec3::new(2.0, 5.0, 5.0) / 5.0));
    let body = lab.add(spec);
    lab.ground(ground);
    swing(lab.start(STEP), body)
}

/// Returns the time between the first and the third passage through equilibrium, s.
fn swing(mut simulation: Simulation, body: BodyId) -> f64 {
    const MOST_STEPS: usize = 200_000;
    let tilt = |simulation: &Simulation| (simulation.world().orientation(body) * DVec3::X).z;
    let (mut before, mut passages) = (tilt(&simulation), Vec::new());
    for _ in 0..MOST_STEPS {
        simulation.run(1);
        let now = tilt(&simulation);
        if (before > 0.0) != (now > 0.0) {
            passages.push(simulation.world().time() - STEP * now / (now - before));
        }
        if let &[first, _, third] = passages.as_slice() {
            return third - first;
        }
        before = now;
    }
    f64::NAN
}
