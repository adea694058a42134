//! Worlds with the percussion response: impacts, slopes, stacks, and reproducibility.

mod common;

use common::Random;
use glam::{DQuat, DVec3};
use granum_engine::percussion::{Friction, Percussion, PercussionLaw, Rebound, Slip};
use granum_engine::{BodyId, BodySpec, Drive, Material, MaterialId, Motion, Simulation, Snapshot, World};
use granum_geometry::Pose;
use granum_geometry::shape::{Box as Cuboid, Ellipsoid, HalfSpace, Sphere};

const G: f64 = 9.81;

fn world(friction: Friction, rebound: Rebound, slip: Slip) -> (World, MaterialId) {
    let mut world = World::new();
    let material = Material::new("rock", 1000.0);
    let rock = world.add_material(material).unwrap();
    world.set_percussion(Percussion::new(friction)).unwrap();
    world.set_percussion_law(rock, rock, PercussionLaw { rebound, slip }).unwrap();
    world.set_gravity(DVec3::NEG_Z * G).unwrap();
    world.set_time_step(1e-3).unwrap();
    (world, rock)
}

fn ground(world: &mut World, rock: MaterialId) -> BodyId {
    let plane = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
    world.add_body(BodySpec::fixed(plane, rock, DVec3::ZERO)).unwrap()
}

/// Returns boxes, ellipsoids and spheres above a ground, which oscillates if `is_driven`.
fn falling_boxes(count: u32, is_driven: bool) -> World {
    let (mut world, rock) = world(Friction::Coulomb, Rebound::Restitution(0.2), Slip::Friction(0.5));
    let floor = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
    let motion = match is_driven {
        true => Motion::Driven(Drive::oscillation(DVec3::Z * 0.005, 8.0, 0.2).into()),
        false => Motion::Fixed,
    };
    world.add_body(BodySpec { motion, ..BodySpec::fixed(floor, rock, DVec3::ZERO) }).unwrap();
    let mut random = Random::new(5);
    for k in 0..count {
        let half = DVec3::new(random.range(0.1, 0.2), random.range(0.1, 0.2), random.range(0.08, 0.15));
        let shape = match k % 7 {
            0 => world.add_shape(Ellipsoid { semi_axes: half }).unwrap(),
            3 => world.add_shape(Sphere { radius: half.x }).unwrap(),
            _ => world.add_shape(Cuboid { half_sizes: half }).unwrap(),
        };
        let cell = DVec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9));
        let mut body = BodySpec::at(shape, rock, 0.6 * cell + DVec3::Z * 0.4 + 0.02 * random.in_cube());
        body.pose = Pose { position: body.pose.position, orientation: DQuat::from_scaled_axis(2.0 * random.in_cube()) };
        body.velocity = random.in_cube();
        body.spin = 3.0 * random.in_cube();
        world.add_body(body).unwrap();
    }
    world
}

/// Returns the bits of all poses, velocities, contact forces and losses.
fn bits(world: &World) -> Vec<u64> {
    let snapshot = Snapshot::of(world);
    let mut bits = Vec::new();
    for body in &snapshot.bodies {
        for vector in [body.position, body.velocity, body.spin] {
            bits.extend(vector.to_array().map(f64::to_bits));
        }
        bits.extend(body.orientation.to_array().map(f64::to_bits));
    }
    bits.extend(snapshot.contacts.iter().flat_map(|contact| contact.force.to_array().map(f64::to_bits)));
    bits.extend([snapshot.energy.dissipated_damping, snapshot.energy.dissipated_friction].map(f64::to_bits));
    bits
}

#[test]
fn free_fall_is_exact() {
    let (mut world, rock) = world(Friction::Coulomb, Rebound::Restitution(0.0), Slip::Free);
    let ball = world.add_shape(Sphere { radius: 0.1 }).unwrap();
    let id = world.add_body(BodySpec::at(ball, rock, DVec3::Z * 10.0)).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run(1000);
    assert!((simulation.world().position(id).z - (10.0 - 0.5 * G)).abs() < 1e-12);
}

#[test]
fn a_ball_rebounds_by_its_restitution_whatever_the_step() {
    for step in [1e-2, 1e-3, 1e-4] {
        let (mut world, rock) = world(Friction::Coulomb, Rebound::Restitution(0.6), Slip::Free);
        world.set_gravity(DVec3::ZERO).unwrap();
        world.set_time_step(step).unwrap();
        ground(&mut world, rock);
        let ball = world.add_shape(Sphere { radius: 0.1 }).unwrap();
        let mut spec = BodySpec::at(ball, rock, DVec3::Z * 0.2);
        spec.velocity = DVec3::new(0.0, 0.0, -1.7);
        let id = world.add_body(spec).unwrap();
        let mut simulation = Simulation::new(world, 1).unwrap();
        simulation.run((0.2 / step) as u64);
        assert!((simulation.world().twist(id).velocity.z - 0.6 * 1.7).abs() < 1e-12);
    }
}

#[test]
fn a_box_that_lands_flat_rebounds_by_its_restitution_on_four_corners_as_on_one() {
    for tilt in [0.0, 0.6] {
        let (mut world, rock) = world(Friction::Coulomb, Rebound::Restitution(0.5), Slip::Free);
        world.set_gravity(DVec3::ZERO).unwrap();
        ground(&mut world, rock);
        let half = DVec3::new(0.3, 0.2, 0.1);
        let shape = world.add_shape(Cuboid { half_sizes: half }).unwrap();
        let orientation = DQuat::from_rotation_x(tilt) * DQuat::from_rotation_y(tilt);
        let mut spec = BodySpec::at(shape, rock, DVec3::Z * 0.5);
        spec.pose.orientation = orientation;
        spec.velocity = DVec3::NEG_Z;
        let id = world.add_body(spec).unwrap();
        let corner =
            DVec3::new(if tilt == 0.0 { 0.0 } else { half.x }, if tilt == 0.0 { 0.0 } else { -half.y }, -half.z);
        let mut simulation = Simulation::new(world, 1).unwrap();
        for _ in 0..600 {
            simulation.run(1);
            let twist = simulation.world().twist(id);
            if twist.velocity != DVec3::NEG_Z || twist.spin != DVec3::ZERO {
                let arm = simulation.world().orientation(id) * corner;
                let rate = twist.velocity.z + twist.spin.cross(arm).z;
                // The body rotates for another half step after the impact.
                assert!((rate - 0.5).abs() < 1e-2, "tilt {tilt}: {rate}");
                break;
            }
        }
        assert!(simulation.energy().dissipated() > 0.0);
    }
}

#[test]
fn a_block_on_a_slope_holds_below_the_friction_angle_and_slides_above_it_with_the_exact_acceleration() {
    for angle in [0.4f64, 0.5] {
        // Between tan 0.4 and tan 0.5.
        let friction = 0.46;
        let (mut world, rock) = world(Friction::Coulomb, Rebound::Restitution(0.3), Slip::Friction(friction));
        world.set_gravity(G * DVec3::new(angle.sin(), 0.0, -angle.cos())).unwrap();
        ground(&mut world, rock);
        let shape = world.add_shape(Cuboid { half_sizes: DVec3::new(0.4, 0.3, 0.1) }).unwrap();
        let id = world.add_body(BodySpec::at(shape, rock, DVec3::Z * 0.1)).unwrap();
        let mut simulation = Simulation::new(world, 1).unwrap();
        simulation.run(1000);
        let velocity = simulation.world().twist(id).velocity.x;
        let exact = (G * (angle.sin() - friction * angle.cos())).max(0.0);
        assert!((velocity - exact).abs() < 1e-6 * G, "{velocity} {exact}");
        assert!((simulation.world().position(id).x - 0.5 * exact).abs() < 1e-5);
        assert!(simulation.world().position(id).z >= 0.1 - 1e-9);
    }
}

#[test]
fn a_tower_at_rest_stays_where_it_is() {
    let (mut world, rock) = world(Friction::Coulomb, Rebound::Restitution(0.3), Slip::Friction(0.4));
    ground(&mut world, rock);
    let shape = world.add_shape(Cuboid { half_sizes: DVec3::new(0.2, 0.2, 0.1) }).unwrap();
    let ids: Vec<BodyId> = (0..10)
        .map(|k| world.add_body(BodySpec::at(shape, rock, DVec3::Z * (0.1 + 0.2 * f64::from(k)))).unwrap())
        .collect();
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run(100);
    let contacts = simulation.snapshot().contacts.len();
    for _ in 0..20 {
        simulation.run(100);
        assert_eq!(simulation.snapshot().contacts.len(), contacts, "a contact has begun or ended");
    }
    for (k, &id) in ids.iter().enumerate() {
        let sunk = 0.1 + 0.2 * k as f64 - simulation.world().position(id).z;
        assert!(sunk.abs() < 2e-7, "box {k} has sunk by {sunk:e}");
        assert!(simulation.world().twist(id).velocity.length() < 1e-6);
    }
    let record = simulation.world().percussion().unwrap().statistics;
    assert_eq!((record.fallbacks, record.missed), (0, 0));
}

#[test]
fn a_program_that_misses_its_tolerance_is_counted_not_hidden() {
    let mut world = falling_boxes(4, false);
    // No solver attains a residual below rounding.
    let percussion = Percussion { tolerance: 1e-30, ..world.percussion().unwrap().clone() };
    world.set_percussion(percussion).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    let record = |simulation: &Simulation| simulation.world().percussion().unwrap().statistics;
    // One program is enough, because an unsolvable one takes all iterations.
    for _ in 0..400 {
        simulation.run(1);
        if record(&simulation).missed > 0 {
            break;
        }
    }
    let record = record(&simulation);
    assert!(record.missed > 0 && record.missed <= record.programs, "{record:?}");
    // The interior-point solver is the fallback if the crate is built with it.
    let has_fallback = granum_engine::percussion::Solver::interior_point().is_some();
    assert_eq!(record.fallbacks > 0, has_fallback, "{record:?}");
    // The solutions are used nevertheless. They are accurate to rounding.
    assert!(record.worst < 1e-6, "{record:?}");
}

#[test]
fn a_heap_of_boxes_comes_to_rest_and_no_contact_flickers() {
    let (mut world, rock) = world(Friction::Coulomb, Rebound::Restitution(0.0), Slip::Friction(0.6));
    ground(&mut world, rock);
    let mut random = Random::new(11);
    for k in 0..12 {
        let half_sizes = DVec3::new(random.range(0.1, 0.2), random.range(0.1, 0.2), random.range(0.1, 0.15));
        let shape = world.add_shape(Cuboid { half_sizes }).unwrap();
        let cell = DVec3::new(f64::from(k % 2), f64::from(k / 2 % 2), f64::from(k / 4));
        let mut body = BodySpec::at(shape, rock, 0.35 * cell + DVec3::Z * 0.3 + 0.02 * random.in_cube());
        body.pose.orientation = DQuat::from_scaled_axis(random.in_cube());
        world.add_body(body).unwrap();
    }
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run(6000);
    let positions =
        |simulation: &Simulation| -> Vec<DVec3> { simulation.world().bodies().map(|body| body.position).collect() };
    let held = |simulation: &Simulation| -> usize {
        simulation.world().contacts().filter(|contact| contact.is_loaded()).count()
    };
    let (before, contacts) = (positions(&simulation), held(&simulation));
    assert!(contacts >= 12);
    for _ in 0..1000 {
        simulation.run(1);
        assert_eq!(held(&simulation), contacts);
    }
    for (now, before) in positions(&simulation).iter().zip(&before) {
        assert!(now.distance(*before) < 1e-7 * 0.1, "moved by {:e} m", now.distance(*before));
    }
}

#[test]
fn a_fall_closes_its_ledger_and_does_not_sink() {
    let mut simulation = Simulation::new(falling_boxes(45, false), 1).unwrap();
    let start = simulation.energy();
    let mut deepest = 0f64;
    for _ in 0..150 {
        simulation.run(10);
        deepest = deepest.max(simulation.snapshot().max_overlap());
    }
    let energy = simulation.energy();
    let residual = energy.residual(&start).abs() / start.total();
    assert!(residual < 1e-9, "residual {residual:e}");
    assert!(energy.dissipated() > 0.3 * start.total());
    // 1 % of the smallest side.
    assert!(deepest < 0.01 * 0.16, "deepest {deepest:e} m");
    let record = simulation.world().percussion().unwrap().statistics;
    assert!(record.worst <= 1e-6 && record.missed == 0, "{record:?}");
    assert!(record.least_dissipated >= -1e-12, "{record:?}");
}

#[test]
fn the_number_of_threads_and_the_neighbour_list_change_nothing() {
    let run = |threads: usize, disturb: bool| {
        let mut simulation = Simulation::new(falling_boxes(45, true), threads).unwrap();
        simulation.use_all_threads().unwrap();
        for k in 0..40 {
            simulation.run(20);
            if disturb && k % 3 == 1 {
                // The next step rebuilds the neighbour list.
                simulation.world_mut();
            }
        }
        bits(simulation.world())
    };
    let one = run(1, false);
    assert_eq!(one, run(3, false));
    assert_eq!(one, run(2, true));
}

#[test]
fn a_restart_changes_nothing() {
    let mut whole = Simulation::new(falling_boxes(45, true), 1).unwrap();
    whole.run(800);
    let mut first = Simulation::new(falling_boxes(45, true), 2).unwrap();
    first.run(517);
    let saved = postcard::to_allocvec(first.world()).unwrap();
    let mut second = Simulation::new(postcard::from_bytes(&saved).unwrap(), 1).unwrap();
    second.run(800 - 517);
    assert_eq!(bits(whole.world()), bits(second.world()));
}

/// Returns the FNV-1a hash of [`bits`].
fn hash(world: &World) -> u64 {
    let bytes = bits(world).into_iter().flat_map(u64::to_le_bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Hashes of two percussion worlds after a run. They change only if the method changes.
const GOLDEN: [u64; 2] = [5297165434707667996, 1626028863146787540];

#[test]
fn the_golden_hashes_of_percussions_hold() {
    let mut coulomb = Simulation::new(falling_boxes(90, true), 2).unwrap();
    coulomb.run(700);
    let mut viscous = falling_boxes(45, false);
    let rock = MaterialId(0);
    viscous.set_percussion(Percussion::new(Friction::Viscous)).unwrap();
    let law = PercussionLaw { rebound: Rebound::Kappa(30.0), slip: Slip::Kappa(5.0) };
    viscous.set_percussion_law(rock, rock, law).unwrap();
    let mut viscous = Simulation::new(viscous, 2).unwrap();
    viscous.run(500);
    let statistics = coulomb.world().percussion().unwrap().statistics;
    assert!(statistics.iterations > 3 * statistics.programs && statistics.fallbacks == 0, "{statistics:?}");
    assert_eq!([hash(coulomb.world()), hash(viscous.world())], GOLDEN);
}
