//! Special pairs: each file holds one routine that is faster or more exact than `general`.

use super::CollideFn;
use super::container::{inside_convex, inside_cylinder_cylinder, wall_wall};
use super::cylinder::cylinder_cylinder;
use super::half_space::{half_space_convex, half_space_round, half_space_sphere};
use super::planar::{disc_disc, inside_circle_planar, planar_planar, polygon_planar, polygon_smooth, segment_planar};
use super::polytope::{polytope_polytope, polytope_round, sphere_polytope, wall_polytope};
use super::revolution::{capsule_capsule, capsule_revolution, smooth_revolution, sphere_revolution};
use super::smooth::smooth_smooth;
use super::sphere_sphere;
use crate::{Kind, Manifold, Pair};

/// One override of the dispatch table.
pub struct Special {
    /// Kind of the first body.
    pub a: Kind,
    /// Kind of the second body.
    pub b: Kind,
    /// Name for reports.
    pub name: &'static str,
    /// The routine for (a, b).
    pub collide: CollideFn,
    /// The routine for (b, a).
    pub mirrored: CollideFn,
}

/// An override and, for (b, a), the same routine with the bodies exchanged.
macro_rules! special {
    ($a:expr, $b:expr, $module:ident) => {
        special!($a, $b, $module::collide, stringify!($module))
    };
    ($a:expr, $b:expr, $collide:path, $name:expr) => {{
        fn mirrored(pair: &Pair, manifold: &mut Manifold) {
            $collide(&pair.swapped(), manifold);
            manifold.swap(-pair.offset);
        }
        Special { a: $a, b: $b, name: $name, collide: $collide, mirrored }
    }};
}

/// Unbounded bodies.
const WALLS: [Kind; 5] =
    [Kind::HalfSpace, Kind::InsideSphere, Kind::InsideEllipsoid, Kind::InsideCylinder, Kind::InsideCircle];

/// Name of the routine for smooth bodies, whatever the pair.
const SUPPORT: &str = "support";

/// Every override, in the order in which they are laid into the table: a later one wins.
pub fn overrides() -> Vec<Special> {
    let mut all = Vec::new();
    for &kind in Kind::ALL {
        all.push(special!(Kind::HalfSpace, kind, half_space_convex));
        all.push(special!(Kind::InsideSphere, kind, inside_convex::inside_sphere, "inside_sphere_convex"));
        all.push(special!(Kind::InsideEllipsoid, kind, inside_convex::inside_ellipsoid, "inside_ellipsoid_convex"));
        all.push(special!(Kind::InsideCylinder, kind, inside_convex::inside_cylinder, "inside_cylinder_convex"));
    }
    for a in WALLS {
        all.extend(WALLS.map(|b| special!(a, b, wall_wall)));
    }
    all.push(special!(Kind::HalfSpace, Kind::Superellipsoid, half_space_round::collide, "half_space_superellipsoid"));
    for round in [Kind::Cylinder, Kind::Capsule, Kind::TruncatedCone] {
        all.push(special!(Kind::HalfSpace, round, half_space_round));
    }
    all.push(special!(Kind::HalfSpace, Kind::Sphere, half_space_sphere));
    all.push(special!(Kind::Sphere, Kind::Sphere, sphere_sphere));
    all.push(special!(Kind::Sphere, Kind::Ellipsoid, smooth_smooth::sphere_ellipsoid, SUPPORT));
    all.push(special!(Kind::Sphere, Kind::Superellipsoid, smooth_smooth::sphere_superellipsoid, SUPPORT));
    all.push(special!(Kind::Ellipsoid, Kind::Ellipsoid, smooth_smooth::ellipsoid_ellipsoid, SUPPORT));
    all.push(special!(Kind::Ellipsoid, Kind::Superellipsoid, smooth_smooth::ellipsoid_superellipsoid, SUPPORT));
    all.push(special!(
        Kind::Superellipsoid,
        Kind::Superellipsoid,
        smooth_smooth::superellipsoid_superellipsoid,
        SUPPORT
    ));
    for body in [Kind::Cylinder, Kind::Capsule, Kind::TruncatedCone] {
        all.push(special!(Kind::Sphere, body, sphere_revolution));
        all.push(special!(Kind::Ellipsoid, body, smooth_revolution));
        all.push(special!(Kind::Superellipsoid, body, smooth_revolution));
    }
    all.push(special!(Kind::Cylinder, Kind::Cylinder, cylinder_cylinder));
    all.push(special!(Kind::Capsule, Kind::Capsule, capsule_capsule));
    all.push(special!(Kind::Capsule, Kind::Cylinder, capsule_revolution));
    all.push(special!(Kind::Capsule, Kind::TruncatedCone, capsule_revolution));
    all.push(special!(Kind::InsideCylinder, Kind::Cylinder, inside_cylinder_cylinder));
    for solid in [Kind::Box, Kind::Polyhedron] {
        all.push(special!(Kind::HalfSpace, solid, wall_polytope::half_space, "half_space_solid"));
        all.push(special!(Kind::InsideSphere, solid, wall_polytope::inside_sphere, "inside_sphere_solid"));
        all.push(special!(Kind::InsideEllipsoid, solid, wall_polytope::inside_ellipsoid, "inside_ellipsoid_solid"));
        all.push(special!(Kind::InsideCylinder, solid, wall_polytope::inside_cylinder, "inside_cylinder_solid"));
        all.push(special!(Kind::Sphere, solid, sphere_polytope::collide, "sphere_solid"));
        for round in [Kind::Ellipsoid, Kind::Superellipsoid, Kind::Cylinder, Kind::Capsule, Kind::TruncatedCone] {
            all.push(special!(solid, round, polytope_round::collide, "solid_round"));
        }
    }
    all.push(special!(Kind::Box, Kind::Box, polytope_polytope::box_box, "box_box"));
    all.push(special!(Kind::Box, Kind::Polyhedron, polytope_polytope::box_polyhedron, "box_polyhedron"));
    all.push(special!(
        Kind::Polyhedron,
        Kind::Polyhedron,
        polytope_polytope::polyhedron_polyhedron,
        "polyhedron_polyhedron"
    ));
    all.extend(planar());
    all
}

/// The pairs of the plane.
fn planar() -> Vec<Special> {
    let mut all: Vec<Special> = Kind::ALL.iter().map(|&kind| special!(Kind::InsideCircle, kind, wall_wall)).collect();
    for grain in [Kind::Disc, Kind::Ellipse, Kind::Superellipse] {
        all.push(special!(Kind::InsideCircle, grain, inside_circle_planar));
        all.push(special!(Kind::Segment, grain, segment_planar));
        all.push(special!(Kind::Disc, grain, planar_planar::collide, "common-normal"));
        all.push(special!(Kind::Ellipse, grain, planar_planar::collide, "common-normal"));
        all.push(special!(Kind::Superellipse, grain, planar_planar::collide, "common-normal"));
    }
    for partner in [Kind::Polygon, Kind::Disc, Kind::Segment] {
        all.push(special!(Kind::Polygon, partner, polygon_planar));
    }
    for curve in [Kind::Ellipse, Kind::Superellipse] {
        all.push(special!(Kind::Polygon, curve, polygon_smooth));
    }
    all.push(special!(Kind::HalfSpace, Kind::Polygon, wall_polytope::half_space, "half_space_polygon"));
    all.push(special!(Kind::InsideCircle, Kind::Polygon, wall_polytope::inside_circle, "inside_circle_polygon"));
    all.push(special!(Kind::Segment, Kind::Segment, segment_planar));
    all.push(special!(Kind::Disc, Kind::Disc, disc_disc));
    all
}
