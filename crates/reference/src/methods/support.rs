//! The pair routine of the simulation for smooth grains in space (`docs/theory/smooth_shapes.md`).

use super::quadric::superellipsoid_of;
use super::{Method, Outcome};
use granum_geometry::{Manifold, Measure, Pair, collide};

/// The method.
pub const METHOD: Method = Method {
    name: "support",
    about: "maximum of the separation over all directions, by Newton's method on the sphere; exact at any depth",
    pairs: "spheres, ellipsoids and superellipsoids",
    serves: |pair| superellipsoid_of(pair.a).is_some() && superellipsoid_of(pair.b).is_some(),
    solve: |pair| {
        let mut manifold = Manifold::default();
        collide(Measure::Depth, &Pair { warm: None, ..*pair }, &mut manifold);
        // Beyond the margin of the pair there is no contact, but there were iterations.
        let apart = Outcome { iterations: manifold.iterations, status: manifold.status, ..Outcome::default() };
        Outcome::of(&manifold).unwrap_or(apart)
    },
};
