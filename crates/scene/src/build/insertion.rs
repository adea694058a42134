//! Random sequential insertion of grains into a box \[Zhang2013\].
//!
//! Grains are inserted one by one, the largest first, each at a random position where its bounding
//! ball overlaps no other and the grain touches no wall. Smaller grains fit into the space between
//! larger ones. The balls are stored in grids of several cell sizes, so that a test visits few
//! balls even if their sizes differ much.

use glam::{DQuat, DVec3};
use granum_engine::World;
use granum_geometry::random::Random;
use granum_geometry::{Pose, Shape};

use crate::build::wall_clearance::Walls;
use crate::format::RandomBox;
use crate::read::planar;

/// Largest number of attempts for one grain. Equal balls then fill about 0.3 of the box; a denser
/// filling takes far longer.
pub(super) const TRIES: u64 = 20_000;

/// Largest number of attempts for all grains: this many, about a second of work, and this many more
/// for each grain.
pub(super) const ALL_TRIES: (u64, u64) = (2_000_000, 100);

/// Volume fraction at which random insertion of equal balls and of equal discs saturates
/// \[Zhang2013\].
const DENSEST_EQUAL: [f64; 2] = [0.3841, 0.5471];

/// Upper bound on the volume fraction of random insertion for any distribution of sizes, of balls
/// and of discs.
pub(super) const DENSEST: [f64; 2] = [0.7, 0.85];

/// Largest ratio of radii that count as equal.
const EQUAL: f64 = 1.05;

/// Largest number of grid levels. Each level halves the cells, so 30 levels cover any real range of
/// sizes.
const MOST_LEVELS: usize = 30;

/// The reason for which grains do not fit, with a remedy.
pub struct DoesNotFit(pub String);

/// A grain that has no position yet.
pub struct UnplacedGrain<'a> {
    pub shape: &'a Shape,
    /// Bounding radius, m.
    pub radius: f64,
    pub orientation: DQuat,
}

/// Returns an error if `count` balls with radii from `least` to `most` cannot fit by volume.
///
/// `volume` is the volume of all balls, m³; in a planar scene it is the area of all discs, m².
pub fn check_volume(
    region: &RandomBox,
    count: u64,
    volume: f64,
    [least, most]: [f64; 2],
    planar: bool,
) -> Result<(), DoesNotFit> {
    let size = region.max - region.min;
    if (size - 2.0 * most * planar::axes(planar)).min_element() < 0.0 {
        let [x, y, z] = size.to_array();
        return Err(DoesNotFit(format!(
            "the box of {x} x {y} x {z} m is smaller than the largest grain, whose bounding ball has the diameter {:.4e} m",
            2.0 * most
        )));
    }
    let all = box_volume(region, planar);
    let limit = if most <= EQUAL * least { DENSEST_EQUAL } else { DENSEST }[usize::from(planar)];
    if volume <= limit * all {
        return Ok(());
    }
    let fit = (count as f64 * limit * all / volume) as u64;
    Err(DoesNotFit(format!(
        "{count} grains do not fit: their bounding balls need {:.3} of the box volume, and random positions fill at \
         most {limit:.2}, about {fit} grains; enlarge the box, or pour the grains with [grains.inlet]",
        volume / all
    )))
}

/// Inserts grains into a box and returns their centres in the order of the grains, m.
pub fn insert(
    world: &World,
    region: &RandomBox,
    grains: &[UnplacedGrain],
    random: &mut Random,
) -> Result<Vec<DVec3>, DoesNotFit> {
    let mut order: Vec<usize> = (0..grains.len()).collect();
    order.sort_by(|&i, &j| grains[j].radius.total_cmp(&grains[i].radius));
    let walls = Walls::of(world);
    let present: Vec<(DVec3, f64)> =
        world.grains().map(|grain| (grain.position, world.bounding_radius(grain.id))).collect();
    let radii = grains.iter().map(|grain| grain.radius).chain(present.iter().map(|ball| ball.1));
    let largest = radii.clone().fold(0.0, f64::max);
    let mut grid = BallGrid::new(largest, grains.len() + present.len());
    for &(centre, radius) in &present {
        grid.add(centre, radius);
    }
    let mut centres = vec![DVec3::ZERO; grains.len()];
    let mut tries_left = ALL_TRIES.0 + ALL_TRIES.1 * grains.len() as u64;
    for (done, &k) in order.iter().enumerate() {
        let UnplacedGrain { shape, radius, orientation } = grains[k];
        let margin = radius * planar::axes(world.is_planar());
        let (low, range) = (region.min + margin, region.max - region.min - 2.0 * margin);
        let tries = tries_left.min(TRIES);
        let found = (0..tries).find_map(|_| {
            tries_left -= 1;
            let centre = low + DVec3::new(random.unit(), random.unit(), random.unit()) * range;
            let is_free = grid.is_free(centre, radius, |_| true)
                && walls.are_clear_of(shape, &Pose { position: centre, orientation });
            is_free.then_some(centre)
        });
        let Some(centre) = found else {
            let volume: f64 = order[..done].iter().map(|&k| ball_volume(grains[k].radius, world.is_planar())).sum();
            return Err(DoesNotFit(format!(
                "only {done} of {} grains fit: their bounding balls fill {:.3} of the box, and {tries} random positions \
                 for the next grain were all taken; enlarge the box, or pour the grains with [grains.inlet]",
                grains.len(),
                volume / box_volume(region, world.is_planar()),
            )));
        };
        grid.add(centre, radius);
        centres[k] = centre;
    }
    Ok(centres)
}

/// Returns the volume of a ball, m³, or in a planar scene the area of a disc, m².
pub fn ball_volume(radius: f64, planar: bool) -> f64 {
    let area = std::f64::consts::PI * radius * radius;
    if planar { area } else { 4.0 / 3.0 * area * radius }
}

/// Returns the volume of the box, m³, or in a planar scene its area, m².
fn box_volume(region: &RandomBox, planar: bool) -> f64 {
    let size = region.max - region.min;
    if planar { size.x * size.y } else { size.x * size.y * size.z }
}

/// A hash grid of balls with one level for each range of sizes.
///
/// The cells of a level are as wide as the largest ball of its range.
pub(super) struct BallGrid {
    levels: Vec<Level>,
    /// Largest radius, m.
    largest: f64,
    /// Centre and radius of each ball, m.
    balls: Vec<(DVec3, f64)>,
    /// Index of the next ball in the same entry of the hash table, or [`NONE`].
    next: Vec<u32>,
    /// Number of entries of each hash table, a power of two.
    entries: usize,
}

/// The balls of one range of sizes.
struct Level {
    /// Width of a cell, m.
    cell: f64,
    /// Index of the first ball of each entry, or [`NONE`]; empty if the level has no balls. Several
    /// cells may share an entry: the test of distances then finds that their balls are apart.
    first: Vec<u32>,
}

/// End of a list of balls.
const NONE: u32 = u32::MAX;

impl BallGrid {
    /// Creates the grid for `count` balls with radii up to `largest`.
    pub(super) fn new(largest: f64, count: usize) -> Self {
        let entries = (2 * count).next_power_of_two().max(64);
        Self { levels: Vec::new(), largest, balls: Vec::new(), next: Vec::new(), entries }
    }

    /// Adds a ball. The first one has the index 0.
    pub(super) fn add(&mut self, centre: DVec3, radius: f64) {
        // The cells of each level are half as wide as those of the level before.
        let mut number = 0;
        let mut width = 2.0 * self.largest;
        while width >= 4.0 * radius && number < MOST_LEVELS {
            width *= 0.5;
            number += 1;
        }
        while self.levels.len() <= number {
            let cell = 2.0 * self.largest * 0.5f64.powi(self.levels.len() as i32);
            self.levels.push(Level { cell, first: Vec::new() });
        }
        let level = &mut self.levels[number];
        if level.first.is_empty() {
            level.first = vec![NONE; self.entries];
        }
        let entry = entry((centre / level.cell).floor(), self.entries);
        self.next.push(level.first[entry]);
        level.first[entry] = self.balls.len() as u32;
        self.balls.push((centre, radius));
    }

    /// Returns whether a ball overlaps no ball of the grid. `overlaps` can refute an overlap with the
    /// ball of an index, for a body that is smaller than its ball.
    pub(super) fn is_free(&self, centre: DVec3, radius: f64, overlaps: impl Fn(usize) -> bool) -> bool {
        self.levels.iter().filter(|level| !level.first.is_empty()).all(|level| {
            // A ball of this level that overlaps has its centre within this distance.
            let cutoff = radius + 0.5 * level.cell;
            let low = ((centre - cutoff) / level.cell).floor();
            let high = ((centre + cutoff) / level.cell).floor();
            let numbers = |axis: usize| (0..=(high[axis] - low[axis]) as u32).map(move |k| low[axis] + f64::from(k));
            numbers(2).all(|z| {
                numbers(1).all(|y| {
                    numbers(0).all(|x| self.entry_is_free(level, DVec3::new(x, y, z), (centre, radius), &overlaps))
                })
            })
        })
    }

    fn entry_is_free(
        &self,
        level: &Level,
        cell: DVec3,
        (centre, radius): (DVec3, f64),
        overlaps: &impl Fn(usize) -> bool,
    ) -> bool {
        let mut ball = level.first[entry(cell, self.entries)];
        while ball != NONE {
            let (other, other_radius) = self.balls[ball as usize];
            let sum = radius + other_radius;
            if (other - centre).length_squared() <= sum * sum && overlaps(ball as usize) {
                return false;
            }
            ball = self.next[ball as usize];
        }
        true
    }
}

/// Returns the entry of a cell in a hash table; `entries` is a power of two.
fn entry(cell: DVec3, entries: usize) -> usize {
    // Large odd factors distribute neighbouring cells over the table.
    let [x, y, z] = [cell.x as i64 as u64, cell.y as i64 as u64, cell.z as i64 as u64];
    let mixed = x.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ y.wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
        ^ z.wrapping_mul(0x1656_67b1_9e37_79f9);
    (mixed >> 20) as usize & (entries - 1)
}
