//! Ellipsoids in a rotating drum: equal bits for any number of threads and after a restart, an
//! energy ledger that includes the work of the drum, and friction that carries grains up.

mod common;

use common::{Random, world_with_grit};
use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodySpec, Drive, Motion, Simulation, Snapshot, World};
use granum_geometry::shape::{Ellipsoid, InsideCylinder};

/// Radius of the drum and half of its length, m.
const RADIUS: f64 = 0.03;
const HALF_LENGTH: f64 = 0.012;
/// Angular velocity of the drum, rad/s: 60 rpm.
const SPIN: f64 = std::f64::consts::TAU;
const DRUM: BodyId = BodyId(0);

/// Steps of 0.33 s in all. The grains settle in the first 0.07 s and are then carried up.
const STEPS: u64 = 33_000;

/// Returns about 120 spheroids (2, 3, 2) mm in a drum that rotates about the y axis from the start.
fn drum(spin: f64) -> World {
    let (mut world, grit) = world_with_grit();
    world.set_gravity(DVec3::new(0.0, 0.0, -9.81)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let inside = world.add_shape(InsideCylinder { radius: RADIUS, half_height: HALF_LENGTH }).unwrap();
    let drive = Drive::steady(DVec3::ZERO, DVec3::Y * spin);
    let mut wall = BodySpec { motion: Motion::Driven(drive.into()), ..BodySpec::fixed(inside, grit, DVec3::ZERO) };
    wall.pose.orientation = DQuat::from_rotation_arc(DVec3::Z, DVec3::Y);
    assert_eq!(world.add_body(wall).unwrap(), DRUM);
    let grain = world.add_shape(Ellipsoid { semi_axes: 1e-3 * DVec3::new(2.0, 3.0, 2.0) }).unwrap();
    let mut random = Random::new(3);
    let pitch = 6.2e-3;
    for k in 0..9 * 3 * 9 {
        let cell = DVec3::new((k % 9) as f64 - 4.0, (k / 9 % 3) as f64 - 1.0, (k / 27) as f64 - 4.0);
        let centre = pitch * cell;
        let fits = (centre.x.hypot(centre.z) < RADIUS - 3.1e-3) && centre.z < 8e-3;
        let turn = random.in_cube();
        if fits {
            let mut body = BodySpec::at(grain, grit, centre);
            body.pose.orientation = DQuat::from_scaled_axis(3.0 * turn);
            body.velocity = 0.1 * random.in_cube();
            world.add_body(body).unwrap();
        }
    }
    world
}

/// Returns the bits of all poses, velocities and contact forces.
fn bits(world: &World) -> Vec<u64> {
    let Snapshot { bodies, contacts, .. } = Snapshot::of(world);
    let motions = bodies.iter().flat_map(|body| {
        let vectors = [body.position, body.velocity, body.spin];
        vectors.into_iter().flat_map(|v| v.to_array()).chain(body.orientation.to_array()).collect::<Vec<f64>>()
    });
    let forces = contacts.iter().flat_map(|contact| contact.force.to_array());
    motions.chain(forces).map(f64::to_bits).collect()
}

fn run(threads: usize) -> Simulation {
    let mut simulation = Simulation::new(drum(SPIN), threads).unwrap();
    simulation.use_all_threads().unwrap();
    simulation.run(STEPS);
    simulation
}

/// Returns the torque of the wall on the grains about the drum's axis, N m.
fn torque(world: &World) -> f64 {
    let of_wall = Snapshot::of(world).contacts.into_iter().filter(|contact| contact.a == DRUM || contact.b == DRUM);
    of_wall
        .map(|contact| {
            let torque = (contact.point.cross(contact.force) + contact.torque).y;
            if contact.a == DRUM { torque } else { -torque }
        })
        .sum()
}

#[test]
fn threads_and_a_restart_change_nothing() {
    let one = run(1);
    // The comparison is useful only if the grains form a bed with many contacts.
    let contacts = Snapshot::of(one.world()).contacts.len();
    let coordination = 2.0 * contacts as f64 / one.world().body_count() as f64;
    assert!(coordination > 1.0, "{coordination} contacts per body");
    let one = bits(one.world());
    assert!(one == bits(run(2).world()), "two threads change the result");
    let mut simulation = Simulation::new(drum(SPIN), 2).unwrap();
    simulation.run(STEPS / 3);
    let saved = postcard::to_allocvec(simulation.world()).unwrap();
    let mut resumed = Simulation::new(postcard::from_bytes(&saved).unwrap(), 1).unwrap();
    resumed.run(STEPS - STEPS / 3);
    assert!(one == bits(resumed.world()), "a restart changes the result");
}

/// Returns the work in the energy ledger, the integral of torque times spin, and the residual of
/// the ledger, J. They cover 0.05 s after 0.1 s, when the bed has settled.
fn ledger(step: f64) -> [f64; 3] {
    let mut world = drum(SPIN);
    world.set_time_step(step).unwrap();
    let steps = |time: f64| (time / step).round() as u64;
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run(steps(0.1));
    let start = simulation.energy();
    let (mut work, mut before) = (0.0, torque(simulation.world()));
    for _ in 0..steps(0.05) {
        simulation.run(1);
        let after = torque(simulation.world());
        work += 0.5 * (before + after) * SPIN * step;
        before = after;
    }
    let energy = simulation.energy();
    [energy.work - start.work, work, energy.residual(&start).abs()]
}

#[test]
fn the_ledger_closes_over_the_work_of_the_drum() {
    // The error of the time integration decreases with the square of the step; wrongly booked work
    // does not.
    let [(coarse, _), (fine, booked)] = [1e-5, 2.5e-6].map(|step| {
        let [booked, work, residual] = ledger(step);
        println!("step {step:e} s: work {booked:e} J, torque times spin {work:e} J, residual {residual:e} J");
        assert!((booked - work).abs() < 1e-2 * booked, "booked {booked:e} J, torque times spin {work:e} J");
        (residual, booked)
    });
    assert!(fine < 1e-3 * booked, "residual {fine:e} J of {booked:e} J");
    assert!(fine < coarse / 4.0, "residual {coarse:e} J, and {fine:e} J with a quarter of the step");
}

#[test]
fn friction_on_the_moving_wall_carries_grains_up() {
    // The wall moves up at negative x if the spin is positive.
    let bed_angle = |spin: f64| {
        let mut simulation = Simulation::new(drum(spin), 1).unwrap();
        simulation.run(STEPS);
        let bodies = Snapshot::of(simulation.world()).bodies;
        let grains = bodies.iter().filter(|body| body.mass.is_finite());
        let inside = |at: DVec3| at.x.hypot(at.z) < RADIUS && at.y.abs() < HALF_LENGTH;
        assert!(grains.clone().all(|body| inside(body.position)));
        let middle = grains.clone().map(|body| body.position).sum::<DVec3>() / grains.count() as f64;
        (-middle.x).atan2(-middle.z).to_degrees()
    };
    let (forward, backward, at_rest) = (bed_angle(SPIN), bed_angle(-SPIN), bed_angle(0.0));
    println!("angle of the bed: {forward:.2} degrees, {backward:.2} in reverse, {at_rest:.2} at rest");
    assert!(forward > 20.0 && backward < -20.0, "{forward} {backward}");
    assert!(at_rest.abs() < 5.0, "{at_rest}");
}
