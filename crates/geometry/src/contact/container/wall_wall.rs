//! Two walls. Forces do not move walls, so that their contacts do not matter.

use crate::{Manifold, Pair};

/// Reports no contact.
pub(in crate::contact) fn collide(_pair: &Pair, _manifold: &mut Manifold) {}
