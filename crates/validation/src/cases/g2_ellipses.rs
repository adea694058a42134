//! G2: the worked examples of \[Martinez2003\] for ellipses: as printed, by its corrected methods,
//! and exact.

use granum_geometry::{Manifold, Measure, collide};
use granum_reference::methods::{Search, brent, curvature, potential};

use super::worst::Worst;
use crate::ellipse_examples::{Example, examples};
use crate::{Case, Report};

/// The case.
pub const G2: Case =
    Case { name: "G2", tier: 0, about: "ellipse pairs of [Martinez2003], examples 4.1-4.17, A.1-A.3", run };

/// Six printed digits of a value.
const PRINTED: f64 = 1e-5;
/// Half the last printed digit of an angle and Brent's tolerance of 1e-5 rad, degrees.
const PRINTED_ANGLE: f64 = 5e-4 + 6e-4;
/// Error of the exact gap, m.
const EXACT: f64 = 1e-9;

fn run(report: &mut Report) {
    let examples = examples();
    as_printed(report, &examples);
    corrected(report, &examples);
    appendix(report);
}

/// Compares the published method, including its errors, with its printed figures.
fn as_printed(report: &mut Report, examples: &[Example]) {
    let [mut angle, mut f, mut h] = [(); 3].map(|()| Worst::absolute());
    for example in examples {
        let search = Search::AsPrinted { tolerance: example.tolerance };
        let found = curvature(&example.pair(), search).expect("ellipses");
        let minima = found.potential;
        let printed = |key: &str| example.number("printed", key);
        for (key, ours) in [("thetaB_deg", minima.on_b.at), ("thetaA_deg", minima.on_a.at)] {
            if let Some(printed) = printed(key) {
                // A minimum at zero may be approached from either side.
                let apart = (ours.to_degrees() - printed + 180.0).rem_euclid(360.0) - 180.0;
                angle.see(&example.id, printed, printed + apart);
            }
        }
        for (key, ours) in [("fA_at_B", minima.on_b.value), ("fB_at_A", minima.on_a.value)] {
            if let Some(printed) = printed(key) {
                let scale = printed.abs().max(1.0);
                f.see(&example.id, printed / scale, ours / scale);
            }
        }
        if let Some(printed) = printed("h") {
            let scale = printed.abs().max(1.0);
            h.see(&example.id, printed / scale, found.overlap / scale);
        }
    }
    angle.row(report, "as printed: angles of the minima, degrees", PRINTED_ANGLE, "");
    f.row(report, "as printed: least f, over its size", PRINTED, "");
    h.row(report, "as printed: overlap h, over its size", PRINTED, "");
}

/// Compares the global minimum, the signed distance and the exact gap.
fn corrected(report: &mut Report, examples: &[Example]) {
    let [mut f, mut gap, mut h] = [(); 3].map(|()| Worst::absolute());
    let mut manifold = Manifold::default();
    for example in examples {
        let minima = potential(&example.pair(), Search::Global).expect("ellipses");
        for (key, ours) in [("fA_at_B", minima.on_b.value), ("fB_at_A", minima.on_a.value)] {
            f.see(&example.id, example.number("global_min", key).expect("a minimum"), ours);
        }
        collide(Measure::Depth, &example.pair(), &mut manifold);
        let ours = manifold.deepest().map_or(f64::NAN, |point| point.gap);
        gap.see(&example.id, example.number("exact", "signed_gap").expect("a gap"), ours);
        let mended = curvature(&example.pair(), Search::Global).expect("ellipses");
        let exact = -example.number("exact", "signed_gap").expect("a gap");
        // The reference of 4.12.b is unsigned.
        if let Some(reference) = example.number("global_min", "h_curvature").filter(|_| example.id != "4.12.b") {
            h.see(&example.id, reference, mended.overlap);
        }
        if example.id == "4.7" {
            report.absolute("4.7: global minimum of f, printed 0.686508", -0.987233, minima.on_a.value, PRINTED);
            report.absolute("4.7: exact gap, not printed", -4.42012, ours, PRINTED);
        }
        if example.id == "4.12.b" {
            report.absolute("4.12.b: exact overlap, printed h -1.51472", 8.717798, -ours, PRINTED);
            let sign = f64::from(u8::from(mended.overlap > 0.0));
            report.absolute("4.12.b: signed curvature method sees a contact", 1.0, sign, 0.0);
            report.note(format!("its h is {:.5}, the exact overlap {exact:.5}", mended.overlap));
        }
    }
    f.row(report, "global minimum of f", EXACT, "");
    h.row(report, "curvature method with the global minimum: h, m", 1e-6, "");
    gap.row(report, "exact gap, m", EXACT, "");
}

/// Compares Brent's method on the functions of [Martinez2003, appendix A].
fn appendix(report: &mut Report) {
    let cubic = |x: f64| x.powi(3) - 2.0 * x - 5.0;
    let quartic = |x: f64| x.powi(4) + x.powi(3) - x * x + 5.0;
    type Row<'a> = (&'a str, &'a dyn Fn(f64) -> f64, [f64; 2], f64);
    let rows: [Row; 8] = [
        ("A.1", &cubic, [-1.7, 0.816497], 0.81649),
        ("A.1", &cubic, [0.0, 1.0], 0.816497),
        ("A.1", &cubic, [-15.0, 15.0], -15.0),
        ("A.2", &f64::sin, [1.0, 5.0], 4.71239),
        ("A.2", &f64::sin, [-5.0, 5.0], -std::f64::consts::FRAC_PI_2),
        ("A.3", &quartic, [-2.0, -0.75], -1.17539),
        ("A.3", &quartic, [0.1, 1.0], 0.425391),
        ("A.3", &quartic, [-10.0, 10.0], -1.17539),
    ];
    let mut argument = Worst::absolute();
    for (name, f, [low, high], printed) in rows {
        argument.see(format!("{name} on [{low}, {high}]"), printed, brent(f, low, high, 1e-5).at);
    }
    argument.row(report, "A.1-A.3: Brent's argument", 1.5e-5, "");
    let at = brent(quartic, -20.0, 20.0, 1e-5).at;
    let slope = |x: f64| 4.0 * x.powi(3) + 3.0 * x * x - 2.0 * x;
    report.at_most("A.3 on [-20, 20]: slope where the search ends", slope(at), 1e-3);
    report.note(format!(
        "printed -0.72136, where the slope is {:.3}: no minimum; the search of granum ends at {at:.5}",
        slope(-0.72136)
    ));
}
