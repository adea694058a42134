//! W5: the angle of repose rises with the aspect ratio of the grains and with friction, and hardly
//! depends on the stiffness \[Zhou2001\].
//!
//! A bed of spheroids rests in a narrow box on a rough triangulated floor. One side of the box is
//! removed, the grains flow over the edge of the floor, and a slope remains.

use glam::DVec3;
use granum_engine::{FlowPlane, Simulation};
use granum_geometry::surface::generate::{Plate, Terrain};

use super::bulk::{Bulk, FRACTION, MASS, line, run_for, settle, spheroid};
use crate::{Case, Report};

/// The case.
pub const W5: Case = Case { name: "W5", tier: 3, about: "angle of repose against shape and friction", run };

/// Length, depth and initial height of the bed, in grains. The sides along the slope are smooth, so
/// that the angle does not depend on the depth.
const LENGTH: f64 = 16.0;
const DEPTH: f64 = 4.0;
const HEIGHT: f64 = 9.0;
/// Stiffness, N/m. Grains at the bottom overlap by less than 1 %.
const STIFFNESS: f64 = 1e3;
/// Distance of the fitted part of the slope from the back wall and from the edge, in grains.
const AWAY: f64 = 2.0;
/// Width of the strips in which the surface is sought, in grains.
const STRIP: f64 = 1.0;
/// Largest change of the angle between two stiffnesses, degrees: the scatter of beds of this size.
const SAME: f64 = 2.0;

fn run(report: &mut Report) {
    let shapes = [1.0, 1.5, 2.2].map(|aspect| (aspect, repose(aspect, 0.5, STIFFNESS)));
    let rough = [0.2, 0.5, 0.8]
        .map(|friction| (friction, if friction == 0.5 { shapes[1].1 } else { repose(1.5, friction, STIFFNESS) }));
    for (what, angles) in [("aspect ratio", shapes), ("friction", rough)] {
        for pair in angles.windows(2) {
            let [(low, before), (high, after)] = [pair[0], pair[1]];
            report.at_least(format!("{what} from {low} to {high}: rise of the angle, degrees"), after - before, 0.0);
            report.note(format!("from {before:.1} to {after:.1} degrees"));
        }
    }
    let soft = repose(1.5, 0.5, 0.25 * STIFFNESS);
    report.absolute("a quarter of the stiffness: angle, degrees", shapes[1].1, soft, SAME);
}

/// Lets a bed settle, opens it, and returns the angle of the remaining slope, degrees.
fn repose(aspect: f64, friction: f64, stiffness: f64) -> f64 {
    let mut bulk = Bulk::new(stiffness, friction, friction, 5);
    bulk.smooth_plane(DVec3::Y, DVec3::ZERO);
    bulk.smooth_plane(DVec3::NEG_Y, DVec3::Y * DEPTH);
    bulk.smooth_plane(DVec3::X, DVec3::ZERO);
    // Floor and gate extend beyond the smooth walls. The floor ends at the gate.
    let cells = [2 * LENGTH as u32, 4 * DEPTH as u32];
    let hills = (2.0 * LENGTH * DEPTH) as u32;
    let floor = Terrain { size: [LENGTH, 2.0 * DEPTH], cells, hills, height: 0.3, radius: 0.4, seed: 5 };
    bulk.surface(floor.mesh().expect("a valid terrain"), DVec3::new(0.5 * LENGTH, 0.5 * DEPTH, 0.0));
    let tall = 4.0 * HEIGHT + 20.0;
    let gate = Plate { size: [2.0 * tall, 2.0 * DEPTH], cells: [1; 2] }.mesh().expect("a valid plate");
    // The normal of the gate points to -x.
    let gate = gate.rotated(glam::DQuat::from_rotation_y(-std::f64::consts::FRAC_PI_2)).expect("finite corners");
    let gate = bulk.surface(gate, DVec3::new(LENGTH, 0.5 * DEPTH, 0.0));
    let grains = (LENGTH * DEPTH * HEIGHT * FRACTION / MASS) as usize;
    bulk.fill(&[spheroid(aspect)], grains, 1.0, [[0.0, LENGTH], [0.0, DEPTH]], |_, _| true);
    let below = FlowPlane {
        name: "below".into(),
        centre: DVec3::NEG_Z * 3.0,
        normal: DVec3::NEG_Z,
        radius: None,
        removes: true,
    };
    bulk.world.add_flow_plane(below).expect("a valid plane");
    let mut simulation = bulk.start();
    settle(&mut simulation, 25.0);
    simulation.world_mut().remove_wall(gate).expect("a wall");
    // Falling grains are removed every few seconds, before they are fast.
    for _ in 0..20 {
        run_for(&mut simulation, 2.0);
        simulation.count_flow();
        let moving = simulation.world().grains().map(|grain| grain.velocity.length_squared()).fold(0.0, f64::max);
        if moving < 1e-3 {
            break;
        }
    }
    angle(&simulation)
}

/// Returns the angle of the line through the highest points of the strips, degrees.
fn angle(simulation: &Simulation) -> f64 {
    let strips = ((LENGTH - 2.0 * AWAY) / STRIP) as usize;
    let mut highest = vec![f64::NEG_INFINITY; strips];
    for grain in simulation.world().grains() {
        let place = (grain.position.x - AWAY) / STRIP;
        if place >= 0.0 && place < strips as f64 {
            let top = &mut highest[place as usize];
            *top = top.max(grain.position.z);
        }
    }
    let points: Vec<(f64, f64)> = highest
        .iter()
        .enumerate()
        .filter(|(_, top)| top.is_finite())
        .map(|(k, &top)| (AWAY + STRIP * (k as f64 + 0.5), top))
        .collect();
    (-line(&points).0).atan().to_degrees()
}
