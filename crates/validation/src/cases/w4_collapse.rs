//! W4: collapse of round columns on a rough surface. Runout and final height depend on the initial
//! aspect ratio alone \[Lube2004\].
//!
//! A quarter of each column is simulated, between two smooth walls. The floor and the tube around
//! the column are triangulated surfaces.

use std::f64::consts::PI;

use glam::DVec3;
use granum_engine::Simulation;
use granum_geometry::surface::generate::{CylinderSurface, Terrain};

use super::bulk::{Bulk, MASS, power_law, run_for, settle, spheroid};
use crate::{Case, Report};

/// The case.
pub const W4: Case = Case { name: "W4", tier: 3, about: "collapse of columns of spheroids, six aspect ratios", run };

/// Radius of the column, in grains, and heights of the settled bed relative to it. The first three
/// are below the aspect ratio 1.7, at which the law changes.
const COLUMNS: [(f64, f64); 6] = [(9.0, 0.6), (9.0, 1.0), (9.0, 1.5), (7.0, 3.0), (6.0, 5.0), (5.0, 9.0)];
/// Number of columns below the change.
const SHORT: usize = 3;
/// Packing fraction from which the number of grains is computed.
const FRACTION: f64 = 0.6;
/// Stiffness, N/m. A grain at the bottom of the tallest column carries 25 N and overlaps by 3 %.
const STIFFNESS: f64 = 1e3;
const FRICTION: f64 = 0.5;
/// Ratio of the axes of the grains.
const ASPECT: f64 = 1.5;
/// Width of the rings in which the deposit is measured, grains.
const RING: f64 = 1.0;
/// Volume of grains per area at the edge of the deposit, m: half a layer.
const EDGE: f64 = 0.5 * FRACTION;

/// A column before and after its collapse.
struct Collapse {
    /// Initial height over initial radius.
    aspect: f64,
    /// Runout: final radius over initial radius, minus 1.
    runout: f64,
    /// Final height over initial radius.
    height: f64,
    /// Grains that have fallen through the floor.
    lost: usize,
    grains: usize,
}

fn run(report: &mut Report) {
    let collapses = COLUMNS.map(|(radius, aspect)| collapse(radius, aspect));
    let lost: usize = collapses.iter().map(|column| column.lost).sum();
    report.at_most("grains that pass the floor", lost as f64, 0.0);
    let shown: Vec<String> = collapses
        .iter()
        .map(|c| format!("{:.2}: {:.2}, {:.2} ({} grains)", c.aspect, c.runout, c.height, c.grains))
        .collect();
    report.note(format!("aspect ratio: runout, height, relative to the radius: {}", shown.join("; ")));
    let (short, tall) = collapses.split_at(SHORT);
    let runouts = |columns: &[Collapse]| columns.iter().map(|c| (c.aspect, c.runout)).collect::<Vec<_>>();
    let (exponent, _) = power_law(&runouts(short));
    report.absolute("short columns: exponent of the runout", 1.0, exponent, 0.1);
    let factor = mean(short, |c| c.runout / c.aspect);
    report.relative("short columns: runout over aspect ratio", 1.24, factor, 0.25);
    let (exponent, _) = power_law(&runouts(tall));
    report.absolute("tall columns: exponent of the runout", 0.5, exponent, 0.1);
    let factor = mean(tall, |c| c.runout / c.aspect.sqrt());
    report.relative("tall columns: runout over the root of the aspect ratio", 1.6, factor, 0.25);
    let heights: Vec<(f64, f64)> = tall.iter().map(|c| (c.aspect, c.height)).collect();
    let (exponent, _) = power_law(&heights);
    report.absolute("tall columns: exponent of the height", 1.0 / 6.0, exponent, 0.1);
    let factor = mean(tall, |c| c.height / c.aspect.powf(1.0 / 6.0));
    report.relative("tall columns: height over aspect ratio^(1/6)", 0.88, factor, 0.25);
}

fn mean(columns: &[Collapse], value: impl Fn(&Collapse) -> f64) -> f64 {
    columns.iter().map(value).sum::<f64>() / columns.len() as f64
}

/// Lets a column settle in its tube, removes the tube, and measures the deposit.
fn collapse(radius: f64, aspect: f64) -> Collapse {
    let mut bulk = Bulk::new(STIFFNESS, FRICTION, FRICTION, 4);
    bulk.smooth_plane(DVec3::X, DVec3::ZERO);
    bulk.smooth_plane(DVec3::Y, DVec3::ZERO);
    // The floor extends beyond any runout, and a little behind the smooth walls.
    let reach = radius * (1.0 + 2.5 * aspect.min(aspect.sqrt())) + 10.0;
    bulk.surface(rough_floor(reach), DVec3::new(0.5 * reach - 2.0, 0.5 * reach - 2.0, 0.0));
    let grains = (0.25 * PI * radius.powi(3) * aspect * FRACTION / MASS) as usize;
    let length = 4.0 * radius * aspect + 40.0;
    let tube = CylinderSurface { radius, length, facets: 48, divisions: 1, ends: false };
    let tube = bulk.surface(tube.mesh().expect("a valid cylinder"), DVec3::Z * (0.5 * length - 1.0));
    let is_free = |at: DVec3, own: f64| at.truncate().length() < 0.99 * radius - own;
    bulk.fill(&[spheroid(ASPECT)], grains, 1.0, [[0.0, radius]; 2], is_free);
    let mut simulation = bulk.start();
    settle(&mut simulation, 10.0 + 5.0 * (radius * aspect).sqrt());
    let initial = 2.0 * mean_height(&simulation) / radius;
    simulation.world_mut().remove_wall(tube).expect("a wall");
    run_for(&mut simulation, 4.0 * (radius * aspect).sqrt());
    settle(&mut simulation, 10.0 * radius.sqrt());
    let (edge, height) = deposit(&simulation);
    let lost = simulation.world().grains().filter(|grain| grain.position.z < -1.0).count();
    Collapse { aspect: initial, runout: edge / radius - 1.0, height: height / radius, lost, grains }
}

/// Returns a floor with bumps of a fraction of a grain, on which grains do not slide as a whole.
fn rough_floor(size: f64) -> granum_geometry::TriangleMesh {
    // Triangles of the size of a grain: finer ones take longer and stop no more grains.
    let (cells, hills) = (size as u32, (size * size) as u32);
    let terrain = Terrain { size: [size; 2], cells: [cells; 2], hills, height: 0.3, radius: 0.4, seed: 4 };
    terrain.mesh().expect("a valid terrain")
}

/// Returns the mean height of the grains, m.
fn mean_height(simulation: &Simulation) -> f64 {
    let (sum, count) = simulation.world().grains().fold((0.0, 0), |(sum, n), grain| (sum + grain.position.z, n + 1));
    sum / f64::from(count)
}

/// Returns the radius of the deposit and its height at the axis, m. Its edge is where the volume of
/// grains per area, in rings about the axis, falls below [`EDGE`].
fn deposit(simulation: &Simulation) -> (f64, f64) {
    let mut volumes: Vec<f64> = Vec::new();
    let mut height = 0f64;
    for grain in simulation.world().grains() {
        let distance = grain.position.truncate().length();
        let ring = (distance / RING) as usize;
        volumes.resize(volumes.len().max(ring + 1), 0.0);
        volumes[ring] += MASS;
        if distance < 2.0 * RING {
            height = height.max(grain.position.z + 0.5);
        }
    }
    let per_area = |ring: usize| {
        let ring_area = 0.25 * PI * RING * RING * (2 * ring + 1) as f64;
        volumes.get(ring).copied().unwrap_or(0.0) / ring_area
    };
    let first = (0..=volumes.len()).find(|&ring| per_area(ring) < EDGE).unwrap_or(0);
    // Linear between the middles of two rings.
    let edge = match first {
        0 => 0.0,
        ring => {
            let (inner, outer) = (per_area(ring - 1), per_area(ring));
            RING * (ring as f64 - 0.5 + (inner - EDGE) / (inner - outer))
        }
    };
    (edge, height)
}
