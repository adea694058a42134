//! W1: the vertical stress in a silo saturates with depth \[Janssen1895\]:
//! `sigma = rho g l (1 - exp(-z/l))`, `l = D/(4 mu K)`.
//!
//! The wall is a triangulated tube. The bed settles while the tube is smooth; then the tube becomes
//! rough and moves slowly upward, so that friction is mobilised everywhere. Without this motion the
//! stress depends on the pouring.

use glam::DVec3;
use granum_engine::{Drive, Motion, Simulation};
use granum_geometry::surface::generate::{CylinderSurface, RandomPlane};

use super::bulk::{Bulk, MASS, law, run_for, settle, spheroid};
use crate::{Case, Report};

/// The case.
pub const W1: Case = Case { name: "W1", tier: 3, about: "stress in a silo of spheroids saturates (Janssen)", run };

/// Radius of the tube to the edges between its facets, in grains, and number of facets.
const RADIUS: f64 = 4.5;
const FACETS: u32 = 20;
/// Number of grains. The bed is about eight radii high, several times the length of saturation.
const GRAINS: usize = 2500;
/// Ratio of the axes of the grains.
const ASPECT: f64 = 1.5;
/// Stiffness, N/m. The stress at the bottom is below 10 Pa, and the overlap below 1 %.
const STIFFNESS: f64 = 1e3;
const FRICTION: f64 = 0.5;
const WALL_FRICTION: f64 = 0.4;
/// Speed of the tube, m/s: far below the speed of a grain that falls by its size.
const SPEED: f64 = 0.02;
/// Time in which the friction is mobilised, s, and times at which the stress is measured. After 10 s
/// half of the friction is mobilised: the bed that has settled between smooth walls must unload.
const MOBILISING: f64 = 30.0;
const SAMPLES: usize = 30;
const BETWEEN_SAMPLES: f64 = 0.5;
/// Distance of the lowest level from the floor, and between levels, in grains. The floor carries
/// grains singly, which disturbs the stress above it.
const LOWEST: f64 = 2.0;
const LEVEL: f64 = 1.0;

fn run(report: &mut Report) {
    let silo = Silo::measured();
    let fit = silo.fit();
    report.at_least("R2 of Janssen's stress", fit.r2, 0.99);
    report.note(format!(
        "{GRAINS} grains, {:.1} high, fraction {:.3}; length of saturation {:.2}, stress at the bottom {:.2} of {:.2} Pa",
        silo.top, silo.density, fit.length, silo.stress[0].1, silo.density * silo.top,
    ));
    let ratio = Silo::diameter() / (4.0 * WALL_FRICTION * fit.length);
    report.absolute("Janssen's ratio K of stresses", 0.65, ratio, 0.35);
    report.relative("mobilised part of the wall friction", 1.0, silo.mobilised, 0.05);
    report.relative("K from the pressure on the wall", ratio, silo.ratio, 0.15);
}

/// Averages over the samples.
struct Silo {
    /// Height of the bed, m, and its density, kg/m³.
    top: f64,
    density: f64,
    /// Heights, m, and vertical stresses, Pa, from below.
    stress: Vec<(f64, f64)>,
    /// Vertical force of the wall over friction coefficient times normal force.
    mobilised: f64,
    /// Mean ratio of the horizontal stress at the wall to the vertical stress.
    ratio: f64,
}

/// Janssen's stress with the length that fits best.
struct Fit {
    length: f64,
    r2: f64,
}

impl Silo {
    /// Returns four times area over circumference, m.
    fn diameter() -> f64 {
        2.0 * RADIUS * (std::f64::consts::PI / f64::from(FACETS)).cos()
    }

    fn area() -> f64 {
        0.5 * f64::from(FACETS) * RADIUS * RADIUS * (std::f64::consts::TAU / f64::from(FACETS)).sin()
    }

    fn measured() -> Self {
        let mut bulk = Bulk::new(STIFFNESS, FRICTION, 0.0, 1);
        let floor = RandomPlane { size: [4.0 * RADIUS; 2], points: 100, seed: 1 }.mesh().expect("a valid plane");
        bulk.surface(floor, DVec3::ZERO);
        let length = 40.0 * RADIUS;
        let tube = CylinderSurface { radius: RADIUS, length, facets: FACETS, divisions: 20, ends: false };
        let tube = bulk.surface(tube.mesh().expect("a valid tube"), DVec3::Z * (0.5 * length - 2.0));
        let free = 0.5 * Self::diameter();
        let is_free = |at: DVec3, own: f64| at.truncate().length() < free - own;
        bulk.fill(&[spheroid(ASPECT)], GRAINS, 0.1, [[-RADIUS, RADIUS]; 2], is_free);
        let (grain, wall) = (bulk.grain, bulk.wall);
        let mut simulation = bulk.start();
        settle(&mut simulation, 40.0);
        // A bed that has settled between rough walls keeps the stresses of its impact.
        let rough = law(STIFFNESS, WALL_FRICTION);
        simulation.world_mut().set_law(grain, wall, rough).expect("known materials");
        let lift = Motion::Driven(Drive::steady(DVec3::Z * SPEED, DVec3::ZERO).into());
        simulation.world_mut().set_motion(tube, lift).expect("a wall");
        run_for(&mut simulation, MOBILISING);
        let mut heights: Vec<f64> = simulation.world().grains().map(|grain| grain.position.z).collect();
        heights.sort_by(f64::total_cmp);
        // The density of the middle half extrapolates to the height of the surface.
        let quarter = heights.len() / 4;
        let (low, high) = (heights[quarter], heights[3 * quarter]);
        let density = 2.0 * quarter as f64 * MASS / ((high - low) * Self::area());
        let top = high + (heights.len() - 3 * quarter) as f64 * MASS / (density * Self::area());
        let levels = ((top - LOWEST) / LEVEL) as usize;
        let mut stress: Vec<(f64, f64)> = (0..levels).map(|k| (LOWEST + LEVEL * k as f64, 0.0)).collect();
        let (mut friction, mut pressure, mut weighted) = (0.0, 0.0, 0.0);
        for _ in 0..SAMPLES {
            run_for(&mut simulation, BETWEEN_SAMPLES);
            add_stress(&simulation, &mut stress);
            let (up, inward) = on_wall(&simulation, tube.0);
            friction += up / SAMPLES as f64;
            pressure += inward / SAMPLES as f64;
        }
        stress.iter_mut().for_each(|(_, sum)| *sum /= SAMPLES as f64 * Self::area());
        // The integral of the vertical stress over the wall, from the floor to the top.
        let circumference = 4.0 * Self::area() / Self::diameter();
        for pair in stress.windows(2) {
            weighted += 0.5 * (pair[0].1 + pair[1].1) * LEVEL * circumference;
        }
        weighted += stress[0].1 * LOWEST * circumference;
        let mobilised = friction / (WALL_FRICTION * pressure);
        Self { top, density, stress, mobilised, ratio: pressure / weighted }
    }

    /// Finds the length of saturation by golden sections. The density is known.
    fn fit(&self) -> Fit {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let misfit = |length: f64| -> f64 {
            let janssen = |height: f64| self.density * length * (1.0 - (-(self.top - height) / length).exp());
            self.stress.iter().map(|&(height, stress)| (stress - janssen(height)).powi(2)).sum()
        };
        let (mut low, mut high) = (0.5, 100.0);
        while high - low > 1e-6 {
            let span = GOLDEN * (high - low);
            if misfit(high - span) < misfit(low + span) { high = low + span } else { low = high - span }
        }
        let mean = self.stress.iter().map(|(_, stress)| stress).sum::<f64>() / self.stress.len() as f64;
        let variance: f64 = self.stress.iter().map(|(_, stress)| (stress - mean).powi(2)).sum();
        let length = 0.5 * (low + high);
        Fit { length, r2: 1.0 - misfit(length) / variance }
    }
}

/// Adds the downward force through the plane at each height, N: that of each grain whose centre is
/// above on each one whose centre is below.
fn add_stress(simulation: &Simulation, stress: &mut [(f64, f64)]) {
    let world = simulation.world();
    for contact in simulation.snapshot().contacts {
        if !world.is_grain(contact.a) || !world.is_grain(contact.b) {
            continue;
        }
        let (a, b) = (world.position(contact.a).z, world.position(contact.b).z);
        // The force acts on b.
        let down = if a > b { -contact.force.z } else { contact.force.z };
        for (height, sum) in stress.iter_mut() {
            if a.min(b) < *height && *height <= a.max(b) {
                *sum += down;
            }
        }
    }
}

/// Returns the vertical force of the tube on the grains, N, upward, and the sum of its horizontal
/// normal forces.
fn on_wall(simulation: &Simulation, tube: u32) -> (f64, f64) {
    let (mut up, mut inward) = (0.0, 0.0);
    for contact in simulation.snapshot().contacts {
        if contact.a.0 == tube || contact.b.0 == tube {
            let force = if contact.a.0 == tube { contact.force } else { -contact.force };
            up += force.z;
            inward += contact.force.dot(contact.normal).abs();
        }
    }
    (up, inward)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_finds_the_length_that_made_the_stress() {
        let (top, density, length) = (30.0, 0.6, 7.3);
        let janssen = |height: f64| density * length * (1.0 - (-(top - height) / length).exp());
        let stress = (2..30).map(|k| (f64::from(k), janssen(f64::from(k)))).collect();
        let fit = Silo { top, density, stress, mobilised: 1.0, ratio: 0.5 }.fit();
        assert!((fit.length - length).abs() < 1e-5 && fit.r2 > 1.0 - 1e-9, "{} {}", fit.length, fit.r2);
    }
}
