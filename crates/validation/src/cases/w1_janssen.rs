//! W1: the vertical stress in a silo saturates with depth \[Janssen1895\]:
//! `sigma = rho g l (1 - exp(-z/l))`, `l = D/(4 mu K)`.
//!
//! The wall is a triangulated tube. The bed settles while the tube is smooth; then the tube becomes
//! rough and moves slowly upward, so that friction is mobilised everywhere. Without this motion the
//! stress depends on the pouring. The stress of a single bed fluctuates along the tube, because most
//! grains keep their neighbours while the bed slides as a plug: it is averaged over several beds.

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
/// Number of beds, and of grains in each. A bed is about 20 grains high, three times the length of
/// saturation: below, the stress is constant but for its fluctuations.
const BEDS: u64 = 10;
const GRAINS: usize = 1400;
/// Ratio of the axes of the grains.
const ASPECT: f64 = 1.5;
/// Stiffness, N/m. The stress at the bottom is below 10 Pa, and the overlap below 1 %.
const STIFFNESS: f64 = 1e3;
const FRICTION: f64 = 0.5;
const WALL_FRICTION: f64 = 0.4;
/// Speed of the tube, m/s: far below the speed of a grain that falls by its size.
const SPEED: f64 = 0.05;
/// Longest time in which a bed settles, s.
const SETTLING: f64 = 30.0;
/// Time in which the friction is mobilised, s: the bed that has settled between smooth walls must
/// unload, which takes two grains of motion.
const MOBILISING: f64 = 40.0;
/// Number of samples of a bed, and time between them, s. They cover three grains of motion.
const SAMPLES: usize = 60;
const BETWEEN_SAMPLES: f64 = 1.0;
/// Distance of the lowest level from the floor, and between levels, in grains. The floor carries
/// grains singly, which disturbs the stress above it.
const LOWEST: f64 = 2.0;
const LEVEL: f64 = 1.0;

fn run(report: &mut Report) {
    let silo = Silo::mean(&(1..=BEDS).map(Silo::measured).collect::<Vec<_>>());
    let fit = silo.fit();
    report.at_least("R2 of Janssen's stress", fit.r2, 0.99);
    let deepest = silo.stress.last().expect("several levels").1;
    report.note(format!(
        "{BEDS} beds of {GRAINS} grains, {:.1} high, fraction {:.3}; length of saturation {:.2}, stress at the bottom {deepest:.2} of {:.2} Pa",
        silo.top, silo.density, fit.length, silo.density * silo.top,
    ));
    let ratio = diameter() / (4.0 * WALL_FRICTION * fit.length);
    report.absolute("Janssen's ratio K of stresses", 0.65, ratio, 0.35);
    report.relative("mobilised part of the wall friction", 1.0, silo.mobilised(), 0.05);
    report.relative("K from the pressure on the wall", ratio, silo.ratio(), 0.15);
}

/// Returns four times area over circumference of the tube, m.
fn diameter() -> f64 {
    2.0 * RADIUS * (std::f64::consts::PI / f64::from(FACETS)).cos()
}

fn area() -> f64 {
    0.5 * f64::from(FACETS) * RADIUS * RADIUS * (std::f64::consts::TAU / f64::from(FACETS)).sin()
}

/// Averages over the samples of one bed or of several.
struct Silo {
    /// Height of the bed, m, and its density, kg/m³.
    top: f64,
    density: f64,
    /// Depths below the top, m, and vertical stresses, Pa, from above.
    stress: Vec<(f64, f64)>,
    /// Vertical force of the wall, N, and the sum of its horizontal normal forces.
    friction: f64,
    pressure: f64,
}

/// Janssen's stress with the length that fits best.
struct Fit {
    length: f64,
    r2: f64,
}

impl Silo {
    fn measured(seed: u64) -> Self {
        let mut bulk = Bulk::new(STIFFNESS, FRICTION, 0.0, seed);
        let floor = RandomPlane { size: [4.0 * RADIUS; 2], points: 100, seed: 1 }.mesh().expect("a valid plane");
        bulk.surface(floor, DVec3::ZERO);
        // The tube reaches below the floor by more than it moves.
        let below = 2.0 + SPEED * (MOBILISING + SAMPLES as f64 * BETWEEN_SAMPLES);
        let length = 30.0 * RADIUS + below;
        let tube = CylinderSurface { radius: RADIUS, length, facets: FACETS, divisions: 20, ends: false };
        let tube = bulk.surface(tube.mesh().expect("a valid tube"), DVec3::Z * (0.5 * length - below));
        let free = 0.5 * diameter();
        let is_free = |at: DVec3, own: f64| at.truncate().length() < free - own;
        bulk.fill(&[spheroid(ASPECT)], GRAINS, 0.1, [[-RADIUS, RADIUS]; 2], is_free);
        let (grain, wall) = (bulk.grain, bulk.wall);
        let mut simulation = bulk.start();
        settle(&mut simulation, SETTLING);
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
        let density = 2.0 * quarter as f64 * MASS / ((high - low) * area());
        let top = high + (heights.len() - 3 * quarter) as f64 * MASS / (density * area());
        let levels = ((top - LOWEST) / LEVEL) as usize;
        let mut stress: Vec<(f64, f64)> = (1..=levels).map(|k| (LEVEL * k as f64, 0.0)).collect();
        let (mut friction, mut pressure) = (0.0, 0.0);
        for _ in 0..SAMPLES {
            run_for(&mut simulation, BETWEEN_SAMPLES);
            add_stress(&simulation, top, &mut stress);
            let (up, inward) = on_wall(&simulation, tube.0);
            friction += up / SAMPLES as f64;
            pressure += inward / SAMPLES as f64;
        }
        stress.iter_mut().for_each(|(_, sum)| *sum /= SAMPLES as f64 * area());
        Self { top, density, stress, friction, pressure }
    }

    /// Returns the mean of several beds, at the depths that all of them have.
    fn mean(beds: &[Self]) -> Self {
        let mean = |value: &dyn Fn(&Self) -> f64| beds.iter().map(value).sum::<f64>() / beds.len() as f64;
        let levels = beds.iter().map(|bed| bed.stress.len()).min().unwrap_or(0);
        Self {
            top: mean(&|bed| bed.top),
            density: mean(&|bed| bed.density),
            stress: (0..levels).map(|k| (beds[0].stress[k].0, mean(&|bed| bed.stress[k].1))).collect(),
            friction: mean(&|bed| bed.friction),
            pressure: mean(&|bed| bed.pressure),
        }
    }

    /// Returns the vertical force of the wall over friction coefficient times normal force.
    fn mobilised(&self) -> f64 {
        self.friction / (WALL_FRICTION * self.pressure)
    }

    /// Returns the mean ratio of the horizontal stress at the wall to the vertical stress.
    fn ratio(&self) -> f64 {
        // The integral of the vertical stress over the wall: trapezia, and constant near the floor.
        let circumference = 4.0 * area() / diameter();
        let (mut weighted, mut last) = (0.0, (0.0, 0.0));
        for &(depth, stress) in &self.stress {
            weighted += 0.5 * (depth - last.0) * (stress + last.1);
            last = (depth, stress);
        }
        weighted += (self.top - last.0) * last.1;
        self.pressure / (weighted * circumference)
    }

    /// Finds the length of saturation by golden sections. The density is known.
    fn fit(&self) -> Fit {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let misfit = |length: f64| -> f64 {
            let janssen = |depth: f64| self.density * length * (1.0 - (-depth / length).exp());
            self.stress.iter().map(|&(depth, stress)| (stress - janssen(depth)).powi(2)).sum()
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

/// Adds the downward force through the plane at each depth below `top`, N: that of each grain whose
/// centre is above on each one whose centre is below.
fn add_stress(simulation: &Simulation, top: f64, stress: &mut [(f64, f64)]) {
    let world = simulation.world();
    for contact in simulation.snapshot().contacts {
        if !world.is_grain(contact.a) || !world.is_grain(contact.b) {
            continue;
        }
        let (a, b) = (world.position(contact.a).z, world.position(contact.b).z);
        // The force acts on b.
        let down = if a > b { -contact.force.z } else { contact.force.z };
        for (depth, sum) in stress.iter_mut() {
            if a.min(b) < top - *depth && top - *depth <= a.max(b) {
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
        let janssen = |depth: f64| density * length * (1.0 - (-depth / length).exp());
        let stress = (1..28).map(|k| (f64::from(k), janssen(f64::from(k)))).collect();
        let fit = Silo { top, density, stress, friction: 1.0, pressure: 1.0 }.fit();
        assert!((fit.length - length).abs() < 1e-5 && fit.r2 > 1.0 - 1e-9, "{} {}", fit.length, fit.r2);
    }
}
