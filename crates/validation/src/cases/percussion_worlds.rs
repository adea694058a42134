//! A11, A13, P7 and P8 by percussions: a ball, a slope and a block, some of them in both responses.

use glam::{DQuat, DVec3};
use granum_engine::percussion::{Friction, Percussion, PercussionLaw, Rebound, Slip};
use granum_engine::{BodyId, Damping, EndRule, MaterialId, Motion, Simulation};
use granum_geometry::shape::Box;

use crate::laboratory::{GRAVITY, Laboratory, damped_spring, spring};
use crate::{Case, Report};

/// Worlds that answer by percussions.
pub const A_WORLDS: Case = Case {
    name: "A-worlds",
    tier: 0,
    about: "percussions: a bouncing ball in both responses, slopes, a block (A11, A13, P7, P8)",
    run,
};

fn run(report: &mut Report) {
    bouncing(report);
    rolling(report);
    block(report);
}

/// A laboratory of one material that answers by percussions.
fn laboratory(restitution: f64, friction: f64) -> Laboratory {
    let mut lab = Laboratory::new(spring(1.0));
    lab.world.answer_by_percussions(Percussion::new(Friction::Coulomb));
    let slip = if friction > 0.0 { Slip::Friction(friction) } else { Slip::Free };
    let law = PercussionLaw { rebound: Rebound::Restitution(restitution), slip };
    lab.world.set_percussion_law(MaterialId(0), MaterialId(0), law);
    lab
}

/// Greatest height of a body's centre after its first contact, within a time.
fn apex(simulation: &mut Simulation, id: BodyId, time: f64) -> f64 {
    let steps = (time / simulation.world().time_step) as u64;
    let (mut highest, mut bounced) = (0f64, false);
    for _ in 0..steps {
        simulation.run(1);
        bounced |= simulation.world().twist(id).velocity.z > 0.0;
        if bounced {
            highest = highest.max(simulation.world().position(id).z);
        }
    }
    highest
}

fn bouncing(report: &mut Report) {
    let (radius, height, restitution) = (0.1, 0.6, 0.7);
    let exact = radius + restitution * restitution * (height - radius);
    for step in [1e-3, 1e-4] {
        let mut lab = laboratory(restitution, 0.0).with_gravity();
        let ball = lab.ball(radius, 1.0, DVec3::Z * height);
        let id = lab.add(ball);
        lab.wall(DVec3::Z, DVec3::ZERO, Motion::Fixed);
        let mut simulation = lab.start(step);
        let ours = apex(&mut simulation, id, 0.75);
        // The ball may turn one step's travel too early.
        let speed = (2.0 * GRAVITY * (height - radius)).sqrt();
        report.absolute(format!("A13: apex by percussions, step {step} s, m"), exact, ours, speed * step);
        report.at_most(
            format!("A11: overlap over speed times step, step {step} s"),
            simulation.snapshot().max_overlap() / (speed * step),
            1.0,
        );
    }
    let law = damped_spring(1e7, Damping::Restitution(restitution), EndRule::NoTension);
    let mut lab = Laboratory::new(law).with_gravity();
    let ball = lab.ball(radius, 1.0, DVec3::Z * height);
    let id = lab.add(ball);
    lab.wall(DVec3::Z, DVec3::ZERO, Motion::Fixed);
    let ours = apex(&mut lab.start(1e-5), id, 0.75);
    report.absolute("A13: apex by forces, m", exact, ours, 2e-3);
}

fn rolling(report: &mut Report) {
    let (radius, angle) = (0.1, 0.5f64);
    let limit = 2.0 / 7.0 * angle.tan();
    for (friction, rolls) in [(1.01 * limit, true), (0.99 * limit, false)] {
        let mut lab = laboratory(0.0, friction);
        lab.world.gravity = GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos());
        let ball = lab.ball(radius, 1.0, DVec3::Z * radius);
        let id = lab.add(ball);
        lab.wall(DVec3::Z, DVec3::ZERO, Motion::Fixed);
        let mut simulation = lab.start(1e-3);
        simulation.run(1000);
        let twist = simulation.world().twist(id);
        let exact = match rolls {
            true => GRAVITY * angle.sin() / 1.4,
            false => GRAVITY * (angle.sin() - friction * angle.cos()),
        };
        let how = if rolls { "rolls" } else { "slips" };
        report.relative(format!("P7: ball {how}, acceleration"), exact, twist.velocity.x, 1e-3);
        let slip = (twist.velocity.x - radius * twist.spin.y) / twist.velocity.x;
        let expected = if rolls { 0.0 } else { 1.0 - 2.5 * friction * GRAVITY * angle.cos() / exact };
        report.absolute(format!("P7: ball {how}, slip over speed"), expected, slip, 1e-3);
    }
}

fn block(report: &mut Report) {
    let half = DVec3::new(0.2, 0.15, 0.1);
    let squares = half * half;
    let moments = (DVec3::splat(squares.element_sum()) - squares) / 3.0;
    let on_floor = |friction: f64, gravity: DVec3, velocity: DVec3, half: DVec3, moments: DVec3| {
        let mut lab = laboratory(0.0, friction);
        lab.world.gravity = gravity;
        let shape = lab.world.add_shape(Box { half_sizes: half }).expect("a valid block");
        let mut body = lab.of_shape(shape, 1.0, moments);
        body.pose.position = DVec3::Z * half.z;
        body.velocity = velocity;
        let id = lab.add(body);
        lab.wall(DVec3::Z, DVec3::ZERO, Motion::Fixed);
        (lab.start(1e-3), id)
    };
    let (angle, friction) = (0.4f64, 0.3);
    let slope = GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos());
    let (mut simulation, id) = on_floor(1.01 * angle.tan(), slope, DVec3::ZERO, half, moments);
    simulation.run(1000);
    report.at_most(
        "P8: block holds above the friction angle, m/s",
        simulation.world().twist(id).velocity.length(),
        1e-6,
    );
    let (mut simulation, id) = on_floor(friction, slope, DVec3::ZERO, half, moments);
    simulation.run(1000);
    let exact = GRAVITY * (angle.sin() - friction * angle.cos());
    report.relative("P8: block slides, acceleration", exact, simulation.world().twist(id).velocity.x, 1e-6);
    let level = DVec3::NEG_Z * GRAVITY;
    let (mut simulation, id) = on_floor(friction, level, DVec3::X, half, moments);
    simulation.run(1000);
    let exact = 1.0 / (2.0 * friction * GRAVITY);
    report.relative("P8: block stops after, m", exact, simulation.world().position(id).x, 1e-3);
    // A tall block topples before it slides.
    let tall = DVec3::new(0.1, 0.1, 0.3);
    let squares = tall * tall;
    let moments = (DVec3::splat(squares.element_sum()) - squares) / 3.0;
    for (part, topples) in [(0.98, false), (1.02, true)] {
        let angle = (part * tall.x / tall.z).atan();
        let slope = GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos());
        let (mut simulation, id) = on_floor(0.8, slope, DVec3::ZERO, tall, moments);
        simulation.run(1500);
        let up = (simulation.world().orientation(id) * DVec3::Z).z;
        let tilt = DQuat::from_rotation_arc(DVec3::Z, simulation.world().orientation(id) * DVec3::Z).to_axis_angle().1;
        let ours = f64::from(u8::from(tilt > 0.05 || up < 0.99));
        report.absolute(
            format!("P8: tall block at {part} of tan = w/h topples"),
            f64::from(u8::from(topples)),
            ours,
            0.0,
        );
    }
}
