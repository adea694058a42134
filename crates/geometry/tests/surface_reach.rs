//! Which features of a surface a grain reaches: the distance of a sphere is known exactly, and no
//! contact is lost among the features that are left out early.

use glam::DVec3;
use granum_geometry::random::Random;
use granum_geometry::shape::{Box, Cylinder, Ellipsoid, Polyhedron, Sphere, Superellipsoid, Surface, rock};
use granum_geometry::surface::generate::{CylinderSurface, Screw, Stairs, Terrain};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide, free_distance};

const CASES: usize = 3000;

/// Surfaces of about 1 m, and whether grains meet both sides.
fn surfaces() -> Vec<(&'static str, Surface)> {
    let terrain = Terrain { size: [2.0; 2], cells: [40; 2], hills: 60, height: 0.2, radius: 0.15, seed: 3 };
    let drum = CylinderSurface { radius: 1.0, length: 1.5, facets: 48, divisions: 6, ends: true };
    let screw = Screw {
        radius: 0.6,
        shaft_radius: 0.2,
        length: 1.5,
        pitch: 0.5,
        thickness: 0.05,
        facets: 24,
        left_handed: false,
    };
    let stairs = Stairs { steps: 5, rise: 0.15, run: 0.3, width: 1.0 };
    vec![
        ("terrain", Surface::new(terrain.mesh().unwrap(), true).unwrap()),
        ("drum", Surface::new(drum.mesh().unwrap(), true).unwrap()),
        ("screw", Surface::new(screw.mesh().unwrap(), true).unwrap()),
        ("stairs", Surface::new(stairs.mesh().unwrap(), true).unwrap()),
    ]
}

fn gap(surface: &Shape, grain: &Shape, pose: &Pose, margin: f64) -> Option<f64> {
    let mut found = Manifold::default();
    collide(Measure::Depth, &Pair { margin, ..Pair::new(surface, &Pose::IDENTITY, grain, pose) }, &mut found);
    found.points().iter().map(|point| point.gap).min_by(f64::total_cmp)
}

#[test]
fn no_sphere_misses_the_nearest_triangle() {
    let mut random = Random::new(5);
    for (name, surface) in surfaces() {
        let shape = Shape::from(surface.clone());
        let mut near = 0;
        for _ in 0..CASES {
            let pose = Pose { position: random.in_cube(), ..Pose::IDENTITY };
            let distance = surface.distance(pose.position);
            let gap_wanted = 0.1 * random.unit();
            if distance <= gap_wanted {
                continue;
            }
            let radius = distance - gap_wanted;
            let sphere = Shape::from(Sphere { radius });
            let margin = 0.1 * random.unit();
            let found = gap(&shape, &sphere, &pose, margin);
            if gap_wanted <= margin {
                near += 1;
                let found = found.unwrap_or_else(|| panic!("{name}: nothing at {gap_wanted} within {margin}"));
                assert!(found <= gap_wanted + 1e-9, "{name}: nothing nearer than {found}, not {gap_wanted}");
            }
            let free = free_distance(&Pair::new(&shape, &Pose::IDENTITY, &sphere, &pose));
            assert!(free <= gap_wanted, "{name}: {free} m is not free, only {gap_wanted} m");
        }
        assert!(near > CASES / 5, "{name}: {near} near");
    }
}

#[test]
fn no_grain_has_a_contact_within_its_free_distance() {
    let mut random = Random::new(6);
    let corners = rock([0.3, 0.25, 0.2], 16.0, 2.0).unwrap();
    let axes = DVec3::new(0.2, 0.15, 0.1);
    let grains: [Shape; 5] = [
        Ellipsoid { semi_axes: axes }.into(),
        Superellipsoid { semi_axes: axes, eps: [0.3, 0.5] }.into(),
        Cylinder { radius: 0.1, half_height: 0.2 }.into(),
        Box { half_sizes: axes }.into(),
        Polyhedron::new(corners).unwrap().into(),
    ];
    for (name, surface) in surfaces() {
        let shape = Shape::from(surface);
        let (mut free, mut wide) = (0, 0);
        for k in 0..CASES {
            let grain = &grains[k % grains.len()];
            let pose = Pose { position: random.in_cube(), orientation: random.rotation() };
            let distance = free_distance(&Pair::new(&shape, &Pose::IDENTITY, grain, &pose));
            if distance > 0.0 {
                free += 1;
                assert_eq!(gap(&shape, grain, &pose, 0.999 * distance), None, "{name}");
            } else if gap(&shape, grain, &pose, 0.1 * grain.as_convex().bounding_radius()).is_none() {
                wide += 1;
            }
        }
        assert!(free > CASES / 20, "{name}: {free} are free");
        // It is a quick test, which finds most of the grains that are free.
        assert!(wide < free, "{name}: {wide} of the others are free, too");
    }
}
