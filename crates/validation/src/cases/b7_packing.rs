//! B7: random packings of frictionless ellipses, compressed between four walls until they jam.
//!
//! Small and large ellipses, 1 to 1.4, lest they crystallise. The fraction is that of the core, away from the walls, and is
//! taken back to no overlap.

use std::f64::consts::TAU;

use glam::{DQuat, DVec2, DVec3};
use granum_engine::{BodyId, BodySpec, Drive, Motion, Simulation};
use granum_geometry::Pose;
use granum_geometry::shape::Ellipse;

use super::planar_impact::laboratory;
use crate::laboratory::Random;
use crate::{Case, Report};

/// The case.
pub const B7: Case = Case { name: "B7", tier: 2, about: "packing fraction of frictionless ellipses", run };

/// Ellipses along a side at the start: 1024 in all.
const SIDE: u32 = 32;
/// Seeds of the aspect ratio with a published value, and of the others, which show the trend.
const SEEDS: [u64; 2] = [5, 2];
/// Diameter of the disc of the same area as a small ellipse, m, and as a large one.
const DIAMETERS: [f64; 2] = [1.0, 1.4];
/// N/m; density is 1 kg/m².
const STIFFNESS: f64 = 1.0;
/// Restitution: low, so that the packing does not rattle.
const RESTITUTION: f64 = 0.3;
/// A thirtieth of the shortest contact, `pi sqrt(m/2k)` of two small ellipses, s.
const TIME_STEP: f64 = 0.065;
/// Rates of strain, 1/s: until the walls enclose [`LOOSE`], and then slowly: an inertial number of 2e-3 at the end.
const RATES: [f64; 2] = [5e-4, 3e-5];
/// Fraction at which the slow part begins: below that of any jammed packing.
const LOOSE: f64 = 0.78;
/// A packing is jammed when the energy of its contacts, shared by all grains, is that of one overlap of so many diameters.
const JAMMED: f64 = 1e-3;
/// Steps between two looks.
const LOOK: u64 = 100;
/// Looks after which a packing that does not jam is given up: the fraction would be 1.
const MOST_LOOKS: u32 = 5000;
/// Distance of the core from the walls, m: four large grains.
const MARGIN: f64 = 5.6;
/// Points along a side of the core at which it is looked whether a grain covers them.
const GRID: u32 = 400;

fn run(report: &mut Report) {
    let means = [(1.0, SEEDS[1]), (1.4, SEEDS[0]), (3.0, SEEDS[1])].map(|(aspect, seeds)| {
        let found: Vec<f64> = (1..=seeds).map(|seed| jammed_fraction(aspect, seed)).collect();
        let n = found.len() as f64;
        let mean = found.iter().sum::<f64>() / n;
        let variance = found.iter().map(|fraction| (fraction - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, (variance / n).sqrt())
    });
    let [(disc, _), (best, error), (long, _)] = means;
    // The published maximum is 0.895; what passes is 0.885 to 0.90.
    report.absolute("aspect 1.4: packing fraction", 0.8925, best, 0.0075);
    report.note(format!("mean of {} seeds, standard error {error:.4}; about 0.895 is published", SEEDS[0]));
    report.at_least("discs pack less densely than aspect 1.4, by", best - disc, 0.03);
    report.note(format!("discs: {disc:.4}, mean of {} seeds; about 0.84 is published", SEEDS[1]));
    report.at_least("aspect 3 packs less densely than aspect 1.4, by", best - long, 0.005);
    report.note(format!("aspect 3: {long:.4}, mean of {} seeds", SEEDS[1]));
}

/// The fraction of one packing.
fn jammed_fraction(aspect: f64, seed: u64) -> f64 {
    let mut random = Random::new(seed);
    let mut lab = laboratory(STIFFNESS, RESTITUTION);
    let stretch = aspect.sqrt();
    let shapes = DIAMETERS.map(|d| {
        let semi_axes = 0.5 * d * DVec2::new(stretch, 1.0 / stretch);
        lab.world.add_shape(Ellipse { semi_axes }).expect("a valid ellipse")
    });
    let cell = 1.02 * DIAMETERS[1] * stretch;
    let mut half = 0.5 * cell * f64::from(SIDE);
    let mut area = 0.0;
    for k in 0..SIDE * SIDE {
        // Small and large at random, and as many of each but for one.
        let large = usize::from(random.unit() < 0.5);
        let diameter = DIAMETERS[large];
        let mass = 0.125 * TAU * diameter * diameter;
        area += mass;
        let axes = 0.5 * diameter * DVec2::new(stretch, 1.0 / stretch);
        let moment = 0.25 * mass * axes.length_squared();
        let place = cell * (DVec2::new(f64::from(k % SIDE), f64::from(k / SIDE)) + 0.5) - half;
        let orientation = DQuat::from_rotation_z(TAU * random.unit());
        let spec = lab.of_shape(shapes[large], mass, DVec3::splat(moment));
        let velocity = (0.02 * random.vector()).with_z(0.0);
        lab.add(BodySpec { pose: Pose { position: place.extend(0.0), orientation }, velocity, ..spec });
    }
    let inward = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y];
    let walls = inward.map(|normal| (lab.wall(normal, -half * normal, Motion::Fixed), normal));
    let mut simulation = lab.start(TIME_STEP);
    let mut rate_before = 0.0;
    for _ in 0..MOST_LOOKS {
        let rate = RATES[usize::from(area / (4.0 * half * half) > LOOSE)];
        if rate != rate_before {
            drive(&mut simulation, &walls, rate * half);
            rate_before = rate;
        }
        simulation.run(LOOK);
        half = -simulation.world().position(walls[0].0).x;
        // Grains that the walls still sweep together knock, which is no jam.
        let energy = simulation.energy().elastic / f64::from(SIDE * SIDE);
        if rate == RATES[1] && energy > 0.5 * STIFFNESS * (JAMMED * DIAMETERS[0]).powi(2) {
            return core_fraction(&simulation, half - MARGIN);
        }
    }
    f64::NAN
}

fn drive(simulation: &mut Simulation, walls: &[(BodyId, DVec3)], speed: f64) {
    for &(id, normal) in walls {
        let motion = Motion::Driven(Drive::Steady { velocity: speed * normal, spin: DVec3::ZERO });
        simulation.world_mut().set_motion(id, motion);
    }
}

/// Part of a square about the origin that grains cover, as it would be without their overlaps.
fn core_fraction(simulation: &Simulation, half: f64) -> f64 {
    let snapshot = simulation.snapshot();
    let shapes = &simulation.world().shapes;
    let mut covered = vec![false; (GRID * GRID) as usize];
    let step = 2.0 * half / f64::from(GRID);
    let cell = |x: f64| ((x + half) / step).clamp(0.0, f64::from(GRID - 1)) as u32;
    for body in snapshot.bodies.iter().filter(|body| body.mass.is_finite()) {
        let convex = shapes[body.shape.0 as usize].as_convex();
        let (reach, centre) = (convex.bounding_radius(), body.position);
        for row in cell(centre.y - reach)..=cell(centre.y + reach) {
            for column in cell(centre.x - reach)..=cell(centre.x + reach) {
                let at = step * (DVec2::new(f64::from(column), f64::from(row)) + 0.5) - half;
                let inside = convex.inside_outside(body.orientation.inverse() * (at.extend(0.0) - centre)) < 0.0;
                covered[(row * GRID + column) as usize] |= inside;
            }
        }
    }
    let fraction = covered.iter().filter(|&&covered| covered).count() as f64 / covered.len() as f64;
    let overlap = snapshot.contacts.iter().map(|contact| -contact.gap).sum::<f64>() / snapshot.contacts.len() as f64;
    let diameter = 0.5 * (DIAMETERS[0] + DIAMETERS[1]);
    fraction * (1.0 - overlap / diameter).powi(2)
}
