//! The grid against brute force: not one pair missed, none too many.

use std::collections::HashSet;

use crate::test_worlds::{Random, world_with_grit};
use glam::{DQuat, DVec3};
use granum_geometry::shape::{Cylinder, HalfSpace, Sphere, TruncatedCone};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};
use proptest::prelude::*;

use super::boxes::Boxes;
use super::grid::Grid;
use super::{Candidates, brute_force};
use crate::execution::Execution;
use crate::{BodySpec, MaterialId, Simulation, World};

fn by_grid(world: &World, skin: f64) -> Vec<(u32, u32)> {
    let mut found = Candidates::default();
    Grid::default().candidates(world, skin, &mut found);
    found.sorted()
}

/// Bodies with radii from 1 to `ratio` (in mm), in a cube of the given half width, some fixed, and
/// a few walls.
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
        world.bodies.sphere[k].centre = position;
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

/// Needles, coins, balls and cones, 10 mm long, that fly and tumble in a cube of this half width.
fn slim_crowd(seed: u64, count: usize, half_width: f64) -> World {
    let (mut world, grit) = world_with_grit();
    let mut random = Random::new(seed);
    let shapes: [Shape; 4] = [
        Cylinder { radius: 0.0004, half_height: 0.01 }.into(),
        Cylinder { radius: 0.01, half_height: 0.0003 }.into(),
        Sphere { radius: 0.003 }.into(),
        TruncatedCone { radii: [0.001, 0.0002], half_height: 0.008 }.into(),
    ];
    let shapes = shapes.map(|shape| world.add_shape(shape).unwrap());
    for _ in 0..count {
        let mut body = BodySpec::at(shapes[random.index(4)], grit, half_width * random.in_cube());
        body.pose.orientation = random.rotation();
        body.velocity = 0.5 * random.in_cube();
        body.spin = 50.0 * random.in_cube();
        world.add_body(body).unwrap();
    }
    world
}

fn gap(world: &World, [a, b]: [usize; 2], margin: f64) -> Option<f64> {
    let placed = |k: usize| {
        let bodies = &world.bodies;
        let pose = Pose { position: bodies.sphere[k].centre, orientation: bodies.orientation[k] };
        (world.shape(bodies.kinetic[k].tag.shape), pose)
    };
    let ((shape_a, pose_a), (shape_b, pose_b)) = (placed(a), placed(b));
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &Pair { margin, ..Pair::new(shape_a, &pose_a, shape_b, &pose_b) }, &mut manifold);
    manifold.deepest().map(|point| point.gap)
}

#[test]
fn boxes_leave_out_far_pairs_and_no_near_one() {
    const SKIN: f64 = 5e-4;
    let world = slim_crowd(11, 400, 0.03);
    let mut boxes = Boxes::default();
    assert!(boxes.update(&world), "some are slim");
    let mut found = Candidates::default();
    Grid::default().candidates_by(Execution::OneThread, &world, SKIN, Some(&boxes), &mut found);
    let listed: HashSet<(u32, u32)> = found.sorted().into_iter().collect();
    let by_balls = by_grid(&world, SKIN);
    for &(a, b) in &by_balls {
        let near = gap(&world, [a as usize, b as usize], SKIN).is_some();
        assert!(!near || listed.contains(&(a, b)), "{a} and {b}");
    }
    assert!(listed.len() > 200 && 4 * listed.len() < by_balls.len(), "{} of {}", listed.len(), by_balls.len());
}

#[test]
fn tumbling_needles_and_coins_meet_all_that_they_touch() {
    let mut world = slim_crowd(12, 60, 0.03);
    world.set_time_step(2e-6).unwrap();
    for normal in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z] {
        let wall = world.add_shape(HalfSpace::new(normal)).unwrap();
        world.add_body(BodySpec::fixed(wall, MaterialId(0), -0.045 * normal)).unwrap();
    }
    // Those that overlap at the start are pushed apart.
    let mut simulation = Simulation::new(world, 2).unwrap();
    let mut touching = 0;
    for _ in 0..300 {
        simulation.run(37);
        let world = simulation.world();
        let met: HashSet<[u32; 2]> = world.contact_records().map(|(c, ..)| [c.a.min(c.b), c.a.max(c.b)]).collect();
        let bounded: Vec<usize> =
            (0..world.body_count()).filter(|&k| world.bodies.sphere[k].radius.is_finite()).collect();
        for (i, &a) in bounded.iter().enumerate() {
            for &b in &bounded[i + 1..] {
                if gap(world, [a, b], 0.0).is_some_and(|gap| gap < -1e-9) {
                    touching += 1;
                    assert!(met.contains(&[a as u32, b as u32]), "{a} and {b} at step {}", world.steps());
                }
            }
        }
    }
    assert!(touching > 200, "{touching}");
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
