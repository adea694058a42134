//! Where grains start.

use glam::DVec3;

use crate::check::MOST_BODIES;
use crate::error::SceneError;
use crate::format::{Grains, Lattice};
use crate::planar;
use crate::source::Source;
use granum_geometry::random::Random;

/// Spacing of a lattice for which none is given, in diameters of the largest grain.
const SPACING: f64 = 1.05;

/// Part of a cell by which a row may miss its last place through rounding: 0.108 m are 50 cells of 2.16 mm.
const ROUNDING: f64 = 1e-9;

/// The places of a lattice.
#[derive(Clone, Copy, Debug)]
pub struct Cells {
    first: DVec3,
    spacing: f64,
    /// Cells along x, y and z.
    numbers: [u64; 3],
    /// How far a grain may move along each axis, m.
    jitter: DVec3,
}

/// The places that grains may have.
pub enum Room<'a> {
    /// On a lattice.
    Lattice(Cells),
    /// At points.
    Points(&'a [DVec3]),
}

/// The room for the grains of `path`, none of which is larger than a ball of radius `reach`.
pub fn room<'a>(
    source: &Source,
    path: &str,
    grains: &'a Grains,
    reach: f64,
    planar: bool,
) -> Result<Room<'a>, SceneError> {
    match &grains.lattice {
        Some(lattice) => Cells::new(source, path, lattice, reach, planar).map(Room::Lattice),
        None => Ok(Room::Points(grains.positions.as_deref().unwrap_or_default())),
    }
}

impl Room<'_> {
    /// How many there are.
    pub fn places(&self) -> u64 {
        match self {
            Room::Lattice(cells) => cells.places(),
            Room::Points(points) => points.len() as u64,
        }
    }

    /// Refuses a number of grains that does not fit.
    pub fn check(&self, source: &Source, path: &str, count: u64) -> Result<(), SceneError> {
        let key = |key: &str| format!("{path}.{key}");
        match self {
            Room::Points(points) if count != points.len() as u64 => {
                let reason = format!("there are {} positions for {count} grains; drop the count", points.len());
                Err(source.fault(&key("count"), reason))
            }
            Room::Lattice(cells) if count > cells.places() => {
                let ([nx, ny, nz], places) = (cells.numbers, cells.places());
                let reason = format!(
                    "{count} grains do not fit: the lattice has {nx} x {ny} x {nz} = {places} places {} m apart",
                    cells.spacing
                );
                let given = if source.has(&key("mass")) { "mass" } else { "count" };
                Err(source.fault(&key(given), reason))
            }
            Room::Lattice(_) if count > MOST_BODIES => {
                let reason = format!("{count} places are more grains than granum can hold, {MOST_BODIES}");
                Err(source.fault(&key("lattice"), reason))
            }
            _ => Ok(()),
        }
    }

    /// The centres of this many grains.
    pub fn centres(&self, count: u64, random: &mut Random) -> Vec<DVec3> {
        match self {
            Room::Lattice(cells) => cells.fill(count, random),
            Room::Points(points) => points.to_vec(),
        }
    }
}

impl Cells {
    fn new(source: &Source, path: &str, lattice: &Lattice, reach: f64, planar: bool) -> Result<Self, SceneError> {
        let spacing = lattice.spacing.unwrap_or(2.0 * SPACING * reach);
        if spacing < 2.0 * reach * (1.0 - ROUNDING) {
            let reason = format!("must be at least the largest grain's diameter, {}, not {spacing}", 2.0 * reach);
            return Err(source.fault(&format!("{path}.lattice.spacing"), reason));
        }
        let size = lattice.max - lattice.min;
        let numbers = (size / spacing + ROUNDING).floor();
        // In the plane one layer, at z = 0.
        let numbers = if planar { numbers.with_z(1.0) } else { numbers };
        if numbers.min_element() < 1.0 {
            let reason = format!(
                "no room for a grain: the box is {} x {} x {} m and a cell of the lattice {spacing} m",
                size.x, size.y, size.z
            );
            return Err(source.fault(&format!("{path}.lattice"), reason));
        }
        let axes = planar::axes(planar);
        Ok(Self {
            first: axes * (lattice.min + 0.5 * (size - numbers * spacing) + 0.5 * spacing),
            spacing,
            numbers: numbers.to_array().map(|number| number as u64),
            jitter: axes * lattice.jitter * (0.5 * spacing - reach).max(0.0),
        })
    }

    fn places(&self) -> u64 {
        let [nx, ny, nz] = self.numbers;
        nx.checked_mul(ny).and_then(|layer| layer.checked_mul(nz)).unwrap_or(u64::MAX)
    }

    fn fill(&self, count: u64, random: &mut Random) -> Vec<DVec3> {
        let [nx, ny, _] = self.numbers;
        let centre = |k: u64| {
            let cell = DVec3::new((k % nx) as f64, (k / nx % ny) as f64, (k / (nx * ny)) as f64);
            let moved = DVec3::new(random.signed(), random.signed(), random.signed()) * self.jitter;
            self.first + cell * self.spacing + moved
        };
        (0..count).map(centre).collect()
    }
}
