//! The grid against brute force: not one pair missed, none too many.

mod common;

use common::{Random, world_with_grit};
use glam::{DQuat, DVec3};
use granum_engine::broad_phase::{Candidates, brute_force, grid::Grid};
use granum_engine::{BodySpec, World};
use granum_geometry::shape::{HalfSpace, Sphere};
use proptest::prelude::*;

fn by_grid(world: &World, skin: f64) -> Vec<(u32, u32)> {
    let mut found = Candidates::default();
    Grid::default().candidates(world, skin, &mut found);
    found.sorted()
}

/// Bodies with radii from 1 to `ratio` (in mm), in a cube of the given half width, some fixed, and a few walls.
fn crowd(seed: u64, count: usize, ratio: f64, half_width: f64) -> World {
    let (mut world, grit) = world_with_grit();
    let mut random = Random::new(seed);
    for _ in 0..count {
        let radius = 0.001 * ratio.powf(random.unit());
        let shape = world.add_shape(Sphere { radius }).unwrap();
        let position = half_width * random.in_cube();
        let spec = if random.unit() < 0.1 {
            BodySpec::fixed(shape, grit, position)
        } else {
            BodySpec::at(shape, grit, position)
        };
        world.add_body(spec).unwrap();
    }
    for _ in 0..3 {
        let wall = world.add_shape(HalfSpace::new(random.in_cube())).unwrap();
        let mut spec = BodySpec::fixed(wall, grit, half_width * random.in_cube());
        spec.pose.orientation = DQuat::from_scaled_axis(random.in_cube());
        world.add_body(spec).unwrap();
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_grid_finds_what_brute_force_finds(
        seed in any::<u64>(),
        count in 0usize..250,
        ratio in 1.0f64..100.0,
        half_width in 1e-4f64..0.5,
        skin in 0.0f64..0.002,
    ) {
        let world = crowd(seed, count, ratio, half_width);
        prop_assert_eq!(by_grid(&world, skin), brute_force::candidates(&world, skin).sorted());
    }
}

#[test]
fn a_grain_that_flew_away_costs_nothing_and_hides_nothing() {
    let mut world = crowd(3, 200, 10.0, 0.05);
    let far = [DVec3::splat(1e12), DVec3::new(-1e300, 0.0, 1e5), DVec3::new(3e7, -2e8, 4e8)];
    for (k, position) in far.into_iter().enumerate() {
        world.bodies.place[k].centre = position;
    }
    assert_eq!(by_grid(&world, 1e-4), brute_force::candidates(&world, 1e-4).sorted());
}

#[test]
fn bodies_in_one_place_are_all_paired() {
    let world = crowd(5, 60, 3.0, 1e-9);
    let pairs = by_grid(&world, 0.0);
    assert_eq!(pairs, brute_force::candidates(&world, 0.0).sorted());
    assert!(pairs.len() > 1000);
}

#[test]
fn touching_exactly_counts_as_near() {
    let (mut world, grit) = world_with_grit();
    let shape = world.add_shape(Sphere { radius: 0.5 }).unwrap();
    for k in 0..4 {
        world.add_body(BodySpec::at(shape, grit, DVec3::X * k as f64)).unwrap();
    }
    assert_eq!(by_grid(&world, 0.0), vec![(0, 1), (1, 2), (2, 3)]);
}
