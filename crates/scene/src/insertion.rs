//! Random sequential insertion: grains are put one by one at random places of a box where there is room.
//!
//! Room is judged by bounding balls, the largest grain first: what is put later is smaller and finds gaps. Balls are
//! kept in cells of several sizes, so that a try looks at few of them however much sizes differ.

use glam::{DQuat, DVec3};
use granum_engine::World;
use granum_geometry::{Pose, Shape};

use crate::format::RandomBox;
use crate::planar;
use crate::room::Walls;
use granum_geometry::random::Random;

/// Tries for one grain. Equal balls get to about 0.3 of the box with these; more takes far longer.
const TRIES: u64 = 20_000;

/// Tries for all grains together: a second or so, and some more for every grain.
const ALL_TRIES: (u64, u64) = (2_000_000, 100);

/// Densest that random insertion gets with equal balls and with equal discs (Zhang and Torquato, 2013), as a part of the
/// box.
const DENSEST_EQUAL: [f64; 2] = [0.3841, 0.5471];

/// A part of the box that no random insertion fills, whatever the sizes: of balls and of discs.
const DENSEST: [f64; 2] = [0.7, 0.85];

/// Radii that differ by no more than this factor count as equal.
const EQUAL: f64 = 1.05;

/// Why grains do not fit, and what to do.
pub struct NoRoom(pub String);

/// A grain to be placed.
pub struct Ball<'a> {
    pub shape: &'a Shape,
    pub radius: f64,
    pub orientation: DQuat,
}

/// Refuses what cannot fit by its volume alone: `count` balls, none smaller than `least` or larger than `most`. In the
/// plane balls are discs, and volumes are areas.
pub fn check_volume(
    region: &RandomBox,
    count: u64,
    volume: f64,
    [least, most]: [f64; 2],
    planar: bool,
) -> Result<(), NoRoom> {
    let size = region.max - region.min;
    if (size - 2.0 * most * planar::axes(planar)).min_element() < 0.0 {
        let [x, y, z] = size.to_array();
        return Err(NoRoom(format!(
            "no room for a grain of diameter {:.4e} m: the box is {x} x {y} x {z} m",
            2.0 * most
        )));
    }
    let all = box_volume(region, planar);
    let limit = if most <= EQUAL * least { DENSEST_EQUAL } else { DENSEST }[usize::from(planar)];
    if volume <= limit * all {
        return Ok(());
    }
    let fit = (count as f64 * limit * all / volume) as u64;
    Err(NoRoom(format!(
        "{count} grains do not fit: their bounding balls fill {:.3} of the box, and random places at most {limit:.2}, \
         about {fit} grains; enlarge the box, or pour them with [grains.inlet]",
        volume / all
    )))
}

/// The centres of balls in a box, in their own order.
pub fn insert(world: &World, region: &RandomBox, balls: &[Ball], random: &mut Random) -> Result<Vec<DVec3>, NoRoom> {
    let mut order: Vec<usize> = (0..balls.len()).collect();
    order.sort_by(|&i, &j| balls[j].radius.total_cmp(&balls[i].radius));
    let walls = Walls::of(world);
    let present = world.bodies.place.iter().zip(&world.bodies.kinetic).filter(|(_, kinetic)| kinetic.tag.is_dynamic());
    let present: Vec<(DVec3, f64)> = present.map(|(place, _)| (place.centre, place.radius)).collect();
    let radii = balls.iter().map(|ball| ball.radius).chain(present.iter().map(|ball| ball.1));
    let largest = radii.clone().fold(0.0, f64::max);
    let mut cells = Cells::new(largest, balls.len() + present.len());
    for &(centre, radius) in &present {
        cells.add(centre, radius);
    }
    let mut centres = vec![DVec3::ZERO; balls.len()];
    let mut left = ALL_TRIES.0 + ALL_TRIES.1 * balls.len() as u64;
    for (done, &k) in order.iter().enumerate() {
        let Ball { shape, radius, orientation } = balls[k];
        let margin = radius * planar::axes(world.planar);
        let (low, room) = (region.min + margin, region.max - region.min - 2.0 * margin);
        let tries = left.min(TRIES);
        let found = (0..tries).find_map(|_| {
            left -= 1;
            let centre = low + DVec3::new(random.unit(), random.unit(), random.unit()) * room;
            let is_free =
                cells.are_free(centre, radius) && walls.leave_room(shape, &Pose { position: centre, orientation });
            is_free.then_some(centre)
        });
        let Some(centre) = found else {
            let volume: f64 = order[..done].iter().map(|&k| ball_volume(balls[k].radius, world.planar)).sum();
            return Err(NoRoom(format!(
                "{done} of {} grains fitted, filling {:.3} of the box by their bounding balls; {tries} tries found no \
                 place for the next; enlarge the box, or pour them with [grains.inlet]",
                balls.len(),
                volume / box_volume(region, world.planar),
            )));
        };
        cells.add(centre, radius);
        centres[k] = centre;
    }
    Ok(centres)
}

/// Volume of a ball, m³; in the plane the area of a disc, m².
pub fn ball_volume(radius: f64, planar: bool) -> f64 {
    let area = std::f64::consts::PI * radius * radius;
    if planar { area } else { 4.0 / 3.0 * area * radius }
}

fn box_volume(region: &RandomBox, planar: bool) -> f64 {
    let size = region.max - region.min;
    if planar { size.x * size.y } else { size.x * size.y * size.z }
}

/// Balls in cells. A level holds the balls of one range of sizes in cells as wide as the largest of them.
struct Cells {
    levels: Vec<Level>,
    largest: f64,
    balls: Vec<(DVec3, f64)>,
    /// The next ball in the same entry of the table, or `NONE`.
    next: Vec<u32>,
    entries: usize,
}

struct Level {
    cell: f64,
    /// First ball of each entry. Cells share entries by chance; distances tell their balls apart.
    first: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Cells {
    fn new(largest: f64, count: usize) -> Self {
        let entries = (2 * count).next_power_of_two().max(64);
        Self { levels: Vec::new(), largest, balls: Vec::new(), next: Vec::new(), entries }
    }

    fn add(&mut self, centre: DVec3, radius: f64) {
        // Each level's cells are half as wide as those of the level before.
        let mut number = 0;
        let mut width = 2.0 * self.largest;
        while width >= 4.0 * radius && number < 30 {
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

    fn are_free(&self, centre: DVec3, radius: f64) -> bool {
        self.levels.iter().filter(|level| !level.first.is_empty()).all(|level| {
            let reach = radius + 0.5 * level.cell;
            let low = ((centre - reach) / level.cell).floor();
            let high = ((centre + reach) / level.cell).floor();
            let numbers = |axis: usize| (0..=(high[axis] - low[axis]) as u32).map(move |k| low[axis] + f64::from(k));
            numbers(2).all(|z| {
                numbers(1).all(|y| numbers(0).all(|x| self.entry_is_free(level, DVec3::new(x, y, z), centre, radius)))
            })
        })
    }

    fn entry_is_free(&self, level: &Level, cell: DVec3, centre: DVec3, radius: f64) -> bool {
        let mut ball = level.first[entry(cell, self.entries)];
        while ball != NONE {
            let (other, other_radius) = self.balls[ball as usize];
            let reach = radius + other_radius;
            if (other - centre).length_squared() <= reach * reach {
                return false;
            }
            ball = self.next[ball as usize];
        }
        true
    }
}

/// Where a cell's balls are found; `entries` is a power of two.
fn entry(cell: DVec3, entries: usize) -> usize {
    // Large odd numbers spread neighbouring cells over the table.
    let [x, y, z] = [cell.x as i64 as u64, cell.y as i64 as u64, cell.z as i64 as u64];
    let mixed = x.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ y.wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
        ^ z.wrapping_mul(0x1656_67b1_9e37_79f9);
    (mixed >> 20) as usize & (entries - 1)
}
