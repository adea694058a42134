//! Tests 4 to 8 of P4: impacts with friction.
//!
//! For gross slip the reference is exact for a rigid ball. For micro-slip the reference is the
//! curve of [Chung2011], digitised; the error is the sum of the absolute differences divided by the
//! sum of the absolute references. These curves are results of other programs. For test 5,
//! [Chung2011] also shows results of finite elements, which differ from those programs.

use glam::DVec3;
use granum_engine::{Damping, Elasticity, EndRule, Material};

use super::impact::{Ball, Meeting};
use super::p4_chung_ooi::{ELASTIC, Impact, damping, hertz, material, rigid};
use super::worst::Worst;
use crate::Report;

/// Largest relative error in gross slip. A ball of finite stiffness deviates from the rigid one.
const GROSS_SLIP: f64 = 5e-3;
/// Largest relative mean error in micro-slip. The digitised curves are accurate to a few per cent.
const MICRO_SLIP: f64 = 5e-2;
/// End rule without tension. A tensile normal force causes no friction, but the closed forms relate
/// friction to the whole normal impulse.
const END: EndRule = EndRule::NoTension;
/// Reason for which soft balls miss the closed forms.
const LEVER: &str = "the force acts half an overlap below the surface; the lever arm of the closed form is the radius";
/// Reason for which the finite-element results are missed. A separate fine integration of the law
/// confirms the values of granum.
const LAW: &str = "the law has one tangential spring and no partial slip";
/// Reason for which the rebound angle of test 4 is missed.
const SMALL: &str = "the angles are small: the largest error is 2 degrees";
/// Reason for which the curve of test 6 is missed.
const UNSTATED: &str = "beyond x = 2 the result depends on the tangential dashpot, which the source does not state";

pub(super) fn run(report: &mut Report) {
    constant_speed(report);
    constant_normal_speed(report);
    spinning_on_plane(report);
    opposite_spins(report);
    spinning_on_large_sphere(report);
}

/// Accumulates the mean error over a digitised curve.
#[derive(Default)]
struct Curve {
    difference: f64,
    reference: f64,
    largest: f64,
    point: String,
}

impl Curve {
    fn see(&mut self, place: f64, reference: f64, ours: f64) {
        self.difference += (ours - reference).abs();
        self.reference += reference.abs();
        if (ours - reference).abs() > self.largest {
            self.largest = (ours - reference).abs();
            self.point = format!("{ours:.3} instead of {reference:.3} at {place}");
        }
    }

    fn row(&self, report: &mut Report, check: impl Into<String>, limit: f64, reason: &str) {
        let error = self.difference / self.reference;
        report.at_most(check, error, limit);
        let missed = if error <= limit { String::new() } else { format!("; {reason}") };
        report.note(format!("largest difference: {}{missed}", self.point));
    }
}

/// Returns the velocity of the lowest point of b along x, m/s.
fn slip(meeting: &Meeting, radius: f64) -> f64 {
    meeting.velocity().x - radius * meeting.spin().y
}

fn constant_speed(report: &mut Report) {
    const RADIUS: f64 = 0.0025;
    const MU: f64 = 0.092;
    // Angle of impact in degrees, tangential restitution, spin in rad/s, rebound angle of the
    // contact point in degrees.
    const GROSS: [(f64, f64, f64, f64); 6] = [
        (30.0, 0.68449, 615.25, -3.516),
        (40.0, 0.78291, 544.22, 11.621),
        (50.0, 0.84715, 456.65, 29.488),
        (60.0, 0.89483, 355.21, 48.159),
        (70.0, 0.93370, 242.98, 65.086),
        (80.0, 0.96788, 123.36, 78.983),
    ];
    const MICRO: [(f64, f64, f64, f64); 5] = [
        (5.0, 0.9481, 19.3, 3.76),
        (10.0, 0.6870, 213.0, -1.56),
        (15.0, 0.6244, 377.8, -5.54),
        (20.0, 0.6161, 510.6, -7.54),
        (25.0, 0.6343, 599.4, -7.54),
    ];
    let bounce = damping(0.98, END);
    let oblique = |m: &Material, degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let ball = Ball::uniform(RADIUS, m.density).moving(3.9 * DVec3::new(sin, 0.0, -cos));
        let (_, meeting) = Impact::on_plane(ball, m, bounce, END).rough(m, &rigid(), MU).meet();
        let after = meeting.velocity();
        let angle = slip(&meeting, RADIUS).atan2(after.z).to_degrees();
        [after.x / (3.9 * sin), meeting.spin().y, angle]
    };
    let (mut gross, mut gross_angle) = (Worst::relative(), Curve::default());
    let mut curves = [(); 3].map(|()| Curve::default());
    for (name, m) in [("Al oxide", material(380.0, 0.23, 4000.0)), ("Al alloy", material(70.0, 0.33, 2700.0))] {
        for (degrees, e_t, spin, angle) in GROSS {
            let got = oblique(&m, degrees);
            gross.see(format!("{name} {degrees} deg, e_t"), e_t, got[0]);
            gross.see(format!("{name} {degrees} deg, spin"), spin, got[1]);
            gross_angle.see(degrees, angle, got[2]);
        }
        for (degrees, e_t, spin, angle) in MICRO {
            let got = oblique(&m, degrees);
            for (k, reference) in [e_t, spin, angle].into_iter().enumerate() {
                curves[k].see(degrees, reference, got[k]);
            }
        }
    }
    gross.row(report, "test 4, NoTension, gross slip: e_t and spin", GROSS_SLIP, LEVER);
    gross_angle.row(report, "test 4, NoTension, gross slip: rebound angle, mean error", GROSS_SLIP, LEVER);
    let [e_t, spin, angle] = curves;
    e_t.row(report, "test 4, micro-slip: e_t, mean error", MICRO_SLIP, LAW);
    spin.row(report, "test 4, micro-slip: spin, mean error", MICRO_SLIP, LAW);
    angle.row(report, "test 4, micro-slip: rebound angle, mean error", MICRO_SLIP, SMALL);
}

fn constant_normal_speed(report: &mut Report) {
    const RADIUS: f64 = 1e-5;
    const MU: f64 = 0.3;
    const NORMAL: f64 = 5.0;
    // Columns: Vt/(mu Vn) and R w/(mu Vn).
    const MICRO: [(f64, f64); 5] = [(0.353, 0.430), (0.994, 1.250), (2.0, 2.524), (2.99, 3.904), (3.99, 4.837)];
    const FINITE_ELEMENTS: [(f64, f64); 6] =
        [(0.595, 0.406), (1.185, 0.982), (1.896, 1.793), (2.763, 2.856), (3.890, 4.041), (4.688, 4.569)];
    // The law of granum for a rigid steel ball, integrated by a separate program with 200,000 steps
    // per contact.
    const INTEGRATED: [(f64, f64); 5] =
        [(0.353, 0.1237), (0.994, 0.4142), (2.0, 1.5649), (2.99, 2.8375), (3.99, 3.8469)];
    let spin = |m: &Material, x: f64| {
        let ball = Ball::uniform(RADIUS, m.density).moving(DVec3::new(x * MU * NORMAL, 0.0, -NORMAL));
        let (_, meeting) = Impact::on_plane(ball, m, ELASTIC, END).rough(m, &rigid(), MU).meet();
        RADIUS * meeting.spin().y / (MU * NORMAL)
    };
    let (mut micro, mut elements) = (Curve::default(), Curve::default());
    for (name, m) in [("steel", material(208.0, 0.3, 7850.0)), ("polyethylene", material(1.0, 0.4, 1400.0))] {
        let mut gross = Worst::relative();
        for x in [6.0, 10.0, 20.0, 46.0] {
            gross.see(format!("Vt/(mu Vn) {x}"), 5.0, spin(&m, x));
        }
        let reason = format!("{LEVER}; the published curve has 4.94 to 4.97 there");
        gross.row(report, format!("test 5, gross slip: R w/(mu Vn), {name}"), GROSS_SLIP, &reason);
        for (x, reference) in MICRO {
            micro.see(x, reference, spin(&m, x));
        }
        for (x, reference) in FINITE_ELEMENTS {
            elements.see(x, reference, spin(&m, x));
        }
    }
    // At Vt/(mu Vn) = 4 this curve has the value 4.84. The curve of test 4, the same function for
    // e = 0.98 instead of 1, has 3.79.
    let reason = "the curve lies 28 % above the published finite elements, and disagrees with that of test 4";
    micro.row(report, "test 5, micro-slip: R w/(mu Vn), mean error", MICRO_SLIP, reason);
    elements.row(report, "test 5, micro-slip: finite elements, mean error", MICRO_SLIP, LAW);
    let (steel, mut law) = (material(208.0, 0.3, 7850.0), Curve::default());
    for (x, reference) in INTEGRATED {
        law.see(x, reference, spin(&steel, x));
    }
    law.row(report, "test 5, steel: fine integration of the same law, mean error", GROSS_SLIP, "");
}

/// Coefficient of restitution of the spinning balls in tests 6 to 8.
const SPUN_RESTITUTION: f64 = 0.5;
/// x = 7 mu (1+e) Vn/(2 Vs), and the published restitution of the slip velocity, -Vs'/Vs.
const SPUN: [(f64, f64); 6] =
    [(0.187, -0.815), (0.358, -0.626), (0.979, -0.017), (1.49, 0.111), (2.99, -0.049), (24.0, -0.339)];

/// Returns -Vs'/Vs of a spinning ball of radius 0.1 m that hits the plane or the ball `below` at
/// 0.2 m/s.
fn slip_restitution(m: &Material, bounce: Damping, below: Option<(Ball, &Material)>, x: f64) -> f64 {
    const RADIUS: f64 = 0.1;
    const MU: f64 = 0.4;
    let speed = 3.5 * MU * (1.0 + SPUN_RESTITUTION) * 0.2 / x;
    let ball = Ball::uniform(RADIUS, m.density).moving(DVec3::Z * -0.2).spinning(DVec3::Y * (-speed / RADIUS));
    let impact = match below {
        None => Impact::on_plane(ball, m, bounce, END).rough(m, &rigid(), MU),
        Some((lower, other)) => {
            Impact::new(ball, Some(lower), [m, other], hertz(m, other, bounce, END), END).rough(m, other, MU)
        }
    };
    let (_, meeting) = impact.meet();
    -slip(&meeting, RADIUS) / speed
}

fn spinning_on_plane(report: &mut Report) {
    let bounce = damping(SPUN_RESTITUTION, END);
    let mut gross = Worst::relative();
    let mut micro = Curve::default();
    for (name, m) in [("Al alloy", material(70.0, 0.33, 2700.0)), ("nylon", material(2.5, 0.4, 1000.0))] {
        for x in [0.184, 0.25, 0.37, 0.6] {
            gross.see(format!("{name}, x {x}"), x - 1.0, slip_restitution(&m, bounce, None, x));
        }
        for (x, reference) in SPUN {
            micro.see(x, reference, slip_restitution(&m, bounce, None, x));
        }
    }
    gross.row(report, "test 6, NoTension, gross slip: beta", GROSS_SLIP, LEVER);
    micro.row(report, "test 6, published curve: beta, mean error", MICRO_SLIP, UNSTATED);
}

fn opposite_spins(report: &mut Report) {
    // The surfaces do not slide, so that the spins may change by rounding errors only.
    const ROUNDING: f64 = 1e-12;
    let (mut worst, bounce) = (Worst::relative(), damping(SPUN_RESTITUTION, END));
    for (name, m) in [("Al alloy", material(70.0, 0.33, 2700.0)), ("copper", material(120.0, 0.35, 8900.0))] {
        for spin in [0.175, 1.0, 5.0, 22.86] {
            let ball = Ball::uniform(0.1, m.density);
            let up = ball.moving(DVec3::Z * 0.2).spinning(DVec3::Y * spin);
            let down = ball.moving(DVec3::Z * -0.2).spinning(DVec3::Y * -spin);
            let (_, meeting) =
                Impact::new(down, Some(up), [&m, &m], hertz(&m, &m, bounce, END), END).rough(&m, &m, 0.4).meet();
            worst.see(format!("{name}, {spin} rad/s, above"), -spin, meeting.spin().y);
            worst.see(format!("{name}, {spin} rad/s, below"), spin, meeting.spin_below().y);
            worst.see(format!("{name}, {spin} rad/s, tangential speed"), 1.0, 1.0 + meeting.velocity().x);
        }
    }
    worst.row(report, "test 7, opposite spins do not change", ROUNDING, "");
}

fn spinning_on_large_sphere(report: &mut Report) {
    let bounce = damping(SPUN_RESTITUTION, END);
    let (mut gross, mut micro) = (Worst::relative(), Curve::default());
    for (name, m) in [("Al alloy", material(70.0, 0.33, 2700.0)), ("nylon", material(2.5, 0.4, 1000.0))] {
        for (case, factor) in [("A, stiffness x1000", 1000.0), ("B, equal stiffness", 1.0)] {
            let stiffer = m.elasticity.map(|e| Elasticity { young: factor * e.young, ..e });
            let other = Material { elasticity: stiffer, ..m.clone() };
            let below = || Some((Ball::uniform(0.5, 1000.0 * m.density), &other));
            for x in [0.184, 0.25, 0.37, 0.6] {
                gross.see(format!("{name}, {case}, x {x}"), x - 1.0, slip_restitution(&m, bounce, below(), x));
            }
            for x in [1.49, 2.99, 24.0] {
                micro.see(x, slip_restitution(&m, bounce, None, x), slip_restitution(&m, bounce, below(), x));
            }
        }
    }
    gross.row(report, "test 8, NoTension, A and B, gross slip: beta", GROSS_SLIP, LEVER);
    micro.row(report, "test 8, A and B, micro-slip: difference from test 6, mean error", MICRO_SLIP, LAW);
}
