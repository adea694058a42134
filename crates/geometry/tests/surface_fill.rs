//! Grains and points fill the volume inside and between surfaces.

mod support;

use glam::{DQuat, DVec3};
use granum_geometry::random::Random;
use granum_geometry::shape::{Box, Sphere};
use granum_geometry::surface::fill::{Lattice, Region};
use granum_geometry::surface::generate::{BoxSurface, CylinderSurface, Plate, Terrain};
use granum_geometry::{Aabb, Convex, Kind, Pose, Realm, Shape, TriangleMesh};
use support::shapes::{bounded, random_shape};

/// Returns the poses of the equal blocks of a lattice that fill a region.
fn filled(region: &Region, half_sizes: DVec3, orientation: DQuat, spacing: DVec3) -> Vec<DVec3> {
    let block = Box { half_sizes };
    let lattice = Lattice::over(region, orientation, spacing);
    lattice.centres().filter(|&position| region.contains_body(&block, &Pose { position, orientation })).collect()
}

/// Returns the corners of a block.
fn corners(centre: DVec3, half_sizes: DVec3, orientation: DQuat) -> impl Iterator<Item = DVec3> {
    (0..8).map(move |k| {
        let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        centre + orientation * (half_sizes * DVec3::new(sign(0), sign(1), sign(2)))
    })
}

fn plate(width: f64, z: f64) -> TriangleMesh {
    let mesh = Plate { size: [width; 2], cells: [1, 1] }.mesh().expect("a plate");
    mesh.translated(z * DVec3::Z).expect("finite")
}

#[test]
fn blocks_fill_a_box_of_their_size_to_the_last_one_also_if_both_are_rotated() {
    let mesh = BoxSurface { size: [2.0, 2.0, 1.0], lid: true }.mesh().expect("a box");
    for orientation in [DQuat::IDENTITY, DQuat::from_rotation_x(0.4) * DQuat::from_rotation_z(1.1)] {
        let turned = mesh.clone().rotated(orientation).expect("finite").translated(DVec3::splat(3.0)).expect("finite");
        let region = Region::inside(&turned);
        assert_eq!(filled(&region, DVec3::splat(0.05), orientation, DVec3::splat(0.1)).len(), 20 * 20 * 10);
        // The blocks are a little too large for the last row.
        let large = DVec3::new(0.0501, 0.05, 0.05);
        assert_eq!(filled(&region, large, orientation, 2.0 * large).len(), 19 * 20 * 10);
    }
}

#[test]
fn blocks_of_a_rotated_lattice_lie_in_the_volume_and_leave_no_free_cell() {
    let mesh =
        CylinderSurface { radius: 1.0, length: 2.0, facets: 40, divisions: 2, ends: true }.mesh().expect("a drum");
    let region = Region::inside(&mesh);
    let orientation = DQuat::from_rotation_z(0.3) * DQuat::from_rotation_x(0.5);
    let half_sizes = DVec3::new(0.15, 0.1, 0.05);
    let centres = filled(&region, half_sizes, orientation, 2.0 * half_sizes);
    let apothem = (std::f64::consts::PI / 40.0).cos();
    for &centre in &centres {
        for corner in corners(centre, half_sizes, orientation) {
            assert!(corner.truncate().length() < 1.0 && corner.z.abs() < 1.0, "{corner}");
        }
    }
    // Every cell whose corners lie in the inscribed cylinder is filled, since that is convex.
    let into_lattice = orientation.inverse();
    let mut expected = 0;
    for k in 0..60 * 60 * 120 {
        let cell = DVec3::new(f64::from(k % 60) - 30.0, f64::from(k / 60 % 60) - 30.0, f64::from(k / 3600) - 60.0);
        let centre = centres[0] + orientation * (cell * 2.0 * half_sizes);
        let fits = corners(centre, half_sizes, orientation)
            .all(|corner| corner.truncate().length() < apothem && corner.z.abs() < 1.0);
        if fits {
            expected += 1;
            let same = |other: &DVec3| (into_lattice * (*other - centre)).length() < 1e-9;
            assert!(centres.iter().any(same), "{centre}");
        }
    }
    assert!(expected > 500 && centres.len() >= expected, "{expected} {}", centres.len());
}

/// Returns whether a triangle and a box about the origin are apart, by their separating axes.
fn box_is_apart(half_sizes: DVec3, triangle: [DVec3; 3]) -> bool {
    let edges = [0, 1, 2].map(|k| triangle[(k + 1) % 3] - triangle[k]);
    let separates = |axis: DVec3| {
        let extent = half_sizes.dot(axis.abs());
        let heights = triangle.map(|corner| corner.dot(axis));
        let [low, high] = [heights[0].min(heights[1]).min(heights[2]), heights[0].max(heights[1]).max(heights[2])];
        low > extent || high < -extent
    };
    let mut products = edges.into_iter().flat_map(|edge| DVec3::AXES.map(|axis| axis.cross(edge)));
    DVec3::AXES.into_iter().any(separates) || separates(edges[0].cross(edges[1])) || products.any(separates)
}

#[test]
fn blocks_and_balls_between_hills_are_those_that_no_triangle_enters() {
    let hills = |seed| Terrain { size: [4.0, 4.0], cells: [20, 20], hills: 12, height: 0.8, radius: 0.4, seed };
    let lower = hills(1).mesh().expect("hills");
    let upper = hills(2).mesh().expect("hills").translated(1.2 * DVec3::Z).expect("finite");
    let region = Region::between(&lower, &upper, DVec3::Z);
    let mut random = Random::new(8);
    let mut counts = [0; 2];
    for k in 0..3000 {
        let position = region.random_point(&mut random).expect("a point");
        // Bodies that extend beyond the rim are tested below.
        if position.truncate().abs().max_element() > 1.6 {
            continue;
        }
        let pose = Pose { position, orientation: random.rotation() };
        let triangles = [&lower, &upper].into_iter().flat_map(|mesh| {
            (0..mesh.triangles().len())
                .map(|triangle| mesh.corners(triangle).map(|corner| pose.inverse().point(corner)))
        });
        let (body, expected): (&dyn Convex, bool) = if k % 2 == 0 {
            let half_sizes = 0.2 * DVec3::new(random.unit(), random.unit(), random.unit()) + 0.01;
            (&Box { half_sizes }, triangles.into_iter().all(|triangle| box_is_apart(half_sizes, triangle)))
        } else {
            let radius = 0.02 + 0.25 * random.unit();
            // The distance of the nearest of many points of each triangle is an upper bound.
            let fine = triangles.into_iter().all(|[a, b, c]| {
                (0..=20).all(|i| {
                    (0..=20 - i).all(|j| {
                        let (u, v) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                        (a + u * (b - a) + v * (c - a)).length() > radius
                    })
                })
            });
            let body = Sphere { radius };
            // A ball that is refused although no point lies in it must be close to the surface.
            if fine != region.contains_body(&body, &pose) {
                assert!(fine && region.contains_body(&Sphere { radius: 0.97 * radius }, &pose), "{position}");
                continue;
            }
            (&Sphere { radius }, fine)
        };
        assert_eq!(region.contains_body(body, &pose), expected, "{position}");
        counts[usize::from(expected)] += 1;
    }
    assert!(counts.into_iter().all(|count| count > 300), "{counts:?}");
}

#[test]
fn grains_of_all_shapes_inside_a_box_are_those_whose_bounds_are() {
    let mesh = BoxSurface { size: [6.0, 6.0, 6.0], lid: true }.mesh().expect("a box");
    let region = Region::inside(&mesh);
    let mut random = Random::new(2);
    for &kind in Kind::BUILT_IN {
        let is_grain = |shape: &Shape| bounded(shape) && shape.as_convex().realm() == Realm::Space;
        if kind == Kind::Surface || !is_grain(&random_shape(kind, false, &mut random)) {
            continue;
        }
        let mut counts = [0; 2];
        for _ in 0..200 {
            let shape = random_shape(kind, false, &mut random);
            let body = shape.as_convex();
            let position = 3.0 * (DVec3::Z + random.in_cube());
            let pose = Pose { position, orientation: random.rotation() };
            let Aabb { min, max } = body.aabb(&pose);
            let corner = DVec3::new(3.0, 3.0, 6.0);
            let room = (min - DVec3::new(-3.0, -3.0, 0.0)).min(corner - max).min_element();
            if room.abs() > 1e-8 {
                assert_eq!(region.contains_body(body, &pose), room > 0.0, "{shape:?} at {pose:?}");
                counts[usize::from(room > 0.0)] += 1;
            }
        }
        assert!(counts.into_iter().all(|count| count > 20), "{kind:?} {counts:?}");
    }
}

#[test]
fn a_block_that_only_a_thin_spike_enters_is_refused() {
    // The corners and the centre of the block lie above the terrain, but a spike is inside.
    let lower = Terrain { size: [2.0, 2.0], cells: [200, 200], hills: 1, height: 1.0, radius: 0.05, seed: 2 };
    let lower = lower.mesh().expect("a hill");
    let top = lower.vertices().iter().copied().max_by(|a, b| a.z.total_cmp(&b.z)).expect("a top");
    let upper = plate(4.0, 3.0);
    let region = Region::between(&lower, &upper, DVec3::Z);
    let contains = |z: f64| {
        let block = Box { half_sizes: DVec3::splat(0.25) };
        region.contains_body(&block, &Pose::at(DVec3::new(top.x + 0.2, top.y, z)))
    };
    assert!(region.contains(DVec3::new(top.x + 0.2, top.y, 0.3)));
    assert!(!contains(0.3));
    assert!(contains(top.z + 0.26));
    assert!(!contains(2.9));
}

#[test]
fn a_body_over_the_rim_of_a_surface_is_not_between_two_surfaces() {
    let (lower, upper) = (plate(2.0, 0.0), plate(4.0, 1.0));
    for (lower, upper, up) in [
        (lower.clone(), upper.clone(), DVec3::Z),
        (upper.translated(DVec3::NEG_Z).expect("finite"), lower.translated(DVec3::Z).expect("finite"), DVec3::Z),
    ] {
        let region = Region::between(&lower, &upper, up);
        let ball = Sphere { radius: 0.3 };
        let at = |x: f64| region.contains_body(&ball, &Pose::at(DVec3::new(x, 0.2, 0.5)));
        assert!(at(0.0) && at(0.69) && at(0.7));
        assert!(!at(0.71) && !at(-0.9) && !at(1.2));
    }
}

#[test]
fn limits_cut_a_volume_and_its_lattice() {
    let (lower, upper) = (plate(2.0, 0.0), plate(2.0, 1.0));
    let limits = Aabb { min: DVec3::new(-0.5, -0.5, -9.0), max: DVec3::new(0.5, 0.5, 0.5) };
    let region = Region::between(&lower, &upper, DVec3::Z).within(&limits);
    let blocks = filled(&region, DVec3::splat(0.05), DQuat::IDENTITY, DVec3::splat(0.1));
    assert_eq!(blocks.len(), 10 * 10 * 5);
    assert!((region.volume() - 0.5).abs() < 1e-12);
    let empty = Aabb { min: DVec3::splat(5.0), max: DVec3::splat(6.0) };
    let region = Region::between(&lower, &upper, DVec3::Z).within(&empty);
    assert_eq!((region.volume(), Lattice::over(&region, DQuat::IDENTITY, DVec3::splat(0.1)).count()), (0.0, 0));
}

#[test]
fn the_volume_between_hills_and_their_copy_is_area_times_height() {
    let hills = Terrain { size: [10.0, 10.0], cells: [10, 10], hills: 5, height: 1.0, radius: 2.0, seed: 1 };
    let lower = hills.mesh().expect("hills");
    let upper = lower.clone().translated(2.0 * DVec3::Z).expect("finite");
    let volume = Region::between(&lower, &upper, DVec3::Z).volume();
    assert!((volume / 200.0 - 1.0).abs() < 2e-3, "{volume}");
    let drum =
        CylinderSurface { radius: 1.0, length: 2.0, facets: 4, divisions: 1, ends: true }.mesh().expect("a tube");
    assert!((Region::inside(&drum).volume() - 4.0).abs() < 1e-12);
}

#[test]
fn points_between_two_terrains_are_those_between_their_heights() {
    let hills = Terrain { size: [10.0, 10.0], cells: [10, 10], hills: 5, height: 1.0, radius: 2.0, seed: 1 };
    let lower = hills.mesh().expect("hills");
    let upper = lower.clone().translated(2.0 * DVec3::Z).expect("finite");
    let region = Region::between(&lower, &upper, DVec3::Z);
    // Rays from above a vertex hit its edges and corners exactly.
    for vertex in lower.vertices().iter().filter(|vertex| vertex.truncate().abs().max_element() < 4.9) {
        assert!(region.contains(*vertex + 0.5 * DVec3::Z));
        assert!(!region.contains(*vertex + 2.5 * DVec3::Z) && !region.contains(*vertex - 0.5 * DVec3::Z));
    }
    assert!(!region.contains(DVec3::new(6.0, 0.0, 1.0)));
}

#[test]
fn random_points_fill_a_volume_evenly() {
    let mesh =
        CylinderSurface { radius: 1.0, length: 2.0, facets: 200, divisions: 1, ends: true }.mesh().expect("a drum");
    let region = Region::inside(&mesh);
    let mut random = Random::new(5);
    let points: Vec<DVec3> = (0..20_000).map(|_| region.random_point(&mut random).expect("a point")).collect();
    let near = points.iter().filter(|point| point.truncate().length() < 0.5).count() as f64 / 2e4;
    assert!((near - 0.25).abs() < 0.01, "{near}");
    let mean = points.iter().sum::<DVec3>() / 2e4;
    assert!(mean.length() < 0.02, "{mean}");
}
