//! Ellipsoids in a drum that turns: the same bits however they are found, a ledger that closes over the work of the
//! drum, and a wall that carries grains up.

mod common;

use common::{Random, world_with_grit};
use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodySpec, Drive, Motion, Simulation, Snapshot, World};
use granum_geometry::shape::{Ellipsoid, InsideCylinder};

const RADIUS: f64 = 0.03;
const HALF_LENGTH: f64 = 0.012;
/// 60 rpm.
const SPIN: f64 = std::f64::consts::TAU;
const DRUM: BodyId = BodyId(0);

/// A third of a second: the grains fall for a fifth of it and are then carried up.
const STEPS: u64 = 33_000;

/// About 120 spheroids (2, 3, 2) mm in a drum about the y axis that turns from the start.
fn drum(spin: f64) -> World {
    let (mut world, grit) = world_with_grit();
    world.set_gravity(DVec3::new(0.0, 0.0, -9.81)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let inside = world.add_shape(InsideCylinder { radius: RADIUS, half_height: HALF_LENGTH }).unwrap();
    let drive = Drive::Steady { velocity: DVec3::ZERO, spin: DVec3::Y * spin };
    let mut wall = BodySpec { motion: Motion::Driven(drive), ..BodySpec::fixed(inside, grit, DVec3::ZERO) };
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

/// Every bit of what moves and pushes.
fn bits(world: &World) -> Vec<u64> {
    let Snapshot { bodies, contacts, .. } = Snapshot::of(world);
    let moved = bodies.iter().flat_map(|body| {
        let vectors = [body.position, body.velocity, body.spin];
        vectors.into_iter().flat_map(|v| v.to_array()).chain(body.orientation.to_array()).collect::<Vec<f64>>()
    });
    let pushed = contacts.iter().flat_map(|contact| contact.force.to_array());
    moved.chain(pushed).map(f64::to_bits).collect()
}

fn run(threads: usize) -> Simulation {
    let mut simulation = Simulation::new(drum(SPIN), threads).unwrap();
    simulation.run(STEPS);
    simulation
}

/// Torque of the wall on the grains about the drum's axis, N m.
fn torque(world: &World) -> f64 {
    let of_wall = Snapshot::of(world).contacts.into_iter().filter(|contact| contact.a == DRUM || contact.b == DRUM);
    of_wall
        .map(|contact| {
            let torque = (contact.point.cross(contact.force) + contact.couple).y;
            if contact.a == DRUM { torque } else { -torque }
        })
        .sum()
}

#[test]
fn threads_and_a_restart_change_nothing() {
    let one = run(1);
    // A bed, not a cloud, in which a grain seldom has a contact: what is compared must be worth it.
    let contacts = Snapshot::of(one.world()).contacts.len();
    let coordination = 2.0 * contacts as f64 / one.world().body_count() as f64;
    assert!(coordination > 1.0, "{coordination} contacts a body");
    let one = bits(one.world());
    assert!(one == bits(run(2).world()), "two threads give other bits than one");
    let mut simulation = Simulation::new(drum(SPIN), 2).unwrap();
    simulation.run(STEPS / 3);
    let saved = postcard::to_allocvec(simulation.world()).unwrap();
    let mut resumed = Simulation::new(postcard::from_bytes(&saved).unwrap(), 1).unwrap();
    resumed.run(STEPS - STEPS / 3);
    assert!(one == bits(resumed.world()), "a restart gives other bits");
}

/// Work that the ledger books, the same from torque times spin, and the residual of the ledger, J: from 0.1 s, when
/// the bed is down and carried, for 0.05 s.
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
    // An error of the step falls with its square; work that is booked wrongly does not fall.
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
    // The wall climbs towards -x at positive spin.
    let lean = |spin: f64| {
        let mut simulation = Simulation::new(drum(spin), 1).unwrap();
        simulation.run(STEPS);
        let bodies = Snapshot::of(simulation.world()).bodies;
        let grains = bodies.iter().filter(|body| body.mass.is_finite());
        let inside = |at: DVec3| at.x.hypot(at.z) < RADIUS && at.y.abs() < HALF_LENGTH;
        assert!(grains.clone().all(|body| inside(body.position)));
        let middle = grains.clone().map(|body| body.position).sum::<DVec3>() / grains.count() as f64;
        (-middle.x).atan2(-middle.z).to_degrees()
    };
    let (there, back, still) = (lean(SPIN), lean(-SPIN), lean(0.0));
    println!("the bed leans by {there:.2} degrees, turned back {back:.2}, at rest {still:.2}");
    assert!(there > 20.0 && back < -20.0, "{there} {back}");
    assert!(still.abs() < 5.0, "{still}");
}
