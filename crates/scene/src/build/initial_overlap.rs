//! Check that no two bodies overlap at the start of a run.
//!
//! A contact that starts compressed would release elastic energy that no body has brought in.

use std::ops::Range;

use granum_engine::World;
use granum_geometry::{Manifold, Measure, Pair, collide};

use crate::error::SceneError;
use crate::read::source::Source;

/// Accepted overlap relative to the smaller bounding radius: it covers the rounding of positions.
const ROUNDING: f64 = 1e-9;

/// Returns an error if two bodies overlap. `owners` are the ids of bodies with the field of the
/// scene that created them.
pub fn check(source: &Source, world: &World, owners: &[(Range<u32>, String)]) -> Result<(), SceneError> {
    let mut manifold = Manifold::default();
    for (a, b) in world.near_pairs(0.0) {
        let [one, other] = [a, b].map(|id| world.body(id).expect("a body of this world"));
        let radius = world.bounding_radius(a).min(world.bounding_radius(b));
        let pair = Pair {
            a: world.shape(one.shape),
            b: world.shape(other.shape),
            offset: other.position - one.position,
            orientation_a: one.orientation,
            orientation_b: other.orientation,
            margin: 0.0,
            warm: None,
        };
        collide(Measure::Depth, &pair, &mut manifold);
        let deepest = manifold.deepest().map_or(0.0, |point| -point.gap);
        if deepest > ROUNDING * radius {
            let (path, first) = owner(owners, a.0);
            let (other, _) = owner(owners, b.0);
            let centre = one.position;
            let reason = format!(
                "body {} at [{:.4e}, {:.4e}, {:.4e}] overlaps a body of {other} by {deepest:.3e} m at the start; \
                 bodies must start apart",
                a.0 - first,
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
