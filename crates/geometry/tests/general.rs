//! Contacts of the general routine compared with closed forms and reference files, and degenerate
//! poses.

mod support;

use glam::{DQuat, DVec3};
use granum_geometry::contact::general::{Placed, convex_convex};
use granum_geometry::shape::Cylinder;
use granum_geometry::{Convex, Manifold, Status};
use serde_json::Value;
use support::Rng;
use support::bodies::Body;
use support::certificate::Case;
use support::triangle::Triangle;

/// Tolerance of lengths, relative to the size of the larger body: 1e4 rounding errors.
const TOLERANCE: f64 = 1e-12;

/// Accuracy of the gaps in the reference files, relative to the size.
const REFERENCE: f64 = 1e-9;

/// Accuracy of the normals in the reference files, rad. Depths that agree to rounding fix a normal
/// to the square root of rounding, and less well on nearly flat surfaces.
const REFERENCE_NORMAL: f64 = 1e-6;

fn vector(value: &Value) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|i| value[i].as_f64().expect("the component is a number")))
}

fn body(value: &Value) -> (Body, DVec3, DQuat) {
    let shape = &value["shape"];
    let body = match shape["type"].as_str() {
        Some("ellipsoid") => Body::Ellipsoid(vector(&shape["semi_axes"])),
        Some("box") => Body::Cuboid(vector(&shape["half_sizes"])),
        other => panic!("the shape {other:?} has no test body"),
    };
    let q: [f64; 4] = std::array::from_fn(|i| value["orientation"][i].as_f64().expect("the component is a number"));
    (body, vector(&value["position"]), DQuat::from_xyzw(q[1], q[2], q[3], q[0]).normalize())
}

fn check_reference(lines: &str) {
    for line in lines.lines() {
        let row: Value = serde_json::from_str(line).expect("every line is a JSON value");
        let (a, centre_a, orientation_a) = body(&row["query"]["a"]);
        let (b, centre_b, orientation_b) = body(&row["query"]["b"]);
        let case = Case { a, b, offset: centre_b - centre_a, orientation_a, orientation_b };
        let (point, status, _) = case.solve();
        let (expected, size) = (&row["expected"], case.size());
        let name = format!("{} {}", row["id"], row["class"]);
        assert_eq!(status, Status::Converged, "{name} {case:?} {point:?}");
        let gap = expected["gap"].as_f64().expect("the expected gap is a number");
        assert!((point.gap - gap).abs() <= REFERENCE * size, "{name}: gap {:e}, expected {gap:e}", point.gap);
        let errors = case.errors(&point, 500);
        assert!(errors.surface.max(errors.plane).max(errors.depth) <= TOLERANCE, "{name}: {errors:?}");
        // The normal in the file is computed from two nearly equal points if the gap is near zero.
        if expected["unique"] == true && expected["normal"].is_array() && gap.abs() > 1e-7 {
            let normal = vector(&expected["normal"]);
            assert!(
                (point.normal - normal).length() <= REFERENCE_NORMAL,
                "{name}: normal {}, expected {normal}",
                point.normal
            );
        }
        if expected["unique"] == true && expected["point_a"].is_array() {
            let error = (centre_a + point.on_a() - vector(&expected["point_a"])).length();
            assert!(error <= REFERENCE_NORMAL * size, "{name}: point off by {error:e}");
        }
    }
}

#[test]
fn ellipsoids_agree_with_the_reference_file() {
    check_reference(include_str!("data/ellipsoid_pairs.jsonl"));
}

#[test]
fn boxes_agree_with_the_reference_file() {
    check_reference(include_str!("data/box_pairs.jsonl"));
}

#[test]
fn balls_agree_with_the_closed_form() {
    let mut rng = Rng::new(3);
    for _ in 0..20_000 {
        let (r, s) = (rng.log_range(1e-3, 1.0), rng.log_range(1e-3, 1.0));
        let distance = (r + s) * rng.range(1e-3, 2.0);
        let n = rng.direction();
        let case = Case {
            a: Body::Ball(r),
            b: Body::Ball(s),
            offset: distance * n,
            orientation_a: rng.rotation(),
            orientation_b: rng.rotation(),
        };
        let (point, status, _) = case.solve();
        assert!(!matches!(status, Status::NotConverged { .. }), "{status:?}");
        assert!((point.gap - (distance - r - s)).abs() <= 1e-15 * 4.0 * (r + s + distance), "{case:?}");
        assert!((point.normal - n).length() * distance <= TOLERANCE * (r + s), "{case:?} {point:?}");
    }
}

/// Returns the least overlap over the 15 axes that can separate two boxes, m [Gottschalk1996].
fn box_depth(case: &Case, a: DVec3, b: DVec3) -> f64 {
    let axes = |q: DQuat| [q * DVec3::X, q * DVec3::Y, q * DVec3::Z];
    let (of_a, of_b) = (axes(case.orientation_a), axes(case.orientation_b));
    let crossed = of_a.iter().flat_map(|u| of_b.iter().map(move |v| u.cross(*v)));
    let candidates = of_a.into_iter().chain(of_b).chain(crossed.filter(|n| n.length() > 1e-6));
    let support_value =
        |axes: &[DVec3; 3], half: DVec3, n: DVec3| (0..3).map(|i| half[i] * n.dot(axes[i]).abs()).sum::<f64>();
    candidates
        .map(|n| n.normalize())
        .map(|n| support_value(&of_a, a, n) + support_value(&of_b, b, n) - n.dot(case.offset).abs())
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn overlapping_boxes_agree_with_the_separating_axes() {
    let mut rng = Rng::new(5);
    for k in 0..20_000 {
        let mut half = || DVec3::new(rng.log_range(0.02, 1.0), rng.log_range(0.02, 1.0), rng.log_range(0.02, 1.0));
        let (a, b) = (half(), half());
        let orientation_a = rng.rotation();
        let orientation_b = if k % 3 == 0 { orientation_a } else { rng.rotation() };
        let offset = rng.in_ball() * rng.range(0.0, 1.5);
        let case = Case { a: Body::Cuboid(a), b: Body::Cuboid(b), offset, orientation_a, orientation_b };
        let depth = box_depth(&case, a, b);
        let (point, status, _) = case.solve();
        assert_eq!(status, Status::Converged, "{case:?}");
        assert_eq!(point.gap > 1e-14, depth < -1e-14, "{case:?}");
        if depth > 0.0 {
            assert!((point.gap + depth).abs() <= 1e-14, "{case:?} {} {depth}", point.gap);
        }
        let errors = case.errors(&point, 0);
        assert!(errors.surface.max(errors.plane) <= TOLERANCE, "{case:?} {errors:?}");
    }
}

#[test]
fn degenerate_poses_have_the_exact_gap() {
    let ellipsoid = Body::Ellipsoid(DVec3::new(1.0, 0.5, 0.25));
    let cuboid = Body::Cuboid(DVec3::new(1.0, 0.5, 0.25));
    let flat = Body::Cuboid(DVec3::new(1.0, 1.0, 0.02));
    let unturned = |a, b, offset| Case { a, b, offset, orientation_a: DQuat::IDENTITY, orientation_b: DQuat::IDENTITY };
    for (name, case, gap) in [
        ("concentric balls", unturned(Body::Ball(1.0), Body::Ball(0.5), DVec3::ZERO), -1.5),
        ("identical ellipsoids", unturned(ellipsoid, ellipsoid, DVec3::ZERO), -0.5),
        ("identical boxes", unturned(cuboid, cuboid, DVec3::ZERO), -0.5),
        ("identical plates", unturned(flat, flat, DVec3::ZERO), -0.04),
        ("boxes face on face", unturned(cuboid, cuboid, DVec3::new(0.0, 0.0, 0.5)), 0.0),
        ("boxes edge on edge", unturned(cuboid, cuboid, DVec3::new(0.0, 1.0, 0.5)), 0.0),
        ("boxes corner on corner", unturned(cuboid, cuboid, DVec3::new(2.0, 1.0, 0.5)), 0.0),
        ("ball in a box", unturned(cuboid, Body::Ball(0.1), DVec3::ZERO), -0.35),
        ("ball on a box", unturned(cuboid, Body::Ball(0.1), DVec3::new(0.3, 0.2, 0.35)), 0.0),
        ("tiny ball in a huge ball", unturned(Body::Ball(1.0), Body::Ball(1e-3), DVec3::new(0.5, 0.0, 0.0)), -0.501),
        ("balls touching", unturned(Body::Ball(1.0), Body::Ball(1.0), DVec3::new(0.0, 2.0, 0.0)), 0.0),
        ("crossed plates", unturned(flat, Body::Cuboid(DVec3::new(0.02, 1.0, 1.0)), DVec3::ZERO), -1.02),
        ("tetrahedra", unturned(Body::Tetrahedron(1.0), Body::Tetrahedron(1.0), DVec3::ZERO), -2.0),
    ] {
        let (point, status, _) = case.solve();
        let errors = case.errors(&point, 500);
        assert!(!matches!(status, Status::NotConverged { .. }), "{name} {status:?} {point:?}");
        assert!((point.gap - gap).abs() <= 1e-14, "{name}: gap {}, expected {gap}", point.gap);
        assert!(errors.surface.max(errors.plane).max(errors.depth) <= TOLERANCE, "{name}: {errors:?}");
    }
}

#[test]
fn pairs_beyond_the_margin_are_rejected_within_three_steps() {
    let mut rng = Rng::new(9);
    for _ in 0..1000 {
        let a = Body::random(&mut rng, 1, 1.0, 10.0);
        let b = Body::random(&mut rng, 2, 1.0, 10.0);
        let touching_distance = a.bounding_radius() + b.bounding_radius();
        let offset = rng.direction() * touching_distance * 3.0;
        let case = Case { a, b, offset, orientation_a: rng.rotation(), orientation_b: rng.rotation() };
        let mut manifold = Manifold::default();
        convex_convex(&case.placed(), 0.1, None, &mut manifold);
        assert!(manifold.points().is_empty() && manifold.iterations <= 3);
    }
}

#[test]
fn a_flat_simplex_does_not_make_separate_bodies_overlap() {
    // The last vertex of the search lies nearly in the plane of the three others.
    let triangle = Triangle([
        DVec3::new(-0.037_336_421_851_033_42, 0.047_811_897_622_685_12, -0.040_769_049_804_904_13),
        DVec3::new(-0.007_648_920_472_551_286, -0.036_768_305_639_359_004, -0.054_756_975_511_212_4),
        DVec3::new(-0.056_129_008_383_716_95, -0.029_184_861_791_169_81, 0.053_895_438_655_890_55),
    ]);
    let cylinder = Cylinder { radius: 0.460_613_407_411_123_3, half_height: 0.263_784_753_509_789_86 };
    let placed = Placed {
        a: &triangle,
        b: &cylinder,
        offset: DVec3::new(0.261_837_002_851_726_4, -0.464_984_014_472_262_7, -0.148_422_427_731_858_2),
        orientation_a: DQuat::IDENTITY,
        orientation_b: DQuat::from_xyzw(
            -0.406_637_029_151_737_33,
            -0.195_665_789_213_560_65,
            -0.429_916_228_005_465_2,
            -0.782_005_922_197_291_5,
        ),
    };
    let mut manifold = Manifold::default();
    convex_convex(&placed, f64::INFINITY, None, &mut manifold);
    let point = manifold.deepest().expect("an unlimited search finds a gap");
    // The least distance of 1e5 points of the triangle is 0.0376152.
    assert!((point.gap - 0.037_615_08).abs() < 1e-8, "{point:?} {:?}", manifold.status);
}
