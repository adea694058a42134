//! Pairs of shapes whose elastic contacts conserve energy.
//!
//! They do if the force is the gradient of one continuous function of the poses. This is the case
//! for measures of the overlap region, and for the depth of a round body: it has one contact point,
//! which moves without jumps. The depth of two bodies with faces, edges or straight lines acts at
//! several points, which appear and vanish at a finite depth, and their energy with them.

use super::region::meridian_on_plane::is_barrel;
use super::smooth::flat_face::can_be_flat;
use super::{Measure, PairTable};
use crate::Shape;

impl PairTable {
    /// Returns whether elastic contacts of two shapes without friction conserve energy by a
    /// measure, but for the error of the time integration.
    ///
    /// A measure that is not built in is not known to do so.
    pub fn conserves_energy(&self, measure: Measure, a: &Shape, b: &Shape) -> bool {
        if let (Shape::Surface(surface), grain) | (grain, Shape::Surface(surface)) = (a, b) {
            // At edges and corners the measure of other bodies is the depth. Two surfaces, which do
            // not collide, rate the surface alone.
            let meets_solid = matches!(grain, Shape::Box(_) | Shape::Polyhedron(_) | Shape::Surface(_));
            return is_round(grain) || (measure == Measure::Moments && !surface.is_two_sided() && meets_solid);
        }
        match self.routine(measure, a.kind(), b.kind()).measure() {
            Measure::Moments => [a, b].into_iter().all(has_moments),
            Measure::Volume => true,
            Measure::Depth => is_round(a) || is_round(b),
            Measure::Other(_) => false,
        }
    }
}

/// Returns whether the routines for moments of a shape compute them. Those of superellipsoids are
/// computed for barrels alone.
fn has_moments(shape: &Shape) -> bool {
    match shape {
        Shape::Superellipsoid(body) => is_barrel(body) || is_round(shape),
        _ => true,
    }
}

/// Returns whether a body has neither flat parts nor straight lines nor edges.
fn is_round(shape: &Shape) -> bool {
    match shape {
        Shape::Sphere(_) | Shape::Ellipsoid(_) | Shape::Disc(_) | Shape::Ellipse(_) | Shape::Superellipse(_) => true,
        Shape::Superellipsoid(body) => !can_be_flat(body),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::shape::{Box, Capsule, Cylinder, Ellipsoid, HalfSpace, Superellipsoid, Surface, TruncatedCone};
    use crate::surface::generate::Plate;

    #[test]
    fn pairs_with_a_round_body_or_with_an_overlap_region_conserve_energy() {
        let table = PairTable::standard();
        let semi_axes = DVec3::new(1.0, 2.0, 3.0);
        let [brick, cone, round, plane, can, pill]: [Shape; 6] = [
            Box { half_sizes: semi_axes }.into(),
            TruncatedCone { radii: [1.0, 0.5], half_height: 1.0 }.into(),
            Ellipsoid { semi_axes }.into(),
            HalfSpace::new(DVec3::Z).into(),
            Cylinder { radius: 1.0, half_height: 1.0 }.into(),
            Capsule { radius: 1.0, half_height: 1.0 }.into(),
        ];
        let by = |measure: Measure, a: &Shape, b: &Shape| {
            assert_eq!(table.conserves_energy(measure, a, b), table.conserves_energy(measure, b, a));
            table.conserves_energy(measure, a, b)
        };
        assert!(by(Measure::Moments, &brick, &brick) && !by(Measure::Depth, &brick, &brick));
        assert!(by(Measure::Moments, &pill, &cone) && by(Measure::Moments, &can, &plane));
        assert!(by(Measure::Depth, &round, &brick) && by(Measure::Depth, &round, &plane));
        assert!(!by(Measure::Moments, &cone, &cone) && !by(Measure::Moments, &can, &brick));
        assert!(!by(Measure::other("published"), &cone, &can));
        let of_revolution = |eps| Shape::from(Superellipsoid { semi_axes: DVec3::new(1.0, 1.0, 2.0), eps });
        assert!(by(Measure::Moments, &of_revolution([1.0, 0.2]), &plane));
        assert!(!by(Measure::Moments, &of_revolution([0.2, 1.0]), &plane));
        assert!(by(Measure::Moments, &of_revolution([0.7, 0.7]), &plane));
        let surface = |is_two_sided: bool| -> Shape {
            let mesh = Plate { size: [1.0; 2], cells: [1; 2] }.mesh().expect("a plate");
            Surface::new(mesh, is_two_sided).expect("a surface").into()
        };
        assert!(by(Measure::Moments, &brick, &surface(false)) && !by(Measure::Moments, &brick, &surface(true)));
        assert!(!by(Measure::Depth, &brick, &surface(false)) && !by(Measure::Moments, &can, &surface(false)));
        let barrel = |eps: f64| Shape::from(Superellipsoid { semi_axes, eps: [1.0, eps] });
        assert!(by(Measure::Depth, &barrel(0.7), &brick) && !by(Measure::Depth, &barrel(0.2), &brick));
    }
}
