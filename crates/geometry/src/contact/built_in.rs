//! The list of the built-in pair routines, and the only place where granum registers them.
//!
//! A new pair routine is one file and one line here. The mirrored pair is derived, and a test
//! compares every routine for the depth with `general`.

use super::container::{inside_convex, inside_cylinder_cylinder, wall_wall};
use super::cylinder::cylinder_cylinder;
use super::half_space::{half_space_convex, half_space_round, half_space_sphere};
use super::planar::{disc_disc, inside_circle_planar, planar_planar, polygon_planar, polygon_smooth, segment_planar};
use super::polytope::{polytope_polytope, polytope_round, sphere_polytope, wall_polytope};
use super::region::{self, capsules, contact, walls};
use super::revolution::{capsule_capsule, capsule_revolution, smooth_revolution, sphere_revolution};
use super::smooth::smooth_smooth;
use super::sphere_sphere;
use super::surface;
use super::table::{CollideFn, PairTable};
use crate::Kind::*;
use crate::{Kind, Measure};

/// Unbounded bodies.
const WALLS: [Kind; 6] = [HalfSpace, InsideSphere, InsideEllipsoid, InsideCylinder, Surface, InsideCircle];

/// Name of the routine for smooth bodies, which all their pairs share.
const SUPPORT: &str = "support";

/// Name of the routine for smooth planar bodies.
const COMMON_NORMAL: &str = "common-normal";

/// Name of the routine for a polytope and a round body.
const POLYTOPE_ROUND: &str = "polytope_round";

/// Registers every built-in routine. A later registration replaces an earlier one of the same cell.
pub(super) fn register(table: &mut PairTable) {
    depth_in_space(&mut |a, b, name, routine| table.register(Measure::Depth, a, b, name, routine));
    depth_in_plane(&mut |a, b, name, routine| table.register(Measure::Depth, a, b, name, routine));
    by_region(&mut |measure, a, b, name, routine| table.register(measure, a, b, name, routine));
    regions(table);
}

/// Registers the routines for the depth of pairs in space.
fn depth_in_space(pair: &mut impl FnMut(Kind, Kind, &'static str, CollideFn)) {
    for &any in Kind::ALL {
        pair(HalfSpace, any, "half_space_convex", half_space_convex::collide);
        pair(InsideSphere, any, "inside_sphere_convex", inside_convex::inside_sphere);
        pair(InsideEllipsoid, any, "inside_ellipsoid_convex", inside_convex::inside_ellipsoid);
        pair(InsideCylinder, any, "inside_cylinder_convex", inside_convex::inside_cylinder);
        pair(Surface, any, "surface", surface::by_depth);
    }
    for a in WALLS {
        for b in WALLS {
            pair(a, b, "wall_wall", wall_wall::collide);
        }
    }
    pair(HalfSpace, Superellipsoid, "half_space_superellipsoid", half_space_round::collide);
    for round in [Cylinder, Capsule, TruncatedCone] {
        pair(HalfSpace, round, "half_space_round", half_space_round::collide);
    }
    pair(HalfSpace, Sphere, "half_space_sphere", half_space_sphere::collide);
    pair(Sphere, Sphere, "sphere_sphere", sphere_sphere::collide);
    pair(Sphere, Ellipsoid, SUPPORT, smooth_smooth::sphere_ellipsoid);
    pair(Sphere, Superellipsoid, SUPPORT, smooth_smooth::sphere_superellipsoid);
    pair(Ellipsoid, Ellipsoid, SUPPORT, smooth_smooth::ellipsoid_ellipsoid);
    pair(Ellipsoid, Superellipsoid, SUPPORT, smooth_smooth::ellipsoid_superellipsoid);
    pair(Superellipsoid, Superellipsoid, SUPPORT, smooth_smooth::superellipsoid_superellipsoid);
    for body in [Cylinder, Capsule, TruncatedCone] {
        pair(Sphere, body, "sphere_revolution", sphere_revolution::collide);
        pair(Ellipsoid, body, "smooth_revolution", smooth_revolution::collide);
        pair(Superellipsoid, body, "smooth_revolution", smooth_revolution::collide);
    }
    pair(Sphere, Tablet, "sphere_revolution", sphere_revolution::collide);
    pair(Cylinder, Cylinder, "cylinder_cylinder", cylinder_cylinder::collide);
    pair(Capsule, Capsule, "capsule_capsule", capsule_capsule::collide);
    pair(Capsule, Cylinder, "capsule_revolution", capsule_revolution::collide);
    pair(Capsule, TruncatedCone, "capsule_revolution", capsule_revolution::collide);
    pair(InsideCylinder, Cylinder, "inside_cylinder_cylinder", inside_cylinder_cylinder::collide);
    for polytope in [Box, Polyhedron] {
        pair(HalfSpace, polytope, "half_space_polytope", wall_polytope::half_space);
        pair(InsideSphere, polytope, "inside_sphere_polytope", wall_polytope::inside_sphere);
        pair(InsideEllipsoid, polytope, "inside_ellipsoid_polytope", wall_polytope::inside_ellipsoid);
        pair(InsideCylinder, polytope, "inside_cylinder_polytope", wall_polytope::inside_cylinder);
        pair(Sphere, polytope, "sphere_polytope", sphere_polytope::collide);
        for round in [Ellipsoid, Superellipsoid, Cylinder, Capsule, TruncatedCone] {
            pair(polytope, round, POLYTOPE_ROUND, polytope_round::collide);
        }
    }
    pair(Box, Box, "box_box", polytope_polytope::box_box);
    pair(Box, Polyhedron, "box_polyhedron", polytope_polytope::box_polyhedron);
    pair(Polyhedron, Polyhedron, "polyhedron_polyhedron", polytope_polytope::polyhedron_polyhedron);
}

/// Registers the routines for the depth of pairs in the plane.
fn depth_in_plane(pair: &mut impl FnMut(Kind, Kind, &'static str, CollideFn)) {
    for &any in Kind::ALL {
        pair(InsideCircle, any, "wall_wall", wall_wall::collide);
    }
    for grain in [Disc, Ellipse, Superellipse] {
        pair(InsideCircle, grain, "inside_circle_planar", inside_circle_planar::collide);
        pair(Segment, grain, "segment_planar", segment_planar::collide);
        pair(Disc, grain, COMMON_NORMAL, planar_planar::collide);
        pair(Ellipse, grain, COMMON_NORMAL, planar_planar::collide);
        pair(Superellipse, grain, COMMON_NORMAL, planar_planar::collide);
    }
    for partner in [Polygon, Disc, Segment] {
        pair(Polygon, partner, "polygon_planar", polygon_planar::collide);
    }
    for curve in [Ellipse, Superellipse] {
        pair(Polygon, curve, "polygon_smooth", polygon_smooth::collide);
    }
    pair(HalfSpace, Polygon, "half_space_polygon", wall_polytope::half_space);
    pair(InsideCircle, Polygon, "inside_circle_polygon", wall_polytope::inside_circle);
    pair(Segment, Segment, "segment_planar", segment_planar::collide);
    pair(Disc, Disc, "disc_disc", disc_disc::collide);
}

/// Registers the routines for measures of the overlap region.
fn by_region(pair: &mut impl FnMut(Measure, Kind, Kind, &'static str, CollideFn)) {
    pair(Measure::Volume, Cylinder, Cylinder, "volume_cylinders", contact::volume_of_cylinders);
    for [a, b] in [[Box, Box], [Box, Polyhedron], [Polyhedron, Box], [Polyhedron, Polyhedron]] {
        pair(Measure::Volume, a, b, "volume_polytopes", contact::volume_of_polytopes);
    }
    for [a, b] in [[Box, Box], [Box, Polyhedron], [Polyhedron, Box], [Polyhedron, Polyhedron]] {
        pair(Measure::Moments, a, b, "moments_polytopes", contact::moments_of_polytopes);
    }
    for other in [Capsule, Cylinder, TruncatedCone, Box, Polyhedron] {
        pair(Measure::Moments, Capsule, other, "moments_capsule", capsules::moments_of_capsule);
    }
    pair(Measure::Volume, Polygon, Polygon, "volume_polygons", contact::volume_of_polygons);
    pair(Measure::Moments, Cylinder, Cylinder, "moments_cylinders", contact::moments_of_cylinders);
    for body in [Cylinder, Capsule, TruncatedCone, Tablet, Superellipsoid, Box, Polyhedron] {
        pair(Measure::Moments, HalfSpace, body, "moments_half_space", walls::moments_on_plane);
        pair(Measure::Moments, Surface, body, "moments_surface", surface::by_moments);
    }
    for container in [InsideSphere, InsideEllipsoid, InsideCylinder] {
        for body in [Cylinder, TruncatedCone] {
            pair(Measure::Moments, container, body, "rims_in_container", walls::overlap_of_rims);
        }
        for polytope in [Box, Polyhedron] {
            pair(Measure::Moments, container, polytope, "corners_in_container", walls::overlap_of_corners);
        }
        pair(Measure::Moments, container, Capsule, "ends_in_container", walls::ends_in_container);
    }
    pair(Measure::Moments, InsideCylinder, Cylinder, "moments_inside_cylinder", walls::moments_in_cylinder);
}

/// Registers the routines for overlap regions, and for two cylinders the methods that are compared;
/// the first is the reference.
fn regions(table: &mut PairTable) {
    table.register_region(Cylinder, Cylinder, region::region_of_cylinders);
    for [a, b] in [[Box, Box], [Box, Polyhedron], [Polyhedron, Box], [Polyhedron, Polyhedron]] {
        table.register_region(a, b, region::region_of_polytopes);
    }
    table.register_region(Polygon, Polygon, region::region_of_polygons);
    for method in region::CYLINDER_METHODS {
        table.register_region_method(Cylinder, Cylinder, method);
    }
}
