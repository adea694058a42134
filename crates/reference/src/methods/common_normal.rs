//! The exact gap of two smooth planar grains: the global maximum of the separation over all normals
//! (`docs/theory/plane.md`). This is the pair routine of the simulation.

use super::{Method, Outcome, Oval};
use granum_geometry::contact::planar::collide_smooth;
use granum_geometry::{Manifold, Pair};

/// The method.
pub const METHOD: Method = Method {
    name: "common-normal",
    about: "global maximum of the separation over all normals; exact at any depth",
    pairs: "discs, ellipses and superellipses",
    serves: |pair| Oval::of(pair.a).is_some() && Oval::of(pair.b).is_some(),
    solve,
};

fn solve(pair: &Pair) -> Outcome {
    let mut manifold = Manifold::default();
    collide_smooth(pair, &mut manifold);
    Outcome::of(&manifold).unwrap_or_default()
}
