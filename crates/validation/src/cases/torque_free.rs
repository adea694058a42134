//! F2: free rotation of bodies with three different moments, compared with Jacobi's closed form and
//! with a table of spins and attitudes integrated with 34 digits (`data/torque_free.json`).

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, Simulation};
use serde::Deserialize;

use crate::jacobi::FreeRotation;
use crate::laboratory::{Laboratory, spring};
use crate::{Case, Report};

/// Free rotation.
pub const F2: Case = Case { name: "F2", tier: 0, about: "torque-free rotation: spin, attitude, order, drift", run };

/// Default time step of the cases, s. The fastest body rotates by 0.015 rad per step.
const STEP: f64 = 1e-3;
/// Largest error of the spin in rad/s, and of the attitude in rad, at the default step.
const LIMIT: f64 = 1e-6;
/// Largest relative drift of angular momentum and energy.
const DRIFT: f64 = 1e-10;

/// A freely rotating body: a ball with given moments of inertia.
pub struct Spinner {
    simulation: Simulation,
    id: BodyId,
    moments: DVec3,
}

impl Spinner {
    /// Creates the body. `spin` is in body axes.
    pub fn new(moments: DVec3, spin: DVec3, orientation: DQuat, step: f64) -> Self {
        let mut lab = Laboratory::new(spring(1.0));
        let mut body = lab.ball(0.1, 1.0, DVec3::ZERO);
        body.mass = Some((1.0, moments));
        body.pose.orientation = orientation;
        body.spin = orientation.normalize() * spin;
        let id = lab.add(body);
        Self { simulation: lab.start(step), id, moments }
    }

    /// Takes some steps.
    pub fn run(&mut self, steps: u64) {
        self.simulation.run(steps);
    }

    /// Returns the time, s.
    pub fn time(&self) -> f64 {
        self.simulation.world().time()
    }

    /// Returns the rotation from body axes to world axes.
    pub fn orientation(&self) -> DQuat {
        self.simulation.world().orientation(self.id)
    }

    /// Returns the spin in body axes, rad/s.
    pub fn spin(&self) -> DVec3 {
        self.orientation().conjugate() * self.simulation.world().twist(self.id).spin
    }

    /// Returns the magnitude of the angular momentum and the kinetic energy, both from the spin.
    fn invariants(&self) -> [f64; 2] {
        let spin = self.spin();
        [(self.moments * spin).length(), 0.5 * (self.moments * spin).dot(spin)]
    }
}

/// One entry of the table.
#[derive(Deserialize)]
struct Entry {
    id: String,
    #[serde(rename = "I")]
    moments: DVec3,
    omega0_body: DVec3,
    #[serde(rename = "q0_wxyz_body_to_space")]
    q0: [f64; 4],
    times: Vec<f64>,
    omega_body: Vec<DVec3>,
    q_wxyz: Vec<[f64; 4]>,
}

fn quaternion([w, x, y, z]: [f64; 4]) -> DQuat {
    DQuat::from_xyzw(x, y, z, w)
}

/// Returns the angle between two orientations, rad.
pub fn angle(p: DQuat, q: DQuat) -> f64 {
    2.0 * (p.conjugate() * q).xyz().length().min(1.0).asin()
}

/// Largest errors of one run of an entry.
struct Worst {
    spin: f64,
    attitude: f64,
    /// Relative drift of angular momentum and energy.
    drift: [f64; 2],
}

fn follow(entry: &Entry, step: f64) -> Worst {
    // The listed times are equidistant; the interval is divided into equal steps not longer than
    // `step`.
    let interval = entry.times[1] - entry.times[0];
    let steps = (interval / step).ceil();
    let mut spinner = Spinner::new(entry.moments, entry.omega0_body, quaternion(entry.q0), interval / steps);
    let start = spinner.invariants();
    let mut worst = Worst { spin: 0.0, attitude: 0.0, drift: [0.0; 2] };
    for (spin, attitude) in entry.omega_body.iter().zip(&entry.q_wxyz).skip(1) {
        for _ in 0..10 {
            spinner.run(steps as u64 / 10);
            for ((drift, now), then) in worst.drift.iter_mut().zip(spinner.invariants()).zip(start) {
                *drift = drift.max((now / then - 1.0).abs());
            }
        }
        spinner.run(steps as u64 % 10);
        worst.spin = worst.spin.max((spinner.spin() - *spin).length());
        worst.attitude = worst.attitude.max(angle(spinner.orientation(), quaternion(*attitude)));
    }
    worst
}

fn run(report: &mut Report) {
    printed_tables(report);
    sign_cases(report);
    let table: Vec<Entry> =
        serde_json::from_str(include_str!("../../data/torque_free.json")).expect("a table in the crate");
    let mut drift = [0f64; 2];
    for entry in &table {
        let worst = follow(entry, STEP);
        report.at_most(format!("{}: spin, rad/s", entry.id), worst.spin, LIMIT);
        report.at_most(format!("{}: attitude, rad", entry.id), worst.attitude, LIMIT);
        drift = [drift[0].max(worst.drift[0]), drift[1].max(worst.drift[1])];
    }
    report.at_most("drift of |L|, all entries", drift[0], DRIFT);
    report.at_most("drift of the energy, all entries", drift[1], DRIFT);
    order(report, &table);
    closed_form(report, &table);
}

/// Compares the closed form of the engine at the listed times, for all orderings of the moments.
fn closed_form(report: &mut Report, table: &[Entry]) {
    // Largest relative error: rounding errors of the elliptic integrals. The table has more digits.
    const CLOSED: f64 = 1e-12;
    let (mut spin, mut attitude) = (0f64, 0f64);
    for entry in table {
        let motion =
            granum_engine::FreeRotation::new(entry.moments, entry.omega0_body, quaternion(entry.q0).normalize());
        for (k, &t) in entry.times.iter().enumerate() {
            let (w, q) = motion.at(t);
            spin = spin.max((w - entry.omega_body[k]).length() / entry.omega0_body.length());
            attitude = attitude.max(angle(q, quaternion(entry.q_wxyz[k])));
        }
    }
    report.at_most("closed form at once, all entries: spin, relative", spin, CLOSED);
    report.at_most("closed form at once, all entries: attitude, rad", attitude, CLOSED);
}

/// Compares printed figures of the two examples of [Leon2016].
fn printed_tables(report: &mut Report) {
    let mut check = |what: &str, moments: DVec3, w: DVec3, period: f64, figures: &[(f64, [f64; 3])]| {
        let closed = FreeRotation::new(moments, w);
        // The reference has ten printed digits.
        report.relative(format!("{what}: period of the closed form"), period, closed.period(), 1e-9);
        let mut spinner = Spinner::new(moments, w, DQuat::IDENTITY, STEP);
        let mut worst = 0f64;
        for &(t, spin) in figures {
            let steps = ((t - spinner.time()) / STEP).round() as u64;
            spinner.run(steps);
            worst = worst.max((spinner.spin() - DVec3::from(spin)).length());
        }
        report.at_most(format!("{what}: spin against the printed table, rad/s"), worst, LIMIT);
    };
    check(
        "I 5,10,12 w 1,10,2",
        DVec3::new(5.0, 10.0, 12.0),
        DVec3::new(1.0, 10.0, 2.0),
        2.790889128,
        &[
            (0.5, [-3.405473110, 9.025232273, 3.877989049]),
            (1.0, [-6.077236573, -6.092420895, 6.436614370]),
            (2.0, [5.017387968, -7.595734426, 5.401984784]),
            (3.0, [-0.506501512, 10.064842194, 1.795986202]),
            (4.0, [-2.878929321, -9.340534805, 3.404689480]),
            (5.0, [7.594804567, -0.898972351, 7.939947550]),
        ],
    );
    check(
        "I 10,20,26 w 1,15,1",
        DVec3::new(10.0, 20.0, 26.0),
        DVec3::new(1.0, 15.0, 1.0),
        2.347112993,
        &[(1.0, [-3.828166746, -14.380317074, 3.122997885]), (5.0, [-1.008988133, 14.999197443, 1.005770865])],
    );
}

/// Cases A to H of [Leon2016]: every choice of signs of the spin. Two changed signs leave Euler's
/// equations unchanged. One or three changed signs reverse time, and the closed form is evaluated
/// at -t.
fn sign_cases(report: &mut Report) {
    let (moments, w) = (DVec3::new(5.0, 10.0, 12.0), DVec3::new(1.0, 10.0, 2.0));
    let closed = FreeRotation::new(moments, w);
    let mut worst = 0f64;
    for case in 0..8 {
        let sign = |bit: i32| if case & bit == 0 { 1.0 } else { -1.0 };
        let signs = DVec3::new(sign(1), sign(2), sign(4));
        let handed = signs.x * signs.y * signs.z;
        let mut spinner = Spinner::new(moments, signs * w, DQuat::IDENTITY, STEP);
        for _ in 0..10 {
            spinner.run(500);
            let reference = signs * closed.spin(handed * spinner.time());
            worst = worst.max((spinner.spin() - reference).length());
        }
    }
    report.at_most("cases A to H (all signs) against the closed form, rad/s", worst, LIMIT);
}

/// The error must decrease with the fourth power of the step. It vanishes for a symmetric top and a
/// ball.
fn order(report: &mut Report, table: &[Entry]) {
    // Step lengths at which neither higher orders nor rounding errors matter.
    const COARSE: f64 = 0.01;
    // A tenth of an order: the ratio of the errors is then between 14.9 and 17.1.
    const ORDER_LIMIT: f64 = 0.1;
    // Largest error of a symmetric top: rounding errors of ten thousand steps.
    const EXACT: f64 = 1e-12;
    let named = |name: &str| table.iter().find(|entry| entry.id == name).expect("the table has this entry");
    for name in ["thesis_case_A", "order_321_D2neg"] {
        let step = COARSE * if name == "thesis_case_A" { 1.0 } else { 5.0 };
        let (coarse, fine) = (follow(named(name), step), follow(named(name), 0.5 * step));
        report.absolute(format!("{name}: order of the spin"), 4.0, (coarse.spin / fine.spin).log2(), ORDER_LIMIT);
        let order = (coarse.attitude / fine.attitude).log2();
        report.absolute(format!("{name}: order of the attitude"), 4.0, order, ORDER_LIMIT);
    }
    for name in ["oblate_I1=I2", "sphere"] {
        let worst = follow(named(name), 0.1);
        report.at_most(format!("{name}: spin with a step of 0.1 s, rad/s"), worst.spin, EXACT);
        report.at_most(format!("{name}: attitude with a step of 0.1 s, rad"), worst.attitude, EXACT);
    }
}
