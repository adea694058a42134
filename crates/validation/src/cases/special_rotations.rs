//! F3 to F6: the separatrix, the symmetric top, the flips of the intermediate axis, and a very long
//! rotation.

use glam::{DQuat, DVec3};

use super::torque_free::Spinner;
use crate::jacobi::FreeRotation;
use crate::{Case, Report};

/// The separatrix.
pub const F3: Case = Case { name: "F3", tier: 0, about: "free rotation on the separatrix", run: separatrix };
/// The symmetric top.
pub const F4: Case = Case { name: "F4", tier: 0, about: "symmetric top: body and space precession", run: symmetric };
/// Dzhanibekov's flips.
pub const F5: Case = Case { name: "F5", tier: 0, about: "time between flips about the middle axis", run: flips };
/// Ten million steps.
pub const F6: Case = Case { name: "F6", tier: 2, about: "unit quaternion after ten million steps", run: long };

/// The rotation on the separatrix, which [Leon2016] excludes, approaches a rotation about the
/// middle axis. It is unstable: an error grows like `exp(4.08 t)`. Therefore the run lasts one
/// second, from before the half turn to after it.
fn separatrix(report: &mut Report) {
    // Largest error of the spin, rad/s, as in F2.
    const LIMIT: f64 = 1e-6;
    let moments = DVec3::new(5.0, 10.0, 12.0);
    let [i1, i2, i3] = moments.to_array();
    let middle = 10.0;
    let amplitude = middle
        * DVec3::new((i2 * (i3 - i2) / (i1 * (i3 - i1))).sqrt(), 1.0, (i2 * (i2 - i1) / (i3 * (i3 - i1))).sqrt());
    let rate = middle * ((i2 - i1) * (i3 - i2) / (i1 * i3)).sqrt();
    let exact = |t: f64| {
        let x: f64 = rate * (t - 0.5);
        amplitude * DVec3::new(1.0 / x.cosh(), x.tanh(), 1.0 / x.cosh())
    };
    // The reference has nine printed digits.
    report.at_most(
        "closed form against the printed figures",
        (exact(1.0) - DVec3::new(1.930845584, 9.668283810, 1.970661022)).length(),
        2e-9,
    );
    let mut spinner = Spinner::new(moments, exact(0.0), DQuat::IDENTITY, 1e-3);
    for t in [0.5, 1.0] {
        spinner.run(500);
        report.at_most(format!("spin after {t} s, rad/s"), (spinner.spin() - exact(t)).length(), LIMIT);
    }
}

/// The integrator is exact for a symmetric top. Only rounding errors remain at any step length.
fn symmetric(report: &mut Report) {
    // Rounding errors of a thousand steps, each of about 1e-16 of a turn.
    const LIMIT: f64 = 1e-12;
    let (moments, w) = (DVec3::new(2.0, 2.0, 3.0), DVec3::new(1.0, 0.0, 5.0));
    let tilted = DQuat::from_scaled_axis(DVec3::new(0.3, -0.7, 1.1));
    let mut spinner = Spinner::new(moments, w, tilted, 0.01);
    let momentum = tilted * (moments * w);
    let axis = momentum.normalize();
    let (mut in_body, mut in_space) = (0f64, 0f64);
    for _ in 0..100 {
        spinner.run(10);
        let t = spinner.time();
        let exact = DVec3::new((2.5 * t).cos(), (2.5 * t).sin(), 5.0);
        in_body = in_body.max((spinner.spin() - exact).length());
        let precessed = DQuat::from_axis_angle(axis, momentum.length() / moments.x * t) * (tilted * DVec3::Z);
        in_space = in_space.max((spinner.orientation() * DVec3::Z - precessed).length());
    }
    report.at_most("body precession at 2.5 rad/s for 10 s, spin in rad/s", in_body, LIMIT);
    report.at_most("space precession at |L|/I1 for 10 s, direction of the axis", in_space, LIMIT);
}

/// Compares the time between two zeros of the spin about the intermediate axis.
fn flips(report: &mut Report) {
    /// Largest relative error of a time that is interpolated between samples 5 ms apart.
    const LIMIT: f64 = 1e-3;
    let moments = DVec3::new(1.0, 2.0, 3.0);
    // The second reference was computed with 30 digits. The published value 4.468420617 has a
    // cancellation error in 1 - k² in its last three digits.
    for (nudge, printed) in [(0.01, 2.873142444), (1e-4, 4.468420823)] {
        let w = DVec3::new(nudge, 10.0, 0.0);
        let rotation = FreeRotation::new(moments, w);
        // The reference has ten printed digits.
        report.relative(format!("nudge {nudge}: closed form, s"), printed, 0.5 * rotation.period(), 1e-9);
        let mut spinner = Spinner::new(moments, w, DQuat::IDENTITY, 1e-3);
        let mut crossings = Vec::new();
        while crossings.len() < 4 && spinner.time() < 5.0 * printed {
            let before = spinner.spin().y;
            spinner.run(5);
            let after = spinner.spin().y;
            if before * after < 0.0 {
                crossings.push(spinner.time() - 5e-3 * after / (after - before));
            }
        }
        for pair in crossings.windows(2) {
            report.relative(format!("nudge {nudge}: time between flips, s"), printed, pair[1] - pair[0], LIMIT);
        }
    }
}

/// Rounding errors must not accumulate in the length of the quaternion or in its rotation matrix.
fn long(report: &mut Report) {
    /// Largest error. If the rounding errors of all steps added up, it would be about 1e-9.
    const LIMIT: f64 = 1e-12;
    let moments = DVec3::new(1.0, 2.0, 3.0);
    let mut spinner = Spinner::new(moments, DVec3::new(3.0, 10.0, -2.0), DQuat::IDENTITY, 1e-3);
    spinner.run(10_000_000);
    let q = spinner.orientation();
    report.absolute("length of the quaternion after 1e7 steps", 1.0, q.length(), LIMIT);
    let matrix = glam::DMat3::from_quat(q);
    let product = matrix * matrix.transpose() - glam::DMat3::IDENTITY;
    let off = product.to_cols_array().into_iter().fold(0f64, |worst, entry| worst.max(entry.abs()));
    report.at_most("rotation matrix times its transpose, less one", off, LIMIT);
}
