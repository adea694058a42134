//! A11, A13, N5, P7 and P8 with percussions: a ball, a slope and blocks. Some cases compare
//! percussions with forces.

use glam::{DQuat, DVec3};
use granum_engine::percussion::{Friction, Percussion, PercussionLaw, Rebound, Slip};
use granum_engine::{BodyId, ContactLaw, Damping, EndRule, MaterialId, Simulation, Tangential};
use granum_geometry::Pose;
use granum_geometry::shape::Box;

use crate::ground::Ground;
use crate::laboratory::{GRAVITY, Laboratory, damped_spring, spring};
use crate::{Case, Report};

/// Worlds with percussions.
pub const A_WORLDS: Case = Case {
    name: "A-worlds",
    tier: 0,
    about: "percussions: a ball, a slope and a tower in both responses, blocks (A11, A13, N5, P7, P8)",
    run,
};

/// The same worlds on triangles.
pub const A_TRIANGLES: Case = Case {
    name: "A-triangles",
    tier: 1,
    about: "percussions on 1,000 random triangles: rest, sliding, a tower",
    run: on_triangles,
};

/// Side of the triangulated ground, m: longer than the ways of the bodies, and divided into many
/// triangles below each of them.
const SIDE: f64 = 8.0;

fn run(report: &mut Report) {
    on(Ground::HalfSpace, report);
}

fn on_triangles(report: &mut Report) {
    on(Ground::Triangles(SIDE), report);
}

fn on(ground: Ground, report: &mut Report) {
    bouncing(ground, report);
    rolling(ground, report);
    block(ground, report);
    rocking(ground, report);
    in_both_responses(ground, report);
}

/// Creates a laboratory with one material and percussions.
pub(super) fn laboratory(restitution: f64, friction: f64) -> Laboratory {
    let mut lab = Laboratory::new(spring(1.0));
    lab.world.set_percussion(Percussion::new(Friction::Coulomb)).expect("a valid value");
    let slip = if friction > 0.0 { Slip::Friction(friction) } else { Slip::Free };
    let law = PercussionLaw { rebound: Rebound::Restitution(restitution), slip };
    lab.world.set_percussion_law(MaterialId(0), MaterialId(0), law).expect("a valid value");
    lab
}

/// Returns the largest height of the centre of a body after its first contact, within a time, m.
fn apex(simulation: &mut Simulation, id: BodyId, time: f64) -> f64 {
    let steps = (time / simulation.world().time_step()) as u64;
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

fn bouncing(ground: Ground, report: &mut Report) {
    let (radius, height, restitution) = (0.1, 0.6, 0.7);
    let exact = radius + restitution * restitution * (height - radius);
    for step in [1e-3, 1e-4] {
        let mut lab = laboratory(restitution, 0.0).with_gravity();
        let ball = lab.ball(radius, 1.0, DVec3::Z * height);
        let id = lab.add(ball);
        lab.ground(ground);
        let mut simulation = lab.start(step);
        let ours = apex(&mut simulation, id, 0.75);
        // The velocity of the ball may reverse up to one step too early.
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
    lab.ground(ground);
    let ours = apex(&mut lab.start(1e-5), id, 0.75);
    report.absolute("A13: apex by forces, m", exact, ours, 2e-3);
}

fn rolling(ground: Ground, report: &mut Report) {
    let (radius, angle) = (0.1, 0.5f64);
    let limit = 2.0 / 7.0 * angle.tan();
    for (friction, rolls) in [(1.01 * limit, true), (0.99 * limit, false)] {
        let mut lab = laboratory(0.0, friction);
        lab.world.set_gravity(GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos())).expect("a valid value");
        let ball = lab.ball(radius, 1.0, DVec3::Z * radius);
        let id = lab.add(ball);
        lab.ground(ground);
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

fn block(ground: Ground, report: &mut Report) {
    let half = DVec3::new(0.2, 0.15, 0.1);
    let squares = half * half;
    let moments = (DVec3::splat(squares.element_sum()) - squares) / 3.0;
    let on_floor = |friction: f64, gravity: DVec3, velocity: DVec3, half: DVec3, moments: DVec3| {
        let mut lab = laboratory(0.0, friction);
        lab.world.set_gravity(gravity).expect("a valid value");
        let shape = lab.world.add_shape(Box { half_sizes: half }).expect("a valid block");
        let mut body = lab.of_shape(shape, 1.0, moments);
        body.pose.position = DVec3::Z * half.z;
        body.velocity = velocity;
        let id = lab.add(body);
        lab.ground(ground);
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

/// A block released on its edge falls flat and rotates over the other edge.
fn rocking(ground: Ground, report: &mut Report) {
    let half = DVec3::new(0.25, 0.3, 0.75);
    let (alpha, radius) = ((half.x / half.z).atan(), half.x.hypot(half.z));
    let step = 1e-4;
    let mut loss = 0f64;
    for (part, exact) in [(0.2, 0.914336), (0.5, 1.732036), (0.8, 3.009363)] {
        let mut lab = laboratory(0.0, 5.0).with_gravity();
        let block = add_block(&mut lab, half, DVec3::Z * radius * (alpha - part * alpha).cos(), part * alpha);
        lab.ground(ground);
        let mut simulation = lab.start(step);
        let tilt = |simulation: &Simulation| {
            let orientation = simulation.world().orientation(block);
            2.0 * orientation.y.atan2(orientation.w)
        };
        let (mut before, mut spin) = (part * alpha, 0.0);
        // The tilt stops or changes its sign in the step in which the other edge lands.
        while tilt(&simulation) > 0.5 * step * spin && simulation.world().time() < 2.0 {
            before = tilt(&simulation);
            spin = -simulation.world().twist(block).spin.y;
            simulation.run(1);
        }
        let landed = simulation.world().time() - step + before / spin;
        report.relative(
            format!("N5: block released at {part} of its greatest tilt, period, s"),
            exact,
            4.0 * landed,
            1e-3,
        );
        simulation.run(3);
        loss = loss.max((-simulation.world().twist(block).spin.y / spin - 0.85).abs());
    }
    report.at_most("N5: remaining fraction of the spin after landing, deviation from Housner's 0.85", loss, 5e-3);
}

/// Creates a block of 1 kg, rotated about y by `tilt`.
pub(super) fn add_block(lab: &mut Laboratory, half: DVec3, position: DVec3, tilt: f64) -> BodyId {
    let squares = half * half;
    let moments = (DVec3::splat(squares.element_sum()) - squares) / 3.0;
    let shape = lab.world.add_shape(Box { half_sizes: half }).expect("a valid block");
    let mut body = lab.of_shape(shape, 1.0, moments);
    body.pose = Pose { position, orientation: DQuat::from_rotation_y(tilt) };
    lab.add(body)
}

/// Compares the same tower and slope with percussions and with forces.
fn in_both_responses(ground: Ground, report: &mut Report) {
    /// Stiffness, N/m. A corner of the block on the slope sinks by 2e-6 m, one of the lowest block
    /// of the tower by 1e-5 m.
    const STIFFNESS: f64 = 1e6;
    const FRICTION: f64 = 0.3;
    let half = DVec3::new(0.1, 0.1, 0.05);
    let by_forces = || {
        let tangential = Tangential::Linear { friction: FRICTION, ratio: 2.0 / 7.0, zeta: 0.3 };
        let law = damped_spring(STIFFNESS, Damping::Ratio(0.3), EndRule::NoTension);
        Laboratory::new(ContactLaw { tangential, ..law })
    };
    let both = [("percussions", 1e-3), ("forces", 2e-5)];
    for (name, step) in both {
        let made = || if name == "forces" { by_forces() } else { laboratory(0.0, FRICTION) };
        let mut lab = made().with_gravity();
        lab.ground(ground);
        let blocks: Vec<BodyId> = (0..5)
            .map(|k| {
                // The blocks are slightly offset.
                let aside = 0.02 * f64::from(k % 2);
                add_block(&mut lab, half, DVec3::new(aside, 0.0, half.z * f64::from(2 * k + 1)), 0.0)
            })
            .collect();
        let mut simulation = lab.start(step);
        simulation.run((1.0 / step) as u64);
        let places = |simulation: &Simulation| -> Vec<DVec3> {
            blocks.iter().map(|&id| simulation.world().position(id)).collect()
        };
        let before = places(&simulation);
        simulation.run((2.0 / step) as u64);
        let after = places(&simulation);
        let drift = before.iter().zip(&after).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        // Limit of bodies at rest: a millionth of their size.
        report.at_most(format!("A13: tower of 5 by {name}, drift in 2 s, m"), drift, 1e-6 * 2.0 * half.x);
        report.absolute(format!("A13: tower of 5 by {name}, its top block, m"), 9.0 * half.z, after[4].z, 1e-4);

        let angle = 0.4f64;
        let mut lab = made();
        lab.world.set_gravity(GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos())).expect("a valid value");
        lab.ground(ground);
        let block = add_block(&mut lab, half, DVec3::Z * half.z, 0.0);
        let mut simulation = lab.start(step);
        // Wait until springs and friction carry their loads.
        simulation.run((0.5 / step) as u64);
        let (speed, start) = (simulation.world().twist(block).velocity.x, simulation.world().time());
        simulation.run((0.5 / step) as u64);
        let gained = simulation.world().twist(block).velocity.x - speed;
        let exact = GRAVITY * (angle.sin() - FRICTION * angle.cos());
        let ours = gained / (simulation.world().time() - start);
        report.relative(format!("A13: block on a slope by {name}, acceleration, m/s2"), exact, ours, 1e-4);
    }
}
