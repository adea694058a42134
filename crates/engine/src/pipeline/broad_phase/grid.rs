//! Hierarchical grid: search for near pairs with bodies of very different sizes.
//!
//! A body belongs to the finest level whose cells are as large as its bounding sphere, and its
//! partners are searched on this level and on all coarser ones. For a small body beside one that is
//! a hundred times larger this takes 27 cells; on one grid the large body would cover a million.
//!
//! Cells are addressed modulo the size of the table of a level. The table stays small however far a
//! body flies. Bodies in different cells that share an entry are excluded by their distance.

use glam::{DVec3, IVec3};
use rayon::prelude::*;

use super::boxes::Boxes;
use super::{Candidates, near, near_wall, unbounded};
use crate::execution::Execution;
use crate::state::World;
use crate::state::bodies::{Bodies, BoundingSphere};

/// Bodies in a block of parallel search.
const BLOCK: usize = 1024;

/// Bodies in a cluster, for which the near walls are determined together.
const CLUSTER: usize = 32;

/// Relative margin of the width of a cell, so that rounding cannot make a member wider than its
/// cell.
const CELL_MARGIN: f64 = 1e-9;

/// Scratch of the search, which is kept from one rebuild to the next.
#[derive(Default)]
pub struct Grid {
    levels: Vec<Level>,
    level_of: Vec<u8>,
    blocks: Vec<Block>,
}

/// Bodies of one range of sizes.
#[derive(Default)]
struct Level {
    /// Width of a cell, m.
    cell: f64,
    /// Lower corner of the box of the members' centres, m. Cells are counted from there.
    low: DVec3,
    /// Size of the table along each axis, at least 3, so that the 27 cells around a body are
    /// different entries.
    table: IVec3,
    /// The members of entry e are `members[start[e]..start[e + 1]]`.
    start: Vec<u32>,
    members: Vec<u32>,
    /// Entries of the members in storage order. Scratch of `fill`.
    entries: Vec<u32>,
}

/// Pairs of one block of bodies.
#[derive(Default)]
struct Block {
    counts: Vec<u32>,
    partners: Vec<u32>,
    /// Walls near the present cluster.
    walls: Vec<u32>,
}

impl Grid {
    /// Finds all pairs that come within `skin` of each other, m, with at least one grain.
    pub fn candidates(&mut self, world: &World, skin: f64, found: &mut Candidates) {
        self.candidates_by(Execution::OneThread, world, skin, None, found);
    }

    /// Finds the same pairs, but omits those whose boxes are farther apart than the skin.
    pub fn candidates_by(
        &mut self,
        execution: Execution,
        world: &World,
        skin: f64,
        boxes: Option<&Boxes>,
        found: &mut Candidates,
    ) {
        let bodies = &world.bodies;
        self.sort_into_levels(bodies, skin);
        let walls = unbounded(bodies);
        let mut blocks = std::mem::take(&mut self.blocks);
        blocks.resize_with(bodies.len().div_ceil(BLOCK), Block::default);
        execution.for_each(blocks.par_iter_mut().enumerate(), |(number, block)| {
            block.counts.clear();
            block.partners.clear();
            // A block has its own output, so that the result does not depend on the number of
            // threads.
            let first = number * BLOCK;
            let all: Vec<u32> = (first as u32..(first + BLOCK).min(bodies.len()) as u32).collect();
            for cluster in all.chunks(CLUSTER) {
                // Neighbours in memory are neighbours in space, so that most clusters are far from
                // most walls.
                let ball = ball_around(bodies, cluster);
                block.walls.clear();
                block.walls.extend(walls.iter().filter(|&&wall| near_wall(world, wall, &ball, skin)));
                for &body in cluster {
                    let before = block.partners.len();
                    let sphere = &bodies.sphere[body as usize];
                    // Unbounded bodies are walls: they are partners of grains, and search for none
                    // themselves.
                    if sphere.radius.is_finite() {
                        self.partners_of(bodies, body, skin, boxes, &mut block.partners);
                        if bodies.kinetic[body as usize].tag.is_dynamic() {
                            let near = block.walls.iter().filter(|&&wall| near_wall(world, wall, sphere, skin));
                            block.partners.extend(near);
                        }
                    }
                    block.counts.push((block.partners.len() - before) as u32);
                }
            }
        });
        // The blocks are joined in storage order.
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

    /// Returns a storage order in which neighbours in space are neighbours in memory: along a
    /// Z-curve through the cells of the finest level. Unbounded bodies come last.
    pub fn storage_order(&mut self, execution: Execution, bodies: &Bodies, skin: f64) -> Vec<u32> {
        self.sort_into_levels(bodies, skin);
        let finest = self.levels.first();
        let mut keyed: Vec<(u64, u32)> = (0..bodies.len())
            .map(|k| {
                let sphere = &bodies.sphere[k];
                let level = finest.filter(|_| sphere.radius.is_finite());
                (level.map_or(u64::MAX, |level| z_curve(level.cell_at(sphere.centre))), k as u32)
            })
            .collect();
        // The index breaks ties, so that the order is unique.
        match execution {
            Execution::OneThread => keyed.sort_unstable(),
            Execution::AllThreads => keyed.par_sort_unstable(),
        }
        keyed.into_iter().map(|(_, k)| k).collect()
    }

    fn sort_into_levels(&mut self, bodies: &Bodies, skin: f64) {
        // A cell must hold the sphere and half the skin on either side. Then all near bodies are in
        // the 27 cells around its centre.
        let width = |sphere: &BoundingSphere| 2.0 * sphere.radius + skin;
        let bounded = || bodies.sphere.iter().filter(|sphere| sphere.radius.is_finite());
        let finest = bounded().map(width).fold(f64::INFINITY, f64::min);
        // The cells of a level are twice as wide as those of the level before.
        let level_of = |sphere: &BoundingSphere| (width(sphere) / finest).log2().ceil().max(0.0) as u8;
        let count = bounded().map(level_of).max().map_or(0, |level| level as usize + 1);
        self.levels.resize_with(count, Level::default);
        self.level_of.clear();
        self.level_of.extend(bodies.sphere.iter().map(|p| if p.radius.is_finite() { level_of(p) } else { u8::MAX }));
        for (number, level) in self.levels.iter_mut().enumerate() {
            level.cell = finest * 2f64.powi(number as i32) * (1.0 + CELL_MARGIN);
            level.fill(bodies, &self.level_of, number as u8);
        }
    }

    /// Collects the partners of one body: on its own level half of the bodies around it, so that
    /// every pair is found once; on coarser levels all.
    fn partners_of(&self, bodies: &Bodies, body: u32, skin: f64, boxes: Option<&Boxes>, partners: &mut Vec<u32>) {
        let sphere = &bodies.sphere[body as usize];
        let is_dynamic = bodies.kinetic[body as usize].tag.is_dynamic();
        let own = self.level_of[body as usize] as usize;
        for (number, level) in self.levels.iter().enumerate().skip(own).filter(|(_, level)| !level.members.is_empty()) {
            let first = partners.len();
            let mut consider = |others: &[u32]| {
                for &other in others {
                    // Two walls exert no force on each other.
                    let can_meet = is_dynamic || bodies.kinetic[other as usize].tag.is_dynamic();
                    if can_meet
                        && near(sphere, &bodies.sphere[other as usize], skin)
                        && boxes.is_none_or(|boxes| !boxes.are_apart(body, other, skin))
                    {
                        partners.push(other);
                    }
                }
            };
            let around = level.around(sphere.centre);
            if number > own {
                // On a coarser level the larger bodies do not search for smaller ones, so that all
                // 27 cells are visited from here.
                around.rows(level).iter().for_each(|&row| level.visit(row, &around.xs, &mut consider));
            } else {
                let cell = level.of_entry(around.rows(level)[Around::OWN] + around.xs[1]);
                // On its own level a pair is found by the body whose cell comes first in the order
                // of (z, y, x). Within a cell it is found by the body that is stored first.
                consider(&cell[cell.partition_point(|&other| other <= body)..]);
                consider(level.of_entry(around.rows(level)[Around::OWN] + around.xs[2]));
                let after = &around.rows(level)[Around::OWN + 1..];
                after.iter().for_each(|&row| level.visit(row, &around.xs, &mut consider));
            }
            // The order of the partners must not depend on the order in which cells are visited.
            partners[first..].sort_unstable();
        }
    }
}

/// Entries of the 27 cells around a point: three coordinates along each axis.
struct Around {
    xs: [usize; 3],
    ys: [usize; 3],
    zs: [usize; 3],
}

impl Around {
    /// Index of the row of the point itself among the nine rows. As a table has at least three
    /// cells along each axis, no row is both before and after it.
    const OWN: usize = 4;

    /// Returns the first entries of the nine rows along x, in the order of (z, y).
    #[inline]
    fn rows(&self, level: &Level) -> [usize; 9] {
        let (nx, ny) = (level.table.x as usize, level.table.y as usize);
        std::array::from_fn(|k| (self.zs[k / 3] * ny + self.ys[k % 3]) * nx)
    }
}

/// Returns a sphere about the bounded bodies among these.
fn ball_around(bodies: &Bodies, cluster: &[u32]) -> BoundingSphere {
    let bounded = || cluster.iter().map(|&k| &bodies.sphere[k as usize]).filter(|sphere| sphere.radius.is_finite());
    let low = bounded().map(|sphere| sphere.centre).fold(DVec3::INFINITY, DVec3::min);
    let high = bounded().map(|sphere| sphere.centre).fold(DVec3::NEG_INFINITY, DVec3::max);
    let centre = 0.5 * (low + high);
    let radius = bounded().map(|sphere| (sphere.centre - centre).length() + sphere.radius).fold(0.0, f64::max);
    BoundingSphere { centre, radius }
}

impl Level {
    /// Sorts the members into the table by counting.
    fn fill(&mut self, bodies: &Bodies, level_of: &[u8], number: u8) {
        let mine = || (0..bodies.len() as u32).filter(|&k| level_of[k as usize] == number);
        let (mut low, mut high, mut count) = (DVec3::INFINITY, DVec3::NEG_INFINITY, 0usize);
        for k in mine() {
            low = low.min(bodies.sphere[k as usize].centre);
            high = high.max(bodies.sphere[k as usize].centre);
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
        // `start` is shifted by two, so that counting and filling need no second array.
        self.start.resize(size + 2, 0);
        self.entries.clear();
        for k in mine() {
            let entry = self.entry(self.cell_at(bodies.sphere[k as usize].centre));
            self.start[entry + 2] += 1;
            self.entries.push(entry as u32);
        }
        for e in 2..self.start.len() {
            self.start[e] += self.start[e - 1];
        }
        // Filling advances `start[entry + 1]` to the end of the entry, which is the start of the
        // next one.
        self.members.resize(count, 0);
        for (k, &entry) in mine().zip(&self.entries) {
            let next = &mut self.start[entry as usize + 1];
            self.members[*next as usize] = k;
            *next += 1;
        }
        self.start.pop();
    }

    /// Returns the cell of a point. Cells saturate at the range of `i32`: bodies beyond share a
    /// cell.
    #[inline]
    fn cell_at(&self, point: DVec3) -> IVec3 {
        // One less than the range, so that the coordinate of a neighbouring cell does not overflow.
        const FAR: f64 = (i32::MAX - 1) as f64;
        let at = ((point - self.low) / self.cell).clamp(DVec3::splat(-FAR), DVec3::splat(FAR));
        // Rounds down. Without SSE 4.1 `floor` is a function call, and slow.
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

    /// Returns the entries around a point.
    #[inline]
    fn around(&self, centre: DVec3) -> Around {
        let cell = self.cell_at(centre);
        let around = |at: i32, size: i32| {
            let here = wrapped(at, size);
            // Coordinates wrap around at the ends of the table.
            [if here == 0 { size - 1 } else { here - 1 }, here, if here + 1 == size { 0 } else { here + 1 }]
                .map(|coordinate| coordinate as usize)
        };
        let t = self.table;
        Around { xs: around(cell.x, t.x), ys: around(cell.y, t.y), zs: around(cell.z, t.z) }
    }

    /// Returns the members of an entry.
    #[inline]
    fn of_entry(&self, entry: usize) -> &[u32] {
        &self.members[self.start[entry] as usize..self.start[entry + 1] as usize]
    }

    /// Visits the members of three entries of a row, with one call if the entries are consecutive.
    #[inline]
    fn visit(&self, row: usize, xs: &[usize; 3], visit: &mut impl FnMut(&[u32])) {
        if xs[0] < xs[1] && xs[1] < xs[2] {
            visit(&self.members[self.start[row + xs[0]] as usize..self.start[row + xs[2] + 1] as usize]);
        } else {
            xs.iter().for_each(|x| visit(self.of_entry(row + x)));
        }
    }
}

/// Returns the remainder of a coordinate. In most cases it is in range, and no slow division is
/// needed.
#[inline]
fn wrapped(at: i32, size: i32) -> i32 {
    if (0..size).contains(&at) { at } else { at.rem_euclid(size) }
}

/// Returns the size of a table that covers the extent of a level, in cells. With more than two
/// entries for each body it is reduced, and the cells wrap around.
fn table_size(extent: DVec3, count: usize) -> IVec3 {
    // Two entries per body keep the table in the cache; 64 entries avoid tiny tables.
    let budget = (2 * count).max(64) as f64;
    let mut size = (extent + 2.0).min(DVec3::splat(1e6)).max(DVec3::splat(3.0)).floor();
    while size.x * size.y * size.z > budget && size.max_element() > 3.0 {
        // The longest side is halved. 3 is the least size with 27 different cells around a body.
        let longest = size.max_element();
        let axis = (0..3).find(|&k| size[k] == longest).unwrap_or(0);
        size[axis] = (longest / 2.0).floor().max(3.0);
    }
    size.as_ivec3()
}

/// Returns the position of a cell along a Z-curve, from the lower 21 bits of each coordinate.
fn z_curve(cell: IVec3) -> u64 {
    // Moves bit n of a coordinate to bit 3 n.
    let spread = |coordinate: i32| {
        // 21 bits of each coordinate fit into 64 bits. The offset makes negative coordinates
        // positive.
        let mut x = (coordinate.wrapping_add(1 << 20) as u64) & 0x1f_ffff;
        x = (x | x << 32) & 0x001f_0000_0000_ffff;
        x = (x | x << 16) & 0x001f_0000_ff00_00ff;
        x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
        x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
        (x | x << 2) & 0x1249_2492_4924_9249
    };
    spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2
}
