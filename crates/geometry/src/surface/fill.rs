//! Positions of grains in the volume inside a closed surface, or between two surfaces.

use glam::{DMat3, DQuat, DVec3};

use super::TriangleMesh;
use super::corners::enters;
use super::inside::{Inside, Location};
use super::topology::Edges;
use super::tree::BoxTree;
use crate::random::Random;
use crate::{Aabb, Convex, Pose};

/// Tilts of a ray that hit an edge exactly, relative to its length. They move the end of the ray by
/// less than the coordinates of files are known.
const TILT: f64 = 1e-9;

/// Number of tilted rays after which a point is taken to lie on the surface.
const MOST_RAYS: usize = 16;

/// Number of random points after which a region is taken to be empty.
const MOST_POINTS: usize = 1_000_000;

/// Number of cells along each axis in which a volume is estimated. The error of 262,144 cells is
/// about a thousandth of the volume.
const VOLUME_CELLS: u32 = 64;

/// Relative rounding error of an extent over a spacing: 0.108 m must contain 50 cells of 2.16 mm.
const ROUNDING: f64 = 1e-9;

/// A volume that surfaces bound.
#[derive(Clone, Debug)]
pub struct Region<'a> {
    bounds: Aabb,
    /// True if `bounds` are narrower than those of the surfaces.
    is_limited: bool,
    kind: Kind<'a>,
}

#[derive(Clone, Debug)]
enum Kind<'a> {
    Inside(Box<Inside<'a>>),
    Between { lower: Box<Inside<'a>>, upper: Box<Inside<'a>>, sides: Box<[Curtain; 2]>, up: DVec3 },
}

/// The vertical side of a volume between two surfaces: it is swept by the rim of one of them.
#[derive(Clone, Debug)]
struct Curtain {
    quadrilaterals: Vec<[DVec3; 4]>,
    tree: BoxTree,
}

/// A lattice of equal cells along rotated axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// Distances between the centres of neighbouring cells along the axes of the lattice, m.
    spacing: DVec3,
    /// Rotation from the axes of the lattice to world axes.
    orientation: DQuat,
    /// Centre of the first cell, m.
    first: DVec3,
    /// Numbers of cells along the axes of the lattice.
    counts: [u64; 3],
}

impl<'a> Region<'a> {
    /// Creates the volume inside a closed surface without self-intersections.
    pub fn inside(mesh: &'a TriangleMesh) -> Self {
        Self { bounds: mesh.bounds(), is_limited: false, kind: Kind::Inside(Box::new(Inside::new(mesh))) }
    }

    /// Creates the volume above one surface and below another one, such as two states of a terrain.
    /// `up` is a unit vector. Where one of the surfaces ends, the volume ends, too.
    pub fn between(lower: &'a TriangleMesh, upper: &'a TriangleMesh, up: DVec3) -> Self {
        let (below, above) = (lower.bounds(), upper.bounds());
        let bounds = Aabb { min: below.min.min(above.min), max: below.max.max(above.max) };
        let height = (bounds.max - bounds.min).dot(up.abs());
        let sides = [Curtain::new(lower, height * up), Curtain::new(upper, -height * up)];
        let [lower, upper] = [lower, upper].map(|mesh| Box::new(Inside::new(mesh)));
        Self { bounds, is_limited: false, kind: Kind::Between { lower, upper, sides: Box::new(sides), up } }
    }

    /// Returns the part of the volume in a box.
    pub fn within(mut self, limits: &Aabb) -> Self {
        self.bounds = Aabb { min: self.bounds.min.max(limits.min), max: self.bounds.max.min(limits.max) };
        self.is_limited = true;
        self
    }

    /// Returns a box around the volume.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Returns whether a point lies in the volume. A point on its boundary does not.
    pub fn contains(&self, point: DVec3) -> bool {
        self.bounds.contains(point)
            && match &self.kind {
                Kind::Inside(inside) => inside.locate(point) == Location::Inside,
                Kind::Between { lower, upper, up, .. } => {
                    let size = 2.0 * (self.bounds.max - self.bounds.min).length();
                    is_crossed(upper, point, size * *up) && is_crossed(lower, point, -size * *up)
                }
            }
    }

    /// Returns whether a whole body lies in the volume: its centre does, and no part of the
    /// boundary enters it. Bodies of all bounded shapes are tested by their support points.
    pub fn contains_body(&self, body: &dyn Convex, pose: &Pose) -> bool {
        if !self.contains(pose.position) {
            return false;
        }
        let around = body.aabb(pose);
        let slack = ROUNDING * body.bounding_radius();
        if self.is_limited
            && ((self.bounds.min - around.min).max_element() > slack
                || (around.max - self.bounds.max).max_element() > slack)
        {
            return false;
        }
        match &self.kind {
            Kind::Inside(inside) => !inside.enters(body, pose, &around),
            Kind::Between { lower, upper, sides, .. } => {
                !(lower.enters(body, pose, &around)
                    || upper.enters(body, pose, &around)
                    || sides.iter().any(|side| side.enters(body, pose, &around)))
            }
        }
    }

    /// Returns the volume, m³. It is exact inside a surface. Between surfaces or in a box it is
    /// estimated from one random point in each of many cells, the same for each call.
    pub fn volume(&self) -> f64 {
        if let (Kind::Inside(inside), false) = (&self.kind, self.is_limited) {
            return inside.mesh().signed_volume().abs();
        }
        let size = self.bounds.max - self.bounds.min;
        if size.min_element() <= 0.0 {
            return 0.0;
        }
        let mut random = Random::new(0);
        let numbers = || 0..VOLUME_CELLS;
        let mut hits = 0;
        for (x, y, z) in numbers().flat_map(|x| numbers().flat_map(move |y| numbers().map(move |z| (x, y, z)))) {
            let cell = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
            let part = (cell + DVec3::new(random.unit(), random.unit(), random.unit())) / f64::from(VOLUME_CELLS);
            hits += u32::from(self.contains(self.bounds.min + part * size));
        }
        size.x * size.y * size.z * f64::from(hits) / f64::from(VOLUME_CELLS).powi(3)
    }

    /// Returns a random point in the volume, uniformly distributed, or `None` if the volume is so
    /// much smaller than its bounds that none is found.
    pub fn random_point(&self, random: &mut Random) -> Option<DVec3> {
        let size = self.bounds.max - self.bounds.min;
        (0..MOST_POINTS)
            .map(|_| self.bounds.min + size * DVec3::new(random.unit(), random.unit(), random.unit()))
            .find(|&point| self.contains(point))
    }

    /// Returns the extent of the volume along rotated axes, relative to the origin.
    fn extent(&self, orientation: DQuat) -> Aabb {
        let axes = DMat3::from_quat(orientation).transpose();
        let Aabb { min, max } = self.bounds;
        let (middle, half) = (axes * min.midpoint(max), 0.5 * (max - min));
        let half = axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
        let mut extent = Aabb { min: middle - half, max: middle + half };
        if let Kind::Inside(inside) = &self.kind {
            let of_vertices = (inside.mesh().vertices().iter())
                .fold(Aabb::EMPTY, |extent, &vertex| extent.including(axes * vertex, 0.0));
            extent = Aabb { min: extent.min.max(of_vertices.min), max: extent.max.min(of_vertices.max) };
        }
        extent
    }
}

impl Curtain {
    /// Sweeps the rim of a surface by a vector.
    fn new(mesh: &TriangleMesh, by: DVec3) -> Self {
        let edges = Edges::new(mesh);
        let open = edges.iter().filter(|half_edges| half_edges.len() == 1);
        let quadrilaterals: Vec<[DVec3; 4]> = open
            .map(|half_edges| {
                let [from, to] = half_edges[0].ends(mesh).map(|vertex| mesh.vertices()[vertex as usize]);
                [from, to, to + by, from + by]
            })
            .collect();
        let bounds =
            |k: usize| quadrilaterals[k].iter().fold(Aabb::EMPTY, |bounds, &corner| bounds.including(corner, 0.0));
        let tree = BoxTree::new(quadrilaterals.len(), bounds);
        Self { quadrilaterals, tree }
    }

    /// Returns whether the side enters a body.
    fn enters(&self, body: &dyn Convex, pose: &Pose, around: &Aabb) -> bool {
        let mut found = false;
        self.tree
            .visit(|bounds| bounds.overlaps(around), |k| found = found || enters(self.quadrilaterals[k], body, pose));
        found
    }
}

/// Returns whether a ray crosses a surface an odd number of times.
fn is_crossed(surface: &Inside, from: DVec3, ray: DVec3) -> bool {
    let mut random = Random::keyed(&from.to_array().map(f64::to_bits));
    let mut to = from + ray;
    for _ in 0..MOST_RAYS {
        if let Some(found) = surface.crossings(from, to, |_| true) {
            return found.all % 2 == 1;
        }
        // Lattices are often aligned with the points of a height grid, so that rays hit edges.
        to = from + ray + TILT * ray.length() * random.direction();
    }
    false
}

impl Lattice {
    /// Creates the lattice of as many cells as the extent of a region along the axes of the lattice
    /// holds, in the middle of this extent. `spacing` is the size of a cell, m.
    pub fn over(region: &Region, orientation: DQuat, spacing: DVec3) -> Self {
        let Aabb { min, max } = region.extent(orientation);
        let counts = ((max - min) / spacing + ROUNDING).floor().max(DVec3::ZERO);
        let first = 0.5 * (min + max - (counts - 1.0) * spacing);
        let counts = counts.to_array().map(|count| count as u64);
        Self { spacing, orientation, first: orientation * first, counts }
    }

    /// Returns the number of cells, or `u64::MAX` if it is larger than that.
    pub fn count(&self) -> u64 {
        self.counts.into_iter().fold(1, u64::saturating_mul)
    }

    /// Returns the centres of all cells, m. Those along the first axis follow each other, then those
    /// along the second one.
    pub fn centres(&self) -> impl Iterator<Item = DVec3> {
        let Self { spacing, orientation, first, counts: [nx, ny, _] } = *self;
        (0..self.count()).map(move |k| {
            let cell = DVec3::new((k % nx) as f64, (k / nx % ny) as f64, (k / (nx * ny)) as f64);
            first + orientation * (cell * spacing)
        })
    }
}
