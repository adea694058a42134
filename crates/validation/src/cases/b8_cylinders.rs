//! B8 and B9: packing fraction of cylinders at rest in a container, from short ones to needles.
//!
//! The scenes are those of `scenes/`, with fewer grains in a narrower container.

use std::f64::consts::PI;
use std::path::Path;

use granum_engine::Simulation;
use granum_engine::guard::thickness;
use granum_scene::{Program, Scene, SceneError};

use crate::{Case, Report};

/// Packing fraction as a function of the aspect ratio.
pub const B8: Case = Case { name: "B8", tier: 3, about: "packings of cylinders, H/D 0.5 to 50", run: packings };

/// Packing of needles.
pub const B9: Case = Case { name: "B9", tier: 3, about: "packing of needles, H/D 50", run: needles };

/// Kinetic energy at rest, relative to its peak.
const REST: f64 = 1e-6;

/// Kinetic energy at rest without friction, relative to its peak. It is larger, because only
/// impacts dissipate energy and needles slide for seconds.
const QUIET: f64 = 1e-3;

/// Largest residual of the energy ledger, relative to the energy supplied.
const LEDGER: f64 = 1e-3;

/// Largest overlap of a bed at rest, relative to the smallest size of its grains.
const OVERLAP: f64 = 0.1;

/// Longest simulated time of a packing, s.
const LONGEST: f64 = 5.0;

/// Time between two energy checks, s.
const CHECK_INTERVAL: f64 = 2e-3;

/// Part of the bed in which the packing fraction is measured, without floor and surface.
const CORE: [f64; 2] = [0.2, 0.8];

const SHORT: &str = include_str!("../../scenes/cylinders_case2.toml");
const RODS: &str = include_str!("../../scenes/cylinders_case3.toml");
const NEEDLES: &str = include_str!("../../scenes/cylinders_case4.toml");

/// A bed of cylinders at rest.
struct Bed {
    /// Kinetic energy relative to its peak.
    rest: f64,
    /// Packing fraction of the core.
    fraction: f64,
    /// Residual of the energy ledger, relative to the energy supplied.
    ledger: f64,
    /// Largest overlap at rest, relative to the smallest size of the grains.
    overlap: f64,
    grains: usize,
}

fn packings(report: &mut Report) {
    // The reference is a packing without walls. Walls reduce the fraction in proportion to the
    // ratio of grain diameter to container radius.
    let cubic = ["grains.0.cylinder.half_height=5.5 mm", "grains.0.cylinder.radius=5.5 mm"];
    let beds = [
        ("H/D 0.5", SHORT, 1000, 45, &[] as &[&str]),
        ("H/D 1", SHORT, 1000, 75, &cubic),
        ("H/D 5", RODS, 1000, 60, &[]),
        ("H/D 50", NEEDLES, 2000, 60, &[]),
    ];
    let mut fractions = Vec::new();
    for (name, text, count, radius, more) in beds {
        let bed = packed(text, count, radius, more, REST);
        report.at_most(format!("{name}: kinetic energy at rest, of its peak"), bed.rest, REST);
        report.at_most(format!("{name}: unexplained by the ledger"), bed.ledger, LEDGER);
        report.at_most(format!("{name}: overlap at rest, of the least size"), bed.overlap, OVERLAP);
        report.note(format!("{} grains fill {:.4} of the middle of their bed", bed.grains, bed.fraction));
        fractions.push(bed.fraction);
    }
    report.at_least("H/D 1: fraction, poured", fractions[1], 0.55);
    report.at_least("H/D 5 packs less densely than H/D 1, by", fractions[1] - fractions[2], 0.0);
    report.at_least("H/D 50 packs less densely than H/D 5, by", fractions[2] - fractions[3], 0.0);
}

fn needles(report: &mut Report) {
    // Friction is zero: with friction, a poured bed of needles stays as loose as at deposition.
    // Without friction, needles in random orientations still support each other.
    let smooth = ["friction", "tangential_damping", "rolling_friction", "spinning_friction", "rolling_damping"]
        .map(|name| format!("contact.0.{name}=0"));
    // A quarter of the stiffness of the scene allows twice the time step. The larger overlaps
    // change the packing fraction little.
    let mut settings = smooth.each_ref().map(String::as_str).to_vec();
    settings.push("contact.0.stiffness=2 kN/m");
    let bed = packed(NEEDLES, 2500, 90, &settings, QUIET);
    report.at_most("kinetic energy, of its peak", bed.rest, QUIET);
    report.at_most("overlap at rest, of the least size", bed.overlap, OVERLAP);
    report.absolute("fraction times aspect ratio", 5.25, 50.0 * bed.fraction, 0.75);
    report.note(format!("{} needles without friction; random rods touch at 5 to 5.4 (Philipse)", bed.grains));
}

fn packed(text: &str, count: u32, radius: u32, more: &[&str], rest: f64) -> Bed {
    let mut settings = vec![format!("grains.0.count={count}")];
    settings.extend(narrowed(1, radius));
    settings.extend(more.iter().map(|&setting| setting.to_owned()));
    settle(text, &settings, radius, rest).unwrap_or_else(|error| panic!("a scene of the project: {error}"))
}

/// Returns the settings that reduce the radius (mm) of the container of a scene with the given
/// number of groups.
fn narrowed(groups: usize, radius: u32) -> Vec<String> {
    let mut settings = vec![format!("walls.0.inside_cylinder.radius={radius} mm")];
    for group in 0..groups {
        for axis in [0, 1] {
            settings.push(format!("grains.{group}.inlet.min[{axis}]=-{radius} mm"));
            settings.push(format!("grains.{group}.inlet.max[{axis}]={radius} mm"));
        }
    }
    settings
}

/// Runs a scene in a container of this radius (mm) until the kinetic energy decreases to the
/// fraction `rest` of its peak.
fn settle(text: &str, settings: &[String], radius: u32, rest: f64) -> Result<Bed, SceneError> {
    let scene = Scene::parse_with(text, Path::new("cylinders.toml"), settings)?;
    let world = scene.build()?;
    let wanted: u64 = scene.grains.iter().filter_map(|grains| grains.count).sum();
    let program = Program::new(&scene, &world)?;
    let mut state = program.start();
    let look = (CHECK_INTERVAL / world.time_step()) as u64;
    let mut simulation = Simulation::new(world, 0).expect("a scene that was built");
    program.act(&mut state, &mut simulation);
    let start = simulation.energy();
    let (mut peak, mut kinetic) = (0f64, f64::INFINITY);
    while simulation.world().time() < LONGEST && (state.poured() < wanted || kinetic > rest * peak) {
        let until = simulation.world().steps() + look;
        while simulation.world().steps() < until {
            let step = simulation.world().steps();
            let event = program.next_event(&state, step).min(until).max(step + 1);
            simulation.run(event - step);
            program.act(&mut state, &mut simulation);
        }
        let energy = simulation.energy();
        kinetic = energy.kinetic_translational + energy.kinetic_rotational;
        peak = peak.max(kinetic);
    }
    let energy = simulation.energy();
    Ok(Bed {
        rest: kinetic / peak,
        ledger: (energy.residual(&start) / (energy.work - start.work)).abs(),
        overlap: deepest(&simulation),
        fraction: core_fraction(&simulation, 1e-3 * f64::from(radius)),
        grains: state.poured() as usize,
    })
}

/// Returns the largest overlap, relative to the smallest size of any grain.
fn deepest(simulation: &Simulation) -> f64 {
    let world = simulation.world();
    let snapshot = simulation.snapshot();
    let sizes = snapshot.bodies.iter().filter(|body| body.mass.is_finite());
    let size = sizes.map(|body| thickness(world.shape(body.shape))).fold(f64::INFINITY, f64::min);
    snapshot.max_overlap() / size
}

/// Returns the packing fraction of the core of the bed in a container of this radius (m). Each
/// grain counts at its centre.
fn core_fraction(simulation: &Simulation, radius: f64) -> f64 {
    let world = simulation.world();
    let snapshot = simulation.snapshot();
    let grains: Vec<(f64, f64)> = snapshot
        .bodies
        .iter()
        .filter(|body| body.mass.is_finite())
        .map(|body| (body.position.z, world.shape(body.shape).as_convex().mass_properties().volume))
        .collect();
    let volume: f64 = grains.iter().map(|(_, volume)| volume).sum();
    let height = 2.0 * grains.iter().map(|(z, volume)| z * volume).sum::<f64>() / volume;
    let [low, high] = CORE.map(|part| part * height);
    let inside: f64 = grains.iter().filter(|(z, _)| *z > low && *z < high).map(|(_, volume)| volume).sum();
    inside / (PI * radius * radius * (high - low))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest initial height, mm. Grains fall less far than in the scenes and may be softer.
    const TOP: u32 = 110;
    const SOFT: &str = "0.5 kN/m";

    /// Asserts that two hundred cylinders of a scene come to rest.
    fn assert_rest(text: &str, groups: usize, radius: u32, stiffness: &str) {
        let mut settings = narrowed(groups, radius);
        settings.extend((0..groups).flat_map(|group| {
            [format!("grains.{group}.count={}", 200 / groups), format!("grains.{group}.inlet.max[2]={TOP} mm")]
        }));
        settings.push(format!("contact.0.stiffness={stiffness}"));
        let bed = settle(text, &settings, radius, REST).expect("a scene of the project");
        let Bed { grains, fraction, rest, ledger, .. } = bed;
        println!("{grains} grains, fraction {fraction:.3}, kinetic energy {rest:.1e} of its peak, ledger {ledger:.1e}");
        assert_eq!(bed.grains, 200);
        assert!(bed.fraction > 0.02 && bed.fraction < 0.75, "{}", bed.fraction);
        assert!(bed.rest <= REST, "{:e}", bed.rest);
        assert!(bed.ledger <= LEDGER, "{:e}", bed.ledger);
        assert!(bed.overlap <= OVERLAP, "{:e}", bed.overlap);
    }

    #[test]
    fn coins_come_to_rest() {
        assert_rest(include_str!("../../../../scenes/cylinders_case1.toml"), 1, 50, "10 kN/m");
    }

    #[test]
    fn short_cylinders_come_to_rest() {
        assert_rest(SHORT, 1, 40, SOFT);
    }

    #[test]
    fn rods_come_to_rest() {
        assert_rest(RODS, 1, 40, SOFT);
    }

    #[test]
    fn needles_come_to_rest() {
        assert_rest(NEEDLES, 1, 60, "0.8 kN/m");
    }

    #[test]
    fn a_mix_comes_to_rest() {
        assert_rest(include_str!("../../../../scenes/cylinders_case5.toml"), 2, 50, SOFT);
    }

    #[test]
    fn cylinders_of_all_sizes_come_to_rest() {
        assert_rest(include_str!("../../../../scenes/cylinders_case6.toml"), 1, 40, "0.3 kN/m");
    }
}
