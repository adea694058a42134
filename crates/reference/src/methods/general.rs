//! The pair routine for any two bounded convex bodies in space: GJK \[Gilbert1988\] and EPA
//! \[Bergen2001\], with a final Newton iteration (`docs/theory/contact.md`).

use super::{Method, Outcome};
use granum_geometry::contact::general::general;
use granum_geometry::{Manifold, Pair, Realm, Shape};

/// The method.
pub const METHOD: Method = Method {
    name: "general",
    about: "distance by GJK, depth by EPA, with a final Newton iteration",
    pairs: "bounded bodies in space",
    serves,
    solve,
};

fn serves(pair: &Pair) -> bool {
    let takes = |shape: &Shape| {
        let convex = shape.as_convex();
        convex.realm() != Realm::Plane && convex.bounding_radius().is_finite()
    };
    takes(pair.a) && takes(pair.b)
}

fn solve(pair: &Pair) -> Outcome {
    let mut manifold = Manifold::default();
    general(pair, &mut manifold);
    Outcome::of(&manifold).unwrap_or_default()
}
