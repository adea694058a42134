//! Generated surfaces have the areas and volumes of their formulas and no faults.

use std::f64::consts::{FRAC_PI_4, PI, SQRT_2};

use glam::DVec3;
use granum_geometry::shape::InvalidShape;
use granum_geometry::surface::Report;
use granum_geometry::surface::generate::*;
use granum_geometry::{Aabb, TriangleMesh};

/// Returns the report of a surface without faults. Its rim has `open` edges.
fn sound(mesh: &Result<TriangleMesh, InvalidShape>, open: usize) -> Report {
    let report = Report::of(mesh.as_ref().expect("valid sizes"));
    assert_eq!((report.components, report.open_edges.len(), report.one_sided), (1, open, 0));
    assert!(report.non_manifold_edges.is_empty() && report.flipped.is_empty());
    assert!(report.degenerate.is_empty() && report.duplicates.is_empty());
    assert!(report.intersecting.is_empty(), "{:?}", report.intersecting);
    report
}

fn close(value: f64, expected: f64) -> bool {
    (value - expected).abs() <= 1e-12 * expected.abs()
}

/// Area of a regular polygon with its corners on a circle of this radius.
fn polygon(radius: f64, sides: u32) -> f64 {
    0.5 * f64::from(sides) * radius * radius * (2.0 * PI / f64::from(sides)).sin()
}

const SCREW: Screw = Screw {
    radius: 0.1,
    shaft_radius: 0.03,
    length: 0.5,
    pitch: 0.12,
    thickness: 0.004,
    facets: 24,
    left_handed: false,
};

const MIXER: Mixer = Mixer {
    radius: 0.1,
    shaft_radius: 0.02,
    length: 0.3,
    rows: 3,
    paddles: 4,
    width: 0.03,
    thickness: 0.003,
    angle: FRAC_PI_4,
    facets: 16,
};

const SIEVE: PerforatedPlate =
    PerforatedPlate { holes: [4, 3], spacing: 0.02, hole: 0.01, square: false, thickness: 0.0, facets: 16 };

const HILLS: Terrain = Terrain { size: [20.0, 10.0], cells: [40, 30], hills: 6, height: 2.0, radius: 1.5, seed: 7 };

#[test]
fn plates_look_up() {
    let mesh = Plate { size: [2.0, 3.0], cells: [4, 5] }.mesh();
    let report = sound(&mesh, 18);
    assert!(report.triangles == 40 && close(report.area, 6.0));
    let mesh = mesh.expect("a plate");
    assert!((0..40).all(|triangle| mesh.normal(triangle) == Some(DVec3::Z)));
}

#[test]
fn a_random_plane_is_flat_and_covers_its_rectangle() {
    let mesh = RandomPlane { size: [2.0, 3.0], points: 1000, seed: 1 }.mesh();
    let report = sound(&mesh, 4);
    assert!(report.triangles == 2002 && close(report.area, 6.0), "{} {}", report.triangles, report.area);
    let mesh = mesh.expect("a plane");
    assert!((0..2002).all(|triangle| mesh.normal(triangle) == Some(DVec3::Z)));
    assert_eq!(RandomPlane { size: [2.0, 3.0], points: 1000, seed: 1 }.mesh().expect("the same"), mesh);
    assert_ne!(RandomPlane { size: [2.0, 3.0], points: 1000, seed: 2 }.mesh().expect("another"), mesh);
}

#[test]
fn a_box_looks_inward() {
    let closed = BoxSurface { size: [1.0, 2.0, 3.0], lid: true };
    let report = sound(&closed.mesh(), 0);
    assert!(close(report.volume.expect("closed"), -6.0) && close(report.area, 22.0));
    assert_eq!(report.bounds, Aabb { min: DVec3::new(-0.5, -1.0, 0.0), max: DVec3::new(0.5, 1.0, 3.0) });
    let open = sound(&BoxSurface { lid: false, ..closed }.mesh(), 4);
    assert!(open.triangles == 10 && close(open.area, 20.0));
}

#[test]
fn a_hopper_has_the_area_of_its_cross_sections() {
    let round = Hopper { outlet: 0.1, inlet: 0.5, height: 0.4, bin_height: 0.3, square: false, facets: 32 };
    let report = sound(&round.mesh(), 64);
    // Each facet is a trapezoid between two chords, and a rectangle above it.
    let chord = |width: f64| width * (PI / 32.0).sin();
    let slant = 0.4f64.hypot(0.2 * (PI / 32.0).cos());
    let funnel = 32.0 * 0.5 * (chord(0.1) + chord(0.5)) * slant;
    assert!(close(report.area, funnel + 32.0 * chord(0.5) * 0.3), "{}", report.area);
    let mesh = round.mesh().expect("a hopper");
    for triangle in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(triangle);
        let outward = ((a + b + c) / 3.0).with_z(0.0);
        assert!(mesh.normal(triangle).expect("a normal").dot(outward) < 0.0);
    }
    let square = sound(&Hopper { square: true, bin_height: 0.0, ..round }.mesh(), 8);
    assert!(close(square.area, 4.0 * 0.3 * 0.4f64.hypot(0.2)), "{}", square.area);
    let cone = sound(&Hopper { outlet: 0.0, bin_height: 0.0, ..round }.mesh(), 32);
    assert!(cone.triangles == 32 && cone.vertices == 33);
}

#[test]
fn a_cylinder_has_the_volume_of_its_polygon() {
    let closed = CylinderSurface { radius: 0.2, length: 0.7, facets: 48, divisions: 3, ends: true };
    let report = sound(&closed.mesh(), 0);
    assert!(close(report.volume.expect("closed"), -0.7 * polygon(0.2, 48)), "{:?}", report.volume);
    assert_eq!(report.triangles, 48 * 8);
    assert!(close(report.bounds.max.z, 0.35) && close(report.bounds.min.z, -0.35));
    sound(&CylinderSurface { ends: false, ..closed }.mesh(), 96);
}

#[test]
fn a_screw_is_one_closed_body() {
    let report = sound(&SCREW.mesh(), 0);
    // The blade is a prism between two polygons, cut by helices: in each step it fills a sector of
    // the ring. The split of its faces into triangles costs a little volume.
    let steps = (24.0f64 * (0.5 - 0.004) / 0.12).ceil() - 1.0;
    let blade = (polygon(0.1, 24) - polygon(0.03, 24)) * 0.004 * steps / 24.0;
    let expected = 0.5 * polygon(0.03, 24) + blade;
    assert!((report.volume.expect("closed") / expected - 1.0).abs() < 1e-9, "{:?} {expected}", report.volume);
    for facets in [3, 4, 7, 25] {
        sound(&Screw { facets, ..SCREW }.mesh(), 0);
        sound(&Screw { facets, left_handed: true, ..SCREW }.mesh(), 0);
        sound(&Screw { facets, length: 0.06, ..SCREW }.mesh(), 0);
        sound(&Screw { facets, pitch: 0.005, length: 0.1, ..SCREW }.mesh(), 0);
    }
}

#[test]
fn the_blade_of_a_screw_climbs_by_its_pitch_in_a_turn() {
    let climb = |screw: Screw| {
        let mesh = screw.mesh().expect("a screw");
        let rim = mesh.vertices().iter().filter(|vertex| vertex.truncate().length() > 0.099);
        // The lowest vertices of the rim at the angles 0 and one quarter of a turn.
        let lowest = |axis: DVec3| {
            let there = rim.clone().filter(|vertex| vertex.dot(axis) > 0.0999);
            there.map(|vertex| vertex.z).fold(f64::INFINITY, f64::min)
        };
        lowest(DVec3::Y) - lowest(DVec3::X)
    };
    assert!(close(climb(SCREW), 0.03), "{}", climb(SCREW));
    // A left-handed blade reaches the opposite direction first.
    assert!(close(climb(Screw { left_handed: true, ..SCREW }), 0.09));
}

#[test]
fn a_mixer_is_a_shaft_with_closed_paddles() {
    let mesh = MIXER.mesh().expect("a mixer");
    let report = Report::of(&mesh);
    assert_eq!((report.components, report.triangles), (13, 12 * 12 + 4 * 16));
    assert!(report.open_edges.is_empty() && report.non_manifold_edges.is_empty() && report.flipped.is_empty());
    assert!(report.degenerate.is_empty() && report.duplicates.is_empty());
    assert!(!report.intersecting.is_empty(), "paddles begin inside the shaft");
    let hidden = 0.9 * 0.02 * (PI / 16.0).cos();
    let aside = 0.5 * (0.03 + 0.003) / SQRT_2;
    let root = (hidden * hidden - aside * aside).sqrt();
    let expected = 0.3 * polygon(0.02, 16) + 12.0 * 0.03 * 0.003 * (0.1 - root);
    assert!(close(report.volume.expect("closed"), expected), "{:?} {expected}", report.volume);
    // A wide paddle passes the axis of a thin shaft.
    let wide = Mixer { shaft_radius: 0.005, ..MIXER }.mesh().expect("a mixer");
    assert!(Report::of(&wide).volume.is_some_and(|volume| volume > 0.0));
}

#[test]
fn stairs_climb() {
    let mesh = Stairs { steps: 5, rise: 0.2, run: 0.3, width: 1.0 }.mesh();
    let report = sound(&mesh, 22);
    assert!(close(report.area, 2.5) && report.triangles == 20);
    assert!(close(report.bounds.max.z, 1.0) && close(report.bounds.max.x, 1.5));
    let mesh = mesh.expect("stairs");
    let is_tread = |normal: DVec3| normal == DVec3::Z;
    let normals: Vec<DVec3> = (0..20).filter_map(|triangle| mesh.normal(triangle)).collect();
    assert_eq!(normals.iter().filter(|normal| is_tread(**normal)).count(), 10);
    assert!(normals.iter().all(|&normal| is_tread(normal) || normal == DVec3::NEG_X));
}

#[test]
fn a_perforated_plate_lacks_the_area_of_its_holes() {
    let holes = 12.0 * polygon(0.005, 16);
    let sheet = sound(&SIEVE.mesh(), 14 + 12 * 16);
    assert!(close(sheet.area, 0.08 * 0.06 - holes), "{}", sheet.area);
    let thick = sound(&PerforatedPlate { thickness: 0.002, ..SIEVE }.mesh(), 0);
    assert!(close(thick.volume.expect("closed"), 0.002 * (0.08 * 0.06 - holes)));
    assert!(thick.bounds.max.z == 0.0 && thick.bounds.min.z == -0.002);
    let square = sound(&PerforatedPlate { square: true, ..SIEVE }.mesh(), 14 + 12 * 4);
    assert!(close(square.area, 0.08 * 0.06 - 12.0 * 0.01 * 0.01));
    let thick = sound(&PerforatedPlate { square: true, thickness: 0.002, ..SIEVE }.mesh(), 0);
    assert!(close(thick.volume.expect("closed"), 0.002 * (0.08 * 0.06 - 12.0 * 0.01 * 0.01)));
}

#[test]
fn terrain_depends_on_its_seed_only() {
    let report = sound(&HILLS.mesh(), 140);
    assert_eq!(report.triangles, 2400);
    assert!(report.bounds.max.z > 0.6 && report.bounds.min.z >= 0.0, "{:?}", report.bounds);
    assert_eq!(HILLS.mesh().expect("hills"), HILLS.mesh().expect("hills"));
    assert_ne!(Terrain { seed: 8, ..HILLS }.mesh().expect("hills"), HILLS.mesh().expect("hills"));
    let flat = sound(&Terrain { height: 0.0, ..HILLS }.mesh(), 140);
    assert!(close(flat.area, 200.0));
}

#[test]
fn impossible_sizes_name_their_field() {
    let field = |mesh: Result<TriangleMesh, InvalidShape>| mesh.expect_err("impossible").field;
    assert_eq!(field(Plate { size: [1.0, -1.0], cells: [1, 1] }.mesh()), "size");
    assert_eq!(field(Plate { size: [1.0, 1.0], cells: [1, 0] }.mesh()), "cells");
    assert_eq!(field(Plate { size: [1.0, 1.0], cells: [u32::MAX, u32::MAX] }.mesh()), "cells");
    assert_eq!(field(BoxSurface { size: [1.0, f64::NAN, 1.0], lid: true }.mesh()), "size");
    let hopper = Hopper { outlet: 0.1, inlet: 0.5, height: 0.4, bin_height: 0.3, square: false, facets: 32 };
    assert_eq!(field(Hopper { inlet: 0.1, ..hopper }.mesh()), "inlet");
    assert_eq!(field(Hopper { facets: 2, ..hopper }.mesh()), "facets");
    assert_eq!(field(Screw { thickness: 0.12, ..SCREW }.mesh()), "thickness");
    assert_eq!(field(Screw { length: 0.004, ..SCREW }.mesh()), "length");
    assert_eq!(field(Screw { length: 1e40, ..SCREW }.mesh()), "facets");
    assert_eq!(field(Screw { radius: 0.03, ..SCREW }.mesh()), "radius");
    assert_eq!(field(Mixer { angle: f64::INFINITY, ..MIXER }.mesh()), "angle");
    assert_eq!(field(Stairs { steps: 0, rise: 0.2, run: 0.3, width: 1.0 }.mesh()), "steps");
    assert_eq!(field(PerforatedPlate { hole: 0.02, ..SIEVE }.mesh()), "hole");
    assert_eq!(field(PerforatedPlate { facets: 18, ..SIEVE }.mesh()), "facets");
    assert_eq!(field(Terrain { radius: 0.0, ..HILLS }.mesh()), "radius");
}
