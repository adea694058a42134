//! Blocks and points fill the volume inside and between surfaces.

use glam::{DQuat, DVec3};
use granum_geometry::Pose;
use granum_geometry::random::Random;
use granum_geometry::surface::fill::{BlockLattice, Region};
use granum_geometry::surface::generate::{BoxSurface, CylinderSurface, Plate, Terrain};

fn lattice(half_sizes: DVec3, orientation: DQuat) -> BlockLattice {
    BlockLattice { half_sizes, spacing: 2.0 * half_sizes, orientation, origin: half_sizes }
}

#[test]
fn a_box_holds_all_blocks_of_an_aligned_lattice_with_free_space() {
    let mesh = BoxSurface { size: [2.0, 2.0, 1.0], lid: true }.mesh().expect("a box");
    let region = Region::inside(&mesh);
    // Cells of 0.1 m with blocks of 0.098 m: none touches a wall.
    let blocks = BlockLattice {
        spacing: DVec3::splat(0.1),
        origin: DVec3::splat(0.05),
        ..lattice(DVec3::splat(0.049), DQuat::IDENTITY)
    };
    let centres = blocks.fill(&region, 100_000).expect("few cells");
    assert_eq!(centres.len(), 20 * 20 * 10);
    assert!(centres.windows(2).all(|pair| pair[0].z <= pair[1].z));
    assert_eq!(blocks.fill(&region, 100), None);
}

#[test]
fn blocks_of_a_rotated_lattice_lie_in_the_volume_and_leave_no_free_cell() {
    let mesh =
        CylinderSurface { radius: 1.0, length: 2.0, facets: 40, divisions: 2, ends: true }.mesh().expect("a drum");
    let region = Region::inside(&mesh);
    let orientation = DQuat::from_rotation_z(0.3) * DQuat::from_rotation_x(0.5);
    let blocks = lattice(DVec3::new(0.15, 0.1, 0.05), orientation);
    let centres = blocks.fill(&region, 100_000).expect("few cells");
    let apothem = (std::f64::consts::PI / 40.0).cos();
    let corners = |centre: DVec3| {
        (0..8).map(move |k| {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            centre + orientation * (blocks.half_sizes * DVec3::new(sign(0), sign(1), sign(2)))
        })
    };
    for &centre in &centres {
        for corner in corners(centre) {
            assert!(corner.truncate().length() < 1.0 && corner.z.abs() < 1.0, "{corner}");
        }
    }
    // Every cell whose corners lie in the inscribed cylinder is filled, since that is convex.
    let into_lattice = orientation.inverse();
    let mut expected = 0;
    for k in 0..60 * 60 * 120 {
        let cell = DVec3::new(f64::from(k % 60) - 30.0, f64::from(k / 60 % 60) - 30.0, f64::from(k / 3600) - 60.0);
        let centre = blocks.origin + orientation * (cell * blocks.spacing);
        let fits = corners(centre).all(|corner| corner.truncate().length() < apothem && corner.z.abs() < 1.0);
        if fits {
            expected += 1;
            let same = |other: &DVec3| (into_lattice * (*other - centre)).length() < 1e-9;
            assert!(centres.iter().any(same), "{centre}");
        }
    }
    assert!(expected > 500 && centres.len() >= expected, "{expected} {}", centres.len());
}

#[test]
fn a_block_that_only_a_thin_spike_enters_is_refused() {
    // The corners and the centre of the block lie below the spike's terrain, but its tip is inside.
    let lower = Terrain { size: [2.0, 2.0], cells: [200, 200], hills: 1, height: 1.0, radius: 0.05, seed: 2 };
    let lower = lower.mesh().expect("a hill");
    let top = lower.vertices().iter().copied().max_by(|a, b| a.z.total_cmp(&b.z)).expect("a top");
    let upper =
        Plate { size: [4.0, 4.0], cells: [1, 1] }.mesh().expect("a plate").translated(3.0 * DVec3::Z).expect("finite");
    let region = Region::between(&lower, &upper, DVec3::Z);
    let block = |z: f64| Pose::at(DVec3::new(top.x + 0.2, top.y, z));
    let half_sizes = DVec3::splat(0.25);
    assert!(region.contains(block(0.3).position));
    assert!(!region.contains_block(&block(0.3), half_sizes));
    assert!(region.contains_block(&block(top.z + 0.26), half_sizes));
    assert!(!region.contains_block(&block(2.9), half_sizes));
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
