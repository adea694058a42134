//! N10: stacked blocks. Loads follow from statics; a tower and a pyramid stand without drift.

use glam::DVec3;
use granum_engine::{ContactLaw, Damping, EndRule, Motion, Simulation, Tangential};
use granum_geometry::Measure;
use granum_geometry::shape::Box;

use crate::laboratory::{GRAVITY, Laboratory, damped_spring};
use crate::{Case, Report};

/// Loads, and rest for 2 s.
pub const N10: Case = Case { name: "N10", tier: 1, about: "a tower of ten boxes: loads, and rest for 2 s", run: short };
/// Rest for 60 s.
pub const N10_FULL: Case =
    Case { name: "N10-full", tier: 2, about: "a tower of ten boxes and a pyramid of 55 stand for 60 s", run: long };

const MASS: f64 = 1.0;
const HALF: DVec3 = DVec3::new(0.1, 0.1, 0.05);
/// Stiffness of each contact point, N/m. The lowest block of the tower sinks by 2.5e-4 m.
const STIFFNESS: f64 = 1e5;
/// Time step, s: a twentieth of half a period of a block between two others, on eight points.
const TIME_STEP: f64 = 1.7e-4;
/// Time for the blocks to come to rest, s. The slowest oscillation of the tower decays a
/// thousandfold in 2 s.
const SETTLING: f64 = 8.0;
/// Displacement (relative to the size of a block) and rotation (rad) that count as zero.
const DRIFT: f64 = 1e-9;

fn law() -> ContactLaw {
    let tangential = Tangential::Linear { friction: 0.5, ratio: 2.0 / 7.0, zeta: 0.3 };
    ContactLaw { tangential, ..damped_spring(STIFFNESS, Damping::Ratio(0.3), EndRule::NoTension) }
}

/// Creates rows of blocks on top of each other. Row `k` has blocks at the positions `row(k)` along
/// x.
fn pile(measure: Measure, rows: &[Vec<f64>]) -> Simulation {
    let mut lab = Laboratory::new(law()).with_gravity();
    lab.world.set_measure(measure).expect("a new world");
    lab.wall(DVec3::Z, DVec3::ZERO, Motion::Fixed);
    let shape = lab.world.add_shape(Box { half_sizes: HALF }).expect("a valid block");
    let squares = HALF * HALF;
    let moments = MASS / 3.0 * (DVec3::splat(squares.element_sum()) - squares);
    for (k, row) in rows.iter().enumerate() {
        for &x in row {
            let mut block = lab.of_shape(shape, MASS, moments);
            block.pose.position = DVec3::new(x, 0.0, HALF.z * (2 * k + 1) as f64);
            lab.add(block);
        }
    }
    lab.start(TIME_STEP)
}

fn tower(measure: Measure) -> Simulation {
    pile(measure, &vec![vec![0.0]; 10])
}

/// Creates a pyramid with ten blocks at the bottom and one at the top. Neighbours are a tenth of a
/// block apart.
fn pyramid(measure: Measure) -> Simulation {
    let pitch = 2.2 * HALF.x;
    let row = |k: usize| (0..10 - k).map(|j| pitch * (j as f64 + 0.5 * k as f64)).collect();
    pile(measure, &(0..10).map(row).collect::<Vec<_>>())
}

/// Returns the largest displacement (relative to the size) and rotation of settled blocks in a
/// given time.
fn drift(simulation: &mut Simulation, duration: f64) -> (f64, f64) {
    simulation.run((SETTLING / TIME_STEP) as u64);
    let before = simulation.snapshot();
    simulation.run((duration / TIME_STEP) as u64);
    let after = simulation.snapshot();
    let bodies = before.bodies.iter().zip(&after.bodies);
    bodies.fold((0f64, 0f64), |(path, turn), (before, after)| {
        let turned = (after.orientation * before.orientation.inverse()).to_scaled_axis().length();
        (path.max((after.position - before.position).length() / HALF.x), turn.max(turned))
    })
}

/// Returns the depth at which two whole faces carry a load, m. By depth four points are four
/// springs. By moments the overlap of two plates with the area a x a and the depth d is
/// `D = 2/sqrt(1/d^2 + 2/a^2)`, and the force `k D dD/dd = 4 k d/(1 + 2 d^2/a^2)^2`.
fn depth_under(load: f64, measure: Measure) -> f64 {
    let nominal = load / (4.0 * STIFFNESS);
    if measure == Measure::Depth {
        return nominal;
    }
    let slimness = 2.0 / (2.0 * HALF.x).powi(2);
    // The correction is of the order 1e-6, and each step gains as many digits.
    (0..5).fold(nominal, |depth, _| nominal * (1.0 + slimness * depth * depth).powi(2))
}

fn short(report: &mut Report) {
    for (measure, points) in [(Measure::Moments, 1.0), (Measure::Depth, 4.0)] {
        let name = format!("tower of ten, {}", measure.name());
        let mut simulation = tower(measure);
        let (path, turn) = drift(&mut simulation, 2.0);
        report.at_most(format!("{name}: largest displacement in 2 s, sizes"), path, DRIFT);
        report.at_most(format!("{name}: largest turn in 2 s, rad"), turn, DRIFT);
        let snapshot = simulation.snapshot();
        for above in [1.0, 5.0, 9.0] {
            let height = (10.0 - above) * 2.0 * HALF.z;
            let near = snapshot.contacts.iter().filter(|contact| (contact.point.z - height).abs() < HALF.z);
            let overlaps: Vec<f64> = near.map(|contact| -contact.gap).collect();
            let exact = depth_under(above * MASS * GRAVITY, measure);
            let worst = overlaps.iter().copied().max_by(|p, q| (p - exact).abs().total_cmp(&(q - exact).abs()));
            report.relative(
                format!("{name}: overlap under the upper {above}, m"),
                exact,
                worst.unwrap_or(f64::NAN),
                1e-8,
            );
            report.absolute(format!("{name}: points under the upper {above}"), points, overlaps.len() as f64, 0.0);
        }
    }
}

fn long(report: &mut Report) {
    let measure = Measure::default();
    for (what, mut simulation) in [("tower of ten", tower(measure)), ("pyramid of 55", pyramid(measure))] {
        let (path, turn) = drift(&mut simulation, 60.0);
        report.at_most(format!("{what}: largest displacement in 60 s, sizes"), path, DRIFT);
        report.at_most(format!("{what}: largest turn in 60 s, rad"), turn, DRIFT);
    }
}
