//! Bodies must not overlap at the start: a spring that starts compressed makes energy from nothing.

use std::ops::Range;

use granum_engine::World;
use granum_engine::pipeline::broad_phase::Candidates;
use granum_engine::pipeline::broad_phase::grid::Grid;
use granum_geometry::{Manifold, Pair, collide};

use crate::error::SceneError;
use crate::source::Source;

/// Overlap that passes, as a part of the smaller body's radius: rounding in positions, and no more.
const ROUNDING: f64 = 1e-9;

/// Refuses a world in which two bodies overlap; `owners` says which field made which bodies.
pub fn refuse(source: &Source, world: &World, owners: &[(Range<u32>, String)]) -> Result<(), SceneError> {
    let mut candidates = Candidates::default();
    Grid::default().candidates(world, 0.0, &mut candidates);
    let mut manifold = Manifold::default();
    let bodies = &world.bodies;
    for (a, b) in candidates.iter() {
        let shape = |k: u32| &world.shapes[bodies.kinetic[k as usize].tag.shape.0 as usize];
        let (i, j) = (a as usize, b as usize);
        let radius = bodies.place[i].radius.min(bodies.place[j].radius);
        let pair = Pair {
            a: shape(a),
            b: shape(b),
            offset: bodies.place[j].centre - bodies.place[i].centre,
            orientation_a: bodies.orientation[i],
            orientation_b: bodies.orientation[j],
            margin: 0.0,
            warm: None,
        };
        collide(&pair, &mut manifold);
        let deepest = manifold.deepest().map_or(0.0, |point| -point.gap);
        if deepest > ROUNDING * radius {
            let (path, first) = owner(owners, bodies.id[i]);
            let (other, _) = owner(owners, bodies.id[j]);
            let centre = bodies.place[i].centre;
            let reason = format!(
                "grain {} at [{:.4e}, {:.4e}, {:.4e}] overlaps a body of {other} by {deepest:.3e} m at the start",
                bodies.id[i] - first,
                centre.x,
                centre.y,
                centre.z
            );
            return Err(source.fault(path, reason));
        }
    }
    Ok(())
}

/// The field that made a body, and its first body.
fn owner(owners: &[(Range<u32>, String)], id: u32) -> (&str, u32) {
    let found = owners.iter().find(|(range, _)| range.contains(&id));
    found.map_or(("grains", 0), |(range, path)| (path.as_str(), range.start))
}
