//! Positions of grains in the volume inside a closed surface, or between two surfaces.

use glam::{DMat3, DQuat, DVec3};

use super::TriangleMesh;
use super::inside::{Inside, Location};
use crate::random::Random;
use crate::{Aabb, Pose};

/// Tilts of a ray that hit an edge exactly, relative to its length. They move the end of the ray by
/// less than the coordinates of files are known.
const TILT: f64 = 1e-9;

/// Number of tilted rays after which a point is taken to lie on the surface.
const MOST_RAYS: usize = 16;

/// Number of random points after which a region is taken to be empty.
const MOST_POINTS: usize = 1_000_000;

/// A volume that surfaces bound.
#[derive(Clone, Debug)]
pub struct Region<'a> {
    bounds: Aabb,
    kind: Kind<'a>,
}

#[derive(Clone, Debug)]
enum Kind<'a> {
    Inside(Box<Inside<'a>>),
    Between { lower: Box<Inside<'a>>, upper: Box<Inside<'a>>, up: DVec3 },
}

/// A lattice of equal blocks in rotated axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockLattice {
    /// Half the edge lengths of a block along its axes, m.
    pub half_sizes: DVec3,
    /// Distances between the centres of neighbouring blocks along the axes of the lattice, m; at
    /// least the edge lengths of a block.
    pub spacing: DVec3,
    /// Rotation from the axes of the lattice and of its blocks to world axes.
    pub orientation: DQuat,
    /// Centre of one block, m.
    pub origin: DVec3,
}

impl<'a> Region<'a> {
    /// Creates the volume inside a closed surface without self-intersections.
    pub fn inside(mesh: &'a TriangleMesh) -> Self {
        Self { bounds: mesh.bounds(), kind: Kind::Inside(Box::new(Inside::new(mesh))) }
    }

    /// Creates the volume above one surface and below another one, such as two states of a terrain.
    /// `up` is a unit vector.
    pub fn between(lower: &'a TriangleMesh, upper: &'a TriangleMesh, up: DVec3) -> Self {
        let (below, above) = (lower.bounds(), upper.bounds());
        let bounds = Aabb { min: below.min.min(above.min), max: below.max.max(above.max) };
        let [lower, upper] = [lower, upper].map(|mesh| Box::new(Inside::new(mesh)));
        Self { bounds, kind: Kind::Between { lower, upper, up } }
    }

    /// Returns whether a point lies in the volume. A point on its boundary does not.
    pub fn contains(&self, point: DVec3) -> bool {
        match &self.kind {
            Kind::Inside(inside) => inside.locate(point) == Location::Inside,
            Kind::Between { lower, upper, up } => {
                let size = 2.0 * (self.bounds.max - self.bounds.min).length();
                self.bounds.contains(point)
                    && is_crossed(upper, point, size * *up)
                    && is_crossed(lower, point, -size * *up)
            }
        }
    }

    /// Returns whether a whole block lies in the volume: its centre does, and no triangle meets it.
    pub fn contains_block(&self, pose: &Pose, half_sizes: DVec3) -> bool {
        let surfaces = match &self.kind {
            Kind::Inside(inside) => [Some(inside), None],
            Kind::Between { lower, upper, .. } => [Some(lower), Some(upper)],
        };
        self.contains(pose.position)
            && !surfaces.into_iter().flatten().any(|surface| surface.meets_box(pose, half_sizes))
    }

    /// Returns a random point in the volume, uniformly distributed, or `None` if the volume is so
    /// much smaller than its bounds that none is found.
    pub fn random_point(&self, random: &mut Random) -> Option<DVec3> {
        let size = self.bounds.max - self.bounds.min;
        (0..MOST_POINTS)
            .map(|_| self.bounds.min + size * DVec3::new(random.unit(), random.unit(), random.unit()))
            .find(|&point| self.contains(point))
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

impl BlockLattice {
    /// Returns the centres of the blocks that lie wholly in a region, m; those along the first axis
    /// of the lattice follow each other. `None` if the bounds of the region hold more than `most`
    /// cells of the lattice.
    pub fn fill(&self, region: &Region, most: u64) -> Option<Vec<DVec3>> {
        let into_lattice = DMat3::from_quat(self.orientation).transpose();
        let Aabb { min, max } = region.bounds;
        let middle = into_lattice * (min.midpoint(max) - self.origin);
        let half = 0.5 * (max - min);
        let extent = into_lattice.x_axis.abs() * half.x
            + into_lattice.y_axis.abs() * half.y
            + into_lattice.z_axis.abs() * half.z;
        let first = ((middle - extent) / self.spacing).ceil();
        let counts = (((middle + extent) / self.spacing).floor() - first + 1.0).max(DVec3::ZERO);
        let is_small = counts.x * counts.y * counts.z <= most as f64;
        if !is_small {
            return None;
        }
        let [nx, ny, nz] = counts.to_array().map(|count| count as u64);
        let mut centres = Vec::new();
        for k in 0..nx * ny * nz {
            let cell = first + DVec3::new((k % nx) as f64, (k / nx % ny) as f64, (k / (nx * ny)) as f64);
            let pose = Pose {
                position: self.origin + self.orientation * (cell * self.spacing),
                orientation: self.orientation,
            };
            if region.contains_block(&pose, self.half_sizes) {
                centres.push(pose.position);
            }
        }
        Some(centres)
    }
}
