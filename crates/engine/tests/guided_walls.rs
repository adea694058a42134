//! Servos and free walls: walls that contact forces move along an axis.

use glam::DVec3;
use granum_engine::percussion::{Friction, Percussion, PercussionLaw, Rebound, Slip};
use granum_engine::{
    BodyId, BodySpec, ContactLaw, Damping, Drive, EndRule, Guide, GuideKind, Material, MaterialId, Motion, Normal,
    Rolling, Simulation, Stiffness, Tangential, TimeStepAdvice, WallMotion, World,
};
use granum_geometry::Shape;
use granum_geometry::shape::{HalfSpace, Sphere, Surface};
use granum_geometry::surface::TriangleMesh;

const PLATE: BodyId = BodyId(0);
const RADIUS: f64 = 0.004;

/// Properties of a test.
#[derive(Clone, Copy)]
struct Bed {
    restitution: f64,
    friction: f64,
    hertz: bool,
    time_step: f64,
    /// Balls along an edge of the square layers.
    across: u32,
    layers: u32,
}

const DENSE: Bed = Bed { restitution: 0.5, friction: 0.4, hertz: false, time_step: 1e-5, across: 3, layers: 4 };

impl Bed {
    fn law(&self, material: &Material) -> ContactLaw {
        let (end, damping) = (EndRule::NoTension, Damping::Restitution(self.restitution));
        let normal = match self.hertz {
            true => Normal::hertz(material, material, damping, end),
            false => Normal::linear(Stiffness::Constant(2e4), damping, end),
        };
        let tangential = match self.friction {
            0.0 => Tangential::None,
            friction if self.hertz => Tangential::mindlin(material, material, friction, 0.1).unwrap(),
            friction => Tangential::Linear { friction, ratio: 2.0 / 7.0, zeta: 0.1 },
        };
        ContactLaw { normal: normal.unwrap(), tangential, rolling: Rolling::None, end }
    }

    /// Returns balls in a box of fixed walls, and a horizontal plate above them that moves.
    fn world(&self, plate: Shape, motion: impl Into<WallMotion>) -> World {
        let mut world = World::new();
        world.set_gravity(DVec3::new(0.0, 0.0, -9.81)).unwrap();
        world.set_time_step(self.time_step).unwrap();
        let glass = Material::new("glass", 2500.0).with_elasticity(1e8, 0.2);
        let law = self.law(&glass);
        let material = world.add_material(glass).unwrap();
        world.set_law(material, material, law).unwrap();
        let spacing = 2.0 * RADIUS + 0.0005;
        let half = 0.5 * f64::from(self.across) * spacing;
        let plate = world.add_shape(plate).unwrap();
        let motion = Motion::Driven(motion.into());
        let above = DVec3::Z * (spacing * f64::from(self.layers) + RADIUS);
        world.add_body(BodySpec { motion, ..BodySpec::fixed(plate, material, above) }).unwrap();
        let floor = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
        world.add_body(BodySpec::fixed(floor, material, DVec3::ZERO)).unwrap();
        for axis in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y] {
            let side = world.add_shape(HalfSpace::new(axis)).unwrap();
            world.add_body(BodySpec::fixed(side, material, -half * axis)).unwrap();
        }
        let ball = world.add_shape(Sphere { radius: RADIUS }).unwrap();
        for layer in 0..self.layers {
            for i in 0..self.across * self.across {
                let cell = DVec3::new(f64::from(i % self.across), f64::from(i / self.across), f64::from(layer));
                let shift = DVec3::new(0.5 + 0.02 * f64::from(layer % 2), 0.5 + 0.01 * f64::from(i % 3), 0.5);
                let at = spacing * (cell + shift) - half * DVec3::new(1.0, 1.0, 0.0);
                world.add_body(BodySpec::at(ball, material, at)).unwrap();
            }
        }
        world
    }
}

fn ceiling() -> Shape {
    HalfSpace::new(DVec3::NEG_Z).into()
}

/// A square of two triangles that faces down.
fn triangles() -> Shape {
    let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    let vertices = vec![corner(-0.1, -0.1), corner(0.1, -0.1), corner(0.1, 0.1), corner(-0.1, 0.1)];
    let mesh = TriangleMesh::new(vertices, vec![[0, 2, 1], [0, 3, 2]]).unwrap();
    Surface::new(mesh, false).unwrap().into()
}

/// Returns the force with which the plate pushes down, N.
fn load(world: &World) -> f64 {
    let on_plate = |contact: granum_engine::ContactView| match (contact.a() == PLATE, contact.b() == PLATE) {
        _ if !contact.is_loaded() => 0.0,
        (true, _) => -contact.force().z,
        (_, true) => contact.force().z,
        _ => 0.0,
    };
    world.contacts().map(on_plate).sum()
}

/// Returns the residual of the energy balance relative to the energy turned over.
fn residual(simulation: &Simulation, start: &granum_engine::Energy) -> f64 {
    let now = simulation.energy();
    now.residual(start).abs() / now.turned_over(start)
}

#[test]
fn a_servo_reaches_its_force_and_holds_it() {
    // 5 N are 4.3 times the weight of the bed. The laws differ in the dashpot, which limits the
    // gain: at a restitution of 0.05 it is nearly critical.
    let stiff = |restitution: f64, hertz: bool| Bed { restitution, hertz, time_step: 5e-6, ..DENSE };
    for (bed, plate) in [
        (stiff(0.5, false), ceiling()),
        (stiff(0.5, false), triangles()),
        (stiff(0.05, false), ceiling()),
        (stiff(0.9, true), ceiling()),
    ] {
        let servo = Guide::servo(DVec3::NEG_Z, 5.0, 0.05);
        let mut simulation = Simulation::new(bed.world(plate, servo), 1).unwrap();
        let start = simulation.energy();
        simulation.run(60_000);
        let mut worst = 0f64;
        for _ in 0..200 {
            simulation.run(50);
            worst = worst.max((load(simulation.world()) / 5.0 - 1.0).abs());
        }
        let residual = residual(&simulation, &start);
        println!("restitution {}: force within {worst:.1e}, residual {residual:.1e}", bed.restitution);
        assert!(worst < 2e-3, "{worst:e}");
        assert!(residual < 1e-3 && simulation.energy().work > 1e-4, "{residual:e}");
    }
}

#[test]
fn a_servo_on_a_single_ball_approaches_the_force_without_overshoot() {
    // A ball between floor and plate: two springs in series. The load rises as 1 - exp(-K G t).
    let bed = Bed { across: 1, layers: 1, friction: 0.0, ..DENSE };
    let (gain, force) = (1e-3, 2.0);
    let kind = GuideKind::Servo { force, max_speed: 1.0, gain: Some(gain) };
    let mut world = bed.world(ceiling(), Guide { axis: DVec3::NEG_Z, kind });
    world.set_gravity(DVec3::ZERO).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    while load(simulation.world()) < 0.2 {
        simulation.run(1);
    }
    let (first, stiffness) = (force - load(simulation.world()), 1e4);
    let steps = 5000;
    simulation.run(steps);
    let expected = first * (-stiffness * gain * bed.time_step * steps as f64).exp();
    let missing = force - load(simulation.world());
    assert!((missing / expected - 1.0).abs() < 0.05, "{missing} {expected}");
}

#[test]
fn a_servo_never_exceeds_its_greatest_speed() {
    let servo = Guide::servo(DVec3::NEG_Z, 5.0, 0.02);
    let mut simulation = Simulation::new(DENSE.world(ceiling(), servo), 1).unwrap();
    let mut fastest = 0f64;
    for _ in 0..20_000 {
        simulation.run(1);
        fastest = fastest.max(simulation.world().twist(PLATE).velocity.length());
    }
    assert_eq!(fastest, 0.02);
}

#[test]
fn a_free_plate_on_elastic_balls_conserves_energy() {
    for hertz in [false, true] {
        for plate in [ceiling(), triangles()] {
            let bed = Bed { restitution: 1.0, friction: 0.0, hertz, time_step: 2e-6, ..DENSE };
            let mut simulation = Simulation::new(bed.world(plate, Guide::free(DVec3::Z, 0.02)), 1).unwrap();
            let start = simulation.energy();
            let mut lowest = f64::INFINITY;
            for _ in 0..100 {
                simulation.run(1000);
                lowest = lowest.min(simulation.world().position(PLATE).z);
            }
            let now = simulation.energy();
            let change = (now.total() - start.total()).abs() / now.turned_over(&start);
            println!("hertz {hertz}: change of the energy {change:.1e}");
            assert!(now.work == 0.0 && now.dissipated().abs() < 1e-3 * now.total().abs(), "{now:?}");
            assert!(change < 1e-3, "{change:e}");
            // It has fallen on the balls.
            assert!(lowest < 4.0 * 2.0 * RADIUS + 0.004, "{lowest}");
        }
    }
}

#[test]
fn a_free_plate_falls_and_rebounds_with_the_restitution_of_the_law() {
    // One ball that is heavier than the plate lies still without gravity, and the plate hits it: the
    // law finds the effective mass of the two.
    for (mass, restitution) in [(1e-4, 0.5), (1e-2, 0.8)] {
        let bed = Bed { across: 1, layers: 1, friction: 0.0, restitution, time_step: 1e-6, ..DENSE };
        let kind = GuideKind::Free { mass, force: 0.0, speed: 0.3 };
        let mut world = bed.world(ceiling(), Guide { axis: DVec3::NEG_Z, kind });
        world.set_gravity(DVec3::ZERO).unwrap();
        let ball = BodyId(6);
        let ball_mass = world.mass(ball);
        let mut simulation = Simulation::new(world, 1).unwrap();
        let start = simulation.energy();
        while simulation.world().twist(ball).velocity == DVec3::ZERO || load(simulation.world()) > 0.0 {
            simulation.run(1);
        }
        let [plate, ball] = [PLATE, ball].map(|id| -simulation.world().twist(id).velocity.z);
        let found = (ball - plate) / 0.3;
        assert!((found - restitution).abs() < 2e-3, "{found} for {restitution}");
        let momentum = mass * plate + ball_mass * ball;
        assert!((momentum / (mass * 0.3) - 1.0).abs() < 1e-12, "{momentum}");
        assert!(residual(&simulation, &start) < 1e-4);
    }
}

#[test]
fn the_work_of_a_pushed_and_sheared_free_plate_closes_the_ledger() {
    // A plate of 20 g under 3 N, which moves to and fro with friction.
    let kind = GuideKind::Free { mass: 0.02, force: 3.0, speed: 0.0 };
    let shear = Drive::oscillation(DVec3::X * 0.002, 20.0, 0.0);
    let motion = WallMotion { prescribed: vec![shear], guide: Some(Guide { axis: DVec3::NEG_Z, kind }) };
    let mut simulation = Simulation::new(DENSE.world(triangles(), motion), 1).unwrap();
    let start = simulation.energy();
    simulation.run(40_000);
    let residual = residual(&simulation, &start);
    println!("residual {residual:.1e}, work {:.2e} J", simulation.energy().work);
    assert!(residual < 1e-3 && simulation.energy().work > 0.01, "{residual:e}");
    // At rest it would carry force and weight.
    let expected = 3.0 + 0.02 * 9.81;
    assert!((load(simulation.world()) / expected - 1.0).abs() < 0.3, "{}", load(simulation.world()));
}

#[test]
fn guided_walls_give_the_same_bits_on_any_number_of_threads_and_after_a_restart() {
    let shear = Drive::oscillation(DVec3::X * 0.001, 20.0, 0.0);
    for guide in [Guide::servo(DVec3::NEG_Z, 5.0, 0.05), Guide::free(DVec3::Z, 0.05)] {
        let motion = WallMotion { prescribed: vec![shear.clone()], guide: Some(guide) };
        let run = |threads: usize, restart: bool| {
            let mut simulation = Simulation::new(DENSE.world(triangles(), motion.clone()), threads).unwrap();
            simulation.use_all_threads().unwrap();
            simulation.run(9_000);
            if restart {
                let saved = postcard::to_allocvec(simulation.world()).unwrap();
                let world: World = postcard::from_bytes(&saved).unwrap();
                world.check().unwrap();
                simulation = Simulation::new(world, threads).unwrap();
            }
            simulation.run(9_000);
            (simulation.world().ordered_body_records().collect::<Vec<_>>(), simulation.energy())
        };
        let expected = run(1, false);
        // It has met the balls.
        assert!(expected.0[0].position.z < 0.033 && expected.1.dissipated() > 0.0, "{:?}", expected.0[0]);
        assert_eq!(run(3, false), expected);
        assert_eq!(run(2, true), expected);
    }
}

#[test]
fn a_fixed_plate_becomes_a_servo_then_a_free_wall_and_stops_with_a_closed_ledger() {
    let start_motion = Drive::steady(DVec3::NEG_Z * 0.05, DVec3::ZERO);
    let mut simulation = Simulation::new(DENSE.world(ceiling(), start_motion), 1).unwrap();
    let start = simulation.energy();
    while load(simulation.world()) < 1.0 {
        simulation.run(1);
    }
    let stages: [Motion; 4] = [
        Motion::Fixed,
        Motion::Driven(Guide::servo(DVec3::NEG_Z, 3.0, 0.05).into()),
        Motion::Driven(Guide::free(DVec3::Z, 0.1).into()),
        Motion::Fixed,
    ];
    let loads = stages.map(|motion| {
        let before = simulation.world().position(PLATE);
        simulation.world_mut().set_motion(PLATE, motion).unwrap();
        assert_eq!(simulation.world().position(PLATE), before);
        simulation.run(30_000);
        assert!(residual(&simulation, &start) < 1e-3, "{:e}", residual(&simulation, &start));
        load(simulation.world())
    });
    assert!((loads[1] / 3.0 - 1.0).abs() < 2e-3, "{loads:?}");
    assert!((loads[2] / 0.981 - 1.0).abs() < 0.05, "{loads:?}");
    assert_eq!(simulation.world().twist(PLATE).velocity, DVec3::ZERO);
}

#[test]
fn the_time_step_resolves_the_contacts_of_a_light_free_wall_and_of_a_fast_servo() {
    let step = |bed: Bed, guide: Guide| TimeStepAdvice::of(&bed.world(ceiling(), guide)).recommended;
    let free = |mass: f64| step(DENSE, Guide::free(DVec3::Z, mass));
    let ball = 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3) * 2500.0;
    // Two balls have half the mass of one: a wall matters if it is lighter than a ball.
    assert_eq!(free(1.0), free(2.0 * ball));
    let reduced = |wall: f64| 1.0 / (1.0 / ball + 1.0 / wall);
    let expected = (reduced(0.1 * ball) / (0.5 * ball)).sqrt();
    assert!((free(0.1 * ball) / free(1.0) / expected - 1.0).abs() < 1e-12, "{} {expected}", free(0.1 * ball));
    let hertz = Bed { hertz: true, ..DENSE };
    let servo = |speed: f64| step(hertz, Guide::servo(DVec3::Z, 1.0, speed));
    assert!(servo(100.0) < 0.5 * servo(0.01));
}

/// Returns a bed with percussions, with the time step 0.5 ms.
fn with_percussions(plate: Shape, motion: impl Into<WallMotion>, restitution: f64, friction: f64) -> World {
    let bed = Bed { time_step: 5e-4, across: 2, layers: 2, ..DENSE };
    let mut world = bed.world(plate, motion);
    world.set_percussion(Percussion::new(Friction::Coulomb)).unwrap();
    let slip = if friction > 0.0 { Slip::Friction(friction) } else { Slip::Free };
    let law = PercussionLaw { rebound: Rebound::Restitution(restitution), slip };
    world.set_percussion_law(MaterialId(0), MaterialId(0), law).unwrap();
    world
}

#[test]
fn a_servo_with_percussions_holds_its_force_from_the_first_contact() {
    for (plate, restitution) in [(ceiling(), 0.0), (triangles(), 0.5), (ceiling(), 0.9)] {
        let servo = Guide::servo(DVec3::NEG_Z, 5.0, 0.05);
        let mut simulation = Simulation::new(with_percussions(plate, servo, restitution, 0.4), 1).unwrap();
        let start = simulation.energy();
        // The plate comes down with its greatest speed until it meets the bed.
        simulation.run(10);
        let speed = simulation.world().twist(PLATE).velocity;
        assert!((speed + 0.05 * DVec3::Z).length() < 1e-12, "{speed}");
        simulation.run(1500);
        let mut worst = 0f64;
        for _ in 0..200 {
            simulation.run(1);
            worst = worst.max((load(simulation.world()) / 5.0 - 1.0).abs());
        }
        let residual = residual(&simulation, &start);
        let record = simulation.world().percussion().unwrap().statistics;
        println!("restitution {restitution}: force within {worst:.1e}, residual {residual:.1e}, {record:?}");
        assert!(worst < 2e-3, "{worst:e}");
        assert!(residual < 1e-10 && simulation.energy().work > 1e-5, "{residual:e}");
        assert_eq!(record.missed, 0);
    }
}

#[test]
fn a_free_plate_that_strikes_a_ball_at_rest_with_percussions_moves_by_the_laws_of_impact() {
    let ball = 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3) * 2500.0;
    for (mass, e) in [(0.02, 1.0), (1e-4, 0.5), (5.0, 0.0)] {
        let kind = GuideKind::Free { mass, force: 0.0, speed: 1.0 };
        let mut world = Bed { across: 1, layers: 1, ..DENSE }.world(ceiling(), Guide { axis: DVec3::NEG_Z, kind });
        world.set_percussion(Percussion::new(Friction::Coulomb)).unwrap();
        let law = PercussionLaw { rebound: Rebound::Restitution(e), slip: Slip::Free };
        world.set_percussion_law(MaterialId(0), MaterialId(0), law).unwrap();
        world.set_gravity(DVec3::ZERO).unwrap();
        world.set_time_step(1e-5).unwrap();
        let mut simulation = Simulation::new(world, 1).unwrap();
        let start = simulation.energy();
        let at = |simulation: &Simulation, id: u32| simulation.world().twist(BodyId(id)).velocity.z;
        let ball_id = 6;
        while at(&simulation, ball_id) == 0.0 {
            simulation.run(1);
        }
        // Without a rebound the plate closes the rest of the gap first. The floor is 25 steps away.
        simulation.run(3);
        let of_plate = -(mass - e * ball) / (mass + ball);
        let of_ball = -(1.0 + e) * mass / (mass + ball);
        assert!((at(&simulation, 0) - of_plate).abs() < 1e-6, "{mass}: {} {of_plate}", at(&simulation, 0));
        assert!((at(&simulation, ball_id) - of_ball).abs() < 1e-6, "{mass}: {} {of_ball}", at(&simulation, ball_id));
        assert!(residual(&simulation, &start) < 1e-10, "{:e}", residual(&simulation, &start));
    }
}

#[test]
fn a_free_plate_rests_on_a_bed_with_percussions_and_carries_its_force() {
    let kind = GuideKind::Free { mass: 0.05, force: 2.0, speed: 0.0 };
    for friction in [0.0, 0.4] {
        let world = with_percussions(triangles(), Guide { axis: DVec3::NEG_Z, kind }, 0.3, friction);
        let mut simulation = Simulation::new(world, 1).unwrap();
        let start = simulation.energy();
        simulation.run(2000);
        let (held, expected) = (load(simulation.world()), 2.0 + 0.05 * 9.81);
        let speed = simulation.world().twist(PLATE).velocity.length();
        let residual = residual(&simulation, &start);
        println!("friction {friction}: load {held} of {expected} N, {speed:.1e} m/s, residual {residual:.1e}");
        assert!((held / expected - 1.0).abs() < 1e-3 && speed < 1e-4, "{held} {speed}");
        assert!(residual < 1e-10, "{residual:e}");
    }
}
