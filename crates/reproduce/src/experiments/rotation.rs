//! Torque-free rotation [Leon2016, section 3.2.4]: cases A to H, an example of van Zon and Schofield,
//! symmetric tops, the separatrix, and the path of a vertex.

use glam::{DQuat, DVec3};
use granum_engine::FreeRotation;
use granum_validation::{Spinner, angle};
use serde::{Deserialize, Serialize};

use super::Experiment;
use super::statistics::curves;
use crate::{Page, Session, Stopped, Table, Verdict};

/// The experiment.
pub const FREE: Experiment = Experiment {
    name: "leon-rotation",
    about: "torque-free rotation: cases A to H, symmetric tops, the separatrix, a vertex's path",
    cost: ["3 seconds", "2 seconds"],
    run,
};

/// Time step of the published integration, s.
const STEP: f64 = 1e-3;

/// Steps between two points of a chart.
const STEPS_OF_A_POINT: u64 = 20;

/// Largest difference of two curves that coincide in a figure, relative to the largest spin: the
/// width of a line.
const COINCIDE: f64 = 1e-3;

/// One rotation: name, moments, kg m2, spin at the start, rad/s, duration, s, and figure.
struct Motion {
    name: &'static str,
    moments: [f64; 3],
    spin: [f64; 3],
    duration: f64,
    figure: &'static str,
}

const fn motion(name: &'static str, moments: [f64; 3], spin: [f64; 3], duration: f64, figure: &'static str) -> Motion {
    Motion { name, moments, spin, duration, figure }
}

/// Moments of the cases A to H.
const MOMENTS: [f64; 3] = [5.0, 10.0, 12.0];

/// The motions; the signs of the cases A to H are those of [Leon2016, table 3.4].
const MOTIONS: [Motion; 12] = [
    motion("case A", MOMENTS, [1.0, 10.0, 2.0], 5.0, "3.3"),
    motion("case B", MOMENTS, [1.0, 10.0, -2.0], 5.0, "3.3"),
    motion("case C", MOMENTS, [1.0, -10.0, 2.0], 5.0, "3.3"),
    motion("case D", MOMENTS, [-1.0, 10.0, 2.0], 5.0, "3.3"),
    motion("case E", MOMENTS, [1.0, -10.0, -2.0], 5.0, "3.4"),
    motion("case F", MOMENTS, [-1.0, 10.0, -2.0], 5.0, "3.4"),
    motion("case G", MOMENTS, [-1.0, -10.0, 2.0], 5.0, "3.4"),
    motion("case H", MOMENTS, [-1.0, -10.0, -2.0], 5.0, "3.4"),
    motion("van Zon and Schofield", [10.0, 20.0, 26.0], [1.0, 15.0, 1.0], 5.0, "3.7, 3.8"),
    motion("symmetric top, I22 = I33", [5.0, 10.0, 10.0], [1.0, 10.0, 2.0], 5.0, "3.9"),
    motion("symmetric top, I11 = I22", [10.0, 10.0, 5.0], [1.0, 10.0, 2.0], 5.0, "3.10"),
    // D2 = I3 (I3 - I2) w3^2 - I1 (I2 - I1) w1^2 = 0.
    motion("separatrix", [1.0, 2.0, 2.25], [0.75, 0.5, 1.0], 10.0, "3.11"),
];

/// The spin over time, and the differences of the integrated motion from the closed form.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Path {
    times: Vec<f64>,
    /// Spin in body axes, closed form, rad/s.
    spins: Vec<DVec3>,
    /// Largest difference of the spin, rad/s, and of the attitude, rad.
    differences: [f64; 2],
    /// Largest change of the energy and of the size of the angular momentum, relative.
    drift: [f64; 2],
}

fn follow(motion: &Motion) -> Path {
    let (moments, spin) = (DVec3::from(motion.moments), DVec3::from(motion.spin));
    let closed = FreeRotation::new(moments, spin, DQuat::IDENTITY);
    let mut spinner = Spinner::new(moments, spin, DQuat::IDENTITY, STEP);
    let invariants = |spin: DVec3| [(moments * spin).dot(spin), (moments * spin).length()];
    let at_start = invariants(spin);
    let mut path = Path { times: vec![0.0], spins: vec![spin], differences: [0.0; 2], drift: [0.0; 2] };
    while path.times.last().is_some_and(|time| *time < motion.duration - STEP) {
        spinner.run(STEPS_OF_A_POINT);
        let (exact, attitude) = closed.at(spinner.time());
        let differences = [(spinner.spin() - exact).length(), angle(spinner.orientation(), attitude)];
        let now = invariants(spinner.spin());
        for k in 0..2 {
            path.differences[k] = path.differences[k].max(differences[k]);
            path.drift[k] = path.drift[k].max((now[k] / at_start[k] - 1.0).abs());
        }
        path.times.push(spinner.time());
        path.spins.push(exact);
    }
    path
}

/// Speed of the centre of the solid of figures 3.5 and 3.6, m/s, and its gravity, m/s2.
const THROW: DVec3 = DVec3::new(2.0, 0.0, 10.0);
const GRAVITY: f64 = 9.81;

/// The vertex that is followed, body axes, m.
const VERTEX: DVec3 = DVec3::new(0.5, 0.3, 0.2);

/// Returns the heights of the centre, of the vertex with a constant spin, and with the true
/// rotation, m.
fn vertex_paths(path: &Path, motion: &Motion) -> [Vec<f64>; 3] {
    let spin = DVec3::from(motion.spin);
    let closed = FreeRotation::new(DVec3::from(motion.moments), spin, DQuat::IDENTITY);
    let mut paths = [Vec::new(), Vec::new(), Vec::new()];
    for &t in &path.times {
        let centre = THROW * t - 0.5 * GRAVITY * t * t * DVec3::Z;
        let constant = DQuat::from_scaled_axis(spin * t) * VERTEX;
        let turned = closed.at(t).1 * VERTEX;
        for (path, point) in paths.iter_mut().zip([DVec3::ZERO, constant, turned]) {
            path.push((centre + point).z);
        }
    }
    paths
}

fn run(session: &mut Session) -> Result<Page, Stopped> {
    let mut page = Page::new("Torque-free rotation", "[Leon2016], section 3.2.4, table 3.4, figures 3.3 to 3.11");
    page.text(
        "The spin by the closed form in Jacobi's functions, beside the rotation of the simulation with a step of 1 ms, \
         which is that of the publication. The publication states that its curves coincide and gives no numbers; here \
         they coincide if they differ by less than 1e-3 of the spin, the width of a line. The attitude, which the \
         publication does not solve, is compared too.",
    );
    let mut table = Table::new([
        "motion",
        "moments, kg m2",
        "spin at the start, rad/s",
        "difference of the spin, rad/s",
        "difference of the attitude, rad",
        "drift of energy, of momentum",
    ]);
    let mut paths = Vec::new();
    for (k, motion) in MOTIONS.iter().enumerate() {
        let path = session.part(&format!("motion_{k}"), 1.0 / MOTIONS.len() as f64, || follow(motion))?;
        table.row([
            motion.name.into(),
            format!("{:?}", motion.moments),
            format!("{:?}", motion.spin),
            format!("{:.1e}", path.differences[0]),
            format!("{:.1e}", path.differences[1]),
            format!("{:.1e}, {:.1e}", path.drift[0], path.drift[1]),
        ]);
        compare(&mut page, motion, &path);
        paths.push(path);
    }
    page.table(table);
    page.text(
        "A change of the signs of two components leaves Euler's equations unchanged; a change of one or three signs \
         reverses time. Errors of the published algorithms are listed in the theory page on rotation.",
    );
    for (motion, path) in MOTIONS.iter().zip(&paths) {
        let component = |k: usize| path.spins.iter().map(|spin| spin[k]).collect::<Vec<f64>>();
        let values =
            ["w1", "w2", "w3"].iter().enumerate().map(|(k, name)| ((*name).to_owned(), component(k))).collect();
        let caption = format!("Spin in body axes, {} (figure {})", motion.name, motion.figure);
        let name: String = motion.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        page.picture(&name, curves(&caption, ["time", "s"], ["spin", "rad/s"], path.times.clone(), values), &caption);
    }
    page.heading("Path of a vertex");
    page.text(format!(
        "A solid with the moments of case A is thrown at ({}, {}, {}) m/s. The centre moves on a parabola in both cases; \
         the vertex at ({}, {}, {}) m follows another path if the spin is held constant (figures 3.5 and 3.6). The \
         publication does not state the solid.",
        THROW.x, THROW.y, THROW.z, VERTEX.x, VERTEX.y, VERTEX.z
    ));
    let [centre, constant, turned] = vertex_paths(&paths[0], &MOTIONS[0]);
    let apart = constant.iter().zip(&turned).map(|(p, q)| (p - q).abs()).fold(0.0, f64::max);
    let caption = "Height of a vertex with a constant spin and with the true rotation (figures 3.5, 3.6)";
    let values = vec![
        ("centre".to_owned(), centre),
        ("constant spin".to_owned(), constant),
        ("true rotation".to_owned(), turned),
    ];
    page.picture("vertex", curves(caption, ["time", "s"], ["height", "m"], paths[0].times.clone(), values), caption);
    page.compare(
        "path of a vertex with a constant and with the true spin (figures 3.5, 3.6)",
        "clearly different",
        format!("heights differ by up to {apart:.2} m, size of the vertex {:.2} m", VERTEX.length()),
        "",
        Verdict::Reproduced,
        "",
    );
    page.compare(
        "\"k2 = 1 is not physically possible\" (section 3.2.4)",
        "true",
        "the separatrix D2 = 0 has k2 = 1",
        "cn = dn = sech, sn = tanh",
        Verdict::Corrected,
        "moments 1, 2, 2.25 and spin 0.75, 0.5, 1",
    );
    page.compare(
        "algorithm 1 for case A",
        "a solution",
        "k2 = 1.049 as printed",
        "k2 below 1 after an exchange of the axes",
        Verdict::Corrected,
        "one of two branches is missing, and eta lacks a square root",
    );
    Ok(page)
}

fn compare(page: &mut Page, motion: &Motion, path: &Path) {
    let size = DVec3::from(motion.spin).length();
    let verdict = if path.differences[0] <= COINCIDE * size { Verdict::Reproduced } else { Verdict::Differs };
    let reason = if verdict == Verdict::Differs { "the integrated motion leaves the closed form" } else { "" };
    page.compare(
        format!("figure {}, {}: integrated and closed form", motion.figure, motion.name),
        "curves coincide",
        format!("differ by {:.1e} rad/s", path.differences[0]),
        format!("attitude {:.1e} rad", path.differences[1]),
        verdict,
        reason,
    );
}
