//! Boxes and polyhedra with each other: the routine of `collide::solid`.

use crate::contact::polytope::{self, Cuboid};
use crate::{Manifold, Pair, Shape};

/// Two boxes.
pub(in crate::contact) fn box_box(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Box(a), Shape::Box(b)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table pairs boxes with boxes")
    };
    polytope::collide_boxes(&Cuboid(a.half_sizes), &Cuboid(b.half_sizes), pair, manifold);
}

/// A box and a polyhedron.
pub(in crate::contact) fn box_polyhedron(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Box(a), Shape::Polyhedron(b)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table pairs a box with a polyhedron")
    };
    polytope::collide(&Cuboid(a.half_sizes), b.hull(), pair, manifold);
}

/// Two polyhedra.
pub(in crate::contact) fn polyhedron_polyhedron(pair: &Pair, manifold: &mut Manifold) {
    let (Shape::Polyhedron(a), Shape::Polyhedron(b)) = (pair.a, pair.b) else {
        unreachable!("the dispatch table pairs polyhedra with polyhedra")
    };
    polytope::collide(a.hull(), b.hull(), pair, manifold);
}
