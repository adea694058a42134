//! W4: collapse of round columns on a rough surface. Runout and final height depend on the initial
//! aspect ratio alone \[Lube2004\].
//!
//! A wedge of each column is simulated, between two smooth walls that meet at the axis. The floor
//! and the tube around the column are triangulated surfaces.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use granum_engine::Simulation;
use granum_geometry::surface::generate::CylinderSurface;

use super::bulk::{Bulk, FRACTION, MASS, power_law, rough_floor, run_for, settle, spheroid};
use crate::{Case, Report};

/// The case.
pub const W4: Case = Case { name: "W4", tier: 3, about: "collapse of columns of spheroids, six aspect ratios", run };

/// A column before it settles.
struct Column {
    /// Radius, grains. The deposit of a short column ends in a slope of single grains, about two
    /// wide, by which its runout is too short: its radius must be much larger.
    radius: f64,
    /// Height relative to the radius.
    aspect: f64,
    /// The wedge is this part of the circle. The tip of a wedge holds no grains, where it is
    /// narrower than a grain.
    parts: f64,
}

/// The first three columns are below the aspect ratio 1.7, at which the law changes.
const COLUMNS: [Column; 6] = [
    Column { radius: 25.0, aspect: 0.6, parts: 16.0 },
    Column { radius: 25.0, aspect: 1.0, parts: 16.0 },
    Column { radius: 25.0, aspect: 1.5, parts: 16.0 },
    Column { radius: 10.0, aspect: 3.0, parts: 12.0 },
    Column { radius: 10.0, aspect: 5.0, parts: 12.0 },
    Column { radius: 10.0, aspect: 9.0, parts: 12.0 },
];
/// Number of columns below the change.
const SHORT: usize = 3;
/// Stiffness, N/m. A grain at the bottom of the tallest column carries 50 N when the tube is
/// removed, and overlaps by 5 %.
const STIFFNESS: f64 = 1e3;
/// Friction, and ratio of the axes of the grains. Natural grains such as sand and rice come to rest
/// at 30 degrees or more; spheroids of aspect ratio 1.5 with friction 0.5 at 28 degrees (case W5).
const FRICTION: f64 = 0.7;
const ASPECT: f64 = 2.0;
/// Distance of the border of the floor behind the axis, grains.
const BEHIND: f64 = 2.0;
/// Floor beyond the column: this multiple of the runout that the law predicts, and so many grains
/// more, because loose grains roll farther than the deposit.
const BEYOND: (f64, f64) = (1.5, 20.0);
/// Width of the rings in which the deposit is measured, grains.
const RING: f64 = 1.0;
/// Distance from the axis within which the height is measured, grains.
const NEAR_AXIS: f64 = 4.0;
/// Volume of grains per area at the edge of the deposit, m: half a layer. Grains that lie farther
/// outside do not touch each other.
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
    /// Grains that have rolled over the far edge of the floor.
    over: usize,
    grains: usize,
}

fn run(report: &mut Report) {
    let collapses = COLUMNS.each_ref().map(collapse);
    let lost: usize = collapses.iter().map(|column| column.lost).sum();
    report.at_most("grains that pass the floor", lost as f64, 0.0);
    let shown: Vec<String> = collapses
        .iter()
        .map(|c| {
            let Collapse { aspect, runout, height, grains, over, .. } = c;
            format!("{aspect:.2}: {runout:.2}, {height:.2} ({grains} grains, {over} over the edge of the floor)")
        })
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
    report.note("the deposit of the tallest column is four grains high: columns of this width are probably too narrow");
    let factor = mean(tall, |c| c.height / c.aspect.powf(1.0 / 6.0));
    report.relative("tall columns: height over aspect ratio^(1/6)", 0.88, factor, 0.25);
    report.note("as above; a quarter of the circle instead of a twelfth changes the height by 1 %");
}

fn mean(columns: &[Collapse], value: impl Fn(&Collapse) -> f64) -> f64 {
    columns.iter().map(value).sum::<f64>() / columns.len() as f64
}

/// Lets a column settle in its tube, removes the tube, and measures the deposit.
fn collapse(column: &Column) -> Collapse {
    let &Column { radius, aspect, parts } = column;
    let angle = TAU / parts;
    let mut bulk = Bulk::new(STIFFNESS, FRICTION, FRICTION, 4);
    let other_side = DVec3::new(angle.sin(), -angle.cos(), 0.0);
    bulk.smooth_plane(DVec3::Y, DVec3::ZERO);
    bulk.smooth_plane(other_side, DVec3::ZERO);
    let law = if aspect < 1.7 { 1.24 * aspect } else { 1.6 * aspect.sqrt() };
    let reach = radius * (1.0 + BEYOND.0 * law) + BEYOND.1;
    bulk.surface(rough_floor([-BEHIND; 2], [reach, reach * angle.sin()], 4), DVec3::ZERO);
    let grains = (PI / parts * radius.powi(3) * aspect * FRACTION / MASS) as usize;
    let length = 4.0 * radius * aspect + 40.0;
    let tube = CylinderSurface { radius, length, facets: 48, divisions: 1, ends: false };
    let tube = bulk.surface(tube.mesh().expect("a valid cylinder"), DVec3::Z * (0.5 * length - 1.0));
    let is_free =
        |at: DVec3, own: f64| at.truncate().length() < 0.99 * radius - own && at.y > own && at.dot(other_side) > own;
    bulk.fill(&[spheroid(ASPECT)], grains, 1.0, [[0.0, radius], [0.0, radius * angle.sin()]], is_free);
    let mut simulation = bulk.start();
    // The grains fall by a third of the height, in less than `sqrt(height)`.
    let fall = (radius * aspect).sqrt();
    settle(&mut simulation, 5.0 + 3.0 * fall);
    let initial = 2.0 * mean_height(&simulation) / radius;
    simulation.world_mut().remove_wall(tube).expect("a wall");
    // The front stops after about `3 sqrt(height)`.
    run_for(&mut simulation, 4.0 * fall);
    settle(&mut simulation, 3.0 * radius.sqrt());
    let (edge, height) = deposit(&simulation, angle);
    let below = || simulation.world().grains().filter(|grain| grain.position.z < -1.0);
    // Nothing pushes a grain back that has left the floor.
    let over = below().filter(|grain| grain.position.x > reach || grain.position.y > reach * angle.sin()).count();
    let lost = below().count() - over;
    Collapse { aspect: initial, runout: edge / radius - 1.0, height: height / radius, lost, over, grains }
}

/// Returns the mean height of the grains, m.
fn mean_height(simulation: &Simulation) -> f64 {
    let (sum, count) = simulation.world().grains().fold((0.0, 0), |(sum, n), grain| (sum + grain.position.z, n + 1));
    sum / f64::from(count)
}

/// Returns the radius of the deposit in a wedge of this angle, and its height at the axis, m. Its
/// edge is where the volume of grains per area, in rings about the axis, falls below [`EDGE`].
fn deposit(simulation: &Simulation, angle: f64) -> (f64, f64) {
    let mut volumes: Vec<f64> = Vec::new();
    let mut height = 0f64;
    for grain in simulation.world().grains() {
        let distance = grain.position.truncate().length();
        let ring = (distance / RING) as usize;
        volumes.resize(volumes.len().max(ring + 1), 0.0);
        volumes[ring] += MASS;
        if distance < NEAR_AXIS {
            height = height.max(grain.position.z + 0.5);
        }
    }
    let per_area = |ring: usize| {
        let ring_area = 0.5 * angle * RING * RING * (2 * ring + 1) as f64;
        volumes.get(ring).copied().unwrap_or(0.0) / ring_area
    };
    // The tip of the wedge is empty, so that the search begins away from it.
    let first = (NEAR_AXIS as usize..).find(|&ring| per_area(ring) < EDGE).expect("rings beyond the last grain");
    // Linear between the middles of two rings.
    let (inner, outer) = (per_area(first - 1), per_area(first));
    let edge = RING * (first as f64 - 0.5 + (inner - EDGE) / (inner - outer));
    (edge, height)
}
