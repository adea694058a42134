//! W3: discharge of discs from a silo through a slot. The rate is proportional to the slot width,
//! reduced by about a grain, to the power 3/2 \[Beverloo1961\].

use glam::{DVec2, DVec3};
use granum_engine::{BodyId, BodySpec, Motion, Simulation, Stiffness, World};
use granum_geometry::Pose;
use granum_geometry::shape::{Disc, Segment};

use crate::laboratory::{Laboratory, Random, dry_grains};
use crate::{Case, Report};

/// The case.
pub const W3: Case = Case { name: "W3", tier: 3, about: "flow of discs through slots of five widths", run };

/// Widths of the slot, in mean diameters of the discs. They are wide enough to avoid stable arches.
const SLOTS: [f64; 5] = [6.0, 8.0, 10.5, 13.0, 16.0];
/// Half the width of the silo, m; the discs are about 1 m wide, and gravity is 1 m/s².
const HALF: f64 = 30.0;
/// Number of discs in a row at the start, and number of rows.
const COLUMNS: u32 = 52;
const ROWS: u32 = 64;
/// Relative variation of the diameters, which prevents crystallisation.
const SPREAD: f64 = 0.1;
/// Depth of the lower floor that collects the discs, m.
const DEPTH: f64 = 90.0;
/// Stiffness, N/m. A disc at the bottom of the bed carries 20 N and overlaps its neighbours by less
/// than 1 % of its diameter.
const STIFFNESS: f64 = 4e3;
/// Time step, s: a twentieth of a contact of two small discs.
const TIME_STEP: f64 = 1.25e-3;
/// Fractions of the bed between which the rate is measured: after the flow is established, and
/// while the bed is deeper than the width of the slot.
const COUNTED: [f64; 2] = [0.05, 0.3];
/// Steps between two samples (0.02 s), in which at most a fifth of a disc passes.
const SAMPLE_STEPS: u64 = 16;
/// Steps to settle before the slot opens (25 s). The last disc falls for 6 s.
const SETTLING: u64 = 20_000;
/// Number of samples after which a slot counts as blocked (400 s).
const MOST_SAMPLES: u64 = 20_000;
/// Reduction of the width in the fit, in diameters: smallest value, largest value and step.
const LEAST_LOSS: [f64; 3] = [0.0, 3.0, 0.02];

fn run(report: &mut Report) {
    let bed = Bed::settled();
    let rates = std::array::from_fn(|slot| bed.rate(slot));
    let (exponent, lost) = fit(&rates);
    report.absolute("exponent of the width of the slot", 1.5, exponent, 0.1);
    report.note(format!("{lost:.2} diameters are taken from the width; rates {rates:.2?} kg/s per metre"));
}

/// A bed at rest on a floor with removable parts.
struct Bed {
    world: World,
    /// Removable parts of the floor, from the middle outward.
    lids: [Vec<BodyId>; SLOTS.len()],
    mass: f64,
}

impl Bed {
    fn settled() -> Self {
        let mut lab = Laboratory::planar(dry_grains(Stiffness::Constant(STIFFNESS)));
        lab.world.set_gravity(DVec3::NEG_Y).expect("a valid value");
        for normal in [DVec3::X, DVec3::NEG_X] {
            lab.wall(normal, -HALF * normal, Motion::Fixed);
        }
        lab.wall(DVec3::Y, -DEPTH * DVec3::Y, Motion::Fixed);
        let mut inner = 0.0;
        let lids = SLOTS.map(|width| {
            let outer = 0.5 * width;
            let parts = [bar(&mut lab, -outer, -inner), bar(&mut lab, inner, outer)];
            inner = outer;
            parts.to_vec()
        });
        bar(&mut lab, -HALF - 1.0, -inner);
        bar(&mut lab, inner, HALF + 1.0);
        let mut random = Random::new(3);
        let cell = DVec2::new(2.0 * HALF / f64::from(COLUMNS), 1.0 + 2.0 * SPREAD);
        let mut total = 0.0;
        for k in 0..COLUMNS * ROWS {
            let diameter = 1.0 + SPREAD * (2.0 * random.unit() - 1.0);
            let mass = 0.25 * std::f64::consts::PI * diameter * diameter;
            total += mass;
            let shape = lab.world.add_shape(Disc { radius: 0.5 * diameter }).expect("a valid disc");
            let [column, row] = [k % COLUMNS, k / COLUMNS].map(|k| f64::from(k) + 0.5);
            let place = cell * DVec2::new(column, row) - DVec2::new(HALF, 0.0);
            let spec = lab.of_shape(shape, mass, DVec3::splat(0.125 * mass * diameter * diameter));
            lab.add(BodySpec { pose: Pose::at(place.extend(0.0)), ..spec });
        }
        let mut simulation = lab.start(TIME_STEP);
        simulation.run(SETTLING);
        Self { world: simulation.into_world(), lids, mass: total }
    }

    /// Returns the discharge rate through a slot, kg/s.
    fn rate(&self, slot: usize) -> f64 {
        let mut world = self.world.clone();
        for &lid in self.lids[..=slot].iter().flatten() {
            world.remove_wall(lid).expect("a wall");
        }
        let mut simulation = Simulation::new(world, 1).expect("a valid world");
        let mut from = None;
        for _ in 0..MOST_SAMPLES {
            simulation.run(SAMPLE_STEPS);
            let (out, time) = (mass_below(&simulation), simulation.world().time());
            if from.is_none() && out > COUNTED[0] * self.mass {
                from = Some((out, time));
            }
            if let (Some((out_before, time_before)), true) = (from, out > COUNTED[1] * self.mass) {
                return (out - out_before) / (time - time_before);
            }
        }
        f64::NAN
    }
}

/// Adds a part of the floor.
fn bar(lab: &mut Laboratory, from: f64, to: f64) -> BodyId {
    let bar = Segment { from: DVec2::new(from, 0.0), to: DVec2::new(to, 0.0), radius: 0.0 };
    let shape = lab.world.add_shape(bar).expect("a valid segment");
    lab.add(BodySpec { motion: Motion::Fixed, ..lab.of_shape(shape, 1.0, DVec3::ONE) })
}

/// Returns the mass of the discs that have passed the slot, kg.
fn mass_below(simulation: &Simulation) -> f64 {
    let bodies = simulation.snapshot().bodies;
    bodies.iter().filter(|body| body.mass.is_finite() && body.position.y < 0.0).map(|body| body.mass).sum()
}

/// Returns the exponent and the reduction of the width with the best linear fit.
fn fit(rates: &[f64; SLOTS.len()]) -> (f64, f64) {
    let [least, most, step] = LEAST_LOSS;
    let lines = (0..=((most - least) / step) as u32).map(|k| {
        let lost = least + step * f64::from(k);
        let points: Vec<(f64, f64)> =
            SLOTS.iter().zip(rates).map(|(width, rate)| ((width - lost).ln(), rate.ln())).collect();
        let n = points.len() as f64;
        let (mean_x, mean_y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
        let xy: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        let xx: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
        let slope = xy / xx;
        let misfit: f64 = points.iter().map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum();
        (misfit, slope, lost)
    });
    lines.min_by(|a, b| a.0.total_cmp(&b.0)).map_or((f64::NAN, f64::NAN), |(_, slope, lost)| (slope, lost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_finds_the_law_that_made_the_rates() {
        let (exponent, lost) = fit(&SLOTS.map(|width| 0.6 * (width - 1.3f64).powf(1.5)));
        assert!((exponent - 1.5).abs() < 1e-9 && (lost - 1.3).abs() < 1e-9, "{exponent} {lost}");
    }
}
