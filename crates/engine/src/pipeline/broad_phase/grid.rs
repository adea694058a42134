//! Cells in levels: a body lives on the level whose cells just hold it, and looks for partners on its own level
//! and on every coarser one. So a body a hundred times larger than another costs the small one 27 cells, not the
//! large one a million.
//!
//! Cells are addressed modulo the size of the level's table. The table stays small however far a body flies, and
//! bodies that share an entry by chance are distinguished by their distance.

use glam::{DVec3, IVec3};
use rayon::prelude::*;

use super::boxes::Boxes;
use super::{Candidates, near, near_wall, unbounded};
use crate::state::World;
use crate::state::bodies::{Bodies, Place};

/// Bodies in a block of parallel search.
const BLOCK: usize = 1024;

/// Bodies that ask together which walls may be near.
const CLUMP: usize = 32;

/// Scratch of the search, kept between rebuilds.
#[derive(Default)]
pub struct Grid {
    levels: Vec<Level>,
    level_of: Vec<u8>,
    blocks: Vec<Block>,
}

/// The bodies of one range of sizes.
#[derive(Default)]
struct Level {
    cell: f64,
    /// Lowest corner of the members' centres: cells count from there.
    low: DVec3,
    /// Table size along each axis, at least 3, so that the 27 cells around a body are 27 entries.
    table: IVec3,
    /// Members of entry e are `members[start[e]..start[e + 1]]`.
    start: Vec<u32>,
    members: Vec<u32>,
    /// Entries of the members in storage order; scratch of filling.
    entries: Vec<u32>,
}

/// What one block of bodies found.
#[derive(Default)]
struct Block {
    counts: Vec<u32>,
    partners: Vec<u32>,
    /// Walls near the clump at hand.
    walls: Vec<u32>,
}

impl Grid {
    /// All pairs that come within `skin` of each other and of which forces move at least one.
    pub fn candidates(&mut self, world: &World, skin: f64, found: &mut Candidates) {
        self.candidates_by(world, skin, None, found);
    }

    /// The same without pairs whose boxes are farther apart, where there are boxes.
    pub fn candidates_by(&mut self, world: &World, skin: f64, boxes: Option<&Boxes>, found: &mut Candidates) {
        let bodies = &world.bodies;
        self.sort_into_levels(bodies, skin);
        let walls = unbounded(bodies);
        let mut blocks = std::mem::take(&mut self.blocks);
        blocks.resize_with(bodies.len().div_ceil(BLOCK), Block::default);
        blocks.par_iter_mut().enumerate().for_each(|(number, block)| {
            block.counts.clear();
            block.partners.clear();
            let first = number * BLOCK;
            let all: Vec<u32> = (first as u32..(first + BLOCK).min(bodies.len()) as u32).collect();
            for clump in all.chunks(CLUMP) {
                // Neighbours in memory are neighbours in space: most clumps are far from most walls.
                let ball = ball_around(bodies, clump);
                block.walls.clear();
                block.walls.extend(walls.iter().filter(|&&wall| near_wall(world, wall, &ball, skin)));
                for &body in clump {
                    let before = block.partners.len();
                    let place = &bodies.place[body as usize];
                    if place.radius.is_finite() {
                        self.partners_of(bodies, body, skin, boxes, &mut block.partners);
                        if bodies.kinetic[body as usize].tag.is_dynamic() {
                            let near = block.walls.iter().filter(|&&wall| near_wall(world, wall, place, skin));
                            block.partners.extend(near);
                        }
                    }
                    block.counts.push((block.partners.len() - before) as u32);
                }
            }
        });
        found.start.clear();
        found.start.push(0);
        found.partners.clear();
        for block in &blocks {
            for count in &block.counts {
                found.start.push(found.start.last().copied().unwrap_or(0) + count);
            }
            found.partners.extend_from_slice(&block.partners);
        }
        self.blocks = blocks;
    }

    /// A storage order in which neighbours in space are neighbours in memory: along a Z-curve through the cells
    /// of the finest level. Unbounded bodies come last.
    pub fn storage_order(&mut self, bodies: &Bodies, skin: f64) -> Vec<u32> {
        self.sort_into_levels(bodies, skin);
        let finest = self.levels.first();
        let mut keyed: Vec<(u64, u32)> = (0..bodies.len())
            .map(|k| {
                let place = &bodies.place[k];
                let level = finest.filter(|_| place.radius.is_finite());
                (level.map_or(u64::MAX, |level| z_curve(level.cell_at(place.centre))), k as u32)
            })
            .collect();
        keyed.par_sort_unstable();
        keyed.into_iter().map(|(_, k)| k).collect()
    }

    fn sort_into_levels(&mut self, bodies: &Bodies, skin: f64) {
        let width = |place: &Place| 2.0 * place.radius + skin;
        let bounded = || bodies.place.iter().filter(|place| place.radius.is_finite());
        let finest = bounded().map(width).fold(f64::INFINITY, f64::min);
        // Each level's cells are twice as wide as those of the level before.
        let level_of = |place: &Place| (width(place) / finest).log2().ceil().max(0.0) as u8;
        let count = bounded().map(level_of).max().map_or(0, |level| level as usize + 1);
        self.levels.resize_with(count, Level::default);
        self.level_of.clear();
        self.level_of.extend(bodies.place.iter().map(|p| if p.radius.is_finite() { level_of(p) } else { u8::MAX }));
        for (number, level) in self.levels.iter_mut().enumerate() {
            // A hair wider than the widest member, so that rounding cannot leave one wider than its cell.
            level.cell = finest * 2f64.powi(number as i32) * (1.0 + 1e-9);
            level.fill(bodies, &self.level_of, number as u8);
        }
    }

    /// Partners of one body: on its own level half of those around, so that every pair is found once; on coarser
    /// levels all.
    fn partners_of(&self, bodies: &Bodies, body: u32, skin: f64, boxes: Option<&Boxes>, partners: &mut Vec<u32>) {
        let place = &bodies.place[body as usize];
        let is_dynamic = bodies.kinetic[body as usize].tag.is_dynamic();
        let own = self.level_of[body as usize] as usize;
        for (number, level) in self.levels.iter().enumerate().skip(own).filter(|(_, level)| !level.members.is_empty()) {
            let first = partners.len();
            let mut consider = |others: &[u32]| {
                for &other in others {
                    let can_meet = is_dynamic || bodies.kinetic[other as usize].tag.is_dynamic();
                    if can_meet
                        && near(place, &bodies.place[other as usize], skin)
                        && boxes.is_none_or(|boxes| !boxes.are_apart(body, other, skin))
                    {
                        partners.push(other);
                    }
                }
            };
            let around = level.around(place.centre);
            if number > own {
                around.rows(level).iter().for_each(|&row| level.visit(row, &around.xs, &mut consider));
            } else {
                let cell = level.of_entry(around.rows(level)[Around::OWN] + around.xs[1]);
                // Members of a cell stand in storage order.
                consider(&cell[cell.partition_point(|&other| other <= body)..]);
                consider(level.of_entry(around.rows(level)[Around::OWN] + around.xs[2]));
                let after = &around.rows(level)[Around::OWN + 1..];
                after.iter().for_each(|&row| level.visit(row, &around.xs, &mut consider));
            }
            partners[first..].sort_unstable();
        }
    }
}

/// The entries of the 27 cells around a point: three places along each axis.
struct Around {
    xs: [usize; 3],
    ys: [usize; 3],
    zs: [usize; 3],
}

impl Around {
    /// Which of the nine rows is that of the point itself. No row comes before it and after it: a table has at least
    /// three places along each axis.
    const OWN: usize = 4;

    /// First entries of the nine rows along x, in the order of (z, y).
    #[inline]
    fn rows(&self, level: &Level) -> [usize; 9] {
        let (nx, ny) = (level.table.x as usize, level.table.y as usize);
        std::array::from_fn(|k| (self.zs[k / 3] * ny + self.ys[k % 3]) * nx)
    }
}

/// A ball around the bounded bodies among these.
fn ball_around(bodies: &Bodies, clump: &[u32]) -> Place {
    let bounded = || clump.iter().map(|&k| &bodies.place[k as usize]).filter(|place| place.radius.is_finite());
    let low = bounded().map(|place| place.centre).fold(DVec3::INFINITY, DVec3::min);
    let high = bounded().map(|place| place.centre).fold(DVec3::NEG_INFINITY, DVec3::max);
    let centre = 0.5 * (low + high);
    let radius = bounded().map(|place| (place.centre - centre).length() + place.radius).fold(0.0, f64::max);
    Place { centre, radius }
}

impl Level {
    fn fill(&mut self, bodies: &Bodies, level_of: &[u8], number: u8) {
        let mine = || (0..bodies.len() as u32).filter(|&k| level_of[k as usize] == number);
        let (mut low, mut high, mut count) = (DVec3::INFINITY, DVec3::NEG_INFINITY, 0usize);
        for k in mine() {
            low = low.min(bodies.place[k as usize].centre);
            high = high.max(bodies.place[k as usize].centre);
            count += 1;
        }
        self.members.clear();
        self.start.clear();
        if count == 0 {
            return;
        }
        self.low = low;
        self.table = table_size((high - low) / self.cell, count);
        let size = (self.table.x * self.table.y * self.table.z) as usize;
        self.start.resize(size + 2, 0);
        self.entries.clear();
        for k in mine() {
            let entry = self.entry(self.cell_at(bodies.place[k as usize].centre));
            self.start[entry + 2] += 1;
            self.entries.push(entry as u32);
        }
        for e in 2..self.start.len() {
            self.start[e] += self.start[e - 1];
        }
        self.members.resize(count, 0);
        for (k, &entry) in mine().zip(&self.entries) {
            let next = &mut self.start[entry as usize + 1];
            self.members[*next as usize] = k;
            *next += 1;
        }
        self.start.pop();
    }

    /// The cell that holds a point. Beyond the range of `i32` cells saturate: bodies out there share a cell.
    #[inline]
    fn cell_at(&self, point: DVec3) -> IVec3 {
        // One less on each side, so that a neighbour's number does not overflow.
        const FAR: f64 = (i32::MAX - 1) as f64;
        let at = ((point - self.low) / self.cell).clamp(DVec3::splat(-FAR), DVec3::splat(FAR));
        // Rounds down; without SSE 4.1 a call of `floor` is slow.
        let floor = |x: f64| {
            let towards_zero = x as i32;
            towards_zero - i32::from(f64::from(towards_zero) > x)
        };
        IVec3::new(floor(at.x), floor(at.y), floor(at.z))
    }

    #[inline]
    fn entry(&self, cell: IVec3) -> usize {
        let t = self.table;
        let (x, y, z) = (wrapped(cell.x, t.x), wrapped(cell.y, t.y), wrapped(cell.z, t.z));
        ((z * t.y + y) * t.x + x) as usize
    }

    /// The entries around a point.
    #[inline]
    fn around(&self, centre: DVec3) -> Around {
        let cell = self.cell_at(centre);
        let around = |at: i32, size: i32| {
            let here = wrapped(at, size);
            [if here == 0 { size - 1 } else { here - 1 }, here, if here + 1 == size { 0 } else { here + 1 }]
                .map(|place| place as usize)
        };
        let t = self.table;
        Around { xs: around(cell.x, t.x), ys: around(cell.y, t.y), zs: around(cell.z, t.z) }
    }

    /// Members of an entry.
    #[inline]
    fn of_entry(&self, entry: usize) -> &[u32] {
        &self.members[self.start[entry] as usize..self.start[entry + 1] as usize]
    }

    /// Members of three entries of a row, at one go where they stand one after the other.
    #[inline]
    fn visit(&self, row: usize, xs: &[usize; 3], visit: &mut impl FnMut(&[u32])) {
        if xs[0] < xs[1] && xs[1] < xs[2] {
            visit(&self.members[self.start[row + xs[0]] as usize..self.start[row + xs[2] + 1] as usize]);
        } else {
            xs.iter().for_each(|x| visit(self.of_entry(row + x)));
        }
    }
}

/// The remainder, without a division where there is nothing to take off: divisions are slow.
#[inline]
fn wrapped(at: i32, size: i32) -> i32 {
    if (0..size).contains(&at) { at } else { at.rem_euclid(size) }
}

/// A table that covers the level's extent where that takes at most two entries a body, and wraps where it does not.
fn table_size(extent: DVec3, count: usize) -> IVec3 {
    let budget = (2 * count).max(64) as f64;
    let mut size = (extent + 2.0).min(DVec3::splat(1e6)).max(DVec3::splat(3.0)).floor();
    while size.x * size.y * size.z > budget && size.max_element() > 3.0 {
        // Halve the longest side; 3 is the least that keeps a body's 27 cells apart.
        let longest = size.max_element();
        let axis = (0..3).find(|&k| size[k] == longest).unwrap_or(0);
        size[axis] = (longest / 2.0).floor().max(3.0);
    }
    size.as_ivec3()
}

/// Position of a cell along a Z-curve, from the low 21 bits of each coordinate.
fn z_curve(cell: IVec3) -> u64 {
    let spread = |coordinate: i32| {
        let mut x = (coordinate.wrapping_add(1 << 20) as u64) & 0x1f_ffff;
        x = (x | x << 32) & 0x001f_0000_0000_ffff;
        x = (x | x << 16) & 0x001f_0000_ff00_00ff;
        x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
        x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
        (x | x << 2) & 0x1249_2492_4924_9249
    };
    spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2
}
