//! Pair routines of boxes and polyhedra with each other.

use crate::contact::polytope::{self, Cuboid};
use crate::{Manifold, Pair, Shape};

/// Finds the contacts of two boxes.
pub(in crate::contact) fn box_box(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Box(a), Shape::Box(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table pairs boxes with boxes")
    };
    polytope::collide_boxes(&Cuboid(a.half_sizes), &Cuboid(b.half_sizes), pair, manifold);
}

/// Finds the contacts of a box and a polyhedron.
pub(in crate::contact) fn box_polyhedron(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Box(a), Shape::Polyhedron(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table pairs a box with a polyhedron")
    };
    polytope::collide(&Cuboid(a.half_sizes), b.hull(), pair, manifold);
}

/// Finds the contacts of two polyhedra.
pub(in crate::contact) fn polyhedron_polyhedron(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Polyhedron(a), Shape::Polyhedron(b)) = (pair.a, pair.b) else {
        unreachable!("the pair table pairs polyhedra with polyhedra")
    };
    polytope::collide(a.hull(), b.hull(), pair, manifold);
}
