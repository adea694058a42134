//! Contact of a cylinder with a hollow cylinder around it. Only its rims touch the side wall, and
//! the end caps are planes.

use glam::DVec3;

use crate::contact::container::cylinder_rims::RimView;
use crate::contact::half_space;
use crate::{Manifold, Pair, Shape};

use super::inside_convex::CAPS;

/// Finds the contacts. Body `a` is the container.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::InsideCylinder(container), Shape::Cylinder(grain)) = (pair.a, pair.b) else {
        unreachable!("the pair table puts the container first")
    };
    let axis = pair.orientation_a * DVec3::Z;
    if let Some(view) = RimView::new(container, grain, axis, pair) {
        view.report(pair, manifold);
    }
    for (first, n) in CAPS.into_iter().zip([axis, -axis]) {
        half_space::collide(n, container.half_height - n.dot(pair.offset), first, pair, manifold);
    }
}
