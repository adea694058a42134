//! Collisions whose reference solutions were computed by hand or by another solver.

use glam::DVec3;
use granum_engine as engine;
use granum_engine::percussion::program::Twist;
use serde_json::Value;

use super::collision::{Collision, LIMIT, box_moments};
use super::percussion_worlds::{add_block, laboratory};
use crate::{Case, Report};

/// Collisions with reference solutions.
pub const A_REFERENCE: Case =
    Case { name: "A-reference", tier: 0, about: "percussions: collisions solved by hand and by another solver", run };

fn run(report: &mut Report) {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../data/acd2_cases.json")).expect("the file of cases is valid");
    for case in &cases {
        let id = case["id"].as_str().expect("a case has a name");
        match id {
            "extra_strict_filter_sinking" => resting(report, id, &case["inputs"]),
            "extra_coulomb_prox_slope" => sloping(report, id, case),
            _ => {}
        }
        let Some(found) = solution(case) else { continue };
        let expected = case["expected"].as_array().expect("a case has a list of expected values");
        let error = found.iter().zip(expected).map(|(ours, theirs)| (ours - theirs.as_f64().expect("a number")).abs());
        let worst = if found.len() == expected.len() { error.fold(0.0, f64::max) } else { f64::NAN };
        report.at_most(format!("{id}: worst error of a velocity"), worst, LIMIT);
    }
}

/// A ball rests on the ground. It would sink if the program ignored contacts that do not approach.
fn resting(report: &mut Report, id: &str, inputs: &Value) {
    const RADIUS: f64 = 0.1;
    let mut lab = laboratory(0.0, 0.0);
    lab.world.set_gravity(-number(inputs, "g") * DVec3::Z).expect("a valid value");
    let ball = lab.ball(RADIUS, 1.0, RADIUS * DVec3::Z);
    let ball = lab.add(ball);
    lab.wall(DVec3::Z, DVec3::ZERO, engine::Motion::Fixed);
    let mut simulation = lab.start(number(inputs, "dt"));
    simulation.run(inputs["steps"].as_u64().expect("a count"));
    let sunk = RADIUS - simulation.world().position(ball).z;
    report.at_most(format!("{id}: depth by which a ball at rest sinks, m"), sunk.abs(), LIMIT);
}

/// A block lies on a slope, for several friction coefficients.
fn sloping(report: &mut Report, id: &str, case: &Value) {
    let inputs = &case["inputs"];
    let angle = number(inputs, "angle");
    let list = |values: &Value| -> Vec<f64> {
        values
            .as_array()
            .expect("a case has a list of expected values")
            .iter()
            .map(|value| value.as_f64().expect("a number"))
            .collect()
    };
    for (friction, expected) in list(&inputs["mu"]).into_iter().zip(list(&case["u_final"])) {
        let mut lab = laboratory(0.0, friction);
        lab.world.set_gravity(number(inputs, "g") * DVec3::new(angle.sin(), 0.0, -angle.cos())).expect("a valid value");
        let half = DVec3::new(0.2, 0.2, 0.05);
        let block = add_block(&mut lab, half, half.z * DVec3::Z, 0.0);
        lab.wall(DVec3::Z, DVec3::ZERO, engine::Motion::Fixed);
        let mut simulation = lab.start(number(inputs, "dt"));
        simulation.run(inputs["steps"].as_u64().expect("a count"));
        let speed = simulation.world().twist(block).velocity.x;
        report.absolute(format!("{id}: speed with friction {friction}"), expected, speed, LIMIT);
    }
}

fn number(inputs: &Value, name: &str) -> f64 {
    inputs[name].as_f64().unwrap_or_else(|| panic!("no number {name} in {inputs}"))
}

fn vector(values: &Value) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|k| values[k].as_f64().expect("three numbers")))
}

/// Returns the velocity and spin of a body before the collision.
fn motion(values: &Value) -> Twist {
    let spin = DVec3::from_array([3, 4, 5].map(|k| values[k].as_f64().expect("six numbers")));
    Twist { velocity: vector(values), spin }
}

fn six(motion: &Twist) -> Vec<f64> {
    motion.velocity.to_array().into_iter().chain(motion.spin.to_array()).collect()
}

/// Returns the collision of a box with the ground at these corners.
fn box_on(inputs: &Value, corners: &[DVec3], kappa: f64) -> Collision {
    let (mass, half) = (number(inputs, "m"), vector(&inputs["half"]));
    let mut collision = Collision::new();
    let body = collision.body(mass, box_moments(mass, half), DVec3::ZERO);
    collision.before[0] = motion(&inputs["u_minus"]);
    for corner in corners {
        collision.on_ground(body, *corner, [number(inputs, "kN"), kappa]);
    }
    collision
}

/// Returns the velocities of a block that slides on several points, for `steps` steps, with an
/// external percussion `along` in the direction x in each step.
fn slides(inputs: &Value, mut velocity: f64, along: f64, steps: usize) -> Vec<f64> {
    let mut speeds = vec![];
    for _ in 0..steps {
        let mut collision = Collision::new();
        let body = collision.body(number(inputs, "m"), DVec3::ONE, velocity * DVec3::X);
        collision.external[0] = along * DVec3::X;
        for _ in 0..inputs["n_contacts"].as_u64().expect("a count") {
            collision.on_ground(body, DVec3::ZERO, [0.0, number(inputs, "kT")]);
        }
        velocity = collision.after()[0].velocity.x;
        speeds.push(velocity);
    }
    speeds
}

fn ball_on_plane(inputs: &Value) -> Vec<f64> {
    let mass = number(inputs, "m");
    let mut collision = Collision::new();
    let ball = collision.body(mass, DVec3::ONE, number(inputs, "u_minus") * DVec3::Z);
    collision.external[0] = -mass * number(inputs, "g") * number(inputs, "dt") * DVec3::Z;
    collision.on_ground(ball, DVec3::ZERO, [number(inputs, "kN"), 0.0]);
    vec![collision.after()[0].velocity.z]
}

/// Returns the velocities after the collision of a row of balls, of which neighbours touch.
fn balls(masses: &[f64], speeds: &[f64], kappa: f64) -> Vec<f64> {
    let mut collision = Collision::new();
    for (&mass, &speed) in masses.iter().zip(speeds) {
        collision.body(mass, DVec3::ONE, speed * DVec3::X);
    }
    for a in 1..masses.len() as u32 {
        collision.contact([a - 1, a], DVec3::X, [DVec3::ZERO; 2], [kappa, 0.0]);
    }
    collision.after().iter().map(|motion| motion.velocity.x).collect()
}

/// Returns the solution of the solver for a case, or `None` for cases about whole worlds.
fn solution(case: &Value) -> Option<Vec<f64>> {
    let inputs = &case["inputs"];
    let id = case["id"].as_str().expect("a case has a name");
    let gravity = |angle: fn(f64) -> f64| {
        number(inputs, "m") * number(inputs, "g") * number(inputs, "dt") * angle(number(inputs, "angle"))
    };
    let found = match id.split_whitespace().next().expect("a word") {
        "ball_plane" | "ball_plane_gravity" => ball_on_plane(inputs),
        "two_balls" => balls(
            &["m1", "m2"].map(|name| number(inputs, name)),
            &["u1", "u2"].map(|name| number(inputs, name)),
            number(inputs, "kN"),
        ),
        "cradle3" => balls(&[number(inputs, "m"); 3], &[number(inputs, "v"), 0.0, 0.0], number(inputs, "kN")),
        "sliding_block" => {
            let start = number(inputs, "u0");
            [vec![start], slides(inputs, start, 0.0, 5)].concat()
        }
        "slope_creep" => slides(inputs, 0.0, gravity(f64::sin), 6),
        "box_flat_4_corners" => {
            let half = vector(&inputs["half"]);
            let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)];
            let corners = corners.map(|(x, y)| half * DVec3::new(x, y, -1.0));
            six(&box_on(inputs, &corners, number(inputs, "kT")).after()[0])
        }
        "box_corner_impact" => six(&box_on(inputs, &[vector(&inputs["corner"])], 0.0).after()[0]),
        "ball_oblique" => {
            let (mass, radius) = (number(inputs, "m"), number(inputs, "R"));
            let mut collision = Collision::new();
            let ball = collision.body(mass, DVec3::splat(0.4 * mass * radius * radius), DVec3::ZERO);
            collision.before[0] = motion(&inputs["u_minus"]);
            collision.on_ground(ball, DVec3::NEG_Z * radius, [number(inputs, "kN"), number(inputs, "kT")]);
            six(&collision.after()[0])
        }
        _ => return None,
    };
    Some(found)
}
