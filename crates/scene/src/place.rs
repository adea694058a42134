//! Where grains start.

use glam::DVec3;

use crate::check::MOST_BODIES;
use crate::format::{Grains, Lattice, Scene};
use crate::random::Random;
use crate::source::{SceneError, Source};

/// Spacing of a lattice for which none is given, in diameters of the largest grain.
const SPACING: f64 = 1.05;

/// Part of a cell by which a row may miss its last place through rounding: 0.108 m are 50 cells of 2.16 mm.
const ROUNDING: f64 = 1e-9;

/// The places of a lattice.
#[derive(Clone, Copy, Debug)]
struct Cells {
    first: DVec3,
    spacing: f64,
    /// Cells along x, y and z.
    numbers: [u64; 3],
    /// How far a grain may move along each axis, m.
    jitter: DVec3,
}

/// Centres of the grains of `path`, none of which is larger than a ball of radius `reach`.
pub fn centres(
    scene: &Scene,
    path: &str,
    grains: &Grains,
    reach: f64,
    random: &mut Random,
) -> Result<Vec<DVec3>, SceneError> {
    let source = &scene.source;
    if let Some(lattice) = &grains.lattice {
        return Cells::new(source, path, lattice, reach, scene.is_planar())?.fill(source, path, grains.count, random);
    }
    let positions = grains.positions.as_deref().unwrap_or_default();
    match grains.count {
        Some(count) if count != positions.len() as u64 => {
            let reason = format!("there are {} positions for {count} grains; drop the count", positions.len());
            Err(source.fault(&format!("{path}.count"), reason))
        }
        _ => Ok(positions.to_vec()),
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
        let first = lattice.min + 0.5 * (size - numbers * spacing) + 0.5 * spacing;
        let room = lattice.jitter * (0.5 * spacing - reach).max(0.0);
        Ok(Self {
            first: if planar { first.with_z(0.0) } else { first },
            spacing,
            numbers: numbers.to_array().map(|number| number as u64),
            jitter: if planar { DVec3::new(room, room, 0.0) } else { DVec3::splat(room) },
        })
    }

    fn fill(
        &self,
        source: &Source,
        path: &str,
        count: Option<u64>,
        random: &mut Random,
    ) -> Result<Vec<DVec3>, SceneError> {
        let [nx, ny, nz] = self.numbers;
        let places = nx.checked_mul(ny).and_then(|layer| layer.checked_mul(nz)).unwrap_or(u64::MAX);
        let count = match count {
            Some(count) if count > places => {
                let reason = format!(
                    "{count} grains do not fit: the lattice has {nx} x {ny} x {nz} = {places} places {} m apart",
                    self.spacing
                );
                return Err(source.fault(&format!("{path}.count"), reason));
            }
            Some(count) => count,
            None if places > MOST_BODIES => {
                let reason = format!("{places} places are more grains than granum can hold, {MOST_BODIES}");
                return Err(source.fault(&format!("{path}.lattice"), reason));
            }
            None => places,
        };
        let centre = |k: u64| {
            let cell = DVec3::new((k % nx) as f64, (k / nx % ny) as f64, (k / (nx * ny)) as f64);
            let moved = DVec3::new(random.signed(), random.signed(), random.signed()) * self.jitter;
            self.first + cell * self.spacing + moved
        };
        Ok((0..count).map(centre).collect())
    }
}
