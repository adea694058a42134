//! Two unbounded bodies: walls, which never move each other.

use crate::{Manifold, Pair};

/// Reports nothing: two unbounded bodies have no contact point.
pub(super) fn collide(_pair: &Pair, _manifold: &mut Manifold) {}
