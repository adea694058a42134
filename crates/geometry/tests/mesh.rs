//! Triangulated surfaces are closed, oriented outwards, and converge to the volume of the body.

mod support;

use std::collections::BTreeMap;
use std::f64::consts::PI;

use glam::{DVec2, DVec3};
use granum_geometry::mesh::FINEST_LEVEL;
use granum_geometry::shape::{
    Disc, Ellipse, HalfSpace, InsideCylinder, InsideEllipsoid, InsideSphere, Segment, Sphere, Superellipse,
};
use granum_geometry::{Aabb, Convex, Mesh, Pose};
use support::Rng;
use support::bodies::{Body, KINDS};

/// Returns the bits of a point. Adding zero turns -0.0 into 0.0, so that equal points have equal
/// bits.
fn key(point: DVec3) -> [u64; 3] {
    (point + 0.0).to_array().map(f64::to_bits)
}

/// Asserts that every edge is passed equally often in both directions.
fn assert_closed(mesh: &Mesh, what: &str) {
    let mut passes = BTreeMap::new();
    for triangle in &mesh.triangles {
        let corners = mesh.corners(triangle).map(key);
        for k in 0..3 {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            *passes.entry((from.min(to), from.max(to))).or_insert(0) += if from < to { 1 } else { -1 };
        }
    }
    assert!(passes.values().all(|&count| count == 0), "{what}");
}

#[test]
fn surfaces_of_bounded_bodies_are_closed_and_lie_on_the_body() {
    let mut rng = Rng::new(3);
    for kind in 0..KINDS {
        for level in 0..4 {
            let body = Body::random(&mut rng, kind, 1.0, 4.0);
            let what = format!("{body:?} at level {level}");
            let mesh = body.surface(level, 1.0);
            assert_closed(&mesh, &what);
            assert!(mesh.volume() > 0.0, "{what}: the surface is oriented inwards");
            for (vertex, normal) in mesh.vertices.iter().zip(&mesh.normals) {
                assert!(body.distance(*vertex).abs() < 1e-12, "{what}: {vertex}");
                assert!((normal.length() - 1.0).abs() < 1e-12, "{what}: {normal}");
            }
        }
    }
}

#[test]
fn volumes_converge_with_the_square_of_the_edge_length() {
    let axes = DVec3::new(0.5, 1.0, 2.0);
    let volume = 4.0 / 3.0 * std::f64::consts::PI;
    let bodies: [(Box<dyn Convex>, f64); 3] = [
        (Box::new(Sphere { radius: 0.7 }), volume * 0.7f64.powi(3)),
        (Box::new(Body::Ellipsoid(axes)), volume * axes.element_product()),
        (Box::new(Body::Capsule(1.0, 0.5)), volume * 0.125 + 0.5 * std::f64::consts::PI),
    ];
    for (body, exact) in &bodies {
        let missing = |level| 1.0 - body.surface(level, 1.0).volume() / exact;
        for level in 2..5 {
            let ratio = missing(level) / missing(level + 1);
            assert!((3.5..4.5).contains(&ratio), "halving the edges divides the error by {ratio} at level {level}");
        }
        let finest = missing(FINEST_LEVEL);
        assert!((0.0..1e-3).contains(&finest), "{finest} of the volume is missing");
    }
}

#[test]
fn surfaces_of_polytopes_have_the_exact_volume() {
    let cuboid = Body::Cuboid(DVec3::new(0.5, 1.0, 2.0)).surface(2, 1.0);
    assert!((cuboid.volume() - 8.0).abs() < 1e-12);
    let tetrahedron = Body::Tetrahedron(1.0).surface(3, 1.0);
    assert!((tetrahedron.volume() - 8.0 / 3.0).abs() < 1e-12);
}

#[test]
fn a_plane_is_a_patch_that_can_be_clipped() {
    let wall = HalfSpace::new(DVec3::new(1.0, 2.0, -2.0));
    let mesh = wall.surface(0, 3.0);
    assert!(mesh.vertices.iter().all(|v| v.dot(wall.normal()).abs() < 1e-14));
    let area = |mesh: &Mesh| {
        let areas = mesh.triangles.iter().map(|triangle| {
            let [a, b, c] = mesh.corners(triangle);
            0.5 * (b - a).cross(c - a).dot(wall.normal())
        });
        areas.sum::<f64>()
    };
    assert!((area(&mesh) - 36.0).abs() < 1e-12, "the patch must be oriented outwards");
    let unit = Aabb { min: DVec3::splat(-0.5), max: DVec3::splat(0.5) };
    let clipped = mesh.clipped(&unit);
    assert!(clipped.vertices.iter().all(|v| v.abs().max_element() <= 0.5 + 1e-15));
    // The section of the plane x + 2 y = 2 z with the unit cube projects onto the part of the
    // square |x|, |y| <= 1/2 where |z| = |x/2 + y| <= 1/2. Two triangles with the legs 1/2 and 1/4
    // are missing. The section is 3/2 times as large as its projection, because the normal has the
    // z component -2/3.
    assert!((area(&clipped) - (1.0 - 2.0 * 0.5 * 0.5 * 0.25) * 1.5).abs() < 1e-12, "{}", area(&clipped));
    assert!(mesh.placed(&Pose::at(9.0 * wall.normal())).clipped(&unit).triangles.is_empty());
}

#[test]
fn planar_shapes_are_thin_plates_and_containers_are_oriented_inwards() {
    let semi_axes = DVec2::new(2.0, 0.5);
    let plates: [&dyn Convex; 4] = [
        &Disc { radius: 0.7 },
        &Ellipse { semi_axes },
        &Superellipse { semi_axes, n: 6.0 },
        &Segment { from: DVec2::ZERO, to: DVec2::new(3.0, 4.0), radius: 0.1 },
    ];
    for (k, shape) in plates.into_iter().enumerate() {
        let mesh = shape.surface(4, 1.0);
        assert_closed(&mesh, &format!("plate {k}"));
        let thickness = 2.0 * mesh.vertices[0].z;
        assert!(thickness > 0.0 && thickness < 0.05 * shape.bounding_radius());
        let area = mesh.volume() / thickness;
        let exact = shape.mass_properties().volume;
        // A segment has no mass. Its area is that of a rectangle with two round ends.
        let exact = if exact.is_finite() && exact > 0.0 { exact } else { 5.0 * 0.2 + PI * 0.01 };
        assert!((area / exact - 1.0).abs() < 1e-3, "plate {k}: {area} {exact}");
    }
    let containers: [(&dyn Convex, f64); 3] = [
        (&InsideSphere { radius: 1.0 }, 4.0 / 3.0 * PI),
        (&InsideEllipsoid { semi_axes: DVec3::new(1.0, 2.0, 3.0) }, 8.0 * PI),
        (&InsideCylinder { radius: 1.0, half_height: 0.5 }, PI),
    ];
    for (shape, volume) in containers {
        let mesh = shape.surface(5, 1.0);
        assert_closed(&mesh, "container");
        assert!((mesh.volume() / -volume - 1.0).abs() < 5e-3, "{} {volume}", mesh.volume());
        assert!(mesh.vertices.iter().zip(&mesh.normals).all(|(point, normal)| point.dot(*normal) < 0.0));
    }
}
