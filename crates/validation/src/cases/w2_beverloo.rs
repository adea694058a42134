//! W2: discharge of spheres from a flat-bottomed bin through a round orifice \[Beverloo1961\]:
//! `W = C rho sqrt(g) (D - k d)^(5/2)`.
//!
//! The bottom is a perforated plate of triangles, and the bin a triangulated tube.

use glam::{DQuat, DVec3};
use granum_engine::{BodySpec, FlowPlane, ShapeId, Simulation, World};
use granum_geometry::Pose;
use granum_geometry::surface::generate::{CylinderSurface, PerforatedPlate, Plate};

use super::bulk::{Bulk, MASS, line, power_law, run_for, settle, spheres};
use crate::{Case, Report};

/// The case.
pub const W2: Case = Case { name: "W2", tier: 3, about: "flow of spheres through round orifices (Beverloo)", run };

/// Diameters of the orifices, in grains. Smaller ones are blocked by arches.
const ORIFICES: [f64; 4] = [5.0, 6.0, 7.25, 9.0];
/// Diameter of the bin, in grains, and its number of facets.
const BIN: f64 = 18.0;
const FACETS: u32 = 36;
/// Number of grains. They fill the bin to 15 grains.
const GRAINS: usize = 4500;
/// Relative variation of the diameters, which prevents order.
const SPREAD: f64 = 0.1;
/// Stiffness, N/m. Grains at the bottom overlap by less than 1 %.
const STIFFNESS: f64 = 1e3;
const FRICTION: f64 = 0.5;
/// Reduction of the orifice for spheres, in grains [Beverloo1961].
const REDUCTION: f64 = 1.4;
/// Mass that leaves before the rate is measured, and while it is measured, relative to that of the
/// grains. The bed is then always higher than the orifice is wide.
const COUNTED: [f64; 2] = [0.04, 0.24];
/// The orifice for which two parts of the discharge are compared, and these parts.
const HALVED: f64 = 6.0;
const HALVES: [f64; 3] = [0.04, 0.2, 0.36];
/// Time between two counts, s: a grain falls by the size of a few grains.
const LOOK: f64 = 0.5;
/// Depth below the plate at which grains are removed and counted, m.
const DEPTH: f64 = 4.0;
/// Longest time of a discharge, s, after which it counts as blocked.
const LONGEST: f64 = 300.0;

fn run(report: &mut Report) {
    let bed = Bed::settled();
    let flows = ORIFICES.map(|orifice| bed.discharge(orifice, if orifice == HALVED { HALVES[2] } else { COUNTED[1] }));
    let rates = flows.each_ref().map(|flow| rate(flow, COUNTED));
    let root: Vec<(f64, f64)> = ORIFICES.iter().zip(rates).map(|(&d, rate)| (d, rate.powf(0.4))).collect();
    let (slope, intercept) = line(&root);
    let reduction = -intercept / slope;
    let coefficient = slope.powf(2.5) / bed.density;
    let reduced: Vec<(f64, f64)> = ORIFICES.iter().zip(rates).map(|(&d, rate)| (d - REDUCTION, rate)).collect();
    let (exponent, _) = power_law(&reduced);
    report.absolute(format!("exponent of D - {REDUCTION} d"), 2.5, exponent, 0.1);
    report.note(format!(
        "{GRAINS} grains, {:.1} high, density {:.3} kg/m3; {rates:.2?} kg/s through {ORIFICES:?}",
        bed.height, bed.density
    ));
    report.absolute("reduction k of the orifice with the exponent 2.5", 2.1, reduction, 0.9);
    report.absolute("coefficient C with the exponent 2.5", 0.6, coefficient, 0.05);
    report.note("just below the published range: it falls with friction, which is 0.5 between grains and at walls");
    let flow = &flows[ORIFICES.iter().position(|&orifice| orifice == HALVED).expect("one of the orifices")];
    let [first, second] = [[HALVES[0], HALVES[1]], [HALVES[1], HALVES[2]]].map(|part| rate(flow, part));
    report.relative("rate from a lower bed over that from a higher one", 1.0, second / first, 0.05);
}

/// Returns the rate between two parts of the mass, kg/s, by a line through the counts (s, kg).
fn rate(flow: &[(f64, f64)], [from, to]: [f64; 2]) -> f64 {
    let total = GRAINS as f64 * MASS;
    let part: Vec<(f64, f64)> =
        flow.iter().copied().filter(|(_, out)| (from * total..=to * total).contains(out)).collect();
    if part.len() < 3 { f64::NAN } else { line(&part).0 }
}

/// A settled bed.
struct Bed {
    grains: Vec<(ShapeId, Pose)>,
    /// Shapes of the world in which it settled.
    world: World,
    /// Height, m, and density, kg/m³.
    height: f64,
    density: f64,
}

/// Returns a world with the bin, without a bottom.
fn bin() -> Bulk {
    let mut bulk = Bulk::new(STIFFNESS, FRICTION, FRICTION, 2);
    let length = 60.0;
    let tube = CylinderSurface { radius: 0.5 * BIN, length, facets: FACETS, divisions: 4, ends: false };
    bulk.surface(tube.mesh().expect("a valid tube"), DVec3::Z * (0.5 * length - 1.0));
    bulk
}

impl Bed {
    fn settled() -> Self {
        let mut bulk = bin();
        let floor = Plate { size: [1.5 * BIN; 2], cells: [4; 2] };
        bulk.surface(floor.mesh().expect("a valid plate"), DVec3::ZERO);
        let is_free = |at: DVec3, own: f64| at.truncate().length() < 0.495 * BIN - own;
        bulk.fill(&spheres(SPREAD), GRAINS, 0.1, [[-0.5 * BIN, 0.5 * BIN]; 2], is_free);
        let mut simulation = bulk.start();
        settle(&mut simulation, 30.0);
        let grains: Vec<_> = simulation.world().grains().collect();
        let mean = grains.iter().map(|grain| grain.position.z).sum::<f64>() / grains.len() as f64;
        let mass: f64 = grains.iter().map(|grain| grain.mass).sum();
        let height = 2.0 * mean;
        let apothem = 0.5 * BIN * (std::f64::consts::PI / f64::from(FACETS)).cos();
        let area = f64::from(FACETS) * apothem * apothem * (std::f64::consts::PI / f64::from(FACETS)).tan();
        let place = |position, orientation: DQuat| Pose { position, orientation };
        let poses = grains.iter().map(|grain| (grain.shape, place(grain.position, grain.orientation))).collect();
        Self { grains: poses, world: simulation.into_world(), height, density: mass / (area * height) }
    }

    /// Opens an orifice and returns the mass that has left at each time (s, kg), until a part of all
    /// grains has left.
    fn discharge(&self, orifice: f64, part: f64) -> Vec<(f64, f64)> {
        let mut bulk = bin();
        let plate = PerforatedPlate {
            holes: [1; 2],
            spacing: 1.5 * BIN,
            hole: orifice,
            square: false,
            thickness: 0.0,
            facets: 32,
        };
        bulk.surface(plate.mesh().expect("a valid plate"), DVec3::ZERO);
        let mut own: Vec<Option<ShapeId>> = vec![None; self.world.shapes().len()];
        for &(shape, pose) in &self.grains {
            let id = *own[shape.0 as usize]
                .get_or_insert_with(|| bulk.world.add_shape(self.world.shape(shape).clone()).expect("a valid shape"));
            let grain = BodySpec { pose, ..BodySpec::at(id, bulk.grain, DVec3::ZERO) };
            bulk.world.add_body(grain).expect("a valid grain");
        }
        let outlet = FlowPlane {
            name: "outlet".into(),
            centre: DVec3::NEG_Z * DEPTH,
            normal: DVec3::NEG_Z,
            radius: None,
            removes: true,
        };
        bulk.world.add_flow_plane(outlet).expect("a valid plane");
        let mut simulation = bulk.start();
        let mut flow = Vec::new();
        let last = part * GRAINS as f64 * MASS;
        while simulation.world().time() < LONGEST {
            run_for(&mut simulation, LOOK);
            simulation.count_flow();
            let out = left(&simulation);
            flow.push((simulation.world().time(), out));
            if out > last {
                break;
            }
        }
        flow
    }
}

/// Returns the mass that has left, kg.
fn left(simulation: &Simulation) -> f64 {
    simulation.world().flow_states().map(|flow| flow.forward.mass).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_the_slope_between_two_parts_of_the_mass() {
        let total = GRAINS as f64 * MASS;
        // The flow begins after 3 s, and doubles at half the mass.
        let out = |time: f64| if time < 53.0 { 0.01 * total * (time - 3.0) } else { 0.02 * total * (time - 28.0) };
        let flow: Vec<(f64, f64)> =
            (0..160).map(|k| 0.5 * f64::from(k)).map(|time| (time, out(time).max(0.0))).collect();
        assert!((rate(&flow, [0.1, 0.4]) / (0.01 * total) - 1.0).abs() < 1e-9);
        assert!((rate(&flow, [0.6, 0.9]) / (0.02 * total) - 1.0).abs() < 1e-9);
        assert!(rate(&flow, [0.401, 0.402]).is_nan());
    }
}
