//! Check that no two bodies overlap at the start of a run.
//!
//! A contact that starts compressed would release elastic energy that no body has brought in.

use std::ops::Range;

use granum_engine::World;
use granum_engine::pipeline::broad_phase::Candidates;
use granum_engine::pipeline::broad_phase::grid::Grid;
use granum_geometry::{Manifold, Pair, collide};

use crate::error::SceneError;
use crate::source::Source;

/// Accepted overlap relative to the smaller bounding radius: it covers the rounding of positions.
const ROUNDING: f64 = 1e-9;

/// Returns an error if two bodies overlap. `owners` are the ids of bodies with the field of the
/// scene that created them.
pub fn check(source: &Source, world: &World, owners: &[(Range<u32>, String)]) -> Result<(), SceneError> {
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
                "body {} at [{:.4e}, {:.4e}, {:.4e}] overlaps a body of {other} by {deepest:.3e} m at the start; \
                 bodies must start apart",
                bodies.id[i] - first,
                centre.x,
                centre.y,
                centre.z
            );
            return Err(source.error(path, reason));
        }
    }
    Ok(())
}

/// Returns the field that created a body, and the id of the first body of this field.
fn owner(owners: &[(Range<u32>, String)], id: u32) -> (&str, u32) {
    let found = owners.iter().find(|(range, _)| range.contains(&id));
    found.map_or(("grains", 0), |(range, path)| (path.as_str(), range.start))
}
