//! Start positions of grains on a lattice or at given points.

use glam::DVec3;
use granum_geometry::random::Random;

use crate::check::MOST_BODIES;
use crate::error::SceneError;
use crate::format::{Grains, Lattice};
use crate::read::planar;
use crate::read::source::Source;

/// Default spacing of a lattice, in diameters of the largest grain: a free space of 5 %.
const SPACING: f64 = 1.05;

/// Relative rounding error of box size over spacing: 0.108 m must contain 50 cells of 2.16 mm.
const ROUNDING: f64 = 1e-9;

/// A lattice of equal cubic cells, one position in the centre of each.
#[derive(Clone, Copy, Debug)]
pub struct LatticeCells {
    /// Centre of the first cell, m.
    first: DVec3,
    /// Width of a cell, m.
    spacing: f64,
    /// Number of cells along x, y and z.
    numbers: [u64; 3],
    /// Largest displacement of a grain from the centre of its cell along each axis, m.
    jitter: DVec3,
}

/// The positions available to the grains of one `[[grains]]` table.
pub enum Positions<'a> {
    /// The cells of a lattice; grains may use fewer of them.
    Lattice(LatticeCells),
    /// The points of the scene, m; each takes one grain.
    Points(&'a [DVec3]),
}

impl<'a> Positions<'a> {
    /// Returns the positions for the grains of `path`, whose bounding radius is at most `radius`.
    pub fn new(source: &Source, path: &str, grains: &'a Grains, radius: f64, planar: bool) -> Result<Self, SceneError> {
        match &grains.lattice {
            Some(lattice) => LatticeCells::new(source, path, lattice, radius, planar).map(Self::Lattice),
            None => Ok(Self::Points(grains.positions.as_deref().unwrap_or_default())),
        }
    }

    /// Returns the number of positions.
    pub fn count(&self) -> u64 {
        match self {
            Self::Lattice(cells) => cells.count(),
            Self::Points(points) => points.len() as u64,
        }
    }

    /// Checks that this number of grains fits.
    pub fn check(&self, source: &Source, path: &str, count: u64) -> Result<(), SceneError> {
        let key = |key: &str| format!("{path}.{key}");
        match self {
            Self::Points(points) if count != points.len() as u64 => {
                let reason = format!("there are {} positions for {count} grains; remove `count`", points.len());
                Err(source.error(&key("count"), reason))
            }
            Self::Lattice(cells) if count > cells.count() => {
                let ([nx, ny, nz], available) = (cells.numbers, cells.count());
                let reason = format!(
                    "{count} grains do not fit: the lattice has {nx} x {ny} x {nz} = {available} cells of {:.4e} m; \
                     enlarge the box or reduce the spacing",
                    cells.spacing
                );
                let given = if source.has(&key("mass")) { "mass" } else { "count" };
                Err(source.error(&key(given), reason))
            }
            Self::Lattice(_) if count > MOST_BODIES => {
                let reason =
                    format!("has {count} cells, but a scene may have at most {MOST_BODIES} grains; give a `count`");
                Err(source.error(&key("lattice"), reason))
            }
            _ => Ok(()),
        }
    }

    /// Returns the centres of the first `count` grains, m.
    pub fn centres(&self, count: u64, random: &mut Random) -> Vec<DVec3> {
        match self {
            Self::Lattice(cells) => cells.fill(count, random),
            Self::Points(points) => points.to_vec(),
        }
    }
}

impl LatticeCells {
    fn new(source: &Source, path: &str, lattice: &Lattice, radius: f64, planar: bool) -> Result<Self, SceneError> {
        let spacing = lattice.spacing.unwrap_or(2.0 * SPACING * radius);
        if spacing < 2.0 * radius * (1.0 - ROUNDING) {
            let reason = format!(
                "must be at least the diameter of the largest grain's bounding ball, {:.4e} m, not {spacing:.4e} m",
                2.0 * radius
            );
            return Err(source.error(&format!("{path}.lattice.spacing"), reason));
        }
        let size = lattice.max - lattice.min;
        let numbers = (size / spacing + ROUNDING).floor();
        // A planar scene has one layer, at z = 0.
        let numbers = if planar { numbers.with_z(1.0) } else { numbers };
        if numbers.min_element() < 1.0 {
            let reason = format!(
                "the box of {} x {} x {} m is smaller than one cell of the lattice, {spacing:.4e} m",
                size.x, size.y, size.z
            );
            return Err(source.error(&format!("{path}.lattice"), reason));
        }
        let axes = planar::axes(planar);
        Ok(Self {
            first: axes * (lattice.min + 0.5 * (size - numbers * spacing) + 0.5 * spacing),
            spacing,
            numbers: numbers.to_array().map(|number| number as u64),
            jitter: axes * lattice.jitter * (0.5 * spacing - radius).max(0.0),
        })
    }

    /// Returns the number of cells, or `u64::MAX` if it is larger than that.
    fn count(&self) -> u64 {
        let [nx, ny, nz] = self.numbers;
        nx.checked_mul(ny).and_then(|layer| layer.checked_mul(nz)).unwrap_or(u64::MAX)
    }

    /// Returns the positions of the first `count` cells; x varies fastest, then y, then z.
    fn fill(&self, count: u64, random: &mut Random) -> Vec<DVec3> {
        let [nx, ny, _] = self.numbers;
        let centre = |k: u64| {
            let cell = DVec3::new((k % nx) as f64, (k / nx % ny) as f64, (k / (nx * ny)) as f64);
            let displacement = DVec3::new(random.signed(), random.signed(), random.signed()) * self.jitter;
            self.first + cell * self.spacing + displacement
        };
        (0..count).map(centre).collect()
    }
}
