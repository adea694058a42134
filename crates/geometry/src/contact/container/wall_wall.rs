//! Two unbounded bodies: walls, which never move each other.

use crate::{Manifold, Pair};

/// Reports nothing: two unbounded bodies have no contact point.
pub(in crate::contact) fn collide(_pair: &Pair, _manifold: &mut Manifold) {}
