//! Support points, mass properties, surfaces and validation of cylinders, capsules, truncated cones
//! and tablets.

use std::collections::BTreeMap;

use glam::DVec3;
use granum_geometry::shape::{Capsule, Cylinder, Tablet, TruncatedCone};
use granum_geometry::{Convex, MassProperties, Shape};

fn bodies() -> Vec<Shape> {
    let mut all: Vec<Shape> = Vec::new();
    for (radius, half_height) in [(1.0, 1.5), (1.0, 0.1), (0.2, 1.0)] {
        all.push(Cylinder { radius, half_height }.into());
        all.push(Capsule { radius, half_height }.into());
        all.push(TruncatedCone { radii: [radius, 0.3], half_height }.into());
        all.push(TruncatedCone { radii: [0.0, radius], half_height }.into());
        all.push(Tablet { radius, half_height, cap_height: 0.3 * radius }.into());
        all.push(Tablet { radius, half_height: 0.0, cap_height: 0.8 * radius }.into());
    }
    all
}

fn directions() -> impl Iterator<Item = DVec3> {
    let axes = [DVec3::X, DVec3::Z, -DVec3::Z, DVec3::new(1.0, 0.0, 1e-12), DVec3::new(0.0, 1e-200, 1.0)];
    axes.into_iter().chain((0..200).map(|k| {
        let k = f64::from(k);
        DVec3::new((1.7 * k).sin(), (2.9 * k).cos(), (0.6 * k + 0.2).sin())
    }))
}

#[test]
fn support_points_lie_on_the_surface_and_are_the_farthest() {
    for shape in bodies() {
        let body = shape.as_convex();
        for n in directions() {
            let point = body.support(n);
            assert!(body.inside_outside(point).abs() < 1e-13, "{shape:?} {n}");
            assert!(point.length() <= body.bounding_radius() * (1.0 + 1e-15));
            for other in directions() {
                assert!(n.dot(body.support(other)) <= n.dot(point) + 1e-14, "{shape:?} {n}");
            }
        }
    }
}

/// Returns the distance of the surface from the axis at the height `z`, m, by bisection of the
/// inside-outside function.
fn radius_at(body: &dyn Convex, z: f64) -> f64 {
    let (mut inside, mut outside) = (0.0, 2.0 * body.bounding_radius());
    for _ in 0..60 {
        let middle = 0.5 * (inside + outside);
        if body.inside_outside(DVec3::new(middle, 0.0, z)) < 0.0 {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    inside
}

#[test]
fn mass_properties_agree_with_a_sum_over_slices() {
    const SLICES: u32 = 20_000;
    for shape in bodies() {
        let body = shape.as_convex();
        let (low, high) = (body.support(-DVec3::Z).z, body.support(DVec3::Z).z);
        let step = (high - low) / f64::from(SLICES);
        let (mut volume, mut first, mut across, mut along) = (0.0, 0.0, 0.0, 0.0);
        for k in 0..SLICES {
            let z = low + (f64::from(k) + 0.5) * step;
            let square = radius_at(body, z).powi(2);
            let slice = std::f64::consts::PI * square * step;
            volume += slice;
            first += slice * z;
            across += slice * (square / 4.0 + z * z);
            along += slice * square / 2.0;
        }
        let exact: MassProperties = body.mass_properties();
        let moments = exact.principal_moments().expect("its axes are principal");
        assert!((exact.volume / volume - 1.0).abs() < 1e-6, "{shape:?}: {exact:?} {volume}");
        assert!(first.abs() < 1e-6 * volume * body.bounding_radius(), "{shape:?}: {first}");
        assert!((moments.x / across - 1.0).abs() < 1e-6 && moments.x == moments.y, "{shape:?}: {exact:?} {across}");
        assert!((moments.z / along - 1.0).abs() < 1e-6, "{shape:?}: {exact:?} {along}");
    }
}

#[test]
fn a_cone_with_equal_bases_is_a_cylinder() {
    let cylinder = Cylinder { radius: 0.7, half_height: 0.4 };
    let cone = TruncatedCone { radii: [0.7, 0.7], half_height: 0.4 };
    let (p, q) = (cylinder.mass_properties(), cone.mass_properties());
    assert!((p.volume / q.volume - 1.0).abs() < 1e-14);
    for (p, q) in p.inertia.to_cols_array().into_iter().zip(q.inertia.to_cols_array()) {
        assert!((p - q).abs() < 1e-14, "{p} {q}");
    }
}

/// Returns the bits of a point. Adding zero turns -0.0 into 0.0, so that equal points have equal
/// bits.
fn key(point: DVec3) -> [u64; 3] {
    (point + 0.0).to_array().map(f64::to_bits)
}

#[test]
fn surfaces_are_closed_and_converge_to_the_volume() {
    for shape in bodies() {
        let body = shape.as_convex();
        let volume = body.mass_properties().volume;
        let mut before = 1.0;
        for level in 0..4 {
            let mesh = body.surface(level, 1.0);
            let mut passes = BTreeMap::new();
            for triangle in &mesh.triangles {
                let corners = mesh.corners(triangle).map(key);
                for k in 0..3 {
                    let (from, to) = (corners[k], corners[(k + 1) % 3]);
                    *passes.entry((from.min(to), from.max(to))).or_insert(0) += if from < to { 1 } else { -1 };
                }
            }
            assert!(passes.values().all(|&count| count == 0), "{shape:?} is not closed");
            for vertex in &mesh.vertices {
                assert!(body.inside_outside(*vertex) < 1e-13, "{shape:?}: {vertex}");
            }
            let missing = 1.0 - mesh.volume() / volume;
            assert!(missing > 0.0 && missing < 0.3 * before, "{shape:?} at level {level}: {missing}");
            before = missing;
        }
    }
}

#[test]
fn the_error_of_an_invalid_size_names_the_field() {
    let fault = Cylinder { radius: 1.0, half_height: 0.0 }.validate().expect_err("flat");
    assert_eq!(fault.field, "half_height");
    assert_eq!(Capsule { radius: f64::NAN, half_height: 1.0 }.validate().expect_err("no radius").field, "radius");
    let fault = TruncatedCone { radii: [0.0, 0.0], half_height: 1.0 }.validate().expect_err("a line");
    assert_eq!(fault.field, "radii");
}
