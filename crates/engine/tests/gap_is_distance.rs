//! Contacts of a world, snapshots and guards report the gap of the pair routines for the depth,
//! whatever the measure on which the contact law acts.

mod common;

use common::world_with_grit;
use glam::{DQuat, DVec3};
use granum_engine::guard::{Guard, Rule};
use granum_engine::{BodySpec, Guards, Simulation, Snapshot, World};
use granum_geometry::shape::{Box, Cylinder, HalfSpace, InsideCylinder};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};

/// Rounding of a gap, m, for bodies of a metre.
const ROUNDING: f64 = 1e-12;

/// Returns a simulation of a fixed and a free body.
fn simulation(measure: Measure, (a, pose_a): (&Shape, Pose), (b, pose_b): (&Shape, Pose)) -> Simulation {
    let (mut world, grit) = world_with_grit();
    world.set_measure(measure).unwrap();
    world.set_time_step(1e-6).unwrap();
    let [shape_a, shape_b] = [a, b].map(|shape| world.add_shape(shape.clone()).unwrap());
    world.add_body(BodySpec { pose: pose_a, ..BodySpec::fixed(shape_a, grit, DVec3::ZERO) }).unwrap();
    let mut free = BodySpec { pose: pose_b, ..BodySpec::at(shape_b, grit, DVec3::ZERO) };
    free.velocity = DVec3::new(0.1, -0.2, -0.3);
    free.spin = DVec3::new(0.4, 0.5, -0.6);
    world.add_body(free).unwrap();
    Simulation::new(world, 1).unwrap()
}

/// Returns the pair of the two bodies of a world.
fn pair(world: &World) -> Pair<'_> {
    let [a, b] = [0, 1].map(|id| world.bodies().nth(id).expect("two bodies"));
    let pose = |body: granum_engine::BodyState| Pose { position: body.position, orientation: body.orientation };
    Pair::new(world.shape(a.shape), &pose(a), world.shape(b.shape), &pose(b))
}

/// Asserts that `collide`, the contacts of the world and the snapshot have the same smallest gap.
/// Returns the gap of the two bodies by depth, m.
fn agreed_gap(simulation: &Simulation) -> f64 {
    let world = simulation.world();
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &pair(world), &mut manifold);
    let gap = manifold.deepest().expect("an infinite margin reports every pair").gap;
    collide(world.measure(), &pair(world), &mut manifold);
    let by_measure = manifold.deepest().expect("an infinite margin reports every pair").gap;
    let at_points = manifold.points().iter().map(|point| point.gap).fold(f64::INFINITY, f64::min);
    let in_world = world.contacts().map(|contact| contact.gap()).fold(f64::INFINITY, f64::min);
    let snapshot = Snapshot::of(world);
    let in_snapshot = snapshot.contacts.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
    assert!((by_measure - gap).abs() < ROUNDING, "{by_measure} {gap}");
    assert!((in_world - at_points).abs() < ROUNDING, "{at_points} {in_world}");
    // By depth, a patch has several points, and those without a force are not in the snapshot. A
    // generalised overlap of two bodies has one point, whose gap is that of the bodies.
    if manifold.points().iter().any(|point| point.overlap.is_some()) {
        for other in [at_points, in_snapshot, -snapshot.max_overlap()] {
            assert!((other - gap).abs() < ROUNDING, "{gap} {at_points} {in_snapshot}");
        }
    }
    gap
}

#[test]
fn two_coins_that_overlap_by_a_tenth_have_a_gap_of_minus_a_tenth() {
    let coin: Shape = Cylinder { radius: 1.0, half_height: 0.5 }.into();
    let turn = DQuat::from_rotation_x(0.7);
    let poses = [0.0, 0.9].map(|z| Pose { position: turn * (z * DVec3::Z), orientation: turn });
    for measure in Measure::BUILT_IN {
        let mut simulation = simulation(measure, (&coin, poses[0]), (&coin, poses[1]));
        assert!((agreed_gap(&simulation) + 0.1).abs() < ROUNDING, "{measure:?}");
        for _ in 0..20 {
            simulation.run(50);
            agreed_gap(&simulation);
        }
    }
}

#[test]
fn a_lying_cylinder_on_a_plane_and_boxes_report_their_depth() {
    let rod: Shape = Cylinder { radius: 0.3, half_height: 1.0 }.into();
    let plane: Shape = HalfSpace::new(DVec3::Z).into();
    let lying = Pose { position: 0.29 * DVec3::Z, orientation: DQuat::from_rotation_y(1.57) };
    let block: Shape = Box { half_sizes: DVec3::new(0.5, 0.4, 0.3) }.into();
    let above = Pose { position: DVec3::new(0.1, 0.05, 0.55), orientation: DQuat::from_rotation_z(0.3) };
    for measure in Measure::BUILT_IN {
        let mut rod_on_plane = simulation(measure, (&plane, Pose::IDENTITY), (&rod, lying));
        let mut boxes = simulation(measure, (&block, Pose::IDENTITY), (&block, above));
        assert!((agreed_gap(&boxes) + 0.05).abs() < ROUNDING, "{measure:?}");
        for _ in 0..10 {
            agreed_gap(&rod_on_plane);
            agreed_gap(&boxes);
            rod_on_plane.run(20);
            boxes.run(20);
        }
    }
}

#[test]
fn a_rod_in_the_corner_of_a_drum_has_the_gap_of_each_wall() {
    let rod: Shape = Cylinder { radius: 0.3, half_height: 1.0 }.into();
    let drum: Shape = InsideCylinder { radius: 1.0, half_height: 2.0 }.into();
    let corner = Pose::at(DVec3::new(0.0, 0.704, -1.01));
    let simulation = simulation(Measure::Moments, (&drum, Pose::IDENTITY), (&rod, corner));
    let snapshot = Snapshot::of(simulation.world());
    let gap = |normal: DVec3| {
        let on_wall = snapshot.contacts.iter().filter(|contact| contact.normal.dot(normal) > 0.999);
        on_wall.map(|contact| contact.gap).fold(f64::INFINITY, f64::min)
    };
    assert!((gap(DVec3::Z) + 0.01).abs() < ROUNDING && (gap(DVec3::NEG_Y) + 0.004).abs() < ROUNDING, "{snapshot:?}");
}

#[test]
fn the_overlap_guard_compares_distances() {
    let guards = Guards {
        every: 1,
        not_finite: Rule::Off,
        domain: Rule::Off,
        bounds: (DVec3::NEG_INFINITY, DVec3::INFINITY),
        overlap: Rule::Stop,
        overlap_limit: 0.1,
        tunnelling: Rule::Off,
        ledger: Rule::Off,
        ledger_limit: 1.0,
    };
    let coin: Shape = Cylinder { radius: 1.0, half_height: 0.5 }.into();
    let look = |measure: Measure, depth: f64| {
        let above = Pose::at((1.0 - depth) * DVec3::Z);
        guards.look(simulation(measure, (&coin, Pose::IDENTITY), (&coin, above)).world())
    };
    // The limit is a tenth of the diameter of the bounding ball.
    let limit = 0.1 * 2.0 * 1.25f64.sqrt();
    for measure in Measure::BUILT_IN {
        assert_eq!(look(measure, 0.999_999 * limit), [], "{measure:?}");
        let [found] = &look(measure, 1.000_001 * limit)[..] else { panic!("one violation by {measure:?}") };
        assert_eq!(found.guard, Guard::Overlap);
    }
}
