//! R5 on a rough surface: a shaken bed of nine shapes over a million steps. No grain is lost, and the
//! ledger closes as on a plane.

use glam::DVec3;
use granum_engine::{BodySpec, Drive, MaterialId, Motion, Stiffness};
use granum_geometry::Shape;
use granum_geometry::random::Random;
use granum_geometry::shape::{HalfSpace, Surface};
use granum_geometry::surface::generate::Terrain;

use crate::laboratory::{Laboratory, dry_grains};
use crate::mixed_shapes::mixed_shapes;
use crate::{Case, Report};

/// The case.
pub const R5: Case =
    Case { name: "R5-surface", tier: 3, about: "a million steps of nine shapes on a rough surface", run };

const STEPS: u64 = 1_000_000;
/// Steps between two looks at the positions.
const LOOK: u64 = 1000;
/// Grains of each shape.
const OF_EACH: usize = 2;
/// Length of the grains, m.
const LENGTH: f64 = 0.008;
/// Half the width of the room, m. The grains form three layers.
const HALF_WIDTH: f64 = 0.0125;
/// Largest height at which a grain may be, m.
const CEILING: f64 = 0.1;
/// Stiffness, N/m, for the density 1 kg/m³ (that of stone would need 2 kN/m), and time step, s: a
/// fiftieth of a contact of the lightest grains.
const STIFFNESS: f64 = 0.8;
const TIME_STEP: f64 = 1e-5;
/// Amplitude (m) and frequency (Hz) of the walls, which move as one. The acceleration of 0.8 g keeps
/// grains sliding and rolling without throwing them.
const AMPLITUDE: DVec3 = DVec3::new(0.0002, 0.0001, 0.0003);
const FREQUENCY: f64 = 25.0;
/// Largest residual of the ledger, relative to the energy turned over.
const LEDGER: f64 = 1e-3;
/// Largest ratio of the residuals on the surface and on the plane. Both are sums of the errors of
/// about as many contacts.
const RATIO: f64 = 2.0;

fn run(report: &mut Report) {
    let terrain = Terrain { size: [0.06; 2], cells: [80; 2], hills: 800, height: 0.0008, radius: 0.001, seed: 3 };
    let mesh = terrain.mesh().expect("a valid terrain");
    let rough: Shape = Surface::new(mesh, false).expect("a surface without faults").into();
    let [plane, rough] = [HalfSpace::new(DVec3::Z).into(), rough].map(|floor| shaken(floor, STEPS));
    for (name, bed) in [("plane", &plane), ("surface", &rough)] {
        report.at_most(format!("{name}: grains lost"), bed.lost as f64, 0.0);
        report.at_most(format!("{name}: residual of the ledger"), bed.residual, LEDGER);
        report.note(format!("{:.3e} J turned over, {:.0} contacts with the floor", bed.turned_over, bed.on_floor));
    }
    report.at_most("residual on the surface over that on the plane", rough.residual / plane.residual, RATIO);
}

/// The result of a run.
struct Bed {
    /// Grains that were outside the room at any look.
    lost: usize,
    /// Residual of the ledger, relative to the energy turned over.
    residual: f64,
    /// Energy turned over, J.
    turned_over: f64,
    /// Mean number of contacts with the floor.
    on_floor: f64,
}

/// Shakes a bed on a floor.
fn shaken(floor: Shape, steps: u64) -> Bed {
    let mut lab = Laboratory::new(dry_grains(Stiffness::Constant(STIFFNESS))).with_gravity();
    let motion = Motion::Driven(Drive::oscillation(AMPLITUDE, FREQUENCY, 0.0).into());
    let floor = lab.world.add_shape(floor).expect("a valid shape");
    let floor = lab.add(BodySpec { motion: motion.clone(), ..BodySpec::fixed(floor, MaterialId(0), DVec3::ZERO) });
    for axis in [DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y] {
        lab.wall(axis, -HALF_WIDTH * axis, motion.clone());
    }
    let mut random = Random::new(9);
    let shapes = mixed_shapes(LENGTH).map(|(_, shape)| lab.world.add_shape(shape).expect("a valid shape"));
    for k in 0..OF_EACH * shapes.len() {
        // Four places in a layer.
        let cell = DVec3::new((k % 2) as f64 - 0.5, (k / 2 % 2) as f64 - 0.5, (k / 4) as f64 + 0.7);
        let mut body = BodySpec::at(shapes[k % shapes.len()], MaterialId(0), HALF_WIDTH * cell);
        body.pose.orientation = random.rotation();
        body.velocity = 0.1 * random.in_cube();
        lab.add(body);
    }
    let mut simulation = lab.start(TIME_STEP);
    let start = simulation.energy();
    let mut lost = std::collections::BTreeSet::new();
    let mut on_floor = 0;
    for _ in 0..steps / LOOK {
        simulation.run(LOOK);
        let room = |at: DVec3| at.x.abs().max(at.y.abs()) < HALF_WIDTH + 0.001 && (-0.001..CEILING).contains(&at.z);
        lost.extend(simulation.world().grains().filter(|grain| !room(grain.position)).map(|grain| grain.id));
        on_floor +=
            simulation.world().contacts().filter(|contact| contact.a() == floor || contact.b() == floor).count();
    }
    let energy = simulation.energy();
    let turned_over = energy.turned_over(&start);
    Bed {
        lost: lost.len(),
        residual: energy.residual(&start).abs() / turned_over,
        turned_over,
        on_floor: on_floor as f64 / (steps / LOOK) as f64,
    }
}
